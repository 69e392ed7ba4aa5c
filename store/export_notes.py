"""What an export leaves behind: files beside a skill's own two, and text beyond what is read of a SKILL.md."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from wellworn.models.errors import StoreError
from wellworn.models.skill import Skill
from wellworn.store.skill_read import find_files, looks_like_skill

_NAMED = 3
_COUNTED = 1000


def notes_on(skills: Iterable[Skill]) -> tuple[str, ...]:
    """Return one sentence for each thing of these skills that an export does not hold."""
    return tuple(note for skill in skills for note in _notes_on(skill))


def _notes_on(skill: Skill) -> Iterator[str]:
    if any(diagnostic.code == "too-large" for diagnostic in skill.diagnostics):
        yield f"The files of {skill.id} are larger than what is read; the rest is not part of the export."
    others = sorted(islice(_other_files(skill.directory), _COUNTED))
    if others:
        more = f" and {len(others) - _NAMED:,} more" if len(others) > _NAMED else ""
        verb = "is" if len(others) == 1 else "are"
        yield f"{', '.join(others[:_NAMED])}{more} of {skill.id} {verb} not part of the export."


def _other_files(directory: Path) -> Iterator[str]:
    """Yield files below a skill's folder but its own two, hidden ones, and those of skills that lie deeper in it."""
    try:
        own = find_files(directory)
    except StoreError:
        return
    for folder, names, files in os.walk(directory):
        here = Path(folder)
        if here != directory and looks_like_skill(here, files):
            names.clear()
            continue
        names[:] = [name for name in names if not name.startswith(".")]
        for name in files:
            if not name.startswith(".") and here / name not in {own.skill_md, own.manifest}:
                yield str((here / name).relative_to(directory))
