"""What people said of resolutions, and what that taught: utterances that survive every edit of the skill's files."""

# ruff: noqa: S608  only constant column lists are put into SQL text; values are always bound

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from wellworn.models.errors import NotFound
from wellworn.models.resolution import Verdict
from wellworn.models.skill import Scope, UtteranceField
from wellworn.store.changes import ChangeKind, append_changes
from wellworn.store.database import Database
from wellworn.store.skill_rows import dump
from wellworn.store.text_hash import storable, text_hash
from wellworn.store.timestamps import from_text, optional_from_text, to_text

_FEEDBACK = (
    "id, resolution_id, verdict, answered, expected, note, message, context, user, repo, session_id, key_id, created_at"
)
_TAUGHT = "id, scope, owner, skill_id, field, text, feedback_id, key_id, created_at, removed_at"

_BY_PERSON = """(key_id IS NULL OR EXISTS (
    SELECT 1 FROM keys WHERE keys.id = taught.key_id AND keys.role IN ('reviewer', 'admin')))"""
"""The local person has no key; what came of a key that is not known any more counts as an agent's."""
_AUTHORED = tuple(one.value for one in (UtteranceField.alias, UtteranceField.trigger, UtteranceField.example))


@dataclass(frozen=True, slots=True)
class FeedbackRow:
    """One verdict, with its own copy of the redacted message and context, which outlives the recorded resolution.

    answered: the skill that the resolution named. expected: the one that was meant; None is "none of them", or, with
    the verdict `wrong`, not known.
    """

    id: str
    resolution_id: str
    verdict: Verdict
    answered: str | None
    expected: str | None
    message: str
    created_at: datetime
    context: Mapping[str, Any] = field(default_factory=dict)
    note: str | None = None
    user: str | None = None
    repo: str | None = None
    session_id: str | None = None
    key_id: str | None = None


@dataclass(frozen=True, slots=True)
class TaughtRow:
    """A message that stands for a skill (`learned`) or against it (`negative`), kept by (scope, owner, skill id)."""

    id: str
    scope: Scope
    owner: str
    skill_id: str
    field: UtteranceField
    text: str
    created_at: datetime
    feedback_id: str | None = None
    key_id: str | None = None
    removed_at: datetime | None = None


