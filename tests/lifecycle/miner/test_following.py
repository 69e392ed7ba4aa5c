"""What answers a failure, a warning, a review; and what the user says again and again."""

from __future__ import annotations

from tests.lifecycle.miner.traces import everyday, found, mined

from wellworn.models.proposal import Signal

MISSING = "! npm test # error: Error: Cannot find module 'left-pad'"


def test_the_same_failure_with_the_same_way_out_is_a_recovery() -> None:
    [pattern] = found(
        [["npm run build", MISSING, "npm ci", "npm test"]] * 3 + [["npm test"]] * 5, Signal.failure_recovery
    )
    assert pattern.keys == ("npm ci", "npm test")
    assert pattern.cause is not None
    assert "npm test" in pattern.cause


def test_a_way_out_that_does_not_help_lowers_the_success_rate() -> None:
    helped = ["npm run build", MISSING, "npm ci", "npm test"]
    [pattern] = found([helped] * 4 + [[MISSING, "npm ci", MISSING]], Signal.failure_recovery)
    assert pattern.success_rate == 0.8


def test_a_failure_that_is_mended_in_another_way_each_time_is_none() -> None:
    sessions = [["! pytest", f"edit: a{n}.py", "pytest"] for n in range(6)]
    assert found(sessions, Signal.failure_recovery) == []


def test_what_follows_a_command_also_when_it_works_is_no_way_out() -> None:
    worked = [["git add .", "git commit -m x", "git add ."]] * 20
    failed = [["! git add .", "git commit -m x", "git add ."]] * 5
    assert found(worked + failed, Signal.failure_recovery) == []


def test_a_warning_that_is_always_resolved_alike_is_a_pattern() -> None:
    sessions = [
        [f"advice: warning: the lock file of package {n} is out of date", "uv lock", "pytest"] for n in range(4)
    ]
    [pattern] = found(sessions + everyday(20, seed=2), Signal.advisor_warning)
    assert pattern.keys[0] == "uv lock"


def test_warnings_that_are_resolved_in_different_ways_are_none() -> None:
    answers = ["uv lock", "make docs", "cargo build", "npm ci", "poetry lock"]
    sessions = [["advice: warning: the change is large", answers[n]] for n in range(5)]
    assert found(sessions, Signal.advisor_warning) == []


def review(number: int) -> list[str]:
    again = ["edit: a.py", "pytest -q", "git push"]
    return [
        "review: ! codex review: 2 high, 1 medium",
        *again,
        f"review: ! codex review: {number % 2 + 1} medium",
        *again,
        "review: codex review: no high or medium concerns",
    ]


def test_review_fix_check_review_until_clean_is_a_loop() -> None:
    [pattern] = found([review(n) for n in range(4)] + everyday(20, seed=4), Signal.review_loop)
    assert pattern.cause == "codex"
    assert "git push" in pattern.keys
    assert pattern.success_rate == 1.0


def test_single_reviews_are_no_loop() -> None:
    assert found([["review: ! codex review: 1 high", "edit: a.py", "pytest"]] * 6, Signal.review_loop) == []


def test_the_same_correction_in_several_sessions_is_a_pattern() -> None:
    said = ["no, use pnpm not npm", "please use pnpm, not npm", "use pnpm instead of npm"]
    [pattern] = found(
        [["user: install it", "npm install", f"user: {text}"] for text in said], Signal.repeated_correction
    )
    assert pattern.support == 3


def test_different_corrections_are_none() -> None:
    said = ["no, use pnpm", "no, call it Basket", "not that branch, use main"]
    assert found([[f"user: {text}"] for text in said], Signal.repeated_correction) == []


def test_the_same_checklist_before_a_merge_is_a_pattern() -> None:
    said = "before we merge: run the tests, update the changelog and check the docs"
    [pattern] = found([[f"user: {said}", "pytest"], [f"user: {said}!"], [f"user: ok, {said}"]], Signal.manual_checklist)
    assert pattern.support == 3


def test_nothing_is_found_in_nothing() -> None:
    assert mined([]).patterns == ()
    assert mined([[]]).facts == ()
