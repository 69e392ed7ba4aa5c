"""Skill files to rows."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.index.makers import NOW, USER, found, make_source, open_data, open_live, write_skill_file

from wellworn.index.catalogue_sync import sync_all, sync_source, walkable
from wellworn.index.status import ReindexProgress
from wellworn.models.errors import NotFound
from wellworn.models.skill import Scope
from wellworn.store.database import Database
from wellworn.store.discovery import Source
from wellworn.store.skills import SkillTable
from wellworn.store.sources import StoredSource
from wellworn.store.versions import VersionTable


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return make_source(tmp_path / "library")


@pytest.fixture
def db(tmp_path: Path, source: Source) -> Iterator[Database]:
    with open_data(tmp_path / "data", source) as database:
        yield database


def counts(db: Database, source: Source) -> tuple[int, int, int, int]:
    report = sync_source(db, source)
    return report.added, report.changed, report.removed, report.unchanged


def test_new_changed_unchanged_and_removed_files_are_told_apart(db: Database, source: Source) -> None:
    for name in ("one", "two", "three"):
        write_skill_file(source.path, name, f"About {name}")
    assert counts(db, source) == (3, 0, 0, 0)
    write_skill_file(source.path, "two", "About something else entirely")
    shutil.rmtree(source.path / "three")
    assert counts(db, source) == (0, 1, 1, 1)
    assert counts(db, source) == (0, 0, 0, 2)


def test_what_is_edited_by_hand_and_what_it_was_before_are_kept_as_versions(db: Database, source: Source) -> None:
    folder = write_skill_file(source.path, "one", "About one")
    before = (folder / "SKILL.md").read_bytes()
    sync_source(db, source)
    (folder / "SKILL.md").write_bytes(before.replace(b"About", b"More about"))
    sync_source(db, source)
    os.utime(folder / "SKILL.md", ns=(1, 1))
    sync_source(db, source)
    versions = VersionTable(db)
    assert [(one.number, one.action) for one in versions.page(*USER, "one")] == [(2, "edited by hand"), (1, "seen")]
    assert versions.content(*USER, "one", 1).skill_md == before


def test_a_shadowed_skill_is_no_version_of_the_one_that_counts(db: Database, source: Source) -> None:
    write_skill_file(source.path / "a", "one", "About one")
    write_skill_file(source.path / "b", "one", "About another")
    sync_source(db, source)
    (version,) = VersionTable(db).page(*USER, "one")
    assert b"About one" in (VersionTable(db).content(*USER, "one", version.number).skill_md or b"")


def test_a_manifest_that_appears_beside_a_skill_counts_as_a_change(db: Database, source: Source) -> None:
    folder = write_skill_file(source.path, "one", "About one")
    sync_source(db, source)
    (folder / "manifest.yaml").write_text("id: one\naliases: [do it]\n", encoding="utf-8")
    assert counts(db, source) == (0, 1, 0, 0)


def test_a_touched_file_is_read_again(db: Database, source: Source) -> None:
    folder = write_skill_file(source.path, "one", "About one")
    sync_source(db, source)
    os.utime(folder / "SKILL.md", ns=(1, 1))
    assert counts(db, source) == (0, 1, 0, 0)


def test_a_folder_that_disappears_takes_its_skills_out_and_says_so(db: Database, source: Source) -> None:
    write_skill_file(source.path, "one", "About one")
    sync_source(db, source)
    table = SkillTable(db)
    table.record_usage([table.cards(*USER)[0].key], NOW)
    hidden = source.path.rename(source.path.with_name("unmounted"))
    report = sync_source(db, source)
    assert report.removed == 1
    assert [one.code for one in report.diagnostics] == ["source-gone"]
    assert "no longer answer" in report.diagnostics[0].message
    hidden.rename(source.path)
    sync_source(db, source)
    assert table.cards(*USER)[0].stats.usage_count == 1


def test_a_folder_that_never_existed_is_no_news(db: Database, source: Source) -> None:
    report = sync_source(db, source)
    assert (report.touched, report.diagnostics) == (0, ())


def test_one_bad_skill_does_not_hide_the_others(db: Database, source: Source) -> None:
    write_skill_file(source.path, "good", "Good one")
    bad = source.path / "bad"
    bad.mkdir()
    (bad / "SKILL.md").write_bytes(b"\xff\xfe\x00\x00 ---\n{{{{")
    report = sync_source(db, source)
    assert report.added == 2
    assert report.diagnostics
    assert "good" in {card.id for card in SkillTable(db).cards(*USER)}


def test_progress_counts_the_files_that_are_read(db: Database, source: Source) -> None:
    for number in range(3):
        write_skill_file(source.path, f"skill-{number}", "About it")
    seen: list[ReindexProgress] = []
    sync_source(db, source, seen.append)
    assert seen == [ReindexProgress("files", 3, 3)]


def test_a_source_must_be_registered(db: Database, tmp_path: Path) -> None:
    other = make_source(tmp_path / "elsewhere", "unknown")
    write_skill_file(other.path, "one", "About one")
    with pytest.raises(NotFound):
        sync_source(db, other)


def test_a_reindex_reads_the_files_of_all_sources(db: Database, source: Source) -> None:
    write_skill_file(source.path, "ship-it", "Publish the package")
    with open_live(db) as live:
        report = live.reindex()
        assert report.skills == 1
        assert found(live, "publish the package", k=1) == ["ship-it"]
        shutil.rmtree(source.path)
        report = live.reindex()
        assert report.skills == 0
        assert any("no longer answer" in why for _, why in report.skipped)
        assert found(live, "publish the package") == []


def test_sync_all_covers_every_registered_source(tmp_path: Path) -> None:
    one, other = make_source(tmp_path / "a", "a"), make_source(tmp_path / "b", "b")
    write_skill_file(one.path, "first", "First")
    write_skill_file(other.path, "second", "Second")
    with open_data(tmp_path / "data", one, other) as db:
        assert {report.source_id: report.added for report in sync_all(db)} == {"a": 1, "b": 1}


@pytest.mark.parametrize(
    ("folder", "kind", "vouched", "capped"),
    [
        (".wellworn/skills", "home", True, False),
        (".claude/skills", "home", True, True),
        (".wellworn/skills", "repo", False, True),
        ("anywhere", "added", True, False),
        ("anywhere", "configured", True, False),
    ],
)
def test_only_folders_that_nobody_named_or_filled_are_searched_with_a_limit(
    folder: str, kind: str, vouched: bool, capped: bool
) -> None:
    stored = StoredSource("one", Path("/home/me") / folder, Scope.user, "local", 0, vouched, kind, NOW)
    assert walkable(stored).capped is capped
