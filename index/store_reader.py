"""Reads partitions of the store as columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from wellworn.index.loading import Loaded, Lookup, load_columns
from wellworn.index.partition import Partition
from wellworn.index.segment import joined
from wellworn.index.snapshot import PartitionKey
from wellworn.models.skill import SkillCard
from wellworn.store.database import Database
from wellworn.store.skills import SkillTable, UtteranceRow

T = TypeVar("T")
LOAD_SKILLS = 4_000
"""Skills read at once: bounds the texts (bodies among them) that are in memory while loading."""


class StoreReader:
    """The effective skills of the store, read for the index."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.table = SkillTable(db)

    def columns(self, key: PartitionKey, keys: Iterable[int], lookup: Lookup) -> Loaded:
        """Return the columns of those skills of a partition that are effective, all from one moment."""
        with self._db.snapshot():
            return self._columns(key, self.table.cards(*key, keys), lookup)

    def _columns(self, key: PartitionKey, cards: Sequence[SkillCard], lookup: Lookup) -> Loaded:
        keys = [card.key for card in cards]
        return load_columns(cards, self.table.utterances(*key, keys), dict(self.table.lexicals(*key, keys)), lookup)

    def partition(self, known: Partition, lookup: Lookup, *, approximate: bool = False) -> Partition:
        """Return a partition as it is stored now."""
        key = (known.scope, known.owner)
        with self._db.snapshot():
            columns = [self._columns(key, chunk, lookup).columns for chunk in _chunks(self.table.cards(*key))]
        return known.reloaded(joined(columns) if columns else None, approximate=approximate)

    def partitions(self, lookup: Lookup, *, approximate: bool = False) -> dict[PartitionKey, Partition]:
        """Return all partitions that hold a skill."""
        loaded = {
            key: self.partition(Partition(*key), lookup, approximate=approximate) for key in self.table.partitions()
        }
        return {key: one for key, one in loaded.items() if one.parts}

    def matchable(self) -> Iterator[tuple[PartitionKey, Sequence[int]]]:
        """Yield the keys of all matchable skills, at most LOAD_SKILLS at a time."""
        for key in self.table.partitions():
            keys = [card.key for card in self.table.cards(*key) if card.matchable]
            yield from ((key, chunk) for chunk in _chunks(keys))

    def utterances(self, key: PartitionKey, keys: Iterable[int]) -> list[UtteranceRow]:
        """Return the utterances of some skills of a partition."""
        return self.table.utterances(*key, keys)


def _chunks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    yield from (items[start : start + LOAD_SKILLS] for start in range(0, len(items), LOAD_SKILLS))
