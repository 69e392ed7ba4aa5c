"""What was answered to one labelled message, and what that means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wellworn.models.resolution import Decision
from wellworn.resolver.evaluation.messages import Message

ANSWERED_AT = 0.60
CONFIDENT_AT = 0.85


@dataclass(frozen=True, slots=True)
class EvaluatedMessage:
    """What the resolver made of one message.

    ranked: (skill id, confidence), best first, whatever was decided; at least 10 skills when there are that many.
    offered: how many of the first in `ranked` the answer puts forward: 1, or on `choose` all its candidates.
    any_confidence: that any skill is meant; None where a system does not say.
    """

    ranked: Sequence[tuple[str, float]]
    decision: Decision
    latency_ms: float
    offered: int = 1
    any_confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A labelled message beside its answer."""

    message: Message
    answer: EvaluatedMessage

    @property
    def answered(self) -> str | None:
        """The skill that came first; None when there was none at all."""
        return self.answer.ranked[0][0] if self.answer.ranked else None

    @property
    def confidence(self) -> float:
        """The confidence of the skill that came first; 0 when there was none."""
        return self.answer.ranked[0][1] if self.answer.ranked else 0.0

    @property
    def rank(self) -> int:
        """Where the first skill that is right stands, from 1; 0 when none of the list is."""
        for position, (skill_id, _) in enumerate(self.answer.ranked, start=1):
            if skill_id in self.message.expected:
                return position
        return 0

    @property
    def correct(self) -> bool:
        """True when the top skill is one that was meant; never on an out-of-scope message."""
        return self.rank == 1

    @property
    def judged(self) -> bool:
        """False on a near miss that leaves open what was meant: nothing can be said of another skill's answer."""
        return self.message.in_scope or self.message.out_of_scope

    @property
    def avoided(self) -> bool:
        """On a near miss: true unless the skill that must not fire was answered at 0.60 or more."""
        return self.answered != self.message.not_skill or self.confidence < ANSWERED_AT

    @property
    def decision_right(self) -> bool:
        """True when the decision served: `none` where none is meant; else the one meant is put forward."""
        if self.answer.decision is Decision.none:
            return not self.message.in_scope
        return 1 <= self.rank <= max(self.answer.offered, 1)
