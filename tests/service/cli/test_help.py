"""Every command explains itself, and light ones stay light."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from tests.service.cli.commands import Commands, environment
from tests.service.worlds import World

from wellworn.service.cli.app import cli as root

HEAVY = (
    "numpy",
    "faiss",
    "onnxruntime",
    "tokenizers",
    "litestar",
    "uvicorn",
    "httpx",
    "sklearn",
    "scipy",
    "rich",
    "torch",
)
README = Path(__file__).parents[3] / "README.md"


def every_command(
    command: click.Command, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from every_command(below, (*path, name))


ALL = dict(every_command(root))


@pytest.mark.parametrize("path", [pytest.param(path, id=" ".join(path) or "wellworn") for path in ALL])
def test_its_help_says_what_it_does_and_shows_an_example(cli: Commands, path: tuple[str, ...]) -> None:
    shown = cli.ok(*path, "--help").out
    assert "Example" in shown
    assert f"wellworn {' '.join(path)}".strip() in shown.split("Example", 1)[1]
    assert ALL[path].help or ALL[path].get_short_help_str()


@pytest.mark.parametrize("path", [pytest.param(path, id=" ".join(path) or "wellworn") for path in ALL])
def test_every_option_is_explained(path: tuple[str, ...]) -> None:
    for parameter in ALL[path].params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{path} {parameter.opts}"


def test_every_command_stands_in_the_readme() -> None:
    text = README.read_text(encoding="utf-8")
    missing = [path[0] for path in ALL if len(path) == 1 and f"wellworn {path[0]}" not in text]
    assert missing == []


def loaded(world: World, *argv: str) -> set[str]:
    """The top-level modules that a command loads in a process of its own."""
    code = (
        "import sys\nfrom wellworn.service.cli.app import run\n"
        f"code = run({argv!r})\n"
        "print('modules:', *{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)\n"
        "sys.exit(code)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment(world)},
        capture_output=True,
        text=True,
        check=True,
        cwd=world.root,
    )
    return set(ran.stderr.rpartition("modules:")[2].split())


@pytest.mark.parametrize(
    "argv", [["--help"], ["--version"], ["resolve", "--help"], ["skills", "list", "--help"], ["serve", "--help"]]
)
def test_help_loads_nothing_heavy_and_builds_no_types(world: World, argv: list[str]) -> None:
    assert loaded(world, *argv).isdisjoint({*HEAVY, "pydantic", "sqlite3"})


def test_keys_load_nothing_heavy(cli: Commands, world: World) -> None:
    cli.ok("keys", "list")  # the first start makes the database
    assert loaded(world, "keys", "list").isdisjoint(HEAVY)


def test_listing_through_a_service_loads_nothing_heavy(cli: Commands, world: World) -> None:
    world.usual()
    with cli.service():
        for argv in (
            ["skills", "list"],
            ["skills", "show", "release-local"],
            ["resolve", "ship it"],
            ["settings", "list"],
            ["usage"],
        ):
            assert loaded(world, *argv).isdisjoint({*HEAVY, "sqlite3"}), argv


@pytest.mark.parametrize(
    "argv",
    [["skills", "list"], ["skills", "show", "release-local"], ["sources", "list"], ["settings", "list"], ["usage"]],
)
def test_listing_without_a_service_opens_neither_encoder_nor_index(
    cli: Commands, world: World, argv: list[str]
) -> None:
    world.usual()
    cli.ok("skills", "list")
    assert loaded(world, *argv).isdisjoint(
        {"faiss", "onnxruntime", "tokenizers", "litestar", "httpx", "sklearn", "rich", "pydantic_ai", "openai"}
    )
