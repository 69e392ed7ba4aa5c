"""IndexSnapshot: the whole index at one moment. A request holds one from beginning to end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from wellworn.index.encoder import Encoder
from wellworn.index.partition import Partition
from wellworn.index.view import View
from wellworn.models.skill import Scope, SkillCard

PartitionKey = tuple[Scope, str]
NO_PARTITIONS: Mapping[PartitionKey, Partition] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class IndexSnapshot:
    """Partitions by (scope, owner), all embedded with `encoder`: a message must be encoded with that one.

    generation: grows with every change of the index in this process. seq: the newest change of the store that it holds.
    """

    encoder: Encoder
    generation: int = 0
    seq: int = 0
    partitions: Mapping[PartitionKey, Partition] = field(default_factory=lambda: NO_PARTITIONS)

    @property
    def fingerprint(self) -> str:
        return self.encoder.fingerprint

    @property
    def vectors(self) -> int:
        """How many utterances are in memory, negatives and those of dead slots included."""
        parts = [part for partition in self.partitions.values() for part in partition.parts]
        return sum(len(part.segment.rows) + len(part.segment.negatives) for part in parts)

    def cards(self) -> list[SkillCard]:
        """Return the cards of all live skills of all partitions: for status and reports."""
        parts = [part for partition in self.partitions.values() for part in partition.parts]
        return [card for part in parts for card, alive in zip(part.cards, part.alive, strict=True) if alive]

    def view(self, owners: Sequence[PartitionKey]) -> View:
        """Return the view over these partitions and no other, in this order; unknown and repeated ones add nothing."""
        wanted = (self.partitions.get(key) for key in dict.fromkeys(owners))
        return View([partition for partition in wanted if partition is not None])
