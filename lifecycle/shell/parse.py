"""What a shell line runs: every command of it, with what wrappers (`sudo`, `bash -c`, `npx`, `xargs`, ...) run in turn.

The grammar is tree-sitter's; a plain line (words and spaces only) needs no grammar and takes a faster way to the same
answer. Pure, never raises, bounded in length, depth and number of commands. What is not understood says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from wellworn.lifecycle.shell.words import ASSIGNMENT, program_name, unquote
from wellworn.lifecycle.shell.wrappers import (
    DEEPEST,
    FIRST_WORDS,
    GLOBAL_VALUED,
    SHELLS,
    WRAPPERS,
    Wrapper,
)

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

LONGEST = 100_000
"""Longer lines are not read."""
_CACHED_LENGTH = 2_000
_DEEPEST_TREE = 100
_DEEPEST_RUN = 12
"""Wrappers and strings that run strings, one inside the other."""
_MOST_COMMANDS = 2_000


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
    reader = _Reader()
    reader.read(text, _Place())
    return reader.result()


_PLAIN_LINE = re.compile(r"[A-Za-z0-9_./:,@+-][A-Za-z0-9_./=:,@+ -]*", re.ASCII)
_KEYWORDS = frozenset(
    "if then else elif fi for while until do done case esac select function time coproc in export declare local readonly"
    " typeset unset unsetenv".split()
)


def is_plain(text: str) -> bool:
    """Whether a line is words and spaces only, and so needs no grammar."""
    return (
        _PLAIN_LINE.fullmatch(text) is not None
        and not ASSIGNMENT.match(text)
        and text.partition(" ")[0] not in _KEYWORDS
        and " =" not in text
    )


@cache
def _parser() -> Parser:
    import tree_sitter  # noqa: PLC0415 - heavy; commands that read no shell do without it
    import tree_sitter_bash  # noqa: PLC0415

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a command stands: in a pipe, behind which wrappers, how deep."""

    piped: bool = False
    remote: bool = False
    via: tuple[str, ...] = ()
    depth: int = 0
    grammar: bool = False

    def inside(self, name: str, *, remote: bool = False) -> _Place:
        return _Place(self.piped, self.remote or remote, (*self.via, name), self.depth + 1, self.grammar)

    def behind_pipe(self) -> _Place:
        return _Place(True, self.remote, self.via, self.depth, self.grammar)


@dataclass(frozen=True, slots=True)
class _Simple:
    """A simple command as the grammar sees it: its words with the program first. fed: text it reads (a heredoc)."""

    words: list[str]
    assignments: tuple[str, ...] = ()
    redirects: tuple[str, ...] = ()
    fed: str | None = None


class _Reader:
    """Collects the commands of one line."""

    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.why = ""

    def result(self) -> ParsedLine:
        return ParsedLine(tuple(self.commands), not self.why, self.why)

    def fail(self, why: str) -> None:
        self.why = self.why or why

    def read(self, text: str, place: _Place) -> None:
        """Add the commands of `text`."""
        if place.depth > _DEEPEST_RUN:
            self.fail("too deep")
        elif is_plain(text) and not place.grammar:
            self.simple(_Simple(text.split()), place)
        else:
            source = text.encode("utf-8", "replace")
            root = _parser().parse(source).root_node
            if root.has_error:
                self.fail("syntax")
            _Walk(self, source).children(root, place, 0)

    def simple(self, found: _Simple, place: _Place) -> None:
        """Add one simple command, or what it runs in turn."""
        if len(self.commands) >= _MOST_COMMANDS:
            self.fail("too deep")
            return
        Unwrapping(self, found, place).run()

    def emit(self, command: Command) -> None:
        if not command.program:
            self.fail("dynamic")
        elif _is_prose(command):
            self.fail("prose")
        self.commands.append(command)


