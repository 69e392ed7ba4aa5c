"""What the files of a skill were is kept, byte for byte, and only once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.models.errors import NotFound
from wellworn.models.skill import Scope
from wellworn.store.database import Database
from wellworn.store.skill_read import SkillBytes
from wellworn.store.versions import BY_HAND, KEPT, SEEN, VersionTable

NOW = datetime(2026, 3, 1, tzinfo=UTC)
USER = (Scope.user, "me")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "wellworn.db") as database:
        yield database


def state(skill_md: bytes | None, manifest: bytes | None = None) -> SkillBytes:
    return SkillBytes(skill_md=skill_md, manifest=manifest)


def note(table: VersionTable, content: SkillBytes, action: str = "update", change_id: str | None = "c1") -> None:
    table.note(*USER, "x", content, action=action, by="k1", now=NOW, reason="why", change_id=change_id)


def found(table: VersionTable, content: SkillBytes) -> None:
    table.note_found(*USER, [("x", content)], now=NOW)


def told(table: VersionTable) -> list[tuple[int, str, str]]:
    return [(one.number, one.action, one.by) for one in table.page(*USER, "x")]


def test_what_is_found_first_is_seen_and_what_differs_later_was_edited_by_hand(db: Database) -> None:
    table = VersionTable(db)
    for content in (b"a", b"a", b"b", b"b", b"a"):
        found(table, state(content))
    assert told(table) == [(3, BY_HAND, "local"), (2, BY_HAND, "local"), (1, SEEN, "wellworn")]
    assert table.content(*USER, "x", 2) == state(b"b")


def test_a_decision_that_was_taken_for_an_edit_by_hand_is_known_by_its_name_later(db: Database) -> None:
    table = VersionTable(db)
    found(table, state(b"a"))
    found(table, state(b"b"))
    note(table, state(b"b"), "repair")
    assert told(table)[0] == (2, "repair", "k1")
    note(table, state(b"b"), "promote")
    assert told(table)[0] == (2, "repair", "k1")


def test_no_files_are_no_version(db: Database) -> None:
    table = VersionTable(db)
    note(table, state(None))
    found(table, state(None))
    assert told(table) == []


def test_the_last_hundred_are_kept_and_what_nobody_needs_goes(db: Database) -> None:
    table = VersionTable(db)
    for number in range(KEPT + 20):
        content = state(b"%d" % (number % 90 if number > KEPT else number), b"same")
        (found if number % 2 else note)(table, content)
    numbers = [one.number for one in table.page(*USER, "x")]
    assert numbers == list(range(KEPT + 20, 20, -1))
    assert table.content(*USER, "x", KEPT + 20).manifest == b"same"
    kept = {table.content(*USER, "x", number).skill_md for number in numbers} | {b"same"}
    assert db.rows("SELECT count(*) FROM file_contents")[0][0] == len(kept)


def test_an_unknown_version_is_not_found(db: Database) -> None:
    with pytest.raises(NotFound, match="no version 7"):
        VersionTable(db).content(*USER, "x", 7)


@given(st.lists(st.tuples(st.none() | st.binary(max_size=50), st.none() | st.binary(max_size=50)), max_size=8))
def test_every_content_comes_back_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, contents: list[tuple[bytes | None, bytes | None]]
) -> None:
    with Database(tmp_path_factory.mktemp("db") / "wellworn.db") as db:
        table = VersionTable(db)
        for one in contents:
            note(table, state(*one))
        expected = [state(*one) for one in contents if one != (None, None)]
        kept = [one for at, one in enumerate(expected) if at == 0 or one != expected[at - 1]]
        numbers = [one.number for one in reversed(table.page(*USER, "x"))]
        assert [table.content(*USER, "x", number) for number in numbers] == kept
