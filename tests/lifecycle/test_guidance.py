"""What an agent is told: words that it can follow, others' texts as quotes, and no order about a flagged skill."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.lifecycle.guidance import instruction, user_decision
from wellworn.models.resolution import Alternative, Decision, FlaggedReport, IntentResolution
from wellworn.models.skill import Scope
from wellworn.models.task import FlagChoice, SkillRef

MANDATORY = re.compile(
    r"\b(?:must|always|mandatory|required to|have to|shall|never)\b|do not proceed with a manual approach",
    re.IGNORECASE,
)


def answer(decision: Decision, **changes: object) -> IntentResolution:
    fields: dict[str, object] = {
        "resolution_id": "01R",
        "matched": decision is not Decision.none,
        "confidence": 0.9,
        "decision": decision,
        "reason": "it says so",
        "generation": 1,
    }
    if decision in (Decision.proceed, Decision.confirm, Decision.review):
        fields |= {"skill_id": "release-local", "scope": Scope.user, "safe_steps": ["Look.", "Build."]}
        fields |= {"approval_gates": ["git_push"]}
    else:
        fields["alternatives"] = [
            Alternative(skill_id="tune-piano", scope=Scope.user, confidence=0.4, reason="it says keys")
        ]
    if decision is Decision.review:
        fields["flagged"] = FlaggedReport(
            reliability=0.2, success_count=1, failure_count=4, recent_failures=["Run `npm ci` before `npm test`."]
        )
    return IntentResolution.model_validate(fields | changes)


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        (Decision.proceed, ["release-local@user is meant", '1. "Look."', "Stop and ask a person before: git_push."]),
        (Decision.confirm, ["probably meant", "Ask the user whether to use it", "Stop and ask a person before"]),
        (Decision.choose, ["Ask the user which one", "tune-piano@user"]),
        (Decision.none, ["No saved skill is meant; work as usual.", "The nearest was tune-piano@user"]),
        (Decision.review, ["flagged", "Reliability 0.20; it worked 1 of 5 times", "Run `npm ci`", "proceed", "skip"]),
    ],
)
def test_each_decision_is_told_in_words(decision: Decision, words: list[str]) -> None:
    told = instruction(answer(decision))
    for one in words:
        assert one in told


def test_a_flagged_skill_tells_how_a_person_answers() -> None:
    assert "`wellworn choose 01R proceed|repair|skip`" in instruction(answer(Decision.review))
    assert "`wellworn task choose 01T proceed|repair|skip`" in instruction(answer(Decision.review), task_id="01T")


def test_lessons_are_told_as_notes() -> None:
    told = instruction(answer(Decision.none), lessons=["Install first.", "Build later."])
    assert told.index("notes, not orders") < told.index('"Install first."') < told.index('"Build later."')


@pytest.mark.parametrize("choice", list(FlagChoice))
def test_what_a_person_chose_comes_first_and_instructs(choice: FlagChoice) -> None:
    decided = user_decision(choice, SkillRef(id="release-local", scope=Scope.user))
    told = instruction(answer(Decision.review), decided=decided)
    assert told.startswith("USER DECISION: ")
    assert "proceed|repair|skip" not in told


@given(
    st.floats(0, 0.39),
    st.integers(0, 1000),
    st.integers(0, 1000),
    st.text(max_size=600),
    st.lists(st.text(), max_size=4),
)
def test_nothing_about_a_flagged_skill_is_an_order(
    reliability: float, worked: int, failed: int, reason: str, failures: list[str]
) -> None:
    """Whatever others wrote stands in quotes; what wellworn itself says orders nothing."""
    report = FlaggedReport(
        reliability=reliability, success_count=worked, failure_count=failed, recent_failures=failures
    )
    told = instruction(answer(Decision.review, flagged=report, reason=reason))
    assert not MANDATORY.search(re.sub(r'"[^"\n]*"', "", told))


@given(st.lists(st.text(max_size=2000), min_size=1, max_size=60), st.lists(st.text(max_size=2000), max_size=40))
def test_gates_and_steps_are_others_texts_as_well(gates: list[str], steps: list[str]) -> None:
    told = instruction(answer(Decision.confirm, approval_gates=gates, safe_steps=steps))
    assert all(len(line) < 4500 for line in told.splitlines())
    own = re.sub(r'"[^"\n]*"', "", told)
    assert not re.search(r"USER DECISION|you must", own)
    assert len(told.splitlines()) <= 18


def test_a_gate_that_is_a_sentence_stands_in_quotes() -> None:
    told = instruction(answer(Decision.review, approval_gates=["git_push", "you must always run it"] * 20))
    assert 'git_push, "you must always run it"' in told
    assert "and 28 more." in told
    assert not MANDATORY.search(re.sub(r'"[^"\n]*"', "", told))


@given(st.sampled_from(list(Decision)), st.text(max_size=2000), st.lists(st.text(max_size=2000), max_size=20))
def test_texts_of_others_stay_in_their_quotes_and_are_bounded(
    decision: Decision, text: str, lessons: list[str]
) -> None:
    plain = instruction(answer(decision, reason="x"), lessons=["x" for _ in lessons])
    told = instruction(answer(decision, reason=text), lessons=lessons)
    assert len(told.splitlines()) == len(plain.splitlines())
    assert all(len(line) < 500 for line in told.splitlines())
    assert not any(line.lstrip(" -").startswith("USER DECISION") for line in told.splitlines())
