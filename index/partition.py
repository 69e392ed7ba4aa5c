"""Partition: the skills of one (scope, owner) as segments with their dead slots. Every change returns a new one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from wellworn.index.rows import BoolArray, RowFilter, approximate_index
from wellworn.index.segment import Segment, SkillColumns, build_segment, columns_of, joined
from wellworn.models.skill import Scope, SkillCard

SMALL_SKILLS = 256
"""A last segment up to this size is merged with a change at once (milliseconds), so that segments stay few."""
MANY_PARTS = 4
DEAD_SHARE = 0.2
_versions = count(1)  # of this process, so that no two states of a partition share one


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A segment as a partition sees it.

    cards: like the segment's, with newer stats. alive: bool[slots]. live: how many are.
    row_filter: the live rows, None when all are.
    """

    segment: Segment
    cards: tuple[SkillCard, ...]
    alive: BoolArray
    live: int
    row_filter: RowFilter | None = None

    def without(self, slots: Collection[int]) -> Part:
        """Return it with these slots dead as well."""
        if not slots:
            return self
        alive = self.alive.copy()
        alive[list(slots)] = False
        alive.setflags(write=False)
        live, rows = int(np.count_nonzero(alive)), RowFilter(alive[self.segment.rows.slot_of])
        return replace(self, alive=alive, live=live, row_filter=rows)

    def columns(self) -> SkillColumns:
        """Return its live skills as columns."""
        return columns_of(self.segment, self.cards, self.alive)


def make_part(segment: Segment) -> Part:
    """Return a segment all of whose slots live."""
    alive = np.ones(len(segment), dtype=np.bool_)
    alive.setflags(write=False)
    return Part(segment=segment, cards=segment.cards, alive=alive, live=len(segment))


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """The effective skills of one (scope, owner). version: a new number whenever utterances
    or membership changed, unique in this process."""

    scope: Scope
    owner: str
    parts: tuple[Part, ...] = ()
    version: int = 0

    def reloaded(self, columns: SkillColumns | None, *, approximate: bool = False) -> Partition:
        """Return it with these skills and no other."""
        parts = () if columns is None else (make_part(build_segment(columns, approximate=approximate)),)
        return replace(self, parts=parts, version=next(_versions))

    def upserted(self, columns: SkillColumns) -> Partition:
        """Return it with these skills in place of those with the same keys or ids."""
        if not columns.cards:
            return self
        keys, ids = {card.key for card in columns.cards}, {card.id for card in columns.cards}
        kept = self._without(keys, ids)
        if kept and len(kept[-1].segment) + len(columns.cards) <= SMALL_SKILLS:
            columns = joined([kept[-1].columns(), columns])
            kept = kept[:-1]
        return replace(self, parts=(*kept, make_part(build_segment(columns))), version=next(_versions))

    def removed(self, keys: Collection[int]) -> Partition:
        """Return it without these skills; unknown keys are ignored."""
        return replace(self, parts=self._without(keys, ()), version=next(_versions))

    def restated(self, cards: Iterable[SkillCard]) -> Partition:
        """Return it with newer cards of skills that it holds; their utterances stay."""
        fresh = {card.key: card for card in cards}
        return replace(self, parts=tuple(_restated(part, fresh) for part in self.parts))

    def _without(self, keys: Collection[int], ids: Collection[str]) -> tuple[Part, ...]:
        parts = []
        for part in self.parts:
            segment = part.segment
            slots = {segment.slot_of_key[key] for key in keys if key in segment.slot_of_key}
            slots |= {segment.slot_of_id[name] for name in ids if name in segment.slot_of_id}
            rest = part.without([slot for slot in slots if part.alive[slot]])
            if rest.live:
                parts.append(rest)
        return tuple(parts)

    def merge_plan(self) -> tuple[Part, ...]:
        """Return the parts that should become one, or nothing.

        All of them when many slots are dead or the small ones add up to a quarter of the largest, otherwise only the
        small ones, once there are more than four: a large segment is rewritten rarely.
        """
        live = [part.live for part in self.parts]
        slots = sum(len(part.segment) for part in self.parts)
        if slots and slots > SMALL_SKILLS and sum(live) < (1 - DEAD_SHARE) * slots:
            return self.parts
        if len(self.parts) <= MANY_PARTS:
            return ()
        largest = max(live)
        small = [part for part, count in zip(self.parts, live, strict=True) if count * 4 < largest]
        if sum(part.live for part in small) * 4 >= largest or len(self.parts) - len(small) > MANY_PARTS:
            return self.parts
        return tuple(small) if len(small) > 1 else ()

    def keys_incomplete(self) -> list[int]:
        """Return the keys of live skills that lack vectors or words."""
        return [
            part.cards[slot].key for part in self.parts for slot in sorted(part.segment.incomplete) if part.alive[slot]
        ]


def _restated(part: Part, fresh: dict[int, SkillCard]) -> Part:
    slots = {part.segment.slot_of_key[key]: key for key in fresh if key in part.segment.slot_of_key}
    if not slots:
        return part
    cards = list(part.cards)
    for slot, key in slots.items():
        cards[slot] = fresh[key]
    return replace(part, cards=tuple(cards))


def merged_segment(parts: Sequence[Part]) -> Segment:
    """Build one segment of the live skills of `parts`, approximate index included; does not touch them."""
    return build_segment(joined([part.columns() for part in parts]), approximate=True)


def with_approximate(segment: Segment) -> Segment:
    """Return the segment with an approximate index over its rows."""
    return replace(segment, approximate=approximate_index(segment.rows.matrix))


def swapped(partition: Partition, old: Sequence[Part], segment: Segment) -> Partition:
    """Return `partition` with `segment` in place of the parts whose segments it was built from.

    What happened to those skills while it was being built (deaths, newer stats) is carried over.
    """
    replaced = {id(part.segment) for part in old}
    now = [part for part in partition.parts if id(part.segment) in replaced]
    rest = tuple(part for part in partition.parts if id(part.segment) not in replaced)
    current = {card.key: card for part in now for card, alive in zip(part.cards, part.alive, strict=True) if alive}
    gone = [slot for slot, card in enumerate(segment.cards) if card.key not in current]
    part = make_part(segment).without(gone)
    part = replace(part, cards=tuple(current.get(card.key, card) for card in segment.cards))
    return replace(partition, parts=(part, *rest) if part.live else rest, version=next(_versions))
