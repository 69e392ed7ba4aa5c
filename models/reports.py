"""What long or administrative operations answer with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import Field

from wellworn.models.skill import Scope
from wellworn.models.wire import Wire


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage of long work is; `total` is 0 while unknown."""

    stage: str
    done: int
    total: int = 0
    note: str = ""


ShowProgress = Callable[[Progress], None]


def no_progress(_: Progress) -> None:
    """For callers that show none."""


class Skipped(Wire):
    """A file or folder that could not be used, and why."""

    path: str
    why: str


class ReindexReport(Wire):
    """What a reindex did. embedded + reused = vectors in use; seconds are wall time."""

    generation: int
    skills: int
    utterances: int
    embedded: int
    reused: int
    seconds: float
    skipped: list[Skipped] = Field(default_factory=list)


class IndexView(Wire):
    """`GET /admin/index`: the index as it serves. pending: skills that still lack vectors."""

    generation: int
    encoder: str
    fingerprint: str
    partitions: int
    skills: int
    matchable: int
    vectors: int
    segments: int
    pending: int
    healthy: bool
    problems: list[str]
    reindexing: bool
    last_reindex: ReindexReport | None = None


class BlockedSkill(Wire):
    """A skill that was left out of an import, and the names of the security findings that nobody has allowed."""

    id: str
    findings: list[str]


class ImportReport(Wire):
    """What an import wrote, and where; blocked: what was left out of it."""

    folder: str
    added: int
    replaced: int
    unchanged: int
    blocked: list[BlockedSkill] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)


class SourceView(Wire):
    """A folder that skills are read from."""

    id: str
    path: str
    scope: Scope
    owner: str
    vouched: bool
    kind: str
    skills: int


class Health(Wire):
    """`GET /healthz`: alive, and whether anything is wrong that a person should look at."""

    status: str
    version: str
    problems: list[str] = Field(default_factory=list)
    skills: int = 0
    vectors: int = 0
    generation: int = 0
    encoder: str = ""


class CalibrationReport(Wire):
    """What `calibrate` fitted: on how many labelled messages, and the held-out log loss (nats) before and after.

    Losses and errors are null when nothing was fitted.
    """

    messages: int
    held_out: int
    log_loss_before: float | None = None
    log_loss_after: float | None = None
    ece_before: float | None = None
    ece_after: float | None = None
    kept: bool
    path: str | None = None
    note: str
