"""What an outcome makes of a skill's reliability: the arithmetic, pure.

Reliability lies in 0..1 and is kept in full precision: rounded, .96 could never rise again. It is compared after
rounding to 1e-9 (`SkillStats.flagged`), because 0.6 - 0.2 < 0.4 in floats.
"""

from __future__ import annotations

from wellworn.models.skill import SkillStats
from wellworn.models.task import Outcome

GAIN, LOSS, PARTIAL_LOSS = 0.1, 0.2, 0.05


def after(stats: SkillStats, outcome: Outcome) -> SkillStats:
    """Return the stats after one more outcome that counts. A partial one counts as a failure."""
    before = stats.reliability
    if outcome is Outcome.success:
        reliability, counts = before + GAIN * (1.0 - before), {"success_count": stats.success_count + 1}
    else:
        loss = LOSS if outcome is Outcome.failure else PARTIAL_LOSS
        reliability, counts = before - loss, {"failure_count": stats.failure_count + 1}
    return stats.model_copy(update={"reliability": min(1.0, max(0.0, reliability)), **counts})
