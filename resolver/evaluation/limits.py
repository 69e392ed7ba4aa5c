"""`--fail-under top1=0.9,ece=0.05`: figures that a run must reach."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wellworn.models.errors import InvalidInput
from wellworn.resolver.evaluation.answer import EvaluationAnswer

_Figure = Callable[[EvaluationAnswer], float | None]

HIGHER_IS_BETTER: dict[str, _Figure] = {
    "top1": lambda answer: answer.in_scope.top1,
    "top3": lambda answer: answer.in_scope.top3,
    "top5": lambda answer: answer.in_scope.top5,
    "mrr": lambda answer: answer.in_scope.mrr,
    "ndcg10": lambda answer: answer.in_scope.ndcg10,
    "auroc": lambda answer: answer.out_of_scope.auroc,
    "aurocAny": lambda answer: answer.out_of_scope.auroc_any,
    "rejectedAt60": lambda answer: answer.out_of_scope.rejected_at_60,
    "avoided": lambda answer: answer.near_misses.avoided,
    "precision": lambda answer: answer.confident.precision,
    "coverage": lambda answer: answer.confident.coverage,
}
LOWER_IS_BETTER: dict[str, _Figure] = {
    "ece": lambda answer: answer.calibration.ece,
    "brier": lambda answer: answer.calibration.brier,
    "fprAt95": lambda answer: answer.out_of_scope.fpr_at_95,
    "p50": lambda answer: answer.latency_ms.p50,
    "p95": lambda answer: answer.latency_ms.p95,
    "p99": lambda answer: answer.latency_ms.p99,
}


@dataclass(frozen=True, slots=True)
class Limit:
    """A figure and the value that it must reach (or, where lower is better, not pass)."""

    figure: str
    value: float


def parse_limits(text: str) -> list[Limit]:
    """Parse `name=value,name=value`. Raises InvalidInput for an unknown name, a missing or odd value, or no limit."""
    limits = [_parse_limit(part.strip()) for part in text.split(",") if part.strip()]
    if not limits:
        raise InvalidInput("--fail-under names no figure.", hint="Write for example top1=0.9,ece=0.05.")
    return limits


def _parse_limit(part: str) -> Limit:
    name, equals, number = (piece.strip() for piece in part.partition("="))
    if name not in HIGHER_IS_BETTER and name not in LOWER_IS_BETTER:
        known = ", ".join((*HIGHER_IS_BETTER, *LOWER_IS_BETTER))
        raise InvalidInput(f"--fail-under knows no figure {name!r}.", hint=f"Choose from {known}.")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not equals or not math.isfinite(value):
        raise InvalidInput(f"--fail-under: {part!r} gives no number.", hint=f"Write for example {name}=0.9.")
    return Limit(name, value)


def check_limits(answer: EvaluationAnswer, limits: Sequence[Limit]) -> list[str]:
    """Return one sentence for each limit that the run does not keep; a figure that it lacks is not kept either."""
    return [failure for limit in limits if (failure := _failure(answer, limit)) is not None]


def _failure(answer: EvaluationAnswer, limit: Limit) -> str | None:
    lower = limit.figure in LOWER_IS_BETTER
    value = (LOWER_IS_BETTER if lower else HIGHER_IS_BETTER)[limit.figure](answer)
    if value is None:
        return f"{limit.figure} cannot be judged: no message of the file bears on it."
    if lower:
        return f"{limit.figure} is {value:.4g}, above {limit.value:g}." if value > limit.value else None
    return f"{limit.figure} is {value:.4g}, under {limit.value:g}." if value < limit.value else None
