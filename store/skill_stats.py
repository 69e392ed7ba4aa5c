"""What happened to a skill, in numbers; every change is told to the processes that answer with it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from wellworn.models.skill import Scope, SkillStats
from wellworn.store.changes import ChangeKind, append_changes
from wellworn.store.database import Database
from wellworn.store.skill_rows import STATS_COLUMNS, stats_of

_FIND = f"SELECT {STATS_COLUMNS} FROM skill_stats AS t WHERE scope = ? AND owner = ? AND skill_id = ?"  # noqa: S608


class SkillStatsTable:
    """Stats by (scope, owner, skill id); a skill to which nothing happened yet has the defaults."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, scope: Scope, owner: str, skill_id: str) -> SkillStats:
        """Return the stats of one skill."""
        row = self._db.row(_FIND, (scope.value, owner, skill_id))
        return SkillStats() if row is None else stats_of(row)

    def change(
        self, scope: Scope, owner: str, skill_id: str, make: Callable[[SkillStats], SkillStats], *, now: datetime
    ) -> SkillStats:
        """Replace reliability and counts by what `make` says of the present ones; nobody else changes them meanwhile.

        In the caller's transaction if there is one. Reliability is kept in full precision.
        """
        place = (scope.value, owner, skill_id)
        with self._db.write() as connection:
            row = connection.execute(_FIND, place).fetchone()
            stats = make(SkillStats() if row is None else stats_of(row))
            connection.execute(
                """INSERT INTO skill_stats (scope, owner, skill_id, reliability, success_count, failure_count,
                       repair_count) VALUES (?, ?, ?, ?, ?, ?, ?)
                   ON CONFLICT (scope, owner, skill_id) DO UPDATE SET
                       reliability = excluded.reliability, success_count = excluded.success_count,
                       failure_count = excluded.failure_count, repair_count = excluded.repair_count""",
                (*place, stats.reliability, stats.success_count, stats.failure_count, stats.repair_count),
            )
            key = connection.execute(
                "SELECT key FROM skills WHERE scope = ? AND owner = ? AND skill_id = ? AND effective = 1", place
            ).fetchone()
            if key is not None:
                append_changes(connection, scope, owner, [(key[0], ChangeKind.stats)], now)
        return stats
