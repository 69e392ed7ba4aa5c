"""Writing YAML: new entries, and changes to a block that leave every other line as it stands.

Only the lines of a changed key are replaced. A changed list goes through ruamel's round trip, so that the comments and
quotes of the items that stay are kept.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from typing import Any

import yaml
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from wellworn.store.yaml_block import chunks_of, folded

REMOVED = object()
_WIDTH = 10**9


def dump_entry(key: str, value: Any) -> list[str]:
    """Return the lines of `key: value`, lists one item a line."""
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return [f"{key}:", *(f"  - {_scalar(item)}" for item in value)]
    text = yaml.dump(
        {key: value}, Dumper=_dumper(), allow_unicode=True, width=_WIDTH, sort_keys=False, default_flow_style=False
    )
    return text.rstrip("\n").split("\n")


def _dumper() -> Any:
    return getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def _scalar(text: str) -> str:
    dumped = yaml.dump(text, Dumper=_dumper(), allow_unicode=True, width=_WIDTH)
    return dumped.removesuffix("\n").removesuffix("\n...")


def edit_block(lines: list[str], changes: Mapping[str, Any]) -> list[str]:
    """Return the lines of a block (without line ends) with `changes` made; REMOVED takes a key out.

    A key is found whatever its spelling (`requiresApproval`, `requires_approval`) and keeps it; of a repeated key the
    last, which counts, is changed. New keys go to the end.
    """
    result = list(lines)
    for key, value in changes.items():
        places = [chunk for chunk in chunks_of(result) if folded(chunk.key) == folded(key)]
        if not places:
            if value is not REMOVED:
                _append(result, dump_entry(key, value))
            continue
        chunk = places[-1]
        old = result[chunk.start : chunk.end]
        new = [] if value is REMOVED else _edited(old, chunk.key, value)
        result[chunk.start : chunk.end] = new
    return result


def _append(lines: list[str], entry: list[str]) -> None:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    while end and re.fullmatch(r"\.\.\.\s*", lines[end - 1]):
        end -= 1
    lines[end:end] = entry


def _edited(old: list[str], key: str, value: Any) -> list[str]:
    kept = _round_trip(old, key, value) if value and any("#" in line for line in old) else None
    return dump_entry(key, value) if kept is None else kept


def _round_trip(old: list[str], key: str, value: Any) -> list[str] | None:
    """Change a value in place so that its comments stay; None when ruamel cannot read the old lines."""
    editor = YAML()
    editor.preserve_quotes = True
    editor.width = _WIDTH
    indent = next((len(line) - len(line.lstrip()) for line in old[1:] if line.lstrip().startswith("- ")), 0)
    editor.indent(mapping=2, sequence=indent + 2, offset=indent)
    try:
        data = editor.load("\n".join(old) + "\n")
    except YAMLError:
        return None
    if not isinstance(data, dict) or list(data) != [key]:
        return None
    if not (isinstance(data[key], list) and isinstance(value, list) and _change_items(data[key], value)):
        data[key] = value
    out = io.StringIO()
    editor.dump(data, out)
    return out.getvalue().rstrip("\n").split("\n")


def _change_items(items: list[Any], wanted: list[Any]) -> bool:
    """Delete and insert items so that those that stay keep their comments; False when their order changed."""
    staying = [item for item in items if item in wanted]
    if staying != [item for item in wanted if item in items]:
        return False
    for place in range(len(items) - 1, -1, -1):
        if items[place] not in wanted:
            del items[place]
    for place, item in enumerate(wanted):
        if place >= len(items) or items[place] != item:
            items.insert(place, item)
    return True
