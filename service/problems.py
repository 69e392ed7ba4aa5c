"""From pydantic's view of a mistake to ours: one sentence that names the field as the caller wrote it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from wellworn.models.errors import InvalidInput

_SHOWN = 60


def field_path(loc: Sequence[str | int], *, drop: frozenset[str] = frozenset({"data", "body"})) -> str:
    """`("context", "openPr", "OpenPr", "number")` -> `context.openPr.number`: wire names, without union branches."""
    parts: list[str] = []
    for number, part in enumerate(loc):
        if isinstance(part, int):
            parts.append(f"[{part}]")
        elif (number == 0 and part in drop) or not part.isidentifier() or (parts and part[:1].isupper()):
            continue
        else:
            parts.append(f".{part}" if parts else part)
    return "".join(parts)


def validation_error(error: ValidationError, *, where: str = "The request") -> InvalidInput:
    """Turn the first (and count the other) mistakes into an InvalidInput that names the field."""
    errors = error.errors(include_url=False)
    first = errors[0]
    name = field_path(first["loc"])
    more = f" ({len(errors) - 1} more)" if len(errors) > 1 else ""
    return InvalidInput(
        f"{where}{f', field {name},' if name else ''} cannot be used: {_what(first)}{more}.", field=name or None
    )


def _what(first: Any) -> str:
    if first["type"] == "extra_forbidden":
        return "there is no such field"
    if first["type"] == "missing":
        return "it is required"
    message = str(first["msg"]).removeprefix("Value error, ")
    return message[:1].lower() + message[1:] + _given(first.get("input"))


def _given(value: object) -> str:
    if value is None or isinstance(value, (dict, list)):
        return ""
    shown = repr(value)
    return f", not {shown if len(shown) <= _SHOWN else shown[:_SHOWN] + '...'}"
