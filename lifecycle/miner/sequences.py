"""The same three or more commands again and again: sequences, release and install rituals, checklists of commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from math import ceil, inf, log

import numpy as np
from numpy.typing import NDArray

from wellworn.lifecycle.miner.chance import log_tail, poisson_tail
from wellworn.lifecycle.miner.digest import RowKind
from wellworn.lifecycle.miner.growth import grow, related_pairs
from wellworn.lifecycle.miner.patterns import MIN_SESSIONS, MIN_SUPPORT, Occurrence, Pattern
from wellworn.lifecycle.miner.rituals import signal_of
from wellworn.lifecycle.miner.timeline import Timeline
from wellworn.lifecycle.miner.walk import Walk, Window, Windows, windows_of

MIN_STEPS = 3
COMPLETE = 0.75
"""An occurrence may lack a quarter of the steps."""
USUAL, OPTIONAL = 0.6, 0.4
"""Steps that fewer of the occurrences have do not belong to the pattern; a single one may, as an optional step."""
ORDERED, ORDERED_FEW = 0.75, 0.4
"""Below this agreement on the order of two steps, the steps are a set (a checklist) and no sequence; the fewer times it
was seen, the better a usual order fits them anyway."""
TELLING = 0.5
CHANCE = 0.05
"""Bound on how many of the sets that are tried may be told by chance."""
FIRM = 20
"""So many times by chance tell enough: a set of which too many came by chance is not shuffled again."""
DRAWN_OUT = 1.5
LIFT = 2.0
"""A pattern is walked at least this many times as often as by chance."""
SHUFFLES = ((2_000, 100), (100_000, 20), (inf, 5))
"""How many shuffled walks are compared: (up to so many places, so many)."""
ASKED_ANEW, PAUSE_MS = 0.8, 5 * 60 * 1000
"""Between two steps so often a new request after a pause (5 minutes): what follows is another piece of work."""
OWN_SHARE = 0.5
"""A pattern inside of a reported one is reported as well when it occurs elsewhere at least half as often."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A set of steps in its usual order, with the windows that hold enough of it. every: see `Windows`."""

    keys: tuple[int, ...]
    enough: int
    every: int
    full: tuple[Window, ...]
    began: int
    order: float

    @property
    def weight(self) -> int:
        return len(self.full) * len(self.keys)


def is_ordered(agreement: float, times: int) -> bool:
    """Say whether steps that were walked so many times have an order."""
    return agreement >= ORDERED + ORDERED_FEW / max(1, times)


def find_sequences(timeline: Timeline, walk: Walk) -> list[Pattern]:
    """Return the closed patterns: none inside of another, unless it has support of its own."""
    groups: list[list[_Found]] = []
    taken: set[frozenset[int]] = set()
    covered: Counter[tuple[int, int]] = Counter()
    asked = _Requests.of(timeline)
    for pair in related_pairs(walk):
        if covered[pair.first, pair.second] > (1 - OWN_SHARE) * pair.hits:
            continue  # nearly all of it lies in what was found already
        keys = grow(walk, pair)
        if len(keys) < MIN_STEPS or keys in taken:
            continue
        taken.add(keys)
        measured = [part for one in _measured(walk, keys) for part in asked.parts_of(walk, one)]
        group = [one for one in measured if _is_new(one, keys, taken)]
        taken.update(frozenset(one.keys) for one in group)
        groups.append(group)
        for window in (window for one in group[-1:] for window in one.full):
            covered.update((a, b) for a, b in combinations(window.keys, 2))
    told = [group for group in _no_chance(walk, groups) if group]
    return [_pattern(timeline, walk, one) for one in _closed(walk, told)]


# -- what was asked for by itself --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Requests:
    """Where people said something. rows: of the timeline, in order; ts: of all its rows, in milliseconds."""

    rows: NDArray[np.int64]
    ts: NDArray[np.int64]

    @staticmethod
    def of(timeline: Timeline) -> _Requests:
        rows = timeline.rows_of(RowKind.intent, RowKind.hint)
        return _Requests(np.asarray(rows, dtype=np.int64), timeline.digest.ts)

    def parts_of(self, walk: Walk, one: _Found) -> list[_Found]:
        """Return a set as it is, or in parts where nearly always a new request came after a pause in the same place."""
        cuts = [at for at in range(1, len(one.keys)) if self._are_apart(walk, one, one.keys[at - 1], one.keys[at])]
        if not cuts:
            return [one]
        bounds = [0, *cuts, len(one.keys)]
        parts = [set(one.keys[low:high]) for low, high in pairwise(bounds)]
        measured = [_with_enough(walk, keys, _enough(len(keys))) for keys in parts if len(keys) >= MIN_STEPS]
        return [part for part in measured if _is_often(walk, part.full)]

    def _are_apart(self, walk: Walk, one: _Found, first: int, second: int) -> bool:
        met = apart = 0
        for window in one.full:
            at = dict(zip(window.keys, window.places, strict=True))
            if first in at and second in at and at[first] < at[second]:
                met += 1
                apart += self._asked_between(walk.rows_at(at[first])[-1], walk.rows_at(at[second])[0])
        return met > 0 and apart >= ASKED_ANEW * met

    def _asked_between(self, before: int, after: int) -> bool:
        if self.ts[after] - self.ts[before] < PAUSE_MS:
            return False
        place = int(np.searchsorted(self.rows, before, side="right"))
        return place < len(self.rows) and int(self.rows[place]) < after


