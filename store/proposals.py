"""What was proposed, what it rests on, and what a person decided about it."""

# ruff: noqa: S608  only constant column lists and parameter marks are put into SQL text; values are always bound

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from wellworn.models.errors import Conflict, InvalidInput, NotFound
from wellworn.models.proposal import Proposal, ProposalStatus, Signal
from wellworn.store.database import Database
from wellworn.store.precedence import marks
from wellworn.store.text_hash import storable
from wellworn.store.timestamps import to_text

DECIDED = frozenset({ProposalStatus.accepted, ProposalStatus.rejected, ProposalStatus.superseded})
"""From these a proposal does not come back; a later one may stand in its place."""
_COLUMNS = "user, data, pattern, weight"
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class ProposalRow:
    """A proposal from the traces of `user`.

    pattern: by what the miner knows the same friction again, opaque to the store. weight: its evidence at that time.
    """

    user: str
    proposal: Proposal
    pattern: str
    weight: int

    @property
    def id(self) -> str:
        return self.proposal.id

    @property
    def status(self) -> ProposalStatus:
        return self.proposal.status


class KnownPattern(NamedTuple):
    """What the miner must remember of one proposal."""

    proposal_id: str
    pattern: str
    signal: Signal
    status: ProposalStatus
    weight: int


class ProposalTable:
    """All proposals, each of one user."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def put(self, row: ProposalRow) -> None:
        """Store a proposal, or refresh one that waits, with the events that it rests on.

        Raises Conflict when the proposal of that id is decided already.
        """
        proposal = row.proposal
        with self._db.write() as connection:
            known = _find(connection, row.id)
            if known is not None:
                check_undecided(known.proposal)
            connection.execute(
                """INSERT OR REPLACE INTO proposals (id, user, repo, session_id, status, signal, pattern, weight, data,
                       created_at, decided_at, decided_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                _values(row),
            )
            connection.execute("DELETE FROM evidence WHERE proposal_id = ?", (row.id,))
            connection.executemany(
                "INSERT OR IGNORE INTO evidence (user, trace_id, proposal_id) VALUES (?, ?, ?)",
                [(row.user, storable(event), row.id) for event in proposal.candidate.evidence_event_ids],
            )

    def get(self, user: str | None, proposal_id: str) -> ProposalRow:
        """Return one proposal of `user` (None: of anyone); raises NotFound."""
        found = _find(self._db.read(), proposal_id)
        if found is None or (user is not None and found.user != user):
            raise NotFound(
                f"There is no proposal {proposal_id[:_SHOWN]!r}.", hint="`wellworn skills proposals` lists them."
            )
        return found

    def page(
        self,
        user: str | None,
        *,
        status: ProposalStatus | None = None,
        repo: str | None = None,
        repos: Sequence[str] = (),
        offset: int = 0,
        limit: int = 100,
    ) -> tuple[list[ProposalRow], int]:
        """Return one page of a user's proposals (None: everybody's), newest first, and how many there are in all.

        repo: only those of it. repos: when any are named, no proposal of another repo (those of none are kept).
        Raises InvalidInput for a negative offset or a limit below 1.
        """
        if offset < 0 or limit < 1:
            raise InvalidInput("A page needs an offset of 0 or more and a limit of 1 or more.", field="offset")
        wanted = {"user": user, "status": None if status is None else status.value, "repo": repo}
        given = {column: storable(value) for column, value in wanted.items() if value is not None}
        clauses = [f"{column} = ?" for column in given]
        if repos:
            clauses.append(f"(repo IS NULL OR repo IN ({marks(len(repos))}))")
        where = f"WHERE {' AND '.join(clauses)}" if clauses else ""
        values = (*given.values(), *map(storable, repos))
        with self._db.snapshot():
            total: int = self._db.rows(f"SELECT count(*) FROM proposals {where}", values)[0][0]
            rows = self._db.rows(
                f"SELECT {_COLUMNS} FROM proposals {where} ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?",
                (*values, limit, offset),
            )
        return [_row(row) for row in rows], total

    def known(self, user: str) -> list[KnownPattern]:
        """Return what is known of every proposal of a user, decided or not, oldest first."""
        rows = self._db.rows(
            "SELECT id, pattern, signal, status, weight FROM proposals WHERE user = ? ORDER BY created_at, id", (user,)
        )
        return [KnownPattern(one, what, Signal(how), ProposalStatus(status), n) for one, what, how, status, n in rows]

    def evidence(self, user: str) -> dict[str, set[str]]:
        """Return by proposal the ids of the events that it rests on."""
        found: dict[str, set[str]] = {}
        for proposal_id, event in self._db.rows("SELECT proposal_id, trace_id FROM evidence WHERE user = ?", (user,)):
            found.setdefault(proposal_id, set()).add(event)
        return found

    def decide(
        self, proposal_id: str, status: ProposalStatus, *, by: str, reason: str | None = None, now: datetime
    ) -> Proposal:
        """Write down a decision and return the proposal as it stands then.

        Raises NotFound, and Conflict saying when and by whom when it is decided already.
        """
        with self._db.write() as connection:
            row = self.get(None, proposal_id)
            check_undecided(row.proposal)
            decision = {"status": status, "decided_at": now, "decided_by": by, "decision_reason": reason}
            decided = row.proposal.model_copy(update=decision)
            connection.execute(
                "UPDATE proposals SET status = ?, data = ?, decided_at = ?, decided_by = ? WHERE id = ?",
                (status.value, _dump(decided), to_text(now), storable(by), proposal_id),
            )
        return decided

    def supersede(self, proposal_id: str, *, by_proposal: str, now: datetime) -> Proposal:
        """Let a later proposal stand in the place of one that still waits. Raises as `decide` does."""
        reason = f"The proposal {by_proposal} stands in its place."
        return self.decide(proposal_id, ProposalStatus.superseded, by="wellworn", reason=reason, now=now)


def check_undecided(proposal: Proposal) -> None:
    """Raise Conflict, saying when and by whom, for a proposal that is decided already."""
    if proposal.status not in DECIDED:
        return
    when = f" on {proposal.decided_at:%Y-%m-%d at %H:%M} UTC" if proposal.decided_at else ""
    who = f" by {proposal.decided_by}" if proposal.decided_by else ""
    raise Conflict(
        f"The proposal {proposal.id} was already {proposal.status}{when}{who}.",
        hint="Nothing was changed; `wellworn skills proposals` lists those that wait.",
    )


def _find(connection: sqlite3.Connection, proposal_id: str) -> ProposalRow | None:
    row = connection.execute(f"SELECT {_COLUMNS} FROM proposals WHERE id = ?", (storable(proposal_id),)).fetchone()
    return None if row is None else _row(row)


def _row(row: Any) -> ProposalRow:
    user, data, pattern, weight = row
    return ProposalRow(user, Proposal.model_validate_json(data), pattern, weight)


def _dump(proposal: Proposal) -> str:
    return storable(proposal.model_dump_json(by_alias=True))


def _values(row: ProposalRow) -> tuple[Any, ...]:
    proposal = row.proposal
    return (
        row.id,
        row.user,
        None if proposal.repo is None else storable(proposal.repo),
        proposal.session_id,
        proposal.status.value,
        proposal.candidate.signal.value,
        storable(row.pattern),
        row.weight,
        _dump(proposal),
        to_text(proposal.created_at),
        None if proposal.decided_at is None else to_text(proposal.decided_at),
        proposal.decided_by,
    )
