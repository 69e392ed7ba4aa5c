"""Which of several skills with one id counts: the narrower scope's. The others are taken out before anything is scored.

Left in, two skills that say the same would share the probability between them, and neither would be sure.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from wellworn.index.partition import Partition
from wellworn.index.snapshot import IndexSnapshot, PartitionKey
from wellworn.index.view import View
from wellworn.models.skill import Scope

_KEPT = 64
_REFERENCE = re.compile(rf"\b([a-z0-9]+(?:-[a-z0-9]+)*)@({'|'.join(Scope)})\b(?![.-]?\w)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """The view of a request. shadowed: by id, the scope that counts and the scopes that do not."""

    view: View
    shadowed: Mapping[str, tuple[Scope, tuple[Scope, ...]]]

    def note(self, skill_id: str) -> str | None:
        """Say of an answered skill which others of its id were passed over."""
        found = self.shadowed.get(skill_id)
        if found is None:
            return None
        winner, losers = found
        names = " and ".join(f"{skill_id}@{scope}" for scope in losers)
        return f"{names} {'is' if len(losers) == 1 else 'are'} shadowed by the {winner} skill of that id."


def scope_references(text: str) -> dict[str, Scope]:
    """Return the `id@scope` references that a message writes out."""
    if "@" not in text:
        return {}
    return {found[1].lower(): Scope(found[2].lower()) for found in _REFERENCE.finditer(text)}


def without_scopes(text: str) -> str:
    """Return the text with `id@scope` written as `id`, as the skill itself is called."""
    return _REFERENCE.sub(r"\1", text) if "@" in text else text


class Precedence:
    """Remembers the views of the last requests' owners: nothing is looked at twice while it stays as it is."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[PartitionKey, ...], tuple[tuple[Partition, ...], Seen]] = OrderedDict()
        self._lock = threading.Lock()

    def seen(self, snapshot: IndexSnapshot, owners: tuple[PartitionKey, ...], asked: Mapping[str, Scope]) -> Seen:
        """Return what a request sees. asked: ids of which the message names the scope; that one then counts."""
        found = [snapshot.partitions.get(key) for key in dict.fromkeys(owners)]
        partitions = tuple(one for one in found if one is not None)
        if len(partitions) < 2:
            return Seen(View(partitions), {})
        if asked:
            return _seen(partitions, asked)
        with self._lock:
            known = self._known.get(owners)
            if known is not None and all(a is b for a, b in zip(known[0], partitions, strict=False)):
                self._known.move_to_end(owners)
                return known[1]
        seen = _seen(partitions, {})
        with self._lock:
            self._known[owners] = (partitions, seen)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return seen


def _seen(partitions: Sequence[Partition], asked: Mapping[str, Scope]) -> Seen:
    places: dict[str, set[int]] = defaultdict(set)
    for wide in range(1, len(partitions)):
        for narrow in range(wide):
            for skill_id in _shared(partitions[narrow], partitions[wide]):
                places[skill_id] |= {narrow, wide}
    hidden: list[set[str]] = [set() for _ in partitions]
    shadowed: dict[str, tuple[Scope, tuple[Scope, ...]]] = {}
    for skill_id, held in places.items():
        winner = next((at for at in held if partitions[at].scope == asked.get(skill_id)), min(held))
        losers = sorted(held - {winner})
        shadowed[skill_id] = (partitions[winner].scope, tuple(partitions[at].scope for at in losers))
        for at in losers:
            hidden[at].add(skill_id)
    return Seen(View([_without(one, ids) for one, ids in zip(partitions, hidden, strict=True)]), shadowed)


def _shared(one: Partition, other: Partition) -> Iterator[str]:
    """Yield the ids of skills that could match in both; the work is that of the smaller."""
    few, many = sorted((one, other), key=lambda partition: sum(len(part.cards) for part in partition.parts))
    for part in few.parts:
        for slot, card in enumerate(part.cards):
            if part.alive[slot] and card.matchable and _holds(many, card.id):
                yield card.id


def _holds(partition: Partition, skill_id: str) -> bool:
    for part in partition.parts:
        slot = part.segment.slot_of_id.get(skill_id)
        if slot is not None and part.alive[slot]:
            return part.cards[slot].matchable
    return False


def _without(partition: Partition, ids: set[str]) -> Partition:
    """Return it without these ids, under the same version: what was trained on it stays right for the others."""
    if not ids:
        return partition
    parts = []
    for part in partition.parts:
        slots = [slot for one in ids if (slot := part.segment.slot_of_id.get(one)) is not None and part.alive[slot]]
        rest = part.without(slots)
        if rest.live:
            parts.append(rest)
    return replace(partition, parts=tuple(parts))
