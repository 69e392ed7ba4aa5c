"""Repairs of skills: what was proposed, and what became of it."""

# ruff: noqa: S608  only constant clauses are put into SQL text; values are always bound

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from wellworn.models.errors import Conflict, NotFound
from wellworn.models.repair import Approval, Repair, RepairStatus
from wellworn.models.skill import Scope
from wellworn.store.database import Database
from wellworn.store.text_hash import storable
from wellworn.store.timestamps import to_text

_SHOWN = 80
_WAITS = f"status = '{RepairStatus.proposed}'"
_PLACE = "scope = ? AND owner = ? AND skill_id = ?"


@dataclass(frozen=True, slots=True)
class RepairRow:
    """A repair of the skill (repair.skill.scope, owner, repair.skill.id)."""

    owner: str
    repair: Repair


class RepairTable:
    """All repairs; of one skill at most one waits."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def put(self, row: RepairRow) -> None:
        """Store a repair that waits, in the place of another one of the same skill."""
        repair = row.repair
        with self._db.write() as connection:
            self.supersede(repair.skill.scope, row.owner, repair.skill.id, now=repair.created_at)
            connection.execute(
                """INSERT INTO repairs (id, scope, owner, skill_id, status, data, created_at, decided_at, decided_by)
                   VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL)""",
                (
                    repair.id,
                    repair.skill.scope.value,
                    row.owner,
                    repair.skill.id,
                    repair.status.value,
                    _dump(repair),
                    to_text(repair.created_at),
                ),
            )

    def get(self, repair_id: str) -> RepairRow:
        """Return one repair; raises NotFound."""
        row = self._db.row("SELECT owner, data FROM repairs WHERE id = ?", (storable(repair_id),))
        if row is None:
            raise unknown(repair_id)
        return RepairRow(row[0], Repair.model_validate_json(row[1]))

    def page(self, status: RepairStatus | None = None) -> list[RepairRow]:
        """Return all repairs, or those of one status, newest first."""
        where, values = ("", ()) if status is None else ("WHERE status = ?", (status.value,))
        rows = self._db.rows(f"SELECT owner, data FROM repairs {where} ORDER BY created_at DESC, id DESC", values)
        return [RepairRow(owner, Repair.model_validate_json(data)) for owner, data in rows]

    def edit(self, repair_id: str, make: Callable[[Repair], Repair]) -> Repair:
        """Replace a repair that waits by what `make` says of it. Raises NotFound, Conflict when it is decided."""
        with self._db.write() as connection:
            row = self.get(repair_id)
            check_waits(row.repair)
            edited = make(row.repair)
            connection.execute("UPDATE repairs SET data = ? WHERE id = ?", (_dump(edited), repair_id))
        return edited

    def decide(
        self, repair_id: str, status: RepairStatus, *, by: str, now: datetime, approval: Approval | None = None
    ) -> Repair:
        """Write down what became of a repair, in the caller's transaction if there is one.

        Raises NotFound, and Conflict saying when and by whom when it is decided already.
        """
        with self._db.write() as connection:
            row = self.get(repair_id)
            check_waits(row.repair)
            return _decided(connection, row.repair, status, by=by, now=now, approval=approval)

    def supersede(self, scope: Scope, owner: str, skill_id: str, *, now: datetime) -> None:
        """Let no repair of a skill wait any more: another one, or another change of the skill, stands in its place."""
        with self._db.write() as connection:
            rows = connection.execute(
                f"SELECT data FROM repairs WHERE {_PLACE} AND {_WAITS}", (scope.value, owner, skill_id)
            ).fetchall()
            for (data,) in rows:
                waiting = Repair.model_validate_json(data)
                _decided(connection, waiting, RepairStatus.superseded, by="wellworn", now=now, approval=None)


def check_waits(repair: Repair) -> None:
    """Raise Conflict, saying when and by whom, for a repair that is decided already."""
    if repair.status is RepairStatus.proposed:
        return
    when = f" on {repair.decided_at:%Y-%m-%d at %H:%M} UTC" if repair.decided_at else ""
    who = f" by {repair.decided_by}" if repair.decided_by else ""
    raise Conflict(
        f"The repair {repair.id} was already {repair.status}{when}{who}.",
        hint=f"Nothing was changed; `wellworn skills repair {repair.skill.id}` proposes another.",
    )


def unknown(repair_id: str) -> NotFound:
    """Return the answer for a repair that is not there, or not the caller's."""
    return NotFound(
        f"There is no repair {repair_id[:_SHOWN]!r}.", hint="`wellworn skills repair ID` proposes one for a skill."
    )


def _decided(
    connection: sqlite3.Connection,
    repair: Repair,
    status: RepairStatus,
    *,
    by: str,
    now: datetime,
    approval: Approval | None,
) -> Repair:
    decision = {"status": status, "decided_at": now, "decided_by": by, "approval": approval}
    decided = repair.model_copy(update=decision)
    connection.execute(
        "UPDATE repairs SET status = ?, data = ?, decided_at = ?, decided_by = ? WHERE id = ?",
        (status.value, _dump(decided), to_text(now), storable(by), repair.id),
    )
    return decided


def _dump(repair: Repair) -> str:
    return storable(repair.model_dump_json(by_alias=True))
