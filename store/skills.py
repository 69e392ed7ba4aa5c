"""Skills as the database holds them: written file by file, read in bulk by the index.

Every mutation keeps "which skill of an id counts" true and appends to the log of changes in the same transaction.
"""

# ruff: noqa: S608  only constant column lists and parameter marks are put into SQL text; values are always bound

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from wellworn.models.errors import Conflict, NotFound
from wellworn.models.skill import Scope, Skill, SkillCard, SkillList, SkillView, Trust, Utterance, UtteranceField
from wellworn.store import skill_views
from wellworn.store.changes import Change, ChangeKind, append_changes, changes_since, last_seq
from wellworn.store.database import Database
from wellworn.store.precedence import chunks, marks, recompute
from wellworn.store.skill_rows import CARD_COLUMNS, SKILL_COLUMNS, card_of, content_values, skill_values
from wellworn.store.sources import kind_of
from wellworn.store.text_hash import storable, text_hash
from wellworn.store.timestamps import to_text

_FIELDS = {field.value: field for field in UtteranceField}
_INSERT = f"INSERT INTO skills ({', '.join(SKILL_COLUMNS)}) VALUES ({marks(len(SKILL_COLUMNS))})"
_UPDATE = f"UPDATE skills SET {', '.join(f'{column} = ?' for column in SKILL_COLUMNS)} WHERE key = ?"
_PARTITION = "s.scope = ? AND s.owner = ? AND s.effective = 1"


@dataclass(frozen=True, slots=True)
class SkillEntry:
    """A skill to be stored, with what was derived from it.

    stamp: tells whether its files have changed since (mtime and size, say); compared as text.
    lexical: packed word counts, opaque to the store.
    """

    skill: Skill
    stamp: str
    utterances: Sequence[Utterance] = ()
    lexical: bytes | None = None


class UtteranceRow(NamedTuple):
    """An utterance of an effective skill. hash: `text_hash(text)`, the key of its vector."""

    skill_key: int
    field: UtteranceField
    text: str
    hash: bytes


class SkillText(NamedTuple):
    """What a skill says, for whoever compares texts of many skills."""

    id: str
    scope: Scope
    trust: Trust
    recipe_id: str | None
    directory: Path
    body: str


def path_text(path: Path) -> str:
    """Return the text under which a skill's directory is stored (and found again in `stamps`)."""
    return storable(str(path))