class _Walk:
    """Goes over the tree of one text."""

    def __init__(self, reader: _Reader, source: bytes) -> None:
        self.reader = reader
        self.source = source

    def text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def children(self, node: Node, place: _Place, depth: int) -> None:
        for child in node.children:
            if child.child_count:
                self.visit(child, place, depth)

    def visit(self, node: Node, place: _Place, depth: int) -> None:
        if depth > _DEEPEST_TREE:
            self.reader.fail("too deep")
            return
        kind = node.type
        if kind == "command":
            self.command(node, place, depth, (), None)
        elif kind == "pipeline":
            self.pipeline(node, place, depth)
        elif kind == "redirected_statement":
            self.redirected(node, place, depth)
        elif kind in {"declaration_command", "unset_command", "test_command"}:
            self.children(node, place, depth + 1)
            words = self.text(node).split()
            self.reader.simple(_Simple(words), place)
        else:
            self.children(node, place, depth + 1)

    def pipeline(self, node: Node, place: _Place, depth: int) -> None:
        now = place
        for child in node.children:
            if child.type in {"|", "|&"}:
                now = place.behind_pipe()
            elif child.child_count:
                self.visit(child, now, depth + 1)

    def command(self, node: Node, place: _Place, depth: int, redirects: tuple[str, ...], fed: str | None) -> None:
        words: list[str] = []
        assignments: list[str] = []
        own: list[str] = []
        for child in node.children:
            kind = child.type
            if child.child_count and kind not in {"command_name", "word", "number"}:
                self.visit(child, place, depth + 1)
            elif kind == "command_name":
                self.children(child, place, depth + 1)
            if kind == "variable_assignment" and not words:
                assignments.append(self.text(child))
            elif kind in {"file_redirect", "herestring_redirect"}:
                own.append(self.text(child))
                fed = self.herestring(child) if kind == "herestring_redirect" else fed
            elif kind not in {"comment", ";"}:
                words.append(self.text(child))
        self.reader.simple(_Simple(words, tuple(assignments), (*own, *redirects), fed), place)

    def herestring(self, node: Node) -> str:
        return unquote(self.text(node).removeprefix("<<<").strip())[0]

    def redirected(self, node: Node, place: _Place, depth: int) -> None:
        """A statement with redirections; those of a group are its last command's."""
        body = [child for child in node.children if not child.type.endswith("_redirect")]
        around = [child for child in node.children if child.type.endswith("_redirect")]
        redirects, fed = [], None
        for child in around:
            if child.type == "heredoc_redirect":
                fed = self.heredoc_body(child)
                redirects.append(self.heredoc_start(child))
            else:
                redirects.append(self.text(child))
                fed = self.herestring(child) if child.type == "herestring_redirect" else fed
        for child in around:
            if child.type != "heredoc_redirect" and child.child_count:
                self.children(child, place, depth + 1)
        if len(body) == 1 and body[0].type == "command":
            self.command(body[0], place, depth + 1, tuple(redirects), fed)
        elif body:
            self.group(body, place, depth, tuple(redirects))
        else:
            self.reader.simple(_Simple([":"], (), tuple(redirects)), place)
        for child in around:
            if child.type == "heredoc_redirect":
                self.heredoc_rest(child, place, depth, fed)

    def group(self, body: list[Node], place: _Place, depth: int, redirects: tuple[str, ...]) -> None:
        before = len(self.reader.commands)
        for child in body:
            if child.child_count:
                self.visit(child, place, depth + 1)
        if len(self.reader.commands) > before:
            last = self.reader.commands[-1]
            self.reader.commands[-1] = _with_redirects(last, redirects)
        else:
            self.reader.simple(_Simple([":"], (), redirects), place)

    def heredoc_start(self, node: Node) -> str:
        return "".join(self.text(child) for child in node.children if child.type in {"<<", "<<-", "heredoc_start"})

    def heredoc_body(self, node: Node) -> str:
        return "".join(self.text(child) for child in node.children if child.type == "heredoc_body")

    def heredoc_rest(self, node: Node, place: _Place, depth: int, fed: str | None) -> None:
        """What stands behind `<<EOF` on its line, and what the heredoc's text runs as it is expanded."""
        for child in node.children:
            if child.type == "pipeline":
                first = len(self.reader.commands)
                self.pipeline(child, place.behind_pipe(), depth)
                run = self.reader.commands[first:]
                if fed is not None and any(reads_script(one.program, one.values) for one in run):
                    self.reader.read(fed, place.inside("heredoc"))
            elif child.child_count and child.type not in {"heredoc_start", "heredoc_end"}:
                self.visit(child, place, depth + 1)


def _with_redirects(command: Command, redirects: tuple[str, ...]) -> Command:
    return Command(
        command.program,
        command.words,
        command.assignments,
        (*command.redirects, *redirects),
        command.name,
        command.prefix,
        command.via,
        command.piped,
        command.remote,
    )


def reads_script(program: str, values: tuple[str, ...]) -> bool:
    """Whether a shell without a script of its own runs what it reads."""
    if program not in SHELLS:
        return False
    rest = [value for value in values if not value.startswith("-")]
    return not rest or "-s" in values


