"""Which of several skills with the same id in one (scope, owner) counts: the lowest source rank, then the path."""

# ruff: noqa: S608  only constant column lists and parameter marks are put into SQL text; values are always bound

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple, TypeVar

from wellworn.models.skill import Scope

T = TypeVar("T")
CHUNK = 500  # parameters of one statement; SQLite's own limit is 999 in old builds


class Contender(NamedTuple):
    """A stored skill among those of the same (scope, owner, id), with what is stored of its standing."""

    skill_id: str
    rank: int
    path: str
    key: int
    effective: bool
    shadowed_by: str | None


class Standing(NamedTuple):
    """What one contender's standing must become."""

    key: int
    effective: bool
    shadowed_by: str | None


def standings(contenders: Iterable[Contender]) -> list[Standing]:
    """Return every contender's standing: per id the first by (rank, path, key) is effective and shadows the rest."""
    ordered = sorted(contenders, key=lambda one: (one.skill_id, one.rank, one.path, one.key))
    result = []
    for _, group in groupby(ordered, key=lambda one: one.skill_id):
        winner, *losers = group
        result.append(Standing(winner.key, True, None))
        result.extend(Standing(loser.key, False, winner.path) for loser in losers)
    return result


def recompute(connection: sqlite3.Connection, scope: Scope, owner: str, skill_ids: Iterable[str]) -> dict[int, bool]:
    """Store the standings for these ids only; return, for each key whose standing changed, whether it is effective."""
    changed: dict[int, bool] = {}
    for chunk in chunks(sorted(set(skill_ids))):
        contenders = _contenders(connection, scope, owner, chunk)
        known = {one.key: (one.effective, one.shadowed_by) for one in contenders}
        new = [one for one in standings(contenders) if known[one.key] != (one.effective, one.shadowed_by)]
        connection.executemany(
            "UPDATE skills SET effective = ?, shadowed_by = ? WHERE key = ?",
            [(one.effective, one.shadowed_by, one.key) for one in new],
        )
        changed.update((one.key, one.effective) for one in new)
    return changed


def _contenders(connection: sqlite3.Connection, scope: Scope, owner: str, skill_ids: Sequence[str]) -> list[Contender]:
    rows = connection.execute(
        f"""SELECT s.skill_id, sources.rank, s.path, s.key, s.effective, s.shadowed_by
            FROM skills AS s JOIN sources ON sources.id = s.source_id
            WHERE s.scope = ? AND s.owner = ? AND s.skill_id IN ({marks(len(skill_ids))})""",
        (scope.value, owner, *skill_ids),
    )
    return [Contender(one, rank, path, key, bool(wins), by) for one, rank, path, key, wins, by in rows]


def chunks(items: Sequence[T], size: int = CHUNK) -> Iterator[Sequence[T]]:
    """Cut `items` into pieces that fit one statement."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def marks(count: int) -> str:
    """Return `?,?,?` for an IN list of `count` parameters."""
    return ",".join("?" * count)
