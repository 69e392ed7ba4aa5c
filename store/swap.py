"""Replacing the files of a folder in one step: a folder with the new ones changes places with the old one.

So no reader and no crash ever sees one new file beside an old one. It needs Linux (renameat2, since 3.15) and a file
system that can exchange; elsewhere the caller falls back to one rename a file.
"""

from __future__ import annotations

import ctypes
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from wellworn.store.files import sync_folder, temporary_name, write_whole

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2  # linux/fs.h


def swap_files(folder: Path, files: Mapping[str, bytes], *, sync: bool) -> bool:
    """Give `folder`'s files the content of `files` (by name), all at once; permissions stay.

    False, with nothing changed, when the folder holds anything else or links, or when the system cannot exchange
    folders or refuses a write.
    """
    if folder.is_symlink() or not _holds_only(folder, files):
        return False
    fresh = folder.with_name(temporary_name(folder.name))
    try:
        _fill(fresh, folder, files, sync=sync)
        if not _exchange(fresh, folder):
            return False
        with suppress(OSError):  # what somebody put there meanwhile
            for late in fresh.iterdir():
                if late.name not in files:
                    late.rename(folder / late.name)
        if sync:
            sync_folder(folder.parent)
        return True
    except OSError:
        return False
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _holds_only(folder: Path, files: Mapping[str, bytes]) -> bool:
    with os.scandir(folder) as entries:
        return all(entry.name in files and not entry.is_symlink() for entry in entries)


def _fill(fresh: Path, folder: Path, files: Mapping[str, bytes], *, sync: bool) -> None:
    fresh.mkdir()
    shutil.copymode(folder, fresh)
    for name, data in files.items():
        write_whole(fresh / name, data, sync=sync)
        if (folder / name).exists():
            shutil.copymode(folder / name, fresh / name)


def _exchange(one: Path, other: Path) -> bool:
    exchange = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if exchange is None:
        return False
    done: int = exchange(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE)
    return done == 0
