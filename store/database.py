"""The SQLite database: opened with its safety settings, migrated, written by one thread of a process at a time.

Reads use one connection a thread; writes use one connection a process behind a lock and `BEGIN IMMEDIATE`. With WAL
and synchronous=FULL a write that has returned is on the disk, whatever happens to the process afterwards.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wellworn.models.errors import StoreError
from wellworn.store.migrations import check_version, migrate
from wellworn.store.sqlite_errors import is_busy, translated

if TYPE_CHECKING:
    import sqlite_utils

BUSY_SECONDS = 10.0
_WAL_RETRY_SECONDS = 0.02
_CACHED_STATEMENTS = 256
_LOG_BYTES = 64 * 2**20  # an import lets the log grow; afterwards it is cut to this


class Database:
    """One database file, shared by all threads of a process (not across a fork).

    path: `<data dir>/wellworn.db`; folder and file are made, private to their user, when they do not exist.
    Raises StoreError when the file cannot be used, NewerStore when a newer version of wellworn wrote it; then nothing
    was changed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._write_lock = threading.RLock()
        self._depth = 0
        self._writing_thread: int | None = None
        self._local = threading.local()
        self._readers: list[tuple[threading.Thread, sqlite3.Connection]] = []
        self._readers_lock = threading.Lock()
        self._closed = False
        prepare_file(path)
        with translated(path):
            self._writer = _open_writer(path)

    def read(self) -> sqlite3.Connection:
        """Return this thread's connection for reading; inside `write()` the writing one, which sees its own changes."""
        if self._writing_thread == threading.get_ident():
            return self._writer
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None or self._closed:
            connection = self._local.connection = self._new_reader()
        return connection

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """Return all rows of one SELECT as tuples; problems of the file are raised as StoreError or Unavailable."""
        with translated(self.path):
            return self.read().execute(sql, parameters).fetchall()

    def row(self, sql: str, parameters: Sequence[Any] = ()) -> Any | None:
        """Return the first row of one SELECT, or None."""
        with translated(self.path):
            return self.read().execute(sql, parameters).fetchone()

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Within it, everything this thread reads comes from one moment of the database."""
        with translated(self.path):
            connection = self.read()
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                if connection.in_transaction:  # an I/O error ends it by itself
                    connection.execute("ROLLBACK")

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Within it, all changes are made or none; when it has ended without an error they are on the disk.

        Nested in the same thread it is a savepoint: an error undoes the inner changes only. Raises StoreError for a
        full or failing disk, Unavailable when another process writes for longer than 10 s.
        """
        with self._write_lock, translated(self.path):
            self._refuse_closed()
            self._depth += 1
            self._writing_thread = threading.get_ident()
            try:
                with _transaction(self._writer, self._depth) as connection:
                    yield connection
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self._writing_thread = None

    def copy_to(self, path: Path) -> None:
        """Copy everything, as it is at this moment, into a new file. Raises StoreError."""
        prepare_file(path)
        with translated(path), closing(sqlite3.connect(path)) as copy:
            self.read().backup(copy)

    def utils(self) -> sqlite_utils.Database:
        """Return sqlite-utils over the writing connection; only for use inside `write()`."""
        import sqlite_utils  # noqa: PLC0415  loads numpy and more, which a light command does not need

        return sqlite_utils.Database(self._writer, execute_plugins=False)

    def close(self) -> None:
        """Close every connection, waiting for a write in progress; closing twice is fine."""
        with self._write_lock, self._readers_lock:
            self._closed = True
            for _, connection in self._readers:
                connection.close()
            self._readers.clear()
            self._writer.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _new_reader(self) -> sqlite3.Connection:
        with self._readers_lock, translated(self.path):
            self._refuse_closed()
            self._close_readers_of_ended_threads()
            connection = _connect(self.path)
            self._readers.append((threading.current_thread(), connection))
            connection.execute("PRAGMA query_only = ON")
            return connection

    def _close_readers_of_ended_threads(self) -> None:
        # One look at each thread: one that ended between two looks would be dropped without being closed.
        alive = [reader for reader in self._readers if reader[0].is_alive()]
        for reader in self._readers:
            if reader not in alive:
                reader[1].close()
        self._readers = alive

    def _refuse_closed(self) -> None:
        if self._closed:
            raise StoreError(f"{self.path} was closed.", hint="Open it again.")


def prepare_file(path: Path) -> None:
    """Make the folders (0700) and an empty file (0600) for `path` where they are missing.

    An existing file is never opened here: closing any descriptor of it would drop the locks that SQLite holds on it
    elsewhere in this process. Raises StoreError.
    """
    try:
        for folder in reversed(path.parents):
            if not folder.is_dir():
                folder.mkdir(mode=0o700, exist_ok=True)
        _create_private(path)
    except OSError as error:
        raise StoreError(
            f"{path.parent} cannot be used as a data folder ({error.strerror or error}).",
            hint="Choose a folder that you can write to.",
        ) from error
    if not path.is_file():
        raise StoreError(f"{path} is not a file.", hint="Move it away, or choose another data folder.")
    if not os.access(path, os.R_OK | os.W_OK):
        raise StoreError(f"{path} cannot be read and written.", hint="Check its permissions and owner.")


def _create_private(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=_CACHED_STATEMENTS,
    )
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def _open_writer(path: Path) -> sqlite3.Connection:
    connection = _connect(path)
    try:
        check_version(connection, path)
        use_wal(connection, path)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES}")
        migrate(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def use_wal(connection: sqlite3.Connection, path: Path) -> None:
    """Switch the file to write-ahead logging; raises StoreError where the file system cannot do it.

    SQLite does not wait for its busy time-out here while another process is switching too, hence the retries.
    """
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            break
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > deadline:
                raise
            time.sleep(_WAL_RETRY_SECONDS)
    if mode != "wal":
        raise StoreError(
            f"The file system of {path} cannot hold the database.", hint="Choose a folder on a local disk."
        )


@contextmanager
def _transaction(connection: sqlite3.Connection, depth: int) -> Iterator[sqlite3.Connection]:
    begin, commit, undo = _STEPS if depth == 1 else _savepoint_steps(depth)
    connection.execute(begin)
    try:
        yield connection
        connection.execute(commit)
    except BaseException:
        # A full disk or an I/O error may have ended the transaction already.
        if connection.in_transaction:
            for statement in undo:
                connection.execute(statement)
        raise


_STEPS = ("BEGIN IMMEDIATE", "COMMIT", ("ROLLBACK",))


def _savepoint_steps(depth: int) -> tuple[str, str, tuple[str, ...]]:
    name = f"level_{depth}"
    return f"SAVEPOINT {name}", f"RELEASE {name}", (f"ROLLBACK TO {name}", f"RELEASE {name}")
