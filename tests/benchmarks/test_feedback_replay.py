"""The replay of feedback: nothing judged is reported on, people say what they know, attacks stay within the bounds."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from benchmarks import feedback_cases as cases
from benchmarks.feedback_attack import ATTACKS, UNBOUNDED, Scene, flood, steal_and_silence
from benchmarks.feedback_replay import Plan, arguments_of, plans, replay, say_plan
from benchmarks.feedback_report import section
from benchmarks.feedback_world import (
    PERSON,
    expected_of,
    honest_words,
    mistaken_words,
    temporary_world,
)
from benchmarks.fit import default_data
from benchmarks.fit_library import CachedEncoder, Vectors
from benchmarks.report import main

from wellworn.index.encoders import open_encoder
from wellworn.lifecycle.feedback import BOUNDS
from wellworn.models.access import Role
from wellworn.models.resolution import Alternative, Decision, IntentResolution
from wellworn.models.skill import Scope

needs_data = pytest.mark.skipif(
    not (default_data() / "banking77").is_dir(), reason="the public data sets are not there (WELLWORN_DATA)"
)
THINGS = ("kettle", "ladder", "violin", "harbour", "cactus", "engine")
LIBRARY = [{"id": f"mend-{thing}", "examples": [f"mend the {thing}", f"repair my {thing}"]} for thing in THINGS]


def rows_about(number: int) -> list[dict[str, Any]]:
    return [{"message": f"{thing} is broken {number}", "expected": f"mend-{thing}"} for thing in THINGS]


@pytest.fixture
def encoder(tmp_path: Path) -> CachedEncoder:
    return CachedEncoder(Vectors(open_encoder("hashing:64"), tmp_path / "vectors"))


def answer(skill_id: str | None, *others: str, decision: Decision = Decision.confirm) -> IntentResolution:
    return IntentResolution(
        resolution_id="r", matched=skill_id is not None, skill_id=skill_id, confidence=0.9, decision=decision,
        reason="", generation=1,
        alternatives=[Alternative(skill_id=one, scope=Scope.user, confidence=0.1, reason="") for one in others],
    )  # fmt: skip


@needs_data
@pytest.mark.parametrize("name", list(cases.CASES))
def test_no_message_of_the_feedback_is_reported_on_or_in_the_library(name: str) -> None:
    case = cases.CASES[name](default_data(), 0)
    feedback = {row["message"].casefold() for row in case.feedback}
    assert not feedback & {row["message"].casefold() for row in case.report}
    assert not feedback & {text.casefold() for line in case.library for text in line.get("examples") or ()}
    ids = {line["id"] for line in case.library}
    assert all(ids.issuperset(expected_of(row)) for row in (*case.feedback, *case.report))
    assert any(not expected_of(row) for row in case.report)


def test_an_honest_person_confirms_what_is_right_and_names_what_was_meant() -> None:
    row = {"message": "x", "expected": "a"}
    assert honest_words(answer("a"), row, random.Random(0)) == {"verdict": "right"}
    said = [honest_words(answer("b"), row, random.Random(seed)) for seed in range(60)]
    assert {json.dumps(one) for one in said} == {
        '{"verdict": "wrong"}', '{"verdict": "should_be", "skillId": "a"}'
    }  # fmt: skip
    assert honest_words(answer(None, decision=Decision.none), {"message": "x", "expected": None}, random.Random(0)) == {
        "verdict": "right"
    }


def test_a_mistaken_person_is_wrong_about_it() -> None:
    row = {"message": "x", "expected": "a"}
    assert mistaken_words(answer("b", "a"), row, random.Random(0)) == {"verdict": "right"}
    for seed in range(20):
        said = mistaken_words(answer("a", "b"), row, random.Random(seed))
        assert said in ({"verdict": "wrong"}, {"verdict": "should_be", "skillId": "b"})


def test_a_replay_measures_before_and_after_and_teaches_through_the_store(encoder: CachedEncoder) -> None:
    feedback = [row for number in range(12) for row in rows_about(number)]
    case = cases.Case(LIBRARY, feedback, [*rows_about(99), {"message": "zq xv", "expected": None}])
    with temporary_world(case.library, encoder) as world:
        found = replay(world, case, Plan("made up", 0, 0.0))
    assert [point["feedbacks"] for point in found["points"]] == [0, len(feedback)]
    assert found["verdicts"] > 0
    assert sum(found["taught"].values()) > 0
    assert found["points"][-1]["top1"] >= found["points"][0]["top1"]
    assert found["calibrate"]["messages"] > 0


def test_the_same_seed_gives_the_same_figures(encoder: CachedEncoder) -> None:
    case = cases.Case(LIBRARY, [row for number in range(4) for row in rows_about(number)], rows_about(99))
    figures = []
    for _ in range(2):
        with temporary_world(case.library, encoder) as world:
            figures.append(replay(world, case, Plan("made up", 1, 0.2)))
    assert figures[0] == figures[1]


@pytest.mark.parametrize(("keys", "most"), [(1, BOUNDS.agent), (3, BOUNDS.agents)])
def test_a_flood_leaves_no_more_lessons_than_the_bounds_and_without_them_many(
    encoder: CachedEncoder, keys: int, most: int
) -> None:
    others = [row for number in range(12) for row in rows_about(number) if row["expected"] != "mend-kettle"]
    taught = []
    with temporary_world(LIBRARY, encoder) as base:
        for name, bounds in (("bounded", BOUNDS), ("unbounded", UNBOUNDED)):
            world = base.copy(name, bounds)
            callers = [world.key(Role.agent, f"attacker {number}") for number in range(keys)]
            with world.open() as workspace:
                flood(workspace, others, steal_and_silence("mend-kettle"), callers, random.Random(0))
                taught.append(len(workspace.taught("mend-kettle", PERSON)))
    assert taught[0] <= most < taught[1]


def test_every_attack_has_messages_and_a_name_of_its_own() -> None:
    own = [{"message": f"own {number}", "expected": "v"} for number in range(3)]
    others = [{"message": f"other {number}", "expected": "o"} for number in range(2500)]
    scene = Scene(LIBRARY, [], "v", frozenset({"o"}), own, others, [])
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS)
    assert {len(attack.messages(scene)) for attack in ATTACKS} == {2000}


def test_plans_begin_with_the_share_of_mistakes_that_is_measured_at_every_point() -> None:
    made = plans(arguments_of(["--seeds", "4", "--only", "clinc150", "banking77"]))
    assert [plan.error_rate for plan in made[:2]] == [0.05, 0.05]
    assert len(made) == 6


def made_figures() -> dict[str, Any]:
    point = {"top1": 0.8, "auroc": 0.9, "ece": 0.1, "brier": 0.2, "precision": 0.95, "coverage": None}
    worst = {"confidence": 0.99, "message": "a | b " + "c" * 99, "answered": "o"}
    parts = {"victim": 0.7, "neighbours": 0.6, "others": 0.9, "ece": 0.05, "worst": worst}
    calibrated = {"kept": True, "messages": 500, "ece": 0.04, "worst": worst}
    return {
        "about": {"wellworn": "1", "encoder": "bundled", "seeds": [0, 1]}, "date": "2030-01-01",
        "replays": [
            {"case": "c", "seed": seed, "error_rate": 0.05, "verdicts": 9, "taught": {"learned": 3},
             "points": [{"feedbacks": 0, **point}, {"feedbacks": 2000, **point, "top1": 0.9 + seed / 100}],
             "calibrate": {**point, "kept": True}}
            for seed in (0, 1)
        ],
        "attacks": [
            {"seed": 0, "attack": None, "figures": parts, "calibrate": calibrated},
            {"seed": 0, "attack": "steal", "figures": parts, "calibrate": None,
             "inForce": {"learned": 10, "negative": 0, "elsewhere": 4},
             "afterRemoval": {"sameAnswers": 1.0, "largestChange": 1e-8}},
        ],
    }  # fmt: skip


def test_the_section_shows_means_spreads_and_what_is_left_of_an_attack() -> None:
    text = "\n".join(section(made_figures()))
    assert "| 2,000 messages | 90.5 % (90.0 % to 91.0 %) | 0.900 |" in text
    assert "| 0 messages | 80.0 % | 0.900 | 0.100 | 0.200 | 95.0 % | - |" in text
    assert "| steal | 10, 0; 4 | 70.0 %" in text
    assert "After removal 100.0 %" in text


def test_the_report_takes_the_section_in(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(
        json.dumps({"about": {"wellworn": "1", "encoder": "e", "seeds": [0]}, "date": "d", "results": []}),
        encoding="utf-8",
    )
    (tmp_path / "feedback.json").write_text(json.dumps(made_figures()), encoding="utf-8")
    out = tmp_path / "out.md"
    main([str(tmp_path / "results.json"), "--feedback", str(tmp_path / "feedback.json"), "--out", str(out)])
    assert "## Learning from feedback" in out.read_text(encoding="utf-8")


def test_progress_leaves_out_what_cannot_be_measured(capsys: pytest.CaptureFixture[str]) -> None:
    """Where every message means a skill there is nothing to reject, hence no AUROC."""
    point = {"top1": 0.5, "auroc": None, "ece": 0.1}
    say_plan({"case": "skills", "seed": 0, "error_rate": 0.05, "points": [point, {**point, "top1": 0.75}]})
    assert capsys.readouterr().err == "skills, seed 0, 5% mistaken: top1 0.500>0.750 ece 0.100>0.100\n"
