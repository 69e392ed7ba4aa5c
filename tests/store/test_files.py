import subprocess
import sys
from pathlib import Path

import pytest

from wellworn.models.errors import StoreError
from wellworn.store.files import is_leftover, temporary_name, write_whole


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_whole_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    path.chmod(0o600)
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o600
    assert names_in(tmp_path) == ["a.txt"]


def test_missing_folders_are_made(tmp_path: Path) -> None:
    write_whole(tmp_path / "a" / "b" / "c.txt", b"x", sync=False)
    assert (tmp_path / "a" / "b" / "c.txt").read_bytes() == b"x"


def test_what_a_dead_process_left_is_removed_by_the_next_write(tmp_path: Path) -> None:
    script = "from wellworn.store.files import temporary_name; print(temporary_name('a.txt'))"
    dead = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.strip()
    (tmp_path / dead).write_bytes(b"half")
    alive = tmp_path / temporary_name("a.txt")
    alive.write_bytes(b"being written")
    write_whole(tmp_path / "a.txt", b"whole")
    assert names_in(tmp_path) == sorted([alive.name, "a.txt"])


def test_a_folder_in_the_way_is_a_store_error_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    with pytest.raises(StoreError, match="cannot be written"):
        write_whole(tmp_path / "a", b"x")
    assert names_in(tmp_path) == ["a"]


def test_ordinary_hidden_names_are_no_leftovers() -> None:
    assert not is_leftover(".gitignore")
    assert not is_leftover(".a.tmp-notes")
    assert not is_leftover(temporary_name("a"))
