"""The quality gate: six questions, each answered from the evidence or left empty; an empty answer refuses."""

from __future__ import annotations

from collections.abc import Sequence

from wellworn.lifecycle.miner.patterns import Pattern
from wellworn.lifecycle.proposing.recipes import JudgedCommand, gates_of
from wellworn.lifecycle.proposing.similar import Likeness
from wellworn.models.proposal import QualityGate, Signal
from wellworn.models.skill import Risk

_SHOWN = 5


def answers(
    pattern: Pattern,
    commands: Sequence[JudgedCommand],
    *,
    event_ids: Sequence[str],
    friction: str,
    likenesses: Sequence[Likeness],
    installed: int,
    scope_reason: str,
    only_text: bool,
) -> QualityGate:
    """Answer the six questions. only_text: it is something to know or to keep to, with nothing to run."""
    return QualityGate(
        evidence=_evidence(pattern, event_ids),
        friction=friction,
        similar=_similar(likenesses, installed),
        scope=scope_reason,
        without_approval=_free(commands, only_text=only_text),
        requires_approval=_gated(commands, only_text=only_text),
    )


def _evidence(pattern: Pattern, event_ids: Sequence[str]) -> str:
    if not event_ids:
        return ""
    shown = ", ".join(event_ids[:_SHOWN]) + (", ..." if len(event_ids) > _SHOWN else "")
    if pattern.signal is Signal.finished_task:
        return f"one finished piece of work, no more: {shown}"
    return (
        f"{pattern.support} times in {pattern.sessions} sessions on {pattern.days} day(s), "
        f"in {len(event_ids)} events: {shown}"
    )


def _similar(likenesses: Sequence[Likeness], installed: int) -> str:
    if likenesses:
        return "; ".join(f"{one.skill.ref}: {one.view.why}" for one in likenesses[:_SHOWN])
    return f"none of the {installed} installed skills" if installed else "there are no installed skills"


def _free(commands: Sequence[JudgedCommand], *, only_text: bool) -> str:
    if only_text:
        return "reading and keeping to it; it runs nothing"
    safe = [one.command.text for one in commands if not one.gates]
    if safe:
        return ", ".join(f"`{text}`" for text in safe)
    return "nothing: every step stands behind a gate" if commands else ""


def _gated(commands: Sequence[JudgedCommand], *, only_text: bool) -> str:
    if only_text:
        return "nothing of its own: what an agent does besides keeps its gates"
    gates = gates_of(commands)
    if gates:
        return ", ".join(gates)
    worst = max((one.judged.klass for one in commands), default=None)
    return f"no step: all of them stay on this machine ({worst})" if worst is not None else ""


def friction_of(pattern: Pattern, steps: int) -> str:
    """Say what a person need not do any more. Empty when nothing is known of it."""
    times = f"{pattern.support} times"
    match pattern.signal:
        case Signal.repeated_correction:
            return f"The same correction had to be given {times}."
        case Signal.manual_checklist if not steps:
            return f"The same checklist had to be spelled out {times}."
        case Signal.failure_recovery:
            return f"The same failure had to be diagnosed {times} before the same {steps} step(s) put it right."
        case Signal.advisor_warning:
            return f"The same warning had to be resolved {times}, always in the same way."
        case Signal.review_loop:
            return f"The loop of review, fix and check was driven by hand {times}."
    once = f"How it is done, in {steps} steps, need not be found out again."
    often = f"{steps} commands had to be remembered and typed in order {times}."
    return (once if pattern.signal is Signal.finished_task else often) if steps else ""


RISK_OF_TEXT = Risk.low
