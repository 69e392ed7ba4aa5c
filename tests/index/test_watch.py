"""Files that are edited while serving."""

from __future__ import annotations

import logging
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.index.makers import found, make_source, open_data, open_live, write_skill_file

from wellworn.index.catalogue_sync import sync_all
from wellworn.index.live import LiveIndex
from wellworn.index.watch import SkillWatcher
from wellworn.store.database import Database


def wait_until(holds: Callable[[], bool], seconds: float = 10.0) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[tuple[Path, LiveIndex, Database]]:
    """An existing library, one that does not exist yet, and a watcher over both."""
    root = tmp_path / "library"
    write_skill_file(root, "old-one", "Fold the laundry")
    sources = (make_source(root), make_source(tmp_path / "later" / "skills", "later"))
    with open_data(tmp_path / "data", *sources) as db:
        sync_all(db)
        with open_live(db) as live, SkillWatcher(db, live):
            live.fill()
            time.sleep(0.3)  # until the kernel's watches are set
            yield tmp_path, live, db


def test_a_new_file_is_searchable_soon(watched: tuple[Path, LiveIndex, Database]) -> None:
    folder, live, _ = watched
    write_skill_file(folder / "library", "new-one", "Water the garden")
    assert wait_until(lambda: found(live, "water the garden", k=1) == ["new-one"])


def test_an_edited_file_answers_to_its_new_words(watched: tuple[Path, LiveIndex, Database]) -> None:
    folder, live, _ = watched
    write_skill_file(folder / "library", "old-one", "Iron the shirts")

    def descriptions() -> list[str]:
        return [card.description for card in live.snapshot.cards()]

    assert wait_until(lambda: descriptions() == ["Iron the shirts"])
    assert found(live, "iron the shirts", k=1) == ["old-one"]


def test_a_deleted_folder_answers_no_more(watched: tuple[Path, LiveIndex, Database]) -> None:
    folder, live, _ = watched
    shutil.rmtree(folder / "library" / "old-one")
    assert wait_until(lambda: found(live, "fold the laundry") == [])


def test_a_root_that_appears_later_is_read(watched: tuple[Path, LiveIndex, Database]) -> None:
    folder, live, _ = watched
    write_skill_file(folder / "later" / "skills", "late-one", "Paint the fence")
    assert wait_until(lambda: found(live, "paint the fence", k=1) == ["late-one"])
    time.sleep(0.5)
    write_skill_file(folder / "later" / "skills", "latest", "Mow the lawn")
    assert wait_until(lambda: found(live, "mow the lawn", k=1) == ["latest"])


def test_a_folder_whose_name_is_not_utf8_is_told_of_once_and_edits_are_still_seen(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    root = tmp_path / "library"
    write_skill_file(root, "old-one", "Fold the laundry")
    odd = root / os.fsdecode(b"bad\xffname")
    odd.mkdir()
    with caplog.at_level(logging.WARNING), open_data(tmp_path / "data", make_source(root)) as db:
        sync_all(db)
        with open_live(db) as live, SkillWatcher(db, live):
            live.fill()
            time.sleep(1.5)  # the kernel's watches have failed by now
            write_skill_file(root, "new-one", "Water the garden")
            assert wait_until(lambda: "new-one" in found(live, "water the garden"))
            write_skill_file(odd, "odd-one", "Paint the fence")  # ends the polling as well
            assert wait_until(lambda: "odd-one" in found(live, "paint the fence"))
    told = [record for record in caplog.records if record.name == "wellworn.index.watch"]
    assert [(record.levelname, record.exc_info) for record in told] == [("WARNING", None)]
    assert "they are polled instead" in told[0].getMessage()


def test_closing_leaves_no_thread(tmp_path: Path) -> None:
    root = tmp_path / "library"
    write_skill_file(root, "one", "One")
    with open_data(tmp_path / "data", make_source(root)) as db, open_live(db) as live:
        before = threading.active_count()
        for _ in range(3):
            watcher = SkillWatcher(db, live)
            watcher.start()
            time.sleep(0.1)
            watcher.close()
            watcher.close()
        assert threading.active_count() == before
