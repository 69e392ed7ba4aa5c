"""Two files of a folder change in one step."""

import sys
from pathlib import Path

import pytest

from wellworn.store.swap import swap_files

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="folders can be exchanged on Linux only")
NEW = {"SKILL.md": b"new text", "manifest.yaml": b"id: new"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "a-skill"
    place.mkdir()
    (place / "SKILL.md").write_bytes(b"old text")
    (place / "manifest.yaml").write_bytes(b"id: old")
    return place


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_both_files_are_new_and_nothing_is_left_beside_the_folder(folder: Path) -> None:
    assert swap_files(folder, NEW, sync=True)
    assert content(folder) == NEW
    assert list(folder.parent.iterdir()) == [folder]


def test_permissions_of_folder_and_files_stay(folder: Path) -> None:
    folder.chmod(0o750)
    (folder / "SKILL.md").chmod(0o640)
    assert swap_files(folder, NEW, sync=False)
    assert folder.stat().st_mode & 0o777 == 0o750
    assert (folder / "SKILL.md").stat().st_mode & 0o777 == 0o640


def test_a_folder_that_holds_more_is_left_alone(folder: Path) -> None:
    (folder / "scripts").mkdir()
    before = (folder / "SKILL.md").read_bytes()
    assert not swap_files(folder, NEW, sync=False)
    assert (folder / "SKILL.md").read_bytes() == before
    assert list(folder.parent.iterdir()) == [folder]


def test_links_are_left_alone(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    assert not swap_files(tmp_path / "link", NEW, sync=False)
    (folder / "manifest.yaml").unlink()
    (folder / "manifest.yaml").symlink_to("SKILL.md")
    assert not swap_files(folder, NEW, sync=False)
    assert (folder / "SKILL.md").read_bytes() == b"old text"
