"""View: what one request may see, as one list of slots over the segments of its partitions.

A ref is the number of a slot in the view: an int that is meaningful for this view only. The work of a method depends on
the candidates given and on the words of the message, never on how many utterances the library has; only `search` and
`lexical` look at the library, through FAISS and the postings.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellworn.index.encoder import FloatArray
from wellworn.index.lexical import GRAM_BUCKETS, QueryTerms, ranges
from wellworn.index.partition import Part, Partition
from wellworn.index.postings import LOG_TF, idf
from wellworn.index.rows import IntArray, Rows, search_approximate, search_exact
from wellworn.index.segment import FIELD_CODES, FIELDS
from wellworn.models.skill import Scope, SkillCard, UtteranceField

QUERY_TERMS_MAX = 256
COMMON_FROM_SKILLS = 2_000
COMMON_SHARE = 0.1
"""In a library of 2,000 skills or more, words that over a tenth have are not looked up: they weigh next to nothing, and
their long postings would be most of the work."""
TOP = 3
_TRIGGER = FIELD_CODES[UtteranceField.trigger]


class Hit(NamedTuple):
    """One utterance near a query. row: for `View.text`."""

    ref: int
    field: UtteranceField
    row: int
    cosine: float


@dataclass(frozen=True, slots=True, eq=False)
class FieldCosines:
    """Per candidate (rows) and field (columns, in the order of FIELDS): float32, NaN where a skill has none.

    best: the highest cosine. top: the mean of the three highest (of all when there are fewer). centre: the cosine with
    the mean of all vectors.
    best_row: int64, per candidate and field, the row of the best one for `View.text`, -1 where there is none.
    """

    best: FloatArray
    top: FloatArray
    centre: FloatArray
    best_row: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class CharScores:
    """Character 3-grams that message and name, aliases, examples and description share; float32 per candidate.

    contained: the idf-weighted share of the message's grams that the skill has, 0 to 1.
    cosine: of the two sets of grams, the message's weighted by idf.
    """

    contained: FloatArray
    cosine: FloatArray


class Lexical:
    """One message against the words of all skills of a view: TF-IDF cosines of the whole texts and of the short ones.

    whole, short: float32[slots], 0 for skills that are gone. known: the share of the squared length of the message's
    vector that is in words of this library; words unknown to it count in the cosine's denominator, so dividing by
    sqrt(known) leaves them out.
    """

    def __init__(self, view: View, query: QueryTerms) -> None:
        terms = _Weighed(view, query)
        self._view, self._terms, self.known = view, terms, terms.known
        self.whole = np.zeros(view.slots, dtype=np.float32)
        self.short = np.zeros(view.slots, dtype=np.float32)
        self._owners: dict[int, tuple[NDArray[np.int32], IntArray]] = {}
        for number, (base, part, (starts, counts)) in enumerate(
            zip(view.bases, view.parts, terms.places, strict=False)
        ):
            if counts.any():
                at = ranges(starts, counts)
                owners = part.segment.postings.slots[at]
                self._owners[number] = owners, np.repeat(np.arange(len(counts)), counts)
                here = slice(base, base + len(part.cards))
                self.whole[here], self.short[here] = _scores(part, at, owners, np.repeat(terms.shares, counts))

    def top(self, k: int) -> IntArray:
        """Return the refs of the k best by the sum of both cosines, best first; none without a shared word."""
        both = self.whole + self.short
        found = np.flatnonzero(both)
        if len(found) > k > 0:
            found = np.sort(found[np.argpartition(-both[found], k)[:k]])  # equal scores in the order of the view
        return found[np.argsort(-both[found], kind="stable")][:k]

    def words(self, ref: int) -> list[tuple[str, float]]:
        """Return the message's words that this skill has, as first written, by falling weight."""
        at, slot = self._view.place(ref)
        if at not in self._owners:
            return []
        owners, terms = self._owners[at]
        weights = self._terms.weights
        shared = sorted(terms[owners == slot].tolist(), key=lambda term: -weights[term])
        return [(self._terms.words[term], float(weights[term])) for term in shared]


class _Weighed:
    """The query's terms with their document frequencies in the view; the lightest of too many are dropped."""

    def __init__(self, view: View, query: QueryTerms) -> None:
        places = [part.segment.postings.find(query.hashes) for part in view.parts]
        frequency = sum((counts for _, counts in places), np.zeros(len(query.hashes), dtype=np.int64))
        total = sum(part.segment.postings.total for part in view.parts)
        inverse = idf(total, frequency)
        weights = LOG_TF[np.minimum(query.counts, len(LOG_TF) - 1)] * inverse
        if total >= COMMON_FROM_SKILLS:
            common = frequency > COMMON_SHARE * total
            places = [(starts, np.where(common, 0, counts)) for starts, counts in places]
        if len(weights) > QUERY_TERMS_MAX:
            kept = np.sort(np.argpartition(-weights, QUERY_TERMS_MAX)[:QUERY_TERMS_MAX])
        else:
            kept = np.arange(len(weights))
        self.words = [query.words[at] for at in kept.tolist()]
        self.weights = weights[kept]
        self.places = [(starts[kept], counts[kept]) for starts, counts in places]
        squares = self.weights.astype(np.float64) ** 2
        self.norm = float(np.sqrt(squares.sum())) or 1.0
        self.shares = self.weights / np.float32(self.norm)
        self.known = float(squares[frequency[kept] > 0].sum()) / self.norm**2


