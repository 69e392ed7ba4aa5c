"""From an event as it was sent to one that may be kept: secrets taken out, then cut, then tagged."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from pydantic_core import to_json

from wellworn.models.trace import CORRECTION_TAG, TEST_TAG, TraceEvent, TraceKind
from wellworn.store.redact import redact, redact_field
from wellworn.store.text_hash import storable

SUMMARY_KEPT = 500
TEXT_KEPT = 500
TAG_KEPT = 100
TAGS_KEPT = 50
OUTPUT_KEPT = 200
DATA_KEPT = 4096
"""The longest `data` that is kept, as bytes of JSON."""
SCANNED = 4000
"""Longer texts are cut to this before they are read; what a cut may have left of a secret goes with the last word."""
OUTPUTS = frozenset({"output", "stdout", "stderr", "content", "result", "toolresponse", "toolresult", "outputtail"})
"""Names under which full output is sent, in any spelling: its last line is kept."""
_COMMON = frozenset({"command", "exitCode", "exit_code", "cwd", "tool", "file", "path"})
"""Names that neither hold a secret nor say that their value is one."""
_FIRST = ("command", "exitCode", "exit_code", "cwd", "tool", "file", "path", "error")
_DEPTH, _ITEMS = 6, 50
_LARGEST = 2**53
_CACHED, _CACHED_CHARS = 16_384, 600
_ORDINARY_NAME = re.compile(
    r"[0-9a-f-]{1,64}|[0-9A-HJKMNP-TV-Z]{26}|(?!key-)[a-z-]{1,20}-[0-9a-f]{32}"
    r"|[a-z]{1,20}[-_]?[0-9]{0,12}(?:-[0-9]{1,12})?",
    re.ASCII,
)
"""Hashes, UUIDs, ULIDs, ids of imports, words with numbers: looked at first, as every event has an id of its own."""


def prepare(event: TraceEvent) -> TraceEvent:
    """Return what may be kept of an event; the same event again when nothing has to be changed."""
    return observe(event)[0]


def observe(event: TraceEvent) -> tuple[TraceEvent, bool]:
    """Return what may be kept of an event, and whether a secret (or a name or address) was taken out of it."""
    seen = _Cleaner()
    was = event.__dict__
    update: dict[str, Any] = {}
    for name, kept in (
        ("id", seen.name(event.id)),
        ("session_id", seen.name(event.session_id)),
        ("repo", None if event.repo is None else seen.text(event.repo)),
        ("summary", summary := _cut(seen.text(event.summary), SUMMARY_KEPT)),
        ("data", data := seen.data(event.data) if event.data else event.data),
        ("tags", _tagged(event.kind, summary, data, seen.tags(event.tags))),
    ):
        if kept != was[name]:
            update[name] = kept
    return event.model_copy(update=update) if update else event, seen.found


def kept_name(name: str) -> str:
    """Return the id or session under which something is kept: itself or, when it holds a secret, a hash of it."""
    if _ORDINARY_NAME.fullmatch(name):
        return name
    clean = storable(name)
    if redact(clean) == clean:
        return clean
    # A hash and not a mark: two sessions must not become one, nor an event another's duplicate.
    return f"redacted-{blake2b(clean.encode(), digest_size=12).hexdigest()}"


class _Cleaner:
    """Takes secrets out, and remembers whether there was one."""

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found = False

    def text(self, text: str) -> str:
        if len(text) <= _CACHED_CHARS:
            clean = _redacted(text)
        else:
            clean = redact(storable(text[:SCANNED]))
            if len(text) > SCANNED and len(clean) <= 2 * TEXT_KEPT:  # the cut might be within what is kept
                clean = clean.rpartition(" ")[0]
        if clean != text and not self.found:
            self.found = len(text) <= SCANNED or "[redacted" in clean
        return clean

    def name(self, name: str | None) -> str | None:
        kept = None if name is None else kept_name(name)
        self.found = self.found or kept != name
        return kept

    def tags(self, tags: list[str]) -> list[str]:
        return [_cut(self.text(tag), TAG_KEPT) for tag in tags[:TAGS_KEPT]] if tags else tags

    def data(self, data: dict[str, Any]) -> dict[str, Any]:
        return _fitted(self._dict(data, 0))

    def _dict(self, data: dict[Any, Any], depth: int) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        for name, value in data.items() if len(data) <= _ITEMS else list(data.items())[:_ITEMS]:
            clean = name if name in _COMMON else _cut(self.text(str(name)), TAG_KEPT)
            kept[clean] = self._named(str(name), value, depth)
        return kept

    def _named(self, name: str, value: Any, depth: int) -> Any:
        """Redacted together with its name, which may say that the value is a secret."""
        if isinstance(value, int) and -_LARGEST < value < _LARGEST:
            return value
        if name in _COMMON:
            return _cut(self.text(value), TEXT_KEPT) if isinstance(value, str) else self._value(value, depth + 1)
        if _letters(name) in OUTPUTS and isinstance(value, (str, list, dict)):
            lines = _last_text(value)[-SCANNED:].rstrip().rsplit("\n", 1)
            return _cut(self.text(lines[-1].strip()), OUTPUT_KEPT)
        if isinstance(value, str):
            return _cut(self._assigned(name, value), TEXT_KEPT)
        return self._value(value, depth + 1)

    def _assigned(self, name: str, value: str) -> str:
        clean = self.text(value)
        kept = redact_field(name, clean)
        self.found = self.found or kept != clean
        return kept

    def _value(self, value: Any, depth: int) -> Any:
        if value is None or isinstance(value, (bool, int, float)):
            return _number(value)
        if depth >= _DEPTH:
            return "..."
        if isinstance(value, dict):
            return self._dict(value, depth)
        if isinstance(value, (list, tuple)):
            return [self._value(one, depth + 1) for one in value[:_ITEMS]]
        return _cut(self.text(str(value)), TEXT_KEPT)


def _number(value: float | None) -> Any:
    """JSON of every reader has these numbers; others become text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return value if abs(value) <= _LARGEST else f"{value:#x}"[:TEXT_KEPT]


