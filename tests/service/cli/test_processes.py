"""The command as a process: interrupted, cut off, piped, and beside a running service."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from tests.service.cli.commands import Commands, sentence
from tests.service.worlds import SHIP, World

ESCAPE = "\x1b"


def big_library(count: int = 800) -> Path:
    lines = [
        {"id": f"skill-{n}", "description": f"Use when thing {n} is to be done.", "body": "x " * 500}
        for n in range(count)
    ]
    path = Path("big.jsonl")
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    return path


def wait_for_files(folder: Path, count: int) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until and (not folder.is_dir() or len(list(folder.iterdir())) < count):
        time.sleep(0.01)


def test_an_interrupted_import_says_so_in_one_line_and_can_be_run_again(cli: Commands, world: World) -> None:
    library = big_library()
    with cli.start("import", str(library)) as process:
        wait_for_files(world.library, 20)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    if process.returncode != 0:  # it may have been quicker than the signal
        assert (process.returncode, out, err) == (130, "", "Stopped; what was acknowledged is kept.\n")
    for folder in world.library.iterdir():
        if not folder.name.startswith("."):
            assert (folder / "SKILL.md").is_file()
    report = cli.ok("import", str(library), "--json").json
    assert report["added"] + report["unchanged"] + report["replaced"] >= 800
    assert cli.ok("skills", "list", "--json", "--limit", "1").json["total"] == 800


def test_an_interrupted_reindex_says_so_in_one_line_and_goes_on_the_next_time(cli: Commands, world: World) -> None:
    for number in range(200):
        world.skill(f"skill-{number}", f"Use when thing {number} is to be done.")
    with cli.start("reindex") as process:
        vectors = world.data / "vectors"
        until = time.monotonic() + 30
        while time.monotonic() < until and not vectors.exists():
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    if process.returncode != 0:  # it may have been quicker than the signal
        assert (process.returncode, out, err) == (130, "", "Stopped; what was acknowledged is kept.\n")
    assert cli.ok("reindex", "--json").json["skills"] == 200


@pytest.mark.parametrize(
    "argv", [["skills", "list", "--limit", "1000"], ["skills", "list", "--limit", "1000", "--json"]]
)
def test_a_reader_that_goes_away_is_no_error(cli: Commands, world: World, argv: list[str]) -> None:
    for number in range(300):
        world.skill(f"skill-{number}", "word " * 150)
    cli.ok("skills", "list")
    with cli.start(*argv) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()
        process.wait(30)
    assert (process.returncode, err) == (0, "")


@pytest.mark.parametrize(
    "argv",
    [
        ["skills", "list"],
        ["resolve", "--explain", SHIP],
        ["skills", "show", "release-local"],
        ["sources", "list"],
        ["--help"],
    ],
)
def test_what_goes_into_a_pipe_has_no_colours(cli: Commands, world: World, argv: list[str]) -> None:
    world.usual()
    ran = cli.process(*argv)
    assert (ran.code, ran.err) == (0, "")
    assert ESCAPE not in ran.out


def test_serve_can_ask_itself_one_question(cli: Commands, world: World) -> None:
    world.usual()
    with cli.start("serve", "--port", "0", "--try", SHIP) as process:
        assert process.stdout is not None
        lines: list[str] = []
        while not lines or not lines[-1].startswith("Serving at http://"):
            lines.append(process.stdout.readline())
            assert lines[-1] or process.poll() is None, lines
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (0, "")
    assert any(line.startswith("Confirm: user skill release-local") for line in lines)
    assert not any("wellworn feedback" in line for line in lines)  # it may work on another data folder


def test_the_first_reindex_reports_what_it_embedded_and_what_it_skipped(cli: Commands, world: World) -> None:
    world.usual()
    world.skill("asleep", trust="disabled")
    report = cli.ok("reindex", "--json").json
    assert report["skills"] == 3
    assert report["embedded"] == report["utterances"] > 0
    assert [one["path"] for one in report["skipped"]] == ["asleep"]
    assert "Skipped asleep: its trust is disabled" in cli.ok("reindex").out


def test_the_module_runs_without_a_traceback_on_an_error(cli: Commands) -> None:
    assert sentence(cli.process("skills", "show", "nothing-here"), code=1).startswith("There is no skill")


class TestBesideAService:
    """With a running service of the same data folder a command asks that."""

    def test_both_ways_give_the_same_answers(self, cli: Commands, world: World) -> None:
        world.usual()
        messages = [SHIP, "waters the plants", "qwertz", "", "tune the piano and then cut the release"]
        alone = [gist(cli.ok("resolve", "--json", "--explain", "--", one).json) for one in messages]
        listed = cli.ok("skills", "list", "--json").json
        shown = cli.ok("skills", "show", "release-local", "--json").json
        with cli.service():
            assert [gist(cli.ok("resolve", "--json", "--explain", "--", one).json) for one in messages] == alone
            assert cli.ok("skills", "list", "--json").json == listed
            assert cli.ok("skills", "show", "release-local", "--json").json == shown

    def test_errors_are_the_same_sentences(self, cli: Commands, world: World) -> None:
        world.usual()
        wrong = [
            ["skills", "show", "relese-local"],
            ["skills", "show", "Bad Id"],
            ["resolve", "x", "--repo", "host.org/no/where"],
            ["feedback", "01J0", "right"],
            ["feedback", "--forget", "01J0"],
        ]
        alone = [cli(*argv) for argv in wrong]
        with cli.service():
            assert [cli(*argv) for argv in wrong] == alone

    def test_feedback_reaches_the_service_at_once(self, cli: Commands, world: World) -> None:
        world.usual()
        with cli.service():
            answer = cli.ok("resolve", "--json", "hydrate our leafy friends").json
            cli.ok("feedback", answer["resolutionId"], "should-be", "water-plants")
            assert best(cli.ok("resolve", "--json", "hydrate our leafy friends").json) == "water-plants"
            taught = cli.ok("feedback", "--list", "water-plants", "--json").json
            cli.ok("feedback", "--forget", taught[0]["id"])
            assert "was taught nothing" in cli.ok("feedback", "--list", "water-plants").out

    def test_an_import_beside_it_is_answered_by_it(self, cli: Commands, world: World) -> None:
        world.usual()
        Path("lib.jsonl").write_text(
            '{"id": "feed-cat", "description": "Feeds.", "aliases": ["fill the bowl of the cat"]}\n', encoding="utf-8"
        )
        with cli.service():
            cli.ok("import", "lib.jsonl")
            until = time.monotonic() + 5
            while best(cli.ok("resolve", "--json", "fill the bowl of the cat").json) != "feed-cat":
                assert time.monotonic() < until
            assert cli.ok("reindex", "--json").json["skills"] == 4

    def test_keys_shut_nobody_out_who_may_read_the_data_folder(self, cli: Commands, world: World) -> None:
        world.usual()
        with cli.service():
            cli("keys", "create", "--role", "agent")
            time.sleep(1.2)
            assert cli.ok("resolve", "--json", SHIP).json["skillId"] == "release-local"

    def test_a_library_of_the_command_is_answered_in_process(self, cli: Commands, world: World) -> None:
        world.usual()
        world.skill("feed-cat", at=world.root / "team", aliases=["fill the bowl of the cat"])
        with cli.service():
            found = cli.ok("--library", "team", "resolve", "--json", "fill the bowl of the cat").json
        assert found["skillId"] == "feed-cat"

    def test_a_service_that_was_killed_is_not_waited_for(self, cli: Commands, world: World) -> None:
        world.usual()
        with cli.start("serve", "--port", "0") as process:
            assert process.stdout is not None
            process.stdout.readline()
            process.kill()
            process.communicate()
        begun = time.monotonic()
        assert cli.ok("skills", "list", "--json").json["total"] == 3
        assert time.monotonic() - begun < 10


def best(answer: dict[str, Any]) -> str:
    found: str = answer["skillId"] or answer["alternatives"][0]["skillId"]
    return found


def gist(answer: dict[str, Any]) -> dict[str, Any]:
    """All but what is new each time; numbers to nine digits (threads may add them in another order)."""
    kept = {name: value for name, value in answer.items() if name not in {"resolutionId", "generation"}}
    rounded: dict[str, Any] = json.loads(json.dumps(kept), parse_float=lambda text: round(float(text), 6))
    return rounded
