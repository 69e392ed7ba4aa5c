"""The records of a shell line that was read, and what the parts of the reader say to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from wellworn.lifecycle.shell.words import unquote

DEEPEST_RUN = 12
"""Wrappers and strings that run strings, one inside the other."""


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command. What it is made of stands in source form, quotes kept.

    program: its name without folder, version or quotes; "" when it is known only as it runs. words: all words after
    it. assignments: `A=b` before it. redirects: such as `2>&1`, `> file`, `<<EOF`. name: the program as written.
    prefix: words of the wrappers without which it would be another command (`sudo -u x`, `uv run`); via: the names
    of all wrappers about it, the outermost first. piped: it reads another command's output. remote: it runs on
    another machine.
    """

    program: str
    words: tuple[str, ...] = ()
    assignments: tuple[str, ...] = ()
    redirects: tuple[str, ...] = ()
    name: str = ""
    prefix: tuple[str, ...] = ()
    via: tuple[str, ...] = ()
    piped: bool = False
    remote: bool = False

    @property
    def values(self) -> tuple[str, ...]:
        """Return `words` without their quotes; expansions stay."""
        return tuple(unquote(word)[0] for word in self.words)


@dataclass(frozen=True, slots=True)
class ParsedLine:
    """The commands of a line in order of execution. understood: False when `why` says what stood in the way.

    why: `syntax`, `dynamic` (what runs is known only as it runs), `prose` (or another shell), `too long`, `too deep`.
    """

    commands: tuple[Command, ...]
    understood: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a command stands: in a pipe, behind which wrappers, how deep."""

    piped: bool = False
    remote: bool = False
    via: tuple[str, ...] = ()
    depth: int = 0
    grammar: bool = False

    def inside(self, name: str, *, remote: bool = False) -> Place:
        return Place(self.piped, self.remote or remote, (*self.via, name), self.depth + 1, self.grammar)

    def behind_pipe(self) -> Place:
        return Place(True, self.remote, self.via, self.depth, self.grammar)


@dataclass(frozen=True, slots=True)
class Simple:
    """A simple command as the grammar sees it: its words with the program first. fed: text it reads (a heredoc)."""

    words: list[str]
    assignments: tuple[str, ...] = ()
    redirects: tuple[str, ...] = ()
    fed: str | None = None


class Sink(Protocol):
    """Takes what is found on a line."""

    @property
    def commands(self) -> list[Command]:
        """What was found so far."""

    def fail(self, why: str) -> None:
        """Say that the line is not wholly understood."""

    def read(self, text: str, place: Place) -> None:
        """Read a text of shell."""

    def simple(self, found: Simple, place: Place) -> None:
        """Take one simple command, or what it runs in turn."""

    def emit(self, command: Command) -> None:
        """Take one command as it is."""
