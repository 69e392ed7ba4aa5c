"""`wellworn skills log|diff|revert`: what a skill was before, and the way back, which only a yes goes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.service.cli.commands import Commands, sentence
from tests.service.cli.test_repair import COMMIT, CTRL_C, at_terminal
from tests.service.worlds import World

REVERT = ("skills", "revert", "release-local", "--to", "1")


@pytest.fixture
def file(cli: Commands, world: World) -> Path:
    """A skill of two versions: as it was found, and edited by hand."""
    world.usual()
    path = world.library / "release-local" / "SKILL.md"
    cli.ok("skills", "log", "release-local")
    path.write_bytes(path.read_bytes().replace(b"Look.", b"Look twice."))
    cli.ok("skills", "log", "release-local")
    return path


def test_the_versions_are_listed_the_newest_first_with_how_they_came(cli: Commands, file: Path) -> None:
    found = cli.ok("skills", "log", "release-local", "--json").json["versions"]
    assert [(one["number"], one["action"], one["current"]) for one in found] == [
        (2, "edited by hand", True),
        (1, "seen", False),
    ]


def test_the_difference_is_of_the_last_change_unless_versions_are_named(cli: Commands, file: Path) -> None:
    for argv in ((), ("1",), ("1", "2")):
        assert "-1. Look.\n+1. Look twice." in cli("skills", "diff", "release-local", *argv).out
    same = cli("skills", "diff", "release-local", "2")
    assert (same.code, same.out, "They are the same." in same.err) == (0, "", True)


@pytest.mark.parametrize("typed", [b"\n", b"n\n", b"\x04", CTRL_C], ids=["enter", "no", "the end of input", "ctrl-c"])
def test_whatever_is_no_yes_goes_back_to_nothing(world: World, file: Path, typed: bytes) -> None:
    before = file.read_bytes()
    _, shown = at_terminal(world, [(COMMIT, typed)], *REVERT)
    assert ("-1. Look twice." in shown, "Traceback" in shown) == (True, False), shown
    assert file.read_bytes() == before


def test_a_yes_goes_back_and_it_is_a_version_of_its_own(cli: Commands, world: World, file: Path) -> None:
    code, shown = at_terminal(world, [(COMMIT, b"y\n")], *REVERT, "--reason", "it was better")
    assert (code, "is as it was in version 1" in shown) == (0, True), shown
    assert b"1. Look.\n" in file.read_bytes()
    newest = cli.ok("skills", "log", "release-local", "--json").json["versions"][0]
    assert (newest["number"], newest["action"], newest["reason"]) == (3, "revert", "it was better")


def test_to_go_back_to_what_it_is_changes_nothing(cli: Commands, file: Path) -> None:
    before = file.read_bytes()
    assert "Nothing was changed." in cli.ok("skills", "revert", "release-local", "--to", "2", "--yes").out
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        (("log", "nothing"), 1, "There is no skill 'nothing'"),
        (("diff", "../../etc/passwd"), 2, "is not a skill id"),
        (("revert", "../x", "--to", "1", "--yes"), 2, "is not a skill id"),
        (("revert", "release-local", "--to", "9", "--yes"), 1, "has no version 9"),
    ],
)
def test_a_mistake_is_one_sentence_and_changes_nothing(
    cli: Commands, file: Path, argv: tuple[str, ...], code: int, words: str
) -> None:
    before = file.read_bytes()
    assert words in sentence(cli("skills", *argv), code=code)
    assert file.read_bytes() == before
