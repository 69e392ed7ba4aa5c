"""What the miner found and proposes, and what a person may decide about it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from wellworn.models.ids import SkillId
from wellworn.models.recipe import ForgeRecipe
from wellworn.models.skill import Risk, Scope, SkillManifest, SkillView
from wellworn.models.wire import Wire


class CandidateKind(StrEnum):
    """What a pattern deserves to become; not every one deserves a skill."""

    skill = "skill"
    forge_recipe = "forge_recipe"
    doc = "doc"
    ignore = "ignore"


class Signal(StrEnum):
    """The kinds of repeated friction that are looked for, one detector each; and work that a person wants kept.

    finished_task: one task or turn that went well; it need not have been repeated, since somebody asked for it.
    """

    command_sequence = "command_sequence"
    release_ritual = "release_ritual"
    review_loop = "review_loop"
    failure_recovery = "failure_recovery"
    repeated_correction = "repeated_correction"
    advisor_warning = "advisor_warning"
    manual_checklist = "manual_checklist"
    finished_task = "finished_task"


class PatternCandidate(Wire):
    """One repeated pattern, judged. confidence: see `lifecycle.miner.confidence`; 0..1."""

    id: str
    title: str
    kind: CandidateKind
    confidence: float = Field(ge=0.0, le=1.0)
    evidence_event_ids: list[str]
    repeated_signals: list[str]
    friction_removed: str
    suggested_scope: Scope
    risk: Risk
    reason: str
    signal: Signal
    steps: list[str] = Field(default_factory=list)
    occurrences: int = 0
    sessions: int = 0
    days: int = 0
    success_rate: float | None = None


class ProposalStatus(StrEnum):
    """draft: made, but the gate's questions are not all answered. superseded: a later proposal stands in its place."""

    draft = "draft"
    suggested = "suggested"
    accepted = "accepted"
    rejected = "rejected"
    superseded = "superseded"


class SimilarSkill(Wire):
    """An installed skill that the proposal resembles. likeness: 0..1, why says by what."""

    skill_id: SkillId
    scope: Scope
    likeness: float = Field(ge=0.0, le=1.0)
    why: str


class QualityGate(Wire):
    """The six answers that every proposal must give, in the order of the questions; an empty one is no answer."""

    evidence: str = Field(description="What repeated trace evidence caused this proposal?")
    friction: str = Field(description="What friction does it remove?")
    similar: str = Field(description="What existing skill or recipe is it similar to?")
    scope: str = Field(description="Should it be session, user or repo scoped?")
    without_approval: str = Field(description="What may run without approval?")
    requires_approval: str = Field(description="What must always require approval?")

    def unanswered(self) -> list[str]:
        """Return the questions without an answer."""
        return [
            field.description or name
            for name, field in type(self).model_fields.items()
            if not str(getattr(self, name)).strip()
        ]


class SkillAdditions(Wire):
    """What an update would add to a skill that is there already."""

    aliases: list[str] = Field(default_factory=list)
    triggers: list[str] = Field(default_factory=list)
    examples: list[str] = Field(default_factory=list)
    steps: list[str] = Field(default_factory=list)
    requires_approval: list[str] = Field(default_factory=list)


class Proposal(Wire):
    """A skill, or an update of one, that waits for a person. Nothing of it is installed before it is accepted.

    repo, session_id: where the evidence comes from, when it is one repository or one session. body: the text of the
    SKILL.md to be written. updates: the skill (`id@scope`) that `additions` would extend; then nothing new is written.
    """

    id: str
    candidate_id: str
    candidate: PatternCandidate
    status: ProposalStatus
    manifest: SkillManifest
    body: str = ""
    recipe: ForgeRecipe | None = None
    gate: QualityGate
    similar_to: list[SimilarSkill] = Field(default_factory=list)
    updates: str | None = None
    additions: SkillAdditions | None = None
    repo: str | None = None
    session_id: str | None = None
    created_at: datetime
    decided_at: datetime | None = None
    decided_by: str | None = None
    decision_reason: str | None = None
    notes: list[str] = Field(default_factory=list)


class ProposalList(Wire):
    """One page of proposals, newest first; `nextOffset` is null on the last."""

    proposals: list[Proposal]
    total: int
    next_offset: int | None = None


class SuggestRequest(Wire):
    """`POST /suggest`: look for repeated friction in the caller's traces; since and repo narrow what is looked at.

    sessionId: tell only what was also done in that session. user: an admin may look at another's traces.
    """

    since: datetime | None = None
    session_id: str | None = Field(default=None, max_length=500)
    user: str | None = Field(default=None, max_length=200)
    repo: str | None = Field(default=None, max_length=500)


class RefusedCandidate(Wire):
    """A candidate that became no proposal, and the questions that it could not answer."""

    candidate: PatternCandidate
    unanswered: list[str]


class SuggestAnswer(Wire):
    """What was found. proposals: those that wait for a decision; docs: worth writing down, without steps to follow;
    ignored: repeated, but not worth a skill, each with its reason; refused: could not answer the quality gate."""

    proposals: list[Proposal] = Field(default_factory=list)
    docs: list[PatternCandidate] = Field(default_factory=list)
    ignored: list[PatternCandidate] = Field(default_factory=list)
    refused: list[RefusedCandidate] = Field(default_factory=list)
    events: int = 0
    new_events: int = 0
    sessions: int = 0
    notes: list[str] = Field(default_factory=list)


class AcceptRequest(Wire):
    """`POST /proposals/{id}/accept`. What is left out stays as proposed.

    confirm: the skill's id again; needed for repo scope. repo: the repository (id, origin or folder) to write to.
    description, aliases, triggers, examples, body, recipe: the person's edits; of an update, aliases, triggers,
    examples and steps are what it adds. overrides: names of high security findings that the person has looked at and
    allows.
    """

    id: SkillId | None = None
    scope: Scope | None = None
    confirm: str | None = Field(default=None, max_length=200)
    repo: str | None = Field(default=None, max_length=4096)
    session_id: str | None = Field(default=None, max_length=500)
    description: str | None = Field(default=None, max_length=4000)
    aliases: list[str] | None = Field(default=None, max_length=100)
    triggers: list[str] | None = Field(default=None, max_length=100)
    examples: list[str] | None = Field(default=None, max_length=200)
    steps: list[str] | None = Field(default=None, max_length=100)
    body: str | None = Field(default=None, max_length=200_000)
    recipe: ForgeRecipe | None = None
    overrides: list[str] = Field(default_factory=list, max_length=50)


class RejectRequest(Wire):
    """`POST /proposals/{id}/reject`."""

    reason: str | None = Field(default=None, max_length=1000)


class ScanFinding(Wire):
    """Something in a skill's text that could harm who follows it. name: what a person must name to allow it."""

    name: str
    severity: Risk
    message: str
    where: str
    line: int | None = None
    excerpt: str = ""


class AcceptAnswer(Wire):
    """What was written. The skill resolves from now on."""

    proposal: Proposal
    skill: SkillView
    files: list[str]
    findings: list[ScanFinding] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)


class SkillChange(Wire):
    """One entry of a skill's history. by: a key's id, `local` for the person at this machine, `wellworn` for itself."""

    id: str
    ts: datetime
    skill_id: str
    scope: Scope
    action: str
    from_trust: str | None = None
    to_trust: str | None = None
    by: str
    reason: str | None = None
    evidence: str | None = None
    proposal_id: str | None = None
    before_hash: str | None = None
    after_hash: str | None = None
