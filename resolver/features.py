"""What is known of each candidate, as a matrix of named numbers. 0 means "says nothing" in every column.

FITTED columns compare the message with the skill; their weights are fitted, by the kind of skill: what its author
wrote (see `Kind`). BOUNDED columns are rules, context and history: no public data says how much they should weigh, so
their weights are set by hand and small, and what is not stated or never happened is exactly 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wellworn.index.segment import FIELD_CODES
from wellworn.index.view import FieldCosines, Lexical, View
from wellworn.models.skill import Scope, SkillCard, SkillStats, UtteranceField
from wellworn.resolver.inquiry import Inquiry
from wellworn.resolver.reliability import trouble

FloatMatrix = NDArray[np.float64]
IntColumn = NDArray[np.int64]

FITTED = (
    "nearestExample",
    "topExamples",
    "centreExamples",
    "name",
    "description",
    "bodyBest",
    "bodyTop",
    "bodyCentre",
    "wholeText",
    "shortText",
    "characters",
    "charactersCovered",
    "head",
)
BOUNDED = (
    "exact",
    "named",
    "nothingAlike",
    "negative",
    "excluded",
    "triggerFact",
    "goal",
    "recentTraces",
    "branchWords",
    "sameSession",
    "recentlyUsed",
    "reliability",
    "narrowScope",
)
HEAD_FLOOR = -8.0
"""Log-probabilities below it say no more than "not this one"."""
SOME_EXAMPLES, MANY_EXAMPLES = 4, 9
"""From how many utterances a skill on, names among them, on average: a head is as good as its whole training."""
_ENOUGH_EXAMPLES = np.array([SOME_EXAMPLES, MANY_EXAMPLES])
LIKENESSES_MAX = 6
"""Texts of one kind (goal, traces, excluded objects) that are compared with every candidate."""
_EXAMPLES = [
    FIELD_CODES[field]
    for field in (UtteranceField.alias, UtteranceField.trigger, UtteranceField.example, UtteranceField.learned)
]
_NAME, _DESCRIPTION = FIELD_CODES[UtteranceField.name], FIELD_CODES[UtteranceField.description]
_BODY, _NEGATIVE = FIELD_CODES[UtteranceField.body], FIELD_CODES[UtteranceField.negative]
_OWN = [code for code in FIELD_CODES.values() if code != _NEGATIVE]
_TEXTS = [code for code in _OWN if code != _NAME]
_ALIKE_FROM = 0.3
_FAR = (0.15, 0.3)
"""Cosines of the bundled encoder: unrelated sentences are mostly below the first, requests above the second."""
_UNLIKE = 0.5
"""A cosine below it is no likeness between a fact, a goal or an excluded object and a skill; see the tests."""
_PLACE = {name: at for at, name in enumerate(BOUNDED)}
_HALF_LIFE_DAYS = 30.0
_SCOPE_VALUES = {Scope.session: 1.0, Scope.repo: 0.5, Scope.user: 0.0}


class Kind(IntEnum):
    """What a skill offers to compare with; each kind has a row of weights of its own.

    examples_untrained: it has examples, but there is no head (not fitted yet, or the library is too large for one).
    """

    few_examples = 0
    some_examples = 1
    many_examples = 2
    description = 3
    body = 4
    examples_description = 5
    examples_body = 6
    examples_untrained = 7


@dataclass(frozen=True, slots=True, eq=False)
class HeadValues:
    """What the trained head says of n candidates.

    log_probabilities: float64[n], NaN where it does not know the skill. taught: float64[n], how many utterances a skill
    that head has seen on average, 0 where it does not know the skill. level: its highest logit above the mean one, 0
    without a head.
    """

    log_probabilities: FloatMatrix
    taught: FloatMatrix
    level: float

    @classmethod
    def none(cls, n: int) -> HeadValues:
        return cls(np.full(n, np.nan), np.zeros(n), 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """n candidates. fitted: float64[n, len(FITTED)]; bounded: float64[n, len(BOUNDED)]; kinds: int64[n], of `Kind`.

    cosines: for the evidence. size: skills in the view. words: of the message. level: see HeadValues.
    """

    fitted: FloatMatrix
    bounded: FloatMatrix
    kinds: IntColumn
    cosines: FieldCosines
    size: int
    words: int
    level: float


def measure(
    view: View,
    inquiry: Inquiry,
    *,
    refs: IntColumn,
    cards: Sequence[SkillCard],
    lexical: Lexical,
    head: HeadValues,
    exact: frozenset[int],
    now: datetime,
) -> Features:
    """Measure the candidates `refs`, whose cards are `cards`. exact: those whose name, id or alias is the message."""
    cosines = view.field_cosines(refs, inquiry.query)
    chars = view.char_scores(refs, inquiry.grams)
    words = lexical.whole[refs]
    columns = (
        _highest(cosines.best),
        _highest(cosines.top),
        _highest(cosines.centre),
        cosines.best[:, _NAME],
        cosines.best[:, _DESCRIPTION],
        cosines.best[:, _BODY],
        cosines.top[:, _BODY],
        cosines.centre[:, _BODY],
        words,
        lexical.short[refs],
        chars.cosine,
        chars.contained,
        np.maximum(head.log_probabilities, HEAD_FLOOR),
    )
    fitted = np.empty((len(refs), len(FITTED)))
    for at, column in enumerate(columns):
        fitted[:, at] = column
    fitted[np.isnan(fitted)] = 0.0
    return Features(
        fitted=fitted,
        bounded=_bounded(view, inquiry, refs=refs, cards=cards, cosines=cosines, words=words, exact=exact, now=now),
        kinds=kinds_of(cosines.best, head.taught),
        cosines=cosines,
        size=view.size,
        words=len(inquiry.message.words),
        level=head.level,
    )


def _highest(cosines: NDArray[np.float32]) -> NDArray[np.float32]:
    highest: NDArray[np.float32] = np.fmax.reduce(cosines[:, _EXAMPLES], axis=1)
    return highest


def kinds_of(best: NDArray[np.float32], taught: FloatMatrix) -> IntColumn:
    """Return the kind of each candidate. best: its cosines by field (NaN: has none). taught: see HeadValues."""
    has = ~np.isnan(best)
    examples = has[:, _EXAMPLES].any(axis=1)
    kinds: IntColumn = _KIND_OF[
        examples.astype(np.int64), has[:, _BODY].astype(np.int64), has[:, _DESCRIPTION].astype(np.int64)
    ]
    alone = kinds == Kind.few_examples
    kinds[alone] = np.searchsorted(_ENOUGH_EXAMPLES, taught[alone], side="right")
    kinds[examples & (taught == 0)] = Kind.examples_untrained
    return kinds


_KIND_OF = np.array(
    [
        [[Kind.description, Kind.description], [Kind.body, Kind.body]],
        [[Kind.few_examples, Kind.examples_description], [Kind.examples_body, Kind.examples_body]],
    ],
    dtype=np.int64,
)
"""By whether a skill has examples, a body, a description; how many examples there are is looked at afterwards."""


def _bounded(
    view: View,
    inquiry: Inquiry,
    *,
    refs: IntColumn,
    cards: Sequence[SkillCard],
    cosines: FieldCosines,
    words: NDArray[np.float32],
    exact: frozenset[int],
    now: datetime,
) -> FloatMatrix:
    nearest = _nearest_own(cosines)
    columns: dict[str, ArrayLike] = {"nothingAlike": _nothing_alike(nearest, words)}
    columns["negative"] = _against(cosines.best[:, _NEGATIVE], nearest)
    columns["excluded"] = _likeness(view, refs, inquiry.excluded)
    if exact:
        columns["exact"] = [ref in exact for ref in refs.tolist()]
    if inquiry.reading.named:
        columns["named"] = [card.id in inquiry.reading.named for card in cards]
    if len(inquiry.statements):
        columns["triggerFact"] = _above(np.nan_to_num(view.trigger_cosines(refs, inquiry.statements)).max(axis=1))
    columns["goal"] = _likeness(view, refs, inquiry.goal)
    columns["recentTraces"] = _likeness(view, refs, inquiry.traces)
    if inquiry.facts.branch:
        columns["branchWords"] = [_shared(inquiry.facts.branch, card.id) for card in cards]
    columns |= _history(cards, inquiry.session_keys, now)
    values = np.zeros((len(refs), len(BOUNDED)))
    for name, column in columns.items():
        values[:, _PLACE[name]] = column
    return values


def _history(cards: Sequence[SkillCard], session_keys: frozenset[int], now: datetime) -> dict[str, ArrayLike]:
    columns: dict[str, ArrayLike] = {"narrowScope": [_SCOPE_VALUES[card.scope] for card in cards]}
    if session_keys:
        columns["sameSession"] = [card.key in session_keys for card in cards]
    stats = [card.stats for card in cards]
    if any(one.usage_count or one.failure_count for one in stats):
        columns["recentlyUsed"] = [_recency(one, now) for one in stats]
        columns["reliability"] = [trouble(one.success_count, one.failure_count) for one in stats]
    return columns


def far_away(features: Features, at: int) -> float:
    """Return 1 when nothing that a candidate's author wrote but its name is near the message, down to 0.

    What is left then is a word: "draw a linear regression line" shares one with a skill called `linear`.
    """
    if features.bounded[at, _PLACE["exact"]] or not features.cosines.best.size:
        return 0.0
    near = features.cosines.best[at, _TEXTS]
    nearest = float(np.nanmax(near)) if not np.isnan(near).all() else 0.0
    low, high = _FAR
    return float(np.clip((high - nearest) / (high - low), 0.0, 1.0))


def _nearest_own(cosines: FieldCosines) -> NDArray[np.float64]:
    """The best cosine of each candidate's own words (all but its negatives), 0 where it has none."""
    nearest: NDArray[np.float64] = np.fmax.reduce(cosines.best[:, _OWN], axis=1).astype(np.float64)
    nearest[np.isnan(nearest)] = 0.0
    return nearest


