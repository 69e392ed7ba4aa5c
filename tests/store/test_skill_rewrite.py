"""Files with other steps and fields; what is not named stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from wellworn.models.errors import Conflict
from wellworn.models.skill import Provenance, Scope
from wellworn.store.skill_read import SkillBytes, skill_from_bytes
from wellworn.store.skill_rewrite import rewritten, with_fields, write_state
from wellworn.store.skill_state import state_of

SKILL = b"---\nname: x\ndescription: About x.\n---\n## Steps\n1. Look.\n"
MANIFEST = b"id: x  # mine\r\nprovenance: agent  # who\r\naliases: [y]\r\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "x"
    place.mkdir()
    (place / "SKILL.md").write_bytes(SKILL)
    (place / "manifest.yaml").write_bytes(MANIFEST)
    return place


def test_steps_and_a_field_are_changed_and_nothing_else(folder: Path) -> None:
    before = state_of(folder)
    after = rewritten(folder, before, ["Look.", "Push."], {"provenance": "human"})
    assert state_of(folder) == before
    write_state(folder, before, after)
    assert (folder / "SKILL.md").read_bytes() == SKILL + b"2. Push.\n"
    assert (folder / "manifest.yaml").read_bytes() == MANIFEST.replace(b"agent", b"human")


def test_a_field_of_a_skill_without_a_manifest_makes_one(folder: Path) -> None:
    (folder / "manifest.yaml").unlink()
    before = state_of(folder)
    write_state(folder, before, with_fields(folder, before, {"provenance": "agent"}))
    skill = skill_from_bytes(folder, state_of(folder), scope=Scope.user, owner="me")
    assert skill.manifest.provenance is Provenance.agent
    assert (folder / "SKILL.md").read_bytes() == SKILL


def test_a_file_that_was_not_there_goes_again(folder: Path) -> None:
    write_state(folder, state_of(folder), SkillBytes(skill_md=b"---\nname: x\n---\n"))
    assert sorted(path.name for path in folder.iterdir()) == ["SKILL.md"]


def test_the_names_and_the_other_files_of_the_folder_stay(folder: Path) -> None:
    (folder / "SKILL.md").rename(folder / "skill.md")
    (folder / "run.sh").write_text("ls\n", encoding="utf-8")
    before = state_of(folder)
    write_state(folder, before, SkillBytes(skill_md=b"new", manifest=b"id: x\n"))
    assert sorted(path.name for path in folder.iterdir()) == ["manifest.yaml", "run.sh", "skill.md"]
    assert (folder / "skill.md").read_bytes() == b"new"


def test_files_that_cannot_be_read_in_full_are_not_rewritten(folder: Path, tmp_path: Path) -> None:
    (folder / "SKILL.md").unlink()
    (folder / "SKILL.md").symlink_to(tmp_path / "elsewhere.md")
    (tmp_path / "elsewhere.md").write_bytes(SKILL)
    with pytest.raises(Conflict, match="cannot be read in full"):
        rewritten(folder, state_of(folder), ["Push."], {})
    assert (tmp_path / "elsewhere.md").read_bytes() == SKILL
