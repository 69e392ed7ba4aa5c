"""`wellworn eval` on a small library: figures, plot, comparison, limits, and mistakes in the files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.service.cli.commands import Commands, sentence

LIBRARY = [
    {
        "id": "water-plants",
        "description": "Waters the plants.",
        "aliases": ["give the ferns a drink"],
        "colour": "green",
    },
    {"id": "tune-piano", "description": "Tunes the piano.", "aliases": ["make the keys sing"]},
    {"id": "feed-cat", "description": "Feeds the cat.", "aliases": ["fill the bowl of the cat"]},
]
MESSAGES = [
    {"message": "give the ferns a drink", "expected": "water-plants"},
    {"message": "make the keys sing", "expected": ["tune-piano", "feed-cat"]},
    {"message": "fill the bowl of the cat", "expected": "feed-cat"},
    {"message": "what is the capital of France", "expected": None},
    {"message": "how old is the piano", "expected": None, "notSkill": "tune-piano"},
]
KEYS = {"inScope", "outOfScope", "nearMisses", "calibration", "decisions", "confusions", "latencyMs", "indexing"}


def write(name: str, lines: list[object]) -> str:
    Path(name).write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    return name


@pytest.fixture
def files() -> list[str]:
    return ["--library", write("lib.jsonl", [*LIBRARY]), "--messages", write("msg.jsonl", [*MESSAGES])]


@pytest.fixture(autouse=True)
def _here(cli: Commands) -> None:
    """Work in the world's folder before files are written."""


def test_json_has_every_figure(cli: Commands, files: list[str]) -> None:
    ran = cli("eval", *files, "--json")
    assert ran.code == 0
    assert ran.json.keys() >= KEYS
    assert (ran.json["inScope"]["n"], ran.json["inScope"]["top1"], ran.json["outOfScope"]["n"]) == (3, 1.0, 1)
    assert ran.json["nearMisses"]["n"] == 1
    assert "colour" in ran.err
    assert ran.err.count("\n") == 1


def test_people_get_tables(cli: Commands, files: list[str]) -> None:
    ran = cli("eval", *files)
    assert ran.code == 0
    assert "\x1b" not in ran.out
    for word in ("top 1", "calibration error", "milliseconds"):
        assert word.lower() in ran.out.lower()


def test_a_folder_of_skills_will_do(cli: Commands, files: list[str]) -> None:
    cli.ok("import", "lib.jsonl", "--json")
    ran = cli("eval", "--library", "home/.wellworn/skills", *files[2:], "--json")
    assert ran.json["inScope"]["top1"] == 1.0


def test_a_plot_is_written(cli: Commands, files: list[str]) -> None:
    pytest.importorskip("matplotlib")
    assert cli("eval", *files, "--plot", "out.png").code == 0
    assert Path("out.png").read_bytes().startswith(b"\x89PNG")


def test_another_encoder_is_compared_on_the_same_messages(cli: Commands, files: list[str]) -> None:
    ran = cli("eval", *files, "--compare", "hashing:128")
    assert ran.code == 0
    assert "hashing:128" in ran.out


def test_limits_that_do_not_hold_exit_3_and_say_which(cli: Commands, files: list[str]) -> None:
    assert cli("eval", *files, "--json", "--fail-under", "top1=0.9").code == 0
    ran = cli("eval", *files, "--json", "--fail-under", "top1=0.9,p50=0.0001")
    assert ran.code == 3
    assert "p50" in ran.err


@pytest.mark.parametrize("limits", ["nonsense", "top1=high", "what=1"])
def test_limits_that_are_none_are_one_sentence(cli: Commands, files: list[str], limits: str) -> None:
    sentence(cli("eval", *files, "--fail-under", limits), code=2)


def test_mistakes_in_the_files_name_file_and_line(cli: Commands, files: list[str]) -> None:
    broken = write("bad.jsonl", [MESSAGES[0], {"message": "x", "expected": "nobody"}])
    assert "bad.jsonl:2: expected" in sentence(cli("eval", *files[:2], "--messages", broken), code=2)
    broken = write("bad.jsonl", [LIBRARY[1], {"id": "Bad Id"}])
    assert "bad.jsonl:2: `id`" in sentence(cli("eval", "--library", broken, *files[2:]), code=2)
    assert "missing.jsonl" in sentence(cli("eval", *files[:2], "--messages", "missing.jsonl"), code=2)
    assert "no parameter file" in sentence(cli("eval", *files, "--compare", "gone.json"), code=2)


def test_nothing_of_an_evaluation_stays_in_the_data_folder(cli: Commands, files: list[str]) -> None:
    assert cli("eval", *files, "--json").code == 0
    assert not Path("data").exists()
