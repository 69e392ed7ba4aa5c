"""What a detector returns: a repeated pattern with the places where it was seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from wellworn.lifecycle.miner.digest import moment
from wellworn.models.proposal import Signal


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One time that the pattern was walked.

    session, repo: their names. rows: places in the timeline of what belongs to it, in order. steps: for each of the
    pattern's steps the place of its row, or -1 where it was left out. success: whether it ended well; None: not known.
    """

    session: str
    repo: str | None
    started: int
    ended: int
    rows: tuple[int, ...]
    steps: tuple[int, ...]
    success: bool | None


@dataclass(frozen=True, slots=True)
class Pattern:
    """A repeated pattern.

    keys: its steps' keys in order (for a correction its rule, for a warning first its words). cause: what set it off:
    the failing step, the warning, the reviewer. began: how often it was begun, whether it was finished or not.
    order: 0..1, how much its occurrences agree on the order of the steps.
    """

    signal: Signal
    keys: tuple[str, ...]
    occurrences: tuple[Occurrence, ...]
    began: int
    order: float = 1.0
    cause: str | None = None

    @property
    def support(self) -> int:
        return len(self.occurrences)

    @property
    def sessions(self) -> int:
        return len({one.session for one in self.occurrences})

    @property
    def days(self) -> int:
        return len({moment(one.started).date() for one in self.occurrences})

    @property
    def success_rate(self) -> float | None:
        """Share of the occurrences that ended well among those of which it is known; None when it is of none."""
        return success_rate(self.occurrences)

    @property
    def consistency(self) -> float:
        """Share of the times that it was begun in which it was also finished."""
        return min(1.0, self.support / self.began) if self.began else 1.0

    @property
    def last(self) -> datetime:
        return moment(max(one.ended for one in self.occurrences))


def success_rate(occurrences: Sequence[Occurrence]) -> float | None:
    """See `Pattern.success_rate`."""
    known = [one.success for one in occurrences if one.success is not None]
    return sum(known) / len(known) if known else None


MIN_SUPPORT = 3
MIN_SESSIONS = 2


def is_repeated(occurrences: Sequence[Occurrence]) -> bool:
    """Say whether it was seen often enough, and not in one session alone."""
    return len(occurrences) >= MIN_SUPPORT and len({one.session for one in occurrences}) >= MIN_SESSIONS
