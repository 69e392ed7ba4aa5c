"""From features to confidences: probabilities, explained exactly, moved by context only within bounds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wellworn.index.segment import FIELD_CODES, FIELDS
from wellworn.index.view import FieldCosines
from wellworn.models.skill import UtteranceField
from wellworn.resolver.features import BOUNDED, FITTED, Features, Kind, far_away
from wellworn.resolver.parameters import GATE, Parameters, load_parameters
from wellworn.resolver.scoring import CONTEXT, score

_NOTHING = np.empty((0, 0), np.float32)
NO_COSINES = FieldCosines(_NOTHING, _NOTHING, _NOTHING, np.empty((0, 0), np.int64))
PARAMETERS: Parameters = load_parameters("none")[0]


def features_of(*rows: dict[str, float], kind: Kind = Kind.description) -> Features:
    return Features(
        fitted=np.array([[row.get(name, 0.0) for name in FITTED] for row in rows]),
        bounded=np.array([[row.get(name, 0.0) for name in BOUNDED] for row in rows]),
        kinds=np.full(len(rows), kind, dtype=np.int64),
        cosines=NO_COSINES,
        size=100,
        words=8,
        level=0.0,
    )


NEAR = {
    "description": 0.7,
    "wholeText": 0.3,
    "shortText": 0.4,
    "characters": 0.3,
    "name": 0.5,
    "charactersCovered": 0.5,
}
FAR = {name: value / 4 for name, value in NEAR.items()}
unit = st.floats(-1, 1, allow_nan=False)
rows = st.lists(
    st.fixed_dictionaries({name: st.floats(0, 1) for name in FITTED} | dict.fromkeys(BOUNDED, unit)),
    min_size=1,
    max_size=8,
)


@settings(deadline=None)
@given(rows, st.floats(0, 1), st.sampled_from([*Kind]))
def test_confidences_are_probabilities_that_leave_room_for_none(
    given_rows: list[dict[str, float]], penalty: float, kind: Kind
) -> None:
    scores = score(features_of(*given_rows, kind=kind), penalty, PARAMETERS)
    assert (scores.confidences >= 0).all()
    assert scores.confidences.sum() <= 1.0 + 1e-9


@settings(deadline=None)
@given(rows, st.floats(0, 1))
def test_contributions_add_up_to_every_score(given_rows: list[dict[str, float]], penalty: float) -> None:
    scores = score(features_of(*given_rows), penalty, PARAMETERS)
    assert np.allclose((scores.values * scores.weights).sum(axis=1), scores.scores)
    assert sum(value * weight for _, value, weight in scores.outside_parts) == pytest.approx(scores.outside)
    everything = np.append(scores.scores, scores.outside)
    odds = np.exp(everything - everything.max())
    assert np.allclose(odds[:-1] / odds.sum(), scores.confidences)


def best(*given_rows: dict[str, float], penalty: float = 0.0) -> float:
    return float(score(features_of(*given_rows), penalty, PARAMETERS).confidences[0])


def test_the_nearer_skill_is_the_more_likely_one() -> None:
    assert best(NEAR, FAR) > best(FAR, NEAR)


def test_a_message_far_from_everything_means_nothing() -> None:
    assert best(FAR, FAR, FAR) < 0.3


def test_an_exact_alias_decides_alone() -> None:
    assert best({**FAR, "name": 1.0, "exact": 1.0}, NEAR) > 0.85


def test_a_mood_that_is_no_request_lowers_every_confidence() -> None:
    assert best({**NEAR, "exact": 1.0}, FAR, penalty=1.0) < best({**NEAR, "exact": 1.0}, FAR)
    assert best(NEAR, FAR, penalty=1.0) < 0.3


def test_a_negative_or_an_exclusion_that_is_met_silences_a_skill() -> None:
    for name in ("negative", "excluded"):
        assert best({**NEAR, name: 1.0}, FAR) < 0.5, name


def odds(confidence: float) -> float:
    return float(np.log(confidence / (1.0 - confidence)))


@settings(deadline=None)
@given(st.fixed_dictionaries(dict.fromkeys(CONTEXT, unit)))
def test_the_context_moves_a_skills_odds_within_its_bound(context: dict[str, float]) -> None:
    moved = odds(best({**NEAR, **context}, FAR)) - odds(best(NEAR, FAR))
    assert abs(moved) <= PARAMETERS.context_bound + 1e-6


def test_a_missing_context_changes_nothing() -> None:
    plain = score(features_of(NEAR, FAR), 0.0, PARAMETERS)
    stated = score(features_of({**NEAR, "goal": 0.0}, FAR), 0.0, PARAMETERS)
    assert np.array_equal(plain.confidences, stated.confidences)


def test_a_matching_context_tips_the_balance_between_two_alike() -> None:
    first, second = score(features_of({**NEAR, "triggerFact": 1.0}, NEAR), 0.0, PARAMETERS).confidences
    assert first > 1.5 * second


def test_a_lone_candidate_is_judged_too() -> None:
    assert 0.0 < best(NEAR) < 1.0


def test_the_gate_is_what_separates_any_from_none() -> None:
    features = features_of(NEAR, FAR)
    shut = {kind.name: dict.fromkeys(GATE, 0.0) | {"constant": -50.0} for kind in Kind}
    assert score(features, 0.0, replace_gate(shut)).confidences.sum() < 1e-9
    opened = {kind.name: dict.fromkeys(GATE, 0.0) | {"constant": 50.0} for kind in Kind}
    assert score(features, 0.0, replace_gate(opened)).confidences.sum() == pytest.approx(1.0)


def replace_gate(gate: dict[str, dict[str, float]]) -> Parameters:
    return Parameters.model_validate({**PARAMETERS.model_dump(), "gate": gate})


def test_kinds_are_weighed_each_by_its_own_row() -> None:
    rank = PARAMETERS.model_dump()["rank"]
    rank[Kind.body.name]["kind"] += 3.0
    changed = Parameters.model_validate({**PARAMETERS.model_dump(), "rank": rank})
    features = replace(features_of(NEAR, NEAR), kinds=np.array([Kind.body, Kind.description], dtype=np.int64))
    before, after = score(features, 0.0, PARAMETERS).scores, score(features, 0.0, changed).scores
    assert after[0] > before[0]
    assert after[1] == before[1]


def cosines(**best_of: float) -> FieldCosines:
    """One candidate's best cosines by field."""
    row = np.full((1, len(FIELDS)), np.nan, dtype=np.float32)
    for name, cosine in best_of.items():
        row[0, FIELD_CODES[UtteranceField(name)]] = cosine
    return FieldCosines(row, row, row, np.full(row.shape, -1, dtype=np.int64))


