"""How the call of a tool ended, as agents' transcripts say it in words: exit status, refused, stopped by a hook."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wellworn.lifecycle.importers.events import Ran

_START = 400
_END = 4000
_EXIT_FIRST = re.compile(r"\s*(?:Error:\s*)?(?:Exit code|Command failed with exit code)[: ]+(-?\d{1,5})\b", re.I)
_EXIT_LAST = re.compile(r"Command exited with code (-?\d{1,5})\s*$", re.I)
_REFUSED = re.compile(
    r"(?:The )?user (?:doesn't want|does not want) to (?:proceed|take this action)"
    r"|(?:The )?user (?:rejected|declined|denied)|\[request interrupted by user for tool use\]",
    re.I,
)
_NOT_GRANTED = re.compile(
    r"requested permissions? to .{0,300}haven't granted it|permission to use .{0,100} has been denied"
    r"|^(?:Error: )?(?:This command requires approval|Permission for this tool use was denied)",
    re.I | re.S,
)
_TOLD = re.compile(r"(?:the user said|user's (?:feedback|reason)|user feedback)\s*:\s*(.+)", re.I | re.S)
_HOOK = re.compile(
    r"\b(?:Pre|Post)ToolUse\b.{0,80}?\b(?:hook|blocked)|\bblocked by (?:a )?hook\b|\bhook blocking error\b", re.I
)
_NEVER_RAN = re.compile(r"\s*(?:Error:\s*)?<tool_use_error>|\s*InputValidationError", re.I)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A tool was not let run. by_person: False when nobody answered; said: what they wrote instead, or empty."""

    by_person: bool
    said: str = ""


def refusal(output: str, *, failed: bool) -> Refusal | None:
    """Return that a tool was refused, if that is what its output says. failed: it is marked as an error."""
    start = output[:_START]
    if _REFUSED.match(start) or (failed and _REFUSED.search(start)):
        told = _TOLD.search(output[:_END])
        return Refusal(True, told[1].strip() if told else "")
    return Refusal(False) if failed and _NOT_GRANTED.search(start) else None


def stopped_by_hook(output: str) -> bool:
    """Say whether a failed call's output is the word of a hook."""
    return _HOOK.search(output[:_START]) is not None


def never_ran(output: str) -> bool:
    """Say whether a failed call's output says that the tool did not even begin."""
    return _NEVER_RAN.match(output) is not None


def ended(output: str, *, failed: bool, plain: bool = True) -> Ran:
    """Return how a shell command ended. failed: whether the transcript marks the result as an error.

    plain: a result without an error means exit status 0 (not so where the tool forgives some statuses).
    """
    if not failed:
        return Ran(True, 0 if plain else None, output[-_END:])
    found = _EXIT_FIRST.match(output) or _EXIT_LAST.search(output[-_END:])
    return Ran(False, int(found[1]) or None if found else None, output[-_END:])
