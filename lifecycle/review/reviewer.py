"""The seam of post-turn review: what a reviewer is given, and the only ways in which it can do anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from wellworn.lifecycle.adviser import Adviser
from wellworn.lifecycle.proposing.drafting import Draft
from wellworn.lifecycle.proposing.similar import InstalledSkill, Resolve
from wellworn.models.turn import Turn


class ReviewStopped(Exception):
    """The review may do nothing more: its deadline has passed, its permission is gone or its budget is used up."""


class Cancel(Protocol):
    """Tells a reviewer how long it may go on."""

    @property
    def is_set(self) -> bool:
        """True once nothing that is done counts any more."""
        ...

    def remaining(self) -> float:
        """Return the seconds until the deadline; 0 when it has passed."""
        ...


@dataclass(frozen=True, slots=True)
class ReviewTask:
    """One turn to review, in a scope of its own: nothing in it leads back to the turn that it came from.

    turn: redacted, and still untrusted. installed, resolve: what a draft is compared with. budget: writes that are
    allowed. authorise: raises ReviewStopped when the review may not go on; ask it before spending anything.
    write: keeps a draft (as a proposal, or as the account's own skill where that is allowed) and returns its id;
    it asks `authorise` itself.
    """

    account: str
    turn: Turn
    budget: int
    installed: Sequence[InstalledSkill]
    resolve: Resolve
    adviser: Adviser | None
    cancel: Cancel
    authorise: Callable[[], None]
    write: Callable[[Draft], str]


class Reviewer(Protocol):
    """Whoever learns from turns. One of them is registered in a process.

    needs_model: without a configured model its reviews do not take place.
    """

    @property
    def name(self) -> str: ...
    @property
    def needs_model(self) -> bool: ...

    def review(self, task: ReviewTask) -> None:
        """Look at the turn and write what is worth it. What it raises ends this review, and nothing else."""
        ...
