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
        elif (number == 0 and part in drop) or _is_branch(part, first=not parts):
            continue
        else:
            parts.append(f".{part}" if parts else part)
    return "".join(parts)


def validation_error(error: ValidationError, *, where: str = "The request") -> InvalidInput:
    """Turn the first (and count the other) mistakes into an InvalidInput that names the field."""
    errors = error.errors(include_url=False)
    # A field that does not exist is said first: it explains why the right one is missing.
    first = next((error for error in errors if error["type"] == "extra_forbidden"), errors[0])
    name = field_path(first["loc"])
    if first["type"] == "extra_forbidden":
        name = _unknown_field(first["loc"])
    more = f" ({len(errors) - 1} more)" if len(errors) > 1 else ""
    return InvalidInput(
        f"{where}{f', field {name},' if name else ''} cannot be used: {_what(first)}{more}.", field=name or None
    )


def _is_branch(part: str, *, first: bool) -> bool:
    """Parts such as `OpenPr` or `literal[False]` name the branch of a union that pydantic tried, not a field."""
    return part.startswith(("literal[", "function-", "constrained-")) or (not first and part[:1].isupper())


def _unknown_field(loc: Sequence[str | int]) -> str:
    """The name as it was sent, whatever it looks like (shortened)."""
    before, name = field_path(loc[:-1]), str(loc[-1])
    shown = name if len(name) <= _SHOWN else name[:_SHOWN] + "..."
    return f"{before}.{shown}" if before else shown


def _what(first: Any) -> str:
    if first["type"] == "extra_forbidden":
        return "there is no such field"
    if first["type"] == "missing":
        return "it is required"
    message = str(first["msg"]).removeprefix("Value error, ")
    return message[:1].lower() + message[1:] + _given(first.get("input"))


def _given(value: object) -> str:
    if value is None or isinstance(value, (dict, list, bytes)):
        return ""
    shown = repr(value)
    return f", not {shown if len(shown) <= _SHOWN else shown[:_SHOWN] + '...'}"
