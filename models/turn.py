"""An agent's completed turn, offered for review, and what the account of its person has allowed."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from wellworn.models.wire import Wire

CALLS_MAX = 500
_Name = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")]
_Id = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f/?#]+$")]


class TurnOrigin(StrEnum):
    """Where a turn came from. Only a person's own (web, cli) is ever reviewed."""

    web = "web"
    cli = "cli"
    channel = "channel"
    internal = "internal"
    automated = "automated"


class TurnEnding(StrEnum):
    """How a turn ended. Only a completed one is ever reviewed."""

    completed = "completed"
    failed = "failed"
    steered = "steered"
    compacted = "compacted"


class ToolCall(Wire):
    """One call of a tool in the turn. success: proven by its exit code or result; null: not known.

    input: small facts of it, such as `command`.
    """

    tool: _Name
    summary: str = Field(default="", max_length=2000)
    command: str | None = Field(default=None, max_length=4000)
    success: bool | None = None
    error: str | None = Field(default=None, max_length=2000)


class Turn(Wire):
    """`POST /turns`: one exchange. id: given by the sender, so that sending it again adds nothing.

    budget: the most writes that the sender allows (never more than `review.max_ops`).
    """

    id: _Id
    origin: TurnOrigin
    ending: TurnEnding
    message: str = Field(default="", max_length=20_000)
    answer: str = Field(default="", max_length=50_000)
    calls: list[ToolCall] = Field(default_factory=list, max_length=CALLS_MAX)
    session_id: _Name | None = None
    repo: Annotated[str, StringConstraints(min_length=1, max_length=500)] | None = None
    user: _Name | None = None
    ts: datetime | None = None
    budget: int | None = Field(default=None, ge=0, le=100)


class TurnAnswer(Wire):
    """Told at once; the review runs behind it. eligible: whether it counts; armed: whether a review was begun.

    rule: the rule that speaks against it, when one does. counted: proven calls counted for the account so far, since
    its last review.
    """

    id: str
    eligible: bool
    armed: bool
    rule: str | None = None
    proven_calls: int = 0
    counted: int = 0


class TurnReview(Wire):
    """What became of a review. status: running, done, refused (by the fresh authorisation), late, failed."""

    turn_id: str
    status: str
    reviewer: str
    started_at: datetime
    ended_at: datetime | None = None
    operations: int = 0
    proposals: list[str] = Field(default_factory=list)
    problem: str | None = None


class TurnView(Wire):
    """`GET /turns/{id}`: what was answered to a turn, and its review, where one was begun."""

    answer: TurnAnswer
    review: TurnReview | None = None


class AccountLearning(Wire):
    """`GET /accounts/{id}/learning`. rule: the one that says no, when it is not available; why: in words.

    optedIn: reviews at all. direct: writes user-scope skills (never above installed) instead of proposals.
    """

    account: str
    available: bool
    rule: str | None = None
    why: str
    opted_in: bool = False
    direct: bool = False
    counted: int = 0
    every_tool_calls: int
    min_tool_calls: int
    max_ops: int
    reviewer: str | None = None
    last_review: TurnReview | None = None


class AccountChange(Wire):
    """`PATCH /accounts/{id}/learning`: a person's own choice."""

    opted_in: bool | None = None
    direct: bool | None = None


class Spend(Wire):
    """What a model cost: requests and tokens by account, origin (`task`, `repair`, `review`, `learn`) and model."""

    account: str
    origin: str
    model: str
    requests: int
    failed: int
    input_tokens: int
    output_tokens: int


class UsageReport(Wire):
    """`GET /usage`, `wellworn usage`."""

    since: datetime | None = None
    spend: list[Spend]
