"""What a command is: the key that does not change with its arguments. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from wellworn.lifecycle.shell.noise import VIEWERS
from wellworn.lifecycle.shell.parse import Command
from wellworn.lifecycle.shell.programs import (
    ALWAYS_KEY,
    BUN_COMMANDS,
    INTERPRETERS,
    KEY_FLAGS,
    LEAD_VALUED,
    MODULES,
    PNPM_COMMANDS,
    PROGRAMS,
    SAME_FLAG,
    SAME_PROGRAM,
    SAME_SUBCOMMAND,
    SCRIPT_RUNNERS,
    YARN_COMMANDS,
    Program,
)
from wellworn.lifecycle.shell.shapes import kind_of
from wellworn.lifecycle.shell.wrappers import SHELLS

_SUBCOMMAND = re.compile(r"[a-z][a-z0-9_]*(?:[:-][a-z0-9_]+)*", re.ASCII)
_TARGET = re.compile(r":?[A-Za-z][A-Za-z0-9_]*(?:[:-][A-Za-z0-9_]+)*", re.ASCII)
_VERSIONED = re.compile(r"(python|pypy|pip|ruby|php|node|clang|gcc|go)-?\d[\d.]*", re.ASCII)
_LONGEST_NAME = 40
_UNKNOWN = Program(1)
"""The first word of a program that is not known says what it does, unless an option stands before it."""
_NO_WORK = Program()
_BIN = re.compile(r"(?:^|/)(?:s?bin|\.bin|shims|Scripts)/[^/]+$")


@dataclass(frozen=True, slots=True)
class Identity:
    """program: its one name. key: see `CommandStep`. spec: how its words are read. kept: places (in `words`) of the
    words that are part of the key; rest: the other words unquoted. valued: its
    options that take the next word, by the kind of value. values: the command's words without quotes.
    """

    program: str
    key: str
    spec: Program
    kept: frozenset[int]
    rest: tuple[str, ...]
    valued: Mapping[str, str]
    values: tuple[str, ...]


def identify(command: Command) -> Identity:
    """Return what a command is."""
    values = command.values
    program, start = _program(command, values)
    spec = _spec(program)
    names, kept = _names(program, spec, values, start)
    lead = " ".join([program, *names])
    lead = _canonical(program, names, values) or lead
    flags = _flags(lead, program, spec, values) or _mode(lead, program, spec, values)
    rest = tuple(value for at, value in enumerate(values) if at not in kept and at >= start)
    kept = kept | frozenset(range(start))
    key = " ".join([_run_by_script_runner(command, lead), *flags])
    return Identity(program, key, spec, kept, rest, _valued(lead, spec), values)


def _valued(lead: str, spec: Program) -> Mapping[str, str]:
    first_two = " ".join(lead.split(" ", 2)[:2])
    special = LEAD_VALUED.get(first_two)
    return {**spec.valued, **special} if special else spec.valued


def _spec(program: str) -> Program:
    first, _, more = program.partition(" ")
    if more and first in INTERPRETERS:
        return _UNKNOWN
    found = PROGRAMS.get(first)
    if found is not None:
        return found
    return _NO_WORK if program in VIEWERS else _UNKNOWN


def _program(command: Command, values: tuple[str, ...]) -> tuple[str, int]:
    """Return the program's one name, and at which word what it is told begins."""
    name = same_program(command.program)
    written = command.name
    if command.program in {"docker-compose", "podman-compose"}:
        return "docker compose", 0
    if name == "python" and len(values) > 1 and values[0] == "-m":
        module = values[1].replace("_", "-") if values[1] == "pre_commit" else values[1]
        return (module if values[1] in MODULES else f"python -m {module}"), 2
    if "/" in written and name not in PROGRAMS and not _BIN.search(written):
        return script_name(written), 0
    if name.endswith(".py"):
        return f"python {script_name(written)}", 0
    return name, 0


def same_program(program: str) -> str:
    """Return the one name of a program that has several."""
    versioned = _VERSIONED.fullmatch(program)
    name = versioned.group(1) if versioned else program
    return SAME_PROGRAM.get(name, name)


def script_name(path: str) -> str:
    """Return a script's path as everyone would write it: without `./`; of an absolute one its last two parts."""
    while path.startswith("./"):
        path = path[2:]
    if path.startswith(("/", "~")):
        return "/".join(path.split("/")[-2:])
    return path


