"""What people say of answers, and what is learned from it: verdicts, taught utterances, uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from wellworn.lifecycle.feedback import Target, check_verdict, lesson_text, teachings, within_bounds
from wellworn.models.access import Caller, Role
from wellworn.models.errors import NotFound
from wellworn.models.resolution import FeedbackAnswer, FeedbackRequest, TaughtUtterance, Verdict
from wellworn.models.skill import Scope, SkillView
from wellworn.resolver.message import read_message
from wellworn.service.places import may_see_repo, session_owner
from wellworn.service.records import answered_target, feedback_row, owners_of, taught_row, taught_view
from wellworn.store.database import Database
from wellworn.store.feedback import FeedbackTable
from wellworn.store.resolutions import ResolutionRow
from wellworn.store.skills import SkillTable

_NAME_IT = "Say which skill was meant (should_be) to teach it."


class Lessons:
    """Over the store alone; whoever serves makes what changed searchable afterwards."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._skills, self._table, self._clock = SkillTable(database), FeedbackTable(database), clock

    def give(self, request: FeedbackRequest, row: ResolutionRow, caller: Caller) -> tuple[FeedbackAnswer, bool]:
        """Record a verdict on a recorded answer and what it teaches; also say whether it was not given before.

        Raises NotFound (the skill that was meant), InvalidInput.
        """
        check_verdict(request, row.resolution)
        answered = answered_target(row)
        meant = self._target(request.skill_id, row) if request.skill_id is not None else None
        lessons, notes = within_bounds(
            teachings(request.verdict, answered, meant),
            lambda t: self._table.count_taught(t.scope, t.owner, t.skill_id, caller.key_id),
        )
        given = feedback_row(request, row, caller, self._clock())
        text = lesson_text(read_message(row.message).request)
        stored, taught = self._table.add(given, [taught_row(one, text, given) for one in lessons] if text else [])
        if request.verdict is Verdict.wrong and answered is None:
            notes.append(f"No skill was answered, so there is nothing to take back. {_NAME_IT}")
        answer = FeedbackAnswer(feedback_id=stored.id, taught=[taught_view(one) for one in taught], notes=notes)
        return answer, stored.id == given.id

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


def _may_see(scope: Scope, owner: str, caller: Caller) -> bool:
    if caller.role is Role.admin:
        return True
    if scope is Scope.repo:
        return may_see_repo(caller, owner)
    return owner == caller.user or owner.startswith(session_owner(caller.user, ""))