# -- against chance ----------------------------------------------------------------------------------------------------


def _no_chance(walk: Walk, groups: Sequence[Sequence[_Found]]) -> list[list[_Found]]:
    """Keep what is walked clearly more often than when the steps of every session come in random order."""
    tried = [one for group in groups for one in group]
    expected = _by_chance(walk, tried)
    bound = log(CHANCE / max(1, len(tried)))
    sure = {id(one) for one, chance in zip(tried, expected, strict=True) if chance.explains(one) < bound}
    return [[one for one in group if id(one) in sure] for group in groups]


@dataclass(frozen=True, slots=True)
class _Chance:
    """How often a set is walked in the mean of several shuffled walks: in its order, and in any."""

    ordered: float
    any_order: float

    def explains(self, one: _Found) -> float:
        """Return the logarithm of how likely chance alone gives as many, or as many in order (the less likely of both);
        0.0 where it gives half as many."""
        near = _near(one.full, one)
        in_order, trials = _in_order(near, one.keys), max(len(near), round(self.any_order))
        chance = 0.0
        if len(near) >= LIFT * self.any_order:
            chance = poisson_tail(len(near), self.any_order)
        if in_order >= LIFT * self.ordered and is_ordered(one.order, len(one.full)):
            chance = min(chance, float(log_tail(in_order, trials, self.ordered / trials)))
        return chance


def _by_chance(walk: Walk, tried: Sequence[_Found]) -> list[_Chance]:
    """Walk in several random orders; of a set that chance gives at once half as often nothing more is asked."""
    shuffles = next(count for most, count in SHUFFLES if len(walk) <= most)
    dice = np.random.default_rng(len(walk))
    counts = np.zeros((len(tried), 2))
    rounds = np.zeros((len(tried), 1))
    seen = [np.array([_in_order(one.full, one.keys), len(one.full)]) for one in tried]
    for _ in range(shuffles if tried else 0):
        mixed = replace(walk, key=walk.key[np.lexsort((dice.random(len(walk)), walk.block))])
        for at, one in enumerate(tried):
            if counts[at].min() >= FIRM and (counts[at] * LIFT >= seen[at] * rounds[at]).all():
                continue
            windows = windows_of(mixed, one.keys, enough=one.enough, at_least=one.enough)
            full = _near(windows, one)
            counts[at] += np.array([_in_order(full, one.keys), len(full)]) * windows.every / one.every
            rounds[at] += 1
    # One half of one time is added: what was never met in so many shuffles may still be met in the next.
    return [_Chance(*row) for row in ((counts + 0.5) / np.maximum(rounds, 1)).tolist()]


