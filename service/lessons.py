"""What people say of answers, and what is learned from it: verdicts, taught utterances, uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from wellworn.lifecycle.feedback import (
    BOUNDS,
    Bounds,
    Lesson,
    Standing,
    Target,
    Teacher,
    Teaching,
    check_verdict,
    goes_on,
    in_order,
    judge_lesson,
    lesson_text,
    teachings,
)
from wellworn.models.access import Caller, Role
from wellworn.models.errors import NotFound
from wellworn.models.resolution import FeedbackAnswer, FeedbackRequest, TaughtUtterance, Verdict
from wellworn.models.skill import Scope, SkillView, UtteranceField
from wellworn.resolver.message import read_message
from wellworn.service.places import may_see_repo, session_owner
from wellworn.service.records import answered_target, feedback_row, owners_of, taught_row, taught_view
from wellworn.store.database import Database
from wellworn.store.feedback import FeedbackRow, FeedbackTable, TaughtRow
from wellworn.store.resolutions import ResolutionRow
from wellworn.store.skills import SkillTable

LOCAL_KEY = "local"
"""Stands for the local person, who has no key, where a key's id is given as text."""
_NAME_IT = "Say which skill was meant (should_be) to teach it."


class Lessons:
    """Over the store alone; whoever serves makes what changed searchable afterwards."""

    def __init__(self, database: Database, clock: Callable[[], datetime], bounds: Bounds = BOUNDS) -> None:
        self._database, self._clock, self._bounds = database, clock, bounds
        self._skills, self._table = SkillTable(database), FeedbackTable(database)

    def give(self, request: FeedbackRequest, row: ResolutionRow, caller: Caller) -> tuple[FeedbackAnswer, bool]:
        """Record a verdict on a recorded answer and what it teaches; also say whether it was not given before.

        Raises NotFound (the skill that was meant), InvalidInput.
        """
        check_verdict(request, row.resolution)
        answered = answered_target(row)
        meant = self._target(request.skill_id, row) if request.skill_id is not None else None
        given = feedback_row(request, row, caller, self._clock())
        text = lesson_text(read_message(row.message).request)
        sure = row.resolution.confidence
        lessons = teachings(request.verdict, answered, meant, confidence=sure) if text else []
        with self._database.write():  # nobody else may teach between looking and storing
            stored, taught = self._table.add(given)
            notes: list[str] = []
            if stored.id == given.id:
                taught, notes = self._learn(lessons, text, given, caller)
        if request.verdict is Verdict.right and answered is not None and not lessons:
            notes.append(f"{answered.skill_id} was sure already ({sure:.2f}), so there is nothing to learn.")
        if request.verdict is Verdict.wrong and answered is None:
            notes.append(f"No skill was answered, so there is nothing to take back. {_NAME_IT}")
        answer = FeedbackAnswer(feedback_id=stored.id, taught=[taught_view(one) for one in taught], notes=notes)
        return answer, stored.id == given.id

    def _learn(
        self, lessons: Sequence[Teaching], text: str, given: FeedbackRow, caller: Caller
    ) -> tuple[list[TaughtRow], list[str]]:
        teacher = Teacher(caller.key_id, person=caller.covers(Role.reviewer))
        taught: list[TaughtRow] = []
        notes: list[str] = []
        for lesson in in_order(lessons):
            ruling = judge_lesson(lesson, teacher, self._standing(lesson.target, text, teacher), self._bounds)
            for number in ruling.replaces:
                self._table.remove_taught(number, now=given.created_at)
            if ruling.teaches:
                taught.append(taught_row(lesson, text, given))
                self._table.teach(taught[-1:], now=given.created_at)
            if ruling.note is not None:
                notes.append(ruling.note)
            if not goes_on(teacher, ruling):
                break
        return taught, notes

    def _standing(self, target: Target, text: str, teacher: Teacher) -> Standing:
        same = self._table.with_text(target.scope, target.owner, text)
        place = (target.scope, target.owner, target.skill_id, teacher.key_id)
        total, own, agents = self._table.count_taught(*place)
        _, own_negatives, agents_negatives = self._table.count_taught(*place, UtteranceField.negative)
        return Standing(
            same_text=[_lesson(row, by_person=by_person) for row, by_person in same],
            authors=self._table.authors_of(target.scope, target.owner, text),
            total=total,
            own=own,
            agents=agents,
            own_negatives=own_negatives,
            agents_negatives=agents_negatives,
        )

    def _target(self, skill_id: str, row: ResolutionRow) -> Target:
        view = self._skills.find(skill_id, owners_of(row))
        return Target(view.id, view.scope, view.owner)

    def taught(self, skill: SkillView) -> list[TaughtUtterance]:
        """Return what feedback taught a skill."""
        return [taught_view(one) for one in self._table.list_taught(skill.scope, skill.owner, skill.id)]

    def forget(self, taught_id: str, caller: Caller) -> TaughtUtterance:
        """Remove one taught utterance. Raises NotFound, also for one that the caller may not see."""
        found = self._table.get_taught(taught_id)
        if not _may_see(found.scope, found.owner, caller):
            raise NotFound(f"There is no taught utterance {taught_id[:80]!r}.")
        return taught_view(self._table.remove_taught(taught_id, now=self._clock()))

    def from_key(self, key_id: str | None, caller: Caller) -> list[TaughtUtterance]:
        """Return what one key (None or `local`: the local person) taught any skill that the caller may see."""
        rows = self._table.taught_by_key(None if key_id == LOCAL_KEY else key_id)
        return [taught_view(row) for row in rows if _may_see(row.scope, row.owner, caller)]

    def forget_key(self, key_id: str | None, caller: Caller) -> list[TaughtUtterance]:
        """Remove all that one key taught, as far as the caller may see it, at once or not at all."""
        with self._database.write():
            return [self.forget(one.id, caller) for one in self.from_key(key_id, caller)]

    def count_uses(self, rows: Sequence[ResolutionRow]) -> list[tuple[ResolutionRow, int]]:
        """Count one use of the skill that each row answered; return the rows with the keys of those that exist."""
        counted: list[tuple[ResolutionRow, int]] = []
        for row in rows:
            target = answered_target(row)
            key = None if target is None else self._skills.key_of(target.scope, target.owner, target.skill_id)
            if key is not None:
                counted.append((row, key))
        if counted:
            self._skills.record_usage([key for _, key in counted], max(row.ts for row, _ in counted))
        return counted


def _lesson(row: TaughtRow, *, by_person: bool) -> Lesson:
    target = Target(row.skill_id, row.scope, row.owner)
    return Lesson(row.id, Teaching(target, row.field), Teacher(row.key_id, by_person))


def _may_see(scope: Scope, owner: str, caller: Caller) -> bool:
    if caller.role is Role.admin:
        return True
    if scope is Scope.repo:
        return may_see_repo(caller, owner)
    return owner == caller.user or owner.startswith(session_owner(caller.user, ""))
