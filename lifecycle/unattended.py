"""Which of a skill's steps would run without anybody being asked, and why one of them may not.

Of a skill that is text, those are the steps before the first that needs approval; of a recipe, the commands that no
gate stands before. What is written as code is read as a command; what cannot be understood may not run unattended.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from wellworn.models.recipe import AdvisorStep, CodexStep, ForgeRecipe, GateStep, GithubStep, ShellStep, SubrecipeStep

_CODE = re.compile(r"`([^`\n]+)`")
_FILE_NAME = re.compile(r"(?![./])[\w./*-]*\.[A-Za-z0-9]{1,8}")
_SHOWN = 80


def problems_of_steps(body: str, steps: Sequence[str], safe: Sequence[str]) -> tuple[str, ...]:
    """Return why a text skill's unattended steps (`safe`, the first of `steps`) may not run so; empty: they may."""
    if not steps:
        return ("it has no steps that could be read, so nobody can say what would run without asking",)
    if not safe:
        return ("none of its steps may run without approval",)
    commands = [code.strip() for code in _CODE.findall(body) if any(code in step for step in safe)]
    return _problems([one for one in dict.fromkeys(commands) if not _FILE_NAME.fullmatch(one)])


def problems_of_recipe(recipe: ForgeRecipe, approvals: Sequence[str]) -> tuple[str, ...]:
    """Return why a recipe's unattended steps may not run so. approvals: actions that are asked about in any case."""
    asked = {*approvals, *recipe.safety.require_approval_before}
    commands: list[str] = []
    problems: list[str] = []
    gated = False
    for phase in recipe.phases:
        for step in phase.steps:
            if isinstance(step, GateStep):
                gated = True
            elif isinstance(step, ShellStep):
                if not (gated or asked.intersection(_actions(step.command))):
                    commands.append(step.command)
            elif not gated and not _harmless(step):
                problems.append(f"its step {step.id} has no gate before it")
    return (*_problems(commands), *problems)


def _harmless(step: AdvisorStep | CodexStep | GithubStep | SubrecipeStep) -> bool:
    """Asking for advice or reviews changes nothing; another recipe may do anything."""
    if isinstance(step, GithubStep):
        return step.action == "fetch_reviews"
    return isinstance(step, AdvisorStep) or (isinstance(step, CodexStep) and step.mode == "review")


def _actions(command: str) -> tuple[str, ...]:
    from wellworn.lifecycle.shell.classify import classify  # noqa: PLC0415  loads the parser

    return classify(command).actions


def _problems(commands: Sequence[str]) -> tuple[str, ...]:
    from wellworn.lifecycle.shell.classify import classify  # noqa: PLC0415  loads the parser

    found = [(command, classify(command)) for command in commands]
    return tuple(
        f"`{command[:_SHOWN]}` would run without asking ({one.reason.rstrip('.')})"
        for command, one in found
        if one.gated
    )
