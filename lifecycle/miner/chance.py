"""How likely it is that something came about by chance.

The bounds are Chernoff's: P[Binomial(n, q) >= k] <= exp(-n KL(k/n || q)), and P[Poisson(m) >= k] <= exp(k - m - k
log(k/m)); natural logarithms throughout.
"""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import ArrayLike, NDArray


def log_tail(hits: ArrayLike, trials: ArrayLike, rate: ArrayLike) -> NDArray[np.float64]:
    """Return an upper bound of the logarithm of the probability of at least `hits` in `trials` at `rate` each.

    All of one shape. 0.0 where that many are expected anyway.
    """
    k = np.asarray(hits, dtype=np.float64)
    n = np.maximum(np.asarray(trials, dtype=np.float64), 1.0)
    q = np.clip(np.asarray(rate, dtype=np.float64), 1e-9, 1 - 1e-9)
    p = np.clip(k / n, 0.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = np.where(p > 0, p * np.log(p / q), 0.0) + np.where(p < 1, (1 - p) * np.log((1 - p) / (1 - q)), 0.0)
    return np.where(p > q, -n * gain, 0.0)


def poisson_tail(count: int, expected: float) -> float:
    """Return an upper bound of the logarithm of the probability of at least `count` where `expected` (> 0) are."""
    return 0.0 if count <= expected else count - expected - count * log(count / expected)


def within(rate: ArrayLike, places: ArrayLike) -> NDArray[np.float64]:
    """Return the probability that something of this rate a place is met in so many places."""
    return 1.0 - (1.0 - np.clip(np.asarray(rate, dtype=np.float64), 0.0, 1.0)) ** np.asarray(places, dtype=np.float64)
