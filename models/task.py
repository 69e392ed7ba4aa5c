"""A piece of work that an agent reports: what it was for, its steps, how it ended, and what was learned from it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from wellworn.models.resolution import Context, Decision, FlaggedReport, IntentResolution
from wellworn.models.skill import Scope, SkillStats
from wellworn.models.wire import Wire

OBJECTIVE_MAX = 4000
STEP_MAX = 4000
EVIDENCE_MAX = 4000
ANALYSIS_MAX = 500
LESSON_MAX = 200
NO_SKILL = "none"
"""What stands for no skill at the end of a task; a skill of that name is `none@user`."""
_Text = Annotated[str, StringConstraints(min_length=1, max_length=STEP_MAX, pattern=r"\S")]


class Outcome(StrEnum):
    """How a task ended. A partial one counts as a failure, at a quarter of its weight."""

    success = "success"
    failure = "failure"
    partial = "partial"


class TaskStatus(StrEnum):
    """active: steps and an end are still to come."""

    active = "active"
    ended = "ended"


class FlagChoice(StrEnum):
    """What a person may decide about a flagged skill that was matched."""

    proceed = "proceed"
    repair = "repair"
    skip = "skip"


class SkillRef(Wire):
    """A skill by its id and scope."""

    id: str
    scope: Scope

    def __str__(self) -> str:
        return f"{self.id}@{self.scope}"


class TaskStep(Wire):
    """One step that was taken. success: of its exit code, where that is known."""

    number: int = Field(ge=1)
    ts: datetime
    command: str
    exit_code: int | None = None
    summary: str | None = None
    success: bool | None = None


class Reflection(Wire):
    """What one non-success teaches: the longer thought, and the one sentence that is kept as a lesson.

    by: `steps` (worked out from the recorded steps), `raw` (the reason as it was given), or the model's name.
    problem: why a configured model did not do it, when one should have.
    """

    analysis: str = Field(max_length=ANALYSIS_MAX)
    lesson: str = Field(max_length=LESSON_MAX)
    by: str
    problem: str | None = None


class Lesson(Wire):
    """A lesson of a skill. repairId: the repair that answered it; it counts no more then. blamed: whether it counts
    against the skill (a failure of the environment does not)."""

    id: str
    ts: datetime
    lesson: str
    analysis: str
    outcome: Outcome
    by: str
    task_id: str | None = None
    repair_id: str | None = None


class Choice(Wire):
    """What a person decided about a flagged match. instruction: the line that tells the agent, `USER DECISION: ...`."""

    choice: FlagChoice
    skill: SkillRef
    by: str
    ts: datetime
    note: str | None = None
    instruction: str


class Task(Wire):
    """One task. skill, decision: what its objective was resolved to; usedSkill: the skill that its outcome counts for.

    attempt: 1, and one more each time that the same objective is begun again. cause: of a failure that blames nobody.
    """

    id: str
    objective: str
    status: TaskStatus
    attempt: int = Field(ge=1)
    created_at: datetime
    user: str
    repo: str | None = None
    session_id: str | None = None
    resolution_id: str | None = None
    skill: SkillRef | None = None
    decision: Decision | None = None
    choice: Choice | None = None
    steps: list[TaskStep] = Field(default_factory=list)
    step_count: int = 0
    ended_at: datetime | None = None
    outcome: Outcome | None = None
    used_skill: SkillRef | None = None
    reason: str | None = None
    evidence: str | None = None
    cause: str | None = None
    reflection: Reflection | None = None


class TaskList(Wire):
    """One page of tasks, newest first; `nextOffset` is null on the last."""

    tasks: list[Task]
    total: int
    next_offset: int | None = None


class BeginRequest(Wire):
    """`POST /tasks`: what is to be done, in the user's words."""

    objective: Annotated[str, StringConstraints(min_length=1, max_length=OBJECTIVE_MAX, pattern=r"\S")]
    context: Context = Field(default_factory=Context)


class BeginAnswer(Wire):
    """instruction: what the agent should do now, in words that it can follow. resumed: it was active already.

    lessons: what earlier attempts at the same objective taught, the latest first.
    """

    task_id: str
    attempt: int
    resumed: bool
    instruction: str
    resolution: IntentResolution
    lessons: list[str] = Field(default_factory=list)
    choice: Choice | None = None


class StepRequest(Wire):
    """`POST /tasks/{id}/steps`."""

    command: _Text
    exit_code: int | None = Field(default=None, ge=-(2**31), lt=2**32)
    summary: str | None = Field(default=None, max_length=STEP_MAX)


class EndRequest(Wire):
    """`POST /tasks/{id}/end`. evidence: what shows the outcome (an exit code, a test result, the user's word)."""

    outcome: Outcome
    skill: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="`id` or `id@scope` of the one that was used, `none` if none was. Left out: the match, if any.",
    )
    reason: str | None = Field(default=None, max_length=STEP_MAX)
    evidence: str | None = Field(default=None, max_length=EVIDENCE_MAX)


class EndAnswer(Wire):
    """What the end changed. stats: of the skill afterwards; flagged: set when it needs a person's choice by now."""

    task: Task
    reflection: Reflection | None = None
    skill: SkillRef | None = None
    stats: SkillStats | None = None
    flagged: FlaggedReport | None = None
    notes: list[str] = Field(default_factory=list)


class ChoiceRequest(Wire):
    """`POST /resolutions/{id}/choice` and `POST /tasks/{id}/choice`: a person's answer to a flagged match."""

    choice: FlagChoice
    note: str | None = Field(default=None, max_length=1000)


class LearnRequest(Wire):
    """`POST /tasks/{id}/learn`. Send `{}`."""
