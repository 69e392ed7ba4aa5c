"""Repairs of a skill's steps, and the versions of a skill."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from wellworn.models.proposal import ScanFinding, SkillChange
from wellworn.models.skill import Scope, SkillStats
from wellworn.models.task import SkillRef
from wellworn.models.wire import Wire

MAX_REPAIRS = 3
REPAIRED_RELIABILITY = 0.6
STEPS_MAX_CHARS = 20_000
Step = Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=r"\S")]


class RepairStatus(StrEnum):
    """superseded: a later proposal, or another change of the skill, stands in its place."""

    proposed = "proposed"
    accepted = "accepted"
    cancelled = "cancelled"
    superseded = "superseded"


class Approval(StrEnum):
    """Who approved the text as it was written."""

    user_approved = "user-approved"
    user_edited = "user-edited"
    auto_repair = "auto-repair"


class AnsweredLesson(Wire):
    """A lesson, and what the new steps do about it; `answeredBy` is null when nothing in them does."""

    lesson_id: str
    lesson: str
    answered_by: str | None = None


class Repair(Wire):
    """New steps for a skill, waiting for a person or decided. Nothing is written before it is accepted.

    diff: unified, of the steps section as it stands against the proposal. by: `steps` (worked out from lessons and
    recoveries), the model's name, or `user` once a person has edited them. expectedHash: of the skill's files that it
    was made from. inGit: they lie in a git work tree.
    """

    id: str
    skill: SkillRef
    status: RepairStatus
    created_at: datetime
    by: str
    old_steps: list[str]
    new_steps: list[str]
    diff: str
    lessons: list[AnsweredLesson] = Field(default_factory=list)
    expected_hash: str | None = None
    in_git: bool = False
    notes: list[str] = Field(default_factory=list)
    approval: Approval | None = None
    decided_at: datetime | None = None
    decided_by: str | None = None


class RepairList(Wire):
    """Repairs, newest first."""

    repairs: list[Repair]


class RepairRequest(Wire):
    """`POST /skills/{ref}/repairs`. Send `{}`.

    headless: nobody is there to look at the difference, whoever asks; of an agent's key that is always taken so.
    """

    headless: bool = False


class RepairEdit(Wire):
    """`POST /repairs/{id}/edit`: the steps as a person wants them; the answer shows the difference again."""

    steps: list[Step] = Field(min_length=1, max_length=100)


class RepairAccept(Wire):
    """`POST /repairs/{id}/accept`. commit: also commit the file where it lies in a git work tree.

    overrides: names of high security findings that the person has looked at and allows.
    """

    commit: bool = False
    overrides: list[Annotated[str, StringConstraints(min_length=1, max_length=500)]] = Field(
        default_factory=list, max_length=50
    )


class RepairAnswer(Wire):
    """What became of a repair. instruction: what the agent is told, `USER DECISION: ...`, once a person has decided."""

    repair: Repair
    instruction: str | None = None
    stats: SkillStats | None = None
    change: SkillChange | None = None
    findings: list[ScanFinding] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)


class SkillVersion(Wire):
    """A skill's files as they were at one time. number: counts from 1. action: how they came to be so."""

    number: int = Field(ge=1)
    ts: datetime
    skill_id: str
    scope: Scope
    hash: str
    action: str
    by: str
    reason: str | None = None
    current: bool = False


class VersionList(Wire):
    """The versions of a skill, newest first."""

    versions: list[SkillVersion]


class VersionDiff(Wire):
    """The unified difference between two versions of a skill's files; `newer` null means the files as they are."""

    older: int
    newer: int | None = None
    diff: str


class RevertRequest(Wire):
    """`POST /skills/{ref}/revert`: put the files back as version `to` had them. expectedHash: of the files now."""

    to: int = Field(ge=1, le=1_000_000_000)
    reason: str | None = Field(default=None, max_length=1000)
    expected_hash: str | None = Field(default=None, max_length=64)
    dry_run: bool = False
    overrides: list[Annotated[str, StringConstraints(min_length=1, max_length=500)]] = Field(
        default_factory=list, max_length=50
    )
