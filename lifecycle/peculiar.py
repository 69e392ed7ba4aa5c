"""What of a command belongs to the one time or the one project that it was run in: pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from wellworn.lifecycle.miner.phrases import without_values
from wellworn.lifecycle.proposing.commands import GeneralCommand, input_of
from wellworn.lifecycle.shell.steps import CommandStep, steps_of
from wellworn.models.recipe import PLACEHOLDER, ForgeInput

_VARY = ("version", "tag", "message", "pr", "hash")
"""Kinds of values that are others each time."""
_OWN = frozenset({"path", "file", "url", "host", "image", "name"})
_STANDS_FOR = "value"
_EVERYWHERE = frozenset(
    """
    . .. ./... * -- src lib app test tests spec docs dist build out target bin public tmp /tmp /dev/null origin main
    master package.json package-lock.json pnpm-lock.yaml yarn.lock tsconfig.json pyproject.toml setup.py manage.py
    requirements.txt requirements-dev.txt poetry.lock uv.lock Cargo.toml Cargo.lock go.mod go.sum Gemfile Makefile
    Dockerfile docker-compose.yml docker-compose.yaml compose.yml compose.yaml README.md CHANGELOG.md LICENSE
    gradlew mvnw pom.xml build.gradle alembic.ini dist/* build/* *.py *.ts *.js *.go
    """.split()  # noqa: SIM905  a table of words is read more easily so
)
_SCRIPT = re.compile(r"(?:[\w.@-]+/)+[\w.@-]+|[\w-]+\.(?:sh|py|js|ts|mjs|rb|pl|ps1|bat)")
_LOCAL = re.compile(
    r"https?://(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)|https?://(?:pypi\.org|registry\.npmjs\.org)"
)
_FOLDER = re.compile(r"^cd \S+ && ")
_VERSION = re.compile(r"v?\d+\.\d+(?:\.\d+)*(?:-[\w.]+)?")
_REDACTED = re.compile(r"\[redacted [^\]]{1,60}\]")


def is_peculiar(command: str) -> bool:
    """Say whether a command names files, addresses or names of one project; its `{{ inputs }}` do not count."""
    if _FOLDER.match(command):
        return True
    return any(_is_own(step) for step in steps_of(PLACEHOLDER.sub(_STANDS_FOR, command)))


def _is_own(step: CommandStep) -> bool:
    if any(kind.partition("-")[0] in _OWN and not _is_common(value) for kind, value in step.values):
        return True
    fixed = [word for word in step.template.split() if "<" not in word and not word.startswith("-")]
    return any(_SCRIPT.fullmatch(_bare(word)) and not _is_common(word) for word in fixed)


def _is_common(value: str) -> bool:
    plain = _bare(value)
    return plain in _EVERYWHERE or _STANDS_FOR in plain or _LOCAL.match(plain) is not None


def _bare(value: str) -> str:
    plain = value.strip("\"'")
    return plain.removeprefix("./").rstrip("/") if plain not in {".", "..", "./..."} else plain


def with_inputs(
    commands: Sequence[GeneralCommand], steps: Sequence[CommandStep], objective: str
) -> tuple[list[GeneralCommand], list[ForgeInput]]:
    """Return the commands with `{{ name }}` in the place of what is another each time, and those inputs.

    Another each time are versions, tags, messages, numbers of pull requests, and any value that the request itself
    names; of secrets that were taken out, the place where they stood.
    """
    names: dict[str, str] = {}
    for step in steps:
        for placeholder, raw in step.values:
            kind, value = placeholder.partition("-")[0], raw.strip("\"'")
            if _VERSION.fullmatch(value):
                kind, value = "version", value.removeprefix("v")
            if value and value not in names and _varies(kind, value, objective):
                names[value] = _free(kind, names)
    found = [replace(one, text=_general(one.text, names)) for one in commands]
    used = " ".join(one.text for one in found)
    secret = "secret" if "{{ secret }}" in used else None
    given = [name for name in (*dict.fromkeys(names.values()), secret) if name and f"{{{{ {name} }}}}" in used]
    return found, [input_of(name) for name in given]


def _varies(kind: str, value: str, objective: str) -> bool:
    if _REDACTED.search(value) or value in _EVERYWHERE or PLACEHOLDER.search(value):
        return False
    if kind == "tag":
        return any(one.isdigit() for one in value)
    if kind in _VARY:
        return True
    return without_values(value) != value and re.search(_whole(value), objective) is not None


def _free(kind: str, names: dict[str, str]) -> str:
    base = kind if kind.isidentifier() else "value"
    name, number = base, 2
    while name in names.values():
        name, number = f"{base}_{number}", number + 1
    return name


def _whole(value: str) -> str:
    return rf"(?<![\w.])(v?){re.escape(value)}(?!\w|\.\w)"


def _general(text: str, names: dict[str, str]) -> str:
    """Put the names in, the longest value first; `v1.2.0` becomes `v{{ version }}`."""
    for value in sorted(names, key=len, reverse=True):
        reference = f"{{{{ {names[value]} }}}}"
        text = re.sub(rf"([\"']){re.escape(value)}\1", reference, text)
        text = re.sub(_whole(value), rf"\g<1>{reference}", text)
    return _REDACTED.sub("{{ secret }}", text)
