"""What was observed is kept once, read in order, and removed by age and count."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.store.makers import NOW, make_proposal

from wellworn.models.errors import InvalidInput, NotFound
from wellworn.models.proposal import ProposalStatus
from wellworn.models.skill import Risk
from wellworn.models.trace import TraceEvent, TraceKind
from wellworn.store.database import Database
from wellworn.store.proposals import ProposalRow, ProposalTable
from wellworn.store.traces import Age, TraceFilter, TraceTable

DAY = timedelta(days=1)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "wellworn.db") as db:
        yield db


@pytest.fixture
def table(db: Database) -> TraceTable:
    return TraceTable(db)


def event(number: str = "e1", **fields: Any) -> TraceEvent:
    given = {"ts": NOW, "session_id": "s1", "kind": TraceKind.command_run, "summary": "npm test", **fields}
    return TraceEvent(id=number, **given)


def add(table: TraceTable, *events: TraceEvent, user: str = "ann", now: datetime = NOW) -> tuple[int, int]:
    return table.add_many(user, events, now=now)


def numbers(table: TraceTable, wanted: TraceFilter | None = None, user: str = "ann") -> list[str]:
    return [row.id for row in table.page(user, wanted)[0]]


def test_an_event_is_returned_whole(table: TraceTable) -> None:
    whole = event(
        repo="github.com/a/b",
        tags=["correction", "\N{SNOWMAN}"],
        success=False,
        risk=Risk.high,
        data={"command": "npm t", "exitCode": 1, "deep": [{"a": None}]},
    )
    add(table, whole)
    row = table.get("ann", "e1")
    assert row.event == whole.model_copy(update={"user": "ann"})
    assert row.seq == 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50, deadline=None)
@given(
    text=st.text(max_size=50),
    data=st.dictionaries(st.text(max_size=9), st.text() | st.integers() | st.none(), max_size=4),
)
def test_any_text_can_be_kept_and_read(table: TraceTable, text: str, data: dict[str, Any]) -> None:
    number = str(table.last_seq("ann"))
    add(table, event(number, summary=text, tags=[text], data=data))
    row = table.get("ann", number)
    assert row.summary == text
    assert row.tags == [text]
    assert row.data == data


def test_a_lone_surrogate_in_the_data_is_kept_as_something_that_can_be_read(table: TraceTable) -> None:
    add(table, event(data={"k\udc00": "\udc00"}))
    table.get("ann", "e1").event.model_dump_json()


def test_the_same_id_again_adds_nothing_and_changes_nothing(table: TraceTable) -> None:
    assert add(table, event("e1"), event("e2")) == (2, 0)
    assert add(table, event("e2", summary="other"), event("e3"), event("e3")) == (1, 2)
    assert table.get("ann", "e2").summary == "npm test"


def test_ids_are_unique_to_a_user_only(table: TraceTable) -> None:
    assert add(table, event("e1")) == (1, 0)
    assert add(table, event("e1"), user="bob") == (1, 0)
    assert numbers(table) == ["e1"]
    with pytest.raises(NotFound, match="no trace event 'e1'"):
        table.get("eve", "e1")


def test_a_batch_with_an_event_that_lacks_its_id_adds_nothing(table: TraceTable) -> None:
    with pytest.raises(InvalidInput):
        add(table, event("e1"), TraceEvent(kind=TraceKind.command_run, summary="x"))
    assert numbers(table) == []


def test_the_latest_event_comes_first_whatever_the_order_of_arrival(table: TraceTable) -> None:
    add(table, event("new", ts=NOW), event("old", ts=NOW - DAY), event("later", ts=NOW))
    assert numbers(table) == ["later", "new", "old"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (TraceFilter(session_id="s2"), ["b"]),
        (TraceFilter(repo="r"), ["b"]),
        (TraceFilter(kind=TraceKind.user_intent), ["a"]),
        (TraceFilter(tag="correction"), ["a"]),
        (TraceFilter(tag="correct"), []),
        (TraceFilter(since=NOW), ["c", "b"]),
        (TraceFilter(until=NOW), ["a"]),
        (TraceFilter(success=False), ["b"]),
        (TraceFilter(success=True), ["c"]),
        (TraceFilter(repos=["other"]), ["c", "a"]),
        (TraceFilter(repos=[]), ["c", "a"]),
        (TraceFilter(since=NOW, success=True, session_id="s1"), ["c"]),
    ],
)
def test_a_page_shows_what_was_asked_for(table: TraceTable, wanted: TraceFilter, found: list[str]) -> None:
    a = event("a", ts=NOW - DAY, kind=TraceKind.user_intent, tags=["x", "correction"])
    add(table, a, event("b", session_id="s2", repo="r", success=False), event("c", success=True))
    assert numbers(table, wanted) == found


def test_pages_follow_each_other_without_gap_or_repetition_while_events_arrive(table: TraceTable) -> None:
    add(table, *[event(f"e{at}", ts=NOW - DAY * (at // 3)) for at in range(10)])
    seen: list[str] = []
    cursor = None
    for _ in range(20):
        rows, cursor = table.page("ann", limit=3, cursor=cursor)
        seen += [row.id for row in rows]
        add(table, event(f"new{len(seen)}", ts=NOW + DAY))
        if cursor is None:
            break
    assert sorted(seen) == sorted(f"e{at}" for at in range(10))


@pytest.mark.parametrize(
    "cursor", ["", "x", "2030-01-01_1", "2030-01-02T03:04:05.000000+00:00_", "'; DROP TABLE traces"]
)
def test_a_cursor_that_no_page_gave_is_refused(table: TraceTable, cursor: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        table.page("ann", cursor=cursor)
    assert caught.value.field == "cursor"


def test_events_are_read_in_order_of_arrival_after_the_last_one_read(table: TraceTable) -> None:
    add(table, event("a"), event("b", ts=NOW - DAY))
    add(table, event("x"), user="bob")
    add(table, event("c"))
    rows = table.events_after("ann", 0, limit=2)
    assert [row.id for row in rows] == ["a", "b"]
    assert [row.id for row in table.events_after("ann", rows[-1].seq)] == ["c"]
    assert table.last_seq("ann") == table.get("ann", "c").seq
    assert table.last_seq("nobody") == 0


def test_numbers_never_go_back_after_the_newest_event_was_removed(table: TraceTable) -> None:
    add(table, event("a"), event("b"))
    last = table.last_seq("ann")
    table.prune(keep=0)
    add(table, event("c"))
    assert table.last_seq("ann") > last


def test_events_are_found_by_their_numbers_of_the_user_only(table: TraceTable) -> None:
    add(table, *[event(f"e{at}") for at in range(1200)])
    add(table, event("x"), user="bob")
    rows = table.by_seqs("ann", [1201, *range(1200, 0, -1), 7])
    assert [row.seq for row in rows] == list(range(1, 1201))


def test_what_is_known_is_told_of_many_ids(table: TraceTable) -> None:
    add(table, *[event(f"e{at}") for at in range(0, 1200, 2)])
    assert table.known("ann", [f"e{at}" for at in range(1200)]) == {f"e{at}" for at in range(0, 1200, 2)}


def test_counts_tell_of_every_user_how_many_and_when_last(table: TraceTable) -> None:
    add(table, event("a", ts=NOW - DAY), event("b", ts=NOW - 2 * DAY))
    add(table, event("a"), user="bob")
    assert table.counts() == [("ann", 2, NOW - DAY), ("bob", 1, NOW)]


def test_old_events_go_by_arrival_and_by_when_they_happened(table: TraceTable) -> None:
    add(table, event("history", ts=NOW - 900 * DAY), event("today"), now=NOW)
    assert table.prune(before=NOW - DAY) == 0
    assert table.prune(before=NOW - DAY, age=Age.happened, dry_run=True) == 1
    assert numbers(table) == ["today", "history"]
    assert table.prune(before=NOW - DAY, age=Age.happened) == 1
    assert numbers(table) == ["today"]
    assert table.prune(before=NOW + DAY) == 1


def test_only_the_last_events_of_each_user_are_kept(table: TraceTable) -> None:
    add(table, *[event(f"e{at}") for at in range(5)])
    add(table, event("x"), user="bob")
    assert table.prune(keep=2, dry_run=True) == 3
    assert table.prune(keep=2) == 3
    assert numbers(table) == ["e4", "e3"]
    assert numbers(table, user="bob") == ["x"]


def test_pruning_one_user_leaves_the_others(table: TraceTable) -> None:
    add(table, event("a"))
    add(table, event("b"), user="bob")
    assert table.prune(before=NOW + DAY, user="bob") == 1
    assert table.prune(keep=0, user="bob") == 0
    assert numbers(table) == ["a"]


@pytest.mark.parametrize(("status", "kept"), [("suggested", True), ("accepted", True), ("rejected", False)])
def test_what_a_living_proposal_rests_on_stays(db: Database, table: TraceTable, status: str, kept: bool) -> None:
    add(table, event("e1"), event("e2"), event("e3"))
    add(table, event("e1"), user="bob")
    ProposalTable(db).put(ProposalRow("ann", make_proposal(status=ProposalStatus(status)), "p", 2))
    assert table.prune(before=NOW + DAY) == (2 if kept else 4)
    assert table.prune(keep=0) == 0
    assert numbers(table) == (["e2", "e1"] if kept else [])


def test_many_thousands_are_removed_in_small_transactions(table: TraceTable) -> None:
    add(table, *[event(f"e{at}") for at in range(5000)])
    assert table.prune(before=NOW + DAY) == 5000
    assert numbers(table) == []
