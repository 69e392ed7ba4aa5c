"""New steps from a model: what it is asked, and what of its answer is taken."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.lifecycle.adviser import AdviserFailed
from wellworn.lifecycle.repairing.asking import MAX_CHARS, MAX_STEPS, ProposedSteps, asked_steps, capped
from wellworn.lifecycle.repairing.remedies import Taught
from wellworn.models.task import Lesson, Outcome

NOW = datetime(2026, 3, 1, tzinfo=UTC)
OLD = ["Look.", "Push the tag."]
SCRIPT = "Build it:\n```sh\n# clean\nmake\n\nmake install\n```"


class Model:
    """Answers with steps, and keeps what it was asked."""

    name = "scripted"

    def __init__(self, *steps: str) -> None:
        self.steps, self.evidence = list(steps), ""

    def ask(self, purpose: str, instructions: str, evidence: str, kind: type[Any]) -> Any:
        assert (purpose, kind) == ("repair", ProposedSteps)
        self.evidence = evidence
        return ProposedSteps(steps=self.steps)


def taught(lesson: str, analysis: str = "", *failed: str) -> Taught:
    told = Lesson(id="l1", ts=NOW, lesson=lesson, analysis=analysis, outcome=Outcome.failure, by="steps")
    return Taught(told, failed=failed)


def steps_from(*answer: str, old: list[str] = OLD) -> list[str]:
    return asked_steps(Model(*answer), "ship-it", old, [])


def test_it_is_asked_with_the_steps_the_lessons_and_what_failed_each_on_a_line_of_its_own() -> None:
    model = Model("Look.")
    lesson = taught("Fetch the\ntags first.", "The tag\nwas old.", "git push\n--tags")
    asked_steps(model, "ship-it", ["Look.", "Push\n\nthe tag."], [lesson])
    assert model.evidence.split("\n") == [
        "skill: ship-it",
        "steps as they are:",
        "1. Look.",
        "2. Push the tag.",
        "lessons of its failures:",
        "- Fetch the tags first.",
        "  (The tag was old.)",
        "commands that failed in those tasks:",
        "- git push --tags",
    ]


@pytest.mark.parametrize(
    "answer", [[], ["", " \n\t"], ["# Only a heading", "---", "```"], ["<!--", "-->"], ["x" * 4000]]
)
def test_an_answer_without_a_usable_step_is_none(answer: list[str]) -> None:
    with pytest.raises(AdviserFailed):
        steps_from(*answer)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("1. Look.", "Look."),
        ("1. 2) - Look.", "Look."),
        ("- [ ] Look.", "[ ] Look."),
        ("Look.\n\nCarefully.", "Look. Carefully."),
        ("## Steps\nLook.", "Look."),
        ("1. # Rules\nLook.", "Look."),
        ("<!---->## Steps\nLook.", "Look."),
        ("<!-- hidden -->Look.", "hidden Look."),
        ("<!<!----Look.", "<! --Look."),
        ("1.\nLook.", "Look."),
        ("Lo\x1bok\x00.\x07", "Look."),
        ("<!\x1b--Look.", "Look."),
    ],
)
def test_a_step_is_plain_text_without_numbers_headings_comments_and_controls(given: str, kept: str) -> None:
    assert capped([given]) == [kept]


pieces = st.sampled_from(
    ["1. ", "2) ", "- ", "# ", "## Steps", "<!--", "-->", "<!", "--", ">", "```", "\n", "\r", "\x1b", "Look", " ", "é"]
)


@given(st.lists(st.lists(pieces, max_size=12).map("".join) | st.text(max_size=60), max_size=50))
def test_whatever_it_answers_is_taken_as_few_short_and_plain_steps(answer: list[str]) -> None:
    kept = capped(answer)
    assert len(kept) <= MAX_STEPS
    assert sum(map(len, kept)) <= MAX_CHARS
    for step in kept:
        assert step == " ".join(step.split())
        assert step
        assert not re.match(r"\d+[.)]\s|[-*+]\s|#{1,6}\s|```|~~~", step)
        assert "<!--" not in step
        assert "-->" not in step
        assert not re.search(r"[\x00-\x1f\x7f-\x9f]", step)
    assert capped(kept) == kept


def test_a_long_answer_is_cut_at_whole_steps() -> None:
    assert capped([f"Step {number}." for number in range(100)]) == [f"Step {number}." for number in range(MAX_STEPS)]
    long = [f"{number} {'x' * 1000}" for number in range(10)]
    assert capped(long) == long[: MAX_CHARS // 1002]


def test_a_cut_that_would_lose_steps_that_the_skill_has_is_no_answer() -> None:
    old = [f"Do part {number}." for number in range(50)]
    with pytest.raises(AdviserFailed, match="too long"):
        steps_from("Fetch first.", *old, old=old)
    assert len(steps_from(*OLD, *(f"And {number}." for number in range(60)))) == MAX_STEPS


@pytest.mark.parametrize("echo", [SCRIPT, " ".join(SCRIPT.split())], ids=["as it is", "on one line, as it was told"])
def test_a_step_that_it_keeps_stays_as_it_was_written(echo: str) -> None:
    old = ["Look.", SCRIPT, "Push the tag."]
    assert steps_from("Look.", echo, "Fetch the tags.", "Push the tag.", old=old) == [
        "Look.",
        SCRIPT,
        "Fetch the tags.",
        "Push the tag.",
    ]


def test_a_long_step_that_it_was_told_in_part_stays_whole() -> None:
    long = "Say " + "why and " * 200 + "how."
    assert steps_from("Look.", long[:1000], old=["Push.", long]) == ["Look.", long]


def test_a_step_that_is_there_twice_stays_twice_and_one_that_is_repeated_at_once_is_not() -> None:
    old = ["Run `make test`.", "Mend it.", "Run `make test`."]
    assert steps_from(*old, "Push.", "Push.", old=old) == [*old, "Push."]
