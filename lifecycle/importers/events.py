"""The events that importers make: ids that stay the same, times that are checked, texts that are cut."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from wellworn.lifecycle.recognise import test_outcome, test_runner
from wellworn.models.trace import SUMMARY_MAX, TraceEvent, TraceKind

COMMAND_MAX = 8000
ERROR_MAX = 200
ID_MAX = 200
PATH_MAX = 1000
ADVICE_MAX = 500
_CUT_BACK = 200
_AHEAD = timedelta(minutes=5)
"""Clocks differ; what lies further in the future is not kept by the service either."""
_EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
_MILLISECONDS = 100_000_000_000
"""A number of seconds above this (the year 5138) is one of milliseconds."""
_REVIEW = re.compile(
    r"\bgh pr (view|review|checks|diff)\b|\bgh api\b.*/(comments|reviews)\b|\b(codex|coderabbit|cr) review\b"
)
_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_NOTHING_SAID = re.compile(r"[\W_]*|\s*</?\w+>\s*|\s*(?:Error: )?Exit code \d+\s*|Command exited with code \d+")
_ERROR = re.compile(
    r"error|fail|fatal|cannot|denied|no such|not found|exception|unable|invalid|refused|timed out", re.I
)
_TAIL = 4000


@dataclass(frozen=True, slots=True)
class Place:
    """What the events of one session share. cwd: the folder as the record names it, or None."""

    format: str
    session: str
    repo: str | None = None
    cwd: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stamp:
    """Where and when something happened. key: what tells the record apart from all others of its format."""

    place: Place
    key: tuple[object, ...]
    ts: datetime


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended. ok, code (its exit status): None when unknown; output: its end, to be judged."""

    ok: bool | None = None
    code: int | None = None
    output: str = ""


UNKNOWN = Ran()


def event_id(source_format: str, *parts: object) -> str:
    """Return an id that the same record always gets: the format and 32 hexadecimal digits of a hash."""
    joined = "\0".join(str(part) for part in parts)
    return f"{source_format}-{sha256(joined.encode('utf-8', 'replace')).hexdigest()[:32]}"


def read_time(value: object, now: datetime) -> tuple[datetime | None, str]:
    """Return the time (UTC) that an ISO 8601 text or a number of (milli)seconds names, or None and why not."""
    moment = _moment(value)
    if moment is None:
        return None, "the time is missing" if value is None else "the time cannot be read"
    if moment > now + _AHEAD:
        return None, "the time is in the future"
    if moment < _EARLIEST:
        return None, "the time is before 1990"
    return moment, ""


def _moment(value: object) -> datetime | None:
    try:
        if isinstance(value, str) and value:
            moment = datetime.fromisoformat(value)
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if value > _MILLISECONDS else value, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def clean(text: str) -> str:
    """Return `text` without colours and control characters; what cannot be stored as UTF-8 is replaced."""
    text = _CONTROLS.sub("", _ANSI.sub("", text)).replace("\r\n", "\n").replace("\r", "\n")
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def cut(text: str, limit: int) -> str:
    """Return at most `limit` characters of `text`, ending between words where that costs little.

    A secret that was cut in two would no longer be recognised, so a word is left whole or left out.
    """
    text = clean(text[: limit * 2 + _CUT_BACK]).strip()
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    space = max(head.rfind(" "), head.rfind("\n"))
    return (head[:space] if space > 0 and space >= len(head) - _CUT_BACK else head).rstrip() + "…"


def error_line(text: str) -> str:
    """Return the last line of `text` that tells of an error, else its last that says something, cut; or nothing."""
    lines = [line for line in clean(text[-_TAIL:]).splitlines() if not _NOTHING_SAID.fullmatch(line)]
    told = [line for line in lines if _ERROR.search(line)] or lines
    return cut(told[-1], ERROR_MAX) if told else ""


def user_intent(at: Stamp, text: str, *tags: str) -> TraceEvent:
    """Return what a person asked for."""
    return _event(at, TraceKind.user_intent, cut(text, SUMMARY_MAX), tags)


def command_run(at: Stamp, command: str, ran: Ran = UNKNOWN, *tags: str) -> TraceEvent:
    """Return a command that was run; with a test runner in it, a test result.

    Behind a pipe a failed test run ends well, so what its output says counts more than the exit status.
    """
    kept = cut(command, COMMAND_MAX)
    runner = test_runner(kept)
    ok = ran.ok
    data: dict[str, Any] = {"command": kept}
    if runner is not None:
        data["runner"] = runner
        said = test_outcome(ran.output)
        ok = said if said is not None and ok is not False else ok
    if ran.code is not None:
        data["exitCode"] = ran.code
    if _REVIEW.search(kept):
        tags = (*tags, "review")
    kind = TraceKind.command_run if runner is None else TraceKind.test_result
    return _event(at, kind, cut(kept, SUMMARY_MAX), tags, success=ok, data=data | _error(ok, ran.output))


def file_diff(at: Stamp, tool: str, file: str, ran: Ran = UNKNOWN, *tags: str) -> TraceEvent:
    """Return that a file was changed; its content is not kept."""
    data = {"tool": cut(tool, ID_MAX), "file": cut(file, PATH_MAX)}
    summary = cut(f"{tool} {file}", PATH_MAX)
    return _event(at, TraceKind.file_diff, summary, tags, success=ran.ok, data=data | _error(ran.ok, ran.output))


def gate(at: Stamp, tool: str, summary: str, *tags: str, passed: bool | None) -> TraceEvent:
    """Return that a person was asked. passed: whether they agreed; None when they answered something else."""
    data = {"tool": cut(tool, ID_MAX)}
    return _event(at, TraceKind.approval_gate, cut(summary, SUMMARY_MAX), tags, success=passed, data=data)


def advisor(at: Stamp, tool: str, summary: str) -> TraceEvent:
    """Return that a hook or another watcher stopped a tool."""
    data = {"tool": cut(tool, ID_MAX)}
    return _event(at, TraceKind.advisor_decision, cut(summary, ADVICE_MAX), (), success=False, data=data)


def _error(ok: bool | None, output: str) -> dict[str, Any]:
    line = error_line(output) if ok is False else ""
    return {"error": line} if line else {}


def _event(
    at: Stamp,
    kind: TraceKind,
    summary: str,
    tags: tuple[str, ...],
    *,
    success: bool | None = None,
    data: dict[str, Any] | None = None,
) -> TraceEvent:
    place = at.place
    cwd = {"cwd": cut(place.cwd, PATH_MAX)} if place.cwd else {}
    return TraceEvent(
        id=event_id(place.format, *at.key),
        ts=at.ts,
        session_id=cut(place.session, ID_MAX) or "unnamed",
        repo=place.repo,
        kind=kind,
        summary=summary,
        tags=list(dict.fromkeys((*place.tags, *tags))),
        success=success,
        data={**(data or {}), **cwd},
    )
