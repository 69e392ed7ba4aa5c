"""Bash history with HISTTIMEFORMAT: `#1700000000`, then the command, of as many lines as come before the next time."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wellworn.lifecycle.importers.shell_history import Typed, texts, to_events
from wellworn.lifecycle.importers.source import SkippedLine, Source
from wellworn.models.trace import TraceEvent

FORMAT = "bash"
_TIME = re.compile(rb"#(\d{9,11})\s*")
_LINES_MAX = 2000


def read(source: Source) -> Iterator[TraceEvent | SkippedLine]:
    """Yield a command for each time in the history; what stands before the first time has none and is noted once."""
    return to_events(source, FORMAT, _typed(source))


def _typed(source: Source) -> Iterator[Typed | SkippedLine]:
    when: str | None = None
    begun = 0
    held: list[bytes] = []
    for item in texts(source):
        if isinstance(item, SkippedLine):
            yield item
            continue
        number, raw = item
        if found := _TIME.fullmatch(raw):
            if held:
                yield _made(begun, when, held)
            when, held = found[1].decode(), []
        elif when is None and raw.strip():
            yield Typed(number, None, "")
        elif len(held) < _LINES_MAX and (held or raw.strip()):
            begun = begun if held else number
            held.append(raw)
    if held:
        yield _made(begun, when, held)


def _made(line: int, when: str | None, held: list[bytes]) -> Typed:
    return Typed(line, when, b"\n".join(held).decode("utf-8", "replace").strip())
