"""From a simple command through its wrappers (`sudo`, `npx`, `bash -c`, `find -exec`, ...) to what is run."""

from __future__ import annotations

from wellworn.lifecycle.shell.command import DEEPEST_RUN, Command, Place, Simple, Sink
from wellworn.lifecycle.shell.words import ASSIGNMENT, program_name, unquote
from wellworn.lifecycle.shell.wrappers import DEEPEST, FIRST_WORDS, GLOBAL_VALUED, SHELLS, WRAPPERS, Wrapper


def reads_script(program: str, values: tuple[str, ...]) -> bool:
    """Whether a shell without a script of its own runs what it reads."""
    if program not in SHELLS:
        return False
    rest = [value for value in values if not value.startswith("-")]
    return not rest or "-s" in values


_SHELL_VALUED = frozenset({"--rcfile", "--init-file"})


class Unwrapping:
    """Follows one simple command through its wrappers to what is run."""

    def __init__(self, sink: Sink, found: Simple, place: Place) -> None:
        self.sink = sink
        self.words = found.words
        self.assignments = found.assignments
        self.redirects = found.redirects
        self.fed = found.fed
        self.place = place
        self.prefix: tuple[str, ...] = ()

    def run(self) -> None:
        while True:
            if self.place.depth > DEEPEST_RUN:
                self.sink.fail("too deep")
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
        elif name == "git":
            self.emit(name)
            self.run_by_git()
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
        self.sink.emit(
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
            self.sink.fail("dynamic")
        if text.strip():
            self.sink.read(text, self.place.inside(name, remote=remote))

    def shell(self, name: str) -> None:
        at = 1
        while at < len(self.words):
            word = self.words[at]
            if word.startswith("-") and not word.startswith("--") and "c" in word and at + 1 < len(self.words):
                self.run_text(*unquote(self.words[at + 1]), name)
                return
            if not word.startswith(("-", "+")):
                break
            at += 2 if word in _SHELL_VALUED or (word[:2] != "--" and word.endswith(("o", "O"))) else 1
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
                self.sink.simple(Simple(inner), self.place.inside(name))
            at = end + 1

    def run_by_git(self) -> None:
        """`git submodule foreach 'cmd'`, `git bisect run cmd`, `git rebase -x 'cmd'` run something for many commits."""
        words = self.words
        for at, word in enumerate(words[:-1]):
            pair = f"{words[at - 1]} {word}" if at else word
            if pair in {"submodule foreach", "bisect run"}:
                rest = [other for other in words[at + 1 :] if other not in {"--recursive", "-q", "--quiet"}]
                if len(rest) == 1:
                    self.run_text(*unquote(rest[0]), "git")
                elif rest:
                    self.sink.simple(Simple(rest), self.place.inside("git"))
                return
            if word in {"-x", "--exec"} and "rebase" in words[:at]:
                self.run_text(*unquote(words[at + 1]), "git")

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
                if not before and not (wrapper.joins and self.words[at + 1 : at + 2] and self.words[at + 1][0] == "-"):
                    at += 2 if self.words[at + 1 : at + 2] == ["--"] else 1
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
        self.sink.emit(
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
