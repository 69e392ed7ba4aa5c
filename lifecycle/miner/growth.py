"""Finds sets of steps that are walked together more often than chance: pairs first, then whatever joins them.

Everything is judged against how often a step is met anyway, so that the commands of every day, which stand beside
everything, join little. No order is demanded here: steps that are swapped now and then are still together. The bounds
are lenient; whether a whole set is no chance is judged in `sequences`, against shuffled walks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from wellworn.lifecycle.miner.chance import log_tail, within
from wellworn.lifecycle.miner.patterns import MIN_SESSIONS, MIN_SUPPORT
from wellworn.lifecycle.miner.walk import REACH, Walk

PAIR_CHANCE, JOIN_CHANCE, OWN_JOIN_CHANCE = 3.0, 0.05, 0.04
"""So many pairs, and so many steps that join a set, may be called related by chance (over all that are tried); and the
chance of one step that is hardly met elsewhere."""
OWN = 0.3
HALF, MOST = 0.5, 0.7
MAX_STEPS = 12
_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class Pair:
    """Two steps of which the second follows the first within reach. strength: minus the log of its chance."""

    first: int
    second: int
    hits: int
    strength: float


def related_pairs(walk: Walk) -> list[Pair]:
    """Return the pairs that are hardly chance, the surest first."""
    met = _pair_counts(walk)
    keep = np.flatnonzero((met.hits >= MIN_SUPPORT) & (met.sessions >= MIN_SESSIONS))
    codes, hits, beside = met.codes[keep], met.hits[keep], met.beside[keep]
    if not len(codes):
        return []
    first, second = (codes >> 32).astype(np.int64), (codes & 0xFFFFFFFF).astype(np.int64)
    chance = np.maximum(
        _chance(walk, hits, beside, of=first, given=second), _chance(walk, hits, beside, of=second, given=first)
    )
    sure = chance < log(PAIR_CHANCE / len(codes))
    order = np.lexsort((codes[sure], chance[sure]))
    rows = zip(first[sure][order], second[sure][order], hits[sure][order], chance[sure][order], strict=True)
    return [Pair(int(a), int(b), int(k), float(-c)) for a, b, k, c in rows]


def _chance(
    walk: Walk, hits: NDArray[np.int64], beside: NDArray[np.int64], *, of: NDArray[np.int64], given: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the logarithm of how likely so many of a step's places have the other within reach, or right beside."""
    rate = walk.runs[given] / max(1, len(walk.rows))
    return np.minimum(log_tail(hits, walk.counts[of], within(rate, REACH)), log_tail(beside, walk.counts[of], rate))


@dataclass(frozen=True, slots=True)
class _Pairs:
    """codes: first << 32 | second. hits: at how many places of the first it follows within reach; beside: right away;
    sessions: in how many."""

    codes: NDArray[np.int64]
    hits: NDArray[np.int64]
    beside: NDArray[np.int64]
    sessions: NDArray[np.int64]


def _pair_counts(walk: Walk) -> _Pairs:
    met: list[NDArray[np.int64]] = []
    key = walk.key.astype(np.int64)
    for offset in range(1, min(REACH, len(key) - 1) + 1):
        one, other = key[:-offset], key[offset:]
        fits = (one >= 0) & (other >= 0) & (one != other) & (walk.block[:-offset] == walk.block[offset:])
        at = np.flatnonzero(fits)
        near = np.full(len(at), offset == 1, dtype=np.int64)
        met.append(np.stack([one[at] << 32 | other[at], at, walk.session[at].astype(np.int64), near]))
    if not met:
        return _Pairs(*(np.empty(0, np.int64) for _ in range(4)))
    code, place, session, near = np.concatenate(met, axis=1)
    order = np.lexsort((1 - near, place, code))
    code, place, session, near = code[order], place[order], session[order], near[order]
    new = np.ones(len(code), dtype=bool)
    new[1:] = (code[1:] != code[:-1]) | (place[1:] != place[:-1])  # met at two offsets of one place: once
    code, session, near = code[new], session[new], near[new]
    codes, starts, hits = np.unique(code, return_index=True, return_counts=True)
    # Places are sorted, and sessions lie one after the other, so a session's rows of one code stand together.
    turns = np.ones(len(code), dtype=np.int64)
    turns[1:] = (code[1:] != code[:-1]) | (session[1:] != session[:-1])
    if not len(starts):
        return _Pairs(codes, hits.astype(np.int64), hits.astype(np.int64), hits.astype(np.int64))
    return _Pairs(codes, hits.astype(np.int64), np.add.reduceat(near, starts), np.add.reduceat(turns, starts))


# -- what joins a pair -------------------------------------------------------------------------------------------------

Places = dict[int, int]  # a step's key -> its place, of one time that the steps were walked


