"""The context benchmark: ambiguous messages made with a seed, nothing rigged, and a section of the report."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks import context_cases as cases
from benchmarks import context_phrases as words
from benchmarks.context import (
    Answered,
    Ask,
    Library,
    Scored,
    ask_cases,
    ask_whens,
    facts_of,
    figures_of,
    gain_figures,
    when_figures,
)
from benchmarks.context_section import kept, section
from benchmarks.fit import default_data
from benchmarks.fit_library import CachedEncoder, Vectors, make_skill

from wellworn.index.encoders import open_encoder
from wellworn.models.resolution import Context, Decision
from wellworn.models.skill import When
from wellworn.resolver.context_facts import WhenResult, judge_when, read_facts

WORDS = ("harbour", "orchard", "glacier", "lantern", "saddle", "pepper", "violin", "meadow", "anchor", "copper")
DOES = {
    "map": "Works out what to change before anything is touched",
    "run": "Carries the agreed changes out",
    "vet": "Looks for mistakes",
}


def pool() -> list[cases.Wild]:
    """Thirty made-up skills, ten topics of three (other words are too short for one), each quoting a request or two."""
    return [
        cases.wild(
            f"{topic}-{does}",
            f'{text} in the {topic} project. Use when the user says "please {does} my {topic} today".',
            f"# {topic}\n- \"could you {does} every {topic} we have\" is how people ask\nMore about it.",
        )
        for topic in WORDS
        for does, text in DOES.items()
    ]  # fmt: skip


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> CachedEncoder:
    return CachedEncoder(Vectors(open_encoder("bundled"), tmp_path_factory.mktemp("vectors")))


@pytest.fixture
def library(encoder: CachedEncoder) -> Iterator[Library]:
    skills = [
        make_skill("ship-notes", {"description": "Writes the notes", "triggers": ["when the tests fail"]}),
        make_skill("ship-parcel", {"description": "Sends the parcel", "triggers": ["when a pull request is open"]}),
        make_skill("ship-crew", {"description": "Calls the crew", "when": {"branch": ["release/*"]}}),
    ]
    with Library.opened(skills, encoder) as opened:
        yield opened


def test_a_seed_makes_the_same_library_again_and_another_seed_another() -> None:
    assert cases.make_library(pool(), 24, 8, 1) == cases.make_library(pool(), 24, 8, 1)
    assert cases.make_library(pool(), 24, 8, 1).cases != cases.make_library(pool(), 24, 8, 2).cases


def test_a_library_has_its_size_and_every_kind_of_fact_in_turn() -> None:
    made = cases.make_library(pool(), 30, 10, 0)
    assert (made.size, len({skill.id for skill in made.skills})) == (30, 30)
    assert {case.kind for case in made.cases} == set(cases.KINDS)
    assert {case.skill for case in made.cases} <= {skill.id for skill in made.skills}


def test_a_request_that_serves_as_message_or_fact_is_not_in_what_is_indexed() -> None:
    one = pool()[0]
    assert set(one.requests) == {"please map my harbour today", "could you map every harbour we have"}
    assert not any(request in one.description + one.body for request in one.requests)


def test_a_message_is_never_stated_as_its_own_context() -> None:
    for case in cases.make_library(pool(), 30, 10, 0).cases:
        right = case.contexts["right"].facts
        assert case.message not in (right.get("activeGoal"), *(t["summary"] for t in right.get("recentTraces", ())))


def test_the_wrong_context_is_that_of_a_sibling_and_the_noisy_one_holds_the_right_facts() -> None:
    for case in cases.make_library(pool(), 30, 10, 3).cases:
        right, noisy = case.contexts["right"], case.contexts["noisy"]
        assert case.contexts["wrong"] != right
        assert noisy.used == right.used
        assert len(noisy.facts["recentTraces"]) == cases.TRACES
        for name, fact in right.facts.items():
            if name == "recentTraces":
                assert fact[0] in noisy.facts[name][-5:]
            else:
                assert noisy.facts[name] == fact


def sentences() -> set[str]:
    return {phrase.casefold() for values in words.STATED.values() for v in values for phrase in v.triggers}


def test_no_message_shares_a_sentence_with_a_trigger() -> None:
    messages = {m.casefold() for m in words.VAGUE} | {m.format(topic="it").casefold() for m in words.TOPICAL}
    assert not any(trigger in message or message in trigger for trigger in sentences() for message in messages)


def test_no_trigger_repeats_a_sentence_that_the_context_is_turned_into() -> None:
    stated = {
        statement.casefold()
        for values in words.STATED.values()
        for value in values
        for fact in value.facts
        for statement in read_facts(Context.model_validate(fact)).statements
    }
    assert stated
    for trigger in sentences():
        own = set(re.findall(r"[a-z]+", trigger))
        assert not any(own == set(re.findall(r"[a-z]+", statement)) or statement in trigger for statement in stated)


def test_what_is_reported_is_not_what_may_be_looked_at_while_tuning() -> None:
    for values in words.STATED.values():
        for value in values:
            assert len(value.triggers) == len(value.facts) == 4
            reported, tuning = (set(words.half(value.triggers, which)) for which in words.HALVES)
            assert reported
            assert tuning
            assert not reported & tuning


def test_of_a_family_of_predicates_exactly_one_holds_in_each_of_its_facts() -> None:
    for family in words.WHEN:
        for place, (_, facts) in enumerate(family):
            for fact in facts:
                context = Context.model_validate(fact)
                judged = [judge_when(When.model_validate(dict(when)), context)[0] for when, _ in family]
                assert judged[place] is WhenResult.holds
                assert all(result is WhenResult.fails for at, result in enumerate(judged) if at != place)


def test_neutral_facts_are_a_valid_context() -> None:
    facts = cases.neutral_facts(random.Random(0), used="x").facts
    assert read_facts(Context.model_validate(facts)).statements


def test_the_right_context_raises_the_right_skill_through_the_pipeline_that_serves(library: Library) -> None:
    failed = cases.Stated({"recentTraces": [{"kind": "test_result", "summary": "pytest: 3 failed", "success": False}]})
    before, after = library.answers([Ask("do the ship thing", cases.Stated()), Ask("do the ship thing", failed)])
    assert after.confidence_of("ship-notes") > before.confidence_of("ship-notes")


def test_a_skill_that_this_session_used_is_raised_and_the_next_message_knows_nothing_of_it(library: Library) -> None:
    asks = [Ask("ship", cases.Stated()), Ask("ship", cases.Stated(used="ship-parcel")), Ask("ship", cases.Stated())]
    before, used, after = (answer.confidence_of("ship-parcel") for answer in library.answers(asks))
    assert used > before == after


def test_a_skill_whose_when_does_not_hold_is_never_named_and_one_that_is_unknown_never_acted_on(
    encoder: CachedEncoder,
) -> None:
    made = cases.make_library(pool(), 12, 1, 0, first_kind=cases.KINDS.index("when"))
    assert made.whens
    with Library.opened(made.skills, encoder) as library:
        figures = when_figures(ask_whens(library, made))
    assert figures["holds"]["offered"] == 1.0
    assert (figures["fails"]["offered"], figures["fails"]["sure"]) == (0.0, 0.0)
    assert figures["unknown"]["proceeded"] == 0.0


def test_wrong_facts_of_each_kind_are_valid_contexts_that_speak_for_the_other_skill() -> None:
    facts = facts_of("ship-it", {"ship-it": ["send it off"]}, random.Random(0))
    assert facts["goal"].facts["activeGoal"] == "send it off"
    assert facts["session"].used == "ship-it"
    for stated in facts.values():
        Context.model_validate(stated.facts)


def scored(condition: str, meant: str | None, ranked: list[tuple[str, float]], decision: Decision) -> Scored:
    named = frozenset({ranked[0][0]} if decision is Decision.confirm else ())
    return Scored(
        condition, "CI", "topical", 20, frozenset({meant} if meant else ()), Answered(ranked, decision, named)
    )


def test_figures_count_what_was_meant_and_what_was_not() -> None:
    figures = figures_of(
        [
            scored("none", "a", [("a", 0.7), ("b", 0.2)], Decision.confirm),
            scored("none", "b", [("a", 0.8), ("b", 0.1)], Decision.confirm),
            scored("none", None, [("a", 0.1)], Decision.none),
        ]
    )
    assert (figures["n"], figures["top1"], figures["top5"], figures["auroc"]) == (3, 0.5, 1.0, 1.0)
    assert figures["right"] == pytest.approx(0.4)
    assert figures["wrong"] == pytest.approx(1 / 3, abs=1e-4)
    assert figures["decisions"]["none"] == pytest.approx(1 / 3, abs=1e-4)


def test_a_cost_of_more_than_a_point_is_not_kept() -> None:
    before = {"top1": 0.90, "auroc": None}
    assert kept(before, {"top1": 0.89, "auroc": None}) == "yes"
    assert kept(before, {"top1": 0.889, "auroc": None}) == "no"
    assert kept({"top1": 0.9, "auroc": 0.97}, {"top1": 0.9, "auroc": 0.95}) == "no"


def test_the_section_shows_every_condition_kind_and_cost(encoder: CachedEncoder) -> None:
    made = cases.make_library(pool(), 20, 2, 0)
    with Library.opened(made.skills, encoder) as library:
        answers = ask_cases(library, made.cases, 20)
    gain = gain_figures(answers, {0: answers}, sizes=(20,)) | {"when": {}}
    cost = {"some task": {name: gain["clear"][name] for name in ("none", "wrong", "irrelevant")}}
    about = {"seeds": [0], "encoder": "bundled", "date": "2030-01-01", "paraphrases": "reported"}
    lines = section({"about": about, "gain": gain, "cost": cost})
    text = "\n".join(lines)
    assert lines[0] == "## Context"
    for shown in (*cases.CONDITIONS, "fact: branch", "fact: PR", "skills: 20", "message: vague", "some task"):
        assert f"| {shown} |" in text


def test_real_skills_give_families_of_every_kind() -> None:
    data: Path = default_data()
    if not (data / "skills" / "skills-md.jsonl.gz").is_file():
        pytest.skip("the folder of data sets is not here")
    made = cases.make_library(cases.read_wild(data), 1000, 60, 0)
    assert made.size == 1000
    assert {case.kind for case in made.cases} == set(cases.KINDS)
    assert {case.style for case in made.cases} == set(cases.STYLES)
