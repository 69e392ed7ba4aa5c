"""What the index says of itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReindexProgress:
    """Where a reindex stands. stage: `files`, `embed` or `build`; `done` of `total` files, texts or partitions."""

    stage: str
    done: int
    total: int
    note: str = ""


Progress = Callable[[ReindexProgress], None]


def no_progress(_: ReindexProgress) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """What a reindex did. skills, utterances: how many are indexed; embedded + reused: their distinct texts.

    skipped: (path or id, why) of every skill that cannot be matched, or of files that could not be read whole.
    """

    skills: int
    utterances: int
    embedded: int
    reused: int
    skipped: tuple[tuple[str, str], ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """The state of the index. pending: skills that still lack vectors; problems: sentences for people.

    skills: effective ones; matchable: those that may answer; vectors: rows in memory (utterances, negatives included).
    healthy: False when skills that should match have no vectors at all.
    """

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
    problems: tuple[str, ...]
    reindexing: bool
    last_reindex: ReindexReport | None
