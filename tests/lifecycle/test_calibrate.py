"""Two numbers are fitted by their likelihood, and judged on messages that came later."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from wellworn.lifecycle.calibrate import ENOUGH, Judgement, Label, calibration_error, chosen, fit, log_loss, refit
from wellworn.resolver.calibration import NEUTRAL, softmax_with_outside


def world_of(scale: float, shift: float, count: int = 2000, seed: int = 7) -> list[Judgement]:
    """Messages whose true probabilities are those of `scale` and `shift` on top of what the scores say."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        scores, outside = random.normal(0.0, 2.0, 4), float(random.normal(1.0, 1.0))
        shares = softmax_with_outside(scores * scale, outside * scale + shift)
        drawn = int(random.choice(5, p=[*shares, 1 - shares.sum()]))
        made.append(Judgement(scores, outside, None if drawn == 4 else drawn))
    return made


@pytest.mark.parametrize(("scale", "shift"), [(1.0, 0.0), (0.4, 0.0), (2.0, -1.0), (0.7, 1.5)])
def test_the_numbers_that_made_the_data_are_found(scale: float, shift: float) -> None:
    found = fit(world_of(scale, shift))
    assert found == pytest.approx((scale, shift), abs=0.15)


def test_overconfidence_is_mended_on_messages_that_were_not_fitted_on() -> None:
    done = refit(world_of(0.3, 0.0, 600))
    assert done.better
    assert done.held_out == 180
    assert done.ece_after < done.ece_before
    assert done.scale < 0.5


def test_what_only_the_past_says_is_not_kept() -> None:
    past = [Judgement(np.array([2.0, 0.0]), 0.0, 1)] * 70
    present = [Judgement(np.array([2.0, 0.0]), 0.0, 0)] * 30
    assert not refit([*past, *present]).better


def test_a_few_messages_move_the_numbers_little() -> None:
    scale, shift = fit([Judgement(np.array([3.0]), 0.0, None)] * 2)
    assert 0.5 < scale < 1.0
    assert 0.0 < shift < 2.5


def labels(key_id: str | None, count: int, *, person: bool = False, start: int = 0) -> list[Label]:
    return [Label(key_id, person, f"{key_id} {number}") for number in range(start, start + count)]


def chosen_of(all_labels: list[Label]) -> dict[str | None, int]:
    return dict(Counter(all_labels[place].key_id for place in chosen(all_labels)))


def test_agents_are_not_heard() -> None:
    assert chosen_of([*labels("bot", 2000), *labels(None, ENOUGH, person=True)]) == {None: ENOUGH}
    assert chosen_of([*labels("bot", 100), *labels(None, ENOUGH - 1, person=True)]) == {None: ENOUGH - 1}
    assert chosen_of(labels("bot", 500)) == {}


def test_one_person_alone_is_heard_whole() -> None:
    assert chosen_of(labels("reviewer", 500, person=True)) == {"reviewer": 500}


def test_a_key_that_repeats_a_text_is_heard_once_with_its_last_word() -> None:
    again = [Label("reviewer", True, "same")] * 40
    assert chosen([*labels("reviewer", 2, person=True), *again]) == [0, 1, 41]


KEYS = st.sampled_from([(None, True), ("reviewer", True), ("bot", False), ("other", False), ("third", False)])


@settings(deadline=None)
@given(st.lists(KEYS, min_size=1, max_size=300))
def test_no_key_outweighs_all_others_nor_agents_the_persons(drawn: list[tuple[str | None, bool]]) -> None:
    given_labels = [Label(key_id, person, str(place)) for place, (key_id, person) in enumerate(drawn)]
    places = chosen(given_labels)
    assert places == sorted(set(places))
    heard = [given_labels[place] for place in places]
    counts = Counter(label.key_id for label in heard)
    if sum(label.person for label in given_labels) >= ENOUGH:
        assert all(label.person for label in heard)
    eligible = Counter(label.key_id for label in given_labels if label.person or not all(one.person for one in heard))
    for key_id, count in counts.items():
        others = sum(number for other, number in eligible.items() if other != key_id)
        assert len(counts) == 1 or count <= max(ENOUGH, others)


def test_whatever_is_said_the_numbers_stay_within_bounds() -> None:
    never = [Judgement(np.array([9.0, 0.0]), -9.0, None)] * 5000
    always = [Judgement(np.array([0.1, 0.0]), 0.0, 0)] * 5000
    for lie in (never, always):
        scale, shift = fit(lie)
        assert 0.25 <= scale <= 4.0
        assert -3.0 <= shift <= 3.0


FLOATS = st.floats(-50, 50, allow_nan=False)
JUDGEMENTS = st.lists(
    st.tuples(st.lists(FLOATS, min_size=1, max_size=6), FLOATS, st.integers(-1, 5)), min_size=1, max_size=12
)


@settings(max_examples=60, deadline=None)
@given(JUDGEMENTS)
def test_the_fit_is_finite_and_never_worse_than_no_fit_on_its_own_data(
    drawn: list[tuple[list[float], float, int]],
) -> None:
    judgements = [
        Judgement(np.array(scores), outside, None if not 0 <= meant < len(scores) else meant)
        for scores, outside, meant in drawn
    ]
    found = fit(judgements)
    assert np.isfinite(found).all()
    assert found[0] > 0
    assert log_loss(judgements, found) <= log_loss(judgements, NEUTRAL) + 1e-9


def test_the_order_of_candidates_never_changes() -> None:
    scores: NDArray[np.float64] = np.array([3.0, 1.0, 2.0])
    shares = softmax_with_outside(scores * 0.2, 5.0)
    assert shares.argsort().tolist() == scores.argsort().tolist()


def test_perfect_confidence_has_no_calibration_error() -> None:
    assert calibration_error([Judgement(np.array([900.0, 0.0]), 0.0, 0)] * 5, NEUTRAL) == pytest.approx(0.0)
