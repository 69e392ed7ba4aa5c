"""The arithmetic of reliability, and the bound that the resolver's prior is made of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.lifecycle.reliability import after
from wellworn.models.skill import SkillStats
from wellworn.models.task import Outcome
from wellworn.resolver.reliability import lower_bound, trouble

OUTCOMES = st.lists(st.sampled_from(list(Outcome)), max_size=200)
COUNTS = st.integers(0, 10_000)


def run(outcomes: list[Outcome], reliability: float = 1.0) -> SkillStats:
    stats = SkillStats(reliability=reliability)
    for outcome in outcomes:
        stats = after(stats, outcome)
    return stats


@pytest.mark.parametrize(
    ("before", "outcome", "later"),
    [
        (0.5, Outcome.success, 0.55),
        (1.0, Outcome.success, 1.0),
        (0.5, Outcome.failure, 0.3),
        (0.5, Outcome.partial, 0.45),
        (0.1, Outcome.failure, 0.0),
        (0.0, Outcome.success, 0.1),
    ],
)
def test_each_outcome_moves_reliability_by_its_own_rule(before: float, outcome: Outcome, later: float) -> None:
    assert after(SkillStats(reliability=before), outcome).reliability == pytest.approx(later, abs=1e-12)


def test_a_partial_outcome_counts_as_a_failure() -> None:
    stats = run([Outcome.success, Outcome.partial, Outcome.failure])
    assert (stats.success_count, stats.failure_count) == (1, 2)


def test_four_straight_failures_flag_a_new_skill_and_three_do_not() -> None:
    assert not run([Outcome.failure] * 3).flagged
    assert run([Outcome.failure] * 4).flagged


def test_two_failures_flag_a_repaired_skill_and_one_does_not() -> None:
    assert not run([Outcome.failure], 0.6).flagged  # 0.6 - 0.2 is below 0.4 in floats
    assert run([Outcome.failure] * 2, 0.6).flagged


@pytest.mark.parametrize(("reliability", "flagged"), [(0.39, True), (0.4, False), (0.0, True), (0.3999999999, False)])
def test_the_flag_is_compared_after_rounding(reliability: float, flagged: bool) -> None:
    assert SkillStats(reliability=reliability).flagged is flagged


def test_one_success_takes_the_flag_from_a_skill_just_below_the_line() -> None:
    assert not run([Outcome.success], 0.39).flagged


def test_full_precision_is_kept_so_that_success_always_raises() -> None:
    stats = SkillStats(reliability=0.96)
    for _ in range(100):
        higher = after(stats, Outcome.success)
        assert higher.reliability > stats.reliability
        stats = higher


@given(OUTCOMES, st.floats(0, 1))
def test_reliability_stays_between_0_and_1_and_every_outcome_is_counted(outcomes: list[Outcome], start: float) -> None:
    stats = run(outcomes, start)
    assert 0.0 <= stats.reliability <= 1.0
    assert stats.success_count + stats.failure_count == len(outcomes)


@given(st.floats(0, 1), st.sampled_from(list(Outcome)))
def test_success_never_lowers_and_failure_never_raises(start: float, outcome: Outcome) -> None:
    later = after(SkillStats(reliability=start), outcome).reliability
    assert later >= start if outcome is Outcome.success else later <= start


@given(COUNTS, COUNTS)
def test_the_bound_lies_below_the_rate_and_moves_with_the_counts(successes: int, failures: int) -> None:
    bound = lower_bound(successes, failures)
    assert 0.0 <= bound <= (successes + 4) / (successes + failures + 5)
    assert lower_bound(successes + 1, failures) > bound > lower_bound(successes, failures + 1)


@given(COUNTS)
def test_a_skill_that_never_failed_is_never_lowered(successes: int) -> None:
    assert trouble(successes, 0) == 0.0


def test_more_failures_weigh_more_and_a_long_good_record_outweighs_a_few() -> None:
    assert 0 > trouble(0, 1) > trouble(0, 3) > trouble(0, 9) == -1.0
    assert trouble(90, 10) == 0.0
