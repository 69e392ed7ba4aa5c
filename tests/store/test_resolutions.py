"""The record of answered messages."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.store.makers import NOW, make_resolution

from wellworn.models.errors import NotFound
from wellworn.store.database import Database
from wellworn.store.resolutions import ResolutionRow, ResolutionTable


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ResolutionTable]:
    with Database(tmp_path / "wellworn.db") as db:
        yield ResolutionTable(db)


def make_row(number: int, *, skill_id: str | None = "ship-it", minutes: int = 0) -> ResolutionRow:
    return ResolutionRow(
        NOW + timedelta(minutes=minutes), f"message {number}", make_resolution(f"r{number}", skill_id=skill_id)
    )


def test_a_recorded_resolution_is_returned_whole(table: ResolutionTable) -> None:
    context = {"branch": "main", "openPr": {"number": 3}}
    row = ResolutionRow(NOW, "ship \ud800it", make_resolution(), context, "ann", "github.com/acme/shop", "s1", "k1")
    table.record_many([row])
    found = table.get("r1")
    assert found.message == "ship \\ud800it"
    assert (found.ts, found.context, found.resolution) == (NOW, context, make_resolution())
    assert (found.user, found.repo, found.session_id, found.key_id) == ("ann", "github.com/acme/shop", "s1", "k1")


def test_an_id_that_is_recorded_already_keeps_its_first_row(table: ResolutionTable) -> None:
    table.record_many([make_row(1)])
    table.record_many([make_row(1, skill_id=None), make_row(2)])
    assert table.get("r1").resolution.skill_id == "ship-it"
    assert table.count() == 2


def test_an_unknown_id_says_why_it_may_be_gone(table: ResolutionTable) -> None:
    with pytest.raises(NotFound, match="older"):
        table.get("r\ud8009")


def test_misses_are_listed_newest_first(table: ResolutionTable) -> None:
    table.record_many([make_row(n, skill_id=None if n % 2 else "ship-it", minutes=n) for n in range(6)])
    assert [row.id for row in table.misses()] == ["r5", "r3", "r1"]
    assert [row.id for row in table.misses(limit=1)] == ["r5"]


def test_pruning_removes_only_what_is_older(table: ResolutionTable) -> None:
    table.record_many([make_row(number, minutes=number) for number in range(5000)])
    assert table.prune(NOW + timedelta(minutes=4990)) == 4990
    assert table.count() == 10
    assert table.prune(NOW) == 0
    assert table.get("r4990").message == "message 4990"
