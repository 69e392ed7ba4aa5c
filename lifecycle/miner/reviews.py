"""The review loop: reviewed, mended, tried, reviewed again, until nothing that matters is left."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from wellworn.lifecycle.miner.digest import RowKind
from wellworn.lifecycle.miner.following import Case, Rates, rates_of, usual_answer
from wellworn.lifecycle.miner.patterns import Occurrence, Pattern, is_repeated
from wellworn.lifecycle.miner.timeline import BREAK_MS, Timeline
from wellworn.models.proposal import Signal

_REVIEW_COMMAND = re.compile(r"\b(codex|coderabbit|claude|gemini|copilot)\b.*\breview\b|\bgh pr (?:review|checks)\b")
_MOST_BETWEEN = 20
MIN_CLEAN = 0.5


@dataclass(frozen=True, slots=True)
class _Loop:
    """Two reviews or more by one reviewer, with work between each two."""

    reviews: tuple[int, ...]
    cycles: tuple[Case, ...]
    clean: bool | None


def find_review_loops(timeline: Timeline) -> list[Pattern]:
    """Return, for each reviewer, the loop that is walked again and again and usually ends clean."""
    rates = rates_of(timeline)
    by_reviewer: dict[str, list[_Loop]] = defaultdict(list)
    for name, loop in _loops(timeline):
        by_reviewer[name].append(loop)
    found = [_pattern(timeline, name, by_reviewer[name], rates) for name in sorted(by_reviewer)]
    return [one for one in found if one is not None]


def _pattern(timeline: Timeline, name: str, loops: list[_Loop], rates: Rates) -> Pattern | None:
    keys = usual_answer(timeline, [case for loop in loops for case in loop.cycles], rates)
    keys = tuple(key for key in keys if not timeline.digest.names[key].startswith("edit "))
    occurrences = tuple(_occurrence(timeline, loop, keys) for loop in loops)
    known = [loop.clean for loop in loops if loop.clean is not None]
    ends_well = not known or sum(known) >= MIN_CLEAN * len(known)
    if not keys or not ends_well or not is_repeated(occurrences):
        return None
    names = tuple(timeline.digest.names[key] for key in keys)
    return Pattern(Signal.review_loop, names, occurrences, len(loops), cause=name)


def _occurrence(timeline: Timeline, loop: _Loop, keys: tuple[int, ...]) -> Occurrence:
    digest = timeline.digest
    work = [row for case in loop.cycles for row in case.work]
    at = {int(digest.label[row]): row for row in work}
    rows = tuple(sorted({*loop.reviews, *work}))
    return Occurrence(
        timeline.session_of(rows[0]),
        timeline.repo_of(rows[0]),
        int(digest.ts[rows[0]]),
        int(digest.ts[rows[-1]]),
        rows,
        tuple(at.get(key, -1) for key in keys),
        loop.clean,
    )


def _loops(timeline: Timeline) -> Iterator[tuple[str, _Loop]]:
    names = timeline.digest.names
    commands = {place: found for place, name in enumerate(names) if (found := _reviews(name)) is not None}
    rows = timeline.rows
    for start, end in timeline.spans():
        open_loops: dict[str, list[int]] = defaultdict(list)
        for row in range(start, end):
            kind, label = rows.kind[row], rows.label[row]
            if kind != RowKind.review and not (kind == RowKind.command and label in commands):
                continue
            name = names[label] if kind == RowKind.review else commands[label]
            before = open_loops[name]
            if before and not _follows(timeline, before[-1], row):
                yield from _closed(timeline, name, before)
                before = open_loops[name] = []
            before.append(row)
            if rows.success[row] == 1 and kind == RowKind.review:
                yield from _closed(timeline, name, before)
                open_loops[name] = []
        for name in sorted(open_loops):
            yield from _closed(timeline, name, open_loops[name])


def _reviews(name: str) -> str | None:
    found = _REVIEW_COMMAND.search(name)
    return None if found is None else found[1] or "gh"


def _follows(timeline: Timeline, review: int, row: int) -> bool:
    """Say whether there was work between two reviews, and not too much of it."""
    work = _work(timeline, review, row)
    pause = timeline.rows.ts[row] - timeline.rows.ts[review]
    return bool(work) and len(work) <= _MOST_BETWEEN and pause <= BREAK_MS


def _work(timeline: Timeline, first: int, end: int) -> tuple[int, ...]:
    kinds = timeline.rows.kind
    return tuple(row for row in range(first + 1, end) if kinds[row] in (RowKind.command, RowKind.edit))


def _closed(timeline: Timeline, name: str, reviews: list[int]) -> Iterator[tuple[str, _Loop]]:
    if len(reviews) < 2:
        return
    digest = timeline.digest
    session = int(digest.session[reviews[0]])
    cycles = tuple(
        Case(session, (first, *_work(timeline, first, second), second), _work(timeline, first, second), None)
        for first, second in pairwise(reviews)
    )
    last = int(digest.success[reviews[-1]])
    yield name, _Loop(tuple(reviews), cycles, None if last < 0 else last == 1)
