"""What people decide about skills that are there: trust, updates, sessions; and what they are answered."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from wellworn.models.proposal import ScanFinding, SkillChange
from wellworn.models.skill import SkillView, Trust
from wellworn.models.wire import Wire

Phrase = Annotated[str, Field(min_length=1, max_length=500)]
Phrases = Annotated[list[Phrase], Field(max_length=200)]


class TrustRequest(Wire):
    """`POST /skills/{ref}/promote|demote|disable|enable|archive`. to: the level; left out, the next one that way."""

    to: Trust | None = None
    reason: str | None = Field(default=None, max_length=1000)


class TrustAnswer(Wire):
    """What was changed; it counts from now on."""

    skill: SkillView
    change: SkillChange
    notes: list[str] = Field(default_factory=list)


class SkillHistory(Wire):
    """What people decided about a skill, newest first."""

    changes: list[SkillChange]


class UpdateRequest(Wire):
    """`PATCH /skills/{ref}`. What is left out stays.

    from_proposal: the proposal whose additions are made; it is accepted by that. expected_hash: what an earlier answer
    said of the files; when they have changed since, nothing is written. dry_run: only show the difference.
    overrides: names of high security findings that the person has looked at and allows. reset_stats: reliability and
    counts begin anew, as of a new skill. Other steps reset the count of repairs by themselves.
    """

    from_proposal: str | None = Field(default=None, max_length=100)
    add_aliases: Phrases = Field(default_factory=list)
    add_triggers: Phrases = Field(default_factory=list)
    add_examples: Phrases = Field(default_factory=list)
    remove_aliases: Phrases = Field(default_factory=list)
    remove_triggers: Phrases = Field(default_factory=list)
    remove_examples: Phrases = Field(default_factory=list)
    description: str | None = Field(default=None, min_length=1, max_length=4000)
    body: str | None = Field(default=None, max_length=200_000)
    reason: str | None = Field(default=None, max_length=1000)
    expected_hash: str | None = Field(default=None, max_length=64)
    dry_run: bool = False
    reset_stats: bool = False
    overrides: Phrases = Field(default_factory=list)


class UpdateAnswer(Wire):
    """What an update did, or with `dryRun` would do. diff: of the skill's files; hash: of them before the change."""

    skill: SkillView
    changed: bool
    diff: str
    hash: str | None = None
    change: SkillChange | None = None
    findings: list[ScanFinding] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)


class SessionEnd(Wire):
    """What ended with a session: the ids of its skills. Their proposals keep all text and can be accepted again."""

    session_id: str
    skills: list[str] = Field(default_factory=list)
