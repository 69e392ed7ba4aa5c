"""Outcomes -> figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from wellworn.models.resolution import Decision
from wellworn.resolver.evaluation import metrics
from wellworn.resolver.evaluation.answer import (
    CalibrationBin,
    CalibrationFigures,
    Confident,
    Confusion,
    Control,
    DecisionFigures,
    EvaluationAnswer,
    Indexing,
    InScope,
    Intervals,
    Latency,
    NearMisses,
    OutOfScope,
)
from wellworn.resolver.evaluation.outcome import ANSWERED_AT, CONFIDENT_AT, Outcome

CONFUSIONS_KEPT = 50
_ALWAYS_SHOWN = (Decision.proceed, Decision.confirm, Decision.choose, Decision.none)
_EXAMPLE_CHARS = 200


def summarise(
    outcomes: Sequence[Outcome], *, indexing: Indexing, control: Control, seed: int = 0, resamples: int = 500
) -> EvaluationAnswer:
    """Return all figures. seed, resamples: of the bootstrap intervals (0 resamples leaves them out)."""
    return EvaluationAnswer(
        in_scope=in_scope_figures(outcomes),
        out_of_scope=out_of_scope_figures(outcomes),
        near_misses=near_miss_figures(outcomes),
        calibration=calibration_figures(outcomes),
        decisions=decision_figures(outcomes),
        confident=confident_figures(outcomes),
        confusions=confusions(outcomes),
        latency_ms=latency_figures(outcomes),
        indexing=indexing,
        control=control,
        intervals=intervals(outcomes, seed=seed, resamples=resamples) if resamples else Intervals(),
    )


def in_scope_figures(outcomes: Sequence[Outcome]) -> InScope:
    """Return how far up the skill stands that was meant."""
    ranks = [outcome.rank for outcome in outcomes if outcome.message.in_scope]
    return InScope(
        n=len(ranks),
        top1=metrics.top_k(ranks, 1),
        top3=metrics.top_k(ranks, 3),
        top5=metrics.top_k(ranks, 5),
        mrr=metrics.mean_reciprocal_rank(ranks),
        ndcg10=metrics.ndcg(ranks, 10),
    )


def out_of_scope_figures(outcomes: Sequence[Outcome]) -> OutOfScope:
    """Return how well confidence tells messages that mean a skill from those that mean none."""
    meant = [outcome.confidence for outcome in outcomes if outcome.message.in_scope]
    unmeant = np.array([outcome.confidence for outcome in outcomes if outcome.message.out_of_scope])
    return OutOfScope(
        n=len(unmeant),
        auroc=metrics.auroc(meant, unmeant),
        auroc_any=_auroc_any(outcomes),
        rejected_at_60=float((unmeant < ANSWERED_AT).mean()) if len(unmeant) else None,
        fpr_at_95=metrics.false_positive_rate_at(meant, unmeant),
    )


def _auroc_any(outcomes: Sequence[Outcome]) -> float | None:
    said = [(outcome.message, outcome.answer.any_confidence) for outcome in outcomes]
    meant = [value for message, value in said if message.in_scope and value is not None]
    unmeant = [value for message, value in said if message.out_of_scope and value is not None]
    return metrics.auroc(meant, unmeant)


def near_miss_figures(outcomes: Sequence[Outcome]) -> NearMisses:
    """Return the share of near misses on which the skill that must not fire did not."""
    near = [outcome.avoided for outcome in outcomes if outcome.message.not_skill is not None]
    return NearMisses(n=len(near), avoided=float(np.mean(near)) if near else None)


def calibration_figures(outcomes: Sequence[Outcome]) -> CalibrationFigures:
    """Return how well the top skill's confidence tells how often it is the one meant."""
    judged = [outcome for outcome in outcomes if outcome.judged]
    confidences, correct = [o.confidence for o in judged], [o.correct for o in judged]
    return CalibrationFigures(
        ece=metrics.expected_calibration_error(confidences, correct),
        brier=metrics.brier(confidences, correct),
        bins=[
            CalibrationBin(low=b.low, high=b.high, n=b.n, confidence=b.confidence, correct=b.correct)
            for b in metrics.reliability_bins(confidences, correct)
        ],
    )


def decision_figures(outcomes: Sequence[Outcome]) -> dict[Decision, DecisionFigures]:
    """Return count and precision of each decision; `review` only when it occurs."""
    served: dict[Decision, list[bool]] = {decision: [] for decision in _ALWAYS_SHOWN}
    for outcome in outcomes:
        if outcome.judged:
            served.setdefault(outcome.answer.decision, []).append(outcome.decision_right)
    return {
        decision: DecisionFigures(n=len(right), precision=float(np.mean(right)) if right else None)
        for decision, right in served.items()
    }


