"""What a verdict teaches, and the bound on what one key may teach."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.lifecycle.feedback import (
    TAUGHT_PER_KEY,
    TAUGHT_PER_SKILL,
    TEXT_CHARS,
    Target,
    Teaching,
    check_verdict,
    expected_skill,
    lesson_text,
    teachings,
    within_bounds,
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


@given(own=st.integers(0, 2 * TAUGHT_PER_KEY), others=st.integers(0, 2 * TAUGHT_PER_SKILL))
def test_nobody_teaches_past_the_bounds_and_every_refusal_is_said(own: int, others: int) -> None:
    lessons = teachings(Verdict.should_be, SHIP, REVIEW)
    kept, notes = within_bounds(lessons, lambda _: (own + others, own))
    allowed = own < TAUGHT_PER_KEY and own + others < TAUGHT_PER_SKILL
    assert len(kept) == (2 if allowed else 0)
    assert len(kept) + len(notes) == 2


@given(st.text(max_size=3 * TEXT_CHARS))
def test_a_lesson_is_one_bounded_line(message: str) -> None:
    text = lesson_text(message)
    assert len(text) <= TEXT_CHARS
    assert "\n" not in text
