"""The folders that skills are read from, as the database knows them."""

# ruff: noqa: S608  only constant column lists and parameter marks are put into SQL text; values are always bound

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from wellworn.models.errors import NotFound
from wellworn.models.skill import Scope
from wellworn.store.changes import ChangeKind, append_changes
from wellworn.store.database import Database
from wellworn.store.precedence import recompute
from wellworn.store.text_hash import storable
from wellworn.store.timestamps import from_text, to_text

_COLUMNS = "id, path, scope, owner, rank, vouched, kind, added_at"


class SourceLike(Protocol):
    """What a source must say of itself (`store.discovery.Source` does)."""

    @property
    def id(self) -> str: ...
    @property
    def path(self) -> Path: ...
    @property
    def scope(self) -> Scope: ...
    @property
    def owner(self) -> str: ...
    @property
    def rank(self) -> int: ...
    @property
    def vouched(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class StoredSource:
    """A registered source. rank: on a collision in one (scope, owner) the lower one wins. kind: how it was found."""

    id: str
    path: Path
    scope: Scope
    owner: str
    rank: int
    vouched: bool
    kind: str
    added_at: datetime


class SourceTable:
    """Registered sources. Removing one removes its skills, not what was learned of them."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def put(self, source: SourceLike, *, kind: str, now: datetime) -> None:
        """Register or update `source`; nothing is written when nothing is new.

        A new rank or vouching takes effect on its skills at once. A source that has moved to another path, scope or
        owner loses its rows and must be read again.
        """
        with self._db.write() as connection:
            known = _find(connection, source.id)
            if known is not None and _facts(known, known.kind) == _facts(source, kind):
                return
            if known is not None and _place(known) != _place(source):
                _drop_skills(connection, known, now)
            self._db.utils().table("sources").upsert(
                {
                    "id": source.id,
                    "path": storable(str(source.path)),
                    "scope": source.scope.value,
                    "owner": source.owner,
                    "rank": source.rank,
                    "vouched": int(source.vouched),
                    "kind": kind,
                    "added_at": to_text(known.added_at if known else now),
                },
                pk="id",
            )
            if known is not None and (known.rank, known.vouched) != (source.rank, source.vouched):
                _announce(connection, source, now)

    def get(self, source_id: str) -> StoredSource:
        """Return one source; raises NotFound."""
        found = _find(self._db.read(), source_id)
        if found is None:
            raise NotFound(f"There is no source {source_id!r}.")
        return found

    def list(self) -> list[StoredSource]:
        """Return all sources by scope, owner and rank."""
        return [
            _source(row) for row in self._db.rows(f"SELECT {_COLUMNS} FROM sources ORDER BY scope, owner, rank, id")
        ]

    def remove(self, source_id: str, *, now: datetime) -> None:
        """Forget a source and its skills; raises NotFound."""
        with self._db.write() as connection:
            known = _find(connection, source_id)
            if known is None:
                raise NotFound(f"There is no source {source_id!r}.")
            _drop_skills(connection, known, now)
            connection.execute("DELETE FROM sources WHERE id = ?", (source_id,))


def _facts(source: SourceLike, kind: str) -> tuple[object, ...]:
    return (*_place(source), source.rank, source.vouched, kind)


def _place(source: SourceLike) -> tuple[str, Scope, str]:
    return storable(str(source.path)), source.scope, source.owner


def _source(row: tuple[str, str, str, str, int, int, str, str]) -> StoredSource:
    number, path, scope, owner, rank, vouched, kind, added_at = row
    return StoredSource(number, Path(path), Scope(scope), owner, rank, bool(vouched), kind, from_text(added_at))


def _find(connection: sqlite3.Connection, source_id: str) -> StoredSource | None:
    row = connection.execute(f"SELECT {_COLUMNS} FROM sources WHERE id = ?", (source_id,)).fetchone()
    return None if row is None else _source(row)


def _drop_skills(connection: sqlite3.Connection, source: StoredSource, now: datetime) -> None:
    rows = connection.execute("SELECT key, skill_id FROM skills WHERE source_id = ?", (source.id,)).fetchall()
    connection.execute("DELETE FROM skills WHERE source_id = ?", (source.id,))
    turned = recompute(connection, source.scope, source.owner, [skill_id for _, skill_id in rows])
    changed = {key: ChangeKind.delete for key, _ in rows}
    changed.update((key, kind_of(effective)) for key, effective in turned.items())
    append_changes(connection, source.scope, source.owner, changed.items(), now)


def _announce(connection: sqlite3.Connection, source: SourceLike, now: datetime) -> None:
    rows = connection.execute("SELECT key, skill_id FROM skills WHERE source_id = ?", (source.id,)).fetchall()
    turned = recompute(connection, source.scope, source.owner, [skill_id for _, skill_id in rows])
    touched = sorted({key for key, _ in rows} | turned.keys())
    effective = dict(
        connection.execute("SELECT key, effective FROM skills WHERE source_id = ?", (source.id,)).fetchall()
    )
    kinds = [(key, kind_of(turned.get(key, bool(effective.get(key))))) for key in touched]
    append_changes(connection, source.scope, source.owner, kinds, now)


def kind_of(effective: bool) -> ChangeKind:
    """Return what a change means to a reader of the effective skills."""
    return ChangeKind.upsert if effective else ChangeKind.delete
