"""Writing a few skills and making them searchable at once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from wellworn.index.catalogue_sync import entry_of, stamp_of
from wellworn.index.live import LiveIndex
from wellworn.models.skill import Skill
from wellworn.store.database import Database
from wellworn.store.skills import SkillTable


def upsert_skills(
    db: Database, live: LiveIndex, source_id: str, skills: Sequence[Skill], *, now: datetime
) -> list[int]:
    """Store skills of one source and return their keys once `live.snapshot` finds them.

    The files must have been written before, since their stamps are stored with them. Raises NotFound or Conflict as
    `SkillTable.put_many` does, StoreError, EncoderUnavailable (then they are stored, and embedded later).
    """
    if not skills:
        return []
    entries = [entry_of(skill, stamp_of(skill.directory)) for skill in skills]
    keys = SkillTable(db).put_many(source_id, entries, now=now)
    live.ensure((skills[0].scope, skills[0].owner), keys)
    return keys


def remove_skills(db: Database, live: LiveIndex, keys: Sequence[int], *, now: datetime) -> int:
    """Remove stored skills; return how many there were, once `live.snapshot` has none of them."""
    removed = SkillTable(db).remove(keys, now=now)
    live.refresh()
    return removed
