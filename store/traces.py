"""What was observed, in the order of arrival. Events arrive here already redacted and cut."""

# ruff: noqa: S608  only constant column lists are put into SQL text; values are always bound

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from pydantic_core import PydanticSerializationError, to_json

from wellworn.models.errors import InvalidInput, NotFound
from wellworn.models.skill import Risk
from wellworn.models.trace import TraceEvent, TraceKind
from wellworn.store.database import Database
from wellworn.store.text_hash import storable
from wellworn.store.timestamps import from_text, to_text

_COLUMNS = "seq, user, id, ts, session_id, repo, kind, summary, tags, success, risk, data, key_id"
_PRUNE_BATCH = 2000  # rows of one transaction, so that pruning never keeps other writers waiting for long
_BOUND = 500  # values of one IN list
_CURSOR = re.compile(r"([0-9:T.+-]{32})_([0-9]{1,18})", re.ASCII)
_SHOWN = 80
_KINDS, _RISKS = {kind.value: kind for kind in TraceKind}, {risk.value: risk for risk in Risk}
_RESTS_ON = """EXISTS (SELECT 1 FROM evidence AS e JOIN proposals AS p ON p.id = e.proposal_id
    WHERE e.user = traces.user AND e.trace_id = traces.id AND p.status IN ('suggested', 'accepted'))"""


class TraceRow(NamedTuple):
    """A stored event of `user`. seq: grows with arrival, is never given twice. key_id: which key sent it."""

    seq: int
    user: str
    id: str
    ts: datetime
    session_id: str
    repo: str | None
    kind: TraceKind
    summary: str
    tags: list[str]
    success: bool | None
    risk: Risk | None
    data: dict[str, Any]
    key_id: str | None

    @property
    def event(self) -> TraceEvent:
        """As the API shows it."""
        return TraceEvent(
            id=self.id,
            ts=self.ts,
            session_id=self.session_id,
            repo=self.repo,
            user=self.user,
            kind=self.kind,
            summary=self.summary,
            tags=self.tags,
            success=self.success,
            risk=self.risk,
            data=self.data,
        )


@dataclass(frozen=True, slots=True)
class TraceFilter:
    """Which events a page shows; None: any. repos: those that may be seen, beside events of no repo.

    since: from then on; until: before then.
    """

    session_id: str | None = None
    repo: str | None = None
    kind: TraceKind | None = None
    tag: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    success: bool | None = None
    id: str | None = None
    repos: Collection[str] | None = None


class TraceCount(NamedTuple):
    """How many events of a user are kept, and when the latest of them happened."""

    user: str
    events: int
    last: datetime


class Age(StrEnum):
    """What an event's age counts from: when it happened, or when it arrived (history may be imported years later)."""

    happened = "ts"
    arrived = "received_at"


