"""All detectors over one timeline; what two of them found in the same events is told once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wellworn.lifecycle.miner.advice import find_advice
from wellworn.lifecycle.miner.patterns import Pattern
from wellworn.lifecycle.miner.recoveries import find_recoveries
from wellworn.lifecycle.miner.reviews import find_review_loops
from wellworn.lifecycle.miner.sayings import find_facts, find_sayings
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
    return Mined((*_told_once(sequences, others), *find_sayings(timeline)), tuple(find_facts(timeline)))


def _told_once(sequences: Iterable[Pattern], others: Iterable[Pattern]) -> list[Pattern]:
    """Of patterns that rest on the same steps of the same events keep the one that explains more of them."""
    kept: list[Pattern] = []
    ranked = sorted([*others, *sequences], key=lambda one: (-len(one.keys) * one.support, one.signal, one.keys))
    for one in ranked:
        steps = _step_rows(one)
        if not any(len(steps & _step_rows(other)) >= _SAME * len(steps) for other in kept):
            kept.append(one)
    return kept


def _step_rows(pattern: Pattern) -> set[int]:
    return {row for one in pattern.occurrences for row in one.steps if row >= 0}
