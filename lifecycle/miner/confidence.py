"""How sure it is that a pattern is one worth keeping: a weighted geometric mean of six shares, each 0..1.

    support      1 - 2^(-(n - 1) / 2): 3 occurrences .50, 4 .65, 6 .82, 10 .96
    sessions     1 - 2^(-(s - 1)): 2 sessions .50, 3 .75, 4 .88
    days         1 - 2^(-d): one day .50, two .75, three .88
    success      (ok + 1) / (known + 2), Laplace's rule; 0.75 where nothing is known
    consistency  share of the times it was begun in which it was finished, times the agreement on the order
    recency      1/2 + 1/2 2^(-age / 60 days) of the last occurrence

The mean is geometric so that no share makes up for one that is near zero.
"""

from __future__ import annotations

from datetime import datetime
from math import exp, log

from wellworn.lifecycle.miner.patterns import Pattern

WEIGHTS = {"support": 3.0, "sessions": 2.0, "days": 1.0, "success": 2.0, "consistency": 2.0, "recency": 1.0}
HALF_LIFE_DAYS = 60.0
UNKNOWN_SUCCESS = 0.75
SUGGESTED = 0.5
"""Below this a pattern is not proposed."""


def confidence(pattern: Pattern, now: datetime) -> float:
    """Return the confidence of a pattern, 0..1."""
    parts = shares(pattern, now)
    total = sum(WEIGHTS.values())
    return exp(sum(WEIGHTS[name] * log(max(share, 1e-6)) for name, share in parts.items()) / total)


def shares(pattern: Pattern, now: datetime) -> dict[str, float]:
    """Return the six shares by name, as defined above."""
    known = [one.success for one in pattern.occurrences if one.success is not None]
    age = max(0.0, (now - pattern.last).total_seconds() / 86400)
    return {
        "support": 1 - 2 ** (-(pattern.support - 1) / 2),
        "sessions": 1 - 2.0 ** -(pattern.sessions - 1),
        "days": 1 - 2.0**-pattern.days,
        "success": (sum(known) + 1) / (len(known) + 2) if known else UNKNOWN_SUCCESS,
        "consistency": pattern.consistency * pattern.order,
        "recency": 0.5 + 0.5 * 2 ** (-age / HALF_LIFE_DAYS),
    }