class TraceTable:
    """All events, each of one user; ids are unique to a user."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add_many(
        self, user: str, events: Sequence[TraceEvent], *, now: datetime, key_id: str | None = None
    ) -> tuple[int, int]:
        """Store a batch in one transaction; return how many are new and how many ids were there already.

        Every event has an id, a time and a session. What is stored under an id already stays as it is.
        """
        arrived = to_text(now)
        values = [_values(user, event, key_id, arrived) for event in events]
        with self._db.write() as connection:
            accepted = connection.executemany(
                """INSERT OR IGNORE INTO traces (user, id, ts, session_id, repo, kind, summary, tags, success, risk,
                       data, key_id, received_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                values,
            ).rowcount
        return accepted, len(values) - accepted

    def known(self, user: str, ids: Iterable[str]) -> set[str]:
        """Return those of `ids` that are stored."""
        found: set[str] = set()
        for some in _chunks([storable(one) for one in ids]):
            marks = ", ".join("?" * len(some))
            rows = self._db.rows(f"SELECT id FROM traces WHERE user = ? AND id IN ({marks})", (storable(user), *some))
            found.update(one for (one,) in rows)
        return found

    def get(self, user: str, trace_id: str) -> TraceRow:
        """Return one event of a user; raises NotFound."""
        row = self._db.row(
            f"SELECT {_COLUMNS} FROM traces WHERE user = ? AND id = ?", (storable(user), storable(trace_id))
        )
        if row is None:
            raise no_trace(trace_id)
        return _row(row)

    def page(
        self, user: str, wanted: TraceFilter | None = None, *, limit: int = 100, cursor: str | None = None
    ) -> tuple[list[TraceRow], str | None]:
        """Return a user's events, the latest first, and the cursor that leads to the next page (None: no more).

        Raises InvalidInput for a limit below 1 or a cursor that no page gave.
        """
        if limit < 1:
            raise InvalidInput("A page needs a limit of 1 or more.", field="limit")
        where, values = _where(user, wanted or TraceFilter())
        if cursor is not None:
            where.append("(ts, seq) < (?, ?)")
            values.extend(_read_cursor(cursor))
        rows = self._db.rows(
            f"SELECT {_COLUMNS} FROM traces WHERE {' AND '.join(where)} ORDER BY ts DESC, seq DESC LIMIT ?",
            (*values, limit + 1),
        )
        found = [_row(row) for row in rows[:limit]]
        return found, f"{to_text(found[-1].ts)}_{found[-1].seq}" if len(rows) > limit else None

    def events_after(self, user: str, seq: int, limit: int = 10_000) -> list[TraceRow]:
        """Return up to `limit` of a user's events that arrived after the one with that number, in order of arrival."""
        rows = self._db.rows(
            # +user: by the number, which is the order asked for, and not by an index that would have to be sorted
            f"SELECT {_COLUMNS} FROM traces WHERE +user = ? AND seq > ? ORDER BY seq LIMIT ?",
            (storable(user), seq, limit),
        )
        return [_row(row) for row in rows]

    def by_seqs(self, user: str, seqs: Iterable[int]) -> list[TraceRow]:
        """Return a user's events of those numbers, in order of arrival; numbers of removed events give nothing."""
        found: list[TraceRow] = []
        for some in _chunks(sorted(set(seqs))):
            marks = ", ".join("?" * len(some))
            rows = self._db.rows(
                f"SELECT {_COLUMNS} FROM traces WHERE +user = ? AND seq IN ({marks}) ORDER BY seq",
                (storable(user), *some),
            )
            found += [_row(row) for row in rows]
        return found

    def last_seq(self, user: str) -> int:
        """Return the number of a user's event that arrived last; 0 when there is none."""
        row = self._db.row("SELECT seq FROM traces WHERE +user = ? ORDER BY seq DESC LIMIT 1", (storable(user),))
        return 0 if row is None else int(row[0])

    def counts(self) -> list[TraceCount]:
        """Return for every user how many events are kept and when the latest happened, by name of the user."""
        rows = self._db.rows("SELECT user, count(*), max(ts) FROM traces GROUP BY user ORDER BY user")
        return [TraceCount(user, number, from_text(last)) for user, number, last in rows]

    def prune(
        self,
        *,
        before: datetime | None = None,
        age: Age = Age.arrived,
        keep: int | None = None,
        user: str | None = None,
        dry_run: bool = False,
    ) -> int:
        """Remove events older than `before`, and all but the last `keep` of each user; return how many (would) go.

        user: only theirs. What a waiting or accepted proposal rests on stays. Removes in small transactions.
        """
        batches = self._doomed(before, age, keep, user)
        if dry_run:
            return len({seq for seqs in batches for seq in seqs})
        return sum(map(self._remove, batches))

    def _doomed(self, before: datetime | None, age: Age, keep: int | None, user: str | None) -> Iterator[list[int]]:
        theirs = ("", ()) if user is None else (" AND +user = ?", (storable(user),))
        if before is not None:
            yield from self._batches(f"{age.value} < ?{theirs[0]}", (to_text(before), *theirs[1]))
        if keep is None:
            return
        for count in self.counts():
            if count.events > keep and user in (None, count.user):
                yield from self._batches("+user = ? AND seq <= ?", (count.user, self._last_beyond(count.user, keep)))

    def _last_beyond(self, user: str, keep: int) -> int:
        """Return the number of the newest event that is not among a user's last `keep`; 0 when there is none."""
        row = self._db.row(
            "SELECT seq FROM traces WHERE +user = ? ORDER BY seq DESC LIMIT 1 OFFSET ?", (storable(user), keep)
        )
        return 0 if row is None else int(row[0])

    def _batches(self, where: str, values: tuple[Any, ...]) -> Iterator[list[int]]:
        """Find, without keeping writers out, what may go, in order of arrival."""
        last = 0
        while True:
            rows = self._db.rows(
                f"SELECT seq FROM traces WHERE seq > ? AND {where} AND NOT {_RESTS_ON} ORDER BY seq LIMIT ?",
                (last, *values, _PRUNE_BATCH),
            )
            if not rows:
                return
            last = rows[-1][0]
            yield [seq for (seq,) in rows]

    def _remove(self, seqs: Sequence[int]) -> int:
        with self._db.write() as connection:  # looked at again: a proposal may have come to rest on one meanwhile
            return connection.executemany(
                f"DELETE FROM traces WHERE seq = ? AND NOT {_RESTS_ON}", [(seq,) for seq in seqs]
            ).rowcount


