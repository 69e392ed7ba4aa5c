"""What was observed: one compact, redacted event."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

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


TEST_TAG = "test"
"""On a `command_run`: a test runner was run."""
TRACE_PAGE_MAX = 1000
_Name = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")]


class SentEvent(TraceEvent):
    """An event to be kept. id: given by the sender, so that sending it again adds nothing.

    ts: ISO 8601; without a zone it is UTC. user: the key's own, when it is left out.
    """

    id: _Name
    ts: datetime
    session_id: _Name
    repo: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    user: _Name | None = None


class TraceBatch(Wire):
    """`POST /traces`: kept together or, when one of them cannot be used, not at all."""

    events: list[SentEvent] = Field(min_length=1, json_schema_extra={"maxItems": TRACE_BATCH_MAX})


class TraceAnswer(Wire):
    """What became of a batch. duplicates: ids that are kept already. redacted: events from which secrets were taken."""

    accepted: int
    duplicates: int
    redacted: int


class TraceList(Wire):
    """One page of events, the latest first; `next` is the cursor of the page after it, if there is one."""

    events: list[TraceEvent]
    next: str | None = None
