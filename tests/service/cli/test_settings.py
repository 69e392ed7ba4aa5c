"""Settings and what models cost on the command line, in this process and through a running service."""

from __future__ import annotations

import pytest
from tests.service.cli.commands import Commands, sentence
from tests.service.worlds import World

from wellworn.service.lifetime import utc_now
from wellworn.store.database import Database
from wellworn.store.spend import SpendTable


def spend(world: World) -> None:
    with Database(world.settings().database_path) as database:
        table, now = SpendTable(database), utc_now()
        table.add("local", "task", "openai:tiny", ok=True, input_tokens=1200, output_tokens=30, now=now)
        table.add("local", "task", "openai:tiny", ok=False, input_tokens=0, output_tokens=0, now=now)
        table.add("bea", "review", "anthropic:tiny", ok=True, input_tokens=5, output_tokens=6, now=now)


def test_settings_are_listed_set_got_and_reset(cli: Commands) -> None:
    assert "review.max_ops" in cli.ok("settings", "list").out
    assert cli.ok("settings", "set", "review.max_ops", "1").out == "review.max_ops is 1.\n"
    assert cli.ok("settings", "get", "review.max_ops").out == "1\n"
    assert cli.ok("settings", "get", "review.max_ops", "--json").json["changedBy"] == "local"
    assert cli.ok("settings", "reset", "review.max_ops").out == "review.max_ops is 2 (its default).\n"
    assert cli.ok("settings", "get", "model").out == "-\n"
    assert cli.ok("settings", "set", "model", "openai:tiny").out == "model is openai:tiny.\n"
    assert cli.ok("settings", "set", "auto_repair", "yes").out == "auto_repair is true.\n"
    listed = cli.ok("settings", "list", "--json").json["settings"]
    assert {one["name"]: one["value"] for one in listed}["auto_repair"] is True


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("set", "review.max_ops", "-3"), "at least 0, at most 100"),
        (("set", "review.max_op", "1"), "Did you mean review.max_ops?"),
        (("get", "review.max_op"), "Did you mean review.max_ops?"),
        (("reset", "nothing"), "There is no setting 'nothing'"),
        (("set", "model", "acme:tiny"), "openai:NAME or anthropic:NAME"),
    ],
)
def test_what_cannot_be_is_one_sentence(cli: Commands, argv: tuple[str, ...], words: str) -> None:
    assert words in sentence(cli("settings", *argv), code=2)


def test_usage_says_when_nothing_was_spent_and_sums_what_was(cli: Commands, world: World) -> None:
    assert cli.ok("usage").out == "No model was asked; nothing was spent.\n"
    spend(world)
    told = cli.ok("usage").out.splitlines()
    assert [line.split() for line in told[1:3]] == [
        ["bea", "review", "1", "0", "5", "6", "anthropic:tiny"],
        ["local", "task", "2", "1", "1,200", "30", "openai:tiny"],
    ]
    assert told[3] == "In all: asked 3 times, 1,205 tokens in, 36 tokens out."
    assert [one["account"] for one in cli.ok("usage", "--account", "bea", "--json").json["spend"]] == ["bea"]
    assert "nothing was spent" in cli.ok("usage", "--since", "2099-01-01").out
    assert "neither a span nor a date" in sentence(cli("usage", "--since", "soon"), code=2)


def test_a_running_service_is_asked_and_follows(cli: Commands, world: World) -> None:
    world.usual()
    with cli.service():
        assert cli.ok("settings", "set", "review.deadline_s", "2.5").out == "review.deadline_s is 2.5.\n"
        assert cli.ok("settings", "get", "review.deadline_s").out == "2.5\n"
        spend(world)
        assert len(cli.ok("usage", "--since", "1h", "--json").json["spend"]) == 2
        assert "at most 600" in sentence(cli("settings", "set", "review.deadline_s", "601"), code=2)
