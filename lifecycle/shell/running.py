"""Which commands run what they read, bring in what could be run, or run a file of the repository. Pure."""

from __future__ import annotations

from wellworn.lifecycle.shell.identity import same_program
from wellworn.lifecycle.shell.parse import Command
from wellworn.lifecycle.shell.programs import INTERPRETERS
from wellworn.lifecycle.shell.unwrap import reads_script
from wellworn.lifecycle.shell.wrappers import SHELLS


def feeds_interpreter(command: Command) -> bool:
    """Whether an interpreter runs what is piped into it or substituted for its script."""
    program, values = same_program(command.program), command.values
    if program not in INTERPRETERS and program not in SHELLS and program not in {"source", ".", "eval"}:
        return False
    if any("<(" in value or "$(" in value for value in values):
        return True
    bare = reads_script(program, values) if program in SHELLS else not [v for v in values if v != "-"]
    return bare and (command.piped or "xargs" in command.via or any(r.startswith("<") for r in command.redirects))


def fetches(command: Command) -> bool:
    """Whether a command brings in or decodes what could then be run."""
    values = command.values
    if command.program in {"curl", "wget", "aria2c", "fetch", "http", "xh"}:
        return True
    if command.program in {"base64", "base32", "uudecode", "gunzip", "zcat"}:
        return True
    if command.program == "xxd":
        return "-r" in values
    return command.program == "openssl" and bool({"-d", "-a", "enc", "base64"} & set(values))


_ANYONES = ("/tmp/", "/var/tmp/", "/dev/shm/")  # noqa: S108 - looked for, not used


def runs_local_file(command: Command) -> bool:
    """Whether a file is run by its path, or by a shell."""
    if command.name.startswith(("./", "../", *_ANYONES)) or (command.program in {"source", "."} and command.words):
        return True
    if "/" in command.name and not command.name.startswith(("/", "~")):
        return True
    shell = command.program in SHELLS or same_program(command.program) in INTERPRETERS
    return shell and any(not value.startswith("-") for value in command.values)