@pytest.mark.parametrize(
    ("found", "far"),
    [
        ({"name": 0.9, "description": 0.1}, 1.0),
        ({"name": 0.9}, 1.0),
        ({"name": 0.1, "description": 0.5}, 0.0),
        ({"description": 0.1, "body": 0.4}, 0.0),
        ({"description": 0.1, "negative": 0.9}, 1.0),
    ],
)
def test_a_skill_is_far_away_when_only_its_name_is_near(found: dict[str, float], far: float) -> None:
    features = replace(features_of({"name": 0.9}), cosines=cosines(**found))
    assert far_away(features, 0) == pytest.approx(far)


def test_what_is_far_away_is_less_likely_meant() -> None:
    near, away = (
        replace(features_of({"name": 0.9, "description": cosine}), cosines=cosines(name=0.9, description=cosine))
        for cosine in (0.31, 0.3 - 1e-6)
    )
    assert score(near, 0.0, PARAMETERS).confidences[0] >= score(away, 0.0, PARAMETERS).confidences[0] - 1e-4
    lone = replace(features_of({"name": 0.9, "description": 0.1}), cosines=cosines(name=0.9, description=0.1))
    unguarded = PARAMETERS.model_copy(update={"far_away": 0.0})
    assert score(lone, 0.0, PARAMETERS).confidences[0] < score(lone, 0.0, unguarded).confidences[0]


def test_an_exact_name_is_never_far_away() -> None:
    features = replace(features_of({"name": 1.0, "exact": 1.0}), cosines=cosines(name=1.0))
    assert far_away(features, 0) == 0.0
