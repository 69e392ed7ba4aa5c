"""Opening, writing, closing: what a database promises whatever it finds on the disk."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from wellworn.models.errors import NewerStore, StoreError, Unavailable
from wellworn.store.database import Database
from wellworn.store.migrations import MIGRATIONS

INSERT = "INSERT INTO sources VALUES (?, '/x', 'user', 'local', 1, 1, 'home', '2030')"


def ids(db: Database) -> list[str]:
    return [row[0] for row in db.rows("SELECT id FROM sources ORDER BY id")]


def insert_and_fail(db: Database, name: str) -> None:
    with db.write() as connection:
        connection.execute(INSERT, (name,))
        raise RuntimeError


def nest_and_fail(db: Database) -> None:
    with db.write():
        with db.write() as connection:
            connection.execute(INSERT, ("inner",))
        raise RuntimeError


def test_a_new_data_folder_and_its_database_are_private_to_their_user(tmp_path: Path) -> None:
    with Database(tmp_path / "outer" / "data" / "wellworn.db"):
        for folder in (tmp_path / "outer", tmp_path / "outer" / "data"):
            assert folder.stat().st_mode & 0o777 == 0o700
        for file in (tmp_path / "outer" / "data").iterdir():
            assert file.stat().st_mode & 0o777 == 0o600, file


def test_a_database_is_opened_with_its_safety_settings(tmp_path: Path) -> None:
    with Database(tmp_path / "wellworn.db") as db, db.write() as connection:
        settings = [
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        ]
    assert settings == ["wal", 2, 1, 10_000]


def test_opening_again_changes_neither_schema_nor_rows(tmp_path: Path) -> None:
    with Database(tmp_path / "wellworn.db") as db:
        with db.write() as connection:
            connection.execute(INSERT, ("a",))
        before = db.rows("SELECT sql FROM sqlite_master")
    with Database(tmp_path / "wellworn.db") as db:
        assert db.rows("SELECT sql FROM sqlite_master") == before
        assert db.row("PRAGMA user_version") == (len(MIGRATIONS),)
        assert ids(db) == ["a"]


def test_a_write_that_fails_changes_nothing(tmp_path: Path) -> None:
    with Database(tmp_path / "wellworn.db") as db:
        with pytest.raises(RuntimeError):
            insert_and_fail(db, "a")
        assert ids(db) == []


def test_a_nested_write_that_fails_undoes_only_itself(tmp_path: Path) -> None:
    with Database(tmp_path / "wellworn.db") as db:
        with db.write() as connection:
            connection.execute(INSERT, ("outer",))
            with pytest.raises(RuntimeError):
                insert_and_fail(db, "inner")
            with db.write():
                connection.execute(INSERT, ("second",))
        assert ids(db) == ["outer", "second"]


def test_an_outer_write_that_fails_undoes_the_nested_ones(tmp_path: Path) -> None:
    with Database(tmp_path / "wellworn.db") as db:
        with pytest.raises(RuntimeError):
            nest_and_fail(db)
        assert ids(db) == []


def test_a_writer_reads_its_own_changes_and_other_threads_do_not(tmp_path: Path) -> None:
    seen: list[list[str]] = []
    with Database(tmp_path / "wellworn.db") as db:
        with db.write() as connection:
            connection.execute(INSERT, ("a",))
            assert ids(db) == ["a"]
            reader = threading.Thread(target=lambda: seen.append(ids(db)))
            reader.start()
            reader.join()
        assert seen == [[]]
        assert ids(db) == ["a"]


def test_a_snapshot_stays_at_one_moment_while_another_thread_writes(tmp_path: Path) -> None:
    def write() -> None:
        with db.write() as connection:
            connection.execute(INSERT, ("a",))

    with Database(tmp_path / "wellworn.db") as db:
        with db.snapshot():
            assert ids(db) == []
            writer = threading.Thread(target=write)
            writer.start()
            writer.join()
            with db.snapshot():
                assert ids(db) == []
        assert ids(db) == ["a"]


def test_reading_connections_cannot_write(tmp_path: Path) -> None:
    with Database(tmp_path / "wellworn.db") as db:
        with pytest.raises(StoreError):
            db.rows(INSERT, ("a",))
        assert ids(db) == []


def test_many_threads_write_without_losing_a_row(tmp_path: Path) -> None:
    def write(name: int) -> None:
        for number in range(20):
            with db.write() as connection:
                connection.execute(INSERT, (f"{name}-{number}",))

    with Database(tmp_path / "wellworn.db") as db:
        threads = [threading.Thread(target=write, args=(name,)) for name in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(ids(db)) == 120


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts descriptors through /proc")
def test_fifty_openings_leave_no_descriptor_or_thread_behind(tmp_path: Path) -> None:
    def use() -> None:
        with Database(tmp_path / "wellworn.db") as db:
            threads = [threading.Thread(target=ids, args=(db,)) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    use()
    before = descriptors(), threading.active_count()
    for _ in range(50):
        use()
    assert (descriptors(), threading.active_count()) == before


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts descriptors through /proc")
def test_threads_that_have_ended_do_not_pile_up_connections(tmp_path: Path) -> None:
    with Database(tmp_path / "wellworn.db") as db:
        ids(db)
        before = descriptors()
        for _ in range(50):
            thread = threading.Thread(target=ids, args=(db,))
            thread.start()
            thread.join()
        assert descriptors() <= before + 6


def test_a_closed_database_says_that_it_is_closed(tmp_path: Path) -> None:
    db = Database(tmp_path / "wellworn.db")
    ids(db)
    db.close()
    db.close()
    with pytest.raises(StoreError, match="closed"):
        ids(db)
    with pytest.raises(StoreError, match="closed"), db.write():
        pass


# -- what cannot be used -----------------------------------------------------------------------------------------------


def one_sentence(error: BaseException, path: Path) -> None:
    assert str(path) in str(error)
    assert isinstance(error, StoreError)
    assert error.hint
    assert "\n" not in str(error)


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("mine", encoding="utf-8")
    with pytest.raises(StoreError) as caught:
        Database(tmp_path / "data" / "wellworn.db")
    one_sentence(caught.value, tmp_path / "data")
    assert (tmp_path / "data").read_text(encoding="utf-8") == "mine"


def test_a_database_path_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "wellworn.db").mkdir()
    with pytest.raises(StoreError) as caught:
        Database(tmp_path / "wellworn.db")
    one_sentence(caught.value, tmp_path / "wellworn.db")


def test_an_unwritable_folder_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    as_root = os.geteuid() == 0
    if as_root:  # root may write everywhere, so be nobody for a moment
        os.seteuid(65534)
    try:
        with pytest.raises(StoreError) as caught:
            Database(tmp_path / "data" / "wellworn.db")
    finally:
        if as_root:
            os.seteuid(0)
        tmp_path.chmod(0o700)
    one_sentence(caught.value, tmp_path / "data")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content", [b"not a database at all, " * 400, b"SQLite format 3\x00 and then nothing of it" * 60]
)
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "wellworn.db"
    path.write_bytes(content)
    with pytest.raises(StoreError) as caught:
        Database(path)
    one_sentence(caught.value, path)
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == ["wellworn.db"]


def make_other(path: Path, *statements: str) -> bytes:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path.read_bytes()


def test_another_programs_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "wellworn.db"
    content = make_other(path, "CREATE TABLE theirs (id)")
    with pytest.raises(StoreError, match="another program") as caught:
        Database(path)
    one_sentence(caught.value, path)
    assert path.read_bytes() == content


def test_a_database_of_a_newer_version_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "wellworn.db"
    Database(path).close()
    content = make_other(path, f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(NewerStore, match="newer version") as caught:
        Database(path)
    one_sentence(caught.value, path)
    assert path.read_bytes() == content


def test_a_damaged_database_is_named_when_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "wellworn.db"
    with Database(path) as db, db.write() as connection:
        connection.executemany(INSERT, [(f"source {number:05}",) for number in range(3000)])
    content = bytearray(path.read_bytes())
    content[4096:] = b"\x55" * len(content[4096:])
    path.write_bytes(content)
    with pytest.raises(StoreError, match="damaged") as caught, Database(path) as db:
        ids(db)
    one_sentence(caught.value, path)


def test_a_full_disk_is_told_in_one_sentence_and_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "wellworn.db"
    with Database(path) as db:
        with db.write() as connection:
            connection.execute(INSERT, ("kept",))
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count = {pages + 2}")  # what SQLite reports is what a full disk gives
        with pytest.raises(StoreError, match="no space") as caught, db.write() as connection:
            connection.executemany(INSERT, [(f"source {number:05}",) for number in range(3000)])
        one_sentence(caught.value, path)
        assert ids(db) == ["kept"]
        with db.write() as connection:
            connection.execute(INSERT, ("after",))
        assert ids(db) == ["after", "kept"]


def test_a_database_that_another_process_holds_is_unavailable_not_broken(tmp_path: Path) -> None:
    path = tmp_path / "wellworn.db"
    with Database(path) as db:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        assert ids(db) == []
        db.utils().execute("PRAGMA busy_timeout = 50")
        with pytest.raises(Unavailable, match="in use"), db.write():
            pass
        other.execute("ROLLBACK")
        other.close()
        with db.write() as connection:
            connection.execute(INSERT, ("a",))
        assert ids(db) == ["a"]


# -- several processes -------------------------------------------------------------------------------------------------

OPEN_AND_WRITE = """
import sys
from pathlib import Path
from wellworn.store.database import Database
sys.stdin.readline()
with Database(Path(sys.argv[1])) as db:
    for number in range(10):
        with db.write() as connection:
            name = f"{sys.argv[2]}-{number}"
            connection.execute("INSERT INTO sources VALUES (?, '/x', 'user', 'local', 1, 1, 'home', '2030')", (name,))
"""


def test_processes_that_open_a_new_database_at_once_all_succeed(tmp_path: Path) -> None:
    path = tmp_path / "data" / "wellworn.db"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN_AND_WRITE, str(path), str(number)],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
    with Database(path) as db:
        assert len(ids(db)) == 40
        assert db.row("PRAGMA integrity_check") == ("ok",)
