"""Bad input: one sentence that says what is wrong and what to do, an exit code that is not 0, and nothing changed."""

from __future__ import annotations

import json
import socket
import sqlite3
from pathlib import Path

import pytest
from tests.service.cli.commands import Commands, sentence
from tests.service.worlds import SHIP, World

from wellworn.index.encoders import open_encoder
from wellworn.store.migrations import MIGRATIONS


@pytest.fixture(autouse=True)
def _library(world: World) -> None:
    world.usual()


def state(world: World) -> dict[str, bytes]:
    """Every skill file."""
    return {str(file): file.read_bytes() for file in world.home.rglob("*") if file.is_file()}


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        (["skills", "show", "Not An Id"], 2, "is not a skill id. Use lower-case letters"),
        (["skills", "show", "../../etc/passwd"], 2, "is not a skill id."),
        (["skills", "show", "relese-local"], 1, "Did you mean release-local?"),
        (["skills", "show", "release-local@galaxy"], 2, "is not a scope. Write release-local@session"),
        (["skills", "list", "--repo", "host.org/no/where"], 1, "`wellworn sources add --repo FOLDER`"),
        (["resolve", "x", "--repo", "host.org/no/where"], 1, "`wellworn sources add --repo FOLDER`"),
        (["resolve", "x", "--context", "missing.json"], 2, "missing.json cannot be read"),
        (["resolve", "x", "--context", "."], 2, "cannot be read"),
        (["resolve", "y" * 200_001], 2, "message"),
        (["feedback", "01J0", "right"], 1, "There is no recorded resolution"),
        (["feedback", "01J0", "right", "release-local"], 2, "did you mean should-be release-local?"),
        (["feedback", "01J0", "should-be"], 2, "needs the id of the skill"),
        (["feedback", "01J0", "should-be", "Bad Id"], 2, "field skillId, cannot be used"),
        (["feedback", "--list", "nothing-here"], 1, "There is no skill"),
        (["feedback", "--forget", "01J0"], 1, "`wellworn feedback --list SKILL_ID` lists them"),
        (["import", "missing.jsonl"], 2, "missing.jsonl does not exist. Give a .jsonl"),
        (["import", "home"], 2, "is not a regular file. Give a .jsonl"),
        (["export", "home"], 1, "home cannot be written"),
        (["sources", "add", "missing"], 2, "missing does not exist. Give a folder"),
        (["sources", "add", "empty"], 2, "holds no skills. Give a folder"),
        (["sources", "add", "--repo", "empty"], 2, "is not in a git repository."),
        (["sources", "remove", "nothing"], 1, "There is no source"),
        (["sources", "vouch", "nothing"], 1, "There is no source"),
        (["keys", "revoke", "nothing"], 1, "nothing"),
        (["keys", "create", "--role", "agent", "--user", ""], 2, "--user is empty"),
        (["--library", "empty", "resolve", "x"], 2, "holds no skills. Give a folder"),
        (["--library", "missing", "resolve", "x"], 2, "does not exist. Give a folder"),
        (["eval", "--library", "empty", "--messages", "missing.jsonl"], 2, "holds no skills."),
        (["serve", "--host", "0.0.0.0", "--port", "0"], 2, "wellworn keys create"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(
    cli: Commands, world: World, argv: list[str], code: int, words: str
) -> None:
    Path("empty").mkdir()
    before = state(world)
    said = sentence(cli(*argv), code=code)
    assert words in said
    assert state(world) == before


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["reslove", "x"], "Did you mean 'resolve'?"),
        (["skills", "lst"], "lst"),
        (["resolve", "--nonsense", "x"], "--nonsense"),
        (["resolve", "x", "--top", "0"], "--top"),
        (["resolve", "x", "--top", "many"], "--top"),
        (["serve", "--port", "70000"], "--port"),
        (["keys", "create", "--role", "king"], "king"),
        (["keys", "create"], "--role"),
        (["skills", "show"], "ID"),
        (["feedback"], "wellworn feedback ID right|wrong|should-be"),
        (["feedback", "01J0", "wrong", "--list", "release-local"], "a verdict or --list, not both"),
        (["feedback", "01J0", "maybe"], "maybe"),
        (["import"], "LIBRARY"),
        (["eval", "--messages", "m.jsonl"], "--library"),
        (["export", "out", "--format", "xml"], "xml"),
    ],
)
def test_a_wrong_argument_is_named_with_the_usage(cli: Commands, argv: list[str], words: str) -> None:
    ran = cli(*argv)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Usage: wellworn")
    assert words in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("context", "words"),
    [
        ({"brunch": "main"}, "field brunch, cannot be used: there is no such field"),
        ({"openPr": {"number": "x"}}, "field openPr.number"),
        ({"openPr": {"nummer": 1}}, "field openPr.nummer"),
        ({"branch": 3}, "field branch"),
        ({"recentTraces": [{"kind": "nonsense", "summary": "x"}]}, "field recentTraces[0].kind"),
        ([1], "must hold one JSON object"),
        ("text", "must hold one JSON object"),
    ],
)
def test_a_context_file_with_a_mistake_names_file_and_field(cli: Commands, context: object, words: str) -> None:
    Path("c.json").write_text(json.dumps(context), encoding="utf-8")
    said = sentence(cli("resolve", "x", "--context", "c.json"), code=2)
    assert "c.json" in said
    assert words in said


@pytest.mark.parametrize("content", [b"{", b"", b"\xff\xfe\x00", b"[" * 100_000])
def test_a_context_file_that_is_no_json_is_named(cli: Commands, content: bytes) -> None:
    Path("c.json").write_bytes(content)
    assert "c.json is not JSON" in sentence(cli("resolve", "x", "--context", "c.json"), code=2)


