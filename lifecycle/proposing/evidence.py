"""What a proposal is drafted from: the pattern, its events, and what the user had said before each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from wellworn.lifecycle.miner.digest import RowKind, command_of
from wellworn.lifecycle.miner.patterns import Occurrence, Pattern
from wellworn.lifecycle.miner.timeline import BREAK_MS, Timeline
from wellworn.lifecycle.shell.steps import CommandStep, steps_of
from wellworn.models.trace import TraceEvent

_LOOK_BACK = 60
_READ_OCCURRENCES = 40
"""So many occurrences are read in full; of those beyond, only the ids are told."""
_SAID_BEFORE = 2


class StoredEvent(Protocol):
    """An event with its number."""

    @property
    def seq(self) -> int: ...
    @property
    def event(self) -> TraceEvent: ...


Fetch = Callable[[Sequence[int]], Iterable[StoredEvent]]
"""From events' numbers to those that are still stored, in any order."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A pattern with its events read back.

    events: by their number. said: for each read occurrence what the user had said before it, the nearest first;
    at_once: whether the steps began right after the nearest.
    commands: for each of the pattern's steps, by the read occurrence's number, the command as it was run, and its line.
    event_ids: of all occurrences, in order of time.
    """

    pattern: Pattern
    occurrences: tuple[Occurrence, ...]
    events: Mapping[int, TraceEvent]
    said: tuple[tuple[str, ...], ...]
    at_once: tuple[bool, ...]
    commands: tuple[Mapping[int, tuple[CommandStep, str]], ...]
    event_ids: tuple[str, ...]


def read_evidence(timeline: Timeline, pattern: Pattern, fetch: Fetch) -> Evidence:
    """Read back what a pattern rests on. Occurrences of which an event is gone are not read."""
    seqs = timeline.digest.seq
    read = _spread(pattern.occurrences)
    intents = [_intents_before(timeline, one) for one in read]
    ids = _fetched(fetch, {int(seqs[row]) for one in pattern.occurrences for row in one.rows})
    events = dict(ids) | _fetched(fetch, {int(seqs[row]) for rows in intents for row in rows})
    kept = [
        (one, rows) for one, rows in zip(read, intents, strict=True) if all(int(seqs[row]) in ids for row in one.rows)
    ]
    occurrences = tuple(one for one, _ in kept)
    ordered = sorted(ids.values(), key=lambda event: (str(event.ts), str(event.id)))
    return Evidence(
        pattern,
        occurrences,
        events,
        tuple(tuple(_texts(timeline, events, rows)) for _, rows in kept),
        tuple(_began_at_once(timeline, one, rows) for one, rows in kept),
        tuple(_commands(timeline, events, occurrences, at, key) for at, key in enumerate(pattern.keys)),
        tuple(event.id for event in ordered if event.id is not None),
    )


def _spread(occurrences: Sequence[Occurrence]) -> list[Occurrence]:
    """The latest ones in full; they tell best how it is done now."""
    return sorted(occurrences, key=lambda one: (one.started, one.rows))[-_READ_OCCURRENCES:]


def _fetched(fetch: Fetch, seqs: set[int]) -> dict[int, TraceEvent]:
    return {stored.seq: stored.event for stored in fetch(sorted(seqs))}


def _intents_before(timeline: Timeline, occurrence: Occurrence) -> list[int]:
    """Return the rows of what the user had said last before it began, the nearest first."""
    digest = timeline.digest
    start = occurrence.rows[0]
    found: list[int] = []
    for row in range(start - 1, max(start - _LOOK_BACK, 0) - 1, -1):
        if digest.session[row] != digest.session[start] or digest.ts[start] - digest.ts[row] > BREAK_MS:
            break
        if digest.kind[row] in (RowKind.intent, RowKind.hint):
            found.append(row)
            if len(found) == _SAID_BEFORE:
                break
    return found


def _began_at_once(timeline: Timeline, occurrence: Occurrence, intents: Sequence[int]) -> bool:
    """Say whether at most one command stands between what the user had said and the first step."""
    between = range(intents[0] + 1, occurrence.rows[0]) if intents else range(_LOOK_BACK)
    return sum(timeline.digest.kind[row] == RowKind.command for row in between if intents) <= 1 and bool(intents)


def _texts(timeline: Timeline, events: Mapping[int, TraceEvent], rows: Iterable[int]) -> Iterable[str]:
    for row in rows:
        event = events.get(int(timeline.digest.seq[row]))
        if event is not None:
            yield event.summary


def _commands(
    timeline: Timeline, events: Mapping[int, TraceEvent], occurrences: Sequence[Occurrence], at: int, key: str
) -> dict[int, tuple[CommandStep, str]]:
    found: dict[int, tuple[CommandStep, str]] = {}
    for number, one in enumerate(occurrences):
        row = one.steps[at] if at < len(one.steps) else -1
        event = None if row < 0 else events.get(int(timeline.digest.seq[row]))
        line = None if event is None else command_of(event.kind, event.summary, event.data)
        if line is None:
            continue
        step = next((step for step in reversed(steps_of(line)) if step.key == key), None)
        if step is not None:
            found[number] = (step, line)
    return found
