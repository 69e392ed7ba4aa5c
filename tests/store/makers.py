"""Makers of stored things, for the tests of the database."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from wellworn.models.resolution import Decision, IntentResolution
from wellworn.models.skill import Scope, Skill, SkillManifest, Utterance, UtteranceField
from wellworn.store.database import Database
from wellworn.store.skills import SkillEntry, SkillTable
from wellworn.store.sources import SourceTable, StoredSource

NOW = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)


def make_source(
    source_id: str = "home", *, scope: Scope = Scope.user, owner: str = "local", rank: int = 10, vouched: bool = True
) -> StoredSource:
    """A source whose path is named after its id."""
    return StoredSource(source_id, Path("/skills") / source_id, scope, owner, rank, vouched, "home", NOW)


def make_entry(
    skill_id: str = "ship-it",
    *,
    source: StoredSource | None = None,
    directory: str | None = None,
    texts: tuple[str, ...] = ("ship it", "send it out"),
    stamp: str = "1",
    body: str = "# Ship it",
    manifest: SkillManifest | None = None,
) -> SkillEntry:
    """A skill of `source`, with `texts` as its aliases."""
    place = source or make_source()
    return SkillEntry(
        Skill(
            manifest=manifest or SkillManifest(id=skill_id, scope=place.scope, description=f"About {skill_id}."),
            name=skill_id.replace("-", " "),
            body=body,
            owner=place.owner,
            directory=place.path / (directory or skill_id),
        ),
        stamp,
        [Utterance(UtteranceField.alias, text) for text in texts],
        f"words of {skill_id}".encode(),
    )


def make_table(db: Database, *sources: StoredSource) -> SkillTable:
    """A skill table whose sources (by default `home`) are registered."""
    for source in sources or (make_source(),):
        SourceTable(db).put(source, kind="home", now=NOW)
    return SkillTable(db)


def make_resolution(resolution_id: str = "r1", *, skill_id: str | None = "ship-it") -> IntentResolution:
    """An answer: `skill_id` to be confirmed, or none."""
    return IntentResolution(
        resolution_id=resolution_id,
        matched=skill_id is not None,
        skill_id=skill_id,
        confidence=0.7 if skill_id else 0.1,
        scope=Scope.user if skill_id else None,
        decision=Decision.confirm if skill_id else Decision.none,
        reason="Close to an alias." if skill_id else "Nothing is close.",
        generation=1,
    )