class Unwrapping:
    """Follows one simple command through its wrappers to what is run."""

    def __init__(self, reader: _Reader, found: _Simple, place: _Place) -> None:
        self.reader = reader
        self.words = found.words
        self.assignments = found.assignments
        self.redirects = found.redirects
        self.fed = found.fed
        self.place = place
        self.prefix: tuple[str, ...] = ()

    def run(self) -> None:
        while True:
            if self.place.depth > _DEEPEST_RUN:
                self.reader.fail("too deep")
                return
            if not self.words:
                return
            written, dynamic = unquote(self.words[0])
            if dynamic or not written or any(mark in written for mark in "*?{}"):
                self.emit("")
                return
            if not self.step(program_name(written)):
                return

    def step(self, name: str) -> bool:
        """Go on behind one wrapper; False when there is nothing further to follow."""
        if name in SHELLS:
            self.shell(name)
        elif name in {"eval", "trap"}:
            self.evaluated(name)
        elif name in _RUN_BY_OPTION:
            self.emit(name)
            self.run_by_option(name)
        elif name in FIRST_WORDS:
            found = self.wrapper(name)
            if found:
                return self.follow(*found)
            self.emit(name)
        else:
            self.emit(name)
        return False

    def emit(self, program: str) -> None:
        self.reader.emit(
            Command(
                program,
                tuple(self.words[1:]),
                self.assignments,
                self.redirects,
                self.words[0],
                self.prefix,
                self.place.via,
                self.place.piped,
                self.place.remote,
            )
        )

    def value(self, at: int) -> str:
        return unquote(self.words[at])[0]

    def run_text(self, text: str, dynamic: bool, name: str, *, remote: bool = False) -> None:
        """Read a string that a shell runs; with an expansion in it, what runs is not known."""
        if dynamic:
            self.reader.fail("dynamic")
        if text.strip():
            self.reader.read(text, self.place.inside(name, remote=remote))

    def shell(self, name: str) -> None:
        for at, word in enumerate(self.words[1:], 1):
            if word.startswith("-") and not word.startswith("--") and "c" in word and at + 1 < len(self.words):
                self.run_text(*unquote(self.words[at + 1]), name)
                return
            if not word.startswith(("-", "+")):
                break
        values = tuple(self.value(at) for at in range(1, len(self.words)))
        if self.fed is not None and reads_script(name, values):
            self.run_text(self.fed, False, name)
        else:
            self.emit(name)

    def evaluated(self, name: str) -> None:
        """`eval a b` runs its words joined; `trap 'a' EXIT` runs its first."""
        last = 2 if name == "trap" else len(self.words)
        parts = [unquote(word) for word in self.words[1:last]]
        if parts and parts[0][0] not in {"-", "--", "-l", "-p"}:
            self.run_text(" ".join(text for text, _ in parts), any(dynamic for _, dynamic in parts), name)
        else:
            self.emit(name)

    def run_by_option(self, name: str) -> None:
        """`find -exec cmd ;`, `fd -x cmd`, `git bisect run cmd`, `git rebase --exec 'cmd'`."""
        options, ends, text = _RUN_BY_OPTION[name]
        at = 1
        while at < len(self.words):
            if self.value(at) not in options:
                at += 1
                continue
            end = next((i for i in range(at + 1, len(self.words)) if self.value(i) in ends), len(self.words))
            inner = self.words[at + 1 : end]
            if text and len(inner) >= 1:
                self.run_text(*unquote(inner[0]), name)
            elif inner:
                self.reader.simple(_Simple(inner), self.place.inside(name))
            at = end + 1

    def wrapper(self, name: str) -> tuple[str, Wrapper, int] | None:
        """Return the wrapper that the words name, and where its own words begin."""
        best = (name, WRAPPERS[name], 1) if name in WRAPPERS else None
        path, at = name, 1
        for _ in range(DEEPEST - 1):
            valued = GLOBAL_VALUED.get(path, frozenset())
            while at < len(self.words) and self.words[at].startswith("-"):
                at += 2 if self.words[at] in valued else 1
            if at >= len(self.words):
                break
            path = f"{path} {self.words[at]}"
            at += 1
            if path in WRAPPERS:
                best = (path, WRAPPERS[path], at)
        return best

    def follow(self, name: str, wrapper: Wrapper, start: int) -> bool:
        """Step over a wrapper's own words; True when a command follows."""
        at, before, assigned = start, wrapper.before, list[str]()
        if wrapper.needs:
            found = next((i for i in range(start, len(self.words)) if self.value(i) in wrapper.needs), None)
            at = len(self.words) if found is None else found + 1
        while at < len(self.words) and not wrapper.needs:
            word = self.value(at)
            option, equals, _ = word.partition("=")
            if word in wrapper.stops:
                self.emit(program_name(self.value(0)))
                return False
            if option in wrapper.strings and (equals or at + 1 < len(self.words)):
                self.by_string(name, wrapper, at, bool(equals))
                return False
            if wrapper.assigns and ASSIGNMENT.match(word):
                assigned.append(self.words[at])
            elif word == "--" and not before:
                at += 1
                break
            elif name == "uv run" and word in {"-m", "--module"}:
                return self.as_module(name, at)
            elif word.startswith("-") and len(word) > 1:
                at += word in wrapper.valued
            elif before:
                before -= 1
                if not before:
                    at += 1
                    break
            elif not wrapper.only_strings:
                break
            at += 1
        if at >= len(self.words) or wrapper.only_strings:
            self.emit(program_name(self.value(0)))
            return False
        return self.beyond(name, wrapper, at, assigned if at == 1 + len(assigned) else [])

    def by_string(self, name: str, wrapper: Wrapper, at: int, joined: bool) -> None:
        text, dynamic = unquote(self.words[at] if joined else self.words[at + 1])
        if wrapper.remote:
            self.emit(program_name(self.value(0)))
        self.run_text(text.partition("=")[2] if joined else text, dynamic, name, remote=wrapper.remote)

    def as_module(self, name: str, at: int) -> bool:
        """`uv run -m pytest` runs `python -m pytest`."""
        self.prefix = (*self.prefix, *self.words[:at])
        self.reader.emit(
            Command(
                "python",
                tuple(self.words[at:]),
                self.assignments,
                self.redirects,
                "",
                self.prefix,
                (*self.place.via, name),
                self.place.piped,
                self.place.remote,
            )
        )
        return False

    def beyond(self, name: str, wrapper: Wrapper, at: int, assigned: list[str]) -> bool:
        """Make the command behind the wrapper the one that is looked at."""
        if wrapper.joins:
            self.joined(name, wrapper, at)
            return False
        if name == "env" and assigned:
            self.assignments = (*self.assignments, *assigned)
        elif wrapper.keep:
            self.prefix = (*self.prefix, *self.words[:at])
        self.words = self.words[at:]
        self.place = self.place.inside(name, remote=wrapper.remote)
        return True

    def joined(self, name: str, wrapper: Wrapper, at: int) -> None:
        """`ssh host 'a; b'`, `watch 'a'`: the words are joined and run by a shell."""
        if wrapper.keep:
            self.emit(program_name(self.value(0)))
        words = self.words[at:]
        stop = next((i for i, word in enumerate(words) if word.startswith(":::")), len(words))
        parts = [unquote(word) for word in words[:stop]]
        self.run_text(" ".join(text for text, _ in parts), any(d for _, d in parts), name, remote=wrapper.remote)


