"""What must become of one skill, by arithmetic of its own: fractions, never floats."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from wellworn.models.repair import MAX_REPAIRS
from wellworn.models.task import Outcome

OPEN_KEPT = 10
_FLAGGED_BELOW = Fraction(2, 5)
_LOSS = {Outcome.failure: Fraction(1, 5), Outcome.partial: Fraction(1, 20)}


@dataclass
class SkillModel:
    """lessons: (task id, text), the oldest first; of the open ones ten are kept, and what was dropped is known.

    answered: by repair. waiting: the repair that waits, with the skill's files as they were when it was proposed.
    """

    reliability: Fraction = Fraction(1)
    successes: int = 0
    failures: int = 0
    repairs: int = 0
    accepts: int = 0
    open: list[tuple[str, str]] = field(default_factory=list)
    dropped: list[tuple[str, str]] = field(default_factory=list)
    answered: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    statuses: dict[str, str] = field(default_factory=dict)
    waiting: str | None = None
    made_from: dict[str, bytes] = field(default_factory=dict)

    @property
    def flagged(self) -> bool:
        return round(self.reliability, 9) < _FLAGGED_BELOW

    @property
    def repairable(self) -> bool:
        return self.flagged and self.repairs < MAX_REPAIRS

    @property
    def numbers(self) -> tuple[int, int, int]:
        return self.successes, self.failures, self.repairs

    def count(self, outcome: Outcome, task_id: str, lesson: str | None) -> None:
        """One outcome that counts."""
        if outcome is Outcome.success:
            self.reliability += (1 - self.reliability) / 10
            self.successes += 1
            return
        self.reliability = max(Fraction(0), self.reliability - _LOSS[outcome])
        self.failures += 1
        self.open.append((task_id, lesson or ""))
        self.dropped += self.open[:-OPEN_KEPT]
        self.open = self.open[-OPEN_KEPT:]

    def propose(self, repair_id: str, files: dict[str, bytes]) -> None:
        self.supersede()
        self.statuses[repair_id], self.waiting, self.made_from = "proposed", repair_id, files

    def decide(self, status: str) -> None:
        """What became of the repair that waits."""
        if self.waiting is not None:
            self.statuses[self.waiting] = status
        self.waiting = None

    def supersede(self) -> None:
        self.decide("superseded")

    def accept(self) -> None:
        self.answered[self.waiting or ""], self.open = self.open, []
        self.decide("accepted")
        self.reliability, self.successes, self.failures = Fraction(3, 5), 0, 0
        self.repairs += 1
        self.accepts += 1

    def reset(self) -> None:
        self.reliability, self.successes, self.failures = Fraction(1), 0, 0