def no_trace(trace_id: str) -> NotFound:
    """The error for an event that is not there, or not the caller's."""
    shown = trace_id if len(trace_id) <= _SHOWN else trace_id[:_SHOWN] + "..."
    return NotFound(
        f"There is no trace event {storable(shown)!r}.", hint="`wellworn trace list` shows those there are."
    )


def _where(user: str, wanted: TraceFilter) -> tuple[list[str], list[Any]]:
    where, values = ["user = ?"], [storable(user)]
    tests = (
        ("id = ?", wanted.id),
        ("session_id = ?", wanted.session_id),
        ("repo = ?", wanted.repo),
        ("kind = ?", wanted.kind),
        ("EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)", wanted.tag),
        ("ts >= ?", wanted.since),
        ("ts < ?", wanted.until),
        ("success = ?", wanted.success),
    )
    for test, value in tests:
        if value is not None:
            where.append(test)
            values.append(_bound(value))
    if wanted.repos is not None:
        marks = ", ".join("?" * len(wanted.repos))
        where.append(f"(repo IS NULL OR repo IN ({marks}))")
        values.extend(storable(repo) for repo in wanted.repos)
    return where, values


def _bound(value: str | bool | datetime) -> Any:
    if isinstance(value, datetime):
        return _moment(value)
    return storable(value) if isinstance(value, str) else int(value)


def _moment(value: datetime) -> str:
    try:
        return to_text(value)
    except OverflowError:  # the first and last day there are, elsewhere on earth
        return to_text(value.replace(tzinfo=None))


def _read_cursor(cursor: str) -> tuple[str, int]:
    found = _CURSOR.fullmatch(cursor)
    if found is None:
        raise InvalidInput("That cursor is not one that a page gave.", hint="Begin without one.", field="cursor")
    return found[1], int(found[2])


def _chunks(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(values), _BOUND):
        yield values[start : start + _BOUND]


def _text(text: str) -> str:
    return text if text.isascii() else storable(text)


def _dump(value: Any) -> str:
    try:
        return to_json(value).decode()
    except PydanticSerializationError:  # a lone surrogate; what `storable` writes for it would be read back as one
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()


def _values(user: str, event: TraceEvent, key_id: str | None, arrived: str) -> tuple[Any, ...]:
    if event.id is None or event.ts is None or event.session_id is None:
        raise InvalidInput("A trace event needs an id, a time and a session.", field="id")
    return (
        _text(user),
        _text(event.id),
        to_text(event.ts),
        _text(event.session_id),
        None if event.repo is None else _text(event.repo),
        event.kind.value,
        _text(event.summary),
        _dump(event.tags) if event.tags else None,
        event.success,
        None if event.risk is None else event.risk.value,
        _dump(event.data) if event.data else None,
        key_id,
        arrived,
    )


def _row(values: tuple[Any, ...]) -> TraceRow:
    seq, user, number, ts, session_id, repo, kind, summary, tags, success, risk, data, key_id = values
    return TraceRow(
        seq,
        user,
        number,
        from_text(ts),
        session_id,
        repo,
        _KINDS[kind],
        summary,
        json.loads(tags) if tags else [],
        None if success is None else bool(success),
        _RISKS[risk] if risk else None,
        json.loads(data) if data else {},
        key_id,
    )
