"""From the store's rows to the columns of a segment."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from wellworn.index.encoder import FloatArray
from wellworn.index.lexical import unpack_texts
from wellworn.index.rows import IntArray
from wellworn.index.segment import FIELD_CODES, UNKEPT_TEXTS, SkillColumns
from wellworn.models.skill import SkillCard
from wellworn.store.skills import UtteranceRow
from wellworn.store.vectors import VectorStore

Lookup = Callable[[Sequence[bytes]], tuple[FloatArray, IntArray]]
"""Hashes to (float32[n, dim], int64[len(hashes)]): which row each hash has, -1 where its vector is not known."""


def stored_lookup(vectors: VectorStore) -> Lookup:
    """Return a lookup that asks the store for each batch of hashes: for few skills."""

    def look(hashes: Sequence[bytes]) -> tuple[FloatArray, IntArray]:
        found = vectors.get_many(hashes)
        at = {digest: row for row, digest in enumerate(found)}
        matrix = np.stack(list(found.values())) if found else np.empty((0, vectors.dim), dtype=np.float32)
        return matrix, np.array([at.get(digest, -1) for digest in hashes], dtype=np.int64)

    return look


def preloaded_lookup(vectors: VectorStore) -> Lookup:
    """Return a lookup over all stored vectors, read once: for whole partitions."""
    hashes, matrix = vectors.load_all()
    at = {digest: row for row, digest in enumerate(hashes)}

    def look(wanted: Sequence[bytes]) -> tuple[FloatArray, IntArray]:
        return matrix, np.array([at.get(digest, -1) for digest in wanted], dtype=np.int64)

    return look


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the cyclic garbage collector while very many objects are made that all stay.

    It would walk them again and again: 0.5 of 3 seconds with 25,000 skills.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@dataclass(frozen=True, slots=True)
class Loaded:
    """Columns of skills, and the texts whose vectors are missing, by hash."""

    columns: SkillColumns
    missing: dict[bytes, str]


def load_columns(
    cards: Sequence[SkillCard], utterances: Iterable[UtteranceRow], lexicals: Mapping[int, bytes], lookup: Lookup
) -> Loaded:
    """Build columns of these cards, in order.

    Utterances without a vector are left out and told in `missing`, their skills marked incomplete. Skills that are not
    matchable get neither utterances nor words.
    """
    slots = {card.key: slot for slot, card in enumerate(cards) if card.matchable}
    rows = [row for row in utterances if row.skill_key in slots]
    matrix, at = lookup([row.hash for row in rows])
    slot_of = np.array([slots[row.skill_key] for row in rows], dtype=np.int32)
    fields = np.array([FIELD_CODES[row.field] for row in rows], dtype=np.uint8)
    order = np.lexsort((fields, slot_of))
    order = order[at[order] >= 0]
    text = unpack_texts([lexicals.get(card.key) if card.matchable else None for card in cards])
    lacking = {rows[one].hash: rows[one].text for one in np.flatnonzero(at < 0).tolist()}
    columns = SkillColumns(
        cards=tuple(cards),
        slot_of=slot_of[order],
        fields=fields[order],
        texts=[None if rows[one].field in UNKEPT_TEXTS else rows[one].text for one in order.tolist()],
        matrix=matrix[at[order]],
        text=text,
        incomplete=frozenset(slot_of[at < 0].tolist()),
    )
    return Loaded(columns=columns, missing=lacking)
