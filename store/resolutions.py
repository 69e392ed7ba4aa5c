"""The record of answered messages. Messages arrive here already redacted; the table keeps them for a set time only."""

# ruff: noqa: S608  only constant column lists are put into SQL text; values are always bound

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from wellworn.models.errors import NotFound
from wellworn.models.resolution import Decision, IntentResolution
from wellworn.store.database import Database
from wellworn.store.skill_rows import dump
from wellworn.store.text_hash import storable
from wellworn.store.timestamps import from_text, to_text

NO_RECORD_HINT = "It may be older than the time that resolutions are kept, or recording is switched off."
_PRUNE_BATCH = 2000  # rows of one transaction, so that pruning never keeps other writers waiting for long
_COLUMNS = "id, ts, message, context, answer, user, repo, session_id, key_id"


@dataclass(frozen=True, slots=True)
class ResolutionRow:
    """One answered message. message, context: redacted by the caller; context in wire names. key_id: who asked."""

    ts: datetime
    message: str
    resolution: IntentResolution
    context: Mapping[str, Any] = field(default_factory=dict)
    user: str | None = None
    repo: str | None = None
    session_id: str | None = None
    key_id: str | None = None

    @property
    def id(self) -> str:
        return self.resolution.resolution_id


class ResolutionTable:
    """Recorded resolutions by id."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def record_many(self, rows: Iterable[ResolutionRow]) -> None:
        """Record a batch in one transaction; an id that is recorded already keeps its first row."""
        values = [_values(row) for row in rows]
        with self._db.write() as connection:
            connection.executemany(
                f"INSERT OR IGNORE INTO resolutions ({_COLUMNS}, decision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            )

    def get(self, resolution_id: str) -> ResolutionRow:
        """Return one recorded resolution; raises NotFound."""
        row = self._db.row(f"SELECT {_COLUMNS} FROM resolutions WHERE id = ?", (storable(resolution_id),))
        if row is None:
            raise NotFound(
                f"There is no recorded resolution {resolution_id[:80]!r}.",
                hint=NO_RECORD_HINT,
            )
        return _row(row)

    def misses(self, limit: int = 100) -> list[ResolutionRow]:
        """Return the latest resolutions that found no skill, newest first."""
        rows = self._db.rows(
            f"SELECT {_COLUMNS} FROM resolutions WHERE decision = ? ORDER BY ts DESC, id DESC LIMIT ?",
            (Decision.none.value, limit),
        )
        return [_row(row) for row in rows]

    def count(self) -> int:
        """Return how many resolutions are recorded."""
        total: int = self._db.rows("SELECT count(*) FROM resolutions")[0][0]
        return total

    def prune(self, older_than: datetime) -> int:
        """Delete what was recorded before `older_than`; return how many. Feedback keeps its own copy of the message."""
        removed = 0
        while True:
            with self._db.write() as connection:
                batch = connection.execute(
                    "DELETE FROM resolutions WHERE id IN (SELECT id FROM resolutions WHERE ts < ? LIMIT ?)",
                    (to_text(older_than), _PRUNE_BATCH),
                ).rowcount
            removed += batch
            if batch < _PRUNE_BATCH:
                return removed


def _values(row: ResolutionRow) -> tuple[str | None, ...]:
    answer = row.resolution.model_dump_json(by_alias=True)
    return (
        row.id,
        to_text(row.ts),
        storable(row.message),
        dump(dict(row.context)),
        answer,
        row.user,
        row.repo,
        row.session_id,
        row.key_id,
        row.resolution.decision.value,
    )


def _row(values: tuple[Any, ...]) -> ResolutionRow:
    _, ts, message, context, answer, user, repo, session_id, key_id = values
    resolution = IntentResolution.model_validate_json(answer)
    return ResolutionRow(from_text(ts), message, resolution, json.loads(context), user, repo, session_id, key_id)
