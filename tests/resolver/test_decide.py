"""The decision table of the design, row by row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import make_card

from wellworn.models.resolution import Decision, Invocation
from wellworn.models.skill import Trust
from wellworn.resolver.decide import CONFIRM_AT, Ranked, decide


def ranked(*confidences: float, **card: object) -> list[Ranked]:
    return [
        Ranked(make_card(f"skill-{n}", key=n, **(card if n == 1 else {})), confidence)  # type: ignore[arg-type]
        for n, confidence in enumerate(confidences, start=1)
    ]


def test_an_empty_library_answers_none() -> None:
    assert decide([], Invocation.explicit).decision is Decision.none


def test_nothing_reaching_the_threshold_alone_or_together_is_none() -> None:
    verdict = decide(ranked(0.30, 0.20, 0.05), Invocation.explicit)
    assert (verdict.decision, verdict.chosen) == (Decision.none, None)


def test_one_candidate_below_the_threshold_is_none_however_far_ahead_it_is() -> None:
    assert decide(ranked(0.59, 0.05), Invocation.explicit).decision is Decision.none


def test_candidates_that_reach_the_threshold_only_together_are_offered_as_a_choice() -> None:
    verdict = decide(ranked(0.40, 0.35, 0.02), Invocation.explicit)
    assert verdict.decision is Decision.choose
    assert [r.card.id for r in verdict.among] == ["skill-1", "skill-2"]


@pytest.mark.parametrize("confidence", [0.60, 0.70, 0.849])
def test_the_middle_band_asks_for_confirmation_even_when_called_explicitly(confidence: float) -> None:
    assert decide(ranked(confidence), Invocation.explicit).decision is Decision.confirm


def test_a_sure_explicit_call_proceeds() -> None:
    assert decide(ranked(0.85), Invocation.explicit).decision is Decision.proceed


@pytest.mark.parametrize("trust", [Trust.installed, Trust.trusted])
def test_a_sure_ambient_match_is_confirmed_below_automatic_trust(trust: Trust) -> None:
    assert decide(ranked(0.99, trust=trust), Invocation.ambient).decision is Decision.confirm


def test_a_sure_ambient_match_of_an_automatic_skill_proceeds() -> None:
    assert decide(ranked(0.99, trust=Trust.automatic), Invocation.ambient).decision is Decision.proceed


@pytest.mark.parametrize("confidence", [0.60, 0.99])
def test_a_flagged_skill_is_reviewed_at_any_sufficient_confidence(confidence: float) -> None:
    verdict = decide(ranked(confidence, reliability=0.39, trust=Trust.automatic), Invocation.explicit)
    assert verdict.decision is Decision.review


def test_reliability_of_exactly_the_threshold_is_not_flagged_although_floats_say_so() -> None:
    assert decide(ranked(0.99, reliability=0.6 - 0.2), Invocation.explicit).decision is Decision.proceed


def test_a_skill_of_an_unvouched_repository_never_gets_past_confirm() -> None:
    verdict = decide(ranked(0.99, vouched=False, trust=Trust.automatic), Invocation.explicit)
    assert verdict.decision is Decision.confirm
    assert "vouched" in verdict.notes[0]


def test_a_skill_whose_conditions_cannot_be_judged_never_gets_past_confirm() -> None:
    verdict = decide(ranked(0.99), Invocation.explicit, when_unknown=frozenset({1}))
    assert verdict.decision is Decision.confirm


@given(st.lists(st.floats(0.0, 1.0), max_size=6), st.sampled_from(Invocation))
def test_a_skill_is_chosen_exactly_when_the_best_reaches_the_threshold(
    confidences: list[float], invocation: Invocation
) -> None:
    confidences.sort(reverse=True)
    verdict = decide(ranked(*confidences), invocation)
    assert (verdict.chosen is not None) == bool(confidences and confidences[0] >= CONFIRM_AT)
    assert (verdict.decision is Decision.choose) == bool(verdict.among)
