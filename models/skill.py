"""What a skill is: its manifest, its file, and what happened to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator

from wellworn.models.ids import SkillId
from wellworn.models.wire import FileModel, Wire

FLAG_THRESHOLD = 0.4
_COMPARE_DIGITS = 9


class SkillKind(StrEnum):
    """A skill is text that an agent follows, or a recipe that the forge runs."""

    prompt_skill = "prompt_skill"
    forge_recipe = "forge_recipe"


class Scope(StrEnum):
    """Whose skill it is; on a collision the narrower scope wins (session, then repo, then user)."""

    session = "session"
    repo = "repo"
    user = "user"


SCOPE_ORDER: tuple[Scope, ...] = (Scope.session, Scope.repo, Scope.user)


class Risk(StrEnum):
    """How much harm a wrong run can do."""

    low = "low"
    medium = "medium"
    high = "high"


class Trust(StrEnum):
    """How far a person lets a skill go on its own."""

    draft = "draft"
    suggested = "suggested"
    installed = "installed"
    trusted = "trusted"
    automatic = "automatic"
    disabled = "disabled"
    archived = "archived"


MATCHABLE_TRUST = frozenset({Trust.installed, Trust.trusted, Trust.automatic})


class Provenance(StrEnum):
    """Who wrote the text as it stands; any human edit makes it human."""

    human = "human"
    agent = "agent"


class UtteranceField(StrEnum):
    """Where an utterance came from."""

    name = "name"
    alias = "alias"
    trigger = "trigger"
    example = "example"
    description = "description"
    body = "body"
    learned = "learned"
    negative = "negative"


@dataclass(frozen=True, slots=True)
class Utterance:
    """One short text that stands for a skill in the index (or, for `negative`, against it)."""

    field: UtteranceField
    text: str


class When(FileModel):
    """Facts of the context that must hold. Lists mean "any of"; branches, repos and paths are globs."""

    open_pr: bool | None = None
    review_state: list[str] = Field(default_factory=list)
    ci_state: list[str] = Field(default_factory=list)
    branch: list[str] = Field(default_factory=list)
    repo: list[str] = Field(default_factory=list)
    changed_paths: list[str] = Field(default_factory=list)
    active_goal: list[str] = Field(default_factory=list)

    @field_validator("review_state", "ci_state", "branch", "repo", "changed_paths", "active_goal", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value


class SkillManifest(FileModel):
    """`manifest.yaml`, the sidecar of a SKILL.md. Unknown fields are kept."""

    id: SkillId
    kind: SkillKind = SkillKind.prompt_skill
    scope: Scope = Scope.user
    description: str = ""
    aliases: list[str] = Field(default_factory=list)
    triggers: list[str] = Field(default_factory=list)
    examples: list[str] = Field(default_factory=list)
    negatives: list[str] = Field(default_factory=list)
    when: When | None = None
    risk: Risk = Risk.low
    trust: Trust = Trust.installed
    requires_approval: list[str] = Field(default_factory=list)
    recipe_id: SkillId | None = None
    provenance: Provenance = Provenance.human
    stale_after_days: int | None = Field(default=None, ge=1)


class SkillStats(Wire):
    """What happened to a skill; lives in the database, never in its files."""

    usage_count: int = 0
    last_used_at: datetime | None = None
    last_audited_at: datetime | None = None
    reliability: float = Field(default=1.0, ge=0.0, le=1.0)
    success_count: int = 0
    failure_count: int = 0
    repair_count: int = 0

    @property
    def flagged(self) -> bool:
        """True below 0.4; compared after rounding to 1e-9 because 0.6 - 0.2 < 0.4 in floats."""
        return round(self.reliability, _COMPARE_DIGITS) < FLAG_THRESHOLD


class Severity(StrEnum):
    """Of a diagnostic: an error means that something of the file could not be used."""

    info = "info"
    warning = "warning"
    error = "error"


class Diagnostic(Wire):
    """One thing that was seen while reading a skill's files: where, what, and what it meant for the skill."""

    severity: Severity
    code: str
    message: str
    file: str
    line: int | None = None

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.severity}: {self.message}"


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill as read from its files.

    name: as its author wrote it (any script); `manifest.id` is the validated id.
    owner: session id, user id or repo id, by `manifest.scope`.
    directory: where its SKILL.md lies.
    invocable: False when a safety field could not be read, so that no restriction is ever dropped silently.
    steps: the items of its "Steps" section, in order (empty when it has none).
    """

    manifest: SkillManifest
    name: str
    body: str
    owner: str
    directory: Path
    invocable: bool = True
    allowed_tools: tuple[str, ...] | None = None
    steps: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = field(default=())

    @property
    def id(self) -> str:
        return self.manifest.id

    @property
    def scope(self) -> Scope:
        return self.manifest.scope


@dataclass(frozen=True, slots=True)
class SkillCard:
    """What the resolver needs to know of a skill at every message: small, immutable, held in memory.

    key: the store's row id of the skill, stable for the life of its (scope, owner, id).
    """

    key: int
    id: str
    scope: Scope
    owner: str
    name: str
    description: str
    kind: SkillKind
    risk: Risk
    trust: Trust
    invocable: bool
    vouched: bool
    requires_approval: tuple[str, ...]
    recipe_id: str | None
    when: When | None
    steps: tuple[str, ...]
    stats: SkillStats

    @property
    def matchable(self) -> bool:
        """Disabled, archived, unaccepted and unreadable skills never match."""
        return self.invocable and self.trust in MATCHABLE_TRUST


class SkillView(Wire):
    """A skill as the API and the CLI show it. `manifest` keeps the file's unknown fields.

    lessons: what its failures taught and no repair has answered, the latest first; only where one skill is asked for.
    """

    id: str
    scope: Scope
    owner: str
    name: str
    manifest: SkillManifest
    stats: SkillStats
    flagged: bool
    invocable: bool
    vouched: bool
    location: str
    allowed_tools: list[str] | None = None
    steps: list[str] = Field(default_factory=list)
    shadowed_by: str | None = None
    diagnostics: list[Diagnostic] = Field(default_factory=list)
    utterances: list[dict[str, Any]] | None = None
    body: str | None = None
    lessons: list[str] | None = None


class SkillList(Wire):
    """One page of skills; `nextOffset` is null on the last."""

    skills: list[SkillView]
    total: int
    next_offset: int | None = None