class SkillTable:
    """All skills, in partitions by (scope, owner)."""

    def __init__(self, db: Database) -> None:
        self._db = db

    # -- written by the sync of a source ---------------------------------------------------------------------------

    def stamps(self, source_id: str) -> dict[str, tuple[int, str]]:
        """Return `path_text(directory) -> (key, stamp)` of every stored skill of a source."""
        rows = self._db.rows("SELECT path, key, stamp FROM skills WHERE source_id = ?", (source_id,))
        return {path: (key, stamp) for path, key, stamp in rows}

    def counts(self) -> dict[str, int]:
        """Return how many skills each source has that has any."""
        return dict(self._db.rows("SELECT source_id, count(*) FROM skills GROUP BY source_id"))

    def put(self, source_id: str, entry: SkillEntry, *, now: datetime) -> int:
        """Store one skill in place of what its directory held before; return its key."""
        return self.put_many(source_id, [entry], now=now)[0]

    def put_many(self, source_id: str, entries: Iterable[SkillEntry], *, now: datetime) -> list[int]:
        """Store a batch in one transaction (a few hundred at a time keeps other writers waiting briefly).

        Returns the keys in order. Raises NotFound for an unregistered source, Conflict for a skill that does not
        belong to the source's scope and owner.
        """
        batch = list(entries)
        if not batch:
            return []
        with self._db.write() as connection:
            scope, owner = _partition_of(connection, source_id)
            keys: list[int] = []
            touched: set[str] = set()
            gone: list[int] = []
            for entry in batch:
                _check_partition(entry.skill, scope, owner)
                key, former = _store(connection, source_id, entry, now)
                keys.append(key)
                touched.add(entry.skill.id)
                if former is not None:
                    gone.append(former[0])
                    touched.add(former[1])
            _settle(connection, scope, owner, touched, put=keys, gone=gone, now=now)
        return keys

    def remove(self, keys: Iterable[int], *, now: datetime) -> int:
        """Remove stored skills; unknown keys are ignored. Returns how many were removed."""
        with self._db.write() as connection:
            rows = _places(connection, keys)
            connection.executemany("DELETE FROM skills WHERE key = ?", [(row[0],) for row in rows])
            for (scope, owner), ids in _by_partition(rows).items():
                _settle(connection, scope, owner, ids.values(), put=(), gone=ids.keys(), now=now)
        return len(rows)

    def record_usage(self, keys: Iterable[int], now: datetime) -> None:
        """Count one use for each occurrence of a key; unknown keys are ignored."""
        counts = Counter(keys)
        with self._db.write() as connection:
            rows = _places(connection, counts)
            connection.executemany(
                """INSERT INTO skill_stats (scope, owner, skill_id, usage_count, last_used_at) VALUES (?, ?, ?, ?, ?)
                   ON CONFLICT (scope, owner, skill_id) DO UPDATE SET
                       usage_count = usage_count + excluded.usage_count,
                       last_used_at = max(coalesce(last_used_at, ''), excluded.last_used_at)""",
                [(scope, owner, skill_id, counts[key], to_text(now)) for key, scope, owner, skill_id in rows],
            )
            for (scope, owner), ids in _by_partition(rows).items():
                append_changes(connection, scope, owner, [(key, ChangeKind.stats) for key in ids], now)

    # -- read by the index -----------------------------------------------------------------------------------------

    def partitions(self) -> list[tuple[Scope, str]]:
        """Return every (scope, owner) that holds a skill."""
        rows = self._db.rows("SELECT DISTINCT scope, owner FROM skills ORDER BY scope, owner")
        return [(Scope(scope), owner) for scope, owner in rows]

    def cards(self, scope: Scope, owner: str, keys: Iterable[int] | None = None) -> list[SkillCard]:
        """Return the effective skills of a partition by key; with `keys` only those of them that are effective."""
        with self._db.snapshot():
            vouched = {source: value == 1 for source, value in self._db.rows("SELECT id, vouched FROM sources")}
            rows = self._partition_rows(
                f"""SELECT {CARD_COLUMNS} FROM skills AS s LEFT JOIN skill_stats AS t
                        ON t.scope = s.scope AND t.owner = s.owner AND t.skill_id = s.skill_id
                    WHERE {_PARTITION}""",
                scope,
                owner,
                keys,
            )
        return [card_of(row, scope, owner, vouched) for row in rows]

    def utterances(self, scope: Scope, owner: str, keys: Iterable[int] | None = None) -> list[UtteranceRow]:
        """Return all utterances of the effective skills, by skill key: first the derived, then the taught ones."""
        wanted = None if keys is None else list(keys)
        with self._db.snapshot():
            rows = self._partition_rows(
                f"""SELECT u.skill_key, u.field, u.text, u.hash FROM skills AS s
                    JOIN utterances AS u ON u.skill_key = s.key WHERE {_PARTITION}""",
                scope,
                owner,
                wanted,
            )
            taught = self._partition_rows(
                f"""SELECT s.key, t.field, t.text, t.hash FROM skills AS s
                    JOIN taught AS t ON t.scope = s.scope AND t.owner = s.owner AND t.skill_id = s.skill_id
                    WHERE {_PARTITION} AND t.removed_at IS NULL""",
                scope,
                owner,
                wanted,
            )
        if taught:
            rows = sorted(rows + taught, key=itemgetter(0))  # stable: what was derived stays before what was taught
        return [UtteranceRow(key, _FIELDS[field], text, digest) for key, field, text, digest in rows]

    def lexicals(self, scope: Scope, owner: str, keys: Iterable[int] | None = None) -> list[tuple[int, bytes]]:
        """Return `(key, lexical)` of the effective skills that have lexical data, by key."""
        return self._partition_rows(
            f"SELECT s.key, l.data FROM skills AS s JOIN lexicals AS l ON l.skill_key = s.key WHERE {_PARTITION}",
            scope,
            owner,
            keys,
        )

    def last_seq(self) -> int:
        """Return the number of the newest change (see `store.changes`)."""
        return last_seq(self._db)

    def changes_since(self, seq: int) -> list[Change] | None:
        """Return the changes after `seq`, or None when everything must be loaded again (see `store.changes`)."""
        return changes_since(self._db, seq)

    def _partition_rows(self, select: str, scope: Scope, owner: str, keys: Iterable[int] | None) -> list[Any]:
        if keys is None:
            return self._db.rows(f"{select} ORDER BY s.key", (scope.value, owner))
        rows: list[Any] = []
        for chunk in chunks(sorted(set(keys))):
            limited = f"{select} AND s.key IN ({marks(len(chunk))}) ORDER BY s.key"
            rows += self._db.rows(limited, (scope.value, owner, *chunk))
        return rows

    # -- shown to people and programs ------------------------------------------------------------------------------

    def get(self, scope: Scope, owner: str, skill_id: str) -> SkillView:
        """Return the effective skill with this id, its body and utterances; raises NotFound."""
        return self.find(skill_id, [(scope, owner)])

    def key_of(self, scope: Scope, owner: str, skill_id: str) -> int | None:
        """Return the key of the effective skill with this id, or None when there is none."""
        row = self._db.row(
            "SELECT key FROM skills WHERE skill_id = ? AND scope = ? AND owner = ? AND +effective = 1",
            (storable(skill_id), scope.value, owner),
        )
        return None if row is None else int(row[0])

    def effective(self, keys: Iterable[int]) -> frozenset[int]:
        """Return those of the keys whose skills count, not shadowed by others of their scope and owner."""
        found: set[int] = set()
        for chunk in chunks(list(keys)):
            rows = self._db.rows(f"SELECT key FROM skills WHERE effective = 1 AND key IN ({marks(len(chunk))})", chunk)
            found.update(key for (key,) in rows)
        return frozenset(found)

    def texts(self, scope: Scope, owner: str) -> list[SkillText]:
        """Return the text of every skill of a partition that counts, disabled ones included, with where it lies."""
        rows = self._db.rows(
            f"""SELECT s.skill_id, s.trust, s.recipe_id, s.path, c.body FROM skills AS s
                JOIN contents AS c ON c.skill_key = s.key WHERE {_PARTITION} ORDER BY s.skill_id""",
            (scope.value, owner),
        )
        return [
            SkillText(skill_id, scope, Trust(trust), recipe_id, Path(path), body)
            for skill_id, trust, recipe_id, path, body in rows
        ]

    def source_of(self, scope: Scope, owner: str, skill_id: str) -> str:
        """Return the id of the source that holds the effective skill with this id; raises NotFound."""
        row = self._db.row(
            "SELECT source_id FROM skills WHERE skill_id = ? AND scope = ? AND owner = ? AND +effective = 1",
            (storable(skill_id), scope.value, owner),
        )
        if row is None:
            raise NotFound(f"There is no skill {skill_id!r} here.")
        return str(row[0])

    def find(self, ref: str, owners: Sequence[tuple[Scope, str]]) -> SkillView:
        """Return the skill that `id` or `id@scope` means to someone who sees `owners` (narrowest first), whole.

        Raises NotFound with the nearest visible ids, InvalidId, or InvalidInput for an unknown scope.
        """
        return skill_views.find(self._db, ref, owners)

    def list(
        self, owners: Sequence[tuple[Scope, str]], *, offset: int = 0, limit: int = 100, search: str | None = None
    ) -> SkillList:
        """Return one page of all skills of `owners` (narrowest first), shadowed ones included, by id.

        search: only those that have this text in their id, name or description.
        """
        return skill_views.page(self._db, owners, offset, limit, search)


