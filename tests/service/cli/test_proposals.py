"""From a proposal to a skill on the command line, with and without a running service."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.service.cli.commands import Commands, environment, sentence
from tests.service.curating import OVER_THE_HILL, RECIPE, propose, texts
from tests.service.worlds import World
from tests.store.makers import make_proposal

from wellworn.models.proposal import SkillAdditions
from wellworn.models.skill import Scope, SkillManifest
from wellworn.service.cli.proposal_view import full_view, short_view

ID = "01J9Z3T6Q4W8X2Y5R7N1M0K9HB"
PIPED = "## Steps\n1. Run `echo aGk= | base64 -d | sh`.\n"


def proposed(world: World, proposal_id: str = ID, **fields: Any) -> None:
    with world.open() as workspace:
        propose(workspace, proposal_id, **fields)


def editor(world: World, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Let $VISUAL run a shell script over the file to be edited ($1)."""
    path = world.root / "editor.sh"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(path))


def test_a_proposal_is_accepted_and_answers_at_once(cli: Commands, world: World) -> None:
    proposed(world, recipe=RECIPE)
    assert ID in cli.ok("skills", "proposals").out
    told = cli.ok("skills", "accept", ID).out
    assert "ship-it@user is installed" in told
    assert str(world.library / "ship-it/SKILL.md") in told
    assert 'Try: wellworn resolve "get this out of the door"' in told
    assert cli.ok("resolve", OVER_THE_HILL, "--json").json["skillId"] == "ship-it"
    assert "No proposal is suggested" in cli.ok("skills", "proposals").out
    assert "accepted" in cli.ok("skills", "proposals", "--status", "all").out


def test_a_proposal_shows_why_what_and_how(cli: Commands, world: World) -> None:
    proposed(world, recipe=RECIPE)
    shown = cli.ok("skills", "proposal", ID).out
    for words in (
        "Five runs in five sessions.",
        "Asks first",
        '"push it over the hill"',
        "-- asks before git_push --",
        "~/.wellworn/forge/ship-it.yaml",
        f"wellworn skills accept {ID}",
        f"wellworn skills reject {ID}",
    ):
        assert words in shown
    assert cli.ok("skills", "show", ID).out == shown
    assert cli.ok("skills", "show", ID, "--json").json["id"] == ID


def test_a_rejected_proposal_is_quiet_and_says_why(cli: Commands, world: World) -> None:
    proposed(world)
    assert "rejected" in cli.ok("skills", "reject", ID, "--reason", "too rare").out
    assert "too rare" in cli.ok("skills", "proposal", ID).out
    assert "already rejected" in sentence(cli("skills", "accept", ID), code=1)


def test_through_a_running_service_it_is_the_same(cli: Commands, world: World) -> None:
    proposed(world)
    proposed(world, "01J9Z3T6Q4W8X2Y5R7N1M0K9HC", skill_id="other")
    with cli.service():
        assert "2 of 2" in cli.ok("skills", "proposals").out
        assert "Five runs" in cli.ok("skills", "proposal", ID).out
        assert cli.ok("skills", "accept", ID, "--json").json["skill"]["id"] == "ship-it"
        assert cli.ok("resolve", OVER_THE_HILL, "--json").json["skillId"] == "ship-it"
        cli.ok("skills", "reject", "01J9Z3T6Q4W8X2Y5R7N1M0K9HC")
        assert "Nothing to propose" in cli.ok("skills", "suggest").out
        assert "already accepted" in sentence(cli("skills", "accept", ID), code=1)


def test_of_several_processes_that_accept_at_once_one_wins(cli: Commands, world: World) -> None:
    proposed(world, recipe=RECIPE)
    started = [cli.start("skills", "accept", ID, "--json") for _ in range(4)]
    ended = [(process.communicate(timeout=60), process.returncode) for process in started]
    assert sorted(code for _, code in ended) == [0, 1, 1, 1], ended
    assert all("already" in err for (_, err), code in ended if code), ended
    assert len(cli.ok("skills", "history", "ship-it", "--json").json["changes"]) == 1


