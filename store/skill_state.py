"""The two files of a skill at one moment: known by a hash, and put back as they were."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from wellworn.models.errors import StoreError
from wellworn.store.files import sync_folder, temporary_name, write_together
from wellworn.store.skill_read import MANIFEST_FILE, SKILL_FILE, SkillBytes, read_files

NOTHING = SkillBytes()


def state_of(directory: Path) -> SkillBytes:
    """Return the content of a skill's files; `NOTHING` where there is no folder."""
    try:
        return read_files(directory, directory)
    except StoreError:
        return NOTHING


def state_hash(state: SkillBytes) -> str | None:
    """Return a SHA-256 (hex) over the content of both files; None where there is neither."""
    if state.skill_md is None and state.manifest is None:
        return None
    total = hashlib.sha256()
    for data in (state.skill_md, state.manifest):
        total.update(b"-" if data is None else hashlib.sha256(data).digest())
    return total.hexdigest()


def put_back(directory: Path, state: SkillBytes) -> None:
    """Give a skill's folder the content that it had; a file (or folder) that was not there goes. Raises StoreError."""
    if state == NOTHING:
        _remove(directory)
        return
    files = [
        (path or directory / name, data)
        for path, name, data in (
            (state.skill_md_path, SKILL_FILE, state.skill_md),
            (state.manifest_path, MANIFEST_FILE, state.manifest),
        )
    ]
    write_together([(path, data) for path, data in files if data is not None])
    for path, data in files:
        if data is None:
            path.unlink(missing_ok=True)


def _remove(directory: Path) -> None:
    if not directory.is_dir():
        return
    trash = directory.with_name(temporary_name(directory.name))
    try:
        directory.rename(trash)
        sync_folder(directory.parent)
    except OSError as error:
        raise StoreError(f"{directory} cannot be removed: {error.strerror}.", hint="Check its permissions.") from error
    shutil.rmtree(trash, ignore_errors=True)
