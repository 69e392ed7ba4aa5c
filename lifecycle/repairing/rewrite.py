"""New steps without a model: each lesson is worked into the steps where it belongs. Nothing that is there is lost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from wellworn.lifecycle.repairing.remedies import Remedy, Taught, commands_in, first_with, key_of, mentions
from wellworn.models.repair import STEPS_MAX_CHARS
from wellworn.store.redact import redact

STEPS_MAX = 40
_MARKS = re.compile(r"<!--|-->|`{3,}|~{3,}")
_WORD = re.compile(r"[^\W\d_]{4,}")
_STEM = 5  # letters by which forms of a word are taken for one
_COMMON_WORDS = """
check first before after when then that this with without from into must should always never because failed
fails failure error step steps work works worked until unless instead again have been were will your make sure
wird werden nicht wenn dass eine einer
"""
_COMMON = frozenset(_COMMON_WORDS.split())


@dataclass(frozen=True, slots=True)
class Rewrite:
    """steps: the new ones, in order. notes: what a person should know of them."""

    steps: tuple[str, ...]
    notes: tuple[str, ...] = ()


def rewritten_steps(steps: Sequence[str], taught: Sequence[Taught]) -> Rewrite:
    """Work lessons into steps: what failed is replaced by what worked, or comes after what made it work.

    A lesson that says neither becomes a check before the step that it is about, or before all. taught: in any order;
    the oldest is worked in first. At most STEPS_MAX steps, and STEPS_MAX_CHARS characters in all; never part of a step.
    """
    new, left_out = list(steps), 0
    for one in sorted(taught, key=lambda one: (one.lesson.ts, one.lesson.id)):
        better = _with_lesson(new, one)
        if len(better) > max(STEPS_MAX, len(steps)) or sum(map(len, better)) > STEPS_MAX_CHARS:
            left_out += better != new
            continue
        new = better
    notes = (f"{left_out} lessons found no room; shorten the steps by hand.",) if left_out else ()
    return Rewrite(tuple(new), notes)


def _with_lesson(steps: list[str], taught: Taught) -> list[str]:
    new = steps
    for remedy in taught.remedies:
        new = _with_remedy(new, remedy)
    if new != steps or any(_remedied(steps, remedy) for remedy in taught.remedies):
        return new
    check = check_step(taught.lesson.lesson)
    if folded(check) in map(folded, steps):
        return steps
    at = _place_of(steps, taught)
    return [*steps[:at], check, *steps[at:]]


def _remedied(steps: Sequence[str], remedy: Remedy) -> bool:
    """Say whether another lesson has brought the remedy in already."""
    return any(folded(one) in (folded(_guard(remedy)), folded(_other(remedy))) for one in steps) or (
        remedy.instead is not None and remedy.first is None and remedy.instead in " ".join(steps)
    )


def _with_remedy(steps: list[str], remedy: Remedy) -> list[str]:
    new = steps
    if remedy.instead is not None:
        new = _replaced(new, remedy, remedy.instead)
    if remedy.first is not None:
        new = _guarded(new, remedy, remedy.first)
    return new


def _replaced(steps: list[str], remedy: Remedy, instead: str) -> list[str]:
    new = [_step_with(step, remedy.failing, instead) for step in steps]
    if new != steps or first_with(steps, instead) is not None:
        return new
    other = _other(remedy)
    if folded(other) in map(folded, steps):
        return steps
    at = first_with(steps, remedy.failing) or 0
    return [*steps[:at], other, *steps[at:]]


def _step_with(step: str, failing: str, instead: str) -> str:
    """Return a step that says the one command where it said the other."""
    for shown in commands_in(step):
        if key_of(shown) == key_of(failing) and shown != instead and instead not in step:
            return step.replace(shown, instead)
    return step


def _guarded(steps: list[str], remedy: Remedy, first: str) -> list[str]:
    """Put what has to come first before the step that needs it, unless it comes there already."""
    if folded(_guard(remedy)) in map(folded, steps):
        return steps
    target = first_with(steps, remedy.instead or remedy.failing)
    if target is None:
        target = first_with(steps, remedy.failing)
    before = steps if target is None else steps[:target]
    if any(mentions(step, first) for step in before):
        return steps
    at = 0 if target is None else target
    return [*steps[:at], _guard(remedy), *steps[at:]]


def _guard(remedy: Remedy) -> str:
    return f"Run `{redact(remedy.first or '')}` first; without it `{redact(remedy.failing)}` failed."


def _other(remedy: Remedy) -> str:
    return f"Run `{redact(remedy.instead or '')}`, not `{redact(remedy.failing)}`, which failed."


def check_step(lesson: str) -> str:
    """Return the step that says a lesson."""
    text = " ".join(_MARKS.sub(" ", redact(lesson)).split())
    return f"Check first: {''.join(one if one.isprintable() else ' ' for one in text)}"


def _place_of(steps: Sequence[str], taught: Taught) -> int:
    """Return where a check belongs: before the step with the command that failed, else the one most like it."""
    for command in (*commands_in(taught.lesson.lesson), *taught.failed):
        if (at := first_with(steps, command)) is not None:
            return at
    words = words_of(taught.lesson.lesson)
    common = [len(words & words_of(step)) for step in steps]
    most = max(common, default=0)
    return common.index(most) if most else 0


def words_of(text: str) -> frozenset[str]:
    """Return the words that carry meaning, by their stems."""
    return frozenset(word[:_STEM] for word in _WORD.findall(text.casefold()) if word not in _COMMON)


def folded(text: str) -> str:
    """Return a step as two of them are compared."""
    return " ".join(text.casefold().split())
