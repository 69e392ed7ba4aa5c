"""An unknown query parameter is an error, as an unknown field of a body is: silence would hide a misspelling."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from wellworn.models.errors import InvalidInput


def only(*names: str) -> Callable[[ASGIConnection[Any, Any, Any, Any], BaseRouteHandler], None]:
    """Return a guard that lets a request pass when it has no query parameters but these, each at most once.

    It raises InvalidInput that names the parameter.
    """

    def guard(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
        for name in connection.query_params:
            if name not in names:
                near = get_close_matches(name, names, n=1)
                hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(names) or 'none'}."
                raise InvalidInput("There is no such query parameter.", hint=hint, field=name[:100])
            if len(connection.query_params.getall(name)) > 1:
                raise InvalidInput(f"The parameter {name} is given more than once.", hint="Give it once.", field=name)

    return guard
