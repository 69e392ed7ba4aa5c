"""The figures: worked examples by hand, and properties that must hold for any input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from wellworn.resolver.evaluation import metrics

SCORES = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.5000001, 0.75, 1.0]), min_size=1, max_size=40)


def test_top_k_counts_ranks_within_k_and_zero_as_missing() -> None:
    assert metrics.top_k([1, 2, 0, 5], 1) == 0.25
    assert metrics.top_k([1, 2, 0, 5], 3) == 0.5
    assert metrics.top_k([1, 2, 0, 5], 5) == 0.75


def test_mean_reciprocal_rank_is_the_mean_of_one_over_rank() -> None:
    assert metrics.mean_reciprocal_rank([1, 2, 0, 4]) == pytest.approx((1 + 0.5 + 0 + 0.25) / 4)


def test_ndcg_discounts_by_the_logarithm_of_the_rank_and_cuts_at_ten() -> None:
    assert metrics.ndcg([1, 3, 11, 0], 10) == pytest.approx((1 + 1 / math.log2(4)) / 4)


def test_auroc_counts_ties_as_half() -> None:
    assert metrics.auroc([0.9, 0.5], [0.5, 0.1]) == pytest.approx((1 + 1 + 0.5 + 1) / 4)


@given(SCORES, SCORES)
def test_auroc_agrees_with_scikit_learn(positives: list[float], negatives: list[float]) -> None:
    labels = [1] * len(positives) + [0] * len(negatives)
    assert metrics.auroc(positives, negatives) == pytest.approx(roc_auc_score(labels, positives + negatives))


def test_false_positive_rate_is_taken_where_enough_positives_pass() -> None:
    positives = [i / 20 for i in range(1, 21)]  # 19 of 20 are >= 0.10
    assert metrics.false_positive_rate_at(positives, [0.05, 0.10, 0.5, 0.01]) == 0.5


@given(SCORES, SCORES)
def test_false_positive_rate_never_gets_by_on_too_little_recall(positives: list[float], negatives: list[float]) -> None:
    rate = metrics.false_positive_rate_at(positives, negatives)
    thresholds = [t for t in positives if np.mean(np.array(positives) >= t) >= 0.95]
    assert rate == np.mean(np.array(negatives) >= max(thresholds))


def test_calibration_error_weighs_the_gaps_of_fifteen_equal_bins() -> None:
    confidences, correct = [0.91, 0.92, 0.31, 0.32], [1, 0, 0, 1]
    by_hand = 0.5 * abs(0.915 - 0.5) + 0.5 * abs(0.315 - 0.5)
    assert metrics.expected_calibration_error(confidences, correct) == pytest.approx(by_hand)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60))
def test_calibration_error_is_the_weighted_gap_of_the_reliability_bins(rows: list[tuple[float, bool]]) -> None:
    confidences, correct = zip(*rows, strict=True)
    bins = metrics.reliability_bins(confidences, correct)
    assert sum(each.n for each in bins) == len(rows)
    gaps = sum(each.n * abs((each.confidence or 0) - (each.correct or 0)) for each in bins if each.n)
    assert metrics.expected_calibration_error(confidences, correct) == pytest.approx(gaps / len(rows), abs=1e-9)


def test_a_confidence_of_one_falls_into_the_last_bin() -> None:
    assert metrics.reliability_bins([1.0, 0.0], [1, 0])[-1].n == 1


def test_brier_is_the_mean_squared_error() -> None:
    assert metrics.brier([0.8, 0.4], [1, 0]) == pytest.approx((0.04 + 0.16) / 2)


def test_coverage_and_precision_treat_equal_confidences_as_one_step() -> None:
    thresholds, coverage, precision = metrics.coverage_and_precision([0.9, 0.5, 0.5, 0.2], [1, 1, 0, 0])
    assert thresholds.tolist() == [0.9, 0.5, 0.2]
    assert coverage.tolist() == [0.25, 0.75, 1.0]
    assert precision.tolist() == pytest.approx([1.0, 2 / 3, 0.5])


def test_percentiles_interpolate() -> None:
    assert metrics.percentile([1, 2, 3, 4], 50) == 2.5


@pytest.mark.parametrize(
    "figure",
    [
        lambda: metrics.top_k([], 1),
        lambda: metrics.mean_reciprocal_rank([]),
        lambda: metrics.ndcg([]),
        lambda: metrics.auroc([], [0.5]),
        lambda: metrics.auroc([0.5], []),
        lambda: metrics.false_positive_rate_at([], []),
        lambda: metrics.expected_calibration_error([], []),
        lambda: metrics.brier([], []),
        lambda: metrics.percentile([], 50),
        lambda: metrics.bootstrap_interval(lambda rows: 1.0, [0, 0]),
    ],
)
def test_a_figure_over_nothing_is_none_and_not_zero(figure: object) -> None:
    assert callable(figure)
    assert figure() is None


def test_the_bootstrap_interval_of_a_share_is_near_the_binomial_one() -> None:
    values = np.array([1.0] * 80 + [0.0] * 20)
    interval = metrics.bootstrap_interval(lambda rows: float(values[rows].mean()), [100], seed=1, resamples=2000)
    assert interval is not None
    assert interval == pytest.approx((0.72, 0.875), abs=0.015)


def test_the_bootstrap_is_the_same_for_the_same_seed() -> None:
    def statistic(rows: metrics.IntArray) -> float:
        return float(rows.mean())

    assert metrics.bootstrap_interval(statistic, [30], seed=3) == metrics.bootstrap_interval(statistic, [30], seed=3)


def test_the_bootstrap_keeps_the_size_of_each_stratum() -> None:
    sizes: set[tuple[int, int]] = set()

    def statistic(rows: metrics.IntArray) -> float:
        sizes.add((int((rows < 7).sum()), int((rows >= 7).sum())))
        return 0.0

    metrics.bootstrap_interval(statistic, [7, 3], resamples=20)
    assert sizes == {(7, 3)}
