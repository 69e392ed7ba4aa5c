"""What was observed: one compact, redacted event."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import Field

from wellworn.models.skill import Risk
from wellworn.models.wire import Wire

TRACE_BATCH_MAX = 1000
SUMMARY_MAX = 2000


class TraceKind(StrEnum):
    """The kinds of event that are worth keeping."""

    user_intent = "user_intent"
    command_run = "command_run"
    file_diff = "file_diff"
    test_result = "test_result"
    review_result = "review_result"
    advisor_decision = "advisor_decision"
    forge_step = "forge_step"
    approval_gate = "approval_gate"


CORRECTION_TAG = "correction"
"""On a `user_intent`: the person corrects what was just done ("no, use pnpm")."""


class TraceEvent(Wire):
    """One event. As part of a request's context, `id` and `sessionId` may be left out.

    summary: what happened, in a line; of a `command_run` the command itself, unless `data.command` holds it.
    data: small facts, such as `command`, `exitCode`, `cwd`, `tool`, `file`.
    """

    id: str | None = None
    ts: datetime | None = None
    session_id: str | None = None
    repo: str | None = None
    user: str | None = None
    kind: TraceKind
    summary: str = Field(max_length=SUMMARY_MAX)
    tags: list[str] = Field(default_factory=list, max_length=50)
    success: bool | None = None
    risk: Risk | None = None
    data: dict[str, Any] = Field(default_factory=dict)
