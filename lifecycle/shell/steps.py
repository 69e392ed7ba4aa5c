"""A command line as steps: what each is (a key that its arguments leave alone) and its form with the values taken out.

`steps_of("cd app && npm version 1.2.3")` gives a noise step `cd` and one of key `npm version` and template
`npm version <version>` with the values `(("version", "1.2.3"),)`. Every value that can vary becomes a placeholder;
whether it does vary is seen only by comparing, which is the miner's work. What counts as noise: see `noise`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from wellworn.lifecycle.shell.identity import Identity, identify
from wellworn.lifecycle.shell.noise import ASKING, CLOUDS, LOOKING, LOOKING_VERBS, VIEWERS
from wellworn.lifecycle.shell.parse import Command, parse_line
from wellworn.lifecycle.shell.positions import Slot, slots_of
from wellworn.lifecycle.shell.programs import INTERPRETERS, PROGRAMS, SCRIPT_RUNNERS

PLACEHOLDER = re.compile(r"<([a-z]+(?:-[0-9]+)?)>")
_SCRIPT_LEADS = tuple(f"{runner} " for runner in SCRIPT_RUNNERS)
_CACHED_LENGTH = 2_000
_UNREAD = frozenset({"syntax", "prose", "too long"})


@dataclass(frozen=True, slots=True)
class CommandStep:
    """One command of a line.

    key: the program, its subcommands, script or targets, and options that make it other work; alike for all ways to
    write it. template: the command with `<placeholders>`; values: (placeholder, source text) in their order in it.
    noise: it only looks or moves about.
    """

    key: str
    template: str
    values: tuple[tuple[str, str], ...]
    noise: bool


def steps_of(command: str) -> tuple[CommandStep, ...]:
    """Return the steps of a line in order of execution; none of a text that is no shell."""
    if len(command) > _CACHED_LENGTH:
        return _steps(command)
    return _steps_cached(command)


@lru_cache(maxsize=16_384)
def _steps_cached(command: str) -> tuple[CommandStep, ...]:
    return _steps(command)


def fill(template: str, values: tuple[tuple[str, str], ...]) -> str:
    """Return the command of a template, each placeholder replaced by its value's source text."""
    known = dict(values)
    return PLACEHOLDER.sub(lambda found: known.get(found.group(1), found.group()), template)


def _steps(command: str) -> tuple[CommandStep, ...]:
    line = parse_line(command)
    if line.why in _UNREAD:
        return ()
    steps: list[CommandStep] = []
    commands = line.commands
    for at, one in enumerate(commands):
        if one.program and not (one.remote and not one.prefix):
            steps.append(_step(one, _remote_work(commands, at)))
    return tuple(steps)


def _remote_work(commands: tuple[Command, ...], at: int) -> str:
    """Return the key of the first thing that `ssh host '...'` does there."""
    if commands[at].program not in {"ssh", "vagrant"}:
        return ""
    for one in commands[at + 1 :]:
        if not one.remote:
            break
        identity = identify(one)
        if not _is_noise(one, identity):
            return identity.key
    return ""


def _step(command: Command, remote_work: str) -> CommandStep:
    identity = identify(command)
    slots = slots_of(command, identity)
    template, values = _template(slots)
    key = f"{identity.key} {remote_work}" if remote_work else identity.key
    return CommandStep(key, template, values, _is_noise(command, identity))


def _template(slots: list[Slot]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Join the slots; of one kind the second is `<kind-2>`."""
    seen: Counter[str] = Counter()
    words: list[str] = []
    values: list[tuple[str, str]] = []
    for slot in slots:
        if slot.kind is None:
            words.append(slot.literal)
            continue
        seen[slot.kind] += 1
        name = slot.kind if seen[slot.kind] == 1 else f"{slot.kind}-{seen[slot.kind]}"
        words.append(f"{slot.literal}<{name}>")
        values.append((name, slot.value))
    return " ".join(words), tuple(values)


def writes_file(command: Command) -> bool:
    """Whether its output goes into a file."""
    return any(
        ">" in redirect and "&" not in redirect.partition(">")[2][:1] and not redirect.rstrip().endswith("/dev/null")
        for redirect in command.redirects
        if not redirect.startswith(("2", "<"))
    )


def _is_noise(command: Command, identity: Identity) -> bool:
    program, key = identity.program, identity.key
    if program in VIEWERS and not key.startswith(_SCRIPT_LEADS):
        return _looks(command, identity)
    if key in LOOKING:
        return True
    if program in CLOUDS:
        last = key.rpartition(" ")[2]
        return last in LOOKING_VERBS or last.startswith(("describe-", "list-", "get-"))
    if key in {"git branch", "git tag", "git remote"}:
        return all(word.startswith("-") for word in identity.rest)
    if program in INTERPRETERS and not command.words:
        return not command.piped  # what it reads from a pipe is the work
    known = program in PROGRAMS
    return known and bool(command.words) and all(value in ASKING for value in identity.values)


def _looks(command: Command, identity: Identity) -> bool:
    program, values = identity.program, identity.values
    if program in {"find", "fd", "fdfind"}:
        return "-delete" not in values
    if program in {"echo", "printf"}:
        return not writes_file(command)
    if program in {"yq", "awk", "gawk", "sed"}:
        return not any(value.startswith(("-i", "--in-place")) for value in values)
    return program not in {"base64", "tee"} or command.piped or not writes_file(command)
