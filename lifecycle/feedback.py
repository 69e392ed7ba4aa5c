"""What one verdict on a resolution teaches, and how much anyone may teach: pure decisions.

right: the message becomes a `learned` utterance of the skill that was answered. wrong: a `negative` of it. should_be X:
`learned` for X and `negative` for what was answered instead; with nothing named ("none of them") only the negative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wellworn.models.errors import InvalidInput
from wellworn.models.resolution import Decision, FeedbackRequest, IntentResolution, Verdict
from wellworn.models.skill import Scope, UtteranceField

TAUGHT_PER_SKILL = 200
"""Most taught utterances of one skill, whoever taught them."""
TAUGHT_PER_KEY = 20
"""Most of them by one key, so that a flood of wrong feedback from one key cannot outweigh a skill's own text."""
TEXT_CHARS = 400


@dataclass(frozen=True, slots=True)
class Target:
    """A skill that feedback may teach."""

    skill_id: str
    scope: Scope
    owner: str


@dataclass(frozen=True, slots=True)
class Teaching:
    """One utterance to add: `learned` stands for the target, `negative` against it."""

    target: Target
    field: UtteranceField


def check_verdict(request: FeedbackRequest, answered: IntentResolution) -> None:
    """Refuse a verdict that cannot apply; raises InvalidInput naming the field."""
    if request.verdict is Verdict.right and answered.decision is Decision.choose:
        raise InvalidInput(
            "That answer was a choice between several skills.", hint="Say should_be and which one.", field="verdict"
        )
    if request.verdict is not Verdict.should_be and request.skill_id is not None:
        raise InvalidInput("skillId goes with the verdict should_be only.", field="skillId")
    if request.verdict is Verdict.should_be and "skill_id" not in request.model_fields_set:
        raise InvalidInput(
            "should_be needs skillId.", hint="Give the id that was meant, or null for none of them.", field="skillId"
        )
    if request.verdict is Verdict.should_be and request.skill_id is not None and request.skill_id == answered.skill_id:
        raise InvalidInput("That is the skill that was answered.", hint="Say `right` instead.", field="skillId")


def expected_skill(request: FeedbackRequest, answered: IntentResolution) -> str | None:
    """Return the id of the skill that was meant; None for none of them, or when `wrong` leaves it open."""
    if request.verdict is Verdict.right:
        return answered.skill_id
    return request.skill_id if request.verdict is Verdict.should_be else None


def teachings(verdict: Verdict, answered: Target | None, meant: Target | None) -> list[Teaching]:
    """Return what a verdict teaches. answered: the skill of the resolution, if one was matched."""
    if verdict is Verdict.right:
        return [Teaching(answered, UtteranceField.learned)] if answered else []
    lessons = [Teaching(answered, UtteranceField.negative)] if answered else []
    if verdict is Verdict.should_be and meant is not None:
        lessons.append(Teaching(meant, UtteranceField.learned))
    return lessons


def within_bounds(
    lessons: Sequence[Teaching], counts: Callable[[Target], tuple[int, int]]
) -> tuple[list[Teaching], list[str]]:
    """Drop what goes past the bounds, with a note for each.

    counts: returns (taught by anyone, taught by this key) for a target.
    """
    kept: list[Teaching] = []
    notes: list[str] = []
    for lesson in lessons:
        total, own = counts(lesson.target)
        if own >= TAUGHT_PER_KEY:
            notes.append(
                f"{lesson.target.skill_id} already has {TAUGHT_PER_KEY} lessons from you; "
                "the verdict is recorded, but teaches nothing more."
            )
        elif total >= TAUGHT_PER_SKILL:
            notes.append(f"{lesson.target.skill_id} has all {TAUGHT_PER_SKILL} lessons that it may have.")
        else:
            kept.append(lesson)
    return kept, notes


def lesson_text(message: str) -> str:
    """Return the part of a (redacted) message that is kept as an utterance."""
    flat = " ".join(message.split())
    return flat[:TEXT_CHARS].rstrip()
