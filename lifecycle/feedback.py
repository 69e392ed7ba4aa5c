"""What one verdict on a resolution teaches, and how much anyone may teach: pure decisions.

right: the message becomes a `learned` utterance of the skill that was answered, unless that was sure already. wrong: a
`negative` of it. should_be X: `learned` for X and `negative` for what was answered instead; with nothing named
("none of them") only the negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wellworn.models.errors import InvalidInput
from wellworn.models.resolution import Decision, FeedbackRequest, IntentResolution, Verdict
from wellworn.models.skill import Scope, UtteranceField

TEXT_CHARS = 400
SURE = 0.85
"""From this confidence on `right` teaches nothing: the message was known. Replayed, learning those as well used up the
bounds on what was known already, and made wellworn surer than it was right (see benchmarks/REPORT.md)."""


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


def teachings(
    verdict: Verdict, answered: Target | None, meant: Target | None, *, confidence: float = 0.0
) -> list[Teaching]:
    """Return what a verdict teaches. answered: the skill of the resolution, if one was matched, with its confidence."""
    if verdict is Verdict.right and confidence >= SURE:
        return []
    if verdict is Verdict.right:
        return [Teaching(answered, UtteranceField.learned)] if answered else []
    lessons = [Teaching(answered, UtteranceField.negative)] if answered else []
    if verdict is Verdict.should_be and meant is not None:
        lessons.append(Teaching(meant, UtteranceField.learned))
    return lessons


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many lessons (taught utterances in force) of one skill may come from where; each skill is bounded on its own.

    A person is the local one, or a reviewer's or admin's key; an agent's key only passes on what it was told.
    """

    skill: int = 200
    """From anyone."""
    person: int = 20
    """From one person."""
    agent: int = 5
    """From one agent's key, so that its flood weighs little beside a skill's own text (see benchmarks/REPORT.md)."""
    agent_negatives: int = 2
    """Of these, negatives: a flood of ten against each neighbour cost the neighbours 18 points of top-1."""
    agents: int = 10
    """From all agents' keys together: many keys are no way around the bound, and room is left for persons."""
    agents_negatives: int = 4


BOUNDS = Bounds()


@dataclass(frozen=True, slots=True)
class Teacher:
    """Who gives a verdict. key_id: None for the local person."""

    key_id: str | None
    person: bool


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson in force, with the same text as the one to be judged."""

    id: str
    teaching: Teaching
    teacher: Teacher


@dataclass(frozen=True, slots=True)
class Standing:
    """What is there already, as it bears on one lesson.

    same_text: lessons in force with the text, of any skill of the target's scope and owner. authors: ids of the skills
    there whose author gave the text as an alias, trigger or example. total, own, agents: how many lessons the
    target has from anyone, from this teacher, and from agents' keys; own_negatives, agents_negatives: how many of these
    are negatives.
    """

    same_text: Sequence[Lesson] = ()
    authors: frozenset[str] = frozenset()
    total: int = 0
    own: int = 0
    agents: int = 0
    own_negatives: int = 0
    agents_negatives: int = 0


@dataclass(frozen=True, slots=True)
class Ruling:
    """What becomes of a lesson. replaces: ids of lessons that it takes the place of. note: why it does not count."""

    teaches: bool
    replaces: tuple[str, ...] = ()
    note: str | None = None


def judge_lesson(lesson: Teaching, teacher: Teacher, standing: Standing, bounds: Bounds = BOUNDS) -> Ruling:
    """Decide whether a lesson counts.

    What an author wrote outranks every lesson, a person's lesson outranks an agent's, among equals the first stands,
    and everybody may change their own mind. A text is learned once, whoever repeats it.
    """
    name = lesson.target.skill_id
    against_author = _against_author(lesson, standing.authors)
    if against_author is not None:
        return Ruling(False, note=against_author)
    if any(one.teaching == lesson for one in standing.same_text):
        return Ruling(False, note=f"{name} knows this already.")
    contrary = [one for one in standing.same_text if _contrary(one.teaching, lesson)]
    firm = [one for one in contrary if one.teacher.key_id != teacher.key_id and not _outranks(teacher, one.teacher)]
    if firm:
        other = firm[0].teaching.target.skill_id
        return Ruling(
            False,
            note=f"Somebody else taught the opposite of this very message ({other}), and that stands until it is "
            "forgotten; the verdict is recorded, but teaches nothing.",
        )
    going = [one.teacher for one in contrary if one.teaching.target == lesson.target]
    full = _full(name, teacher, standing, going, bounds)
    if full is None and lesson.field is UtteranceField.negative and not teacher.person:
        full = _full_of_negatives(name, standing, bounds)
    if full is not None:
        return Ruling(False, note=full)
    return Ruling(True, replaces=tuple(one.id for one in contrary))


def _against_author(lesson: Teaching, authors: frozenset[str]) -> str | None:
    name, learned = lesson.target.skill_id, lesson.field is UtteranceField.learned
    if learned and authors and name not in authors:
        return f"These are words that the author of {min(authors)} gave; edit its files to give them to {name}."
    if not learned and name in authors:
        return f"These are words that the author of {name} gave; edit its files to take them away."
    return None


def _contrary(one: Teaching, other: Teaching) -> bool:
    """Whether two lessons with the same text cannot both be right: for and against a skill, or for two skills."""
    if one.target == other.target:
        return one.field is not other.field
    return one.field is other.field is UtteranceField.learned


def _outranks(one: Teacher, other: Teacher) -> bool:
    return one.person and not other.person


def _full(name: str, teacher: Teacher, standing: Standing, going: Sequence[Teacher], bounds: Bounds) -> str | None:
    """Say which bound leaves no room. going: whose lessons of the skill make room."""
    allowed = bounds.person if teacher.person else bounds.agent
    if standing.own - sum(one.key_id == teacher.key_id for one in going) >= allowed:
        return f"{name} already has {allowed} lessons from you; the verdict is recorded, but teaches nothing more."
    if not teacher.person and standing.agents - sum(not one.person for one in going) >= bounds.agents:
        return f"{name} already has {bounds.agents} lessons from agents; a person can teach it more."
    if standing.total - len(going) >= bounds.skill:
        return f"{name} has all {bounds.skill} lessons that it may have."
    return None


def _full_of_negatives(name: str, standing: Standing, bounds: Bounds) -> str | None:
    """As `_full`, of an agent's negatives. A negative never takes the place of one."""
    if standing.own_negatives >= bounds.agent_negatives:
        return f"You taught {name} {bounds.agent_negatives} messages that it does not mean; a person can teach it more."
    if standing.agents_negatives >= bounds.agents_negatives:
        return f"Agents taught {name} {bounds.agents_negatives} messages that it does not mean; a person can add more."
    return None


def in_order(lessons: Sequence[Teaching]) -> list[Teaching]:
    """Return what is to be judged first, first: what was meant, then what was not."""
    return sorted(lessons, key=lambda one: one.field is UtteranceField.negative)


def goes_on(teacher: Teacher, ruling: Ruling) -> bool:
    """Whether the rest of a verdict still teaches.

    An agent's "should have been X" speaks against another skill only when X learns from it: else a flood would go on
    against all the others when X has long had its share.
    """
    return teacher.person or ruling.teaches


def lesson_text(message: str) -> str:
    """Return the part of a (redacted) message that is kept as an utterance."""
    flat = " ".join(message.split())
    return flat[:TEXT_CHARS].rstrip()
