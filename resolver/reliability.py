"""How well a skill works at least, by its counts: the prior of the resolver, and what trust is judged by."""

from __future__ import annotations

import math

NEUTRAL_SUCCESSES, NEUTRAL_RUNS = 4.0, 5.0
"""What a skill of which nothing is known counts as: it worked four times of five."""
_Z = 1.2815515594457831
"""The 90 % quantile of the standard normal distribution: of ten true rates, nine lie above the bound."""


def lower_bound(successes: int, failures: int) -> float:
    """Return a lower confidence bound (0..1) of the success rate, with a neutral prior for the new.

    Wilson's score interval (E. B. Wilson, JASA 22, 1927), one-sided at 90 %, over the counts and the prior's.
    """
    runs = successes + failures + NEUTRAL_RUNS
    rate = (successes + NEUTRAL_SUCCESSES) / runs
    spread = _Z * math.sqrt(rate * (1 - rate) / runs + _Z**2 / (4 * runs**2))
    return max(0.0, (rate + _Z**2 / (2 * runs) - spread) / (1 + _Z**2 / runs))


NEUTRAL = lower_bound(0, 0)


def trouble(successes: int, failures: int) -> float:
    """Return 0 for a skill that surely works as well as a new one may, down to -1: the logarithm of what is missing."""
    if failures <= 0:
        return 0.0
    return max(-1.0, min(0.0, math.log(max(lower_bound(successes, failures), 1e-9) / NEUTRAL)))
