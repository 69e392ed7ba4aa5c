"""Zsh's extended history: `: 1700000000:0;command`, lines joined by a backslash, some bytes written as two."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wellworn.lifecycle.importers.shell_history import Typed, texts, to_events
from wellworn.lifecycle.importers.source import SkippedLine, Source
from wellworn.models.trace import TraceEvent

FORMAT = "zsh"
_ENTRY = re.compile(rb": (\d{9,11}):\d+;(.*)", re.S)
_META = re.compile(rb"\x83(.)", re.S)
_LINES_MAX = 2000


def read(source: Source) -> Iterator[TraceEvent | SkippedLine]:
    """Yield a command for each entry of the history; entries without a time are noted once."""
    return to_events(source, FORMAT, _typed(source))


def _typed(source: Source) -> Iterator[Typed | SkippedLine]:
    begun = 0
    held: list[bytes] = []
    for item in texts(source):
        if isinstance(item, SkippedLine):
            yield item
            continue
        number, raw = item
        begun = begun if held else number
        goes_on = _goes_on(raw) and len(held) < _LINES_MAX
        held.append(raw[:-1] if goes_on else raw)
        if not goes_on:
            yield from _made(begun, held)
            held = []
    if held:
        yield from _made(begun, held)


def _goes_on(raw: bytes) -> bool:
    """Say whether the entry goes on: an odd number of backslashes ends the line."""
    return (len(raw) - len(raw.rstrip(b"\\"))) % 2 == 1


def _made(line: int, held: list[bytes]) -> Iterator[Typed]:
    whole = b"\n".join(held)
    found = _ENTRY.fullmatch(whole)
    if found:
        yield Typed(line, found[1].decode(), unmetafied(found[2]).decode("utf-8", "replace").strip())
    elif whole.strip():
        yield Typed(line, None, "")


def unmetafied(raw: bytes) -> bytes:
    """Return the bytes that zsh meant: those from 0x83 to 0xa2 (and 0) are written as 0x83 and the byte xor 0x20."""
    return _META.sub(lambda found: bytes([found[1][0] ^ 0x20]), raw)
