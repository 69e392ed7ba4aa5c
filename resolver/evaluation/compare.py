"""Two runs over the same messages: what changed, and whether that is more than chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from wellworn.models.errors import InvalidInput
from wellworn.resolver.evaluation import metrics
from wellworn.resolver.evaluation.outcome import Outcome
from wellworn.resolver.evaluation.summary import Columns

_FIGURES: dict[str, Callable[[Columns, metrics.IntArray], float | None]] = {
    "top1": Columns.top1,
    "top5": Columns.top5,
    "mrr": Columns.mrr,
    "auroc": Columns.auroc,
    "ece": Columns.ece,
    "brier": Columns.brier,
}


@dataclass(frozen=True, slots=True)
class Difference:
    """One figure of both runs; `low` and `high` bound second - first at 95 %."""

    figure: str
    first: float
    second: float
    low: float
    high: float

    @property
    def difference(self) -> float:
        return self.second - self.first

    @property
    def significant(self) -> bool:
        """True when the interval does not hold 0."""
        return self.low > 0.0 or self.high < 0.0


def compare(
    first: Sequence[Outcome], second: Sequence[Outcome], *, seed: int = 0, resamples: int = 1000
) -> list[Difference]:
    """Return the figures that both runs have, with paired bootstrap intervals of their differences.

    Paired: each draw takes the same messages from both runs (Efron and Tibshirani, 1993, chapter 16), which is far
    sharper than comparing two separate intervals. Raises InvalidInput when the runs differ in their messages.
    """
    if [outcome.message for outcome in first] != [outcome.message for outcome in second]:
        raise InvalidInput("The two runs did not answer the same messages.", hint="Evaluate both on the same file.")
    before, after = Columns(first), Columns(second)
    every = np.arange(sum(before.strata), dtype=np.int64)
    differences = []
    for name, figure in _FIGURES.items():
        was, now = figure(before, every), figure(after, every)
        interval = metrics.bootstrap_interval(
            _difference_of(figure, before, after), before.strata, seed=seed, resamples=resamples
        )
        if was is not None and now is not None and interval is not None:
            differences.append(Difference(name, was, now, *interval))
    return differences


def _difference_of(
    figure: Callable[[Columns, metrics.IntArray], float | None], before: Columns, after: Columns
) -> metrics.Statistic:
    def difference(rows: metrics.IntArray) -> float | None:
        was, now = figure(before, rows), figure(after, rows)
        return None if was is None or now is None else now - was

    return difference