def _scores(part: Part, at: IntArray, owners: NDArray[np.int32], weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the cosines of whole and short texts, by slot. at: postings; owners: their slots; weight: their terms'."""
    postings, slots = part.segment.postings, len(part.cards)
    if part.row_filter is not None:
        weight = weight * part.alive[owners]
    whole = weight * LOG_TF[postings.whole[at]] * postings.whole_scales[owners]
    short = weight * LOG_TF[postings.short[at]] * postings.short_scales[owners]
    return (
        np.bincount(owners, weights=whole, minlength=slots).astype(np.float32),
        np.bincount(owners, weights=short, minlength=slots).astype(np.float32),
    )


class View:
    """The live skills of some partitions, in the order in which the partitions were asked for.

    Threads may share one. It remembers the products of the last query, and nothing else changes.
    """

    def __init__(self, partitions: Sequence[Partition]) -> None:
        self.stamp: tuple[tuple[Scope, str, int], ...] = tuple(
            (one.scope, one.owner, one.version) for one in partitions
        )
        """Equal stamps of one process and generation mean equal utterances, refs included."""
        self.parts: tuple[Part, ...] = tuple(part for one in partitions for part in one.parts)
        self.bases: list[int] = [0, *accumulate(len(part.cards) for part in self.parts)]
        self._row_bases: list[int] = [0, *accumulate(len(part.segment.rows) for part in self.parts)]
        self._last: tuple[FloatArray, dict[int, FloatArray]] | None = None

    @property
    def slots(self) -> int:
        """How many refs there are, dead ones included: the length of dense arrays."""
        return self.bases[-1]

    @cached_property
    def size(self) -> int:
        """How many live skills there are, matchable or not."""
        return sum(part.live for part in self.parts)

    @cached_property
    def vectors(self) -> int:
        """How many utterances can be searched, those of dead slots included."""
        return self._row_bases[-1]

    def place(self, ref: int) -> tuple[int, int]:
        """Return the part (its position) and the slot in it of a ref."""
        if len(self.parts) == 1:
            return 0, ref
        at = bisect_right(self.bases, ref) - 1
        return at, ref - self.bases[at]

    def card(self, ref: int) -> SkillCard:
        """Return the card of a skill."""
        at, slot = self.place(ref)
        return self.parts[at].cards[slot]

    def cards(self, refs: IntArray) -> list[SkillCard]:
        """Return the cards of several skills."""
        if len(self.parts) == 1:
            cards = self.parts[0].cards
            return [cards[slot] for slot in refs.tolist()]
        return [self.card(ref) for ref in refs.tolist()]

    def refs(self) -> IntArray:
        """Return the refs of all live matchable skills, ascending. Looks at every skill: not for the hot path."""
        return np.array(
            [
                base + slot
                for base, part in zip(self.bases, self.parts, strict=False)
                for slot in np.flatnonzero(part.alive).tolist()
                if part.cards[slot].matchable
            ],
            dtype=np.int64,
        )

    def exact(self, key: str) -> list[int]:
        """Return the matchable skills with a name, id, alias or learned message of this `exact_key`, in order."""
        return self._lookup(lambda part: part.segment.exact.get(key, ()))

    def by_id(self, skill_id: str) -> list[int]:
        """Return the skills of this id, one a partition at most, disabled ones included."""

        def slots(part: Part) -> Sequence[int]:
            slot = part.segment.slot_of_id.get(skill_id)
            return () if slot is None else (slot,)

        return self._lookup(slots)

    def _lookup(self, slots_in: Callable[[Part], Sequence[int]]) -> list[int]:
        pairs = zip(self.bases, self.parts, strict=False)
        return [base + slot for base, part in pairs for slot in slots_in(part) if part.alive[slot]]

    def search(self, query: FloatArray, k: int) -> list[Hit]:
        """Return the k utterances of matchable skills nearest to a unit vector, best first; negatives are left out.

        query: float32[dim]; one that is not finite finds nothing.
        """
        query = np.ascontiguousarray(query, dtype=np.float32)
        if not np.isfinite(query).all():
            return []
        hits: list[Hit] = []
        for row_base, (base, part, found, cosines) in zip(self._row_bases, self._near(query, k), strict=False):
            rows = part.segment.rows
            slots, fields = rows.slot_of[found].tolist(), rows.fields[found].tolist()
            hits += [
                Hit(base + slot, FIELDS[field], row_base + row, cosine)
                for slot, field, row, cosine in zip(slots, fields, found.tolist(), cosines.tolist(), strict=True)
            ]
        hits.sort(key=lambda hit: -hit.cosine)
        return hits[:k]

    def nearest(self, query: FloatArray, k: int) -> list[int]:
        """Return the skills of the k utterances that `search` finds, each once, best first."""
        query = np.ascontiguousarray(query, dtype=np.float32)
        if not np.isfinite(query).all():
            return []
        found = [
            (base + part.segment.rows.slot_of[rows], cosines) for base, part, rows, cosines in self._near(query, k)
        ]
        if len(found) == 1:
            return list(dict.fromkeys(found[0][0].tolist()))
        refs = np.concatenate([refs for refs, _ in found] or [np.empty(0, dtype=np.int64)])
        cosines = np.concatenate([cosines for _, cosines in found] or [np.empty(0, dtype=np.float32)])
        return list(dict.fromkeys(refs[np.argsort(-cosines, kind="stable")[:k]].tolist()))

    def _near(self, query: FloatArray, k: int) -> Iterator[tuple[int, Part, IntArray, FloatArray]]:
        """Yield for each part its base, itself, and its k nearest rows with their cosines."""
        for number, (base, part) in enumerate(zip(self.bases, self.parts, strict=False)):
            rows = part.segment.rows
            if part.segment.approximate is None:
                allowed = None if part.row_filter is None else part.row_filter.allowed
                yield base, part, *search_exact(self._products(number, query), k, allowed)
            else:
                index = part.segment.approximate
                yield base, part, *search_approximate(index, rows.matrix, query, k, part.row_filter)

    def _products(self, number: int, query: FloatArray) -> FloatArray:
        """Return the inner products of a part's rows with a query; the last query's are kept for the features."""
        last = self._last  # taken and set as one, since threads may share a view
        if last is None or last[0] is not query:
            last = self._last = (query, {})
        products = last[1]
        if number not in products:
            products[number] = self.parts[number].segment.rows.matrix @ query
        return products[number]

    def text(self, row: int) -> str | None:
        """Return the text of a row of `search` or `field_cosines`; None when it is not in memory (body), or row is -1.

        The description is on the skill's card.
        """
        if row < 0:
            return None
        if row >= self._row_bases[-1]:
            return self._negative_text(row - self._row_bases[-1])
        at = bisect_right(self._row_bases, row) - 1
        return self.parts[at].segment.rows.texts[row - self._row_bases[at]]

    def _negative_text(self, row: int) -> str | None:
        at = bisect_right(self._negative_bases, row) - 1
        return self.parts[at].segment.negatives.texts[row - self._negative_bases[at]]

    @cached_property
    def _negative_bases(self) -> list[int]:
        return [0, *accumulate(len(part.segment.negatives) for part in self.parts)]

    def lexical(self, query: QueryTerms) -> Lexical:
        """Return the TF-IDF cosines of a message with every skill."""
        return Lexical(self, query)

    def field_cosines(self, refs: IntArray, query: FloatArray) -> FieldCosines:
        """Return the cosines of candidates' utterances with a unit vector, by field, `negative` among them."""
        shape = (len(refs), len(FIELDS))
        result = FieldCosines(
            best=np.full(shape, np.nan, dtype=np.float32),
            top=np.full(shape, np.nan, dtype=np.float32),
            centre=np.full(shape, np.nan, dtype=np.float32),
            best_row=np.full(shape, -1, dtype=np.int64),
        )
        query = np.asarray(query, dtype=np.float32)
        if not np.isfinite(query).all():
            return result
        last = self._last
        for at, mine, slots in self._by_part(refs):
            segment = self.parts[at].segment
            known = last[1].get(at) if last is not None and last[0] is query else None
            _fill(result, mine, segment.rows, slots, query=query, row_base=self._row_bases[at], products=known)
            if len(segment.negatives):
                base = self._row_bases[-1] + self._negative_bases[at]
                _fill(result, mine, segment.negatives, slots, query=query, row_base=base)
        return result

    def trigger_cosines(self, refs: IntArray, facts: FloatArray) -> FloatArray:
        """Return float32[refs, m], the best cosine of each candidate's triggers with each of m facts (unit rows).

        NaN for candidates without triggers.
        """
        best = np.full((len(refs), len(facts)), np.nan, dtype=np.float32)
        for at, mine, slots in self._by_part(refs):
            rows = self.parts[at].segment.rows
            wanted, counts = rows.of_slots(slots)
            trigger = rows.fields[wanted] == _TRIGGER
            owners = np.repeat(mine, counts)[trigger]
            if len(owners):
                heads = _heads(owners)
                cosines = rows.matrix[wanted[trigger]] @ np.asarray(facts, dtype=np.float32).T
                best[owners[heads]] = np.maximum.reduceat(cosines, heads, axis=0)
        return best

    def char_scores(self, refs: IntArray, grams: NDArray[np.uint16]) -> CharScores:
        """Compare a message's grams (`lexical.grams_of`) with those of candidates. Tolerates misspelt words."""
        contained = np.zeros(len(refs), dtype=np.float32)
        cosine = np.zeros(len(refs), dtype=np.float32)
        total = sum(len(part.segment.cards) for part in self.parts)
        frequency = sum(
            (part.segment.grams.frequency[grams] for part in self.parts), np.zeros(len(grams), dtype=np.int64)
        )
        weights = idf(total, frequency)
        weight_of = np.zeros(GRAM_BUCKETS, dtype=np.float32)
        weight_of[grams] = weights
        norm, mass = float(np.sqrt((weights**2).sum())) or 1.0, float(weights.sum()) or 1.0
        for at, mine, slots in self._by_part(refs):
            sets = self.parts[at].segment.grams
            flat, counts = sets.of_slots(slots)
            filled = counts > 0
            heads = (np.cumsum(counts) - counts)[filled]
            if len(heads):
                sums = np.add.reduceat(weight_of.take(flat), heads)
                contained[mine[filled]] = sums / mass
                cosine[mine[filled]] = sums / (norm * np.sqrt(counts[filled]))
        return CharScores(contained=contained, cosine=cosine)

    def utterances(self) -> Iterator[tuple[IntArray, NDArray[np.uint8], FloatArray]]:
        """Yield, a segment at a time, refs int64[n], field codes uint8[n] and vectors float32[n, dim] of all live rows.

        For training in the background.
        """
        for base, part in zip(self.bases, self.parts, strict=False):
            rows = part.segment.rows
            live = slice(None) if part.row_filter is None else part.alive[rows.slot_of]
            yield rows.slot_of[live].astype(np.int64) + base, rows.fields[live], rows.matrix[live]

    def _by_part(self, refs: IntArray) -> Iterator[tuple[int, IntArray, IntArray]]:
        """Yield, for each part with candidates, its position, the candidates' positions in `refs`, and their slots."""
        refs = np.asarray(refs, dtype=np.int64)
        if len(self.parts) == 1:
            yield 0, np.arange(len(refs)), refs
            return
        owners = np.searchsorted(self.bases, refs, side="right") - 1
        for at in np.unique(owners).tolist():
            mine = np.flatnonzero(owners == at)
            yield at, mine, refs[mine] - self.bases[at]


def _heads(groups: IntArray) -> IntArray:
    """Return where each run of equal numbers begins."""
    return np.flatnonzero(np.concatenate([[True], groups[1:] != groups[:-1]]))


def _fill(
    result: FieldCosines,
    mine: IntArray,
    rows: Rows,
    slots: IntArray,
    *,
    query: FloatArray,
    row_base: int,
    products: FloatArray | None = None,
) -> None:
    """Fill in the candidates `mine` from their `slots`. products: of all rows with the query, when they are known."""
    groups, counts = rows.groups.of_slots(slots)
    if not len(groups):
        return
    sizes = rows.groups.sizes[groups]
    wanted = ranges(rows.groups.starts[groups], sizes)
    cosines = rows.matrix[wanted] @ query if products is None else products[wanted]
    cells = np.repeat(mine * len(FIELDS), counts) + rows.groups.fields[groups]
    most = int(sizes.max())
    if most == 1:
        best = top = centre = cosines
        best_rows = wanted
    else:
        heads = np.cumsum(sizes) - sizes
        falling = np.lexsort((-cosines, np.repeat(np.arange(len(sizes)), sizes)))  # stable: the first of equal ones
        best, best_rows = cosines[falling[heads]], wanted[falling[heads]]
        sums = np.add.reduceat(cosines, heads)
        top = sums / sizes if most <= TOP else _top_means(cosines[falling], heads, sizes)
        centre = sums / rows.groups.lengths[groups]
    result.best.ravel()[cells] = best
    result.top.ravel()[cells] = top
    result.centre.ravel()[cells] = centre
    result.best_row.ravel()[cells] = best_rows + row_base


def _top_means(falling: FloatArray, heads: IntArray, sizes: IntArray) -> NDArray[np.float64]:
    """Return the mean of the three highest of each group (of all where there are fewer).

    falling: the values, in each group from the highest down.
    """
    sums = falling[heads].astype(np.float64)
    for place in range(1, TOP):
        has = sizes > place
        sums[has] += falling[heads[has] + place]
    means: NDArray[np.float64] = sums / np.minimum(sizes, TOP)
    return means
