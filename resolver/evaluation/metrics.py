"""The figures of an evaluation, as pure functions over arrays. Each docstring holds its formula and where it is from.

Ranks count from 1; 0 stands for "not in the list". A figure over nothing is None, never 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Statistic = Callable[[IntArray], float | None]
ECE_BINS = 15
_ROUNDED = 12


def _floats(values: ArrayLike) -> FloatArray:
    return np.asarray(values, dtype=np.float64)


def _mean(values: FloatArray) -> float | None:
    return float(values.mean()) if values.size else None


def top_k(ranks: ArrayLike, k: int) -> float | None:
    """Return the share of ranks within 1..k."""
    ranks = _floats(ranks)
    return _mean(((ranks >= 1) & (ranks <= k)).astype(np.float64))


def reciprocal_ranks(ranks: ArrayLike) -> FloatArray:
    """Return 1/rank, and 0 where the right skill is not in the list; their mean is MRR (Voorhees, TREC-8, 1999)."""
    ranks = _floats(ranks)
    return np.where(ranks >= 1, 1.0 / np.maximum(ranks, 1.0), 0.0)


def mean_reciprocal_rank(ranks: ArrayLike) -> float | None:
    """Return the mean of `reciprocal_ranks`."""
    return _mean(reciprocal_ranks(ranks))


def ndcg(ranks: ArrayLike, k: int = 10) -> float | None:
    """Return the mean of 1/log2(1 + rank) for ranks within k, else 0.

    nDCG of Jarvelin and Kekalainen (2002) with one relevant result: `rank` is that of the first skill which is right,
    so "any of" expectations ask for one of them and the ideal gain is 1.
    """
    ranks = _floats(ranks)
    within = (ranks >= 1) & (ranks <= k)
    return _mean(np.where(within, 1.0 / np.log2(1.0 + np.maximum(ranks, 1.0)), 0.0))


def auroc(positives: ArrayLike, negatives: ArrayLike) -> float | None:
    """Return P(positive > negative) + P(equal)/2 over all pairs.

    The Mann-Whitney statistic over n m, from the negatives below and not above each positive; Hanley and McNeil (1982).
    """
    positives, negatives = _floats(positives), _floats(negatives)
    if not positives.size or not negatives.size:
        return None
    ordered = np.sort(negatives)
    below = np.searchsorted(ordered, positives, side="left")
    not_above = np.searchsorted(ordered, positives, side="right")
    return float((below + not_above).sum() / (2.0 * positives.size * negatives.size))


def false_positive_rate_at(positives: ArrayLike, negatives: ArrayLike, recall: float = 0.95) -> float | None:
    """Return the share of negatives that pass the highest threshold which at least `recall` of the positives pass.

    A score passes when it is >= the threshold, so ties with it count against the system.
    """
    positives, negatives = _floats(positives), _floats(negatives)
    if not positives.size or not negatives.size:
        return None
    needed = int(np.ceil(round(recall * positives.size, _ROUNDED)))
    threshold = np.sort(positives)[::-1][max(needed, 1) - 1]
    return float((negatives >= threshold).mean())


@dataclass(frozen=True, slots=True)
class Bin:
    """One bin of a reliability diagram: `low` <= confidence < `high` (the last includes 1)."""

    low: float
    high: float
    n: int
    confidence: float | None
    correct: float | None


def reliability_bins(confidences: ArrayLike, correct: ArrayLike, bins: int = ECE_BINS) -> list[Bin]:
    """Return equal-width bins over [0, 1] with their mean confidence and share of right answers."""
    confidences, correct = _floats(confidences), _floats(correct)
    slots = np.clip((confidences * bins).astype(np.int64), 0, bins - 1)
    return [_bin(slot, bins, confidences[slots == slot], correct[slots == slot]) for slot in range(bins)]


def _bin(slot: int, bins: int, confidences: FloatArray, correct: FloatArray) -> Bin:
    return Bin(slot / bins, (slot + 1) / bins, int(confidences.size), _mean(confidences), _mean(correct))


def expected_calibration_error(confidences: ArrayLike, correct: ArrayLike, bins: int = ECE_BINS) -> float | None:
    """Return sum over bins of n_b/n * |mean confidence - share right|.

    Naeini et al. (2015), Guo et al. (2017): 15 equal-width bins over the confidence of the first answer. The event is
    "the top skill is the one meant", so it never happens on an out-of-scope message, whatever is answered.
    """
    confidences, correct = _floats(confidences), _floats(correct)
    if not confidences.size:
        return None
    slots = np.clip((confidences * bins).astype(np.int64), 0, bins - 1)
    gaps = np.bincount(slots, weights=confidences - correct, minlength=bins)
    return float(np.abs(gaps).sum() / confidences.size)


def brier(confidences: ArrayLike, correct: ArrayLike) -> float | None:
    """Return the mean of (confidence - correct)^2, of the same event as the calibration error; Brier (1950)."""
    return _mean((_floats(confidences) - _floats(correct)) ** 2)


def coverage_and_precision(confidences: ArrayLike, correct: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return (thresholds, coverage, precision), one entry for each distinct confidence, highest first.

    coverage: share of answers whose confidence is >= the threshold; precision: share of those that are right
    (the risk-coverage curve of El-Yaniv and Wiener, 2010, turned over).
    """
    confidences, correct = _floats(confidences), _floats(correct)
    order = np.argsort(-confidences, kind="stable")
    sorted_confidences = confidences[order]
    right = np.cumsum(correct[order])
    last = np.append(sorted_confidences[:-1] != sorted_confidences[1:], True)[: confidences.size]
    taken = np.arange(1, confidences.size + 1)[last]
    return sorted_confidences[last], taken / max(confidences.size, 1), right[last] / taken


def percentile(values: ArrayLike, percent: float) -> float | None:
    """Return the percentile with linear interpolation between the two nearest values (Hyndman and Fan's type 7)."""
    values = _floats(values)
    return float(np.percentile(values, percent)) if values.size else None


def bootstrap_interval(
    statistic: Statistic,
    strata: Sequence[int],
    *,
    seed: int = 0,
    resamples: int = 500,
    level: float = 0.95,
) -> tuple[float, float] | None:
    """Return the percentile bootstrap interval of a statistic (Efron, 1979).

    statistic: maps drawn row numbers to a value; rows are numbered through all strata, one after the other.
    strata: number of rows of each stratum; each is drawn with replacement on its own, so their sizes stay as they are
        (needed for AUROC, where each side must keep its size).
    Paired comparisons pass a statistic that returns a difference over the same rows.
    """
    if not any(strata):
        return None
    random = np.random.default_rng(seed)
    values = [statistic(_draw(random, strata)) for _ in range(resamples)]
    known = [value for value in values if value is not None]
    if not known:
        return None
    tail = (1.0 - level) / 2.0 * 100.0
    low, high = np.percentile(known, [tail, 100.0 - tail])
    return float(low), float(high)


def _draw(random: np.random.Generator, strata: Sequence[int]) -> IntArray:
    starts = np.cumsum([0, *strata[:-1]])
    drawn = [start + random.integers(0, size, size) for start, size in zip(starts, strata, strict=True) if size]
    return np.concatenate(drawn).astype(np.int64)
