"""What a verdict teaches, and the bound on what one key may teach."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wellworn.lifecycle.feedback import (
    BOUNDS,
    SURE,
    TEXT_CHARS,
    Bounds,
    Lesson,
    Ruling,
    Standing,
    Target,
    Teacher,
    Teaching,
    check_verdict,
    expected_skill,
    goes_on,
    in_order,
    judge_lesson,
    lesson_text,
    teachings,
)
from wellworn.models.errors import InvalidInput
from wellworn.models.resolution import Decision, FeedbackRequest, IntentResolution, Verdict
from wellworn.models.skill import Scope, UtteranceField

SHIP = Target("ship-it", Scope.user, "local")
REVIEW = Target("review", Scope.repo, "host/a/b")


def answered(skill_id: str | None = "ship-it") -> IntentResolution:
    return IntentResolution(
        resolution_id="r1",
        matched=skill_id is not None,
        skill_id=skill_id,
        confidence=0.9,
        decision=Decision.confirm,
        reason="",
        generation=1,
    )


def request(verdict: str, **more: object) -> FeedbackRequest:
    return FeedbackRequest.model_validate({"resolutionId": "r1", "verdict": verdict, **more})


def test_right_teaches_the_answered_skill_the_message() -> None:
    assert teachings(Verdict.right, SHIP, None) == [Teaching(SHIP, UtteranceField.learned)]


def test_right_teaches_nothing_that_was_sure_already() -> None:
    assert teachings(Verdict.right, SHIP, None, confidence=SURE) == []
    assert teachings(Verdict.right, SHIP, None, confidence=SURE - 0.01) == [Teaching(SHIP, UtteranceField.learned)]


def test_a_sure_answer_that_was_wrong_teaches_the_more() -> None:
    assert len(teachings(Verdict.should_be, SHIP, REVIEW, confidence=1.0)) == 2
    assert len(teachings(Verdict.wrong, SHIP, None, confidence=1.0)) == 1


def test_wrong_teaches_the_answered_skill_a_negative() -> None:
    assert teachings(Verdict.wrong, SHIP, None) == [Teaching(SHIP, UtteranceField.negative)]


def test_should_be_teaches_both_skills() -> None:
    assert teachings(Verdict.should_be, SHIP, REVIEW) == [
        Teaching(SHIP, UtteranceField.negative),
        Teaching(REVIEW, UtteranceField.learned),
    ]


def test_should_be_none_of_them_teaches_only_the_negative() -> None:
    assert teachings(Verdict.should_be, SHIP, None) == [Teaching(SHIP, UtteranceField.negative)]


def test_a_miss_that_was_right_teaches_nothing() -> None:
    assert teachings(Verdict.right, None, None) == []


def test_a_miss_that_should_have_been_a_skill_teaches_that_skill() -> None:
    assert teachings(Verdict.should_be, None, REVIEW) == [Teaching(REVIEW, UtteranceField.learned)]


@pytest.mark.parametrize(
    ("feedback", "expected"),
    [
        (request("right"), "ship-it"),
        (request("wrong"), None),
        (request("should_be", skillId="review"), "review"),
        (request("should_be", skillId=None), None),
    ],
)
def test_what_was_meant_follows_from_the_verdict(feedback: FeedbackRequest, expected: str | None) -> None:
    assert expected_skill(feedback, answered()) == expected


@pytest.mark.parametrize(
    "feedback",
    [request("right", skillId="review"), request("should_be"), request("should_be", skillId="ship-it")],
)
def test_a_verdict_that_cannot_apply_is_refused_by_field(feedback: FeedbackRequest) -> None:
    with pytest.raises(InvalidInput) as error:
        check_verdict(feedback, answered())
    assert error.value.field == "skillId"


DEPLOY = Target("deploy", Scope.user, "local")
FOR, AGAINST = Teaching(SHIP, UtteranceField.learned), Teaching(SHIP, UtteranceField.negative)
ME, BOB = Teacher(None, person=True), Teacher("k-bob", person=True)
BOT, OTHER_BOT = Teacher("k-bot", person=False), Teacher("k-other", person=False)


def there(teaching: Teaching, teacher: Teacher, number: str = "t1") -> Standing:
    return Standing(same_text=[Lesson(number, teaching, teacher)])


def test_a_lesson_that_nothing_speaks_against_counts() -> None:
    assert judge_lesson(FOR, BOT, Standing()) == Ruling(True)


@pytest.mark.parametrize("teacher", [ME, BOT, OTHER_BOT])
def test_a_text_is_learned_once_whoever_repeats_it(teacher: Teacher) -> None:
    ruling = judge_lesson(FOR, teacher, there(FOR, BOT))
    assert (ruling.teaches, ruling.replaces) == (False, ())
    assert ruling.note is not None


def test_what_an_author_wrote_for_one_skill_cannot_be_learned_for_another() -> None:
    ruling = judge_lesson(FOR, ME, Standing(authors=frozenset({"deploy"})))
    assert not ruling.teaches
    assert "deploy" in (ruling.note or "")


def test_what_an_author_wrote_for_a_skill_cannot_be_held_against_it() -> None:
    assert not judge_lesson(AGAINST, ME, Standing(authors=frozenset({"ship-it"}))).teaches


def test_what_an_author_wrote_can_be_held_against_another_skill() -> None:
    assert judge_lesson(AGAINST, BOT, Standing(authors=frozenset({"deploy"}))).teaches


@pytest.mark.parametrize("contrary", [AGAINST, Teaching(DEPLOY, UtteranceField.learned)])
@pytest.mark.parametrize(
    ("teacher", "before", "wins"),
    [(ME, BOT, True), (BOT, BOT, True), (ME, ME, True), (BOT, OTHER_BOT, False), (BOT, ME, False), (ME, BOB, False)],
)
def test_of_contrary_lessons_a_persons_stands_then_the_first_and_ones_own_last(
    contrary: Teaching, teacher: Teacher, before: Teacher, wins: bool
) -> None:
    ruling = judge_lesson(FOR, teacher, there(contrary, before))
    assert ruling.teaches == wins
    assert ruling.replaces == (("t1",) if wins else ())
    assert (ruling.note is None) == wins


def test_a_message_may_be_held_against_one_skill_and_learned_for_another() -> None:
    assert judge_lesson(FOR, BOT, there(Teaching(DEPLOY, UtteranceField.negative), OTHER_BOT)) == Ruling(True)
    assert judge_lesson(FOR, BOT, there(Teaching(REVIEW, UtteranceField.negative), OTHER_BOT)) == Ruling(True)


def test_changing_ones_mind_works_where_the_bound_is_reached() -> None:
    full = replace(there(AGAINST, BOT), own=BOUNDS.agent, agents=BOUNDS.agents, total=BOUNDS.skill)
    assert judge_lesson(FOR, BOT, full) == Ruling(True, replaces=("t1",))


def test_the_usual_bounds_leave_room_for_persons_whatever_agents_do() -> None:
    assert BOUNDS.agent < BOUNDS.agents < BOUNDS.skill
    assert BOUNDS.agents + BOUNDS.person <= BOUNDS.skill


def test_what_was_meant_is_judged_first_and_an_agents_verdict_ends_where_it_teaches_nothing() -> None:
    both = in_order(teachings(Verdict.should_be, SHIP, REVIEW))
    assert [one.field for one in both] == [UtteranceField.learned, UtteranceField.negative]
    assert [goes_on(who, Ruling(taught)) for who in (ME, BOT) for taught in (True, False)] == [True, True, True, False]


TEACHERS = [ME, BOB, BOT, OTHER_BOT, Teacher("k-third", person=False)]
BOUND = Bounds(skill=9, person=4, agent=3, agent_negatives=1, agents=5, agents_negatives=2)


class Book:
    """All lessons in force, kept as the service keeps them."""

    def __init__(self, authors: dict[str, frozenset[str]]) -> None:
        self.lessons: dict[str, tuple[str, Teaching, Teacher]] = {}
        self.authors, self.count = authors, 0

    def standing(self, target: Target, text: str, teacher: Teacher) -> Standing:
        mine = [who for _, teaching, who in self.lessons.values() if teaching.target == target]
        against = [
            who for _, teaching, who in self.lessons.values() if teaching == Teaching(target, UtteranceField.negative)
        ]
        same = [Lesson(number, one[1], one[2]) for number, one in self.lessons.items() if one[0] == text]
        return Standing(
            same_text=same,
            authors=self.authors.get(text, frozenset()),
            total=len(mine),
            own=mine.count(teacher),
            agents=sum(not who.person for who in mine),
            own_negatives=against.count(teacher),
            agents_negatives=sum(not who.person for who in against),
        )

    def teach(self, text: str, lesson: Teaching, teacher: Teacher) -> None:
        ruling = judge_lesson(lesson, teacher, self.standing(lesson.target, text, teacher), BOUND)
        for number in ruling.replaces:
            del self.lessons[number]
        if ruling.teaches:
            self.count += 1
            self.lessons[f"t{self.count}"] = (text, lesson, teacher)


LESSONS = st.builds(
    Teaching,
    st.sampled_from([SHIP, DEPLOY]),
    st.sampled_from([UtteranceField.learned, UtteranceField.negative]),
)
SAYINGS = st.lists(st.tuples(st.sampled_from("abcdefghijklmn"), LESSONS, st.sampled_from(TEACHERS)), max_size=120)


@settings(max_examples=200, deadline=None)
@given(SAYINGS)
def test_whatever_is_said_in_whatever_order_stays_within_every_bound(
    sayings: list[tuple[str, Teaching, Teacher]],
) -> None:
    book = Book({"a": frozenset({"ship-it"})})
    for saying in sayings:
        book.teach(*saying)
    for target in (SHIP, DEPLOY):
        mine = [who for _, teaching, who in book.lessons.values() if teaching.target == target]
        assert len(mine) <= BOUND.skill
        assert sum(not who.person for who in mine) <= BOUND.agents
        against = [
            who for _, lesson, who in book.lessons.values() if lesson == Teaching(target, UtteranceField.negative)
        ]
        assert sum(not who.person for who in against) <= BOUND.agents_negatives
        for who in TEACHERS:
            assert who.person or against.count(who) <= BOUND.agent_negatives
            assert mine.count(who) <= (BOUND.person if who.person else BOUND.agent)
    said = [(text, teaching.target, teaching.field) for text, teaching, _ in book.lessons.values()]
    assert len(said) == len(set(said))
    for text, target, field in said:
        assert (text, target, _other(field)) not in said
    learned = [text for text, _, field in said if field is UtteranceField.learned]
    assert len(learned) == len(set(learned))
    assert ("a", SHIP, UtteranceField.negative) not in said
    assert ("a", DEPLOY, UtteranceField.learned) not in said


@settings(max_examples=100, deadline=None)
@given(SAYINGS, st.lists(st.tuples(st.sampled_from("abcdefghijklmn"), LESSONS), max_size=60))
def test_no_flood_of_agents_takes_back_what_a_person_taught(
    sayings: list[tuple[str, Teaching, Teacher]], attack: list[tuple[str, Teaching]]
) -> None:
    book = Book({})
    for saying in sayings:
        book.teach(*saying)
    persons = {number: one for number, one in book.lessons.items() if one[2].person}
    for text, lesson in attack:
        for bot in (BOT, OTHER_BOT):
            book.teach(text, lesson, bot)
    assert persons.items() <= book.lessons.items()


def _other(field: UtteranceField) -> UtteranceField:
    return UtteranceField.negative if field is UtteranceField.learned else UtteranceField.learned


@given(st.text(max_size=3 * TEXT_CHARS))
def test_a_lesson_is_one_bounded_line(message: str) -> None:
    text = lesson_text(message)
    assert len(text) <= TEXT_CHARS
    assert "\n" not in text
