"""New steps without a model, and which lessons they answer."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from wellworn.lifecycle.repairing.answered import answers, notes_of
from wellworn.lifecycle.repairing.remedies import Taught, taught_by
from wellworn.lifecycle.repairing.rewrite import STEPS_MAX, rewritten_steps
from wellworn.models.repair import STEPS_MAX_CHARS
from wellworn.models.task import Lesson, Outcome, TaskStep

NOW = datetime(2026, 3, 1, tzinfo=UTC)
STEPS = ["Run `npm test`.", "Run `npm publish`.", "Tell everyone."]


def lesson(text: str, number: int = 1) -> Lesson:
    return Lesson(id=f"l{number}", ts=NOW, lesson=text, analysis="", outcome=Outcome.failure, by="steps")


def taught(text: str, *commands: tuple[str, bool], number: int = 1) -> Taught:
    steps = [
        TaskStep(number=at, ts=NOW, command=command, success=worked) for at, (command, worked) in enumerate(commands, 1)
    ]
    return taught_by(lesson(text, number), steps)


def test_a_failing_command_is_replaced_by_the_one_that_worked_later() -> None:
    one = taught("The publish failed.", ("npm publish", False), ("npm publish --access public", True))
    new = rewritten_steps(STEPS, [one]).steps
    assert new == ("Run `npm test`.", "Run `npm publish --access public`.", "Tell everyone.")
    assert answers(STEPS, new, [one])[0].answered_by == new[1]


def test_a_failing_command_comes_after_what_made_it_work() -> None:
    one = taught("The publish failed.", ("npm publish", False), ("npm run build", True), ("npm publish", True))
    new = rewritten_steps(STEPS, [one]).steps
    assert new[1].startswith("Run `npm run build` first")
    assert (new[0], *new[2:]) == tuple(STEPS)
    assert answers(STEPS, new, [one])[0].answered_by == new[1]


def test_what_a_lesson_says_is_done_without_recorded_steps() -> None:
    one = taught("Run `npm ci` before `npm test`.")
    new = rewritten_steps(STEPS, [one]).steps
    assert new[0].startswith("Run `npm ci` first")
    assert new[1:] == tuple(STEPS)


def test_a_lesson_without_a_remedy_becomes_a_check_where_it_belongs() -> None:
    one = taught("The registry token had expired.", ("npm publish", False))
    new = rewritten_steps(STEPS, [one]).steps
    assert new == (STEPS[0], "Check first: The registry token had expired.", *STEPS[1:])
    assert answers(STEPS, new, [one])[0].answered_by == new[1]


def test_the_same_lesson_twice_is_worked_in_once() -> None:
    both = [taught("The registry token had expired.", number=number) for number in (1, 2)]
    assert len(rewritten_steps(STEPS, both).steps) == len(STEPS) + 1


def test_steps_that_answer_nothing_are_said_to() -> None:
    found = answers(STEPS, [*STEPS, "Rest."], [taught("The registry token had expired.")])
    assert found[0].answered_by is None
    assert "No lesson is answered" in notes_of(found)[0]
    assert answers(STEPS, STEPS, [taught("Tell everyone.")])[0].answered_by is None


COMMANDS = st.sampled_from(["npm test", "npm publish", "make", "git push", "ls", "`", "a\nb", "npm ci", "x" * 400])
TEXTS = st.one_of(st.text(min_size=1, max_size=200), st.sampled_from(["Use `make` instead of `npm test`.", "<!-- x"]))


@given(
    st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=45),
    st.lists(st.tuples(TEXTS, st.lists(st.tuples(COMMANDS, st.booleans()), max_size=6)), max_size=10),
)
def test_for_any_lessons_it_is_bounded_repeatable_and_loses_no_step(
    steps: list[str], told: list[tuple[str, list[tuple[str, bool]]]]
) -> None:
    lessons = [taught(text, *commands, number=number) for number, (text, commands) in enumerate(told)]
    rewrite = rewritten_steps(steps, lessons)
    assert rewrite == rewritten_steps(steps, lessons[::-1])
    assert len(steps) <= len(rewrite.steps) <= max(STEPS_MAX, len(steps))
    assert sum(map(len, rewrite.steps)) <= max(STEPS_MAX_CHARS, sum(map(len, steps)))
    assert len(answers(steps, rewrite.steps, lessons)) == len(lessons)