class FeedbackTable:
    """Feedback and the taught utterances that came of it."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, feedback: FeedbackRow, taught: Sequence[TaughtRow] = ()) -> tuple[FeedbackRow, list[TaughtRow]]:
        """Store a verdict and what it teaches in one transaction; every reader learns of the changed skills.

        The last verdict of a caller on a resolution counts: what earlier ones taught is taken back. Repeating it (the
        same verdict, naming the same skill) returns what is stored already.
        """
        with self._db.write() as connection:
            first = _same(connection, feedback)
            if first is not None:
                return first, self.taught_by(first.id)
            for number in _earlier_lessons(connection, feedback):
                self.remove_taught(number, now=feedback.created_at)
            connection.execute(
                f"INSERT INTO feedback ({_FEEDBACK}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                _feedback_values(feedback),
            )
            self.teach(taught, now=feedback.created_at)
        return feedback, list(taught)

    def teach(self, rows: Sequence[TaughtRow], *, now: datetime) -> None:
        """Store taught utterances; every reader learns of the changed skills."""
        with self._db.write() as connection:
            connection.executemany(
                f"INSERT INTO taught ({_TAUGHT}, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [_taught_values(row) for row in rows],
            )
            for row in rows:
                _announce(connection, row, now)

    def get(self, feedback_id: str) -> FeedbackRow:
        """Return one verdict; raises NotFound."""
        row = self._db.row(f"SELECT {_FEEDBACK} FROM feedback WHERE id = ?", (storable(feedback_id),))
        if row is None:
            raise NotFound(f"There is no feedback {feedback_id[:80]!r}.")
        return _feedback(row)

    def labelled(self) -> Iterator[FeedbackRow]:
        """Yield the verdicts that say what was meant (`right`, `should_be`), oldest first, for refitting."""
        rows = self._db.rows(
            f"SELECT {_FEEDBACK} FROM feedback WHERE verdict IN (?, ?) ORDER BY created_at, id",
            (Verdict.right.value, Verdict.should_be.value),
        )
        return map(_feedback, rows)

    def get_taught(self, taught_id: str) -> TaughtRow:
        """Return one taught utterance, removed or not; raises NotFound."""
        row = self._db.row(f"SELECT {_TAUGHT} FROM taught WHERE id = ?", (storable(taught_id),))
        if row is None:
            raise NotFound(
                f"There is no taught utterance {taught_id[:80]!r}.",
                hint="`wellworn feedback --list SKILL_ID` lists them by id.",
            )
        return _taught(row)

    def list_taught(self, scope: Scope, owner: str, skill_id: str) -> list[TaughtRow]:
        """Return what a skill was taught and has not been removed, oldest first."""
        rows = self._db.rows(
            f"""SELECT {_TAUGHT} FROM taught
                WHERE scope = ? AND owner = ? AND skill_id = ? AND removed_at IS NULL ORDER BY created_at, id""",
            (scope.value, owner, skill_id),
        )
        return [_taught(row) for row in rows]

    def count_taught(
        self, scope: Scope, owner: str, skill_id: str, key_id: str | None, field: UtteranceField | None = None
    ) -> tuple[int, int, int]:
        """Return how many taught utterances a skill has: by anyone, by this key (None: locally), by agents' keys.

        field: `learned` or `negative`; None counts both.
        """
        total, own, agents = self._db.rows(
            f"""SELECT count(*), coalesce(sum(key_id IS ?), 0), coalesce(sum(NOT {_BY_PERSON}), 0) FROM taught
                WHERE scope = ? AND owner = ? AND skill_id = ? AND removed_at IS NULL AND field = coalesce(?, field)""",
            (key_id, scope.value, owner, skill_id, None if field is None else field.value),
        )[0]
        return total, own, agents

    def with_text(self, scope: Scope, owner: str, text: str) -> list[tuple[TaughtRow, bool]]:
        """Return the taught utterances in force with this text, each with whether a person taught it."""
        rows = self._db.rows(
            f"""SELECT {_TAUGHT}, {_BY_PERSON} FROM taught
                WHERE scope = ? AND owner = ? AND hash = ? AND removed_at IS NULL ORDER BY created_at, id""",
            (scope.value, owner, text_hash(text)),
        )
        return [(_taught(row[:-1]), bool(row[-1])) for row in rows]

    def authors_of(self, scope: Scope, owner: str, text: str) -> frozenset[str]:
        """Return the ids of the skills whose author gave this text as an alias, trigger or example."""
        rows = self._db.rows(
            """SELECT DISTINCT s.skill_id FROM skills AS s JOIN utterances AS u ON u.skill_key = s.key
               WHERE s.scope = ? AND s.owner = ? AND s.effective = 1 AND u.hash = ? AND u.field IN (?, ?, ?)""",
            (scope.value, owner, text_hash(text), *_AUTHORED),
        )
        return frozenset(skill_id for (skill_id,) in rows)

    def taught_by_key(self, key_id: str | None) -> list[TaughtRow]:
        """Return the taught utterances in force that came from one key (None: locally), oldest first."""
        rows = self._db.rows(
            f"SELECT {_TAUGHT} FROM taught WHERE key_id IS ? AND removed_at IS NULL ORDER BY created_at, id",
            (None if key_id is None else storable(key_id),),
        )
        return [_taught(row) for row in rows]

    def taught_by(self, feedback_id: str) -> list[TaughtRow]:
        """Return what one verdict taught and has not been removed."""
        rows = self._db.rows(
            f"SELECT {_TAUGHT} FROM taught WHERE feedback_id = ? AND removed_at IS NULL ORDER BY created_at, id",
            (feedback_id,),
        )
        return [_taught(row) for row in rows]

    def remove_taught(self, taught_id: str, *, now: datetime) -> TaughtRow:
        """Take back one taught utterance; removing it twice is fine. Raises NotFound for an unknown id."""
        with self._db.write() as connection:
            row = self.get_taught(taught_id)
            if row.removed_at is None:
                connection.execute("UPDATE taught SET removed_at = ? WHERE id = ?", (to_text(now), row.id))
                _announce(connection, row, now)
            return self.get_taught(taught_id)

    def forget_everything(self) -> None:
        """Delete all taught utterances for good, without telling readers: for a throw-away copy of a database."""
        with self._db.write() as connection:
            connection.execute("DELETE FROM taught")


def _same(connection: sqlite3.Connection, feedback: FeedbackRow) -> FeedbackRow | None:
    """Return the caller's last verdict on the resolution when the new one says the same."""
    row = connection.execute(
        f"""SELECT {_FEEDBACK} FROM feedback
            WHERE resolution_id = ? AND key_id IS ? ORDER BY created_at DESC, id DESC LIMIT 1""",
        (feedback.resolution_id, feedback.key_id),
    ).fetchone()
    last = None if row is None else _feedback(row)
    same = last is not None and (last.verdict, last.expected) == (feedback.verdict, feedback.expected)
    return last if same else None


