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

_SAME = 0.6


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
    """Of patterns that rest on the same steps of the same events keep one: that which says what sets the steps off,
    unless it explains only a part of what the plain sequence does."""
    kept: list[Pattern] = []
    for one in (*sorted(others, key=_weight), *sorted(sequences, key=_weight)):
        steps = _step_rows(one)
        rivals = [other for other in kept if len(steps & _step_rows(other)) >= _SAME * len(steps)]
        if not rivals:
            kept = [other for other in kept if not _is_part(other, one)]
            kept.append(one)
    return kept


def _weight(pattern: Pattern) -> tuple[int, str, tuple[str, ...]]:
    return -len(pattern.keys) * pattern.support, pattern.signal, pattern.keys


def _is_part(one: Pattern, of: Pattern) -> bool:
    """Say whether one explains no more than a part of what the other does: the same events, and far fewer of them."""
    steps, others = _step_rows(one), _step_rows(of)
    return len(steps & others) >= _SAME * len(steps) and len(steps) <= len(others) / 2


def _step_rows(pattern: Pattern) -> set[int]:
    return {row for one in pattern.occurrences for row in one.steps if row >= 0}
