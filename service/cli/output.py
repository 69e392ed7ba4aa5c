"""How the command line prints: JSON for programs, tables for people, progress on standard error."""

from __future__ import annotations

import json
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import Console

    from wellworn.models.reports import Progress


def print_json(value: BaseModel | Sequence[BaseModel] | dict[str, Any]) -> None:
    """Print one JSON document in wire names."""
    click.echo(json.dumps(_plain(value), ensure_ascii=False, indent=2))


def counted(number: int, what: str) -> str:
    """`1 skill`, `2 skills`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def numbered(label: str, items: Sequence[str]) -> list[str]:
    """Lines of a heading and each item on its own with its number; none when there are no items."""
    if not items:
        return []
    return [f"{label}:", *(f"  {at}. {item.strip().rstrip('.')}" for at, item in enumerate(items, 1))]


def printable(text: str) -> str:
    """Return text without what would move the cursor, hide letters or turn them round: learned text is a stranger's."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one == "\n" else "\ufffd" for one in text.expandtabs(4))


def wrapped(text: str, width: int, first: str = "", rest: str | None = None) -> list[str]:
    """Return `text` in lines of at most `width` columns, the first beginning with `first`, the others with `rest`.

    Words longer than a line are cut; wide letters count as two.
    """
    lead, lines = first, []
    rest = " " * _width(first) if rest is None else rest
    line = ""
    for word in _pieces(printable(" ".join(text.split())).split(" "), max(1, width - max(_width(first), _width(rest)))):
        longer = f"{line} {word}" if line else word
        if line and _width(lead) + _width(longer) > width:
            lines.append((lead + line).rstrip())
            lead, line = rest, word
        else:
            line = longer
    return [*lines, (lead + line).rstrip()]


def _pieces(words: Sequence[str], room: int) -> Iterator[str]:
    for word in words:
        left = word
        while _width(left) > room:
            at = 1
            while _width(left[: at + 1]) <= room:
                at += 1
            yield left[:at]
            left = left[at:]
        yield left


def text_width() -> int:
    """Return how many columns running text may take: the terminal's, but no more than can be read well."""
    return max(40, min(100, shutil.get_terminal_size().columns)) if sys.stdout.isatty() else 80


def current_folder() -> str | None:
    """Return the current folder, or None when it has been deleted."""
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return None


def _plain(value: Any) -> Any:
    if hasattr(value, "model_dump"):  # not isinstance: pydantic is loaded only by commands that answer with types
        return value.model_dump(mode="json", by_alias=True)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


_PIPED_WIDTH = 240
_GAP, _NARROWEST = 2, 20


def console(*, stderr: bool = False) -> Console:
    """A rich console on the real stream; no colour and no narrow columns when it is not a terminal."""
    from rich.console import Console  # noqa: PLC0415  rich is heavy for commands that print a line

    stream = sys.stderr if stderr else sys.stdout
    return Console(file=stream, highlight=False, width=None if stream.isatty() else _PIPED_WIDTH)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> None:
    """Print rows under headings; columns whose number is in `right` are right-aligned.

    The last column gets the room that is left, and is cut with an ellipsis. Not by rich, which takes longer to load
    than a light command to run.
    """
    cells = [[" ".join(cell.split()) for cell in row] for row in rows]
    widths = [max(map(_width, column)) for column in zip(columns, *cells, strict=True)]
    room = max(_NARROWEST, _screen_width() - sum(widths[:-1]) - _GAP * (len(widths) - 1))
    widths[-1] = min(widths[-1], room)
    click.echo(click.style(_line(columns, widths, right), bold=True))
    for row in cells:
        click.echo(_line([*row[:-1], _cut(row[-1], widths[-1])], widths, right))


def _screen_width() -> int:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _PIPED_WIDTH


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[int]) -> str:
    padded = [
        " " * (width - _width(cell)) + cell if at in right else cell + " " * (width - _width(cell))
        for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return (" " * _GAP).join(padded).rstrip()


def _width(text: str) -> int:
    """Columns that a terminal shows the text in: wide letters take two, combining marks none."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(unicodedata.combining(letter) > 0 for letter in text)


def _cut(text: str, room: int) -> str:
    if _width(text) <= room:
        return text
    while _width(text) > room - 1:
        text = text[:-1]
    return text.rstrip() + "\N{HORIZONTAL ELLIPSIS}"


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
