"""What the histories of all shells share: commands with times become sessions and events.

The history is cut at its head when it is long, so neither ids nor sessions count lines. How a command ended is not
written down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from wellworn.lifecycle.importers import events
from wellworn.lifecycle.importers.events import Place, Stamp, read_time
from wellworn.lifecycle.importers.source import LINE_MAX, SkippedLine, Source
from wellworn.models.trace import TraceEvent

GAP = timedelta(minutes=30)
"""A pause longer than this, or a step back in time as long, begins another session."""
NO_TIMES = "no time before it; turn timestamps of the history on to keep what comes"


@dataclass(frozen=True, slots=True)
class Typed:
    """One command of a history. line: where it begins; when: seconds since 1970 as written there."""

    line: int
    when: str | None
    command: str


@dataclass(slots=True)
class _Sessions:
    """Gives each time its session, named by the time at which it began."""

    shell: str
    begun: datetime | None = None
    last: datetime | None = None

    def at(self, ts: datetime) -> str:
        if self.begun is None or self.last is None or abs(ts - self.last) > GAP:
            self.begun = ts
        self.last = ts
        return f"{self.shell}-{self.begun:%Y%m%dT%H%M%SZ}"


def to_events(source: Source, shell: str, typed: Iterable[Typed | SkippedLine]) -> Iterator[TraceEvent | SkippedLine]:
    """Yield an event for each command that has a time; of those without, only the first is noted."""
    sessions = _Sessions(shell)
    noted = False
    seen: tuple[str | None, dict[str, int]] = (None, {})
    for item in typed:
        if isinstance(item, SkippedLine):
            yield item
            continue
        if item.when is None:
            if not noted:
                yield source.skipped(NO_TIMES, item.line)
            noted = True
            continue
        ts, why = read_time(float(item.when[:20]), source.now)
        if ts is None:
            yield source.skipped(why, item.line)
            continue
        if seen[0] != item.when:
            seen = (item.when, {})
        again = seen[1][item.command] = seen[1].get(item.command, -1) + 1
        place = Place(shell, source.session or sessions.at(ts), source.repo)
        if item.command.strip():
            yield events.command_run(Stamp(place, (item.when, item.command, again), ts), item.command)


def texts(source: Source) -> Iterator[tuple[int, bytes] | SkippedLine]:
    """Yield the number and bytes of each line."""
    for line in source.lines():
        if line.raw is None:
            yield source.skipped(f"longer than {LINE_MAX // 1_000_000} MB", line.number)
        else:
            yield line.number, line.raw.replace(b"\0", b"")
