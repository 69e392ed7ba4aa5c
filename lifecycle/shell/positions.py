"""Which words of a command are fixed and which are values, and of what kind. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wellworn.lifecycle.shell.identity import Identity
from wellworn.lifecycle.shell.parse import Command
from wellworn.lifecycle.shell.shapes import is_value, kind_of
from wellworn.lifecycle.shell.words import unquote

_COMMON_VALUED = {
    "--message": "message",
    "--title": "message",
    "--body": "message",
    "--description": "message",
    "--version": "version",
    "--output": "path",
    "--file": "file",
    "--config": "path",
    "--branch": "branch",
    "--tag": "tag",
    "--name": "name",
    "--port": "number",
    "--url": "url",
}
_POSITIONS: dict[str, tuple[str, ...]] = {
    "git push": ("remote", "branch"),
    "git pull": ("remote", "branch"),
    "git fetch": ("remote", "branch"),
    "git checkout": ("branch",),
    "git switch": ("branch",),
    "git merge": ("branch",),
    "git rebase": ("branch",),
    "git branch": ("branch",),
    "git tag": ("tag",),
    "git remote add": ("remote", "url"),
    "git clone": ("url", "path"),
    "git add": ("path",),
    "gh pr": ("pr",),
    "gh release": ("tag",),
    "gh workflow run": ("name",),
    "npm version": ("version",),
    "npm install": ("package",),
    "npm uninstall": ("package",),
    "npm view": ("package",),
    "npm dist-tag add": ("package", "tag"),
    "yarn add": ("package",),
    "pnpm add": ("package",),
    "bun add": ("package",),
    "pip install": ("package",),
    "pip uninstall": ("package",),
    "pip index versions": ("package",),
    "uv add": ("package",),
    "uv pip install": ("package",),
    "poetry add": ("package",),
    "poetry version": ("version",),
    "cargo add": ("package",),
    "cargo install": ("package",),
    "brew install": ("package",),
    "apt install": ("package",),
    "apt-get install": ("package",),
    "gem push": ("file",),
    "docker run": ("image",),
    "docker push": ("image",),
    "docker pull": ("image",),
    "docker tag": ("image", "image"),
    "docker rmi": ("image",),
    "docker build": ("path",),
    "kubectl": ("name",),
    "helm": ("name", "path"),
    "ssh": ("name", "value"),
    "ssh-copy-id": ("name",),
    "systemctl": ("name",),
    "cd": ("path",),
    "mkdir": ("path",),
    "rm": ("path",),
    "rmdir": ("path",),
    "cp": ("path", "path"),
    "mv": ("path", "path"),
    "touch": ("path",),
    "alembic": ("name",),
    "pytest": ("path",),
    "ruff": ("path",),
    "mypy": ("path",),
    "black": ("path",),
    "isort": ("path",),
    "flake8": ("path",),
    "pylint": ("path",),
    "eslint": ("path",),
    "prettier": ("path",),
    "jest": ("path",),
    "vitest": ("path",),
    "sed": ("value", "path"),
    "chmod": ("value", "path"),
    "chown": ("value", "path"),
    "tee": ("path",),
    "git reset": ("name",),
    "git cherry-pick": ("hash",),
    "git revert": ("hash",),
    "git rm": ("path",),
    "git mv": ("path", "path"),
}
_SHAPED = frozenset({"url", "version", "hash"})
_MARK = re.compile(r"<[a-z]+(?:-[0-9]+)?>")
_CLUSTER = re.compile(r"-[A-Za-z]{2,4}")
_ATTACHED = re.compile(r"(-[A-Za-z])(\d+)")


@dataclass(frozen=True, slots=True)
class Slot:
    """A word of the template: `literal`, and when `kind` is given a value of that kind directly behind it."""

    literal: str
    kind: str | None = None
    value: str = ""


def slots_of(command: Command, identity: Identity) -> list[Slot]:
    """Return the words of a command, with the wrappers and assignments it needs."""
    slots = [_assignment(word) for word in command.assignments]
    slots += [_literal(word) for word in command.prefix]
    if command.name:
        slots.append(_literal(command.name))
    slots += _argument_slots(command, identity)
    slots += _written_to(command, identity)
    return slots


def _literal(word: str) -> Slot:
    """A fixed word; one that looks like a placeholder itself is a value."""
    return Slot("", "value", word) if _MARK.search(word) else Slot(word)


def _assignment(word: str) -> Slot:
    name, equals, value = word.partition("=")
    return Slot(f"{name}{equals}", "value", value) if value else Slot(word)


def _argument_slots(command: Command, identity: Identity) -> list[Slot]:
    values = identity.values
    kinds = _positional_kinds(identity)
    slots: list[Slot] = []
    awaited: str | None = None
    place, only_words = 0, False
    for at, raw in enumerate(command.words):
        value = values[at]
        if at in identity.kept:
            slots.append(_literal(raw))
            awaited = None
        elif awaited is not None:
            slots.append(Slot("", awaited, raw))
            awaited = None
        elif value == "--" and not only_words:
            slots.append(Slot(raw))
            only_words = True
        elif value.startswith("-") and len(value) > 1 and not only_words:
            slot, awaited = _option(raw, value, identity)
            slots.append(slot)
        else:
            slots.append(Slot("", _positional(value, kinds, place), raw))
            place += 1
    return slots


def _positional_kinds(identity: Identity) -> tuple[str, ...]:
    lead = identity.key.split(" -")[0]
    words = lead.split()
    for size in range(len(words), 0, -1):
        found = _POSITIONS.get(" ".join(words[:size]))
        if found:
            return found
    return ()


def _positional(value: str, kinds: tuple[str, ...], place: int) -> str:
    shape = kind_of(value)
    if not kinds:
        return shape
    kind = kinds[min(place, len(kinds) - 1)]
    if kind == "pr" and shape == "url":
        return "url"
    if kind == "branch":
        return {"version": "tag", "hash": "hash", "path": "path" if value.startswith((".", "/")) else "branch"}.get(
            shape, kind
        )
    if kind in {"package", "path", "remote", "name", "image", "hash"} and shape == "url":
        return "url"
    if kind == "package" and shape == "path" and value.startswith((".", "/", "~")):
        return "path"
    return kind


def _option(raw: str, value: str, identity: Identity) -> tuple[Slot, str | None]:
    """Return the slot of an option, and the kind of the value that the next word is, if it takes one.

    Of a cluster (`-am`) the last letter may take a value.
    """
    name, equals, _ = raw.partition("=")
    option, _, given = value.partition("=")
    kind = identity.valued.get(option) or _COMMON_VALUED.get(option)
    if equals:
        if given and (kind or is_value(given) or _MARK.search(raw) or unquote(raw)[1] or raw != value):
            return Slot(f"{name}=", kind or kind_of(given), raw[len(name) + 1 :]), None
        return _literal(raw), None
    if _MARK.search(raw):
        return Slot("", "value", raw), None
    if kind is None and _CLUSTER.fullmatch(option):
        option = f"-{option[-1]}"
        kind = identity.valued.get(option)
    attached = _ATTACHED.fullmatch(raw)
    if attached:
        return Slot(attached.group(1), "number", attached.group(2)), None
    return Slot(raw), kind


def _written_to(command: Command, identity: Identity) -> list[Slot]:
    """`echo x > file` is nothing without the file."""
    if identity.program not in {"echo", "printf"}:
        return []
    slots: list[Slot] = []
    for redirect in command.redirects:
        found = re.fullmatch(r"(>>?)\s*(\S.*)", redirect, re.S)
        if found and not found.group(2).startswith("&"):
            slots += [Slot(found.group(1)), Slot("", "path", found.group(2))]
    return slots
