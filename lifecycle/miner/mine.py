"""All detectors over one timeline; what two of them found in the same events is told once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wellworn.lifecycle.miner.advice import find_advice
from wellworn.lifecycle.miner.patterns import Pattern
from wellworn.lifecycle.miner.recoveries import find_recoveries
from wellworn.lifecycle.miner.reviews import find_review_loops
from wellworn.lifecycle.miner.sayings import find_sayings
from wellworn.lifecycle.miner.sequences import find_sequences
from wellworn.lifecycle.miner.timeline import Timeline
from wellworn.lifecycle.miner.walk import walk_of
from wellworn.models.proposal import Signal

SAME, PART = 0.6, 0.75


@dataclass(frozen=True, slots=True)
class Mined:
    """patterns: with something to do. facts: knowledge without steps."""

    patterns: tuple[Pattern, ...]
    facts: tuple[Pattern, ...]


def mine(timeline: Timeline) -> Mined:
    """Return every repeated pattern of a timeline; the same timeline gives the same answer."""
    sequences = find_sequences(timeline, walk_of(timeline))
    others = [*find_review_loops(timeline), *find_recoveries(timeline), *find_advice(timeline)]
    sayings, facts = find_sayings(timeline)
    return Mined((*_told_once(sequences, others), *sayings), tuple(facts))


def _told_once(sequences: Iterable[Pattern], others: Iterable[Pattern]) -> list[Pattern]:
    """Of patterns that rest on the same events keep one: that which says what sets the steps off, unless the plain
    sequence explains far more."""
    kept: list[Pattern] = []
    for one in (*sorted(others, key=_weight), *sorted(sequences, key=_weight)):
        steps = _steps(one)
        if not any(len(steps & _all(other)) >= SAME * len(steps) for other in kept):
            kept = [other for other in kept if not _is_part(other, one)]
            kept.append(one)
    return kept


def _weight(pattern: Pattern) -> tuple[int, str, tuple[str, ...]]:
    return -len(pattern.keys) * pattern.support, pattern.signal, pattern.keys


def _is_part(one: Pattern, of: Pattern) -> bool:
    """Say whether one explains only a part of what the other does. A loop holds more than the steps that repeat."""
    steps, others = _steps(one), _steps(of)
    is_inside = len(steps & others) >= SAME * len(steps)
    return one.signal is not Signal.review_loop and is_inside and len(steps) <= PART * len(others)


def _steps(pattern: Pattern) -> set[int]:
    return {row for one in pattern.occurrences for row in one.steps if row >= 0}


def _all(pattern: Pattern) -> set[int]:
    return {row for one in pattern.occurrences for row in one.rows}
