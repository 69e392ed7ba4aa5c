"""The reviewer that is always there: it reads only the tool trajectory, and needs no model."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from wellworn.lifecycle.adviser import Adviser
from wellworn.lifecycle.crystallize import STEP_CHARS, STEPS_MAX, asked_of
from wellworn.lifecycle.drafted_words import words_of
from wellworn.lifecycle.proposing.drafting import Draft, Surroundings, draft_once
from wellworn.lifecycle.proposing.once import Run, Work, recoveries_of
from wellworn.lifecycle.proposing.words import talk_of
from wellworn.lifecycle.review.reviewer import ReviewTask
from wellworn.lifecycle.shell.steps import fill, steps_of
from wellworn.models.skill import Scope
from wellworn.models.turn import Turn
from wellworn.store.redact import redact

_PITFALLS_SHOWN, _COMMAND_SHOWN = 3, 120
_ASKED_MAX = 200
"""Characters of a message; of a longer one the first sentence stands for it."""
_OF_COMMANDS = re.compile(r"[`|$<>]|&&|--|://|(^|\s)'[^']+'")
"""What a sentence about a command has no need of, and one with another command in it might."""


class TrajectoryReviewer:
    """Takes the procedure from the commands that are proven to have worked, and the words from the person's message."""

    name = "built-in"
    needs_model = False

    def __init__(self, clock: Callable[[], datetime], make_id: Callable[[], str]) -> None:
        self._clock, self._make_id = clock, make_id

    def review(self, task: ReviewTask) -> None:
        """Write the turn's procedure, where it is one that is worth keeping and not known already."""
        work = work_of(task.turn, self._clock())
        if not can_be_followed(work.runs):
            return
        around = Surroundings(talk_of([]), task.installed, task.resolve, self._clock())
        made = draft_once(work, around, self._make_id(), Scope.user)
        if made.manifest is None:
            return
        made = _with_pitfalls(made, task.turn)
        if task.adviser is not None:
            task.authorise()  # before anything is spent
            made = _worded(made, task.adviser)
        task.write(made)


def work_of(turn: Turn, now: datetime) -> Work:
    """Return a turn as a piece of work: its commands, in order."""
    runs = [Run(call.command, call.success) for call in turn.calls if call.command]
    asked = turn.message if len(turn.message) <= _ASKED_MAX else asked_of(turn.message)[:_ASKED_MAX]
    return Work(asked, runs, [turn.id], turn.session_id or turn.id, turn.repo, turn.ts or now)


def can_be_followed(runs: Sequence[Run]) -> bool:
    """Say whether what worked are steps of one line each, and not more than somebody follows; stops at the first no."""
    found: set[str] = set()
    for command in dict.fromkeys(run.command for run in runs if run.success is True):
        for step in steps_of(command):
            if step.noise:
                continue
            text = fill(step.template, step.values)
            found.add(step.key)
            if len(found) > STEPS_MAX or len(text) > STEP_CHARS or not text.isprintable() or "`" in text:
                return False
    return True


def _with_pitfalls(made: Draft, turn: Turn) -> Draft:
    """Add to a new skill's text what failed on the way and what worked then."""
    found = recoveries_of([Run(call.command, call.success) for call in turn.calls if call.command])
    told = [
        f"- `{_shown(failed)}` failed; `{_shown(worked)}` worked."
        for failed, worked in found[:_PITFALLS_SHOWN]
        if failed.strip() != worked.strip()
    ]
    if not told or made.updates is not None:
        return made
    return replace(made, body=f"{made.body.rstrip()}\n\n## What went wrong on the way\n\n" + "\n".join(told) + "\n")


def _worded(made: Draft, adviser: Adviser) -> Draft:
    """Let a model say what the skill is for, and why each step is run; the commands stay those that are proven.

    What it cannot do, or does badly, leaves the draft as it is.
    """
    if made.manifest is None or made.updates is not None:
        return made
    words = words_of(adviser, made.candidate.title, made.candidate.steps, "review")
    if words.by is None:
        return replace(made, notes=(*made.notes, *words.notes))
    described = made.manifest
    if _is_plain(words.description):
        described = described.model_copy(update={"description": redact(words.description)})
    said = [redact(one) if _is_plain(one) else "" for one in words.steps]
    body = _explained(made.body, made.candidate.steps, said)
    return replace(made, manifest=described, body=body, notes=(*made.notes, *words.notes))


def _is_plain(text: str) -> bool:
    return _OF_COMMANDS.search(text) is None


def _explained(body: str, commands: Sequence[str], said: Sequence[str]) -> str:
    """Add to the line of each command what is said about it."""
    lines = body.split("\n")
    for command, why in zip(commands, said, strict=True):
        at = next((at for at, line in enumerate(lines) if f"un `{command}`" in line), None)
        if why and at is not None:
            lines[at] += f" {why}"
    return "\n".join(lines)


def _shown(command: str) -> str:
    text = " ".join(command.replace("`", "'").split())
    return text if len(text) <= _COMMAND_SHOWN else f"{text[: _COMMAND_SHOWN - 3]}..."