def _last_text(value: Any, depth: int = 0) -> str:
    """Return the last text in a nested value; empty when there is none."""
    if isinstance(value, str):
        return value
    if depth >= _DEPTH:
        return ""
    inside = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return next((text for one in reversed(inside) if (text := _last_text(one, depth + 1))), "")


def _fitted(data: dict[str, Any]) -> dict[str, Any]:
    """Return as much of `data` as may be kept: what tells most first."""
    if _size(data) <= DATA_KEPT:
        return data
    names = [name for name in _FIRST if name in data] + [name for name in data if name not in _FIRST]
    room, kept = DATA_KEPT - 2, set()
    for name in names:
        size = _size({name: data[name]})
        if size <= room:
            kept.add(name)
            room -= size
    return {name: value for name, value in data.items() if name in kept}


def _size(data: dict[str, Any]) -> int:
    return len(to_json(data))


def _tagged(kind: TraceKind, summary: str, data: dict[str, Any], tags: list[str]) -> list[str]:
    tag = None
    if kind is TraceKind.user_intent:
        tag = _tag_of(summary, said=True)
    elif kind is TraceKind.command_run:
        command = data.get("command")
        tag = _tag_of(command if isinstance(command, str) else summary, said=False)
    return tags if tag is None or tag in tags else [*tags, tag]


@lru_cache(maxsize=_CACHED)
def _tag_of(text: str, *, said: bool) -> str | None:
    from wellworn.lifecycle.recognise import is_correction, test_runner  # noqa: PLC0415  only where events are kept

    if said:
        return CORRECTION_TAG if is_correction(text) else None
    return TEST_TAG if test_runner(text) else None


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3].rstrip() + "..."


@lru_cache(maxsize=256)
def _letters(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalpha())


@lru_cache(maxsize=_CACHED)
def _redacted(text: str) -> str:
    """Commands, folders and tags come again and again."""
    return redact(storable(text))
