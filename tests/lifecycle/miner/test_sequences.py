"""Repeated sequences of commands: what counts as one, and what does not."""

from __future__ import annotations

import random

from tests.lifecycle.miner.traces import everyday, found, mined

from wellworn.models.proposal import Signal

DEPLOY = ["make bundle", "rsync -a out/ host:/srv", "ssh host restart-app", "curl -f https://host/health"]


def test_the_same_commands_in_three_sessions_are_a_pattern() -> None:
    [pattern] = mined([["poetry lock", "poetry install", "make stubs"]] * 3).patterns
    assert pattern.keys == ("poetry lock", "poetry install", "make stubs")
    assert (pattern.support, pattern.sessions, pattern.days) == (3, 3, 3)
    assert pattern.signal is Signal.command_sequence


def test_what_was_asked_for_anew_after_a_pause_is_another_piece_of_work() -> None:
    docs = ["git pull --rebase", "mkdocs build", "rsync -a site/ web:/srv", "curl -f https://docs/health"]
    fix = ["! pytest tests/login # error: no such table", "alembic upgrade head", "pytest tests/login"]
    session = ["user: put the docs online", *docs, "pause", "user: now fix the login", *fix]
    patterns = mined([session] * 6).patterns
    assert [one.keys for one in patterns if one.signal is Signal.command_sequence or "mkdocs build" in one.keys] == [
        ("git pull", "mkdocs build", "rsync", "curl")
    ]
    [recovery] = [one for one in patterns if one.signal is Signal.failure_recovery]
    assert recovery.keys[-1] == "pytest"


def test_a_message_on_the_way_does_not_part_what_is_one_piece_of_work() -> None:
    session = ["user: release it", *DEPLOY[:2], "user: go on", *DEPLOY[2:]]
    [pattern] = mined([session] * 5).patterns
    assert len(pattern.keys) == len(DEPLOY)


def test_a_step_that_failed_and_was_run_again_in_the_end_is_a_retry() -> None:
    session = [
        "make bundle",
        "rsync -a out/ host:/srv",
        "! pytest tests/smoke",
        "ssh host restart",
        "pytest tests/smoke",
    ]
    [pattern] = [one for one in mined([session] * 6).patterns if "make bundle" in one.keys]
    assert pattern.success_rate == 1.0


def test_two_times_are_not_enough() -> None:
    assert mined([["poetry lock", "poetry install", "make stubs"]] * 2).patterns == ()


def test_one_session_alone_is_no_pattern_however_often_it_repeats_itself() -> None:
    assert mined([["poetry lock", "poetry install", "make stubs"] * 8]).patterns == ()


def test_two_commands_are_no_sequence() -> None:
    assert found([["poetry lock", "poetry install"]] * 6, Signal.command_sequence) == []


def test_arguments_do_not_make_it_another_pattern() -> None:
    sessions = [
        [
            f"npm version 1.{n}.0",
            f"git push origin rel-{n}",
            f"npm publish --tag next{n}",
            f"npm install -g shop@1.{n}.0",
        ]
        for n in range(4)
    ]
    [pattern] = mined(sessions).patterns
    assert pattern.support == 4
    assert pattern.signal is Signal.release_ritual


def test_what_only_looks_and_edits_between_the_steps_do_not_break_it_and_are_no_part_of_it() -> None:
    noisy = [step for part in DEPLOY for step in ("git status", "ls -la", part, "cat README.md", "edit: notes.md")]
    [pattern] = mined([DEPLOY, noisy, noisy, DEPLOY]).patterns
    assert pattern.support == 4
    assert len(pattern.keys) == 4


def test_lines_with_and_between_commands_are_the_same_as_one_after_the_other() -> None:
    joined = [" && ".join(DEPLOY[:2]), "; ".join(DEPLOY[2:])]
    [pattern] = mined([DEPLOY, joined, DEPLOY, joined]).patterns
    assert pattern.support == 4


def test_neighbours_that_are_swapped_now_and_then_leave_it_one_pattern_in_its_usual_order() -> None:
    swapped = [DEPLOY[0], DEPLOY[2], DEPLOY[1], DEPLOY[3]]
    [pattern] = mined([DEPLOY, swapped, DEPLOY, DEPLOY]).patterns
    assert pattern.keys[0] == "make bundle"
    assert pattern.support == 4


def test_a_step_that_failed_and_was_run_again_is_one_step_that_worked() -> None:
    retried = [DEPLOY[0], "! " + DEPLOY[1], DEPLOY[1], *DEPLOY[2:]]
    [pattern] = mined([DEPLOY, retried, DEPLOY]).patterns
    assert pattern.success_rate == 1.0


def test_broken_off_times_lower_the_consistency_and_are_no_pattern_of_their_own() -> None:
    [pattern] = mined([DEPLOY] * 6 + [DEPLOY[:3]] * 0 + [DEPLOY[:2]] * 3).patterns
    assert pattern.support == 6
    assert pattern.consistency < 1.0


def test_part_of_a_pattern_is_reported_only_when_it_has_support_of_its_own() -> None:
    start = DEPLOY[:3]
    assert len(mined([DEPLOY] * 5).patterns) == 1
    own = mined([DEPLOY] * 5 + [[*start, "echo done", *everyday(1, 12, seed)[0]] for seed in range(5)]).patterns
    assert sorted(len(one.keys) for one in own) in ([3, 4], [4])


def test_everyday_work_holds_no_sequence() -> None:
    for seed in range(5):
        assert found(everyday(60, seed=seed), Signal.command_sequence) == []
        assert found(everyday(60, seed=seed), Signal.release_ritual) == []


def test_a_ritual_is_found_among_everyday_work() -> None:
    dice = random.Random(3)
    sessions = everyday(60, seed=3)
    for number in range(0, 30, 6):
        at = dice.randrange(10, 30)
        sessions[number][at:at] = DEPLOY
    keys = [set(one.keys) for one in mined(sessions).patterns]
    assert any({"make bundle", "rsync"} <= one or len(one) >= 3 for one in keys)
    assert len(keys) == 1


def test_the_same_commands_in_any_order_are_no_sequence() -> None:
    dice = random.Random(5)
    steps = ["make docs", "npm run lint", "cargo build", "mypy .", "poetry lock"]
    sessions = [dice.sample(steps, len(steps)) for _ in range(8)]
    assert found(sessions, Signal.command_sequence) == []


def test_the_same_traces_give_the_same_answer() -> None:
    sessions = everyday(30, seed=9) + [DEPLOY] * 4
    assert mined(sessions) == mined(sessions)