def _nothing_alike(nearest: NDArray[np.float64], words: NDArray[np.float32]) -> NDArray[np.float64]:
    """1 for a skill that shares no word with the message and that no text of its own brings near, else 0.

    Only what is left when everything else is left out would speak for it: that it is there.
    """
    return np.where(words > 0, 0.0, np.clip((_ALIKE_FROM - nearest) / 0.1, 0.0, 1.0))


def _against(negative: NDArray[np.float32], nearest: NDArray[np.float64]) -> NDArray[np.float64] | float:
    """How much nearer the message is to a negative than to anything that stands for the skill, from 0 to 1.

    A negative that is the message itself (1) counts whole; one that is no nearer than the skill's own words counts 0.
    negative: NaN where there is none.
    """
    without = np.isnan(negative)
    if without.all():
        return 0.0
    lead = (negative.astype(np.float64) - nearest) / np.maximum(1.0 - nearest, 0.2)
    return np.clip(np.where(without, 0.0, lead), 0.0, 1.0)


def _likeness(view: View, refs: IntColumn, vectors: NDArray[np.float32]) -> NDArray[np.float64] | float:
    """The best cosine of each candidate's own words with any of these vectors, as 0 (unlike) to 1 (the same)."""
    if not len(vectors):
        return 0.0
    alike = [_nearest_own(view.field_cosines(refs, vector)) for vector in vectors[:LIKENESSES_MAX]]
    return _above(np.maximum.reduce(alike))


def _above(cosines: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.clip((cosines - _UNLIKE) / (1.0 - _UNLIKE), 0.0, 1.0)


def _shared(branch: str, skill_id: str) -> float:
    """The share of the skill's name that the branch has."""
    own = _words(skill_id)
    return len(_words(branch) & own) / len(own) if own else 0.0


def _words(identifier: str) -> frozenset[str]:
    separated = "".join(letter if letter.isalnum() else " " for letter in identifier.casefold())
    return frozenset(word for word in separated.split() if len(word) > 2)


def _recency(stats: SkillStats, now: datetime) -> float:
    """1 for a skill used just now, halved every 30 days; 0 for one never used, which must never be a disadvantage."""
    used = stats.last_used_at
    if used is None or stats.usage_count <= 0:
        return 0.0
    days = max((now - used).total_seconds() / 86_400.0, 0.0)
    return float(0.5 ** (days / _HALF_LIFE_DAYS))
