"""The skill library that ships with the project."""

from pathlib import Path

import pytest

from wellworn.models.skill import Scope
from wellworn.store.discovery import configured_source, walk_skills
from wellworn.store.skill_file import read_skill_directory, write_skill
from wellworn.store.transfer import export_skill_directories

EXAMPLES = Path(__file__).parents[2] / "examples" / "skills"
FOLDERS = list(walk_skills(configured_source(EXAMPLES, "local")))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_each_example_is_complete_and_without_a_doubt(folder: Path) -> None:
    skill = read_skill_directory(folder, scope=Scope.user, owner="local")
    assert skill.diagnostics == ()
    assert skill.invocable
    assert skill.id == folder.name
    assert len(skill.steps) >= 5
    assert skill.manifest.aliases
    assert skill.manifest.triggers
    assert skill.manifest.examples


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_saving_an_example_as_it_was_read_changes_nothing(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / folder.name
    copy.mkdir()
    for path in folder.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    skill = read_skill_directory(copy, scope=Scope.user, owner="local")
    write_skill(tmp_path, skill.manifest, skill.body, name=skill.name, allowed_tools=skill.allowed_tools)
    assert {p.name: p.read_bytes() for p in copy.iterdir()} == {p.name: p.read_bytes() for p in folder.iterdir()}


def test_the_examples_keep_to_the_strict_format(tmp_path: Path) -> None:
    skills = [read_skill_directory(folder, scope=Scope.user, owner="local") for folder in FOLDERS]
    assert export_skill_directories(skills, tmp_path / "out").written == len(FOLDERS) >= 8
