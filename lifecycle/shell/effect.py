"""What one command does by the tables and, for scripts and tasks of the repository, by its name. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import zip_longest

from wellworn.lifecycle.shell.effects import ACTION_REASONS, DRY_RUN, EFFECTS, RISKY_NAME, SAFE_TASK, TASK_RUNNERS
from wellworn.lifecycle.shell.identity import Identity
from wellworn.lifecycle.shell.noise import ASKING, VIEWERS
from wellworn.lifecycle.shell.parse import Command
from wellworn.lifecycle.shell.running import runs_local_file
from wellworn.lifecycle.shell.words import words_of

FETCHED = re.compile(
    r"(?:git\+|https?://|git@|git://|github:|gist:|bitbucket:|gitlab:|ssh://)|[\w.-]+\s*@\s*(?:git\+|https?:)", re.I
)


@dataclass(frozen=True, slots=True)
class Effect:
    """klass: a `CommandClass`; see `Classified`."""

    klass: str
    actions: tuple[str, ...]
    gated: bool
    reason: str


def effect(klass: str, action: str = "", *, gated: bool | None = None, what: str = "") -> Effect:
    if gated is None:
        gated = klass not in {"local_read", "local_write"}
    reason = ACTION_REASONS.get(action, "") or klass.replace("_", " ")
    return Effect(klass, (action,) if action else (), gated, f"{what} {reason}".strip())


ORDER = ("local_read", "local_write", "unknown", "external_change", "credential", "destructive")


def worse(one: Effect, other: Effect | None) -> Effect:
    if other is None:
        return one
    first, second = sorted((one, other), key=lambda effect: (effect.gated, ORDER.index(effect.klass)), reverse=True)
    return Effect(first.klass, tuple(dict.fromkeys(first.actions + second.actions)), first.gated, first.reason)


def by_table(command: Command, identity: Identity) -> Effect:
    """Return what the tables say of the words that name the work."""
    only_asks = bool(identity.values) and all(value in ASKING for value in identity.values)
    if only_asks or is_dry(identity):
        return effect("local_read")
    key = identity.key
    runs_task = key.partition(" ")[0] in TASK_RUNNERS or key.startswith(_TASK_LEADS)
    task = _task(identity) if runs_task else None
    return task or _known(key) or _by_nature(command, identity)


def _known(key: str) -> Effect | None:
    words = key.split(" ")
    for size in range(len(words), 0, -1):
        lead = " ".join(words[:size])
        if lead in EFFECTS:
            return effect(*EFFECTS[lead], what=lead)
    return None


_VIEWERS = VIEWERS - words_of("env exec builtin command tmux screen xargs")
"""Some that only look when they stand alone may run what is given to them."""


def _by_nature(command: Command, identity: Identity) -> Effect:
    if identity.program in _VIEWERS:
        return effect("local_read")
    if runs_local_file(command):
        return script_effect(identity.key)
    if identity.program.startswith("mkfs"):
        return effect("destructive", "delete", what=identity.program)
    return Effect("unknown", (), True, f"{identity.program} is not known")


def is_dry(identity: Identity) -> bool:
    """Whether a program that knows `--dry-run` is told to change nothing."""
    if identity.program.partition(" ")[0] not in DRY_RUN:
        return False
    dry = False
    for value, following in zip_longest(identity.values, identity.values[1:], fillvalue=""):
        option, _, given = value.partition("=")
        if value == "--":
            break
        if option in {"--dry-run", "--dryrun"}:
            dry = not {given, following} & {"false", "none", "0", "no"}
        elif option in {"--no-dry-run"}:
            return False
    short = identity.key.startswith(("git push", "git clean", "make", "rsync")) and "--dry-run" in identity.key.split()
    return dry or (short and "--dry-run" not in " ".join(identity.values))


_TASK_LEADS = ("npm run ", "yarn run ", "pnpm run ", "bun run ", "deno task ", "rake ", "composer run ", "bundle exec ")
_PARTS = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")


def _name_parts(text: str) -> set[str]:
    return {part.lower() for part in _PARTS.split(text) if part}


def _risk_in(text: str) -> str | None:
    """Return the action that a task's or a script's name speaks of."""
    risky = _name_parts(text) & RISKY_NAME
    if not risky:
        return None
    if risky & {"publish", "release", "upload", "unpublish", "sign", "notarize", "announce"}:
        return "publish"
    if risky & {"delete", "destroy", "drop", "purge", "wipe", "remove", "nuke", "reset", "teardown"}:
        return "delete"
    return "git_push" if risky == {"push"} else "deploy"


def script_effect(name: str) -> Effect:
    """A script of the repository; only its name is known."""
    action = _risk_in(name.replace("cleanup", ""))
    if action:
        return effect("destructive" if action == "delete" else "external_change", action, what=name)
    return effect("unknown", "local_code", gated=False, what=name)


def _task(identity: Identity) -> Effect | None:
    """A task that the repository defines."""
    words = identity.key.split(" ")
    if identity.program in {"nx", "turbo", "mise"} and words[1:2] != ["run"] and identity.program != "turbo":
        return None
    if words[0] in {"hatch", "pdm", "rye", "pipenv", "devbox", "mise"} and words[1:2] != ["run"]:
        return None
    tasks = [word for word in words[1:] if word not in {"run", "task", "exec"} and not word.startswith("-")]
    tasks += [value for value in identity.rest if "=" not in value and not value.startswith("-")][:3]
    if any(value.startswith("SHELL=") or "$" in value.partition("=")[0] for value in identity.values):
        return Effect("unknown", ("inline_code",), True, "what it runs is known only as it runs")
    for task in tasks:
        action = _risk_in(task.replace("cleanup", "").replace("clean", ""))
        if action:
            action = "publish" if action == "deploy" and words[0] in {"mvn", "gradle", "sbt"} else action
            return effect("destructive" if action == "delete" else "external_change", action, what=identity.key)
    if all(_name_parts(task) & SAFE_TASK for task in tasks):
        return effect("local_write")
    return effect("unknown", "local_code", gated=False, what=identity.key)
