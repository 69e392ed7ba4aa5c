"""Vectors of texts, each stored once under the hash of its text: one SQLite file for each encoder fingerprint.

This is a cache of texts that the database also holds: whatever is missing here is embedded again. So synchronous=NORMAL
is enough (a power cut may cost the last vectors, a killed process none), and damage is answered by throwing away: a row
whose checksum, length or norm is wrong is deleted; a file that SQLite cannot read, or that belongs to another encoder,
is set aside as `<name>.damaged-<n>`. Both are told in `problems`; a wrong vector is never served.
"""

# ruff: noqa: S608  only constant column lists and parameter marks are put into SQL text; values are always bound

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from wellworn.models.errors import InvalidInput, StoreError
from wellworn.store.database import BUSY_SECONDS, prepare_file, use_wal
from wellworn.store.precedence import chunks, marks
from wellworn.store.sqlite_errors import DAMAGE, primary_code, translated
from wellworn.store.text_hash import HASH_BYTES, text_hash

__all__ = ["VectorStore", "text_hash"]

FloatArray = NDArray[np.float32]
T = TypeVar("T")
FORMAT = 1
NORM_TOLERANCE = 1e-3
_PAGE_BYTES = 16384  # ten vectors of 384 fit one page; at 4096 bytes a quarter of the file would be air
_BATCH = 4096
_NAME_LENGTH = 32
_DAMAGE = DAMAGE | {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH}
# Python cannot even decode the message in which SQLite quotes a damaged schema.
_DAMAGE_ERRORS = (sqlite3.DatabaseError, UnicodeDecodeError)
_SIDE_FILES = ("-wal", "-shm")  # moved before the file itself: a new file must never meet an old log


class _Foreign(Exception):
    """The file holds something else than the vectors of this encoder; its text says what."""


