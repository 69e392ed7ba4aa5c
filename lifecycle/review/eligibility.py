"""Whether a turn may be reviewed, and whether an account's turns may be at all: one table of named rules, pure.

The rules themselves are fixed; only their numbers (`review.min_tool_calls`, `review.max_ops`) are settings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from wellworn.models.turn import Turn, TurnEnding, TurnOrigin

HUMAN_ORIGINS = frozenset({TurnOrigin.web, TurnOrigin.cli})


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of an account at this moment, read live.

    reviewer: the registered one's name, if there is one. budget: writes that one review may make.
    """

    opted_in: bool
    reviewer: str | None
    needs_model: bool
    has_model: bool
    budget: int


@dataclass(frozen=True, slots=True)
class Exchange:
    """What is known of one turn. proven: its calls that are known to have succeeded; least: so many are needed."""

    origin: TurnOrigin
    ending: TurnEnding
    proven: int
    least: int


class Rule(NamedTuple):
    """A rule by its name; `why` says in words what is the matter when it does not hold."""

    name: str
    why: str


_OPTED_IN: tuple[Rule, Callable[[Standing], bool]] = (
    Rule("opted-in", "The person has not asked for it; `wellworn learning on` does."),
    lambda one: one.opted_in,
)
_OF_ACCOUNT: tuple[tuple[Rule, Callable[[Standing], bool]], ...] = (
    (
        Rule("reviewer", "No reviewer is registered in this process."),
        lambda one: one.reviewer is not None,
    ),
    (
        Rule("budget", "No write is allowed: `review.max_ops`, or what the sender allows, is 0."),
        lambda one: one.budget > 0,
    ),
    (
        Rule("no-model", "The reviewer needs a model, and none is configured; `wellworn settings set model` does."),
        lambda one: one.has_model or not one.needs_model,
    ),
)
_OF_TURN: tuple[tuple[Rule, Callable[[Exchange], bool]], ...] = (
    (
        Rule("origin", "Only what a person began on the web or the command line is reviewed."),
        lambda one: one.origin in HUMAN_ORIGINS,
    ),
    (
        Rule("ending", "Only a completed turn is reviewed; this one failed, was steered or was compacted."),
        lambda one: one.ending is TurnEnding.completed,
    ),
    (
        Rule("min-tool-calls", "It has fewer proven successful calls than `review.min_tool_calls`."),
        lambda one: one.proven >= one.least,
    ),
)


def against_account(standing: Standing) -> Rule | None:
    """Return the first rule that speaks against reviewing any turn of the account, or None."""
    return next((rule for rule, holds in (_OPTED_IN, *_OF_ACCOUNT) if not holds(standing)), None)


def against_turn(standing: Standing, exchange: Exchange) -> Rule | None:
    """Return the first rule that speaks against counting and reviewing this turn, or None: then it is eligible.

    The person's own choice is asked first, then what the turn is, and what stands ready to review it last.
    """
    if not standing.opted_in:
        return _OPTED_IN[0]
    return next((rule for rule, holds in _OF_TURN if not holds(exchange)), None) or against_account(standing)


def proven_calls(turn: Turn) -> int:
    """Return how many calls are known to have succeeded; one of which that is not known proves nothing."""
    return sum(call.success is True for call in turn.calls)


class Counted(NamedTuple):
    """What an eligible turn makes of the account's count. armed: a review is due; the count begins anew then."""

    counted: int
    armed: bool


def count(before: int, proven: int, every: int) -> Counted:
    """Add an eligible turn's proven calls to the count of the account."""
    total = before + proven
    return Counted(0, armed=True) if total >= every else Counted(total, armed=False)


def rules() -> Sequence[Rule]:
    """Return all rules, in the order in which they are asked of a turn."""
    return [_OPTED_IN[0], *(rule for rule, _ in _OF_TURN), *(rule for rule, _ in _OF_ACCOUNT)]
