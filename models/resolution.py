"""One question to the resolver and its answer."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from wellworn.models.ids import SkillId
from wellworn.models.skill import Scope
from wellworn.models.trace import TraceEvent
from wellworn.models.wire import Wire

MESSAGE_MAX_CHARS = 200_000
BATCH_MAX = 1000
Name = Annotated[str, StringConstraints(min_length=1, max_length=500)]


class Invocation(StrEnum):
    """ambient: an agent asks about every message; explicit: a person called for a skill."""

    ambient = "ambient"
    explicit = "explicit"


class Decision(StrEnum):
    """What the caller should do."""

    none = "none"
    review = "review"
    choose = "choose"
    confirm = "confirm"
    proceed = "proceed"


class OpenPr(Wire):
    """The open pull request of the current branch. Stating it means that there is one."""

    number: int | None = Field(default=None, ge=1)
    title: str | None = Field(default=None, max_length=1000)
    labels: list[str] = Field(default_factory=list, max_length=100)
    review_state: str | None = Field(default=None, max_length=100)
    ci_state: str | None = Field(default=None, max_length=100)


class Context(Wire):
    """What the agent knows while it asks; every fact is optional. `openPr: false` says that there is none."""

    repo: Name | None = None
    branch: Name | None = None
    open_pr: OpenPr | Literal[False] | None = None
    active_goal: str | None = Field(default=None, max_length=4000)
    recent_traces: list[TraceEvent] = Field(default_factory=list, max_length=200)
    user: Name | None = None
    session_id: Name | None = None
    cwd: Annotated[str, StringConstraints(min_length=1, max_length=4096)] | None = None
    changed_paths: list[Annotated[str, StringConstraints(max_length=4096)]] = Field(
        default_factory=list, max_length=2000
    )
    now: datetime | None = None


class ResolveRequest(Wire):
    """`POST /resolve`: a person's message and its context."""

    message: str = Field(max_length=MESSAGE_MAX_CHARS)
    context: Context = Field(default_factory=Context)
    invocation: Invocation = Invocation.ambient
    top_k: int = Field(default=5, ge=1, le=50)
    explain: bool = False


class ResolveBatch(Wire):
    """`POST /resolve/batch`: many questions at once, answered in order."""

    requests: list[ResolveRequest] = Field(min_length=1, max_length=BATCH_MAX)


class Alternative(Wire):
    """Another skill that could be meant."""

    skill_id: str
    scope: Scope
    confidence: float = Field(ge=0.0, le=1.0)
    reason: str


class FlaggedReport(Wire):
    """Why a matched skill asks for a person's choice first."""

    reliability: float
    success_count: int
    failure_count: int
    recent_failures: list[str] = Field(default_factory=list)
    choices: list[str] = Field(default_factory=lambda: ["proceed", "repair", "skip"])


class Contribution(Wire):
    """One feature of one candidate: its value, the fitted weight, and their product, in log-odds units."""

    feature: str
    value: float
    weight: float
    contribution: float
    detail: str | None = None


class CandidateExplanation(Wire):
    """`score` is the sum of the contributions; the softmax over all scores and `outsideScore` gives the confidences."""

    skill_id: str
    scope: Scope
    confidence: float
    score: float
    contributions: list[Contribution]


class Explanation(Wire):
    """What led to the answer: confidence = softmax over the candidates' scores, `othersScore` and the outside score.

    others: how many more candidates were looked at; othersScore: logarithm of the sum of the exponentials of theirs.
    """

    candidates: list[CandidateExplanation]
    others: int = 0
    others_score: float | None = None
    outside_score: float
    outside_contributions: list[Contribution]
    mood: str
    request_text: str
    facts: list[str]
    parameters: str
    encoder: str


class IntentResolution(Wire):
    """The answer to one message. `alternatives` holds the runners-up, best first; on `none` also the nearest.

    confidence: that the top skill is meant. any_confidence: that any saved skill is, whichever; what is left of 1 is
    the probability that none is.
    """

    resolution_id: str
    matched: bool
    skill_id: SkillId | None = None
    confidence: float = Field(ge=0.0, le=1.0)
    any_confidence: float = Field(default=0.0, ge=0.0, le=1.0)
    scope: Scope | None = None
    decision: Decision
    reason: str
    approval_gates: list[str] = Field(default_factory=list)
    safe_steps: list[str] = Field(default_factory=list)
    alternatives: list[Alternative] = Field(default_factory=list)
    flagged: FlaggedReport | None = None
    notes: list[str] = Field(default_factory=list)
    contributions: Explanation | None = None
    generation: int


class BatchAnswer(Wire):
    """`POST /resolve/batch`: one resolution a request, in the same order."""

    resolutions: list[IntentResolution]


class RecordedResolution(Wire):
    """`GET /resolutions/{id}`: what was asked (redacted) and what was answered."""

    resolution_id: str
    ts: datetime
    message: str
    user: str | None = None
    repo: str | None = None
    session_id: str | None = None
    resolution: IntentResolution


class Verdict(StrEnum):
    """What a person says of a resolution."""

    right = "right"
    wrong = "wrong"
    should_be = "should_be"


class FeedbackRequest(Wire):
    """`POST /feedback`. `skillId` names the skill that was meant; with `should_be`, null means "none of them"."""

    resolution_id: str = Field(min_length=1, max_length=64)
    verdict: Verdict
    skill_id: SkillId | None = None
    note: str | None = Field(default=None, max_length=1000)


class TaughtUtterance(Wire):
    """What one feedback taught: inspectable and removable by its id. keyId: whose verdict it was; null: the local
    person's."""

    id: str
    skill_id: str
    scope: Scope
    field: str
    text: str
    key_id: str | None = None
    taught_at: datetime | None = None


class FeedbackAnswer(Wire):
    """What was recorded, and what was learned from it."""

    feedback_id: str
    taught: list[TaughtUtterance] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)
