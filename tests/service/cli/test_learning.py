"""`wellworn learning` and `wellworn turn`, in this process and through a running service."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.service.cli.commands import Commands
from tests.service.http.serving import wait_until
from tests.service.worlds import World

COMMANDS = ["pip install mkdocs", "mkdocs build", "rsync -a site/ web:/srv", "curl -f https://docs/health", "make ping"]


def turn_file(world: World, number: int = 1, **changes: Any) -> str:
    calls = [{"tool": "Bash", "command": command, "success": True} for command in COMMANDS]
    given = {"id": f"turn-{number}", "origin": "cli", "ending": "completed", "message": "put the handbook online"}
    path = Path(world.root / f"turn-{number}.json")
    path.write_text(json.dumps(given | {"calls": calls} | changes), encoding="utf-8")
    return str(path)


def test_it_is_off_until_it_is_turned_on_and_off_again(cli: Commands) -> None:
    assert "Not available for local (opted-in)" in cli.ok("learning").out
    assert "On for local: what a review finds waits as a proposal." in cli.ok("learning", "on").out
    assert "writes skills of its own" in cli.ok("learning", "on", "--direct").out
    assert cli.ok("learning", "--json").json["direct"]
    assert "(opted-in)" in cli.ok("learning", "off").out


def test_a_turn_is_counted_and_shown(cli: Commands, world: World) -> None:
    assert "It does not count (opted-in)" in cli.ok("turn", "post", turn_file(world)).out
    cli.ok("learning", "on")
    assert cli.ok("turn", "post", turn_file(world, 2)).out == "It counts: 5 proven calls so far.\n"
    assert cli.ok("turn", "show", "turn-2").out == "It counted; no review was begun with it.\n"
    assert "5 of 20 proven calls" in cli.ok("learning").out


def test_a_review_that_is_due_is_waited_for_and_its_proposal_named(cli: Commands, world: World) -> None:
    cli.ok("learning", "on")
    cli.ok("settings", "set", "review.every_tool_calls", "5")
    assert "a review was begun" in cli.ok("turn", "post", turn_file(world)).out
    shown = cli.ok("turn", "show", "turn-1").out
    assert shown.startswith("Review of turn turn-1 by built-in: done. It wrote ")
    assert "put-handbook-online" in cli.ok("skills", "proposals").out


def test_the_same_works_through_a_running_service(cli: Commands, world: World) -> None:
    with cli.service():
        cli.ok("learning", "on")
        cli.ok("settings", "set", "review.every_tool_calls", "5")
        cli.ok("turn", "post", turn_file(world))
        wait_until(lambda: "done" in cli.ok("turn", "show", "turn-1").out)
        assert "put-handbook-online" in cli.ok("skills", "proposals").out


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("no json", "The turn"),
        ("{}", "field id"),
        ('{"id": "x", "origin": "moon", "ending": "completed"}', "field origin"),
    ],
)
def test_a_turn_that_cannot_be_used_is_told_with_its_field(
    cli: Commands, world: World, content: str, words: str
) -> None:
    path = world.root / "turn.json"
    path.write_text(content, encoding="utf-8")
    ran = cli("turn", "post", str(path))
    assert (ran.code, ran.out, words in ran.err) == (2, "", True), ran


@pytest.mark.parametrize("argv", [("turn", "show", "nothing"), ("turn", "show", "../../etc/passwd")])
def test_an_unknown_turn_is_told_in_a_sentence(cli: Commands, argv: tuple[str, ...]) -> None:
    ran = cli(*argv)
    assert (ran.code, "There is no turn" in ran.err) == (1, True), ran
