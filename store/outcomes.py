"""What the reliability of skills was made of; it is kept when the tasks are not."""

from __future__ import annotations

from datetime import datetime

from wellworn.models.skill import Scope
from wellworn.models.task import Outcome
from wellworn.store.database import Database
from wellworn.store.timestamps import to_text


class OutcomeTable:
    """What the reliability of skills was made of."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(
        self,
        outcome_id: str,
        skill: tuple[Scope, str, str],
        outcome: Outcome,
        *,
        task_id: str | None,
        cause: str | None,
        reliability: float,
        key_id: str | None,
        now: datetime,
    ) -> None:
        """Keep one outcome of the skill (scope, owner, id), in the caller's transaction if there is one."""
        scope, owner, skill_id = skill
        with self._db.write() as connection:
            connection.execute(
                """INSERT INTO outcomes (id, ts, scope, owner, skill_id, task_id, outcome, cause, reliability, key_id)
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                (
                    outcome_id, to_text(now), scope.value, owner, skill_id, task_id, outcome.value, cause, reliability,
                    key_id,
                ),
            )  # fmt: skip

    def count(self, scope: Scope, owner: str, skill_id: str) -> int:
        """Return how many outcomes of a skill are kept, those that blame nobody included."""
        rows = self._db.rows(
            "SELECT count(*) FROM outcomes WHERE scope = ? AND owner = ? AND skill_id = ?",
            (scope.value, owner, skill_id),
        )
        total: int = rows[0][0]
        return total
