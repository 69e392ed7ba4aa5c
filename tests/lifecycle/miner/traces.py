"""Traces for tests of the miner: sessions written as lists of short lines."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from wellworn.lifecycle.miner.digest import digest_events
from wellworn.lifecycle.miner.mine import Mined, mine
from wellworn.lifecycle.miner.patterns import Pattern
from wellworn.lifecycle.miner.timeline import Timeline, timeline
from wellworn.models.proposal import Signal
from wellworn.models.trace import TraceKind

START = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
_KINDS = {
    "user": TraceKind.user_intent,
    "edit": TraceKind.file_diff,
    "test": TraceKind.test_result,
    "review": TraceKind.review_result,
    "advice": TraceKind.advisor_decision,
    "gate": TraceKind.approval_gate,
}


@dataclass(frozen=True)
class Event:
    """A stored event as the digest reads it."""

    seq: int
    ts: datetime
    session_id: str
    kind: TraceKind
    summary: str
    success: bool | None = None
    repo: str | None = "github.com/acme/shop"
    tags: Sequence[str] = ()
    data: dict[str, Any] = field(default_factory=dict)


def events(sessions: Iterable[Sequence[str]], *, repo: str | None = "github.com/acme/shop") -> list[Event]:
    """Each session a day later; a line is a command, or `user: text`, `edit: file`, `review: text`, ...

    A command or review that begins with `! ` failed; ` # error: text` behind it tells why. `pause`: twenty minutes.
    """
    found: list[Event] = []
    for number, lines in enumerate(sessions):
        minutes = count()
        for line in lines:
            minute = next(minutes)
            if line == "pause":
                minutes = count(minute + 20)
                continue
            label, _, rest = line.partition(": ")
            kind = _KINDS.get(label, TraceKind.command_run)
            text = rest if label in _KINDS else line
            failed = text.startswith("! ")
            text, _, error = text.removeprefix("! ").partition(" # error: ")
            success = None if kind in (TraceKind.user_intent, TraceKind.advisor_decision) else not failed
            at = START + timedelta(days=number, minutes=minute)
            data = {"error": error} if error else {}
            found.append(Event(len(found) + 1, at, f"s{number}", kind, text, success, repo, data=data))
    return found


def seen(sessions: Iterable[Sequence[str]]) -> Timeline:
    return timeline(digest_events(events(sessions)))


def mined(sessions: Iterable[Sequence[str]]) -> Mined:
    return mine(seen(sessions))


def found(sessions: Iterable[Sequence[str]], signal: Signal) -> list[Pattern]:
    """The patterns of one kind."""
    return [one for one in mined(sessions).patterns if one.signal is signal]


def everyday(sessions: int, length: int = 40, seed: int = 1) -> list[list[str]]:
    """Work without any ritual: common commands in random order, some more often than others."""
    dice = random.Random(seed)
    common = ["git add .", "git commit -m wip", "git push", "pytest -q", "ruff check", "npm run build", "docker ps"]
    common += ["python tool.py", "make docs", "cargo build", "git pull", "mypy .", "npm run lint", "curl http://x.test"]
    weights = [1 / (place + 1) for place in range(len(common))]
    return [
        [
            dice.choices(common, weights)[0] if dice.random() < 0.8 else f"edit: f{dice.randrange(20)}.py"
            for _ in range(length)
        ]
        for _ in range(sessions)
    ]