def test_an_error_is_json_where_json_was_asked_for(cli: Commands) -> None:
    ran = cli("skills", "show", "relese-local", "--json")
    assert (ran.code, ran.out) == (1, "")
    found = json.loads(ran.err)
    assert found["error"] == "not-found"
    assert found["hint"] == "Did you mean release-local?"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "it is not JSON"),
        ("[]", "it is not a JSON object"),
        ('{"description": "no id"}', "`id`"),
        ('{"id": "Bad Id"}', "`id`"),
        ('{"id": "ok", "trust": "godlike"}', "`trust`"),
        ('{"id": "ok", "aliases": "one"}', "`aliases`"),
        ('{"id": "ok", "body": 3}', "`body`"),
    ],
)
def test_a_broken_library_names_file_and_line_and_nothing_is_written(
    cli: Commands, world: World, line: str, words: str
) -> None:
    Path("lib.jsonl").write_text(f'{{"id": "first-one", "description": "x"}}\n\n{line}\n', encoding="utf-8")
    before = state(world)
    said = sentence(cli("import", "lib.jsonl"), code=2)
    assert said.startswith("lib.jsonl:3: ")
    assert words in said
    assert state(world) == before


def test_an_id_that_stands_twice_counts_once_and_is_told(cli: Commands) -> None:
    Path("lib.jsonl").write_text('{"id": "one", "description": "x"}\n{"id": "one"}\n', encoding="utf-8")
    out = cli.ok("import", "lib.jsonl").out
    assert out.startswith("1 added")
    assert "lib.jsonl:2: the id 'one' stands already on line 1" in out


def test_an_existing_skill_is_not_overwritten(cli: Commands, world: World) -> None:
    Path("lib.jsonl").write_text('{"id": "fresh"}\n{"id": "release-local", "description": "x"}\n', encoding="utf-8")
    before = state(world)
    assert "release-local exists already" in sentence(cli("import", "lib.jsonl"), code=1)
    assert state(world) == before


@pytest.mark.parametrize("name", ["NONSENSE", "sentence-transformers:no/such-model-anywhere", "openai:"])
def test_an_encoder_that_does_not_exist_is_one_sentence(cli: Commands, name: str) -> None:
    sentence(cli("resolve", "x", ENCODER=name), code=2 if "sentence" not in name else 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [("PORT", "http"), ("PORT", "70000"), ("WORKERS", "0"), ("RECORD", "perhaps"), ("RECORD_DAYS", "-1"), ("USER", "")],
)
def test_a_setting_that_cannot_be_used_is_named(cli: Commands, name: str, value: str) -> None:
    if not value:
        cli.ok("skills", "list", **{name: value})  # set but empty counts as not set
        return
    assert f"WELLWORN_{name}" in sentence(cli("skills", "list", **{name: value}), code=2)


def test_a_data_folder_that_cannot_be_written_is_one_sentence(cli: Commands) -> None:
    Path("file").write_text("in the way", encoding="utf-8")
    for command in (["skills", "list"], ["resolve", "x"], ["keys", "list"], ["import", "x.jsonl"]):
        said = sentence(cli("--data-dir", "file/below", *command), code=1)
        assert "Choose a folder that you can write to." in said


def test_a_database_of_a_newer_version_is_one_sentence(cli: Commands, world: World) -> None:
    cli.ok("skills", "list")
    connection = sqlite3.connect(world.data / "wellworn.db")
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    assert "newer version" in sentence(cli("resolve", "x"), code=1)


def test_a_database_that_is_none_is_one_sentence(cli: Commands, world: World) -> None:
    world.data.mkdir()
    (world.data / "wellworn.db").write_bytes(b"something else entirely" * 100)
    sentence(cli("resolve", "x"), code=1)
    assert (world.data / "wellworn.db").read_bytes().startswith(b"something else")


def test_a_vector_file_of_another_model_is_rebuilt_and_the_answer_comes(cli: Commands, world: World) -> None:
    cli.ok("resolve", SHIP, ENCODER="hashing:128")
    folder = world.data / "vectors"
    mine, other = (folder / f"{open_encoder(spec).fingerprint[:32]}.db" for spec in ("hashing:64", "hashing:128"))
    mine.write_bytes(other.read_bytes())
    assert cli.ok("resolve", "--json", SHIP).json["skillId"] == "release-local"


def test_a_port_in_use_is_one_sentence(cli: Commands) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = sentence(cli("serve", "--port", str(taken.getsockname()[1])), code=1)
    assert "Give another with --port" in said


def test_an_empty_library_is_told_and_no_error(cli: Commands, world: World) -> None:
    for file in world.library.rglob("*"):
        if file.is_file():
            file.unlink()
    assert "There is no skill yet." in cli.ok("skills", "list").out
    assert cli.ok("resolve", "--json", SHIP).json["decision"] == "none"
    assert cli.ok("export", "out.jsonl").out.startswith("0 skills")


def test_no_folder_at_all_is_told(cli: Commands, world: World) -> None:
    assert cli.ok("sources", "list", HOME=str(world.root / "nobody")).out.startswith("No folder with skills was found.")


@pytest.mark.parametrize("command", [["resolve", SHIP], ["skills", "list"], ["skills", "show", "release-local"]])
def test_a_current_folder_that_was_deleted_counts_as_none(
    cli: Commands, world: World, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    gone = world.root / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert "release-local" in cli.ok(*command).out
    monkeypatch.chdir(world.root)
