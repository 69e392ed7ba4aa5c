"""How the command line prints: JSON for programs, tables for people, progress on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
from pydantic import BaseModel

if TYPE_CHECKING:
    from rich.console import Console

    from wellworn.models.reports import Progress


def print_json(value: BaseModel | Sequence[BaseModel] | dict[str, Any]) -> None:
    """Print one JSON document in wire names."""
    click.echo(json.dumps(_plain(value), ensure_ascii=False, indent=2))


def _plain(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


_PIPED_WIDTH = 240
_GAP, _NARROWEST = 3, 20


def console(*, stderr: bool = False) -> Console:
    """A rich console on the real stream; no colour and no narrow columns when it is not a terminal."""
    from rich.console import Console  # noqa: PLC0415  rich is heavy for commands that print JSON

    stream = sys.stderr if stderr else sys.stdout
    return Console(file=stream, highlight=False, width=None if stream.isatty() else _PIPED_WIDTH)


def print_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), wrap: bool = False
) -> None:
    """Print rows under headings; columns whose number is in `right` are right-aligned. Text is never markup.

    The last column gets the room that is left: cut with an ellipsis, or with `wrap` on several lines.
    """
    from rich import box  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    out = console()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number in right else "left", no_wrap=not wrap, overflow="fold")
    others = sum(max(len(column), *(len(row[at]) for row in rows)) + _GAP for at, column in enumerate(columns[:-1]))
    room = max(_NARROWEST, out.width - others)
    for row in rows:
        cells = row if wrap else (*row[:-1], _cut(row[-1], room))
        table.add_row(*(Text(cell) for cell in cells))
    out.print(table)


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"


@contextmanager
def progress_bar(*, quiet: bool = False) -> Iterator[Callable[[Progress], None]]:
    """Show a bar a stage on standard error while it is a terminal; elsewhere stay silent."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415
    from rich.progress import Progress as Bars  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bars(*columns, console=console(stderr=True), transient=True) as bars:
        stages: dict[str, Any] = {}

        def show(progress: Progress) -> None:
            if progress.stage not in stages:
                stages[progress.stage] = bars.add_task(progress.stage, total=progress.total or None)
            bars.update(stages[progress.stage], completed=progress.done, total=progress.total or None)

        yield show