def _near(windows: Sequence[Window], one: _Found) -> list[Window]:
    """Return the windows that are hardly longer than the set's own usually are: chance draws them out."""
    usual = sorted(each.places[-1] - each.places[0] for each in one.full)[len(one.full) // 2]
    return [each for each in windows if each.places[-1] - each.places[0] <= DRAWN_OUT * usual]


def _in_order(windows: Sequence[Window], keys: Sequence[int]) -> int:
    return sum(_agreement([window], keys) >= ORDERED for window in windows)


# -- one set of steps --------------------------------------------------------------------------------------------------


def _is_new(one: _Found, keys: frozenset[int], taken: set[frozenset[int]]) -> bool:
    return frozenset(one.keys) == keys or frozenset(one.keys) not in taken


def _measured(walk: Walk, keys: frozenset[int]) -> list[_Found]:
    """Return where a set of steps occurs.

    A step that most of the occurrences lack is left out; the whole set comes first where it occurs by itself, every
    step of it.
    """
    found: list[_Found] = []
    chosen = set(keys)
    while len(chosen) >= MIN_STEPS:
        one = _with_enough(walk, chosen, _enough(len(chosen)))
        seen = Counter(key for window in one.full for key in window.keys)
        unusual = {key for key in chosen if seen[key] < USUAL * len(one.full)}
        optional = len(unusual) == 1 and all(seen[key] >= OPTIONAL * len(one.full) for key in unusual)
        if not unusual or optional:
            return [*found, one] if _is_often(walk, one.full) else found
        whole = _with_enough(walk, chosen, len(chosen))
        if _is_often(walk, whole.full) and len(whole.full) >= OWN_SHARE * (len(one.full) - len(whole.full)):
            found.append(whole)
        chosen -= unusual
    return found


def _with_enough(walk: Walk, keys: set[int], enough: int) -> _Found:
    full = windows_of(walk, sorted(keys), enough=enough, at_least=enough)
    order = _usual_order(full)
    return _Found(order, enough, full.every, tuple(full), _began(walk, full, keys, enough), _agreement(full, order))


def _is_often(walk: Walk, windows: Sequence[Window]) -> bool:
    sessions = {int(walk.session[window.places[0]]) for window in windows}
    return len(windows) >= MIN_SUPPORT and len(sessions) >= MIN_SESSIONS


def _enough(steps: int) -> int:
    return max(MIN_STEPS, ceil(COMPLETE * steps))


def _usual_order(windows: Sequence[Window]) -> tuple[int, ...]:
    """Order the steps by how many of the others they usually come before (Copeland's count over pairs)."""
    before: Counter[tuple[int, int]] = Counter()
    for window in windows:
        before.update(combinations(window.keys, 2))
    keys = sorted({key for window in windows for key in window.keys})
    wins = {
        key: sum(
            (before[key, other] > before[other, key]) - (before[key, other] < before[other, key]) for other in keys
        )
        for key in keys
    }
    return tuple(sorted(keys, key=lambda key: (-wins[key], key)))


def _agreement(windows: Sequence[Window], order: Sequence[int]) -> float:
    """Return in what share of pairs of steps the windows keep to the order."""
    rank = {key: at for at, key in enumerate(order)}
    kept = total = 0
    for window in windows:
        for one, other in combinations(window.keys, 2):
            kept += rank[one] < rank[other]
            total += 1
    return kept / total if total else 1.0


def _began(walk: Walk, full: Windows, keys: set[int], enough: int) -> int:
    """Count the times that it was begun: half of the steps, with one that is seldom met without the others."""
    if not _is_often(walk, full):
        return len(full)
    inside = Counter(key for window in full for key in window.keys)
    telling = {key for key in keys if inside[key] >= TELLING * int(walk.counts[key])}
    if not telling:
        telling = set(sorted(keys, key=lambda key: (int(walk.counts[key]), key))[:2])
    begun = windows_of(walk, sorted(keys), enough=enough, at_least=ceil(len(keys) / 2), with_any=sorted(telling))
    count = sum(bool(telling.intersection(window.keys)) for window in begun)
    return round(count * begun.every / full.every)


# -- closed patterns ---------------------------------------------------------------------------------------------------


def _closed(walk: Walk, groups: Sequence[Sequence[_Found]]) -> list[_Found]:
    """Keep what explains most first; of one group the larger set before what is left when its rarer steps go.

    A set is part of a kept one when most of its steps are, in the same places of the walk.
    """
    kept: list[_Found] = []
    owned: list[set[int]] = []  # of each kept set the places that its windows reach over
    ranked = sorted(groups, key=lambda group: (-max(one.weight for one in group), group[0].keys))
    for one in (one for group in ranked for one in group):
        rivals = [at for at, other in enumerate(kept) if _shares_steps(one, other)]
        taken = set[int]().union(*(owned[at] for at in rivals))
        own = [window for window in one.full if sum(place in taken for place in window.places) <= 1]
        if len(own) < len(one.full):
            most = max((kept[at] for at in rivals), key=lambda other: len(other.full))
            if not _has_own_support(walk, own, most):
                continue
            one = _only(one, own)  # noqa: PLW2901  what is left of it
        kept.append(one)
        owned.append({place for window in one.full for place in range(window.places[0], window.places[-1] + 1)})
    return kept


def _shares_steps(one: _Found, other: _Found) -> bool:
    shared = len(set(one.keys) & set(other.keys))
    return shared >= USUAL * len(one.keys)


def _has_own_support(walk: Walk, own: Sequence[Window], rival: _Found) -> bool:
    return len(own) >= OWN_SHARE * len(rival.full) and _is_often(walk, own)


def _only(one: _Found, own: Sequence[Window]) -> _Found:
    """Return the pattern with only those of its windows that are its own."""
    order = _usual_order(own)
    lost = len(one.full) - len(own)
    return _Found(order, one.enough, one.every, tuple(own), max(len(own), one.began - lost), _agreement(own, order))


def _pattern(timeline: Timeline, walk: Walk, found: _Found) -> Pattern:
    names = tuple(timeline.digest.names[key] for key in found.keys)
    occurrences = tuple(_occurrence(timeline, walk, window, found.keys) for window in found.full)
    signal = signal_of(names, ordered=is_ordered(found.order, len(found.full)))
    return Pattern(signal, names, occurrences, found.began, found.order)


def _occurrence(timeline: Timeline, walk: Walk, window: Window, order: Sequence[int]) -> Occurrence:
    at = dict(zip(window.keys, window.places, strict=True))
    rows = sorted(row for place in window.places for row in walk.rows_at(place))
    steps = tuple(walk.rows_at(at[key])[-1] if key in at else -1 for key in order)
    flags = [int(walk.success[place]) for place in window.places]
    success = False if 0 in flags else True if 1 in flags else None
    ts = timeline.digest.ts
    return Occurrence(
        timeline.session_of(rows[0]),
        timeline.repo_of(rows[0]),
        int(ts[rows[0]]),
        int(ts[rows[-1]]),
        tuple(rows),
        steps,
        success,
    )
