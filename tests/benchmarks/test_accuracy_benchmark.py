"""The accuracy benchmark: data sets made with a seed, nothing leaking between their parts, and a report."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import pytest
from benchmarks import accuracy_sets as sets
from benchmarks.accuracy import as_wire, peer_answers, plans, task_texts, write_task
from benchmarks.report import AIMS, Aim, main, reached, report
from hypothesis import given
from hypothesis import strategies as st

from wellworn.models.skill import SkillManifest
from wellworn.resolver.evaluation.messages import read_messages

CLASSES = [f"Class_{chr(97 + i)}?" for i in range(25)]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small copy of the data sets' layout, with made-up texts."""
    root = tmp_path_factory.mktemp("data")
    (root / "clinc150").mkdir()
    splits = {
        split: [[f"{split} {label} {i}", label] for label in CLASSES for i in range(per_class)]
        for split, per_class in (("train", 12), ("val", 61), ("test", 4))
    }
    outside = {f"oos_{split}": [[f"out {split} {i}", "oos"] for i in range(40)] for split in ("train", "val", "test")}
    (root / "clinc150" / "data_full.json").write_text(json.dumps(splits | outside), encoding="utf-8")
    (root / "banking77").mkdir()
    for split, per_class in (("train", 300), ("test", 4)):
        with (root / "banking77" / f"{split}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["text", "category"])
            writer.writerows([f"bank {split}, {label} {i}", label] for label in CLASSES for i in range(per_class))
    return root


@pytest.mark.parametrize("make", [sets.clinc150, sets.banking77, sets.banking77_near])
def test_no_text_is_in_two_of_library_messages_and_fit(data: Path, make: Any) -> None:
    task = make(data, 0)
    library = {text for line in task.library for text in line["examples"]}
    messages, fit = {row["message"] for row in task.messages}, {row["message"] for row in task.fit}
    assert not library & messages
    assert not library & fit
    assert not messages & fit
    assert all(len(line["examples"]) == 10 for line in task.library)


def test_a_text_that_the_public_set_holds_twice_is_not_fitted_on() -> None:
    fit = [{"message": text, "expected": None} for text in ("stored", "asked", "new")]
    left = sets.unseen(fit, [{"id": "a", "examples": ["stored"]}], [{"message": "asked", "expected": "a"}])
    assert [row["message"] for row in left] == ["new"]


@pytest.mark.parametrize("make", [sets.clinc150, sets.banking77, sets.banking77_near])
def test_a_seed_makes_the_same_task_again_and_another_seed_another(data: Path, make: Any) -> None:
    assert make(data, 1) == make(data, 1)
    assert make(data, 1).library != make(data, 2).library


def test_the_files_of_a_task_are_what_an_evaluation_reads(data: Path, tmp_path: Path) -> None:
    task = sets.banking77(data, 0)
    write_task(task, tmp_path)
    ids = frozenset(SkillManifest.model_validate(line).id for line in sets.read_rows(tmp_path / "library.jsonl"))
    read = read_messages(tmp_path / "messages.jsonl", {None: ids})
    assert len(read.messages) == len(task.messages)
    assert read.warnings == ()
    assert sum(message.in_scope for message in read.messages) == 100


def test_out_of_scope_messages_stand_one_to_four(data: Path) -> None:
    for task in (sets.banking77(data, 0), sets.banking77_near(data, 0)):
        outside = sum(row["expected"] is None for row in task.messages)
        assert 4 * outside == len(task.messages) - outside


def test_held_out_classes_are_in_no_library_and_all_out_of_scope(data: Path) -> None:
    task = sets.banking77_near(data, 0)
    ids = {line["id"] for line in task.library}
    assert len(ids) == len(CLASSES) - 19
    assert {row["expected"] for row in task.messages} == ids | {None}


@given(st.text(max_size=120), st.integers(0, 5))
def test_typos_are_one_per_fifteen_characters_and_repeatable(text: str, seed: int) -> None:
    spoilt = sets.with_typos(text, random.Random(seed))
    assert spoilt == sets.with_typos(text, random.Random(seed))
    assert abs(len(spoilt) - len(text)) <= round(len(text) / 15)
    if not any(character.isalpha() for character in text):
        assert spoilt == text


def test_unseeded_tasks_run_once() -> None:
    assert plans(["clinc150", "metatool"], [0, 1]) == [("clinc150", 0), ("clinc150", 1), ("metatool", 0)]


def test_the_peer_gets_a_vector_of_every_text_it_may_ask_for(data: Path) -> None:
    task = sets.clinc150(data, 0)
    texts = set(task_texts(task))
    assert {row["message"] for row in (*task.messages, *task.fit)} <= texts
    assert {text for line in task.library for text in line["examples"]} <= texts
    assert {"class a", "class b"} <= texts
    assert "" not in texts


def peer_output(task: sets.Task, confidence: float) -> dict[str, Any]:
    """The peer's output where it always answers the first skill."""
    settings = {"aggregation": "max", "topK": "all", "alpha": 0.7, "namesAsUtterances": True}
    configuration = settings | {"top1": 0.25, "auroc": 0.75}
    return {
        "version": "1.2.3",
        "controls": [{"n": 5, "found": 5}],
        "configurations": [configuration],
        "best": configuration,
        "ids": [line["id"] for line in task.library],
        "answers": {"raw": {"fit": None, "ranked": [[[0, confidence], [1, 0.1]] for _ in task.messages]}},
    }


def test_the_peers_answers_go_through_the_same_figures() -> None:
    task = sets.Task(
        [{"id": "a", "examples": ["x"]}, {"id": "b", "examples": ["y"]}],
        [{"message": "1", "expected": "a"}, {"message": "2", "expected": "b"}, {"message": "3", "expected": None}],
    )
    ((variant, answer),) = peer_answers(peer_output(task, 0.7), task)
    assert variant == "raw"
    assert (answer.in_scope.n, answer.in_scope.top1, answer.in_scope.top3) == (2, 0.5, 1.0)
    assert answer.out_of_scope.auroc == 0.5
    assert answer.calibration.ece == pytest.approx(0.7 - 1 / 3)


def results(top1: tuple[float, ...]) -> dict[str, Any]:
    """Results of both systems on one task, with the given top-1 of wellworn a seed."""
    task = sets.Task(
        [{"id": "a"}, {"id": "b"}], [{"message": "1", "expected": "a"}, {"message": "2", "expected": None}]
    )
    peer = peer_output(task, 0.7)
    ((variant, answer),) = peer_answers(peer, task)
    wire = as_wire(answer)
    rows: list[dict[str, Any]] = []
    for seed, value in enumerate(top1):
        ours = wire | {"inScope": wire["inScope"] | {"top1": value}}
        rows.append({"task": "clinc150", "seed": seed, "system": "wellworn", "answer": ours})
        about = {key: peer[key] for key in ("version", "best", "configurations", "controls")}
        peers = {"system": "semantic-router", "variant": variant, "answer": wire, "peer": about}
        rows.append({"task": "clinc150", "seed": seed, **peers})
    about = {"wellworn": "0.1", "encoder": "bundled", "seeds": [0, 1]}
    return {"about": about, "date": "2026-01-01", "results": rows}


def test_the_report_shows_mean_and_spread_beside_aim_and_peer() -> None:
    text = report(results((0.91, 0.95)))
    assert "| clinc150 | top 1 | >= 92.0 % | 93.0 % (91.0 to 95.0) | on average | 25.0 % (25.0 to 25.0) |" in text
    assert "## semantic-router 1.2.3" in text
    assert "| max over all, with TF-IDF, alpha 0.7, names as utterances | 25.0 % (25.0 to 25.0) |" in text
    assert "| max over all, with TF-IDF, alpha 0.7, names as utterances | 0.750 (0.750 to 0.750) |" in text


def test_the_report_is_written_from_the_file_of_results(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(json.dumps(results((0.9,))), encoding="utf-8")
    main([str(tmp_path / "results.json"), "--out", str(tmp_path / "REPORT.md")])
    assert (tmp_path / "REPORT.md").read_text(encoding="utf-8") == report(results((0.9,)))


@pytest.mark.parametrize(
    ("figure", "values", "verdict"),
    [
        ("top1", [0.93, 0.92], "yes"),
        ("top1", [0.91, 0.94], "on average"),
        ("top1", [0.90], "no"),
        ("ece", [0.01], "yes"),
        ("ece", [0.95], "no"),
        ("top1", [], "-"),
    ],
)
def test_an_aim_is_reached_by_all_seeds_on_average_or_not(figure: str, values: list[float], verdict: str) -> None:
    assert reached(Aim("t", figure, 0.92 if figure == "top1" else 0.03), values) == verdict


def test_every_aim_is_of_a_task_that_exists() -> None:
    assert {aim.task for aim in AIMS} <= set(sets.TASKS)