def _names(program: str, spec: Program, values: tuple[str, ...], start: int) -> tuple[list[str], frozenset[int]]:
    """Return the words that say what is done, and where they stand."""
    names: list[str] = []
    kept: set[int] = set()
    at = start
    while at < len(values) and values[at] != "--":
        value = values[at]
        if value.startswith("-") and len(value) > 1:
            if spec is _UNKNOWN or (spec.script and (_INLINE.fullmatch(value) or names)):
                break
            at += 2 if value in spec.valued else 1
            continue
        name = _name(program, spec, value, names)
        if name is not None:
            names.append(name)
            kept.add(at)
        if (name is None and not spec.targets) or _complete(program, spec, names):
            break
        at += 1
    return names, frozenset(kept)


_INLINE = re.compile(r"-[a-zA-Z]*[cepr]|--eval|--print", re.ASCII)


def _name(program: str, spec: Program, value: str, names: list[str]) -> str | None:
    """Return the word as a part of the key, or None when it is an argument."""
    if spec.script and not names:
        return script_name(value)
    shape = _TARGET if spec.targets else _SUBCOMMAND
    if len(value) > _LONGEST_NAME or "=" in value or not shape.fullmatch(value) or kind_of(value) != "value":
        return None
    if spec.targets or spec.script or len(names) < _depth(program, spec, names):
        return SAME_SUBCOMMAND.get(program, {}).get(value, value) if not names else value
    return None


def _depth(program: str, spec: Program, names: list[str]) -> int:
    if program == "docker compose":
        return 1
    return 2 if names and names[0] in spec.groups else spec.depth


def _complete(program: str, spec: Program, names: list[str]) -> bool:
    """Whether the words so far say all of what is done."""
    if spec.targets or not names:
        return False
    if spec.script:
        return len(names) == 2
    verb = len(names) > 1 and (names[-1] in spec.verbs or (program == "aws" and "-" in names[-1]))
    return verb or len(names) >= _depth(program, spec, names)


_BUILTIN_SCRIPTS = frozenset({"test", "start", "stop", "restart"})
_RUNNERS = {"yarn": YARN_COMMANDS, "pnpm": PNPM_COMMANDS, "bun": BUN_COMMANDS}


def _canonical(program: str, names: list[str], values: tuple[str, ...]) -> str | None:
    """`npm run test` is `npm test`, `yarn build` is `yarn run build`, `yarn` is `yarn install`; a shell its script."""
    if program in {"npm", "yarn", "pnpm", "bun"}:
        if names[:1] == ["run"] and len(names) > 1 and names[1] in _BUILTIN_SCRIPTS:
            return f"{program} {names[1]}"
        if program in _RUNNERS and names and names[0] not in _RUNNERS[program]:
            return " ".join([program, "run", *names])
        if program == "yarn" and not names and not values:
            return "yarn install"
    if program in SHELLS and names:
        return " ".join(names)
    if program == "docker" and len(names) == 2 and names[0] == "image" and names[1] in {"build", "push", "pull"}:
        return f"docker {names[1]}"
    return None


def _flags(lead: str, program: str, spec: Program, values: tuple[str, ...]) -> list[str]:
    """Return the options that make it other work, sorted."""
    same = SAME_FLAG.get(lead) or SAME_FLAG.get(program, {})
    wanted = KEY_FLAGS.get(lead) or KEY_FLAGS.get(program, ALWAYS_KEY)
    found: set[str] = set()
    for value in values:
        if value == "--":
            break
        if value.startswith("-"):
            option = value.partition("=")[0]
            option = same.get(option, option)
            if option in wanted or option in ALWAYS_KEY:
                found.add(option)
        elif lead == "git push" and value.startswith((":", "+")):
            found.add("--delete" if value[0] == ":" else "--force")
    return sorted(found)


_MANNERS = frozenset(
    {"--headless", "--verbose", "--quiet", "--silent", "--yes", "--force", "--color", "--no-color", "--debug", "--json"}
    | {"--config", "--output", "--format", "--log-level", "--progress", "--no-progress", "--batch", "--interactive"}
)


def _mode(lead: str, program: str, spec: Program, values: tuple[str, ...]) -> list[str]:
    """Of a program that is not known and takes no subcommand, an option says what it does (`godot --import`): the first
    by name that does not only say how."""
    if spec is not _UNKNOWN or lead != program:
        return []
    told = values[: values.index("--")] if "--" in values else values
    options = {value.partition("=")[0] for value in told if value.startswith("--")}
    return sorted(options - _MANNERS)[:1]


def _run_by_script_runner(command: Command, lead: str) -> str:
    """`hatch run test`: `test` is a script of the project."""
    runner = command.via[-1] if command.via else ""
    first = lead.partition(" ")[0]
    if (
        runner.partition(" ")[0] in SCRIPT_RUNNERS
        and (first not in PROGRAMS or ":" in first)
        and first not in INTERPRETERS
    ):
        return f"{runner} {lead}"
    return lead
