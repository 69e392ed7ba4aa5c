"""What follows an event again and again: the steps that answer a failure, a warning or a review."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from wellworn.lifecycle.miner.chance import log_tail, within
from wellworn.lifecycle.miner.digest import RowKind
from wellworn.lifecycle.miner.patterns import MIN_SESSIONS, MIN_SUPPORT
from wellworn.lifecycle.miner.timeline import Timeline

SHARE = 0.5
"""A step answers something when it follows in at least half of the cases."""
TOGETHER = 0.6
CHANCE = 1e-4


@dataclass(frozen=True, slots=True)
class Case:
    """One time that something happened, and the rows of what was done about it, in order.

    rows: all that belongs to it; work: the rows of commands and edits that followed; ended: how it ended, if known.
    """

    session: int
    rows: tuple[int, ...]
    work: tuple[int, ...]
    ended: bool | None


@dataclass(frozen=True, slots=True)
class Rates:
    """How often each step stands anywhere: by its place in the digest's names, and of how many steps in all."""

    counts: np.ndarray[tuple[int], np.dtype[np.int64]]
    total: int


def rates_of(timeline: Timeline) -> Rates:
    """Count commands and edits."""
    digest = timeline.digest
    work = (digest.kind == RowKind.command) | (digest.kind == RowKind.edit)
    labels = digest.label[work]
    return Rates(np.bincount(labels, minlength=len(digest.names)).astype(np.int64), len(labels))


def usual_answer(
    timeline: Timeline, cases: Sequence[Case], rates: Rates, anyway: Mapping[int, float] | None = None
) -> tuple[int, ...]:
    """Return the steps (places in the digest's names, in their usual order) that answer most of the cases.

    Empty when there are none: every step must follow in half of the cases, or nearly only there, and more often than
    chance lets expect. Further steps must stand beside the first in most of the cases that have it. anyway: how often
    a step follows where nothing calls for it (after the same command when it worked).
    """
    labels = timeline.digest.label
    did = [dict.fromkeys(int(labels[row]) for row in case.work) for case in cases]
    hits: Counter[int] = Counter(key for one in did for key in one)
    sessions = {key: len({case.session for case, one in zip(cases, did, strict=True) if key in one}) for key in hits}
    length = max(1.0, sum(len(case.work) for case in cases) / max(1, len(cases)))
    candidates = [key for key, count in hits.items() if count >= MIN_SUPPORT and sessions[key] >= MIN_SESSIONS]
    bound = log(CHANCE / max(1, len(candidates)))
    sure: dict[int, float] = {}
    for key in candidates:
        outside = max(0.5, int(rates.counts[key]) - hits[key] + 0.5) / (rates.total + 1)
        expected = max(float(within(outside, length)), (anyway or {}).get(key, 0.0))
        chance = float(log_tail(hits[key], len(cases), expected))
        mostly = max(hits[key] / len(cases), hits[key] / max(1, int(rates.counts[key])))
        if chance < bound and mostly >= SHARE:
            sure[key] = chance
    if not sure:
        return ()
    first = min(sure, key=lambda key: (-hits[key], sure[key], key))
    beside = Counter(key for one in did if first in one for key in one if key in sure)
    keys = [key for key, count in beside.items() if count >= TOGETHER * beside[first]]
    return usual_order(keys, [list(one) for one in did if first in one])


def usual_order(keys: Iterable[int], lists: Iterable[Sequence[int]]) -> tuple[int, ...]:
    """Order keys by their mean place in the lists that have them."""
    places: dict[int, list[int]] = {key: [] for key in keys}
    for one in lists:
        for at, key in enumerate(one):
            if key in places:
                places[key].append(at)
    return tuple(sorted(places, key=lambda key: (sum(places[key]) / max(1, len(places[key])), key)))


def with_steps(timeline: Timeline, cases: Iterable[Case], keys: Sequence[int]) -> list[tuple[Case, tuple[int, ...]]]:
    """Return the cases that were answered by these steps, each with the row of every step (-1: left out).

    The first step may not be missing, nor more than half of them.
    """
    labels = timeline.digest.label
    found: list[tuple[Case, tuple[int, ...]]] = []
    for case in cases:
        at = {int(labels[row]): row for row in case.work}
        rows = tuple(at.get(key, -1) for key in keys)
        if sum(row >= 0 for row in rows) * 2 > len(keys):
            found.append((case, rows))
    return found


def clusters(names: Counter[str], alike: float, *, most: int = 2000) -> dict[str, str]:
    """Map each text to the most frequent one that shares enough words with it (Jaccard index >= alike).

    The rarest of more than `most` texts stand for themselves.
    """
    heads: list[tuple[str, frozenset[str]]] = []
    by_word: dict[str, list[int]] = {}
    answer: dict[str, str] = {}
    for number, (name, _) in enumerate(sorted(names.items(), key=lambda item: (-item[1], item[0]))):
        words = frozenset(name.split())
        near = Counter(place for word in words for place in by_word.get(word, ())) if number < most else Counter()
        head = next(
            (heads[place][0] for place, shared in near.most_common() if shared / len(words | heads[place][1]) >= alike),
            None,
        )
        if head is None:
            for word in words:
                by_word.setdefault(word, []).append(len(heads))
            heads.append((name, words))
        answer[name] = head or name
    return answer
