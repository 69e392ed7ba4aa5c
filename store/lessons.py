"""What failures of a skill taught, by (scope, owner, skill id): it survives moved and rewritten files."""

# ruff: noqa: S608  only constant column lists are put into SQL text; values are always bound

from __future__ import annotations

from typing import Any

from wellworn.models.skill import Scope
from wellworn.models.task import Lesson, Outcome
from wellworn.store.database import Database
from wellworn.store.text_hash import storable
from wellworn.store.timestamps import from_text, to_text

OPEN_KEPT = 10
"""So many lessons that no repair has answered are kept; the oldest goes."""
_COLUMNS = "id, ts, lesson, analysis, outcome, by, task_id, repair_id"


class LessonTable:
    """Open lessons (no repair has answered them yet), and those in the history of repairs."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, scope: Scope, owner: str, skill_id: str, lesson: Lesson) -> None:
        """Keep a lesson, in the caller's transaction if there is one; of the open ones the last ten stay."""
        texts = (storable(lesson.lesson), storable(lesson.analysis), lesson.outcome.value, storable(lesson.by))
        with self._db.write() as connection:
            connection.execute(
                f"INSERT INTO lessons (scope, owner, skill_id, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (scope.value, owner, skill_id, lesson.id, to_text(lesson.ts), *texts, lesson.task_id, lesson.repair_id),
            )
            connection.execute(
                """DELETE FROM lessons WHERE id IN (
                       SELECT id FROM lessons WHERE scope = ? AND owner = ? AND skill_id = ? AND repair_id IS NULL
                       ORDER BY ts DESC, id DESC LIMIT -1 OFFSET ?)""",
                (scope.value, owner, skill_id, OPEN_KEPT),
            )

    def open(self, scope: Scope, owner: str, skill_id: str) -> list[Lesson]:
        """Return the lessons that no repair has answered, the latest first."""
        return self._of(scope, owner, skill_id, "AND repair_id IS NULL")

    def all(self, scope: Scope, owner: str, skill_id: str) -> list[Lesson]:
        """Return every lesson that is kept, the latest first."""
        return self._of(scope, owner, skill_id, "")

    def answered(self, scope: Scope, owner: str, skill_id: str, repair_id: str) -> int:
        """Move the open lessons to the history of one repair, in the caller's transaction; return how many."""
        with self._db.write() as connection:
            done = connection.execute(
                "UPDATE lessons SET repair_id = ? WHERE scope = ? AND owner = ? AND skill_id = ? AND repair_id IS NULL",
                (repair_id, scope.value, owner, skill_id),
            )
        return done.rowcount

    def _of(self, scope: Scope, owner: str, skill_id: str, which: str) -> list[Lesson]:
        rows = self._db.rows(
            f"""SELECT {_COLUMNS} FROM lessons WHERE scope = ? AND owner = ? AND skill_id = ? {which}
                ORDER BY ts DESC, id DESC""",
            (scope.value, owner, skill_id),
        )
        return [_lesson(row) for row in rows]


def _lesson(row: Any) -> Lesson:
    number, ts, lesson, analysis, outcome, by, task_id, repair_id = row
    return Lesson(
        id=number,
        ts=from_text(ts),
        lesson=lesson,
        analysis=analysis,
        outcome=Outcome(outcome),
        by=by,
        task_id=task_id,
        repair_id=repair_id,
    )