class VectorStore:
    """The vectors of one encoder, float32 unit rows of `dim`. Thread-safe; several processes may share the file.

    folder: `<data dir>/vectors`. fingerprint: hexadecimal, of the encoder. problems: one sentence for each damage seen.
    Raises StoreError when the folder or file cannot be used, InvalidInput for a fingerprint of the wrong shape.
    """

    def __init__(self, folder: Path, fingerprint: str, dim: int) -> None:
        if not fingerprint or any(letter not in "0123456789abcdef" for letter in fingerprint):
            raise InvalidInput(f"{fingerprint[:80]!r} is not an encoder's fingerprint.", hint="It is hexadecimal.")
        self.path = folder / f"{fingerprint[:_NAME_LENGTH]}.db"
        self.dim = dim
        self.fingerprint = fingerprint
        self.problems: list[str] = []
        self._lock = threading.RLock()
        self._closed = False
        self._connection, self._inode = self._open_or_replace()

    def get_many(self, hashes: Sequence[bytes]) -> dict[bytes, FloatArray]:
        """Return the vectors that are known, by hash; read-only arrays of length `dim`."""

        def read(connection: sqlite3.Connection) -> dict[bytes, FloatArray]:
            found: dict[bytes, FloatArray] = {}
            for chunk in chunks(list(dict.fromkeys(hashes))):
                rows = connection.execute(
                    f"SELECT hash, vector, crc, rowid FROM vectors WHERE hash IN ({marks(len(chunk))})", chunk
                ).fetchall()
                good, matrix, bad = _checked(rows, self.dim)
                found.update(zip(good, matrix, strict=True))
                self._delete(bad)
            return found

        return self._with_recovery(read, dict)

    def load_all(self) -> tuple[list[bytes], FloatArray]:
        """Return all hashes and float32[n, dim], row by row. 75,000 x 384 take about 0.3 s."""
        return self._with_recovery(self._load, lambda: ([], np.empty((0, self.dim), np.float32)))

    def known(self) -> set[bytes]:
        """Return the hashes that are stored, without reading (or checking) their vectors."""
        return self._with_recovery(
            lambda connection: {row[0] for row in connection.execute("SELECT hash FROM vectors")}, set
        )

    def put_many(self, hashes: Sequence[bytes], vectors: FloatArray) -> None:
        """Store float32[len(hashes), dim] in one transaction, replacing what was there.

        Raises InvalidInput when a row is not a finite unit vector or the shapes do not fit; then nothing is stored.
        """
        matrix = np.ascontiguousarray(vectors, dtype="<f4")
        if matrix.shape != (len(hashes), self.dim) or any(len(digest) != HASH_BYTES for digest in hashes):
            raise InvalidInput(f"{len(hashes)} hashes do not go with vectors of shape {matrix.shape}, dim {self.dim}.")
        if not _unit(matrix).all():
            raise InvalidInput("A vector is not finite or not of length 1.", hint="Check the encoder.")
        blobs = [row.tobytes() for row in matrix]
        rows = [(digest, blob, _crc(digest, blob)) for digest, blob in zip(hashes, blobs, strict=True)]
        insert = "INSERT OR REPLACE INTO vectors (hash, vector, crc) VALUES (?, ?, ?)"
        self._change(insert, rows)

    def drop_unused(self, keep: set[bytes]) -> int:
        """Delete all vectors but those of `keep`; return how many. The space is used again by later vectors."""
        unused = [(digest,) for digest in self.known() if digest not in keep]
        self._change("DELETE FROM vectors WHERE hash = ?", unused)
        return len(unused)

    def close(self) -> None:
        """Close the file; closing twice is fine."""
        with self._lock:
            self._closed = True
            self._connection.close()

    def __enter__(self) -> VectorStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- reading with checks ---------------------------------------------------------------------------------------

    def _load(self, connection: sqlite3.Connection) -> tuple[list[bytes], FloatArray]:
        hashes: list[bytes] = []
        damaged: list[int] = []
        matrix = np.empty((connection.execute("SELECT count(*) FROM vectors").fetchone()[0], self.dim), np.float32)
        cursor = connection.execute("SELECT hash, vector, crc, rowid FROM vectors")
        while rows := cursor.fetchmany(_BATCH):
            good, part, bad = _checked(rows, self.dim)
            if len(hashes) + len(good) > len(matrix):  # another process added some meanwhile
                matrix = np.concatenate([matrix[: len(hashes)], np.empty((len(rows) + _BATCH, self.dim), np.float32)])
            matrix[len(hashes) : len(hashes) + len(good)] = part
            hashes += good
            damaged += bad
        self._delete(damaged)
        return hashes, matrix[: len(hashes)]

    def _delete(self, damaged: Sequence[int]) -> None:
        if damaged:
            self._connection.executemany("DELETE FROM vectors WHERE rowid = ?", [(one,) for one in damaged])
            self.problems.append(
                f"{len(damaged)} damaged vectors were dropped from {self.path}; they are embedded again."
            )

    # -- opening, and setting damaged files aside ------------------------------------------------------------------

    def _change(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        def run(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.executemany(statement, rows)
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

        # A damaged file has been replaced by an empty one by then, which takes the rows.
        self._with_recovery(run, lambda: run(self._connection))

    def _with_recovery(self, action: Callable[[sqlite3.Connection], T], after_loss: Callable[[], T]) -> T:
        """Run `action`; when SQLite finds the file damaged, replace it by an empty one and return `after_loss()`."""
        with self._lock, translated(self.path):
            if self._closed:
                raise StoreError(f"{self.path} was closed.", hint="Open it again.")
            if _inode(self.path) != self._inode:  # set aside by another process, or deleted
                self._connection.close()
                self._connection, self._inode = self._open_or_replace()
            try:
                return action(self._connection)
            except _DAMAGE_ERRORS as error:
                if not _tells_of_damage(error, self.path):
                    raise
                self._replace(str(error))
                return after_loss()

    def _replace(self, reason: str) -> None:
        self._connection.close()
        with _folder_lock(self.path.parent):
            if _inode(self.path) == self._inode:  # otherwise another process has replaced it already
                self._set_aside(reason)
        self._connection, self._inode = self._open_or_replace()

    def _open_or_replace(self) -> tuple[sqlite3.Connection, int]:
        prepare_file(self.path.parent / ".lock")
        with _folder_lock(self.path.parent), translated(self.path):
            prepare_file(self.path)
            try:
                return self._open()
            except _Foreign as error:
                self._set_aside(str(error))
            except _DAMAGE_ERRORS as error:
                if not _tells_of_damage(error, self.path):
                    raise
                self._set_aside(str(error))
            prepare_file(self.path)
            return self._open()

    def _open(self) -> tuple[sqlite3.Connection, int]:
        inode = _inode(self.path)
        connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        connection.text_factory = _lenient_text
        try:
            connection.execute("PRAGMA cell_size_check = ON")
            connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
            if connection.execute("SELECT EXISTS (SELECT 1 FROM sqlite_master)").fetchone()[0]:
                _check_meta(connection, self.fingerprint, self.dim)
            use_wal(connection, self.path)
            connection.execute("PRAGMA synchronous = NORMAL")
            _create(connection, self.fingerprint, self.dim)
        except BaseException:
            connection.close()
            raise
        return connection, inode

    def _set_aside(self, reason: str) -> None:
        target = next(place for number in count(1) if not (place := Path(f"{self.path}.damaged-{number}")).exists())
        try:
            for side in _SIDE_FILES:
                if Path(f"{self.path}{side}").exists():
                    Path(f"{self.path}{side}").rename(f"{target}{side}")
            self.path.rename(target)
        except OSError as error:
            raise StoreError(f"{self.path} is damaged and cannot be moved away.", hint="Delete it.") from error
        self.problems.append(f"{self.path} was set aside as {target.name} ({reason}); its vectors are embedded again.")


def _check_meta(connection: sqlite3.Connection, fingerprint: str, dim: int) -> None:
    """Raise _Foreign unless the file says that it holds this encoder's vectors."""
    try:
        meta = dict(connection.execute("SELECT name, value FROM meta").fetchall())
        connection.execute("SELECT hash, vector, crc FROM vectors LIMIT 0")
    except sqlite3.OperationalError as error:
        if primary_code(error) != sqlite3.SQLITE_ERROR:
            raise
        raise _Foreign("not a file of vectors") from error
    if meta != _meta(fingerprint, dim):
        raise _Foreign(f"vectors of another encoder, {str(meta.get('fingerprint'))[:80]}, dim {meta.get('dim')}")


def _tells_of_damage(error: sqlite3.Error | UnicodeDecodeError, path: Path) -> bool:
    """Say whether the file's content is at fault, and not the disk, a lock or a permission.

    The statements here are constant, so one that fails as wrong has met a damaged schema; and a file that may be
    written but is called read-only has a damaged header.
    """
    if isinstance(error, UnicodeDecodeError):
        return True
    code = primary_code(error)
    return code in _DAMAGE or (code == sqlite3.SQLITE_READONLY and os.access(path, os.W_OK))


def _lenient_text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _meta(fingerprint: str, dim: int) -> dict[str, str]:
    return {"fingerprint": fingerprint, "dim": str(dim), "format": str(FORMAT)}


def _create(connection: sqlite3.Connection, fingerprint: str, dim: int) -> None:
    if connection.execute("SELECT EXISTS (SELECT 1 FROM sqlite_master)").fetchone()[0]:
        return
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
    connection.execute("CREATE TABLE vectors (hash BLOB PRIMARY KEY, vector BLOB NOT NULL, crc INTEGER NOT NULL)")
    connection.executemany("INSERT INTO meta VALUES (?, ?)", list(_meta(fingerprint, dim).items()))
    connection.execute("COMMIT")


def _checked(rows: Sequence[tuple[Any, Any, Any, int]], dim: int) -> tuple[list[bytes], FloatArray, list[int]]:
    """Return hashes and vectors of the sound rows, and the row ids of the others."""
    sound = [
        type(digest) is bytes and type(blob) is bytes and len(blob) == dim * 4 and _crc(digest, blob) == crc
        for digest, blob, crc, _ in rows
    ]
    kept = [row for row, good in zip(rows, sound, strict=True) if good]
    bad = [row[3] for row, good in zip(rows, sound, strict=True) if not good]
    matrix = np.frombuffer(b"".join([row[1] for row in kept]), dtype="<f4").reshape(len(kept), dim)
    unit = _unit(matrix)
    if not unit.all():
        bad += [row[3] for row, good in zip(kept, unit, strict=True) if not good]
        kept, matrix = [row for row, good in zip(kept, unit, strict=True) if good], matrix[unit]
    return [row[0] for row in kept], matrix, bad


def _crc(digest: bytes, blob: bytes) -> int:
    """Return a checksum of the vector together with its key, so that a vector under another's key shows as well."""
    return zlib.crc32(blob, zlib.crc32(digest))


def _unit(matrix: FloatArray) -> NDArray[np.bool_]:
    with np.errstate(over="ignore", invalid="ignore"):
        norms = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
        unit: NDArray[np.bool_] = np.abs(norms - 1.0) < NORM_TOLERANCE  # False for NaN
    return unit


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return -1


@contextmanager
def _folder_lock(folder: Path) -> Iterator[None]:
    """Let one process at a time open files in `folder` or move them away."""
    descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
