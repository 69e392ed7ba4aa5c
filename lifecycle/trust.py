"""How far a skill may go on its own, and who may change that on what evidence: one table, pure.

    draft < suggested < installed < trusted < automatic        disabled and archived stand aside

A person promotes one level at a time and demotes as far as they like; the audit only ever takes trust away; an agent
changes nothing. There is no way around missing evidence. What was disabled or archived comes back to the level that it
had, but not above `installed` when it was the audit that disabled it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from wellworn.models.skill import Risk, Trust

LEVELS = (Trust.draft, Trust.suggested, Trust.installed, Trust.trusted, Trust.automatic)
ASIDE = frozenset({Trust.disabled, Trust.archived})
TRUSTED_SUCCESSES, TRUSTED_RELIABILITY = 5, 0.7
AUTOMATIC_SUCCESSES, AUTOMATIC_RELIABILITY = 20, 0.9
_DIGITS = 9


class Actor(StrEnum):
    """Who wants the change. audit: wellworn itself, on what it found."""

    person = "person"
    audit = "audit"
    agent = "agent"


@dataclass(frozen=True, slots=True)
class TrustEvidence:
    """What is known of a skill when its trust is to change.

    successes, reliability: as counted (0..1). high_findings: names of high security findings that no person has
    allowed. unattended: why one of the steps that would run without asking may not (empty: all may).
    before: the level at which it was disabled or archived, if it is; disabled_by_audit: not by a person.
    """

    successes: int = 0
    reliability: float = 1.0
    risk: Risk = Risk.low
    high_findings: tuple[str, ...] = ()
    unattended: tuple[str, ...] = ()
    before: Trust | None = None
    disabled_by_audit: bool = False


@dataclass(frozen=True, slots=True)
class Ruling:
    """allowed, and when not: every reason, each a clause that a person can act on."""

    allowed: bool
    reasons: tuple[str, ...] = ()


Need = Callable[[TrustEvidence], str | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """Who may make a transition, and what must hold."""

    who: frozenset[Actor]
    needs: tuple[Need, ...] = ()


def level_number(trust: Trust) -> int | None:
    """Return the place of a level, from 0; None for disabled and archived."""
    return LEVELS.index(trust) if trust in LEVELS else None


def next_level(trust: Trust, step: int) -> Trust | None:
    """Return the level one above (1) or below (-1); None where there is none."""
    number = level_number(trust)
    if number is None or not 0 <= number + step < len(LEVELS):
        return None
    return LEVELS[number + step]


def returns_to(before: Trust | None, *, disabled_by_audit: bool) -> Trust:
    """Return the level to which a disabled or archived skill comes back; `installed` when its former is not known."""
    level = before if before in LEVELS else Trust.installed
    if disabled_by_audit and LEVELS.index(level) > LEVELS.index(Trust.installed):
        return Trust.installed
    return level


def _successes(least: int) -> Need:
    def need(evidence: TrustEvidence) -> str | None:
        if evidence.successes >= least:
            return None
        return f"it has worked {evidence.successes} of the {least} times that are needed"

    return need


def _reliability(least: float) -> Need:
    def need(evidence: TrustEvidence) -> str | None:
        if round(evidence.reliability, _DIGITS) >= least:
            return None
        return f"its reliability is {evidence.reliability:.2f}, and {least:.2f} is needed"

    return need


def _no_high_finding(evidence: TrustEvidence) -> str | None:
    if not evidence.high_findings:
        return None
    return f"the security scan found {', '.join(evidence.high_findings)}; mend the skill first"


def _risk_not_high(evidence: TrustEvidence) -> str | None:
    return "its risk is high" if evidence.risk is Risk.high else None


def _unattended_steps_are_harmless(evidence: TrustEvidence) -> str | None:
    return "; ".join(evidence.unattended) or None


def _comes_back(wanted: Trust) -> Need:
    def need(evidence: TrustEvidence) -> str | None:
        level = returns_to(evidence.before, disabled_by_audit=evidence.disabled_by_audit)
        if wanted is level:
            return None
        why = "the audit disabled it, so" if evidence.disabled_by_audit else "its level before counts:"
        return f"{why} it comes back as {level}"

    return need


_PERSON = frozenset({Actor.person})
_PERSON_OR_AUDIT = frozenset({Actor.person, Actor.audit})


def _table() -> dict[tuple[Trust, Trust], Rule]:
    table = {
        (Trust.draft, Trust.suggested): Rule(_PERSON),
        (Trust.suggested, Trust.installed): Rule(_PERSON, (_no_high_finding,)),
        (Trust.installed, Trust.trusted): Rule(
            _PERSON, (_successes(TRUSTED_SUCCESSES), _reliability(TRUSTED_RELIABILITY), _no_high_finding)
        ),
        (Trust.trusted, Trust.automatic): Rule(
            _PERSON,
            (
                _successes(AUTOMATIC_SUCCESSES),
                _reliability(AUTOMATIC_RELIABILITY),
                _no_high_finding,
                _risk_not_high,
                _unattended_steps_are_harmless,
            ),
        ),
    }
    for number, level in enumerate(LEVELS):
        for lower in LEVELS[:number]:
            table[level, lower] = Rule(_PERSON_OR_AUDIT)
        table[level, Trust.disabled] = Rule(_PERSON_OR_AUDIT)
        table[level, Trust.archived] = Rule(_PERSON)
        grown = (_no_high_finding,) if number > LEVELS.index(Trust.installed) else ()
        table[Trust.disabled, level] = table[Trust.archived, level] = Rule(_PERSON, (_comes_back(level), *grown))
    table[Trust.disabled, Trust.archived] = Rule(_PERSON)
    return table


TRANSITIONS = _table()
"""(from, to) -> who may, and what must hold. What is not in it is nobody's to do."""


def judge_transition(now: Trust, wanted: Trust, actor: Actor, evidence: TrustEvidence) -> Ruling:
    """Decide whether `actor` may change a skill's trust from `now` to `wanted`; every reason against it is told."""
    if now is wanted:
        return Ruling(False, (f"it is {now} already",))
    rule = TRANSITIONS.get((now, wanted))
    if rule is None:
        return Ruling(False, (_no_way(now, wanted),))
    if actor not in rule.who:
        return Ruling(False, (f"{_NAMES[actor]} may not do this; it is {_allowed(rule.who)}",))
    missing: Sequence[str | None] = [need(evidence) for need in rule.needs]
    reasons = tuple(one for one in missing if one is not None)
    return Ruling(not reasons, reasons)


_NAMES = {Actor.person: "a person", Actor.audit: "the audit", Actor.agent: "an agent"}


def _allowed(who: frozenset[Actor]) -> str:
    return "a person's decision" if who == _PERSON else "for a person or the audit"


def _no_way(now: Trust, wanted: Trust) -> str:
    if now in ASIDE:
        return f"it is {now}; enable it first"
    above = next_level(now, 1)
    if wanted in LEVELS and above is not None:
        return f"trust grows one level at a time: {now} becomes {above} first"
    return f"nothing leads from {now} to {wanted}"