def grow(walk: Walk, pair: Pair) -> frozenset[int]:
    """Return the pair and every step that is walked with it, most of the times at least."""
    times = _times_of(walk, pair)
    keys = {pair.first, pair.second}
    rates = _rates_around(walk, times)
    while len(keys) < MAX_STEPS:
        joining = _best_join(walk, times, keys, rates)
        if joining is None:
            break
        key, hits = joining
        for number, place in hits.items():
            times[number][key] = place
        if len(hits) < MOST * len(times):
            times = [times[number] for number in hits]  # a branch of its own; the rest is found from another pair
        keys.add(key)
    return frozenset(keys)


def _rates_around(walk: Walk, times: Sequence[Places]) -> dict[int, float]:
    """Return how often each step is met in the sessions of these times: a project's own commands are all over them."""
    sessions = np.unique(walk.session[[min(time.values()) for time in times]]) if times else np.empty(0, np.int32)
    starts = np.searchsorted(walk.session, sessions, side="left")
    ends = np.searchsorted(walk.session, sessions, side="right")
    met: Counter[int] = Counter()
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        met.update(walk.key[start:end].tolist())
    total = max(1, met.total())
    return {key: count / total for key, count in met.items()}


def _times_of(walk: Walk, pair: Pair) -> list[Places]:
    """Return the times that the second step followed the first within reach, at its nearest; some hundreds of many."""
    starts = np.flatnonzero(walk.key == pair.first)
    nearest = np.zeros(len(starts), dtype=np.int64)
    for offset in range(REACH, 0, -1):
        at = np.minimum(starts + offset, len(walk) - 1)
        met = (walk.key[at] == pair.second) & (walk.block[at] == walk.block[starts]) & (starts + offset < len(walk))
        nearest[met] = offset
    starts, nearest = starts[nearest > 0], nearest[nearest > 0]
    step = max(1, len(starts) // _LOOKED_AT)
    chosen = zip(starts[::step].tolist(), nearest[::step].tolist(), strict=True)
    return [{pair.first: start, pair.second: start + offset} for start, offset in chosen]


@dataclass(slots=True)
class _Zone:
    """Of one candidate: at how many of the times it is met before, within and after what is known, and right beside."""

    hits: Counter[str]
    at: dict[int, int]


@dataclass(frozen=True, slots=True)
class _Reach:
    """How many times are looked at, and how many places of each zone in the mean."""

    times: int
    inside: float

    def of(self, zone: str) -> float:
        if zone.startswith("next"):
            return 1.0
        return self.inside if zone == "within" else float(REACH)


def _best_join(
    walk: Walk, times: Sequence[Places], keys: set[int], rates: Mapping[int, float]
) -> tuple[int, dict[int, int]] | None:
    candidates: dict[int, _Zone] = {}
    inside = 0
    for number, time in enumerate(times):
        low, high = min(time.values()), max(time.values())
        inside += high - low + 1 - len(time)
        seen: set[tuple[int, str]] = set()
        for place, zone in _around(walk, low, high):
            key = int(walk.key[place])
            if key < 0 or key in keys or (key, zone) in seen:
                continue
            seen.add((key, zone))
            found = candidates.setdefault(key, _Zone(Counter(), {}))
            found.hits[zone] += 1
            if place in (low - 1, high + 1):
                found.hits["next to it, " + zone] += 1
            found.at.setdefault(number, place)
    reach = _Reach(len(times), max(1.0, inside / max(1, len(times))))
    ranked = sorted(candidates.items(), key=lambda item: (-len(item[1].at), item[0]))
    for key, found in ranked:
        if len(found.at) < max(MIN_SUPPORT, HALF * len(times)):
            return None
        if len({int(walk.session[place]) for place in found.at.values()}) < MIN_SESSIONS:
            continue
        if _is_no_chance(walk, key, found, reach, rates[key]):
            return key, found.at
    return None


def _around(walk: Walk, low: int, high: int) -> Iterator[tuple[int, str]]:
    """Yield the places within reach of a stretch and inside of it: the nearest first."""
    block = walk.block[low]
    for place in range(low + 1, high):
        yield place, "within"
    for place in range(high + 1, min(high + REACH, len(walk) - 1) + 1):
        if walk.block[place] != block:
            break
        yield place, "after"
    for place in range(low - 1, max(low - REACH, 0) - 1, -1):
        if walk.block[place] != block:
            break
        yield place, "before"


def _is_no_chance(walk: Walk, key: int, found: _Zone, reach: _Reach, rate: float) -> bool:
    best = min(float(log_tail(hits, reach.times, within(rate, reach.of(zone)))) for zone, hits in found.hits.items())
    own = len(found.at) >= OWN * int(walk.counts[key])
    return best < log(OWN_JOIN_CHANCE if own else JOIN_CHANCE / max(1, walk.known))
