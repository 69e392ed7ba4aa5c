"""New steps tried against the failures that they are to prevent: which of them answers which lesson, if any does."""

from __future__ import annotations

from collections.abc import Sequence

from wellworn.lifecycle.repairing.remedies import Remedy, Taught, first_with, mentions
from wellworn.lifecycle.repairing.rewrite import folded, words_of
from wellworn.models.repair import AnsweredLesson

SHARE = 0.6
"""So much of a lesson's words has a step that says it."""
_SHOWN = 300


def answers(old: Sequence[str], new: Sequence[str], taught: Sequence[Taught]) -> list[AnsweredLesson]:
    """Say for each lesson which new step answers it, by its first line; None: nothing that is new does.

    A step that was there before answers nothing: the skill failed with it.
    """
    known = set(map(folded, old))
    fresh = [step for step in new if folded(step) not in known]
    return [
        AnsweredLesson(
            lesson_id=one.lesson.id,
            lesson=one.lesson.lesson,
            answered_by=_line(_answer(new, fresh, one)),
        )
        for one in taught
    ]


def notes_of(lessons: Sequence[AnsweredLesson]) -> list[str]:
    """Return what a person must know where lessons stay open."""
    open_ones = [one for one in lessons if one.answered_by is None]
    if not open_ones:
        return []
    if len(open_ones) == len(lessons):
        return ["No lesson is answered by these steps: expect the same failures."]
    return [f"{len(open_ones)} of {len(lessons)} lessons are not answered by these steps."]


def _line(step: str | None) -> str | None:
    return None if step is None else step.split("\n", 1)[0][:_SHOWN]


def _answer(new: Sequence[str], fresh: Sequence[str], taught: Taught) -> str | None:
    for remedy in taught.remedies:
        if (step := _by_remedy(new, fresh, remedy)) is not None:
            return step
    return _by_words(fresh, taught)


def _by_remedy(new: Sequence[str], fresh: Sequence[str], remedy: Remedy) -> str | None:
    """Return the new step of a remedy that stands in the steps as a whole and in its order."""
    places = [first_with(new, command) for command in remedy.commands]
    if None in places:
        return None
    if remedy.first is not None:
        target = remedy.instead or remedy.failing
        later = [at for at, step in enumerate(new) if mentions(step, target)]
        if later and (places[0] or 0) > later[-1]:
            return None
    return next((step for step in fresh if any(mentions(step, one) for one in remedy.commands)), None)


def _by_words(fresh: Sequence[str], taught: Taught) -> str | None:
    words = words_of(taught.lesson.lesson)
    if not words:
        whole = folded(taught.lesson.lesson)
        return next((step for step in fresh if whole in folded(step)), None)
    shares = [(len(words & words_of(step)) / len(words), step) for step in fresh]
    best = max(shares, key=lambda one: one[0], default=(0.0, ""))
    return best[1] if best[0] >= SHARE else None