_ENDS = frozenset({";", "+"})
_RUN_BY_OPTION: dict[str, tuple[frozenset[str], frozenset[str], bool]] = {
    "find": (frozenset({"-exec", "-execdir", "-ok", "-okdir"}), _ENDS, False),
    "fd": (frozenset({"-x", "-X", "--exec", "--exec-batch"}), _ENDS, False),
    "fdfind": (frozenset({"-x", "-X", "--exec", "--exec-batch"}), _ENDS, False),
}
_CMDLET = re.compile(r"[A-Z][a-z]+-[A-Z][A-Za-z]+", re.ASCII)
_SENTENCE_START = re.compile(r"[A-Z][a-z']+[,:]?", re.ASCII)
_SENTENCE_WORD = re.compile(r"[a-zA-Z']+[.,?!;:]?", re.ASCII)
_GLUE = frozenset(
    "the a an and or that this these to of in on for with please it its is are was be we you i my your our they should"
    " can could would not all so but if then from as by how what why when which".split()
)
_SPEAKERS = frozenset("echo printf say espeak cowsay figlet toilet notify-send logger wall print git gh".split())
_TALK = 2


def _is_prose(command: Command) -> bool:
    """Whether the words are a sentence, or another shell's, rather than a command."""
    name = command.name
    if _CMDLET.fullmatch(name):
        return True
    if command.program in _SPEAKERS or len(command.words) < 2 or command.assignments:
        return False
    if any(word.startswith("-") for word in command.words):
        return False
    glue = sum(word.lower().rstrip(".,?!") in _GLUE for word in command.words)
    like_words = sum(_SENTENCE_WORD.fullmatch(word) is not None for word in command.words)
    if like_words * 4 < len(command.words) * 3:
        return False
    return glue >= _TALK or (glue >= 1 and _SENTENCE_START.fullmatch(name) is not None)
