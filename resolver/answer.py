"""The wire answer: from a judged ranking to an IntentResolution with its reason, gates, notes and explanation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from wellworn.models.resolution import (
    Alternative,
    CandidateExplanation,
    Contribution,
    Decision,
    Explanation,
    FlaggedReport,
    IntentResolution,
)
from wellworn.models.skill import SkillCard
from wellworn.resolver.calibration import logsumexp
from wellworn.resolver.decide import Ranked
from wellworn.resolver.gates import approval_gates, safe_steps
from wellworn.resolver.reasons import evidence_sentence, resolution_sentence

if TYPE_CHECKING:
    from wellworn.resolver.pipeline import Judged, Question

_STEPS_GIVEN = frozenset({Decision.proceed, Decision.confirm})
_EXPLAINED = 10
_ENGLISH_ONLY = frozenset({"bundled"})


def compose_resolution(question: Question, judged: Judged, *, resolution_id: str) -> IntentResolution:
    """Put the answer into words and wire types."""
    verdict = judged.verdict
    chosen = verdict.chosen
    card = chosen.card if chosen else None
    best = judged.ranked[0].confidence if judged.ranked else 0.0
    evidence = judged.ranking.evidence(judged.places[0]) if chosen else None
    gates = approval_gates(card) if card else _gates_of_all(verdict.among)
    return IntentResolution(
        resolution_id=resolution_id,
        matched=chosen is not None,
        skill_id=card.id if card else None,
        confidence=chosen.confidence if chosen else best,
        any_confidence=any_confidence(judged.ranked),
        scope=card.scope if card else None,
        decision=verdict.decision,
        reason=resolution_sentence(verdict, judged.ranked, evidence, question.reading.mood),
        approval_gates=gates,
        safe_steps=safe_steps(card) if card and verdict.decision in _STEPS_GIVEN else [],
        alternatives=_alternatives(question, judged),
        flagged=_flagged(card) if card and verdict.decision is Decision.review else None,
        notes=[*dict.fromkeys((*_notes(question), *judged.notes))],
        contributions=_explanation(question, judged) if question.request.explain else None,
        generation=question.snapshot.generation,
    )


def any_confidence(ranked: Sequence[Ranked]) -> float:
    """Return the probability that one of the candidates is meant, whichever: their confidences exclude one another."""
    return min(math.fsum(one.confidence for one in ranked), 1.0)


def _gates_of_all(among: tuple[Ranked, ...]) -> list[str]:
    return [*dict.fromkeys(gate for ranked in among for gate in approval_gates(ranked.card))]


def _alternatives(question: Question, judged: Judged) -> list[Alternative]:
    """The candidates of a choice first, then the runners-up; at most topK skills in all."""
    chosen, among = judged.verdict.chosen, judged.verdict.among
    room = question.request.top_k - (1 if chosen else 0)
    first = judged.ranked[: room + len(among) + 1]  # enough, were all of `among` and the chosen one in it
    order = {ranked.card.key: ranked for ranked in (*among, *first)}
    others = [ranked for key, ranked in order.items() if chosen is None or key != chosen.card.key]
    return [
        Alternative(
            skill_id=ranked.card.id,
            scope=ranked.card.scope,
            confidence=ranked.confidence,
            reason=_reason(judged, ranked.card.key),
        )
        for ranked in others[:room]
    ]


def _reason(judged: Judged, key: int) -> str:
    for ranked, place in zip(judged.ranked, judged.places, strict=True):
        if ranked.card.key == key:
            return evidence_sentence(judged.ranking.evidence(place))
    return "one part of the message asks for it"


def _flagged(card: SkillCard) -> FlaggedReport:
    stats = card.stats
    return FlaggedReport(
        reliability=stats.reliability, success_count=stats.success_count, failure_count=stats.failure_count
    )


def _notes(question: Question) -> list[str]:
    notes = [*question.reading.notes]
    if question.message.pasted and not question.message.only_pasted:
        notes.append(f"Left out of what was matched: pasted {', '.join(question.message.pasted)}.")
    hint = question.message.language_hint
    if hint is not None and question.snapshot.encoder.name in _ENGLISH_ONLY:
        notes.append(
            f"The message does not look like English ({hint}), and the bundled encoder knows only that; "
            "exact aliases are still found in any language."
        )
    return notes


def _explanation(question: Question, judged: Judged) -> Explanation:
    ranking, fitted = judged.ranking, judged.fitted
    shown = max(question.request.top_k, min(_EXPLAINED, len(judged.ranked)))
    scores = ranking.scores * fitted.scale
    candidates = [
        CandidateExplanation(
            skill_id=ranked.card.id,
            scope=ranked.card.scope,
            confidence=ranked.confidence,
            score=float(scores[place]),
            contributions=_scaled(ranking.contributions(place), fitted.scale),
        )
        for ranked, place in zip(judged.ranked[:shown], judged.places[:shown], strict=True)
    ]
    others = list(judged.places[shown:])
    outside = _scaled(ranking.outside_contributions, fitted.scale)
    if fitted.outside_shift:
        shift = fitted.outside_shift
        outside.append(Contribution(feature="calibration", value=1.0, weight=shift, contribution=shift))
    return Explanation(
        candidates=candidates,
        others=len(others),
        others_score=logsumexp(scores[others]) if others else None,
        outside_score=ranking.outside_score * fitted.scale + fitted.outside_shift,
        outside_contributions=outside,
        mood=question.reading.mood,
        request_text=question.text,
        facts=list(question.facts.statements),
        parameters=fitted.name,
        encoder=question.snapshot.encoder.name,
    )


def _scaled(contributions: list[Contribution], scale: float) -> list[Contribution]:
    if scale == 1.0:
        return contributions
    return [
        one.model_copy(update={"weight": one.weight * scale, "contribution": one.contribution * scale})
        for one in contributions
    ]
