"""Segment: an immutable part of the index that holds some skills of one partition, as in Lucene.

A change makes a small new segment and marks slots of older ones dead; merging builds one segment out of the live slots
of several.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wellworn.index.encoder import FloatArray
from wellworn.index.lexical import TextColumns, exact_key
from wellworn.index.postings import GramSets, Postings, make_grams, make_postings
from wellworn.index.rows import (
    APPROXIMATE_MIN_ROWS,
    BoolArray,
    ByteArray,
    IntArray,
    Rows,
    approximate_index,
    make_rows,
)
from wellworn.models.skill import SkillCard, UtteranceField

FIELDS: tuple[UtteranceField, ...] = tuple(UtteranceField)
FIELD_CODES = {field: code for code, field in enumerate(FIELDS)}
NEGATIVE = FIELD_CODES[UtteranceField.negative]
UNKEPT_TEXTS = frozenset({UtteranceField.body, UtteranceField.description})
_EXACT_FIELDS = frozenset(
    FIELD_CODES[field] for field in (UtteranceField.alias, UtteranceField.name, UtteranceField.learned)
)


@dataclass(frozen=True, slots=True, eq=False)
class SkillColumns:
    """m skills and their n utterances as columns: what a segment is built from.

    Only matchable skills have rows and words. slot_of: int32[n], fields: uint8[n], texts: n, matrix: float32[n, dim].
    incomplete: slots that lack vectors or words which are still to be computed.
    """

    cards: tuple[SkillCard, ...]
    slot_of: np.ndarray[Any, np.dtype[np.int32]]
    fields: ByteArray
    texts: Sequence[str | None]
    matrix: FloatArray
    text: TextColumns
    incomplete: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Skills by slot. `rows` are searched; `negatives` are only scored. approximate: a FAISS index of rows, or None.

    slot_of_key, slot_of_id: of every skill; exact: `exact_key` of names, ids, aliases and learned messages of
    matchable skills -> slots.
    """

    cards: tuple[SkillCard, ...]
    rows: Rows
    negatives: Rows
    postings: Postings
    grams: GramSets
    slot_of_key: dict[int, int]
    slot_of_id: dict[str, int]
    exact: dict[str, list[int]]
    incomplete: frozenset[int]
    approximate: Any = None

    def __len__(self) -> int:
        return len(self.cards)

    @property
    def wants_approximate(self) -> bool:
        """True when it is large enough for an approximate index and has none yet."""
        return self.approximate is None and len(self.rows) >= APPROXIMATE_MIN_ROWS


def build_segment(columns: SkillColumns, *, approximate: bool = False) -> Segment:
    """Build a segment.

    approximate: train the approximate index as well when the segment is large enough (about a second for 75,000 rows).
    """
    slots = len(columns.cards)
    order = np.lexsort((columns.fields, columns.slot_of))
    negative = columns.fields[order] == NEGATIVE
    rows = _rows(columns, order[~negative], slots)
    return Segment(
        cards=columns.cards,
        rows=rows,
        negatives=_rows(columns, order[negative], slots),
        postings=make_postings(columns.text, slots),
        grams=make_grams(columns.text.gram_starts, columns.text.grams),
        slot_of_key={card.key: slot for slot, card in enumerate(columns.cards)},
        slot_of_id={card.id: slot for slot, card in enumerate(columns.cards)},
        exact=_exact(columns.cards, rows),
        incomplete=columns.incomplete,
        approximate=approximate_index(rows.matrix) if approximate and len(rows) >= APPROXIMATE_MIN_ROWS else None,
    )


def _rows(columns: SkillColumns, order: IntArray, slots: int) -> Rows:
    texts = [columns.texts[at] for at in order.tolist()]
    in_place = len(order) == len(columns.matrix) and bool((np.diff(order) == 1).all())
    matrix = columns.matrix if in_place else columns.matrix[order]  # sorted already: no second copy of the vectors
    return make_rows(matrix, columns.slot_of[order], columns.fields[order], texts, slots)


