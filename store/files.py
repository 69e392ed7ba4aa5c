"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from wellworn.models.errors import StoreError

_MARK = ".tmp-"
_NEW_FILE_MODE = 0o644


def write_whole(path: Path, data: bytes, *, sync: bool = True) -> None:
    """Replace the content of `path` so that every reader, and a crash, sees the old bytes or the new ones.

    A temporary file in the same folder is written, flushed and renamed; with `sync` it and the folder are also
    forced to the disk. Permissions of an existing file are kept. Raises StoreError when the folder cannot be written.
    """
    write_together([(path, data)], sync=sync)


def write_together(files: Sequence[tuple[Path, bytes]], *, sync: bool = True) -> None:
    """Replace files that belong together, each as `write_whole` does: all are written before the first is renamed.

    So a full disk changes none of them, and only a crash between two renames (microseconds) leaves some old, some new.
    Raises StoreError naming the file at which it failed.
    """
    staged: list[tuple[Path, Path]] = []
    path = files[0][0]
    try:
        for path, data in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            _remove_leftovers(path)
            staged.append((path.parent / temporary_name(path.name), path))
            _write_new(staged[-1][0], data, _mode_of(path), sync=sync)
        for temporary, path in staged:
            temporary.replace(path)
        if sync:
            for folder in {path.parent for _, path in staged}:
                sync_folder(folder)
    except OSError as error:
        for temporary, _ in staged:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        raise StoreError(f"{path} cannot be written: {error.strerror or error}.", hint=_HINT) from error


_HINT = "Check the folder's permissions and free space; nothing was changed."


def temporary_name(name: str) -> str:
    """Return a hidden name beside `name` that carries this process's id, so that leftovers of dead ones are known."""
    return f".{name}{_MARK}{os.getpid()}-{secrets.token_hex(4)}"


def is_leftover(name: str) -> bool:
    """Say whether `name` is a temporary one whose process has ended."""
    if not name.startswith(".") or _MARK not in name:
        return False
    pid = name.rsplit(_MARK, 1)[1].split("-", maxsplit=1)[0]
    return pid.isdecimal() and not _is_alive(int(pid))


def sync_folder(folder: Path) -> None:
    """Force a folder's entries to the disk (a rename is durable only then)."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write_new(path: Path, data: bytes, mode: int, *, sync: bool) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        if sync:
            os.fsync(file.fileno())


def _mode_of(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return _NEW_FILE_MODE


def _remove_leftovers(path: Path) -> None:
    prefix = f".{path.name}{_MARK}"
    with os.scandir(path.parent) as entries:
        leftovers = [entry.path for entry in entries if entry.name.startswith(prefix) and is_leftover(entry.name)]
    for leftover in leftovers:
        Path(leftover).unlink(missing_ok=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
