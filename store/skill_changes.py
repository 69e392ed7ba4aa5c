"""The history of skills: who changed what, when and why, and what was begun but never finished.

A change of files is written down in two steps: `begin` before the first file is touched, `finish` in the transaction
within which they are. So a process that dies in between leaves a row that says what it was about, and nothing changes
without a record.
"""

# ruff: noqa: S608  only constant column lists are put into SQL text; values are always bound

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wellworn.models.proposal import SkillChange
from wellworn.models.repair import Approval
from wellworn.models.skill import Scope
from wellworn.store.database import Database
from wellworn.store.text_hash import storable
from wellworn.store.timestamps import from_text, to_text

_COLUMNS = (
    "id, ts, scope, owner, skill_id, action, from_trust, to_trust, by, reason, evidence, proposal_id, before_hash, "
    "after_hash"
)
_BEGUN = "begun:"
_FINISHED = f"action NOT LIKE '{_BEGUN}%'"


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One entry of the history of the skill (change.scope, owner, change.skill_id)."""

    change: SkillChange
    owner: str

    @property
    def id(self) -> str:
        return self.change.id


@dataclass(frozen=True, slots=True)
class Effects:
    """What else is changed with the files, in the same transaction, also when that is completed after a crash.

    repair_id: a repair that is accepted, approved so. fresh_repairs: repairs are counted from 0 again; fresh_stats:
    reliability and counts are as of a new skill.
    """

    repair_id: str | None = None
    approval: Approval | None = None
    fresh_repairs: bool = False
    fresh_stats: bool = False


NO_EFFECTS = Effects()


@dataclass(frozen=True, slots=True)
class Begun:
    """A change that was begun. folder: the skill's; recipe: a file of the content `recipe_hash` that comes with it.

    creates: the folder is not there before. Where row.change.after_hash is set, only files of that content will do.
    """

    row: ChangeRow
    folder: Path
    creates: bool = False
    recipe: Path | None = None
    recipe_hash: str | None = None
    effects: Effects = NO_EFFECTS


class SkillChangeTable:
    """Changes by (scope, owner, skill id)."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def begin(self, begun: Begun) -> None:
        """Write down what is about to be done; on the disk when this returns."""
        plan = {
            "folder": str(begun.folder),
            "creates": begun.creates,
            "recipe": None if begun.recipe is None else str(begun.recipe),
            "recipeHash": begun.recipe_hash,
            "evidence": begun.row.change.evidence,
            "effects": {} if begun.effects == NO_EFFECTS else asdict(begun.effects),
        }
        values = _values(begun.row, action=f"{_BEGUN}{begun.row.change.action}", evidence=json.dumps(plan))
        with self._db.write() as connection:
            _put(connection, values)

    def finish(self, row: ChangeRow) -> None:
        """Write down that a change was made (begun or not), in the caller's transaction if there is one."""
        with self._db.write() as connection:
            _put(connection, _values(row, action=row.change.action, evidence=row.change.evidence))

    def abandon(self, change_id: str) -> None:
        """Forget a change that was begun and not made."""
        with self._db.write() as connection:
            connection.execute(f"DELETE FROM skill_changes WHERE id = ? AND NOT {_FINISHED}", (change_id,))

    def begun(self) -> list[Begun]:
        """Return the changes that were begun and neither finished nor abandoned, oldest first."""
        rows = self._db.rows(f"SELECT {_COLUMNS} FROM skill_changes WHERE NOT {_FINISHED} ORDER BY id")
        return [_begun(row) for row in rows]

    def page(self, scope: Scope, owner: str, skill_id: str, *, limit: int = 1000) -> list[SkillChange]:
        """Return a skill's history, newest first."""
        rows = self._db.rows(
            f"""SELECT {_COLUMNS} FROM skill_changes WHERE scope = ? AND owner = ? AND skill_id = ? AND {_FINISHED}
                ORDER BY ts DESC, id DESC LIMIT ?""",
            (scope.value, owner, skill_id, limit),
        )
        return [_row(row).change for row in rows]

    def of_proposal(self, proposal_id: str) -> list[ChangeRow]:
        """Return the changes that a proposal caused, oldest first."""
        rows = self._db.rows(
            f"SELECT {_COLUMNS} FROM skill_changes WHERE proposal_id = ? AND {_FINISHED} ORDER BY ts, id",
            (storable(proposal_id),),
        )
        return [_row(row) for row in rows]


def _put(connection: sqlite3.Connection, values: tuple[Any, ...]) -> None:
    marks = ", ".join("?" * len(values))
    connection.execute(f"INSERT OR REPLACE INTO skill_changes ({_COLUMNS}) VALUES ({marks})", values)


def _values(row: ChangeRow, *, action: str, evidence: str | None) -> tuple[Any, ...]:
    change = row.change
    texts = (change.from_trust, change.to_trust, change.by, change.reason, evidence, change.proposal_id)
    return (
        change.id,
        to_text(change.ts),
        change.scope.value,
        row.owner,
        change.skill_id,
        action,
        *(None if text is None else storable(text) for text in texts),
        change.before_hash,
        change.after_hash,
    )


def _row(row: Any) -> ChangeRow:
    number, ts, scope, owner, skill_id, action, before, after, by, reason, evidence, proposal, old, new = row
    change = SkillChange(
        id=number,
        ts=from_text(ts),
        skill_id=skill_id,
        scope=Scope(scope),
        action=action,
        from_trust=before,
        to_trust=after,
        by=by,
        reason=reason,
        evidence=evidence,
        proposal_id=proposal,
        before_hash=old,
        after_hash=new,
    )
    return ChangeRow(change, owner)


def _begun(row: Any) -> Begun:
    read = _row(row)
    plan = json.loads(read.change.evidence or "{}")
    action = read.change.action.removeprefix(_BEGUN)
    change = read.change.model_copy(update={"action": action, "evidence": plan.get("evidence")})
    recipe = plan.get("recipe")
    return Begun(
        ChangeRow(change, read.owner),
        Path(plan["folder"]),
        creates=bool(plan.get("creates")),
        recipe=None if recipe is None else Path(recipe),
        recipe_hash=plan.get("recipeHash"),
        effects=_effects(plan.get("effects") or {}),
    )


def _effects(plan: dict[str, Any]) -> Effects:
    approval = plan.get("approval")
    return Effects(
        repair_id=plan.get("repair_id"),
        approval=None if approval is None else Approval(approval),
        fresh_repairs=bool(plan.get("fresh_repairs")),
        fresh_stats=bool(plan.get("fresh_stats")),
    )
