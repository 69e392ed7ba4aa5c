"""What was observed: one compact, redacted event."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import Field

from wellworn.models.skill import Risk
from wellworn.models.wire import Wire


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


class TraceEvent(Wire):
    """One event. As part of a request's context, `id` and `sessionId` may be left out."""

    id: str | None = None
    ts: datetime | None = None
    session_id: str | None = None
    repo: str | None = None
    user: str | None = None
    kind: TraceKind
    summary: str = Field(max_length=2000)
    tags: list[str] = Field(default_factory=list, max_length=50)
    success: bool | None = None
    risk: Risk | None = None
    data: dict[str, Any] = Field(default_factory=dict)
