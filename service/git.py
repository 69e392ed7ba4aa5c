"""Committing a skill's files where they lie in a git work tree; arguments are passed as such, never through a shell."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

_SECONDS = 30.0
_SHOWN = 200


def in_work_tree(folder: Path) -> bool:
    """Say whether a folder lies in a git work tree, and git is there to ask."""
    found = _git(folder, "rev-parse", "--is-inside-work-tree")
    return found is not None and found.returncode == 0 and found.stdout.strip() == "true"


def commit_files(folder: Path, files: Sequence[Path], message: str) -> str:
    """Commit these files, and nothing else that waits to be committed; return a sentence on what became of it."""
    names = [str(file) for file in files]
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
    try:
        return subprocess.run(
            ["git", "--literal-pathspecs", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
