"""The fields that restrict a skill: `allowed-tools`, `requiresApproval`, `risk` (and `when`, see `manifest_file`).

They fail closed. A value that is there but cannot be understood raises Unreadable, and the skill is then listed but
never invocable, because guessing could run it with fewer restrictions than its author wrote.
"""

from __future__ import annotations

import re
from typing import Any

from wellworn.models.skill import Risk
from wellworn.store.yaml_read import is_text, typed

_TOOL = re.compile(r"(@\w|[A-Za-z_*])[\w.*:/@+-]*(\(.*\))?", re.DOTALL)
_FOREIGN_RISKS = {"safe": Risk.low, "none": Risk.low, "moderate": Risk.medium, "critical": Risk.high}
_GATE_MAX = 200
_MARKS = re.compile(r":\s|:$|[\[\]{}]")  # left over from YAML that was not meant as text


class Unreadable(Exception):
    """A safety field that is there but cannot be understood; the message says how to write it."""


def read_allowed_tools(value: Any) -> tuple[str, ...]:
    """Read `Read, Bash(git add:*)`, `Read Grep` or a list of such texts; an empty one allows no tool at all."""
    hint = "write tool names separated by commas, such as `Read, Bash(git:*)`"
    items = value if isinstance(value, list) else [value]
    tools: list[str] = []
    for item in items:
        if not is_text(item):
            raise Unreadable(f"it is {_kind(item)}; {hint}")
        tools += _split_tools(str(item))
    if bad := next((tool for tool in tools if not _TOOL.fullmatch(tool)), None):
        raise Unreadable(f"{bad!r} is not a tool's name; {hint}")
    return tuple(dict.fromkeys(tools))


def _split_tools(text: str) -> list[str]:
    """Split at commas and white space outside parentheses."""
    tools: list[str] = []
    current, depth = "", 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            break
        if depth == 0 and (character == "," or character.isspace()):
            tools.append(current)
            current = ""
        else:
            current += character
    if depth:
        raise Unreadable("its parentheses do not match; close each one")
    return [tool for tool in [*tools, current] if tool]


def read_gates(value: Any) -> list[str]:
    """Read `requiresApproval`: a list of short names such as git_push, or one text with commas between them."""
    hint = "write a list such as `[git_push, publish]`"
    if isinstance(value, str) and is_text(value):
        value = [part.strip() for part in value.split(",") if part.strip()]
    if not isinstance(value, list):
        raise Unreadable(f"it is {_kind(value)}; {hint}")
    for item in value:
        if not is_text(item) or not item.strip() or len(item) > _GATE_MAX:
            raise Unreadable(f"one of its items is {_kind(item)}; {hint}")
        if _MARKS.search(item):
            raise Unreadable(f"{item!r} is not a name; {hint}")
    return list(dict.fromkeys(str(item).strip() for item in value))


def read_risk(value: Any, *, foreign: bool = False) -> Risk:
    """Read low, medium or high; with `foreign` (other tools' front matter) also safe, none, moderate, critical."""
    text = str(value).strip().lower() if is_text(value) else ""
    if text in Risk.__members__:
        return Risk(text)
    if foreign and text in _FOREIGN_RISKS:
        return _FOREIGN_RISKS[text]
    shown = repr(str(value)[:40]) if isinstance(value, str) and value else _kind(value)
    raise Unreadable(f"it is {shown}; write low, medium or high")


def _kind(value: Any) -> str:
    plain = typed(value)
    if plain is None or plain == "":
        return "empty"
    if isinstance(plain, bool | int | float):
        return f"{plain!r}".lower()
    if isinstance(plain, dict):
        return "a mapping"
    return "a list" if isinstance(plain, list) else "too long or blank"
