"""`wellworn trace`, in this process and through a running service."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.service.cli.commands import Commands, sentence
from tests.service.worlds import World

KEY = "ghp_" + "Zq81" * 9


def ids(cli: Commands, *query: str) -> list[str]:
    return [one["id"] for one in cli.ok("trace", "list", "--json", *query).json["events"]]


def history(world: World, *commands: str) -> Path:
    path = world.root / ".bash_history"
    lines = [f"#{1_767_225_600 + at * 60}\n{command}\n" for at, command in enumerate(commands)]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def test_an_event_is_added_listed_and_shown(cli: Commands) -> None:
    argv = ["command_run", "npm test", "--failure", "--data", "exitCode=1", "--data", "note=1 a", "--tag", "ci"]
    assert "Kept as e1" in cli.ok("trace", "add", *argv, "--session", "s1", "--id", "e1").out
    assert "npm test" in cli.ok("trace", "list").out
    event = cli.ok("trace", "show", "e1", "--json").json
    assert (event["sessionId"], event["success"], event["tags"]) == ("s1", False, ["ci", "test"])
    assert event["data"]["exitCode"] == 1
    assert event["data"]["note"] == "1 a"
    shown = cli.ok("trace", "show", "e1").out
    assert "badly" in shown
    assert "exitCode" in shown


def test_adding_the_same_id_again_changes_nothing(cli: Commands) -> None:
    cli.ok("trace", "add", "user_intent", "first", "--id", "e1")
    assert "kept already" in cli.ok("trace", "add", "user_intent", "second", "--id", "e1").out
    assert cli.ok("trace", "show", "e1", "--json").json["summary"] == "first"


def test_a_list_is_filtered_and_goes_on_with_its_cursor(cli: Commands) -> None:
    for at in range(3):
        cli.ok("trace", "add", "command_run", f"make {at}", "--id", f"e{at}", "--ts", f"2026-01-0{at + 1}T00:00:00")
    cli.ok("trace", "add", "user_intent", "no, use pnpm", "--id", "said", "--session", "other", "--success")
    assert ids(cli, "--kind", "command_run") == ["e2", "e1", "e0"]
    assert ids(cli, "--until", "2026-01-02") == ["e0"]
    assert ids(cli, "--since", "2026-01-02", "--kind", "command_run") == ["e2", "e1"]
    assert ids(cli, "--tag", "correction") == ids(cli, "--session", "other") == ids(cli, "--success") == ["said"]
    page = cli.ok("trace", "list", "--kind", "command_run", "--limit", "2", "--json").json
    assert ids(cli, "--kind", "command_run", "--cursor", page["next"]) == ["e0"]
    assert "More with --cursor" in cli.ok("trace", "list", "--limit", "2").out


def test_an_empty_list_says_what_to_do(cli: Commands) -> None:
    assert "trace import" in cli.ok("trace", "list").out


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["add", "user_intent", "x", "--ts", "2999-01-01"], "future"),
        (["add", "user_intent", "x", "--ts", "yesterday"], "ts"),
        (["add", "user_intent", "x" * 2001], "2000"),
        (["add", "user_intent", "x", "--data", "x"], "KEY=VALUE"),
        (["add", "user_intent", "x", "--id", "a\nb"], "id"),
        (["list", "--since", "yesterday"], "since"),
        (["list", "--cursor", "x"], "cursor"),
        (["import", "nowhere.jsonl"], "nowhere.jsonl"),
        (["prune"], "--older-than"),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(cli: Commands, argv: list[str], words: str) -> None:
    assert words in sentence(cli("trace", *argv), code=2)
    assert ids(cli) == []


def test_an_unknown_event_is_not_found(cli: Commands) -> None:
    assert "trace list" in sentence(cli("trace", "show", "nothing"), code=1)


def test_shell_history_is_imported_once_without_its_secrets(cli: Commands, world: World) -> None:
    path = history(world, "npm test", f"curl -H 'Authorization: token {KEY}' https://a.io", "git push")
    ran = cli.ok("trace", "import", str(path), "--session", "shell")
    assert "Imported 3 events from 1 file." in ran.out
    assert "taken out of 1 event" in ran.out
    assert "Kept already: 3 events." in cli.ok("trace", "import", str(path), "--session", "shell").out
    again = cli.ok("trace", "import", str(path), "--session", "shell", "--json").json
    assert (again["imported"], again["duplicates"]) == (0, 3)
    assert KEY not in cli.ok("trace", "list", "--json").out
    assert {one["sessionId"] for one in cli.ok("trace", "list", "--json").json["events"]} == {"shell"}


def test_a_corrupt_line_is_told_with_its_number_and_the_rest_imported(cli: Commands, world: World) -> None:
    good = {"ts": "2026-01-01T00:00:00Z", "sessionId": "s", "kind": "command_run", "summary": "make"}
    lines = [
        json.dumps({**good, "id": "a"}),
        "{broken",
        json.dumps({**good, "id": "b"}),
        '{"id": "c", "kind": "danced"}',
    ]
    path = world.root / "events.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    ran = cli("trace", "import", str(path), "--format", "wellworn")
    assert ran.code == 0
    assert "Imported 2 events" in ran.out
    assert "events.jsonl:2" in ran.err
    assert "events.jsonl:4" in ran.err
    assert sorted(ids(cli)) == ["a", "b"]


def test_a_dry_run_keeps_nothing(cli: Commands, world: World) -> None:
    path = history(world, "npm test", "git push")
    assert "Would import 2 events" in cli.ok("trace", "import", str(path), "--dry-run").out
    assert ids(cli) == []


def test_a_folder_is_imported_with_all_its_files(cli: Commands, world: World) -> None:
    folder = world.root / "all"
    (folder / "deep").mkdir(parents=True)
    history(world, "npm test").rename(folder / "deep" / ".bash_history")
    (folder / "picture.png").write_bytes(b"\x89PNG\0\0")
    report = cli.ok("trace", "import", str(folder), "--json").json
    assert (report["files"], report["imported"]) == (2, 1)
    assert [one["path"] for one in report["skipped"]] == [str(folder / "picture.png")]


def test_pruning_goes_by_age_and_number(cli: Commands) -> None:
    for at in range(4):
        cli.ok("trace", "add", "command_run", "make", "--id", f"e{at}", "--ts", f"2026-01-0{at + 1}")
    assert "Would remove 2 events" in cli.ok("trace", "prune", "--keep", "2", "--dry-run").out
    assert len(ids(cli)) == 4
    assert cli.ok("trace", "prune", "--keep", "2", "--json").json == {"removed": 2, "matching": 2}
    assert ids(cli) == ["e3", "e2"]
    assert "Removed 2 events" in cli.ok("trace", "prune", "--older-than", "1").out


def test_all_of_it_works_through_a_running_service(cli: Commands, world: World) -> None:
    path = history(world, "npm test", "git push")
    with cli.service():
        assert cli.ok("trace", "import", str(path), "--json").json["imported"] == 2
        assert cli.ok("trace", "import", str(path), "--json").json["duplicates"] == 2
        cli.ok("trace", "add", "user_intent", "ship it", "--id", "a/b c")
        assert cli.ok("trace", "show", "a/b c", "--json").json["summary"] == "ship it"
        assert ids(cli, "--kind", "user_intent", "--since", "2026-01-01T00:00:00+02:00") == ["a/b c"]
        assert "future" in sentence(cli("trace", "add", "user_intent", "x", "--ts", "2999-01-01"), code=2)
        assert cli.ok("trace", "prune", "--keep", "1", "--json").json["removed"] == 2
    assert ids(cli) == ["a/b c"]


def test_the_repository_of_the_folder_is_noted(cli: Commands, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    root = world.repo("shop", "git@github.com:acme/shop.git")
    monkeypatch.chdir(root)
    cli.ok("trace", "add", "command_run", "make", "--id", "here")
    cli.ok("trace", "add", "command_run", "make", "--id", "there", "--repo", "https://github.com/acme/other")
    repos = {name: cli.ok("trace", "show", name, "--json").json["repo"] for name in ("here", "there")}
    assert repos == {"here": "github.com/acme/shop", "there": "github.com/acme/other"}
    assert ids(cli, "--repo", ".") == ["here"]
