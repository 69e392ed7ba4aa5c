"""Libraries in memory: skills in, a view out, through the very code that serves; vectors are embedded once and kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from wellworn.index.encoder import Encoder, FloatArray
from wellworn.index.lexical import grams_of, pack_text, query_terms, unpack_texts
from wellworn.index.partition import Partition
from wellworn.index.segment import FIELD_CODES, UNKEPT_TEXTS, SkillColumns
from wellworn.index.utterances import utterances_of
from wellworn.index.view import View
from wellworn.models.skill import Scope, Skill, SkillCard, SkillManifest, SkillStats
from wellworn.resolver.context_facts import Facts
from wellworn.resolver.head import Heads, head_of
from wellworn.resolver.inquiry import Inquiry
from wellworn.resolver.message import read_message
from wellworn.resolver.ranking import Measured, measure_inquiry
from wellworn.resolver.rules import Reading, read_intent
from wellworn.resolver.spelling import corrected, words_known_to
from wellworn.store.derive import derive_fields
from wellworn.store.vectors import VectorStore, text_hash

OWNER = "fit"
NOW = datetime(2030, 1, 1, tzinfo=UTC)
_BATCH = 2_000


class Vectors:
    """An encoder whose answers are kept in a file."""

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        self.encoder = encoder
        self._store = VectorStore(folder, encoder.fingerprint, encoder.dim)
        hashes, matrix = self._store.load_all()
        self._known = dict(zip(hashes, matrix, strict=True))

    def of(self, texts: Sequence[str]) -> FloatArray:
        """Return float32[len(texts), dim]."""
        wanted = [text_hash(text) for text in texts]
        new = {digest: text for digest, text in zip(wanted, texts, strict=True) if digest not in self._known}
        for start in range(0, len(new), _BATCH):
            digests = [*new][start : start + _BATCH]
            rows = self.encoder.encode([new[digest] for digest in digests])
            self._store.put_many(digests, rows)
            self._known.update(zip(digests, rows, strict=True))
        if not wanted:
            return np.empty((0, self.encoder.dim), dtype=np.float32)
        return np.stack([self._known[digest] for digest in wanted])


class CachedEncoder:
    """An encoder with its vectors kept in a file, so that a second run costs little."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self.name, self.dim = vectors.encoder.name, vectors.encoder.dim
        self.fingerprint = vectors.encoder.fingerprint

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Return float32[len(texts), dim]."""
        return self._vectors.of(texts)


def make_skill(skill_id: str, fields: Mapping[str, object], body: str = "", *, derive: bool = True) -> Skill:
    """Return a skill; derive: with the triggers and negatives that its description implies, as for a file."""
    derived = derive_fields(skill_id, skill_id, str(fields.get("description", "")), None) if derive else {}
    manifest = SkillManifest.model_validate({"id": skill_id, **derived, **fields})
    return Skill(manifest=manifest, name=skill_id, body=body, owner=OWNER, directory=Path(skill_id))


class MemoryLibrary:
    """A library of distinct ids as one partition. A skill's key is its place."""

    def __init__(self, skills: Sequence[Skill], vectors: Vectors, *, trained: bool = True) -> None:
        """trained: fit a head. False stands for a library that is too large for one."""
        self.vectors = vectors
        self.view = View([Partition(Scope.user, OWNER).upserted(_columns(skills, vectors))])
        self.ref_of = {skill.id: place for place, skill in enumerate(skills)}
        self.heads = head_of(self.view) if trained else Heads()

    def measure(self, messages: Sequence[str]) -> list[tuple[Reading, Measured | None]]:
        """Measure the candidates of each message, as the resolver would without context."""
        read = [read_message(message) for message in messages]
        readings = [read_intent(message) for message in read]
        known = words_known_to(self.view)
        texts = [corrected(message.request, known) for message in read]
        queries = self.vectors.of(texts)
        none = np.empty((0, queries.shape[1]), dtype=np.float32)
        answers: list[tuple[Reading, Measured | None]] = []
        for message, reading, text, query in zip(read, readings, texts, queries, strict=True):
            inquiry = Inquiry(
                message=message, reading=reading, text=text, query=query, terms=query_terms(text), grams=grams_of(text),
                excluded=none, facts=Facts(), statements=none, goal=none, traces=none,
            )  # fmt: skip
            answers.append((reading, measure_inquiry(self.view, inquiry, self.heads, now=NOW)))
        return answers


def _columns(skills: Sequence[Skill], vectors: Vectors) -> SkillColumns:
    rows = [(slot, one) for slot, skill in enumerate(skills) for one in utterances_of(skill)]
    return SkillColumns(
        cards=tuple(_card(key, skill) for key, skill in enumerate(skills)),
        slot_of=np.array([slot for slot, _ in rows], dtype=np.int32),
        fields=np.array([FIELD_CODES[one.field] for _, one in rows], dtype=np.uint8),
        texts=[None if one.field in UNKEPT_TEXTS else one.text for _, one in rows],
        matrix=vectors.of([one.text for _, one in rows]),
        text=unpack_texts([pack_text(skill) for skill in skills]),
    )


def _card(key: int, skill: Skill) -> SkillCard:
    manifest = skill.manifest
    return SkillCard(
        key=key, id=skill.id, scope=Scope.user, owner=OWNER, name=skill.name, description=manifest.description,
        kind=manifest.kind, risk=manifest.risk, trust=manifest.trust, invocable=True, vouched=True,
        requires_approval=(), recipe_id=None, when=None, steps=(), stats=SkillStats(),
    )  # fmt: skip


def distinct_ids(skills: Iterable[Skill]) -> list[Skill]:
    """Return the skills without those whose id another had before."""
    return list({skill.id: skill for skill in reversed([*skills])}.values())[::-1]
