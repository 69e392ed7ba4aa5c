"""Committing a skill's files where they lie in a git work tree; arguments are passed as such, never through a shell."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

_SECONDS = 30.0
_SECONDS_TO_END = 5.0
_KEPT = frozenset({"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH"})
_SHOWN = 200


def in_work_tree(folder: Path) -> bool:
    """Say whether a folder lies in a git work tree, and git is there to ask."""
    found = _git(folder, "rev-parse", "--is-inside-work-tree")
    return found is not None and found.returncode == 0 and found.stdout.strip() == "true"


def commit_files(folder: Path, files: Sequence[Path], message: str) -> str:
    """Commit these files, and nothing else that waits to be committed; return a sentence on what became of it."""
    names = [str(file.resolve()) for file in files]  # git takes what is reached over a link for outside of its tree
    for arguments in (("add", "--", *names), ("commit", "--quiet", "--only", "-m", message, "--", *names)):
        done = _git(folder, *arguments)
        if done is None:
            return "It was not committed: git is not there, or did not end."
        if done.returncode:
            said = " ".join((done.stderr or done.stdout).split())[:_SHOWN] or f"exit code {done.returncode}"
            return f"It was not committed: {said}"
    head = _git(folder, "rev-parse", "--short", "HEAD")
    return f"Committed{f' as {head.stdout.strip()}' if head is not None and not head.returncode else ''}."


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str] | None:
    command = ["git", "--literal-pathspecs", "-C", str(folder), *arguments]
    # within a hook, or `git rebase --exec`, these name another repository than the folder's
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or _is_ours(name)}
    try:
        with subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        ) as process:
            try:
                out, err = process.communicate(timeout=_SECONDS)
            except subprocess.TimeoutExpired:
                _end(process)
                return None
            return subprocess.CompletedProcess(command, process.returncode, out, err)
    except OSError:
        return None


def _is_ours(name: str) -> bool:
    """Say whether a variable says who commits, or how, and not in which repository."""
    return name.startswith(("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_SSH", "GIT_TRACE")) or name in _KEPT


def _end(process: subprocess.Popen[str]) -> None:
    """Ask git to end, so that it takes its lock on the index away; what its hooks started is not waited for."""
    process.terminate()
    try:
        process.wait(_SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()
