"""A skill's files with other steps, and files put as they are wanted: both at once where the system can."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from wellworn.models.errors import Conflict
from wellworn.store.files import write_together
from wellworn.store.skill_read import MANIFEST_FILE, SKILL_FILE, SkillBytes
from wellworn.store.skill_state import put_back
from wellworn.store.skill_write import edited_manifest
from wellworn.store.steps_section import with_steps
from wellworn.store.swap import swap_files


def rewritten(directory: Path, files: SkillBytes, steps: list[str], fields: Mapping[str, Any]) -> SkillBytes:
    """Return the files with other steps, and with other fields of the manifest (wire name -> value).

    Nothing is written. Raises InvalidInput and Conflict as `with_steps` does, and Conflict for fields that cannot be
    changed safely.
    """
    if files.skill_md is None or files.unsafe:
        raise Conflict(f"The files in {directory} cannot be read in full.", hint="Mend them by hand first.")
    new = replace(files, skill_md=with_steps(files.skill_md, steps))
    return with_fields(directory, new, fields)


def with_fields(directory: Path, files: SkillBytes, fields: Mapping[str, Any]) -> SkillBytes:
    """Return the files with other fields of the manifest. Raises Conflict when they cannot be changed safely."""
    if not fields:
        return files
    return replace(
        files,
        manifest=edited_manifest(directory, files, fields),
        manifest_path=files.manifest_path or directory / MANIFEST_FILE,
    )


def write_state(directory: Path, before: SkillBytes, after: SkillBytes) -> None:
    """Give the folder's files another content, each whole, and both at once where that can be. Raises StoreError."""
    pairs = (
        (before.manifest_path or directory / MANIFEST_FILE, before.manifest, after.manifest),
        (before.skill_md_path or directory / SKILL_FILE, before.skill_md, after.skill_md),
    )
    changed = [(path, new) for path, old, new in pairs if new is not None and new != old]
    if any(new is None and old is not None for _, old, new in pairs):
        put_back(directory, replace(after, skill_md_path=pairs[1][0], manifest_path=pairs[0][0]))
    elif len(changed) == 1 or (changed and not swap_files(directory, {p.name: data for p, data in changed}, sync=True)):
        write_together(changed)
