"""Candidates, features, scores and confidences of one inquiry."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from wellworn.index.lexical import exact_key
from wellworn.index.segment import FIELDS
from wellworn.index.view import View
from wellworn.models.resolution import Contribution
from wellworn.models.skill import UtteranceField
from wellworn.resolver.inquiry import Inquiry
from wellworn.resolver.parameters import Parameters
from wellworn.resolver.reasons import Evidence

_SHORT = [FIELDS.index(f) for f in (UtteranceField.name, UtteranceField.alias, UtteranceField.trigger, UtteranceField.example, UtteranceField.learned)]


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Candidates best first; see the fields."""

    refs: NDArray[np.int64]
    scores: NDArray[np.float64]
    confidences: NDArray[np.float64]
    outside_score: float
    outside_contributions: list[Contribution]
    values: NDArray[np.float64]
    weights: NDArray[np.float64]
    names: tuple[str, ...]
    proofs: tuple[Evidence, ...]

    @classmethod
    def empty(cls) -> Ranking:
        none = np.empty(0)
        return cls(np.empty(0, dtype=np.int64), none, none, 0.0, [], np.empty((0, 0)), none, (), ())

    def contributions(self, place: int) -> list[Contribution]:
        return [
            Contribution(feature=n, value=float(v), weight=float(w), contribution=float(v * w))
            for n, v, w in zip(self.names, self.values[place], self.weights, strict=True)
        ]

    def evidence(self, place: int) -> Evidence:
        return self.proofs[place]


def rank(view: View, inquiry: Inquiry, parameters: Parameters, head: None, *, now: datetime, limit: int = 64) -> Ranking:
    lexical = view.lexical(inquiry.terms)
    refs = dict.fromkeys(hit.ref for hit in view.search(inquiry.query, 4 * limit))
    exact = set(view.exact(exact_key(inquiry.text)))
    for name in inquiry.reading.named:
        exact.update(view.by_id(name))
    chosen = np.array([*dict.fromkeys([*exact, *refs, *lexical.top(limit).tolist()])][: 2 * limit], dtype=np.int64)
    if not len(chosen):
        return Ranking.empty()
    cosines = view.field_cosines(chosen, inquiry.query)
    best = np.nan_to_num(cosines.best)
    values = np.stack(
        [
            best[:, _SHORT].max(axis=1),
            best[:, FIELDS.index(UtteranceField.description)],
            best[:, FIELDS.index(UtteranceField.body)],
            lexical.whole[chosen],
            lexical.short[chosen],
            view.char_scores(chosen, inquiry.grams).cosine,
            np.array([ref in exact for ref in chosen.tolist()], dtype=float),
            best[:, FIELDS.index(UtteranceField.negative)],
        ],
        axis=1,
    ).astype(np.float64)
    names = tuple(parameters.weights)
    weights = np.array(list(parameters.weights.values()))
    scores = values @ weights
    order = np.argsort(-scores, kind="stable")
    outside = parameters.outside["constant"] + parameters.outside["penalty"] * inquiry.reading.penalty
    all_scores = np.append(scores[order], outside)
    odds = np.exp(all_scores - all_scores.max())
    proofs = []
    for at in order.tolist():
        row = best[at].copy()
        row[FIELDS.index(UtteranceField.negative)] = -1
        field = int(row.argmax())
        text = view.text(int(cosines.best_row[at, field])) or ""
        words = tuple(word for word, _ in lexical.words(int(chosen[at])))
        proofs.append(Evidence(inquiry.text if values[at, 6] else "", FIELDS[field], text, float(row[field]), words))
    return Ranking(
        chosen[order], scores[order], (odds / odds.sum())[:-1], outside,
        [Contribution(feature="constant", value=1.0, weight=outside, contribution=outside)],
        values[order], weights, names, tuple(proofs),
    )
