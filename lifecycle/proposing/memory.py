"""Knowing a pattern again: what was decided about the same friction before."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from wellworn.lifecycle.miner.patterns import Pattern
from wellworn.lifecycle.miner.phrases import likeness
from wellworn.models.proposal import ProposalStatus, Signal

SAME, OVERLAPS = 0.6, 0.5
DOUBLED = 2
_SEQUENCES = frozenset({Signal.command_sequence, Signal.release_ritual, Signal.manual_checklist})


class Remembered(Protocol):
    """What the store knows of an earlier proposal."""

    @property
    def proposal_id(self) -> str: ...
    @property
    def pattern(self) -> str: ...
    @property
    def signal(self) -> Signal: ...
    @property
    def status(self) -> ProposalStatus: ...
    @property
    def weight(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Recollection:
    """What is to be done with a pattern. refreshes: the waiting proposal that it is; quiet: why nothing is proposed."""

    refreshes: str | None = None
    quiet: str | None = None


def fingerprint(pattern: Pattern) -> str:
    """Return the text by which the same friction is known again."""
    return fingerprint_of(pattern.keys, pattern.cause)


def fingerprint_of(keys: Iterable[str], cause: str | None = None) -> str:
    """Return that text for steps by their keys, wherever they were seen."""
    return json.dumps({"keys": sorted(set(keys)), "cause": cause or ""}, ensure_ascii=False)


def recall(
    pattern: Pattern, event_ids: Iterable[str], known: Iterable[Remembered], rests_on: Mapping[str, Collection[str]]
) -> Recollection:
    """Look for the same friction among earlier proposals; the latest decision on it counts.

    A rejected one stays quiet until its evidence has doubled; so does an accepted one whose skill is gone again.
    rests_on: by proposal the ids of its events: what rests on mostly the same ones is the same, whatever it is called.
    """
    answer = Recollection()
    ids = set(event_ids)
    for one in known:
        before = rests_on.get(one.proposal_id, ())
        same_events = bool(before) and len(ids.intersection(before)) >= OVERLAPS * len(before)
        if one.status is ProposalStatus.superseded or not (same_events or is_same(pattern, one)):
            continue
        if one.status is ProposalStatus.suggested:
            answer = Recollection(refreshes=one.proposal_id)
        elif pattern.support >= DOUBLED * one.weight:
            answer = Recollection()
        else:
            answer = Recollection(
                quiet=f"It was {one.status} before ({one.proposal_id}); it is told again when its evidence has doubled."
            )
    return answer


def is_same(pattern: Pattern, known: Remembered) -> bool:
    """Say whether a pattern is the friction of an earlier proposal: most of the steps, and the same cause."""
    same_kind = known.signal is pattern.signal or {known.signal, pattern.signal} <= _SEQUENCES
    facts = json.loads(known.pattern)
    causes = likeness((pattern.cause or "").split(), str(facts["cause"]).split())
    return same_kind and likeness(pattern.keys, facts["keys"]) >= SAME and (causes >= 0.5 or not pattern.cause)
