"""The `wellworn` command: which commands there are, and one edge where errors become sentences."""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from wellworn.models.errors import WellwornError

NAME = "wellworn"
COMPLETION = "_WELLWORN_COMPLETE"
INTERRUPTED = 130

# name -> (module, attribute, one line for the overview); modules are imported only when their command runs.
_COMMANDS: dict[str, tuple[str, str, str]] = {
    "resolve": ("resolve", "resolve", "Say which skill a message means, and how sure that is."),
    "serve": ("serve", "serve", "Run the service that agents post their messages to."),
    "skills": ("skills", "skills", "List, show and explain skills."),
    "feedback": ("feedback", "feedback", "Say that a resolution was right or wrong; wellworn learns from it."),
    "trace": ("trace", "trace", "What happened: add, list, show, import, prune."),
    "task": ("task", "task", "Work that an agent reports: begin, step, end, choose, list, show."),
    "choose": ("task", "choose", "Decide about a flagged skill: proceed, repair or skip."),
    "learning": ("learning", "learning", "Whether completed turns of yours are reviewed: show, on, off."),
    "turn": ("learning", "turn", "Completed turns: post, show."),
    "import": ("library", "import_", "Bring skills in from a JSONL library."),
    "export": ("library", "export", "Write skills out as a JSONL library or as plain SKILL.md folders."),
    "sources": ("sources", "sources", "Folders that skills are read from: list, add, remove, vouch."),
    "reindex": ("library", "reindex", "Read all sources again and embed what is new."),
    "eval": ("evaluate", "evaluate", "Measure the resolver on labelled messages."),
    "calibrate": ("evaluate", "calibrate", "Refit the confidence on your own feedback."),
    "settings": ("settings", "settings", "Settings changed while it runs: list, get, set, reset."),
    "usage": ("usage", "usage", "How often models were asked, and what it cost."),
    "keys": ("keys", "keys", "API keys: create, list, revoke."),
}


class LazyGroup(click.Group):
    """Knows its commands by name and imports a module only for the one that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, attribute, _ = _COMMANDS[cmd_name]
        command: click.Command = getattr(importlib.import_module(f"wellworn.service.cli.{module}"), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, _, text) in _COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(_unknown(args[0]), ctx)
        return super().resolve_command(ctx, args)


def _unknown(name: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  only on the way to an error

    near = get_close_matches(name, _COMMANDS, n=1)
    return f"There is no command {name!r}." + (f" Did you mean {near[0]!r}?" if near else "")


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from wellworn import __version__  # noqa: PLC0415  reads the package's metadata

        click.echo(f"wellworn {__version__}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Show the version."
)
@click.option("--data-dir", type=click.Path(path_type=Path), help="Where wellworn keeps its database and vectors.")
@click.option(
    "--library",
    type=click.Path(path_type=Path),
    multiple=True,
    help="One more folder of skills to read (may be given several times).",
)
@click.pass_context
def cli(ctx: click.Context, data_dir: Path | None, library: tuple[Path, ...]) -> None:
    """Finds the saved skill that a message means, or says that none is meant.

    \b
    Examples:
      wellworn resolve "ship this and install it locally"
      wellworn --library ./skills skills list
      wellworn serve

    Every setting can also be given in the environment, e.g. WELLWORN_DATA_DIR, WELLWORN_ENCODER, WELLWORN_PORT.
    """
    ctx.obj = {"data_dir": data_dir, "library": list(library) or None}


def run(argv: Sequence[str]) -> int:
    """Run one command and return its exit code; every expected failure is one sentence on standard error."""
    try:
        result = _invoke(list(argv))
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Stopped; what was acknowledged is kept.", err=True)
        return INTERRUPTED
    except WellwornError as error:
        _show(error, as_json="--json" in argv)
        return error.exit_code
    except BrokenPipeError:
        # The reader went away (`| head`); point stdout elsewhere so that the interpreter's last flush is quiet.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _invoke(argv: list[str]) -> object:
    """Not `cli.main`: it prints an empty line on Ctrl-C and ends with 1 when a reader goes away."""
    if COMPLETION in os.environ:  # a shell asks for completions
        return cli.main(argv, prog_name=NAME)
    with cli.make_context(NAME, argv) as context:
        result: object = cli.invoke(context)
        sys.stdout.flush()
        return result


def _show(error: WellwornError, *, as_json: bool) -> None:
    if as_json:
        problem: dict[str, Any] = {"error": error.code, "message": error.message}
        problem |= {k: v for k, v in (("hint", error.hint), ("field", error.field)) if v}
        click.echo(json.dumps(problem, ensure_ascii=False), err=True)
    else:
        click.echo(f"wellworn: {error}", err=True)
