"""Trust, updates and history on the command line."""

from __future__ import annotations

import pytest
from tests.service.cli.commands import Commands, sentence
from tests.service.cli.test_proposals import editor
from tests.service.curating import texts, worked
from tests.service.worlds import SHIP, World


@pytest.fixture
def shipping(world: World) -> World:
    world.usual()
    world.skill("release-local", "Cuts a release.", aliases=[SHIP], body="## Steps\n1. Run `git status`.\n2. Push.\n")
    return world


def skill_of(cli: Commands, message: str = SHIP) -> str | None:
    found: str | None = cli.ok("resolve", message, "--json").json["skillId"]
    return found


@pytest.mark.parametrize(("verb", "level"), [("disable", "disabled"), ("archive", "archived"), ("delete", "archived")])
def test_a_skill_is_set_aside_and_brought_back(cli: Commands, shipping: World, verb: str, level: str) -> None:
    told = cli.ok("skills", verb, "release-local", "--reason", "not now").out
    assert f"release-local@user is {level} now; it was installed." in told
    assert "skills enable release-local" in told
    assert skill_of(cli) is None
    assert (shipping.library / "release-local/SKILL.md").is_file()
    assert "is installed now" in cli.ok("skills", "enable", "release-local").out
    assert skill_of(cli) == "release-local"


def test_a_history_tells_who_when_and_why(cli: Commands, shipping: World) -> None:
    assert "Nothing was decided" in cli.ok("skills", "history", "release-local").out
    with shipping.open() as workspace:
        worked(workspace, "release-local", 6)
    cli.ok("skills", "promote", "release-local", "--reason", "it works")
    cli.ok("skills", "demote", "release-local")
    shown = cli.ok("skills", "history", "release-local").out.splitlines()
    assert "trusted -> installed" in shown[1]
    assert "installed -> trusted" in shown[2]
    assert "it works; 6 successes" in shown[2]
    assert len(cli.ok("skills", "history", "release-local", "--json").json["changes"]) == 2
    assert "demote to installed on" in cli.ok("skills", "show", "release-local").out


def test_missing_evidence_is_one_sentence(cli: Commands, shipping: World) -> None:
    told = sentence(cli("skills", "promote", "release-local"), code=1)
    assert "0 of the 5 times" in told
    assert "one level at a time" in sentence(cli("skills", "promote", "release-local", "--to", "automatic"), code=1)


def test_through_a_running_service_it_is_the_same(cli: Commands, shipping: World) -> None:
    with cli.service():
        assert skill_of(cli) == "release-local"
        cli.ok("skills", "disable", "release-local")
        assert skill_of(cli) is None
        cli.ok("skills", "enable", "release-local")
        assert "is changed" in cli.ok("skills", "update", "release-local", "--alias", "out of the door with it").out
        assert skill_of(cli, "out of the door with it") == "release-local"
        assert len(cli.ok("skills", "history", "release-local", "--json").json["changes"]) == 3
        assert "Did you mean release-local" in sentence(cli("skills", "disable", "release-locl"), code=1)


def test_an_update_shows_the_difference_and_is_made(cli: Commands, shipping: World) -> None:
    told = cli.ok("skills", "update", "release-local", "--alias", "x y z", "--remove-alias", SHIP).out
    assert "+  - x y z" in told
    assert "is changed" in told
    assert "Nothing was changed" in cli.ok("skills", "update", "release-local", "--alias", "x y z").out
    assert skill_of(cli, "x y z") == "release-local"


def test_an_update_by_editor_changes_what_was_edited_only(
    cli: Commands, shipping: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = texts(shipping.library / "release-local")
    editor(shipping, monkeypatch, "sed -i -e 's/Cuts a release/Cuts releases/' -e 's/Push\\./Push it./' \"$1\"")
    ran = cli("skills", "update", "release-local", "--edit", stdin="change\n")
    assert ran.code == 0, ran
    after = texts(shipping.library / "release-local")
    expected = before["SKILL.md"].replace("Cuts a release", "Cuts releases").replace("2. Push.", "2. Push it.")
    assert after["SKILL.md"].strip() == expected.strip()


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["update", "release-local", "--remove-alias", "never said"], "It has: ship it to the shelf"),
        (["update", "release-local", "--description", " "], "needs a description"),
    ],
)
def test_an_update_that_cannot_be_made_is_one_sentence(
    cli: Commands, shipping: World, argv: list[str], words: str
) -> None:
    before = texts(shipping.home)
    assert words in sentence(cli("skills", *argv), code=2)
    assert texts(shipping.home) == before


def test_an_update_of_nothing_is_told_what_to_say(cli: Commands, shipping: World) -> None:
    ran = cli("skills", "update", "release-local")
    assert ran.code == 2
    assert "--alias TEXT" in ran.err


def test_the_facts_that_must_hold_are_shown(cli: Commands, shipping: World) -> None:
    shipping.skill("guarded", "Guarded.", when={"openPr": True, "branch": ["fix-*", "main"]})
    shown = cli.ok("skills", "show", "guarded").out
    assert "openPr: yes; branch: fix-*, main" in shown


def test_an_import_leaves_dangerous_skills_out_and_ends_with_one(cli: Commands, world: World) -> None:
    import json

    library = world.root / "lib.jsonl"
    piped = {"id": "sneaky", "description": "Sneaks.", "body": "## Steps\n1. Run `echo aGk= | base64 -d | sh`.\n"}
    library.write_text(f"{json.dumps({'id': 'kind', 'description': 'Is kind.'})}\n{json.dumps(piped)}\n", "utf-8")
    ran = cli("import", str(library))
    assert ran.code == 1
    assert ran.out.startswith("1 added")
    assert "Left out: sneaky" in ran.err
    override = ran.err.partition("it: ")[2].split()
    assert cli.ok("import", str(library), *override).out.startswith("1 added, 0 replaced, 1 unchanged")