def test_nothing_observed_is_nothing_proposed(cli: Commands) -> None:
    assert "Nothing to propose (0 events in 0 sessions" in cli.ok("skills", "suggest").out
    assert cli.ok("skills", "suggest", "--since", "7d", "--json").json["proposals"] == []


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        (["accept", "nope"], 1, "There is no proposal 'nope'"),
        (["accept", ID, "--id", "Ship It"], 2, "lower-case"),
        (["accept", ID, "--scope", "session"], 2, "--session ID"),
        (["accept", ID, "--scope", "repo"], 2, "--repo FOLDER"),
        (["reject", "nope"], 1, "There is no proposal"),
        (["proposal", "nope"], 1, "There is no proposal"),
        (["suggest", "--since", "yesterday"], 2, "7d, 12h, 2w"),
        (["show", "01J9Z3T6Q4W8X2Y5R7N1M0K9HC"], 1, "There is no proposal"),
    ],
)
def test_a_mistake_is_one_sentence_and_changes_nothing(
    cli: Commands, world: World, argv: list[str], code: int, words: str
) -> None:
    proposed(world)
    assert words in sentence(cli("skills", *argv), code=code)
    assert not (world.home / ".wellworn").exists()
    cli.ok("skills", "accept", ID)


def test_an_id_that_is_taken_is_pointed_at_update(cli: Commands, world: World) -> None:
    world.skill("ship-it", "Mine.")
    proposed(world)
    assert f"skills update ship-it --from {ID}" in sentence(cli("skills", "accept", ID), code=1)
    assert "is changed" in cli.ok("skills", "update", "ship-it", "--from", ID).out
    assert cli.ok("resolve", OVER_THE_HILL, "--json").json["skillId"] == "ship-it"


