"""The log of changes to skills: how one process learns what another has written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from wellworn.models.skill import Scope
from wellworn.store.database import Database
from wellworn.store.timestamps import to_text

KEPT = 100_000
_INSERT = "INSERT INTO changes (scope, owner, skill_key, kind, ts) VALUES (?, ?, ?, ?, ?)"


class ChangeKind(StrEnum):
    """upsert: load the skill's card, utterances and lexical data (again). delete: it is no longer among the cards of
    its partition (removed, or shadowed within it). stats: only the card's stats are new."""

    upsert = "upsert"
    delete = "delete"
    stats = "stats"


class Change(NamedTuple):
    """One entry; `seq` grows, also across processes."""

    seq: int
    scope: Scope
    owner: str
    skill_key: int
    kind: ChangeKind


def append_changes(
    connection: sqlite3.Connection,
    scope: Scope,
    owner: str,
    changed: Iterable[tuple[int, ChangeKind]],
    now: datetime,
) -> None:
    """Append to the log, inside the caller's transaction, and drop what is older than the last `KEPT` entries."""
    moment = to_text(now)
    connection.executemany(_INSERT, [(scope.value, owner, key, kind.value, moment) for key, kind in changed])
    connection.execute("DELETE FROM changes WHERE seq <= (SELECT max(seq) FROM changes) - ?", (KEPT,))


def last_seq(db: Database) -> int:
    """Return the number of the newest change; 0 before the first. Cheap enough to ask several times a second."""
    newest: int | None = db.rows("SELECT max(seq) FROM changes")[0][0]
    return newest or 0


def changes_since(db: Database, seq: int) -> list[Change] | None:
    """Return the changes after `seq`, oldest first; None when they are not all known any more: then load everything.

    A `seq` from the future means that the database was replaced by another one; that is None as well.
    """
    with db.snapshot() as connection:
        oldest, newest = connection.execute("SELECT min(seq), max(seq) FROM changes").fetchone()
        if newest is None:
            return [] if seq == 0 else None
        if seq > newest or seq + 1 < oldest:
            return None
        rows = connection.execute(
            "SELECT seq, scope, owner, skill_key, kind FROM changes WHERE seq > ? ORDER BY seq", (seq,)
        ).fetchall()
    return [Change(number, Scope(scope), owner, key, ChangeKind(kind)) for number, scope, owner, key, kind in rows]
