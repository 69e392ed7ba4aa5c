"""What a shell line may do to the world, and whether a person must approve it first.

Every command of the line is judged by tables (`effects`) and by what its own options and paths say (`special`); the
line is as bad as its worst part. What is not known, and what cannot be read, is `unknown` and gated. A script or task
of the repository (`python tools/x.py`, `./x.sh`, `make x`, `npm run x`) runs code that is not read here: it is gated
only when its name says publish, deploy, release, push, delete and the like; otherwise it is `unknown`, or `local_write`
when its name is a usual one (`test`, `build`), and not gated.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from wellworn.lifecycle.shell.effect import ORDER, Effect
from wellworn.lifecycle.shell.effects import ACTION_REASONS
from wellworn.lifecycle.shell.parse import Command, parse_line
from wellworn.lifecycle.shell.running import feeds_interpreter, fetches, runs_local_file
from wellworn.lifecycle.shell.special import effect_of

_CACHED_LENGTH = 2_000


class CommandClass(StrEnum):
    """The classes, of which all but the first two need approval; `unknown` mostly does."""

    local_read = "local_read"
    local_write = "local_write"
    destructive = "destructive"
    external_change = "external_change"
    credential = "credential"
    unknown = "unknown"


_WHY = {
    "syntax": "it cannot be read as shell",
    "dynamic": "what it runs is known only as it runs",
    "prose": "it is no shell command",
    "too long": "it is too long to be read",
    "too deep": "it is nested too deeply to be read",
}


@dataclass(frozen=True, slots=True)
class Classified:
    """klass: of the worst part. actions: what all parts do, the worst first. gated: a person must approve it first."""

    klass: CommandClass
    actions: tuple[str, ...]
    gated: bool
    reason: str


def classify(command: str) -> Classified:
    """Return what a shell line may do, and whether it needs approval."""
    if len(command) > _CACHED_LENGTH:
        return _classify(command)
    return _classify_cached(command)


@lru_cache(maxsize=8_192)
def _classify_cached(command: str) -> Classified:
    return _classify(command)


def _classify(text: str) -> Classified:
    line = parse_line(text)
    effects = [_with_remote(one, effect_of(one)) for one in line.commands]
    effects += _across(line.commands)
    if not line.understood:
        effects.append(Effect("unknown", (), True, _WHY[line.why]))
    if not effects:
        return Classified(CommandClass.local_read, (), False, "nothing is run")
    ranked = sorted(effects, key=lambda effect: (effect.gated, ORDER.index(effect.klass)), reverse=True)
    actions = dict.fromkeys(action for effect in ranked for action in effect.actions)
    return Classified(CommandClass(ranked[0].klass), tuple(actions), ranked[0].gated, ranked[0].reason)


def _with_remote(command: Command, effect: Effect) -> Effect:
    """On another machine every change is an external one."""
    if not command.remote or effect.klass == "local_read":
        return effect
    klass = "external_change" if effect.klass in {"local_write", "unknown"} else effect.klass
    reason = effect.reason if effect.gated else ACTION_REASONS["remote"]
    return Effect(klass, (*effect.actions, "remote"), True, reason)


def _across(commands: tuple[Command, ...]) -> list[Effect]:
    """What only several commands together do: download or decode, and run it."""
    fetched = False
    for command in commands:
        if fetched and (feeds_interpreter(command) or runs_local_file(command)):
            return [Effect("unknown", ("download_and_run",), True, ACTION_REASONS["download_and_run"])]
        fetched = fetched or fetches(command)
    return []
