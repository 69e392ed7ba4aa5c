"""One finished piece of work as a pattern: learned because somebody asked for it, not because it was repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from wellworn.lifecycle.miner.patterns import Occurrence, Pattern
from wellworn.lifecycle.proposing.evidence import Evidence
from wellworn.lifecycle.shell.steps import CommandStep, steps_of
from wellworn.models.proposal import Signal


@dataclass(frozen=True, slots=True)
class Run:
    """A command that was run, and whether it worked; None: not known."""

    command: str
    success: bool | None


@dataclass(frozen=True, slots=True)
class Work:
    """One piece of work. objective: what the person asked for. event_ids: by which it can be looked up."""

    objective: str
    runs: Sequence[Run]
    event_ids: Sequence[str]
    session: str
    repo: str | None
    ended: datetime


@dataclass(frozen=True, slots=True)
class ProvenStep:
    """A meaningful step that worked. line: the whole command line that it stood in, the last time that it worked."""

    step: CommandStep
    line: str


def proven_steps(runs: Sequence[Run]) -> list[ProvenStep]:
    """Return the meaningful steps that are known to have worked, each once, in the order of their last time.

    A step that failed and was run again stands where it worked at last.
    """
    found: dict[str, ProvenStep] = {}
    for run in runs:
        if run.success is not True:
            continue
        for step in steps_of(run.command):
            if not step.noise:
                found.pop(step.key, None)
                found[step.key] = ProvenStep(step, run.command)
    return list(found.values())


def evidence_of(work: Work) -> Evidence:
    """Return the work as evidence of a pattern that was seen once."""
    steps = proven_steps(work.runs)
    at = int(work.ended.timestamp() * 1000)
    numbers = tuple(range(len(steps)))
    seen = Occurrence(work.session, work.repo, at, at, numbers, numbers, success=True)
    pattern = Pattern(Signal.finished_task, tuple(one.step.key for one in steps), (seen,), began=1)
    return Evidence(
        pattern,
        (seen,),
        {},
        said=((work.objective,),),
        at_once=(True,),
        commands=tuple({0: (one.step, one.line)} for one in steps),
        event_ids=tuple(work.event_ids),
    )


def recoveries_of(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """Return (command that failed, command that worked at last) for each that failed first and worked later."""
    failed: dict[str, str] = {}
    found: dict[str, tuple[str, str]] = {}
    for run in runs:
        keys = [step.key for step in steps_of(run.command) if not step.noise]
        for key in keys:
            if run.success is False:
                failed.setdefault(key, run.command)
            elif run.success is True and key in failed:
                found[key] = (failed[key], run.command)
    return list(dict.fromkeys(found.values()))