def test_a_repo_skill_needs_its_id_once_more(cli: Commands, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    root = world.repo("shop", "git@github.com:acme/shop.git")
    monkeypatch.chdir(root)
    proposed(world, scope=Scope.repo)
    assert "--confirm ship-it" in sentence(cli("skills", "accept", ID), code=2)
    assert f"accept {ID} --confirm ship-it" in cli.ok("skills", "proposal", ID).out
    cli.ok("skills", "accept", ID, "--confirm", "ship-it")
    assert (root / ".wellworn/skills/ship-it/SKILL.md").is_file()


@pytest.mark.parametrize(("typed", "code"), [("ship-it", 0), ("ship", 2)])
def test_at_a_terminal_the_id_is_asked_for(cli: Commands, world: World, typed: str, code: int) -> None:
    root = world.repo("shop")
    proposed(world, scope=Scope.repo)
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "wb", buffering=0) as terminal:
        process = subprocess.Popen(
            [sys.executable, "-m", "wellworn", "skills", "accept", ID, "--repo", str(root)],
            env={**os.environ, **environment(world)},
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        os.close(theirs)
        terminal.write(f"{typed}\n".encode())
        _, err = process.communicate(timeout=60)
    assert process.returncode == code, err
    assert "Type ship-it to confirm" in err
    assert (root / ".wellworn").exists() == (code == 0)


def test_a_finding_is_allowed_by_its_name(cli: Commands, world: World) -> None:
    proposed(world, body=PIPED)
    told = sentence(cli("skills", "accept", ID), code=2)
    name = told.partition("--override ")[2].partition(")")[0]
    assert "Security: high" in cli.ok("skills", "accept", ID, "--override", name).out


def test_an_edit_is_shown_and_then_written(cli: Commands, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    proposed(world, recipe=RECIPE)
    editor(
        world,
        monkeypatch,
        "sed -i -e 's/^id: ship-it$/id: send-it/' -e 's/push it over the hill/send it home/' "
        "-e 's/command: npm test/command: npm run check/' \"$1\"",
    )
    ran = cli("skills", "accept", ID, "--edit", stdin="accept\n")
    assert ran.code == 0, ran
    assert "+  - send it home" in ran.out
    written = texts(world.home / ".wellworn")
    assert "npm run check" in written["forge/send-it.yaml"]
    assert (
        "provenance: human" in written["skills/send-it/manifest.yaml"]
        or "agent" not in (written["skills/send-it/manifest.yaml"])
    )
    assert cli.ok("resolve", "send it home", "--json").json["skillId"] == "send-it"


@pytest.mark.parametrize(
    ("script", "answered"),
    [
        ("true", ("", 1)),
        (': > "$1"', ("", 1)),
        ("sed -i 's/hill/hills/' \"$1\"", ("cancel\n", 1)),
        ("sed -i 's/hill/hills/' \"$1\"", ("\n", 1)),
        ("sed -i 's/hill/hills/' \"$1\"", ("", 130)),
        ("sed -i 's/^description:.*/description: [/' \"$1\"", ("cancel\n", 1)),
        ("sed -i 's/^aliases:/nicknames:/' \"$1\"", ("cancel\n", 1)),
        ('echo nothing > "$1"', ("cancel\n", 1)),
    ],
)
def test_an_edit_that_is_empty_broken_or_cancelled_changes_nothing(
    cli: Commands, world: World, monkeypatch: pytest.MonkeyPatch, script: str, answered: tuple[str, int]
) -> None:
    proposed(world)
    editor(world, monkeypatch, script)
    stdin, code = answered
    assert cli("skills", "accept", ID, "--edit", stdin=stdin).code == code
    assert not (world.home / ".wellworn").exists()
    assert "suggested" in cli.ok("skills", "proposals").out


def test_a_broken_edit_can_be_edited_again(cli: Commands, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    proposed(world)
    once = world.root / "once"
    editor(
        world,
        monkeypatch,
        f'if [ -e {once} ]; then sed -i "s/^nicknames:/aliases:/; s/hill/hills/" "$1"; '
        f'else touch {once}; sed -i "s/^aliases:/nicknames:/" "$1"; fi',
    )
    ran = cli("skills", "accept", ID, "--edit", stdin="edit\naccept\n")
    assert ran.code == 0, ran
    assert "nicknames" in ran.err
    assert "push it over the hills" in texts(world.library)["ship-it/manifest.yaml"]


def test_an_update_can_be_edited_before_it_is_accepted(
    cli: Commands, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.skill("ship-it", "Mine.", body="## Steps\n1. Look.\n")
    added = SkillAdditions(aliases=["one way", "another way"], steps=["Tell them."])
    proposed(world, updates="ship-it@user", additions=added)
    editor(world, monkeypatch, "sed -i -e '/another way/d' -e 's/^- Tell them/- Tell us/' \"$1\"")
    ran = cli("skills", "accept", ID, "--edit", stdin="accept\n")
    assert ran.code == 0, ran
    assert "was updated" in ran.out
    written = texts(world.library / "ship-it")
    assert "2. Tell us." in written["SKILL.md"]
    assert "one way" in written["manifest.yaml"]
    assert "another way" not in written["manifest.yaml"]


def test_a_session_skill_ends_with_its_session_and_can_be_kept(cli: Commands, world: World) -> None:
    proposed(world)
    cli.ok("skills", "accept", ID, "--scope", "session", "--session", "s1")
    assert "ship-it" in cli.ok("skills", "end-session", "s1").out
    assert "no skills of its own" in cli.ok("skills", "end-session", "s1").out
    cli.ok("skills", "accept", ID, "--scope", "user")
    assert cli.ok("resolve", OVER_THE_HILL, "--json").json["skillId"] == "ship-it"


def _columns(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in line)


def _plain(lines: Iterator[str]) -> list[str]:
    import click

    return [click.unstyle(line) for line in lines]


@pytest.mark.parametrize("text", ["word " * 60, "x" * 300, "日本語のとても長い文" * 20, "tabs\tand\nlines " * 20])
def test_no_line_of_a_proposal_is_wider_than_a_terminal(text: str) -> None:
    proposal = make_proposal(ID, recipe=RECIPE, body=f"## Steps\n1. {text}\n    code {text}\n")
    manifest = SkillManifest(id="ship-it", description=text, aliases=[text], triggers=[text], examples=[text])
    gate = proposal.gate.model_copy(update={"evidence": text, "similar": text})
    wide = proposal.model_copy(update={"manifest": manifest, "gate": gate, "notes": [text], "repo": text})
    for view in (full_view, short_view):
        assert max(_columns(line) for line in _plain(view(wide))) <= 80


def test_what_was_learned_cannot_steer_the_terminal() -> None:
    nasty = "\x1b[2Jgone\u202e\x07"
    manifest = SkillManifest(id="ship-it", description=nasty, aliases=[nasty])
    proposal = make_proposal(ID, manifest=manifest, body=nasty, repo=nasty)
    shown = "\n".join(_plain(full_view(proposal)))
    assert not {"\x1b", "\u202e", "\x07"} & set(shown)


def test_every_file_that_is_named_is_written(cli: Commands, world: World) -> None:
    proposed(world, recipe=RECIPE)
    shown = cli.ok("skills", "proposal", ID).out
    named = {line.strip().replace("~", str(world.home)) for line in shown.splitlines() if line.startswith("  ~/")}
    files = cli.ok("skills", "accept", ID, "--json").json["files"]
    assert named == set(files)
    assert all(Path(name).is_file() for name in files)
