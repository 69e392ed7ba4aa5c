"""Two runs over the same messages: what changed, and whether that is more than chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

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
    draws = _Draws(seed, resamples)
    found = [
        draws.difference(name, partial(figure, before), partial(figure, after), every, before.strata)
        for name, figure in _FIGURES.items()
    ]
    was, now = _avoided(first), _avoided(second)
    near = np.arange(len(was), dtype=np.int64)
    found.append(draws.difference("avoided", partial(_share, was), partial(_share, now), near, (len(was),)))
    return [difference for difference in found if difference is not None]


def _avoided(outcomes: Sequence[Outcome]) -> metrics.FloatArray:
    near = [outcome.avoided for outcome in outcomes if outcome.message.not_skill is not None]
    return np.array(near, dtype=np.float64)


def _share(values: metrics.FloatArray, rows: metrics.IntArray) -> float | None:
    return float(values[rows].mean()) if len(rows) else None


@dataclass(frozen=True, slots=True)
class _Draws:
    seed: int
    resamples: int

    def difference(
        self,
        name: str,
        before: metrics.Statistic,
        after: metrics.Statistic,
        every: metrics.IntArray,
        strata: Sequence[int],
    ) -> Difference | None:
        """Return None when one of the runs lacks the figure."""

        def changed(rows: metrics.IntArray) -> float | None:
            was, now = before(rows), after(rows)
            return None if was is None or now is None else now - was

        first, second = before(every), after(every)
        interval = metrics.bootstrap_interval(changed, strata, seed=self.seed, resamples=self.resamples)
        if first is None or second is None or interval is None:
            return None
        return Difference(name, first, second, *interval)