def _exact(cards: Sequence[SkillCard], rows: Rows) -> dict[str, list[int]]:
    keys: dict[int, set[str]] = {}
    for slot, card in enumerate(cards):
        if card.matchable:
            base = card.id.replace("-", " ")  # the exact_key of an id
            keys[slot] = {base} if card.name == card.id else {base, exact_key(card.name)}
    named = np.flatnonzero(np.isin(rows.fields, list(_EXACT_FIELDS)))
    for row, slot in zip(named.tolist(), rows.slot_of[named].tolist(), strict=True):
        text = rows.texts[row] or ""
        if text not in keys[slot]:
            keys[slot].add(exact_key(text))
    found: dict[str, list[int]] = {}
    for slot, mine in keys.items():
        for key in mine:
            found.setdefault(key, []).append(slot)
    found.pop("", None)
    return found


def columns_of(segment: Segment, cards: Sequence[SkillCard], alive: BoolArray) -> SkillColumns:
    """Return the live part of a segment as columns again, with these cards in place of its own."""
    kept = np.flatnonzero(alive)
    new_slot = np.full(len(alive), -1, dtype=np.int32)
    new_slot[kept] = np.arange(len(kept), dtype=np.int32)
    blocks = [(block, np.flatnonzero(alive[block.slot_of])) for block in (segment.rows, segment.negatives)]
    postings, grams = segment.postings, segment.grams
    live = np.flatnonzero(alive[postings.slots])
    live_grams, gram_counts = grams.of_slots(kept)
    text = TextColumns(
        slots=new_slot[postings.slots[live]],
        terms=postings.terms()[live],
        whole=postings.whole[live],
        short=postings.short[live],
        gram_starts=np.concatenate([[0], np.cumsum(gram_counts)]).astype(np.int64),
        grams=live_grams,
        unreadable=(),
    )
    return SkillColumns(
        cards=tuple(cards[slot] for slot in kept.tolist()),
        slot_of=np.concatenate([new_slot[block.slot_of[at]] for block, at in blocks]),
        fields=np.concatenate([block.fields[at] for block, at in blocks]),
        texts=[block.texts[row] for block, at in blocks for row in at.tolist()],
        matrix=np.concatenate([block.matrix[at] for block, at in blocks]),
        text=text,
        incomplete=frozenset(int(new_slot[slot]) for slot in segment.incomplete if alive[slot]),
    )


def joined(parts: Sequence[SkillColumns]) -> SkillColumns:
    """Return the columns of several parts as one, in order."""
    if len(parts) == 1:
        return parts[0]
    bases = np.cumsum([0, *(len(part.cards) for part in parts)]).tolist()
    gram_bases = np.cumsum([0, *(len(part.text.grams) for part in parts)]).tolist()
    texts = [part.text for part in parts]
    text = TextColumns(
        slots=np.concatenate([one.slots + np.int32(base) for one, base in zip(texts, bases, strict=False)]),
        terms=np.concatenate([one.terms for one in texts]),
        whole=np.concatenate([one.whole for one in texts]),
        short=np.concatenate([one.short for one in texts]),
        gram_starts=np.concatenate(
            [[0], *(one.gram_starts[1:] + base for one, base in zip(texts, gram_bases, strict=False))]
        ).astype(np.int64),
        grams=np.concatenate([one.grams for one in texts]),
        unreadable=tuple(base + at for one, base in zip(texts, bases, strict=False) for at in one.unreadable),
    )
    return SkillColumns(
        cards=tuple(card for part in parts for card in part.cards),
        slot_of=np.concatenate([part.slot_of + np.int32(base) for part, base in zip(parts, bases, strict=False)]),
        fields=np.concatenate([part.fields for part in parts]),
        texts=[text for part in parts for text in part.texts],
        matrix=np.concatenate([part.matrix for part in parts]),
        text=text,
        incomplete=frozenset(base + slot for part, base in zip(parts, bases, strict=False) for slot in part.incomplete),
    )
