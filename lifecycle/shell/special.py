"""What one command does: by its program, and by its redirections, paths, variables and wrappers. Pure."""

from __future__ import annotations

import re

from wellworn.lifecycle.shell.by_program import BY_PROGRAM
from wellworn.lifecycle.shell.effect import FETCHED, Effect, by_table, effect, worse
from wellworn.lifecycle.shell.effects import EFFECTS, HARMLESS_LOADED, HARMLESS_VALUE, LOADERS
from wellworn.lifecycle.shell.identity import Identity, identify
from wellworn.lifecycle.shell.noise import VIEWERS
from wellworn.lifecycle.shell.parse import Command
from wellworn.lifecycle.shell.paths import is_credential, is_device, is_startup, is_system
from wellworn.lifecycle.shell.words import unquote, words_of


def effect_of(command: Command) -> Effect:
    """Return what one command does."""
    if not command.program:
        return Effect("unknown", (), True, "what it runs is known only as it runs")
    identity = identify(command)
    found = BY_PROGRAM.get(identity.program, by_table)(command, identity)
    for check in (_redirections, _sensitive_words, _surroundings):
        found = worse(found, check(command, identity))
    return found


def _redirections(command: Command, identity: Identity) -> Effect | None:
    """Writing over a file by `>`."""
    found: Effect | None = None
    for redirect in command.redirects:
        sign = re.match(r"(?:\d+|&)?(>>?\|?|<>|<)\s*(.+)", redirect, re.S)
        if sign is None or redirect.startswith("<<"):
            continue
        target = unquote(sign.group(2))[0].strip()
        if sign.group(1) == "<":
            found = effect("credential", "credential_read", what=target) if is_credential(target) else found
        elif not re.fullmatch(r"&?[0-9-]+|/dev/(?:null|stdout|stderr|tty|fd/\d+)", target):
            found = worse(written_to(target), found)
    return found


def written_to(path: str) -> Effect:
    """Return what writing to a path does."""
    if is_credential(path):
        return effect("credential", "credential_change", what=path)
    if is_device(path) or is_system(path):
        return effect("destructive", "system_change", what=path)
    if path.startswith(("/dev/tcp/", "/dev/udp/")):
        return effect("external_change", "external_change", what=path)
    if is_startup(path):
        return effect("unknown", "startup_change", what=path)
    return effect("local_write")


_NAMES_ONLY = words_of(
    "ls test [ [[ stat mkdir chmod echo printf which find grep rg du file dirname basename cd export unset"
)
_WRITERS = words_of(
    "cp mv tee install ln touch rsync scp sed patch dd truncate curl wget tar unzip ed vim nano emacs code"
)


def _sensitive_words(command: Command, identity: Identity) -> Effect | None:
    """Files of credentials, of the system and of startup among the words."""
    found: Effect | None = None
    for value in identity.values:
        word = value.partition("=")[2] if value.startswith("-") else value
        if is_credential(word) and (identity.program not in _NAMES_ONLY or _greps_it(identity, word)):
            found = worse(effect("credential", "credential_read", what=word), found)
        elif identity.program in _WRITERS and word.startswith(("/", "~", ".", "$HOME")):
            is_target = identity.program not in {"cp", "rsync", "scp", "ln", "install"} or value == identity.values[-1]
            if is_target and (is_system(word) or is_startup(word)) and not _reads_only(identity):
                found = worse(written_to(word), found)
    return found


def _greps_it(identity: Identity, word: str) -> bool:
    return identity.program in {"grep", "rg"} and word == identity.values[-1] and len(identity.values) > 1


def _reads_only(identity: Identity) -> bool:
    if identity.program == "sed":
        return not any(value.startswith(("-i", "--in-place")) for value in identity.values)
    if identity.program == "tar":
        return any(re.fullmatch(r"-?[a-zA-Z]*[ct][a-zA-Z]*", value) for value in identity.values[:1])
    return False


def _surroundings(command: Command, identity: Identity) -> Effect | None:
    """Variables that load code, `sudo`, packages fetched from an address."""
    for assignment in (*command.assignments, *(word for word in command.prefix if "=" in word)):
        name, _, value = assignment.partition("=")
        plain = unquote(value)[0]
        if name in LOADERS and not (name in HARMLESS_LOADED and (plain in HARMLESS_VALUE or name in _PATHS)):
            return Effect("unknown", ("inline_code",), True, f"{name} may run anything")
    if command.prefix and any(FETCHED.match(unquote(word)[0]) for word in (*command.prefix, command.name)):
        return effect("unknown", "download_and_run", what=command.program)
    if "sudo" in command.via or "doas" in command.via or "su" in command.via:
        base = EFFECTS.get(identity.program, ("", ""))[0]
        if base != "local_read" and identity.program not in VIEWERS:
            return effect("unknown", "system_change", gated=True, what="sudo")
    return None


_PATHS = words_of("PATH PYTHONPATH NODE_OPTIONS LD_LIBRARY_PATH")
