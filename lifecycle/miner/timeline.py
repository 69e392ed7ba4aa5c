"""A digest in order of time: sessions one after the other, each row with its place."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from wellworn.lifecycle.miner.digest import Digest, RowKind

BREAK_MS = 6 * 3600 * 1000
"""A pause of this long ends whatever was being done."""


@dataclass(frozen=True, slots=True)
class Filter:
    """What to look at; None: everything. repos: those that may be seen, beside events of no repo."""

    since: datetime | None = None
    repo: str | None = None
    repos: Collection[str] | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """Columns of a timeline as lists: reading one value of an array takes several times as long."""

    kind: list[int]
    label: list[int]
    success: list[int]
    session: list[int]
    ts: list[int]


@dataclass(frozen=True)
class Timeline:
    """Rows sorted by session, then time, then arrival. bounds: the first row of each session, and the end."""

    digest: Digest
    bounds: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.digest)

    @cached_property
    def rows(self) -> Rows:
        """The columns as lists, for whoever goes from row to row."""
        columns = self.digest
        return Rows(*(getattr(columns, name).tolist() for name in Rows.__dataclass_fields__))

    @property
    def sessions(self) -> int:
        return len(self.bounds) - 1

    def name(self, place: int) -> str | None:
        return None if place < 0 else self.digest.names[place]

    def session_of(self, row: int) -> str:
        return self.digest.names[int(self.digest.session[row])]

    def repo_of(self, row: int) -> str | None:
        return self.name(int(self.digest.repo[row]))

    def label_of(self, row: int) -> str:
        return self.digest.names[int(self.digest.label[row])]

    def rows_of(self, *kinds: int) -> NDArray[np.int64]:
        """Return the places of the rows of these kinds, in order."""
        return np.flatnonzero(np.isin(self.digest.kind, kinds))

    def spans(self) -> Iterator[tuple[int, int]]:
        """Yield the first row and the end of each session."""
        yield from zip(self.bounds[:-1].tolist(), self.bounds[1:].tolist(), strict=True)


def timeline(digest: Digest, wanted: Filter | None = None) -> Timeline:
    """Return the wanted rows of a digest in order of time."""
    keep = np.flatnonzero(_wanted(digest, wanted or Filter()) & (digest.kind != RowKind.other))
    order = keep[np.lexsort((digest.seq[keep], digest.ts[keep], digest.session[keep]))]
    columns = {name: getattr(digest, name)[order] for name in Digest.__dataclass_fields__ if name != "names"}
    rows = Digest(digest.names, **columns)
    changes = np.flatnonzero(np.diff(rows.session)) + 1 if len(rows) else np.empty(0, np.int64)
    bounds = np.concatenate([[0], changes, [len(rows)]]) if len(rows) else np.zeros(1, np.int64)
    return Timeline(rows, bounds.astype(np.int64))


def count_events(digest: Digest, wanted: Filter, after: int) -> tuple[int, int]:
    """Return how many events are wanted, and how many of them came after the one with that number."""
    seqs = np.unique(digest.seq[_wanted(digest, wanted)])
    return len(seqs), int(np.count_nonzero(seqs > after))


def _wanted(digest: Digest, wanted: Filter) -> NDArray[np.bool_]:
    keep = np.ones(len(digest), dtype=bool)
    if wanted.since is not None:
        keep &= digest.ts >= int(wanted.since.timestamp() * 1000)
    if wanted.repo is not None:
        keep &= digest.repo == (digest.names.index(wanted.repo) if wanted.repo in digest.names else -2)
    if wanted.repos is not None:
        seen = [-1, *(place for place, name in enumerate(digest.names) if name in wanted.repos)]
        keep &= np.isin(digest.repo, seen)
    return keep
