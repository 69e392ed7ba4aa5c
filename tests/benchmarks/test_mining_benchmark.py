"""The benchmark of the miner: its worlds are what they say they are, and its scores mean what they say."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from pathlib import Path

import pytest
from benchmarks.mining import POOLS, keep, main, opened
from benchmarks.mining_held_out import HELD_OUT
from benchmarks.mining_patterns import DEVELOPMENT, DRAWN, Pattern
from benchmarks.mining_score import score
from benchmarks.mining_world import MIN_SESSIONS, MIN_TIMES, NOW, Plan, World, make_world

from wellworn.models.ids import check_skill_id
from wellworn.models.proposal import (
    CandidateKind,
    PatternCandidate,
    Proposal,
    ProposalStatus,
    QualityGate,
    Signal,
    SuggestAnswer,
)
from wellworn.models.skill import Risk, Scope, SkillManifest
from wellworn.models.trace import TraceEvent, TraceKind

EVERY = (*DEVELOPMENT, *HELD_OUT)
EVERYDAY = ("git add", "git commit", "git push")
"""In the everyday work too; a ritual is told by its other steps."""
SMALL = Plan(sessions=60, events=5000)


@cache
def world(seed: int = 0, plan: Plan = SMALL) -> World:
    return make_world(seed, DEVELOPMENT, plan)


def proposal(name: str, evidence: Sequence[str], *, updates: str | None = None, kind: str = "skill") -> Proposal:
    candidate = PatternCandidate(
        id=f"c-{name}", title=name, kind=CandidateKind(kind), confidence=0.8, evidence_event_ids=list(evidence),
        repeated_signals=[], friction_removed="", suggested_scope=Scope.repo, risk=Risk.low, reason="",
        signal=Signal.command_sequence,
    )  # fmt: skip
    return Proposal(
        id=f"p-{name}", candidate_id=candidate.id, candidate=candidate, status=ProposalStatus.suggested,
        manifest=SkillManifest(id=check_skill_id(name)), updates=updates, created_at=NOW,
        gate=QualityGate(
            evidence="e", friction="f", similar="s", scope="s", without_approval="w", requires_approval="r"
        ),
    )  # fmt: skip


def oracle(world: World) -> list[Proposal]:
    return [proposal(name, [i for one in it.occurrences for i in one]) for name, it in world.patterns.items()]


# -- the pools ---------------------------------------------------------------------------------------------------------


def test_the_pools_share_no_pattern_and_each_has_enough_of_every_kind() -> None:
    assert len({one.id for one in EVERY}) == len(EVERY) >= 60
    for pool, _ in POOLS.values():
        kinds = Counter(one.kind for one in pool)
        assert all(kinds[kind] > count for kind, count in DRAWN.items())
        assert {one.signal for one in pool} == set(Signal) - {Signal.finished_task}  # which is asked for, not mined
    assert sum(DRAWN.values()) == 12


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.id)
def test_a_pattern_has_several_wishes_and_steps_worth_finding(one: Pattern) -> None:
    assert len(one.wishes) >= 3
    core = [step for step in one.steps if step.core and step.kind != "edit" and not step.optional]
    assert len(core) >= (1 if one.kind == "correction" else 3)
    forms = [form for step in one.steps for form in step.forms]
    assert all(any(part in form for form in forms) for part in one.dangers)
    assert all(any(f"{{{name}}}" in form for form in forms) for name in one.inputs)


# -- the world ---------------------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_world_and_another_one_another() -> None:
    again = make_world(0, DEVELOPMENT, SMALL)
    assert again.events == world().events
    assert {name: one.occurrences for name, one in again.patterns.items()} == {
        name: one.occurrences for name, one in world().patterns.items()
    }
    assert world(1).events != world().events


def test_a_world_of_the_stated_size_has_twelve_patterns_of_all_kinds_in_ninety_days() -> None:
    full = make_world(3, DEVELOPMENT)
    assert len(full.events) == 20_000
    assert len({event.session_id for event in full.events}) == 200
    assert len({event.id for event in full.events}) == 20_000
    assert Counter(one.one.kind for one in full.patterns.values()) == Counter(DRAWN)
    moments = [event.ts for event in full.events if event.ts is not None]
    assert NOW - timedelta(days=91) < min(moments) < max(moments) < NOW
    assert {event.kind for event in full.events} == set(TraceKind) - {TraceKind.forge_step}


@pytest.mark.parametrize("seed", range(4))
def test_each_pattern_happens_at_least_four_times_in_three_sessions_and_on_three_days(seed: int) -> None:
    by_id = {event.id: event for event in world(seed).events}
    for name, one in world(seed).patterns.items():
        assert len(one.occurrences) >= MIN_TIMES, name
        assert len(one.sessions) >= MIN_SESSIONS, name
        days = {ts.date() for ids in one.occurrences for i in ids if (ts := by_id[i].ts) is not None}
        assert len(days) >= MIN_SESSIONS, name


@pytest.mark.parametrize("seed", range(4))
def test_what_the_labels_name_are_the_steps_of_the_pattern_in_one_session(seed: int) -> None:
    by_id: dict[str | None, TraceEvent] = {event.id: event for event in world(seed).events}
    for name, one in world(seed).patterns.items():
        heads = [head for step in one.one.steps if step.core for form in step.forms if (head := _head(form))]
        for ids in one.occurrences:
            assert len({by_id[i].session_id for i in ids}) == 1
            assert set(ids) <= one.belonging
            texts = [str(by_id[i].data.get("command", by_id[i].summary)).lower() for i in ids]
            strange = [text for text in texts if not any(head in text for head in heads)]
            typed = [i for i in ids if by_id[i].kind in {TraceKind.user_intent, TraceKind.test_result}]
            filled = sum(not _head(form) for step in one.one.steps for form in step.forms)
            assert len(strange) <= len(typed) + filled, (name, strange)


@pytest.mark.parametrize("seed", range(3))
def test_everyday_work_and_decoys_hold_no_ritual_of_either_pool(seed: int) -> None:
    plain = make_world(seed, DEVELOPMENT, Plan(patterns=False))
    assert not plain.patterns
    heads = {
        one.id: [
            {head for form in step.forms if (head := _head(form))}
            for step in one.steps
            if step.core and step.kind == "run"
        ]
        for one in EVERY
    }
    said = {form.lower() for one in EVERY for step in one.steps if step.kind == "said" for form in step.forms}
    for texts in _sessions(plain).values():
        assert not said.intersection(texts)
        for one in EVERY:
            steps = [step for step in heads[one.id] if step and not any(head.startswith(EVERYDAY) for head in step)]
            seen = sum(any(text.startswith(tuple(step)) for text in texts) for step in steps)
            assert not steps or seen <= len(steps) / 2, (one.id, seen)


def test_a_one_off_stays_in_its_session_and_what_fails_always_fails() -> None:
    by_id = {event.id: event for event in world().events}
    for one in world().decoys.values():
        if one.one.kind in {"one_off", "single"}:
            assert len(one.sessions) == 1
        if one.one.kind == "fails":
            ends = [by_id[ids[-1]] for ids in one.occurrences]
            assert len(ends) >= 6
            assert not any(event.success for event in ends)


def test_sessions_of_several_users_are_kept_apart() -> None:
    made = make_world(0, DEVELOPMENT, Plan(sessions=120, events=6000, users=("local", "ann")))
    by_id = {event.id: event for event in made.events}
    assert {event.user for event in made.events} == {"local", "ann"}
    assert all(len({by_id[i].user for i in one.belonging}) == 1 for one in made.patterns.values())


# -- the score ---------------------------------------------------------------------------------------------------------


def test_a_perfect_answer_scores_one() -> None:
    judged = score(world(), SuggestAnswer(proposals=oracle(world())))
    assert (judged.recall, judged.precision) == (1.0, 1.0)


def test_an_empty_answer_finds_nothing() -> None:
    judged = score(world(), SuggestAnswer())
    assert (judged.recall, judged.wrong) == (0.0, {})


def test_a_second_proposal_for_the_same_pattern_is_false() -> None:
    made = oracle(world())
    name = next(iter(world().patterns))
    judged = score(world(), SuggestAnswer(proposals=[*made, proposal("again", made[0].candidate.evidence_event_ids)]))
    assert judged.recall == 1.0
    assert list(judged.wrong.values()) == [f"a second one for {name}"]


def test_evidence_that_is_mostly_something_else_finds_nothing() -> None:
    first = next(iter(world().patterns.values()))
    ids = [i for one in first.occurrences for i in one]
    others = [str(event.id) for event in world().events if event.id not in first.belonging][: len(ids)]
    judged = score(world(), SuggestAnswer(proposals=[proposal("mixed", ids + others)]))
    assert (judged.found, len(judged.wrong)) == ({}, 1)


def test_less_than_half_of_the_occurrences_is_not_enough() -> None:
    first = next(iter(world().patterns.values()))
    some = first.occurrences[: (len(first.occurrences) - 1) // 2]
    judged = score(world(), SuggestAnswer(proposals=[proposal("few", [i for one in some for i in one])]))
    assert (judged.found, len(judged.wrong)) == ({}, 1)


def test_a_pattern_proposed_as_a_document_or_as_an_update_is_not_found() -> None:
    first = oracle(world())[0].candidate.evidence_event_ids
    for wrong in (proposal("a", first, kind="doc"), proposal("a", first, updates="other@user")):
        assert score(world(), SuggestAnswer(proposals=[wrong])).found == {}


def test_what_repeats_an_installed_skill_may_be_its_update_but_not_a_new_skill() -> None:
    (decoy,) = (one for one in world().decoys.values() if one.one.kind == "duplicate")
    ids = [i for one in decoy.occurrences for i in one]
    skill = world().skills[0].partition("name: ")[2].partition("\n")[0]
    update = score(world(), SuggestAnswer(proposals=[proposal("u", ids, updates=f"{skill}@user")]))
    assert (len(update.allowed), update.wrong) == (1, {})
    assert len(score(world(), SuggestAnswer(proposals=[proposal("n", ids)])).wrong) == 1
    assert len(score(world(), SuggestAnswer(proposals=[proposal("o", ids, updates="other@user")])).wrong) == 1


# -- the run -----------------------------------------------------------------------------------------------------------


def test_every_shape_of_event_is_kept(tmp_path: Path) -> None:
    with opened(tmp_path, world().skills, "hashing") as workspace:
        assert keep(workspace, world().events) == len(world().events)
        assert keep(workspace, world().events[:10]) == 0


def test_a_run_prints_and_writes_its_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = tmp_path / "figures.json"
    assert (
        main(["--seeds", "0", "--sessions", "40", "--events", "2500", "--encoder", "hashing", "--json", str(written)])
        == 0
    )
    assert "seed 0: recall" in capsys.readouterr().out
    assert '"meanRecall"' in written.read_text(encoding="utf-8")


def _head(form: str) -> str:
    """The part of a step before its first slot, unless it says little."""
    head = form.partition("{")[0].lower().strip()
    return head if len(head) > 5 else ""


def _sessions(made: World) -> dict[str | None, set[str]]:
    texts: dict[str | None, set[str]] = defaultdict(set)
    for event in made.events:
        if event.kind not in {TraceKind.command_run, TraceKind.user_intent}:
            continue
        texts[event.session_id].add(str(event.data.get("command", event.summary)).removeprefix("$ ").lower())
    return texts
