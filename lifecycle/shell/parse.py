"""What a shell line runs: every command of it, with what wrappers (`sudo`, `bash -c`, `npx`, `xargs`, ...) run in turn.

The grammar is tree-sitter's; a plain line (words and spaces only) needs no grammar and takes a faster way to the same
answer. Pure, never raises, bounded in length, depth and number of commands. What is not understood says so.
"""

from __future__ import annotations

import re
import threading
from functools import lru_cache
from typing import TYPE_CHECKING

from wellworn.lifecycle.shell.command import DEEPEST_RUN, Command, ParsedLine, Place, Simple
from wellworn.lifecycle.shell.prose import is_prose
from wellworn.lifecycle.shell.tree import Walk
from wellworn.lifecycle.shell.unwrap import Unwrapping

if TYPE_CHECKING:
    from tree_sitter import Parser

__all__ = ["LONGEST", "Command", "ParsedLine", "is_plain", "parse_line"]

LONGEST = 100_000
"""Longer lines are not read."""
_CACHED_LENGTH = 2_000
_MOST_COMMANDS = 2_000


def parse_line(text: str) -> ParsedLine:
    """Return what `text`, one or more lines of shell, runs."""
    if len(text) > _CACHED_LENGTH:
        return _parse(text)
    return _parse_cached(text)


@lru_cache(maxsize=16_384)
def _parse_cached(text: str) -> ParsedLine:
    return _parse(text)


def _parse(text: str) -> ParsedLine:
    if len(text) > LONGEST:
        return ParsedLine((), False, "too long")
    reader = Reader()
    reader.read(text, Place())
    return reader.result()


BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
"""The grammar's scanner looks characters up in a table of 256 and may crash on others; to it they are letters."""
_PLAIN_LINE = re.compile(r"[A-Za-z_./][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./=:,@+ -]*)?", re.ASCII)
_KEYWORDS = frozenset(
    [
        "if",
        "then",
        "else",
        "elif",
        "fi",
        "for",
        "while",
        "until",
        "do",
        "done",
        "case",
        "esac",
        "select",
        "function",
        "time",
        "coproc",
        "in",
        "export",
        "declare",
        "local",
        "readonly",
        "typeset",
        "unset",
        "unsetenv",
    ]
)


def is_plain(text: str) -> bool:
    """Whether a line is words and spaces only, and so needs no grammar."""
    return _PLAIN_LINE.fullmatch(text) is not None and text.partition(" ")[0] not in _KEYWORDS and " =" not in text


_THREAD = threading.local()


def bash_parser() -> Parser:
    """Return this thread's parser of the grammar; two threads must not parse with one."""
    found: Parser | None = getattr(_THREAD, "parser", None)
    if found is None:
        import tree_sitter  # noqa: PLC0415 - heavy; commands that read no shell do without it
        import tree_sitter_bash  # noqa: PLC0415

        found = _THREAD.parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
    return found


class Reader:
    """Collects the commands of one line."""

    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.why = ""

    def result(self) -> ParsedLine:
        return ParsedLine(tuple(self.commands), not self.why, self.why)

    def fail(self, why: str) -> None:
        self.why = self.why or why

    def read(self, text: str, place: Place) -> None:
        """Add the commands of `text`."""
        if place.depth > DEEPEST_RUN:
            self.fail("too deep")
        elif is_plain(text) and not place.grammar:
            self.simple(Simple(text.split()), place)
        else:
            source = text.encode("utf-8", "replace")
            root = bash_parser().parse(BEYOND_ASCII.sub(b"x", source)).root_node
            if root.has_error:
                self.fail("syntax")
            Walk(self, source).children(root, place, 0)

    def simple(self, found: Simple, place: Place) -> None:
        """Add one simple command, or what it runs in turn."""
        if len(self.commands) >= _MOST_COMMANDS:
            self.fail("too deep")
            return
        Unwrapping(self, found, place).run()

    def emit(self, command: Command) -> None:
        if not command.program:
            self.fail("dynamic")
        elif is_prose(command):
            self.fail("prose")
        self.commands.append(command)
