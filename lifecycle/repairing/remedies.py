"""What made a failing command work after all: read from the steps of tasks, and from what lessons say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wellworn.lifecycle.shell.steps import steps_of
from wellworn.models.task import Lesson, TaskStep

_COMMAND_MAX = 300
_SPAN = re.compile(r"(?<!`)`([^`\n]{1,300})`(?!`)")
_BLOCK = re.compile(r"```[\w-]*\n(.*?)```", re.DOTALL)
_HELD = r"[^.;\x00]{0,80}?"
# A and B stand for two commands as the lesson names them, in whichever order
_INSTEAD = (
    re.compile(rf"\x00(?P<good>\d)\x00,?{_HELD}\b(?:instead of|rather than|not)\b{_HELD}\x00(?P<bad>\d)\x00", re.I),
    re.compile(
        rf"\x00(?P<bad>\d)\x00.{{0,120}}?\b(?:use|run|call|try|with)\b{_HELD}\x00(?P<good>\d)\x00{_HELD}\binstead\b",
        re.I,
    ),
    re.compile(rf"\binstead of\b{_HELD}\x00(?P<bad>\d)\x00.{{0,80}}?\x00(?P<good>\d)\x00", re.I),
)
_FIRST = (
    re.compile(rf"\x00(?P<good>\d)\x00{_HELD}\bbefore\b{_HELD}\x00(?P<bad>\d)\x00", re.I),
    re.compile(r"\x00(?P<good>\d)\x00 first\b.{0,120}?\x00(?P<bad>\d)\x00", re.I),
    re.compile(
        rf"\x00(?P<bad>\d)\x00{_HELD}\b(?:after|until|unless|needs|requires|without)\b{_HELD}\x00(?P<good>\d)\x00", re.I
    ),
    re.compile(rf"\bbefore\b{_HELD}\x00(?P<bad>\d)\x00.{{0,80}}?\x00(?P<good>\d)\x00", re.I),
)


@dataclass(frozen=True, slots=True)
class Remedy:
    """failing: the command that failed. instead: the one that worked in its place; first: what had to come before."""

    failing: str
    instead: str | None = None
    first: str | None = None

    @property
    def commands(self) -> tuple[str, ...]:
        """What the remedy consists of, in order."""
        return tuple(one for one in (self.first, self.instead) if one is not None)


@dataclass(frozen=True, slots=True)
class Taught:
    """A lesson with what its task, and its own words, say of a remedy; failed: the commands that failed in the task."""

    lesson: Lesson
    remedies: tuple[Remedy, ...] = ()
    failed: tuple[str, ...] = ()


def taught_by(lesson: Lesson, steps: Sequence[TaskStep]) -> Taught:
    """Return what a lesson teaches. steps: of the task that it comes from, in order; none when that is unknown."""
    remedies = dict.fromkeys([*remedies_in(steps), *remedies_told(lesson.lesson), *remedies_told(lesson.analysis)])
    return Taught(lesson, tuple(remedies), tuple(dict.fromkeys(one.command for one in steps if failed(one))))


def remedies_in(steps: Sequence[TaskStep]) -> list[Remedy]:
    """Return what made failing steps work later in the same task; of the same command only the last word counts."""
    found: dict[str, Remedy] = {}
    for at, step in enumerate(steps):
        if failed(step) and usable(step.command) and (remedy := _recovery(step, steps[at + 1 :])) is not None:
            found[key_of(step.command)] = remedy
    return list(found.values())


def _recovery(step: TaskStep, later: Sequence[TaskStep]) -> Remedy | None:
    for at, one in enumerate(later):
        if not worked(one) or not (key_of(one.command) == key_of(step.command) or _stands_in(one, step)):
            continue
        before = [other.command for other in later[:at] if worked(other) and _matters(other.command)]
        first = before[-1] if before and usable(before[-1]) else None
        instead = one.command.strip() if one.command.strip() != step.command.strip() else None
        if (instead is not None and not usable(instead)) or (instead is None and first is None):
            return None
        return Remedy(step.command.strip(), instead, None if first is None else first.strip())
    return None


def _stands_in(one: TaskStep, other: TaskStep) -> bool:
    """Say whether it is the same work of another program: `pnpm test` for `npm test`."""
    words, others = key_of(one.command).split(), key_of(other.command).split()
    return len(words) > 1 and words[1:] == others[1:]


def remedies_told(text: str) -> list[Remedy]:
    """Return what a sentence with two commands in it says that is to be done: one instead of the other, or first."""
    commands = list(dict.fromkeys(one for one in _SPAN.findall(text) if usable(one)))
    if len(commands) != 2:
        return []
    marked = _SPAN.sub(lambda one: f"\0{commands.index(one[1])}\0" if one[1] in commands else one[0], text)
    for patterns, name in ((_INSTEAD, "instead"), (_FIRST, "first")):
        for pattern in patterns:
            found = pattern.search(marked)
            if found is not None and found["good"] != found["bad"]:
                good, bad = commands[int(found["good"])], commands[int(found["bad"])]
                return [Remedy(bad, **{name: good})]
    return []


# -- commands in texts -------------------------------------------------------------------------------------------------


def failed(step: TaskStep) -> bool:
    """Say whether a recorded step failed."""
    return step.success is False or (step.success is None and step.exit_code not in (None, 0))


def worked(step: TaskStep) -> bool:
    """Say whether a recorded step is known to have worked."""
    return step.success is True or (step.success is None and step.exit_code == 0)


def usable(command: str) -> bool:
    """Say whether a command can be written into a step as it is."""
    text = command.strip()
    return 0 < len(text) <= _COMMAND_MAX and text.isprintable() and "`" not in text and "-->" not in text


def key_of(command: str) -> str:
    """Return what a command does, alike for all ways to write it (see `lifecycle.shell.steps`)."""
    steps = steps_of(command)
    keys = [one.key for one in steps if not one.noise] or [one.key for one in steps]
    return " && ".join(keys) if keys else " ".join(command.split())


def _matters(command: str) -> bool:
    return any(not one.noise for one in steps_of(command))


def commands_in(text: str) -> list[str]:
    """Return the commands that a step of a skill shows as code."""
    blocks = [line.strip() for block in _BLOCK.findall(text) for line in block.split("\n")]
    return [one for one in [*_SPAN.findall(text), *blocks] if one]


def mentions(text: str, command: str) -> bool:
    """Say whether a step of a skill tells to run a command, as code or in plain words."""
    key = key_of(command)
    if any(key == key_of(one) for one in commands_in(text)):
        return True
    return any(_says(text, one) for one in (command.strip(), key) if len(one) > 2)


def _says(text: str, command: str) -> bool:
    return re.search(rf"(?<![\w./-]){re.escape(command)}(?![\w/-])", text, re.IGNORECASE) is not None


def first_with(steps: Iterable[str], command: str) -> int | None:
    """Return the place of the first step that tells to run a command."""
    return next((at for at, step in enumerate(steps) if mentions(step, command)), None)
