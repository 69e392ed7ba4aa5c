"""Which turns may be reviewed: every rule by its name, and the count to the next review."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.lifecycle.review.eligibility import (
    Exchange,
    Standing,
    against_account,
    against_turn,
    count,
    proven_calls,
    rules,
)
from wellworn.models.turn import ToolCall, Turn, TurnEnding, TurnOrigin

WILLING = Standing(opted_in=True, reviewer="someone", needs_model=False, has_model=False, budget=1)
ORDER = ["opted-in", "origin", "ending", "min-tool-calls", "reviewer", "budget", "no-model"]
GOOD = Exchange(TurnOrigin.cli, TurnEnding.completed, proven=5, least=5)


def test_a_completed_turn_of_a_willing_person_is_eligible() -> None:
    assert against_turn(WILLING, GOOD) is None


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"opted_in": False}, "opted-in"),
        ({"reviewer": None}, "reviewer"),
        ({"budget": 0}, "budget"),
        ({"needs_model": True}, "no-model"),
    ],
)
def test_what_is_against_an_account_is_named(change: dict[str, object], rule: str) -> None:
    found = against_account(replace(WILLING, **change))  # type: ignore[arg-type]
    assert found is not None
    assert found.name == rule
    assert against_turn(replace(WILLING, **change), GOOD) == found  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"origin": TurnOrigin.channel}, "origin"),
        ({"origin": TurnOrigin.internal}, "origin"),
        ({"origin": TurnOrigin.automated}, "origin"),
        ({"ending": TurnEnding.failed}, "ending"),
        ({"ending": TurnEnding.steered}, "ending"),
        ({"ending": TurnEnding.compacted}, "ending"),
        ({"proven": 4}, "min-tool-calls"),
    ],
)
def test_what_is_against_a_turn_is_named(change: dict[str, object], rule: str) -> None:
    found = against_turn(WILLING, replace(GOOD, **change))  # type: ignore[arg-type]
    assert found is not None
    assert found.name == rule


@pytest.mark.parametrize("origin", [TurnOrigin.web, TurnOrigin.cli])
def test_a_turn_from_the_web_or_the_command_line_is_a_persons(origin: TurnOrigin) -> None:
    assert against_turn(WILLING, replace(GOOD, origin=origin)) is None


def test_a_reviewer_that_needs_a_model_is_content_with_one() -> None:
    assert against_account(replace(WILLING, needs_model=True, has_model=True)) is None


def test_only_calls_that_are_known_to_have_succeeded_are_proven() -> None:
    calls = [ToolCall(tool="Bash", success=success) for success in (True, None, False, True)]
    turn = Turn(id="t", origin=TurnOrigin.cli, ending=TurnEnding.completed, calls=calls)
    assert proven_calls(turn) == 2


def test_rules_have_names_of_their_own() -> None:
    names = [rule.name for rule in rules()]
    assert len(set(names)) == len(names)


@given(st.sets(st.integers(0, 6)))
def test_of_several_rules_that_speak_against_a_turn_the_first_is_named(broken: set[int]) -> None:
    standing = Standing(
        opted_in=0 not in broken,
        reviewer=None if 4 in broken else "someone",
        needs_model=True,
        has_model=6 not in broken,
        budget=0 if 5 in broken else 1,
    )
    exchange = Exchange(
        TurnOrigin.internal if 1 in broken else TurnOrigin.web,
        TurnEnding.steered if 2 in broken else TurnEnding.completed,
        proven=4 if 3 in broken else 5,
        least=5,
    )
    assert [rule.name for rule in rules()] == ORDER
    found = against_turn(standing, exchange)
    assert (None if found is None else found.name) == (ORDER[min(broken)] if broken else None)


@given(st.lists(st.integers(1, 500), max_size=50), st.integers(1, 1000))
def test_a_review_is_armed_exactly_when_so_many_calls_were_counted(turns: list[int], every: int) -> None:
    counted, since = 0, 0
    for proven in turns:
        since += proven
        counted, armed = count(counted, proven, every)
        assert armed == (since >= every)
        since = 0 if armed else since
        assert counted == since < every
