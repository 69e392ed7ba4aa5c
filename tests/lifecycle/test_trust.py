"""Who may change a skill's trust, on what evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.lifecycle.trust import (
    ASIDE,
    LEVELS,
    TRANSITIONS,
    Actor,
    TrustEvidence,
    judge_transition,
    next_level,
    returns_to,
)
from wellworn.models.skill import Risk, Trust

PROVEN = TrustEvidence(successes=20, reliability=0.95)
trusts = st.sampled_from(list(Trust))
actors = st.sampled_from(list(Actor))
evidences = st.builds(
    TrustEvidence,
    successes=st.integers(0, 40),
    reliability=st.floats(0, 1),
    risk=st.sampled_from(list(Risk)),
    high_findings=st.sampled_from([(), ("download-and-run",)]),
    unattended=st.sampled_from([(), ("`git push` needs approval",)]),
    before=st.none() | trusts,
    disabled_by_audit=st.booleans(),
)


def allowed(now: Trust, wanted: Trust, evidence: TrustEvidence = PROVEN, actor: Actor = Actor.person) -> bool:
    return judge_transition(now, wanted, actor, evidence).allowed


def test_a_person_promotes_a_proven_skill_level_by_level() -> None:
    assert allowed(Trust.installed, Trust.trusted)
    assert allowed(Trust.trusted, Trust.automatic)


@pytest.mark.parametrize(
    ("now", "wanted", "missing", "words"),
    [
        (Trust.installed, Trust.trusted, {"successes": 4}, "worked 4 of the 5 times"),
        (Trust.installed, Trust.trusted, {"reliability": 0.69}, "reliability is 0.69, and 0.70"),
        (Trust.installed, Trust.trusted, {"high_findings": ("hidden-unicode",)}, "hidden-unicode"),
        (Trust.suggested, Trust.installed, {"high_findings": ("hidden-unicode",)}, "hidden-unicode"),
        (Trust.trusted, Trust.automatic, {"successes": 19}, "worked 19 of the 20 times"),
        (Trust.trusted, Trust.automatic, {"reliability": 0.8}, "0.80, and 0.90"),
        (Trust.trusted, Trust.automatic, {"high_findings": ("x",)}, "security scan"),
        (Trust.trusted, Trust.automatic, {"risk": Risk.high}, "risk is high"),
        (Trust.trusted, Trust.automatic, {"unattended": ("`git push` needs approval",)}, "git push"),
    ],
)
def test_each_piece_of_missing_evidence_is_named(
    now: Trust, wanted: Trust, missing: dict[str, Any], words: str
) -> None:
    ruling = judge_transition(now, wanted, Actor.person, replace(PROVEN, **missing))
    assert not ruling.allowed
    assert len(ruling.reasons) == 1
    assert words in ruling.reasons[0]


def test_everything_that_is_missing_is_named_at_once() -> None:
    nothing = TrustEvidence(successes=0, reliability=0.1, risk=Risk.high, high_findings=("x",), unattended=("y",))
    assert len(judge_transition(Trust.trusted, Trust.automatic, Actor.person, nothing).reasons) == 5


def test_a_reliability_that_only_rounding_took_below_the_bar_counts() -> None:
    assert allowed(Trust.installed, Trust.trusted, replace(PROVEN, reliability=0.7 - 1e-12))


def test_a_jump_over_a_level_is_refused_with_the_way_to_go() -> None:
    ruling = judge_transition(Trust.installed, Trust.automatic, Actor.person, PROVEN)
    assert ruling.reasons == ("trust grows one level at a time: installed becomes trusted first",)


def test_what_is_aside_must_be_enabled_before_it_is_promoted() -> None:
    assert "comes back as installed" in judge_transition(Trust.disabled, Trust.trusted, Actor.person, PROVEN).reasons[0]
    assert "enable it first" in judge_transition(Trust.archived, Trust.disabled, Actor.person, PROVEN).reasons[0]


@pytest.mark.parametrize("level", LEVELS)
def test_what_a_person_disabled_comes_back_as_it_was(level: Trust) -> None:
    assert allowed(Trust.disabled, level, TrustEvidence(before=level))
    assert allowed(Trust.archived, level, TrustEvidence(before=level))


@pytest.mark.parametrize("level", [Trust.trusted, Trust.automatic])
def test_what_the_audit_disabled_comes_back_as_installed_at_most(level: Trust) -> None:
    by_audit = TrustEvidence(before=level, disabled_by_audit=True)
    assert not allowed(Trust.disabled, level, by_audit)
    assert allowed(Trust.disabled, Trust.installed, by_audit)


def test_what_was_never_on_a_level_comes_back_as_installed() -> None:
    assert returns_to(None, disabled_by_audit=False) is Trust.installed
    assert returns_to(Trust.disabled, disabled_by_audit=False) is Trust.installed


def test_levels_end_at_both_ends() -> None:
    assert next_level(Trust.automatic, 1) is None
    assert next_level(Trust.draft, -1) is None
    assert next_level(Trust.disabled, 1) is None


@given(trusts, trusts, evidences)
def test_no_agent_ever_changes_anything(now: Trust, wanted: Trust, evidence: TrustEvidence) -> None:
    assert not judge_transition(now, wanted, Actor.agent, evidence).allowed


@given(trusts, trusts, evidences)
def test_the_audit_only_takes_trust_away_and_archives_nothing(
    now: Trust, wanted: Trust, evidence: TrustEvidence
) -> None:
    if judge_transition(now, wanted, Actor.audit, evidence).allowed:
        assert wanted is Trust.disabled or LEVELS.index(wanted) < LEVELS.index(now)


@given(trusts, actors, evidences, st.lists(trusts, max_size=8))
def test_nobody_reaches_automatic_in_one_step_from_below_trusted(
    start: Trust, actor: Actor, evidence: TrustEvidence, path: list[Trust]
) -> None:
    """Walks any path of allowed steps: the level before automatic is trusted, or the one to which it returns."""
    now = start
    for wanted in path:
        if judge_transition(now, wanted, actor, evidence).allowed:
            if wanted is Trust.automatic:
                assert now is Trust.trusted or (now in ASIDE and evidence.before is Trust.automatic)
            now = wanted


@given(trusts, trusts, actors, evidences)
def test_whatever_is_refused_is_told_why(now: Trust, wanted: Trust, actor: Actor, evidence: TrustEvidence) -> None:
    ruling = judge_transition(now, wanted, actor, evidence)
    assert ruling.allowed == (not ruling.reasons)
    assert all(ruling.reasons)


@given(trusts, trusts, evidences)
def test_an_open_high_finding_never_lets_trust_grow(now: Trust, wanted: Trust, evidence: TrustEvidence) -> None:
    found = replace(evidence, high_findings=("x",))
    if judge_transition(now, wanted, Actor.person, found).allowed:
        falls = wanted in ASIDE or (now in LEVELS and LEVELS.index(wanted) < LEVELS.index(now))
        returns = now in ASIDE and wanted is returns_to(evidence.before, disabled_by_audit=evidence.disabled_by_audit)
        assert falls or wanted is Trust.suggested or (returns and LEVELS.index(wanted) <= LEVELS.index(Trust.installed))


def test_every_transition_stands_in_the_table_once_and_leads_somewhere() -> None:
    assert all(now is not wanted for now, wanted in TRANSITIONS)
    assert all(rule.who and Actor.agent not in rule.who for rule in TRANSITIONS.values())
