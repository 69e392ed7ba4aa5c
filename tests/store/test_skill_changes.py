"""The history of skills, and changes that were only begun."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.store.makers import NOW

from wellworn.models.proposal import SkillChange
from wellworn.models.skill import Scope, SkillManifest
from wellworn.store.database import Database
from wellworn.store.skill_changes import Begun, ChangeRow, SkillChangeTable
from wellworn.store.skill_state import NOTHING, put_back, state_hash, state_of
from wellworn.store.skill_write import write_skill


@pytest.fixture
def table(tmp_path: Path) -> Iterator[SkillChangeTable]:
    with Database(tmp_path / "wellworn.db") as db:
        yield SkillChangeTable(db)


def row(number: int = 1, owner: str = "ann", **fields: Any) -> ChangeRow:
    base = {"id": f"c{number}", "ts": NOW + timedelta(hours=number), "skill_id": "ship-it", "scope": Scope.user}
    return ChangeRow(SkillChange(**{**base, "action": "promote", "by": "local", **fields}), owner)


def test_a_history_is_newest_first_and_one_skills_own(table: SkillChangeTable) -> None:
    for number in (1, 2):
        table.finish(row(number, reason=f"reason {number}", from_trust="installed", to_trust="trusted"))
    table.finish(row(3, owner="bob"))
    table.finish(row(4, skill_id="other"))
    assert [one.reason for one in table.page(Scope.user, "ann", "ship-it")] == ["reason 2", "reason 1"]
    assert (
        table.page(Scope.user, "ann", "ship-it")[0]
        == row(2, reason="reason 2", from_trust="installed", to_trust="trusted").change
    )


def test_what_was_only_begun_is_no_history(table: SkillChangeTable, tmp_path: Path) -> None:
    begun = Begun(row(evidence="8 successes"), tmp_path / "ship-it", True, tmp_path / "forge" / "a.yaml", "abc")
    table.begin(begun)
    assert table.page(Scope.user, "ann", "ship-it") == []
    assert table.begun() == [begun]


def test_a_change_that_is_finished_is_begun_no_more(table: SkillChangeTable, tmp_path: Path) -> None:
    table.begin(Begun(row(), tmp_path))
    table.finish(row())
    assert table.begun() == []
    assert table.page(Scope.user, "ann", "ship-it") == [row().change]


def test_only_what_is_not_finished_can_be_abandoned(table: SkillChangeTable, tmp_path: Path) -> None:
    table.finish(row(1))
    table.begin(Begun(row(2), tmp_path))
    table.abandon("c1")
    table.abandon("c2")
    assert table.begun() == []
    assert len(table.page(Scope.user, "ann", "ship-it")) == 1


def test_what_a_proposal_caused_is_found_by_it(table: SkillChangeTable) -> None:
    table.finish(row(1, proposal_id="p1"))
    table.finish(row(2))
    assert [one.id for one in table.of_proposal("p1")] == ["c1"]


def test_a_skills_files_can_be_put_back(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, SkillManifest(id="ship-it", description="Ships."), "Ship.")
    before = state_of(folder)
    write_skill(tmp_path, SkillManifest(id="ship-it", description="Ships more."), "Ship more.")
    assert state_hash(state_of(folder)) != state_hash(before)
    put_back(folder, before)
    assert state_of(folder) == before


def test_a_file_that_was_not_there_goes_when_a_state_is_put_back(tmp_path: Path) -> None:
    folder = tmp_path / "ship-it"
    folder.mkdir()
    (folder / "SKILL.md").write_text("Ship.", encoding="utf-8")
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    before = state_of(folder)
    (folder / "manifest.yaml").write_text("id: ship-it\n", encoding="utf-8")
    put_back(folder, before)
    assert sorted(path.name for path in folder.iterdir()) == ["SKILL.md", "notes.txt"]


def test_a_folder_that_was_not_there_goes_when_nothing_is_put_back(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, SkillManifest(id="ship-it"), "Ship.")
    put_back(folder, NOTHING)
    put_back(folder, NOTHING)
    assert list(tmp_path.iterdir()) == []
    assert state_hash(state_of(folder)) is None