def confident_figures(outcomes: Sequence[Outcome]) -> Confident:
    """Return precision and coverage of the answers at 0.85 or more."""
    sure = [outcome for outcome in outcomes if outcome.judged and outcome.confidence >= CONFIDENT_AT]
    in_scope = sum(outcome.message.in_scope for outcome in outcomes)
    covered = sum(outcome.message.in_scope for outcome in sure)
    return Confident(
        n=len(sure),
        precision=float(np.mean([outcome.correct for outcome in sure])) if sure else None,
        coverage=covered / in_scope if in_scope else None,
    )


def confusions(outcomes: Sequence[Outcome], limit: int = CONFUSIONS_KEPT) -> list[Confusion]:
    """Return the pairs that were confused most often, with the first message of each."""
    counts: Counter[tuple[str | None, str | None]] = Counter()
    examples: dict[tuple[str | None, str | None], str] = {}
    for outcome in outcomes:
        pair = _confused(outcome)
        if pair is not None:
            counts[pair] += 1
            examples.setdefault(pair, outcome.message.text[:_EXAMPLE_CHARS])
    return [
        Confusion(expected=expected, answered=answered, n=n, example=examples[expected, answered])
        for (expected, answered), n in counts.most_common(limit)
    ]


def _confused(outcome: Outcome) -> tuple[str | None, str | None] | None:
    if outcome.message.in_scope:
        return None if outcome.correct else (outcome.message.expected[0], outcome.answered)
    if outcome.message.out_of_scope and outcome.confidence >= ANSWERED_AT:
        return None, outcome.answered
    return None


def latency_figures(outcomes: Sequence[Outcome]) -> Latency:
    """Return percentiles of the time that a resolution took."""
    times = [outcome.answer.latency_ms for outcome in outcomes]
    p50, p95, p99 = (metrics.percentile(times, percent) for percent in (50, 95, 99))
    return Latency(p50=p50, p95=p95, p99=p99)


def intervals(outcomes: Sequence[Outcome], *, seed: int, resamples: int) -> Intervals:
    """Return 95 % intervals: messages in scope, out of scope and near misses are each drawn on their own."""
    columns = Columns(outcomes)
    near = np.array([o.avoided for o in outcomes if o.message.not_skill is not None], dtype=np.float64)
    return Intervals(
        top1=_interval(columns.top1, [columns.in_scope], seed, resamples),
        auroc=_interval(columns.auroc, columns.strata, seed, resamples) if all(columns.strata) else None,
        avoided=_interval(lambda rows: float(near[rows].mean()), [len(near)], seed, resamples),
        ece=_interval(columns.ece, columns.strata, seed, resamples),
    )


def _interval(
    statistic: metrics.Statistic, strata: Sequence[int], seed: int, resamples: int
) -> tuple[float, float] | None:
    return metrics.bootstrap_interval(statistic, strata, seed=seed, resamples=resamples)


class Columns:
    """The judged outcomes as arrays, those in scope first, for statistics over drawn rows."""

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        meant = [outcome for outcome in outcomes if outcome.message.in_scope]
        unmeant = [outcome for outcome in outcomes if outcome.message.out_of_scope]
        self.in_scope = len(meant)
        self.strata = (len(meant), len(unmeant))
        self.ranks = np.array([outcome.rank for outcome in (*meant, *unmeant)], dtype=np.float64)
        self.correct = self.ranks == 1
        self.confidences = np.array([outcome.confidence for outcome in (*meant, *unmeant)], dtype=np.float64)

    def meant(self, rows: metrics.IntArray) -> metrics.IntArray:
        """Return those of the drawn rows that are in scope."""
        return rows[rows < self.in_scope]

    def top1(self, rows: metrics.IntArray) -> float | None:
        return metrics.top_k(self.ranks[self.meant(rows)], 1)

    def top5(self, rows: metrics.IntArray) -> float | None:
        return metrics.top_k(self.ranks[self.meant(rows)], 5)

    def mrr(self, rows: metrics.IntArray) -> float | None:
        return metrics.mean_reciprocal_rank(self.ranks[self.meant(rows)])

    def auroc(self, rows: metrics.IntArray) -> float | None:
        return metrics.auroc(self.confidences[self.meant(rows)], self.confidences[rows[rows >= self.in_scope]])

    def ece(self, rows: metrics.IntArray) -> float | None:
        return metrics.expected_calibration_error(self.confidences[rows], self.correct[rows])

    def brier(self, rows: metrics.IntArray) -> float | None:
        return metrics.brier(self.confidences[rows], self.correct[rows])