def _partition_of(connection: sqlite3.Connection, source_id: str) -> tuple[Scope, str]:
    row = connection.execute("SELECT scope, owner FROM sources WHERE id = ?", (source_id,)).fetchone()
    if row is None:
        raise NotFound(f"There is no source {source_id!r}.", hint="Register it before its skills.")
    return Scope(row[0]), row[1]


def _check_partition(skill: Skill, scope: Scope, owner: str) -> None:
    if (skill.scope, skill.owner) != (scope, owner):
        raise Conflict(
            f"Skill {skill.id!r} belongs to {skill.scope} {skill.owner!r}, its source to {scope} {owner!r}.",
            hint="Read it with the scope and owner of its source.",
        )


def _store(
    connection: sqlite3.Connection, source_id: str, entry: SkillEntry, now: datetime
) -> tuple[int, tuple[int, str] | None]:
    """Write one skill's rows; return its key, and (key, id) of another skill that its directory held before."""
    path = path_text(entry.skill.directory)
    values = skill_values(source_id, entry.skill, path, entry.stamp, now)
    row = connection.execute(
        "SELECT key, skill_id FROM skills WHERE source_id = ? AND path = ?", (source_id, path)
    ).fetchone()
    former = None if row is None or row[1] == entry.skill.id else (row[0], row[1])
    if former is not None:
        connection.execute("DELETE FROM skills WHERE key = ?", (former[0],))
    if row is None or former is not None:
        key = connection.execute(_INSERT, values).lastrowid or 0
    else:
        key = row[0]
        connection.execute(_UPDATE, (*values, key))
        connection.execute("DELETE FROM utterances WHERE skill_key = ?", (key,))
        connection.execute("DELETE FROM lexicals WHERE skill_key = ?", (key,))
    _store_parts(connection, key, entry)
    return key, former


