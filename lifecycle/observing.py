"""From an event as it was sent to one that may be kept: secrets taken out, then cut, then tagged."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from wellworn.models.trace import CORRECTION_TAG, TEST_TAG, TraceEvent, TraceKind
from wellworn.store.redact import redact, redact_field
from wellworn.store.text_hash import storable

SUMMARY_KEPT = 500
TEXT_KEPT = 500
TAG_KEPT = 100
TAGS_KEPT = 50
OUTPUT_KEPT = 200
DATA_KEPT = 4096
"""The longest `data` that is kept, as characters of JSON."""
SCANNED = 4000
"""Longer texts are cut to this before they are read; what a cut may have left of a secret goes with the last word."""
OUTPUTS = frozenset({"output", "stdout", "stderr", "content", "result", "toolresponse", "toolresult", "outputtail"})
"""Names under which full output is sent, in any spelling: its last line is kept."""
_FIRST = ("command", "exitCode", "exit_code", "cwd", "tool", "file", "path", "error")
_DEPTH, _ITEMS = 6, 50
_LARGEST = 2**53
_CACHED, _CACHED_CHARS = 16_384, 600


def prepare(event: TraceEvent) -> TraceEvent:
    """Return what may be kept of an event; the same event again when nothing has to be changed."""
    return observe(event)[0]


def observe(event: TraceEvent) -> tuple[TraceEvent, bool]:
    """Return what may be kept of an event, and whether a secret (or a name or address) was taken out of it."""
    seen = _Cleaner()
    summary = _cut(seen.text(event.summary), SUMMARY_KEPT)
    data = seen.data(event.data) if event.data else event.data
    tags = [_cut(seen.text(tag), TAG_KEPT) for tag in event.tags[:TAGS_KEPT]]
    changed = {
        "id": seen.name(event.id),
        "session_id": seen.name(event.session_id),
        "repo": None if event.repo is None else seen.text(event.repo),
        "user": event.user,
        "summary": summary,
        "tags": _tagged(event.kind, summary, data, tags),
        "data": data,
    }
    update = {name: value for name, value in changed.items() if value != getattr(event, name)}
    return event.model_copy(update=update) if update else event, seen.found


def kept_name(name: str) -> str:
    """Return the id or session under which something is kept: itself or, when it holds a secret, a hash of it."""
    clean = storable(name)
    if _redacted(clean) == clean:
        return clean
    # A hash and not a mark: two sessions must not become one, nor an event another's duplicate.
    return f"redacted-{blake2b(clean.encode(), digest_size=12).hexdigest()}"


class _Cleaner:
    """Takes secrets out, and remembers whether there was one."""

    def __init__(self) -> None:
        self.found = False

    def text(self, text: str) -> str:
        clean = storable(text) if len(text) <= SCANNED else storable(text[:SCANNED])
        redacted = _redacted(clean)
        self.found = self.found or redacted != clean
        return redacted if len(text) <= SCANNED else redacted.rpartition(" ")[0]

    def name(self, name: str | None) -> str | None:
        kept = None if name is None else kept_name(name)
        self.found = self.found or (kept is not None and kept != storable(name or ""))
        return kept

    def data(self, data: dict[str, Any]) -> dict[str, Any]:
        return _fitted(dict(self._items(data, 0)))

    def _items(self, data: dict[Any, Any], depth: int) -> Iterable[tuple[str, Any]]:
        for key, value in list(data.items())[:_ITEMS]:
            name = str(key)
            yield _cut(self.text(name), TAG_KEPT), self._named(name, value, depth)

    def _named(self, name: str, value: Any, depth: int) -> Any:
        """Redacted together with its name, which may say that the value is a secret."""
        if _letters(name) in OUTPUTS and isinstance(value, (str, list, dict)):
            lines = _last_text(value)[-SCANNED:].rstrip().rsplit("\n", 1)
            return _cut(self.text(lines[-1].strip()), OUTPUT_KEPT)
        if isinstance(value, str):
            return _cut(self._assigned(name, value), TEXT_KEPT)
        return self._value(value, depth + 1)

    def _assigned(self, name: str, value: str) -> str:
        clean = self.text(value)
        kept = _redacted_field(name, clean)
        self.found = self.found or kept != clean
        return kept

    def _value(self, value: Any, depth: int) -> Any:
        if value is None or isinstance(value, (bool, int, float)):
            return _number(value)
        if depth >= _DEPTH:
            return "..."
        if isinstance(value, dict):
            return dict(self._items(value, depth))
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
    return len(json.dumps(data, ensure_ascii=False))


def _tagged(kind: TraceKind, summary: str, data: dict[str, Any], tags: list[str]) -> list[str]:
    from wellworn.lifecycle.recognise import is_correction, test_runner  # noqa: PLC0415  only where events are kept

    tag = None
    if kind is TraceKind.user_intent and is_correction(summary):
        tag = CORRECTION_TAG
    elif kind is TraceKind.command_run:
        command = data.get("command")
        tag = TEST_TAG if test_runner(command if isinstance(command, str) else summary) else None
    return tags if tag is None or tag in tags else [*tags, tag]


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3].rstrip() + "..."


@lru_cache(maxsize=256)
def _letters(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalpha())


@lru_cache(maxsize=_CACHED)
def _redacted_short(text: str) -> str:
    return redact(text)


@lru_cache(maxsize=_CACHED)
def _redacted_field(name: str, value: str) -> str:
    return redact_field(name, value)


def _redacted(text: str) -> str:
    """Commands, folders and sessions come again and again."""
    return _redacted_short(text) if len(text) <= _CACHED_CHARS else redact(text)
