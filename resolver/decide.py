"""From calibrated confidences to what the caller should do: one table, pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from wellworn.models.resolution import Decision, Invocation
from wellworn.models.skill import SkillCard, Trust

CONFIRM_AT = 0.60
PROCEED_AT = 0.85
_WORTH_NAMING = 0.10
_MOST_TO_CHOOSE_FROM = 4


class Ranked(NamedTuple):
    """A candidate with its calibrated confidence in 0..1."""

    card: SkillCard
    confidence: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """`chosen` is set for review, confirm and proceed; `among` holds the candidates of a `choose`."""

    decision: Decision
    chosen: Ranked | None = None
    among: tuple[Ranked, ...] = ()
    notes: tuple[str, ...] = ()


def decide(ranked: Sequence[Ranked], invocation: Invocation, *, when_unknown: frozenset[int] = frozenset()) -> Verdict:
    """Apply the decision table to candidates sorted by falling confidence.

    when_unknown: keys of skills whose `when` could not be judged from the context; they never get past `confirm`.

    Confidences are shares of one distribution, so two candidates can only be close below 0.60; that is `choose` when
    together they reach it.
    """
    if not ranked:
        return Verdict(Decision.none)
    best = ranked[0]
    if best.confidence < CONFIRM_AT:
        return _between(ranked)
    if best.card.stats.flagged:
        return Verdict(Decision.review, chosen=best)
    if best.confidence < PROCEED_AT:
        return Verdict(Decision.confirm, chosen=best)
    return _sure(best, invocation, when_known=best.card.key not in when_unknown)


def _between(ranked: Sequence[Ranked]) -> Verdict:
    among = tuple(r for r in ranked[:_MOST_TO_CHOOSE_FROM] if r.confidence >= _WORTH_NAMING)
    if len(among) > 1 and sum(r.confidence for r in among) >= CONFIRM_AT:
        return Verdict(Decision.choose, among=among)
    return Verdict(Decision.none)


def _sure(best: Ranked, invocation: Invocation, *, when_known: bool) -> Verdict:
    card = best.card
    if not card.vouched:
        note = f"{card.id} comes from a repository that nobody has vouched for, so it needs a confirmation."
        return Verdict(Decision.confirm, chosen=best, notes=(note,))
    if not when_known:
        note = f"{card.id} asks for facts that the context does not state, so it needs a confirmation."
        return Verdict(Decision.confirm, chosen=best, notes=(note,))
    if invocation is Invocation.explicit or card.trust is Trust.automatic:
        return Verdict(Decision.proceed, chosen=best)
    return Verdict(Decision.confirm, chosen=best)
