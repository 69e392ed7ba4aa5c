"""A recipe from a pattern's commands: phases, inputs, and a gate before everything that reaches outside."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from wellworn.lifecycle.proposing.commands import GeneralCommand
from wellworn.lifecycle.proposing.glosses import gloss
from wellworn.lifecycle.shell.classify import Classified, CommandClass, classify
from wellworn.models.proposal import Signal
from wellworn.models.recipe import (
    PLACEHOLDER,
    CodexStep,
    ForgeInput,
    ForgePhase,
    ForgeRecipe,
    ForgeStep,
    GateStep,
    GithubStep,
    SafetyPolicy,
    ShellStep,
    StopPolicy,
)
from wellworn.models.skill import Risk

MAX_ROUNDS = 5
RUN_GATE = "run_command"
_ON_GITHUB = frozenset({"gh", "review", "copilot", "coderabbit"})
_SLUG = re.compile(r"[^a-z0-9]+")
_LONGEST_ID = 40
_HIGH = frozenset({CommandClass.destructive, CommandClass.credential})
_FAR = frozenset({"publish", "deploy", "pr_merge", "git_force_push"})


@dataclass(frozen=True, slots=True)
class JudgedCommand:
    """A command with what it may do. gates: what must be approved before it; empty when it may run by itself."""

    command: GeneralCommand
    judged: Classified

    @property
    def gates(self) -> tuple[str, ...]:
        if not self.judged.gated:
            return ()
        return self.judged.actions or (RUN_GATE,)


def judge(commands: Sequence[GeneralCommand]) -> list[JudgedCommand]:
    """Classify each command; a parameter stands for a plain word."""
    return [JudgedCommand(one, classify(PLACEHOLDER.sub("value", one.text))) for one in commands]


def gates_of(commands: Sequence[JudgedCommand]) -> list[str]:
    """Return all gates, each once, in the order of the steps."""
    return list(dict.fromkeys(gate for one in commands for gate in one.gates))


def risk_of(commands: Sequence[JudgedCommand]) -> Risk:
    """high: destroys, touches credentials, or reaches what others use; medium: leaves the machine; else low."""
    if any(one.judged.klass in _HIGH or _FAR.intersection(one.judged.actions) for one in commands):
        return Risk.high
    return Risk.medium if any(one.judged.gated for one in commands) else Risk.low


def recipe_of(
    recipe_id: str,
    description: str,
    commands: Sequence[JudgedCommand],
    inputs: Sequence[ForgeInput],
    *,
    signal: Signal,
    cause: str | None,
) -> ForgeRecipe:
    """Return a recipe of the commands in their order. Raises pydantic's ValidationError for none."""
    if signal is Signal.review_loop:
        phases = _review_phases(commands, cause)
        policy = StopPolicy(
            max_rounds=MAX_ROUNDS,
            stop_on_repeated_review=True,
            stop_on_repeated_failure=True,
            stop_when_no_high_medium_concerns=True,
        )
    else:
        phases = _phases(commands)
        policy = StopPolicy(max_rounds=1, stop_on_repeated_failure=True)
    return ForgeRecipe(
        id=recipe_id,
        description=description,
        inputs=list(inputs),
        phases=phases,
        stop_policy=policy,
        safety=SafetyPolicy(require_approval_before=gates_of(commands)),
    )


def _phases(commands: Sequence[JudgedCommand]) -> list[ForgePhase]:
    """Up to the first gate, from there to the last one, and what comes after."""
    gated = [at for at, one in enumerate(commands) if one.gates]
    first, last = (gated[0], gated[-1] + 1) if gated else (len(commands), len(commands))
    ids: set[str] = set()
    parts = (("prepare", commands[:first]), ("carry-out", commands[first:last]), ("verify", commands[last:]))
    return [ForgePhase(id=name, steps=_steps(part, ids)) for name, part in parts if part]


def _review_phases(commands: Sequence[JudgedCommand], cause: str | None) -> list[ForgePhase]:
    ids = {"review", "fix"}
    look: ForgeStep = (
        GithubStep(id="review", action="fetch_reviews")
        if cause in ("gh", "review")
        else CodexStep(id="review", mode="review")
    )
    phases = [
        ForgePhase(id="review", steps=[look]),
        ForgePhase(id="address", steps=[CodexStep(id="fix", mode="fix")]),
    ]
    return [*phases, ForgePhase(id="check", steps=_steps(commands, ids))]


def _steps(commands: Sequence[JudgedCommand], ids: set[str]) -> list[ForgeStep]:
    steps: list[ForgeStep] = []
    for one in commands:
        name = slug(one.command.key)
        steps += [GateStep(id=_free(f"approve-{slug(gate)}", ids), requires=gate) for gate in one.gates]
        steps.append(ShellStep(id=_free(name, ids), command=one.command.text, required=one.command.required))
    return steps


def slug(text: str) -> str:
    """Return a text as an id's words."""
    return _SLUG.sub("-", text.lower()).strip("-")[:_LONGEST_ID].strip("-") or "step"


def _free(name: str, ids: set[str]) -> str:
    free, number = name, 2
    while free in ids:
        free, number = f"{name}-{number}", number + 1
    ids.add(free)
    return free


def told(commands: Sequence[JudgedCommand]) -> list[str]:
    """Return the steps as sentences for a SKILL.md."""
    lines: list[str] = []
    for one in commands:
        words = gloss(one.command.key)
        what = "" if words == f"run {one.command.key}" else f" ({words})"
        if one.gates:
            lines.append(f"Ask for approval of {', '.join(one.gates)}.")
        when = "" if one.command.required else "If it is needed here, "
        lines.append(f"{when}{'Run' if not when else 'run'} `{one.command.text}`{what}.")
    return lines
