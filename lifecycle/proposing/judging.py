"""What a pattern deserves: a recipe, a skill, a note, or nothing; each with the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from wellworn.lifecycle.miner.confidence import SUGGESTED
from wellworn.lifecycle.miner.patterns import Pattern
from wellworn.lifecycle.miner.rituals import is_habit, is_release
from wellworn.lifecycle.miner.sequences import MIN_STEPS, is_ordered
from wellworn.lifecycle.proposing.recipes import JudgedCommand
from wellworn.lifecycle.shell.classify import classify
from wellworn.lifecycle.shell.parse import parse_line
from wellworn.models.proposal import CandidateKind, Signal
from wellworn.models.skill import Scope

WORKS = 0.5
"""A pattern that ends well less often than this is an approach that fails."""
CONSISTENT, CONSISTENT_FEW = 0.4, 1.0
"""So much of what was begun must have been finished: a share of 0.4 + 1 / times, so that few times must be clear."""
ONE_REPO = 0.8
_RECIPES = frozenset({Signal.command_sequence, Signal.release_ritual, Signal.review_loop})
_SEQUENCES = frozenset({Signal.command_sequence, Signal.release_ritual, Signal.manual_checklist})
_NO_GATE = frozenset({"download_and_run", "delete_system"})


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a pattern is, and why."""

    kind: CandidateKind
    reason: str


def rule(pattern: Pattern, commands: Sequence[JudgedCommand], sure: float) -> Ruling:
    """Judge a pattern with something to do. sure: its confidence."""
    bad = next(filter(None, (check(pattern, commands) for check in _CHECKS)), None)
    if bad is not None:
        return Ruling(CandidateKind.ignore, bad)
    if sure < SUGGESTED:
        return Ruling(CandidateKind.ignore, f"There is not enough evidence yet (confidence {sure:.2f}).")
    if pattern.signal in _RECIPES or (pattern.signal is Signal.manual_checklist and commands):
        return Ruling(CandidateKind.forge_recipe, _why(pattern))
    return Ruling(CandidateKind.skill, _why(pattern))


def rule_once(pattern: Pattern, commands: Sequence[JudgedCommand]) -> Ruling:
    """Judge one finished piece of work: it need not have been repeated, and must be worth and safe to keep."""
    if len(pattern.keys) < MIN_STEPS:
        return Ruling(
            CandidateKind.ignore, f"It has {len(pattern.keys)} meaningful steps that worked; {MIN_STEPS} are needed."
        )
    if is_habit(pattern.keys):
        return Ruling(CandidateKind.ignore, "It is version control of every day, which needs no skill.")
    bad = unsafe(pattern, commands)
    if bad is not None:
        return Ruling(CandidateKind.ignore, bad)
    return Ruling(CandidateKind.skill, "It went well once, and somebody wants it kept.")


def _why(pattern: Pattern) -> str:
    rate = pattern.success_rate
    ended = "" if rate is None else f"; it ended well in {rate:.0%}"
    days = "on one day" if pattern.days == 1 else f"on {pattern.days} days"
    return f"Seen {pattern.support} times in {pattern.sessions} sessions {days}{ended}."


def _fails(pattern: Pattern, _: Sequence[JudgedCommand]) -> str | None:
    rate = pattern.success_rate
    if rate is None or rate >= WORKS:
        return None
    return f"It fails more often than it works: it ended well in {rate:.0%} of {pattern.support} times."


def _loose(pattern: Pattern, _: Sequence[JudgedCommand]) -> str | None:
    if pattern.consistency < CONSISTENT + CONSISTENT_FEW / pattern.support:
        return f"It is alike only in part: of {pattern.began} times that it was begun, {pattern.support} were finished."
    if not is_ordered(pattern.order, pattern.support) and not (pattern.keys and _closes(pattern.keys[-1])):
        return f"The same commands come in no steady order ({pattern.order:.0%} alike), towards no merge or release."
    return None


def _closes(key: str) -> bool:
    return is_release(key) or "merge" in key


def _everyday(pattern: Pattern, _: Sequence[JudgedCommand]) -> str | None:
    if pattern.signal in _SEQUENCES and is_habit(pattern.keys):
        return "It is version control of every day, which needs no skill."
    return None


def unsafe(_: Pattern, commands: Sequence[JudgedCommand]) -> str | None:
    """Say why a command is too dangerous to be told at all, approval or not; None when none is."""
    for one in commands:
        for judged in (one.judged, classify(one.command.observed)):
            if _NO_GATE.intersection(judged.actions) or not parse_line(one.command.observed).understood:
                return (
                    f"It is unsafe, and no approval gate makes it clear: `{one.command.text[:80]}` ({judged.reason})."
                )
    return None


_CHECKS = (_fails, _loose, _everyday, unsafe)


def suggested_scope(pattern: Pattern) -> tuple[Scope, str | None, str]:
    """Return the scope, the repository that it would belong to, and why: an engineering workflow belongs to the
    repository that it was seen in, what a person likes to have their way belongs to them."""
    repos = Counter(one.repo for one in pattern.occurrences)
    repo, count = repos.most_common(1)[0]
    if pattern.signal is Signal.repeated_correction:
        return Scope.user, None, "user: it is how this person wants it done, wherever they work"
    if repo is not None and count >= ONE_REPO * pattern.support:
        where = "one repository" if repo.startswith("path:") else repo  # without an origin it has no name to tell
        return (
            Scope.repo,
            repo,
            f"repo: an engineering workflow, and {count} of {pattern.support} times it was in {where}",
        )
    if repo is None and len(repos) == 1:
        return Scope.user, None, "user: it was seen outside of any repository that is known"
    return Scope.user, None, f"user: it was seen in {len(repos)} repositories, so it belongs to none of them"
