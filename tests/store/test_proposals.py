"""Proposals and the decisions about them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.store.makers import NOW, make_proposal

from wellworn.models.errors import Conflict, InvalidInput, NotFound
from wellworn.models.proposal import ProposalStatus, Signal
from wellworn.store.database import Database
from wellworn.store.proposals import ProposalRow, ProposalTable


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "wellworn.db") as db:
        yield db


@pytest.fixture
def table(db: Database) -> ProposalTable:
    return ProposalTable(db)


def row(proposal_id: str = "p1", user: str = "ann", **fields: Any) -> ProposalRow:
    return ProposalRow(user, make_proposal(proposal_id, **fields), f"pattern of {proposal_id}", 3)


def test_a_proposal_is_returned_whole(table: ProposalTable) -> None:
    table.put(row(body="## Steps\n1. Ship \U0001f680."))
    assert table.get("ann", "p1") == row(body="## Steps\n1. Ship \U0001f680.")


def test_another_users_proposal_is_not_found(table: ProposalTable) -> None:
    table.put(row())
    with pytest.raises(NotFound, match="no proposal 'p1'"):
        table.get("bob", "p1")
    assert table.get(None, "p1").user == "ann"


def test_a_proposal_that_waits_is_refreshed_with_its_evidence(table: ProposalTable, db: Database) -> None:
    table.put(row())
    table.put(ProposalRow("ann", make_proposal("p1", body="new"), "pattern of p1", 7))
    assert (table.get("ann", "p1").proposal.body, table.get("ann", "p1").weight) == ("new", 7)
    assert [one[0] for one in db.rows("SELECT trace_id FROM evidence ORDER BY trace_id")] == ["e1", "e2"]


def test_a_refresh_never_undoes_a_decision(table: ProposalTable) -> None:
    table.put(row())
    table.decide("p1", ProposalStatus.rejected, by="local", reason="no", now=NOW)
    with pytest.raises(Conflict, match="already rejected on 2030-01-02 at 03:04 UTC by local"):
        table.put(row())
    assert table.get("ann", "p1").status is ProposalStatus.rejected


def test_a_decision_says_who_when_and_why(table: ProposalTable) -> None:
    table.put(row())
    decided = table.decide("p1", ProposalStatus.rejected, by="k1", reason="too rare", now=NOW)
    assert (decided.decided_by, decided.decided_at, decided.decision_reason) == ("k1", NOW, "too rare")
    assert table.get("ann", "p1").proposal == decided


def test_a_proposal_is_decided_once(table: ProposalTable) -> None:
    table.put(row())
    table.decide("p1", ProposalStatus.accepted, by="ann", now=NOW)
    with pytest.raises(Conflict, match=r"already accepted on .* by ann"):
        table.decide("p1", ProposalStatus.rejected, by="bob", now=NOW + timedelta(days=1))
    assert table.get("ann", "p1").proposal.decided_by == "ann"


def test_an_unknown_proposal_cannot_be_decided(table: ProposalTable) -> None:
    with pytest.raises(NotFound):
        table.decide("nope", ProposalStatus.accepted, by="ann", now=NOW)


def test_pages_are_newest_first_and_count_all(table: ProposalTable) -> None:
    for number in range(5):
        table.put(row(f"p{number}", created_at=NOW + timedelta(hours=number)))
    page, total = table.page("ann", offset=1, limit=2)
    assert ([one.id for one in page], total) == (["p3", "p2"], 5)


def test_pages_can_be_narrowed(table: ProposalTable) -> None:
    table.put(row("p1", repo="github.com/acme/shop"))
    table.put(row("p2"))
    table.put(row("p3", user="bob"))
    table.decide("p2", ProposalStatus.rejected, by="ann", now=NOW)

    def found(user: str | None, **narrowed: Any) -> list[str]:
        return sorted(one.id for one in table.page(user, **narrowed)[0])

    assert found("ann") == ["p1", "p2"]
    assert found(None) == ["p1", "p2", "p3"]
    assert found("ann", repo="github.com/acme/shop") == ["p1"]
    assert found("ann", repos=["github.com/acme/other"]) == ["p2"]
    assert found(None, status=ProposalStatus.suggested) == ["p1", "p3"]


def test_a_page_of_nothing_is_refused(table: ProposalTable) -> None:
    with pytest.raises(InvalidInput):
        table.page("ann", limit=0)


def test_the_miner_learns_what_was_decided_about_each_pattern(table: ProposalTable) -> None:
    table.put(row("p1"))
    table.put(row("p2", created_at=NOW + timedelta(hours=1)))
    table.put(row("p3", user="bob"))
    table.decide("p1", ProposalStatus.rejected, by="ann", now=NOW)
    assert table.known("ann") == [
        ("p1", "pattern of p1", Signal.command_sequence, ProposalStatus.rejected, 3),
        ("p2", "pattern of p2", Signal.command_sequence, ProposalStatus.suggested, 3),
    ]


def test_a_superseded_proposal_names_what_stands_in_its_place(table: ProposalTable) -> None:
    table.put(row("p1"))
    gone = table.supersede("p1", by_proposal="p2", now=NOW)
    assert gone.status is ProposalStatus.superseded
    assert "p2" in (gone.decision_reason or "")
