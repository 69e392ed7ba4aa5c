"""What post-turn review wrote, as it stood then: a skill whose files are others by now was edited by a person."""

from __future__ import annotations

from datetime import datetime

from wellworn.models.skill import Scope
from wellworn.store.database import Database
from wellworn.store.text_hash import storable
from wellworn.store.timestamps import from_text, to_text


class LearnedSkillTable:
    """By (scope, owner, skill id)."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def put(self, scope: Scope, owner: str, skill_id: str, files_hash: str, *, turn_id: str, now: datetime) -> None:
        """Remember the hash of the files that were written, in the caller's transaction if there is one."""
        with self._db.write() as connection:
            connection.execute(
                """INSERT OR REPLACE INTO learned_skills (scope, owner, skill_id, hash, turn_id, written_at)
                   VALUES (?, ?, ?, ?, ?, ?)""",
                (scope.value, storable(owner), skill_id, files_hash, storable(turn_id), to_text(now)),
            )

    def get(self, scope: Scope, owner: str, skill_id: str) -> tuple[str, datetime] | None:
        """Return that hash and when it was; None for a skill that review did not write."""
        row = self._db.row(
            "SELECT hash, written_at FROM learned_skills WHERE scope = ? AND owner = ? AND skill_id = ?",
            (scope.value, storable(owner), skill_id),
        )
        return None if row is None else (str(row[0]), from_text(row[1]))
