"""What SQLite reports, as one of wellworn's own errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wellworn.models.errors import StoreError, Unavailable, WellwornError

_PRIMARY = 0xFF
_FOLDER_HINT = "Check the permissions of its folder, or choose another data folder."
_DAMAGED_HINT = "Restore it from a backup, or move it away and index your skills again."
_SENTENCES = {
    sqlite3.SQLITE_FULL: ("There is no space left for {path}; nothing was changed.", "Free some space and try again."),
    sqlite3.SQLITE_READONLY: ("{path} cannot be written.", _FOLDER_HINT),
    sqlite3.SQLITE_PERM: ("{path} cannot be written.", _FOLDER_HINT),
    sqlite3.SQLITE_CANTOPEN: ("{path} cannot be opened.", _FOLDER_HINT),
    sqlite3.SQLITE_IOERR: ("Reading or writing {path} failed.", "Check the disk it lies on, and its free space."),
    sqlite3.SQLITE_CORRUPT: ("{path} is damaged.", _DAMAGED_HINT),
    sqlite3.SQLITE_NOTADB: ("{path} is not a database of wellworn.", "Move it away, or choose another data folder."),
    sqlite3.SQLITE_TOOBIG: ("A value is too large for {path}; nothing was changed.", "Shorten it and try again."),
}
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def primary_code(error: sqlite3.Error) -> int | None:
    """Return SQLite's primary result code; None for an error of the Python module itself."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & _PRIMARY


def is_busy(error: sqlite3.Error) -> bool:
    """Say whether another connection held a lock for too long."""
    return primary_code(error) in _BUSY


def as_wellworn(error: sqlite3.Error, path: Path) -> WellwornError | None:
    """Return the error to raise in place of `error`, or None when it tells of a fault in the program."""
    code = primary_code(error)
    if code in _BUSY:
        return Unavailable(f"{path} is in use by another process.", hint="Try again when it has finished.")
    if code not in _SENTENCES:
        return None
    message, hint = _SENTENCES[code]
    return StoreError(message.format(path=path), hint=hint)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Within it, errors of SQLite about the file or disk become StoreError or Unavailable; others pass unchanged."""
    try:
        yield
    except sqlite3.Error as error:
        known = as_wellworn(error, path)
        if known is None:
            raise
        raise known from error
