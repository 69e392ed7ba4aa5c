"""The commands of a timeline as one walk from step to step, without what only looks and with retries folded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellworn.lifecycle.miner.digest import RowKind
from wellworn.lifecycle.miner.patterns import MIN_SESSIONS, MIN_SUPPORT
from wellworn.lifecycle.miner.timeline import BREAK_MS, Timeline

REACH = 3
"""Two steps of one pattern lie at most this many places apart: up to two others may stand between them."""


@dataclass(frozen=True)
class Walk:
    """Places in order of time, session by session; the same step run again at once is one place.

    key: the step, as a place in the digest's names; -1 for one that is too rare to belong to any pattern.
    block: changes where a session ends or a long pause begins; nothing reaches over it. success: of its last run.
    first, last: the place's rows in `rows` (inclusive), which are places in the timeline. counts, runs: of each key,
    at how many places it stands, and how often it was run.
    """

    key: NDArray[np.int32]
    block: NDArray[np.int32]
    session: NDArray[np.int32]
    success: NDArray[np.int8]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    rows: NDArray[np.int64]
    counts: NDArray[np.int64]
    runs: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.key)

    @cached_property
    def known(self) -> int:
        """How many different steps are frequent enough to belong to a pattern."""
        return len(np.unique(self.key[self.key >= 0]))

    def rows_at(self, place: int) -> list[int]:
        """Return the timeline's rows of one place."""
        rows: list[int] = self.rows[self.first[place] : self.last[place] + 1].tolist()
        return rows


def walk_of(timeline: Timeline) -> Walk:
    """Return the walk of a timeline's commands."""
    digest = timeline.digest
    rows = timeline.rows_of(RowKind.command)
    label, session, ts = digest.label[rows], digest.session[rows], digest.ts[rows]
    if not len(rows):
        empty = np.empty(0, np.int32)
        return Walk(empty, empty, empty, np.empty(0, np.int8), *[np.empty(0, np.int64)] * 5)
    parted = np.empty(len(rows), dtype=bool)
    parted[0] = True
    parted[1:] = (session[1:] != session[:-1]) | (ts[1:] - ts[:-1] > BREAK_MS)
    starts = parted.copy()
    starts[1:] |= label[1:] != label[:-1]
    first = np.flatnonzero(starts)
    last = np.concatenate([first[1:] - 1, [len(rows) - 1]])
    key, of_session = label[first], session[first]
    block = np.cumsum(parted)[first].astype(np.int32)
    counts = np.bincount(key, minlength=len(digest.names))
    rare = (counts < MIN_SUPPORT) | (_sessions_of(key, of_session, len(counts)) < MIN_SESSIONS)
    known = np.where(rare[key], np.int32(-1), key)
    runs = np.bincount(label, minlength=len(digest.names))
    return Walk(known, block, of_session, digest.success[rows[last]], first, last, rows, counts, runs)


def _sessions_of(key: NDArray[np.int32], session: NDArray[np.int32], size: int) -> NDArray[np.int64]:
    """Return in how many sessions each key stands."""
    pairs = np.unique(key.astype(np.int64) << 32 | session)
    return np.bincount((pairs >> 32).astype(np.int64), minlength=size)


MOST_STRETCHES = 2_000
"""Of more stretches that hold steps of one set, every n-th is looked at."""
_BITS = np.array([bin(number).count("1") for number in range(1 << 14)], dtype=np.int8)


class Window(NamedTuple):
    """A stretch of the walk that holds several different steps of a set, each at its place."""

    places: tuple[int, ...]
    keys: tuple[int, ...]


class Windows(list[Window]):
    """Windows in order. every: of so many stretches one was looked at."""

    every: int = 1


def windows_of(
    walk: Walk, keys: Sequence[int], *, enough: int, at_least: int = 2, with_any: Sequence[int] = ()
) -> Windows:
    """Return the stretches in which at least so many steps of `keys` (14 at most) follow one another within reach.

    with_any: only look where one of these is among them. A step that comes again begins a new stretch when the one at
    hand holds `enough` of them and the step had not failed; else it is a retry, and the later place counts.
    """
    found = Windows()
    for places, held in _runs(walk, keys, at_least, with_any, found):
        current: dict[int, int] = {}
        for place, key in zip(places, held, strict=True):
            again = key in current and walk.success[current[key]] != 0  # after a failure it is a retry, not a new round
            if again and len(current) >= enough:
                _close(current, found, at_least)
                current = {}
            current.pop(key, None)
            current[key] = place
        _close(current, found, at_least)
    return found


def _runs(
    walk: Walk, keys: Sequence[int], at_least: int, with_any: Sequence[int], found: Windows
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the places (and their keys) that follow one another within reach and hold so many different keys."""
    bit = np.zeros(int(walk.key.max(initial=0)) + 2, dtype=np.int32)  # one more place at the end, for -1
    for at, key in enumerate(keys):
        if key < len(bit) - 1:
            bit[key] = 1 << at
    bits = bit[walk.key]
    places = np.flatnonzero(bits)
    if not len(places):
        return
    block = walk.block[places]
    starts = np.flatnonzero(np.concatenate([[True], (np.diff(places) > REACH) | (block[1:] != block[:-1])]))
    ends = np.concatenate([starts[1:], [len(places)]])
    held = np.bitwise_or.reduceat(bits[places], starts)
    rich = _BITS[held] >= at_least
    if len(with_any):
        rich &= (held & int(np.bitwise_or.reduce(bit[list(with_any)]))) != 0
    chosen = np.flatnonzero(rich)
    found.every = max(1, -(-len(chosen) // MOST_STRETCHES))
    for start, end in zip(starts[chosen][:: found.every].tolist(), ends[chosen][:: found.every].tolist(), strict=True):
        here = places[start:end]
        yield here.tolist(), walk.key[here].tolist()


def _close(current: dict[int, int], found: Windows, at_least: int) -> None:
    if len(current) >= at_least:
        found.append(Window(tuple(current.values()), tuple(current)))  # a step met again was put behind: in order