def _store_parts(connection: sqlite3.Connection, key: int, entry: SkillEntry) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO contents (skill_key, manifest, body, diagnostics) VALUES (?, ?, ?, ?)",
        (key, *content_values(entry.skill)),
    )
    if entry.lexical is not None:
        connection.execute("INSERT INTO lexicals (skill_key, data) VALUES (?, ?)", (key, entry.lexical))
    connection.executemany(
        "INSERT INTO utterances (skill_key, position, field, text, hash) VALUES (?, ?, ?, ?, ?)",
        [
            (key, position, one.field.value, storable(one.text), text_hash(one.text))
            for position, one in enumerate(entry.utterances)
        ],
    )


def _settle(
    connection: sqlite3.Connection,
    scope: Scope,
    owner: str,
    skill_ids: Iterable[str],
    *,
    put: Sequence[int],
    gone: Iterable[int],
    now: datetime,
) -> None:
    """Recompute which skills count and append the changes: of what was put, of what is gone, of what that turned."""
    turned = recompute(connection, scope, owner, skill_ids)
    kinds = dict.fromkeys(gone, ChangeKind.delete)
    for chunk in chunks(list(put)):
        rows = connection.execute(f"SELECT key, effective FROM skills WHERE key IN ({marks(len(chunk))})", chunk)
        kinds.update((key, kind_of(effective == 1)) for key, effective in rows)
    kinds.update((key, kind_of(effective)) for key, effective in turned.items())
    append_changes(connection, scope, owner, kinds.items(), now)


def _places(connection: sqlite3.Connection, keys: Iterable[int]) -> list[tuple[int, Scope, str, str]]:
    """Return (key, scope, owner, skill id) of those keys that exist."""
    rows: list[tuple[int, Scope, str, str]] = []
    for chunk in chunks(sorted(set(keys))):
        found = connection.execute(
            f"SELECT key, scope, owner, skill_id FROM skills WHERE key IN ({marks(len(chunk))})", chunk
        )
        rows += [(key, Scope(scope), owner, skill_id) for key, scope, owner, skill_id in found]
    return rows


def _by_partition(rows: Iterable[tuple[int, Scope, str, str]]) -> dict[tuple[Scope, str], dict[int, str]]:
    parts: dict[tuple[Scope, str], dict[int, str]] = defaultdict(dict)
    for key, scope, owner, skill_id in rows:
        parts[scope, owner][key] = skill_id
    return parts