def _earlier_lessons(connection: sqlite3.Connection, feedback: FeedbackRow) -> list[str]:
    """Return the ids of what the caller's earlier verdicts on the resolution taught."""
    rows = connection.execute(
        """SELECT taught.id FROM taught JOIN feedback ON feedback.id = taught.feedback_id
           WHERE feedback.resolution_id = ? AND feedback.key_id IS ? AND taught.removed_at IS NULL""",
        (feedback.resolution_id, feedback.key_id),
    ).fetchall()
    return [number for (number,) in rows]


def _announce(connection: sqlite3.Connection, taught: TaughtRow, now: datetime) -> None:
    """Log a change of the skill that counts for this id, if one does at present."""
    rows = connection.execute(
        "SELECT key FROM skills WHERE scope = ? AND owner = ? AND skill_id = ? AND +effective = 1",
        (taught.scope.value, taught.owner, taught.skill_id),
    ).fetchall()
    append_changes(connection, taught.scope, taught.owner, [(key, ChangeKind.upsert) for (key,) in rows], now)


def _feedback_values(row: FeedbackRow) -> tuple[str | None, ...]:
    return (
        row.id,
        row.resolution_id,
        row.verdict.value,
        row.answered,
        row.expected,
        None if row.note is None else storable(row.note),
        storable(row.message),
        dump(dict(row.context)),
        row.user,
        row.repo,
        row.session_id,
        row.key_id,
        to_text(row.created_at),
    )


def _feedback(values: tuple[Any, ...]) -> FeedbackRow:
    number, resolution_id, verdict, answered, expected, note, message, context, *who, created_at = values
    user, repo, session_id, key_id = who
    return FeedbackRow(
        number,
        resolution_id,
        Verdict(verdict),
        answered,
        expected,
        message,
        from_text(created_at),
        json.loads(context),
        note,
        user,
        repo,
        session_id,
        key_id,
    )


def _taught_values(row: TaughtRow) -> tuple[str | bytes | None, ...]:
    return (
        row.id,
        row.scope.value,
        row.owner,
        row.skill_id,
        row.field.value,
        storable(row.text),
        row.feedback_id,
        row.key_id,
        to_text(row.created_at),
        None if row.removed_at is None else to_text(row.removed_at),
        text_hash(row.text),
    )


def _taught(values: tuple[Any, ...]) -> TaughtRow:
    number, scope, owner, skill_id, kind, text, feedback_id, key_id, created_at, removed_at = values
    return TaughtRow(
        number,
        Scope(scope),
        owner,
        skill_id,
        UtteranceField(kind),
        text,
        from_text(created_at),
        feedback_id,
        key_id,
        optional_from_text(removed_at),
    )
