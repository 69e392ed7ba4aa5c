"""Makers of skills, columns and whole data folders, for the tests of the index."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from wellworn.index.catalogue_sync import entry_of
from wellworn.index.encoders.hashing import HashingEncoder
from wellworn.index.lexical import pack_text, unpack_texts
from wellworn.index.live import LiveIndex
from wellworn.index.segment import FIELD_CODES, UNKEPT_TEXTS, SkillColumns
from wellworn.index.utterances import utterances_of
from wellworn.models.skill import Risk, Scope, Skill, SkillCard, SkillKind, SkillManifest, SkillStats, Trust
from wellworn.store.database import Database
from wellworn.store.discovery import Source
from wellworn.store.skills import SkillTable
from wellworn.store.sources import SourceTable

NOW = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
ENCODER = HashingEncoder(64)
USER = (Scope.user, "local")


def make_skill(
    skill_id: str,
    *,
    body: str = "",
    name: str | None = None,
    owner: str = "local",
    root: Path = Path("/skills"),
    **fields: Any,
) -> Skill:
    """A skill of the user scope unless `scope` says otherwise; `fields` are the manifest's."""
    fields.setdefault("description", f"About {skill_id.replace('-', ' ')}.")
    manifest = SkillManifest(id=skill_id, **fields)
    return Skill(manifest=manifest, name=name or skill_id, body=body, owner=owner, directory=root / skill_id)


def make_card(skill: Skill, key: int) -> SkillCard:
    """The card that the store would return for `skill`."""
    manifest = skill.manifest
    return SkillCard(
        key=key, id=skill.id, scope=skill.scope, owner=skill.owner, name=skill.name, description=manifest.description,
        kind=SkillKind.prompt_skill, risk=Risk.low, trust=manifest.trust, invocable=skill.invocable, vouched=True,
        requires_approval=(), recipe_id=None, when=None, steps=(), stats=SkillStats(),
    )  # fmt: skip


def make_columns(skills: Sequence[tuple[int, Skill]]) -> SkillColumns:
    """Columns of (key, skill) pairs, embedded with ENCODER."""
    cards = tuple(make_card(skill, key) for key, skill in skills)
    live = [slot for slot, card in enumerate(cards) if card.matchable]
    rows = [(slot, one) for slot in live for one in utterances_of(skills[slot][1])]
    return SkillColumns(
        cards=cards,
        slot_of=np.array([slot for slot, _ in rows], dtype=np.int32),
        fields=np.array([FIELD_CODES[one.field] for _, one in rows], dtype=np.uint8),
        texts=[None if one.field in UNKEPT_TEXTS else one.text for _, one in rows],
        matrix=ENCODER.encode([one.text for _, one in rows]),
        text=unpack_texts([pack_text(skill) if slot in live else None for slot, (_, skill) in enumerate(skills)]),
    )


def make_source(path: Path, source_id: str = "home", *, scope: Scope = Scope.user, owner: str = "local") -> Source:
    """A vouched source."""
    return Source(source_id, path, scope, owner, rank=1, vouched=True, capped=False)


def open_data(folder: Path, *sources: Source) -> Database:
    """A database whose sources are registered."""
    db = Database(folder / "wellworn.db")
    for source in sources:
        SourceTable(db).put(source, kind="home", now=NOW)
    return db


def open_live(db: Database, encoder: Any = ENCODER) -> LiveIndex:
    """A live index beside its database."""
    return LiveIndex(db, db.path.parent / "vectors", encoder)


def put(db: Database, *skills: Skill, source_id: str = "home", stamp: str = "1") -> list[int]:
    """Store skills without files."""
    return SkillTable(db).put_many(source_id, [entry_of(skill, stamp) for skill in skills], now=NOW)


def write_skill_file(root: Path, skill_id: str, description: str, body: str = "") -> Path:
    """A SKILL.md in root/<id>."""
    folder = root / skill_id
    folder.mkdir(parents=True, exist_ok=True)
    text = f"---\nname: {skill_id}\ndescription: {description}\n---\n{body}\n"
    (folder / "SKILL.md").write_text(text, encoding="utf-8")
    return folder


def found(live: LiveIndex, message: str, k: int = 5, owners: Sequence[tuple[Scope, str]] = (USER,)) -> list[str]:
    """The ids of the skills nearest to a message, best first, without repeats."""
    snapshot = live.snapshot
    view = snapshot.view(owners)
    hits = view.search(snapshot.encoder.encode([message])[0], k)
    return list(dict.fromkeys(view.card(hit.ref).id for hit in hits))


DISABLED = Trust.disabled
