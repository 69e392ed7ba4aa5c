r"""Fish's history: `- cmd: ...`, then `  when: 1700000000` and perhaps paths; `\n` and `\\` stand for what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wellworn.lifecycle.importers.shell_history import Typed, texts, to_events
from wellworn.lifecycle.importers.source import SkippedLine, Source
from wellworn.models.trace import TraceEvent

FORMAT = "fish"
_COMMAND = b"- cmd: "
_WHEN = re.compile(rb"\s+when: (\d{9,11})\s*")
_ESCAPE = re.compile(r"\\(n|\\)")


def read(source: Source) -> Iterator[TraceEvent | SkippedLine]:
    """Yield a command for each entry of the history; entries without a time are noted once."""
    return to_events(source, FORMAT, _typed(source))


def _typed(source: Source) -> Iterator[Typed | SkippedLine]:
    begun, command, when = 0, "", None
    for item in texts(source):
        if isinstance(item, SkippedLine):
            yield item
            continue
        number, raw = item
        if raw.startswith(_COMMAND):
            if begun:
                yield Typed(begun, when, command)
            begun, command, when = number, unescaped(raw[len(_COMMAND) :].decode("utf-8", "replace")), None
        elif begun and when is None and (found := _WHEN.fullmatch(raw)):
            when = found[1].decode()
    if begun and when is not None:
        yield Typed(begun, when, command)


def unescaped(text: str) -> str:
    r"""Return the command that fish wrote with `\n` for a line's end and `\\` for a backslash."""
    return _ESCAPE.sub(lambda found: "\n" if found[1] == "n" else "\\", text).strip()
