"""What the files of skills were at each time that they changed; content that is the same is stored once.

By (scope, owner, skill id): versions survive moved, rewritten and deleted files.
"""

# ruff: noqa: S608  only constant column lists and parameter marks are put into SQL text; values are always bound

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from wellworn.models.errors import NotFound
from wellworn.models.repair import SkillVersion
from wellworn.models.skill import Scope
from wellworn.store.database import Database
from wellworn.store.precedence import chunks, marks
from wellworn.store.skill_read import SkillBytes
from wellworn.store.skill_state import state_hash
from wellworn.store.text_hash import storable
from wellworn.store.timestamps import from_text, to_text

KEPT = 100
"""So many versions of a skill are kept; the oldest go."""
SEEN, BY_HAND = "seen", "edited by hand"
"""Actions of what was found in the files: for the first time, and otherwise than it was known."""
NOBODY, SOMEBODY = "wellworn", "local"
_LEVEL = 1  # of zlib: an import of thousands of skills waits for it
_COLUMNS = "number, ts, skill_id, scope, hash, action, by, reason"
_PLACE = "scope = ? AND owner = ? AND skill_id = ?"


class Known(NamedTuple):
    """What is stored of a skill's latest version."""

    number: int
    hash: str
    action: str


class VersionTable:
    """Versions of skills, counted from 1 for each."""

    def __init__(self, db: Database) -> None:
        self._db = db

    # -- written -----------------------------------------------------------------------------------------------------

    def note(
        self,
        scope: Scope,
        owner: str,
        skill_id: str,
        state: SkillBytes,
        *,
        action: str,
        by: str,
        now: datetime,
        reason: str | None = None,
        change_id: str | None = None,
    ) -> None:
        """Keep the files' content as the latest version, in the caller's transaction if there is one.

        What is the latest already is not kept twice; when it was taken for an edit by hand, it is known better now.
        """
        digest = state_hash(state)
        if digest is None:
            return
        place = (scope.value, owner, skill_id)
        with self._db.write() as connection:
            last = _latest(connection, scope, owner, [skill_id]).get(skill_id)
            told = (action, storable(by), None if reason is None else storable(reason), change_id)
            if last is None or last.hash != digest:
                _put(connection, [(*place, 1 if last is None else last.number + 1, to_text(now), state, digest, *told)])
                _prune(connection, [skill_id], scope, owner)
            elif last.action == BY_HAND and change_id is not None:
                connection.execute(
                    f"UPDATE skill_versions SET action = ?, by = ?, reason = ?, change_id = ? WHERE {_PLACE}"
                    " AND number = ?",
                    (*told, *place, last.number),
                )

    def note_found(self, scope: Scope, owner: str, found: Iterable[tuple[str, SkillBytes]], *, now: datetime) -> None:
        """Keep what was found in the files of skills (id, content), where it is not the latest version already."""
        states = {skill_id: state for skill_id, state in found if state_hash(state) is not None}
        with self._db.write() as connection:
            known = _latest(connection, scope, owner, list(states))
            rows = []
            for skill_id, state in states.items():
                last, digest = known.get(skill_id), state_hash(state)
                if last is not None and last.hash == digest:
                    continue
                told = (SEEN, NOBODY) if last is None else (BY_HAND, SOMEBODY)
                number = 1 if last is None else last.number + 1
                rows.append((scope.value, owner, skill_id, number, to_text(now), state, digest, *told, None, None))
            _put(connection, rows)
            _prune(connection, [row[2] for row in rows if row[3] > KEPT], scope, owner)

    # -- read --------------------------------------------------------------------------------------------------------

    def page(self, scope: Scope, owner: str, skill_id: str) -> list[SkillVersion]:
        """Return the versions of a skill, newest first; none for one that was never seen."""
        rows = self._db.rows(
            f"SELECT {_COLUMNS} FROM skill_versions WHERE {_PLACE} ORDER BY number DESC",
            (scope.value, owner, storable(skill_id)),
        )
        return [_version(row) for row in rows]

    def content(self, scope: Scope, owner: str, skill_id: str, number: int) -> SkillBytes:
        """Return the files' content of one version, without paths. Raises NotFound."""
        row = self._db.row(
            f"""SELECT a.data, b.data FROM skill_versions AS v
                LEFT JOIN file_contents AS a ON a.hash = v.skill_md LEFT JOIN file_contents AS b ON b.hash = v.manifest
                WHERE {_PLACE} AND number = ?""",
            (scope.value, owner, storable(skill_id), number),
        )
        if row is None:
            raise NotFound(
                f"{skill_id} has no version {number}.", hint=f"`wellworn skills log {skill_id}` lists them.", field="to"
            )
        skill_md, manifest = (None if data is None else zlib.decompress(data) for data in row)
        return SkillBytes(skill_md=skill_md, manifest=manifest)


def _latest(connection: sqlite3.Connection, scope: Scope, owner: str, skill_ids: Sequence[str]) -> dict[str, Known]:
    found: dict[str, Known] = {}
    for chunk in chunks(skill_ids):
        rows = connection.execute(
            f"""SELECT skill_id, max(number), hash, action FROM skill_versions
                WHERE scope = ? AND owner = ? AND skill_id IN ({marks(len(chunk))}) GROUP BY skill_id""",
            (scope.value, owner, *chunk),
        )
        found.update({skill_id: Known(*rest) for skill_id, *rest in rows})
    return found


def _put(connection: sqlite3.Connection, rows: Iterable[tuple[Any, ...]]) -> None:
    contents: dict[bytes, bytes] = {}
    values = []
    for scope, owner, skill_id, number, ts, state, digest, action, by, reason, change_id in rows:
        hashes = []
        for data in (state.skill_md, state.manifest):
            hashes.append(None if data is None else hashlib.sha256(data).digest())
            if data is not None:
                contents[hashes[-1] or b""] = data
        values.append((scope, owner, skill_id, number, ts, digest, *hashes, action, by, reason, change_id))
    connection.executemany(
        "INSERT OR IGNORE INTO file_contents (hash, data) VALUES (?, ?)",
        [(digest, zlib.compress(data, _LEVEL)) for digest, data in contents.items()],
    )
    connection.executemany(
        """INSERT INTO skill_versions (scope, owner, skill_id, number, ts, hash, skill_md, manifest, action, by, reason,
               change_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        values,
    )


def _prune(connection: sqlite3.Connection, skill_ids: Sequence[str], scope: Scope, owner: str) -> None:
    for skill_id in skill_ids:
        place = (scope.value, owner, skill_id)
        old = f"{_PLACE} AND number <= (SELECT max(number) FROM skill_versions WHERE {_PLACE}) - {KEPT}"
        gone = connection.execute(f"SELECT skill_md, manifest FROM skill_versions WHERE {old}", place * 2).fetchall()
        if not gone:
            continue
        connection.execute(f"DELETE FROM skill_versions WHERE {old}", place * 2)
        connection.executemany(
            """DELETE FROM file_contents WHERE hash = ?1
               AND NOT EXISTS (SELECT 1 FROM skill_versions WHERE skill_md = ?1 OR manifest = ?1)""",
            [(one,) for one in {one for row in gone for one in row if one is not None}],
        )


def _version(row: Any) -> SkillVersion:
    number, ts, skill_id, scope, digest, action, by, reason = row
    return SkillVersion(
        number=number,
        ts=from_text(ts),
        skill_id=skill_id,
        scope=Scope(scope),
        hash=digest,
        action=action,
        by=by,
        reason=reason,
    )
