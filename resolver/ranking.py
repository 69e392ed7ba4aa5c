"""Candidates, features, scores and confidences of one inquiry, and the evidence behind them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from math import isnan

import numpy as np
from numpy.typing import NDArray

from wellworn.index.lexical import exact_key
from wellworn.index.segment import FIELDS, NEGATIVE
from wellworn.index.view import FieldCosines, Lexical, View
from wellworn.models.resolution import Contribution
from wellworn.models.skill import SkillCard
from wellworn.resolver.candidates import HEAD, LIMIT, gather
from wellworn.resolver.features import BOUNDED, Features, measure
from wellworn.resolver.head import Heads
from wellworn.resolver.inquiry import Inquiry
from wellworn.resolver.parameters import Parameters
from wellworn.resolver.reasons import Evidence
from wellworn.resolver.scoring import COLUMNS, Scores, score

FACT_SHOWN = 0.2
"""A statement of the context is evidence when a trigger is this much like it (see features._above)."""
_EXACT = BOUNDED.index("exact")
_NAMED = BOUNDED.index("named")
_TRIGGER_FACT = BOUNDED.index("triggerFact")


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """What was looked at for one inquiry: the candidates with their features, not yet weighed."""

    refs: NDArray[np.int64]
    cards: list[SkillCard]
    features: Features
    lexical: Lexical


def measure_inquiry(
    view: View, inquiry: Inquiry, heads: Heads, *, now: datetime, limit: int = LIMIT
) -> Measured | None:
    """Gather candidates and measure them; None when nothing at all is near."""
    lexical = view.lexical(inquiry.terms)
    look = heads.look(inquiry.text, inquiry.query)
    whole = dict.fromkeys((inquiry.text, inquiry.message.request))
    exact = dict.fromkeys(ref for text in whole for ref in view.exact(exact_key(text)))
    refs = gather(view, inquiry, lexical, look.best(HEAD), exact=exact, limit=limit)
    if not len(refs):
        return None
    cards = view.cards(refs)
    values = look.of([card.key for card in cards])
    features = measure(
        view, inquiry, refs=refs, cards=cards, lexical=lexical, head=values, exact=frozenset(exact), now=now
    )
    return Measured(refs, cards, features, lexical)


class Ranking:
    """Candidates best first: refs int64[n], their cards, scores and confidences float64[n]; and the outside option's
    score."""

    def __init__(self, view: View, inquiry: Inquiry, measured: Measured, scores: Scores) -> None:
        self._order = np.argsort(-scores.scores, kind="stable")
        self._view, self._inquiry, self._measured, self._all = view, inquiry, measured, scores
        self.refs: NDArray[np.int64] = measured.refs[self._order]
        self.cards = [measured.cards[at] for at in self._order.tolist()]
        self.scores = scores.scores[self._order]
        self.confidences = scores.confidences[self._order]
        self.outside_score = scores.outside

    @classmethod
    def empty(cls) -> Ranking:
        """Return a ranking of nothing."""
        return _NoRanking()

    @property
    def outside_contributions(self) -> list[Contribution]:
        """What the outside option's score is made of."""
        return [_contribution(name, value, weight) for name, value, weight in self._all.outside_parts]

    def contributions(self, place: int) -> list[Contribution]:
        """Return what the score of the candidate at `place` is made of; what is 0 is left out."""
        at = int(self._order[place])
        rows = zip(COLUMNS, self._all.values[at].tolist(), self._all.weights[at].tolist(), strict=True)
        return [_contribution(name, value, weight) for name, value, weight in rows if value and weight]

    def evidence(self, place: int) -> Evidence:
        """Return what spoke for the candidate at `place`."""
        at = int(self._order[place])
        features = self._measured.features
        field, row, cosine = _nearest(features.cosines, at)
        words = tuple(word for word, _ in self._measured.lexical.words(int(self.refs[place])))
        called = features.bounded[at, _EXACT] or features.bounded[at, _NAMED]
        return Evidence(
            exact=self.cards[place].id if called else "",
            field=FIELDS[field] if field >= 0 else None,
            text=self._view.text(row) or "",
            cosine=cosine,
            words=words,
            facts=self._facts(at) if features.bounded[at, _TRIGGER_FACT] >= FACT_SHOWN else (),
        )

    def _facts(self, at: int) -> tuple[str, ...]:
        """Statements of the context like a trigger of the candidate, the most alike first."""
        inquiry = self._inquiry
        cosines = self._view.trigger_cosines(self._measured.refs[at : at + 1], inquiry.statements)[0]
        best = int(np.nan_to_num(cosines).argmax())
        return inquiry.facts.statements[best : best + 1]


class _NoRanking(Ranking):
    """Nothing was found."""

    def __init__(self) -> None:
        self.refs, self.cards = np.empty(0, dtype=np.int64), []
        self.scores = self.confidences = np.empty(0)
        self.outside_score = 0.0

    @property
    def outside_contributions(self) -> list[Contribution]:
        return []


def rank(view: View, inquiry: Inquiry, parameters: Parameters, heads: Heads, *, now: datetime) -> Ranking:
    """Rank the skills of a view for one inquiry."""
    measured = measure_inquiry(view, inquiry, heads, now=now)
    if measured is None:
        return Ranking.empty()
    return Ranking(view, inquiry, measured, score(measured.features, inquiry.reading.penalty, parameters))


def _nearest(cosines: FieldCosines, at: int) -> tuple[int, int, float]:
    """Return the field, row and cosine of the candidate's nearest utterance; (-1, -1, 0) when it has none."""
    best = cosines.best[at].tolist()
    fields = [field for field, cosine in enumerate(best) if field != NEGATIVE and not isnan(cosine)]
    if not fields:
        return -1, -1, 0.0
    field = max(fields, key=best.__getitem__)
    return field, int(cosines.best_row[at, field]), best[field]


def _contribution(name: str, value: float, weight: float) -> Contribution:
    return Contribution(feature=name, value=value, weight=weight, contribution=value * weight)
