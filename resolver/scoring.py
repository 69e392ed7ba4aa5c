"""From features to confidences: a conditional logit with an outside option (McFadden 1974), in two parts.

Ranking and rejecting want different evidence: the trained head is the best judge of *which* skill is meant and a poor
one of *whether* any is. So the probability of a skill is P(any is meant) x P(this one | any): the second is a softmax
over the candidates' fitted scores, the first a logistic function of a "gate" made of the best candidate's features and
of how clear the choice is. Both together are one softmax over candidates and outside option when the latter scores

    outside = logsumexp(fitted scores) - gate

Bounded features (rules, context, history) are added after that, so that what they say for one skill is said against
the outside option as well. With none of them, confidences are exactly the fitted ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wellworn.resolver.features import BOUNDED, FITTED, Features, FloatMatrix, far_away
from wellworn.resolver.parameters import GATE, Parameters

CONTEXT = (
    "triggerFact",
    "goal",
    "recentTraces",
    "branchWords",
    "sameSession",
    "recentlyUsed",
    "reliability",
    "narrowScope",
)
USUAL_WORDS = 9
CROWD = 10
LEAD_MAX = 8.0
STRANGER_COSINE = 0.1
"""What a text that has nothing to do with a message comes to with the bundled encoder."""
FACTOR_BOUNDS = (0.4, 2.5)
_CONTEXT_COLUMNS = [BOUNDED.index(name) for name in CONTEXT]
COLUMNS = (*FITTED, "kind", *BOUNDED)


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """n candidates in the order of the features.

    scores, confidences: float64[n]. outside: the outside option's score, the sum of `outside_parts` (name, value,
    weight).
    """

    features: Features
    rank_weights: FloatMatrix
    bounded_weights: FloatMatrix
    scores: FloatMatrix
    confidences: FloatMatrix
    outside: float
    outside_parts: tuple[tuple[str, float, float], ...]

    @property
    def values(self) -> FloatMatrix:
        """float64[n, len(COLUMNS)]; a score is the sum of its row of products with `weights`."""
        return np.hstack([self.features.fitted, np.ones((len(self.scores), 1)), self.features.bounded])

    @property
    def weights(self) -> FloatMatrix:
        """float64[n, len(COLUMNS)]."""
        return np.hstack([self.rank_weights, self.bounded_weights])


def score(features: Features, penalty: float, parameters: Parameters) -> Scores:
    """Score at least one candidate. penalty: how strongly the message's mood speaks against any skill, 0 to 1."""
    weights = rank_weights(features, parameters)
    fitted = _fitted_scores(features, weights)
    bounded_weights = _bounded_weights(features.bounded, parameters)
    scores = fitted + (features.bounded * bounded_weights).sum(axis=1)
    best = int(fitted.argmax())
    gate_values = gate_features(features, fitted, _stranger_score(features, best, weights))
    gate_weights = -parameters.gate_matrix[features.kinds[best]]
    parts = [("candidates", logsumexp(fitted), 1.0)]
    parts += zip(GATE, gate_values.tolist(), gate_weights.tolist(), strict=True)
    parts.append(("mood", penalty, parameters.mood))
    parts.append(("farAway", far_away(features, best), parameters.far_away))
    outside = sum(value * weight for _, value, weight in parts)
    everything = np.append(scores, outside)
    confidences = np.exp(everything - logsumexp(everything))[:-1]
    return Scores(
        features=features,
        rank_weights=weights,
        bounded_weights=bounded_weights,
        scores=scores,
        confidences=confidences,
        outside=outside,
        outside_parts=tuple(parts),
    )


def fitted_scores(features: Features, parameters: Parameters) -> FloatMatrix:
    """Return float64[n]: the fitted columns and the constant of each kind, weighed."""
    return _fitted_scores(features, rank_weights(features, parameters))


def _fitted_scores(features: Features, weights: FloatMatrix) -> FloatMatrix:
    scores: FloatMatrix = (features.fitted * weights[:, :-1]).sum(axis=1) + weights[:, -1]
    return scores


def rank_weights(features: Features, parameters: Parameters) -> FloatMatrix:
    """Return float64[n, len(RANK)]: each candidate's row of weights, for a message of this length."""
    by_kind = parameters.rank_matrix * length_factors(parameters.length_vector, features.words)[:, None]
    weights: FloatMatrix = by_kind[features.kinds]
    return weights


def length_factors(slopes: FloatMatrix, words: int) -> FloatMatrix:
    """Return 1 + slope x ln((words + 1) / 9), within 0.4 and 2.5: likeness of a longer message is better evidence.

    Without it, confidences about real skills were 8 points too high for three words and 9 too low for thirty.
    """
    factors: FloatMatrix = np.clip(1.0 + slopes * np.log((words + 1) / USUAL_WORDS), *FACTOR_BOUNDS)
    return factors


def stranger_score(features: Features, fitted: FloatMatrix, parameters: Parameters) -> float:
    """Return the fitted score of a skill like the best candidate that has nothing in common with the message."""
    return _stranger_score(features, int(fitted.argmax()), rank_weights(features, parameters))


def _stranger_score(features: Features, best: int, weights: FloatMatrix) -> float:
    has = features.fitted[best, _LIKENESSES] != 0
    return float(weights[best, -1] + STRANGER_COSINE * weights[best, _LIKENESSES][has].sum())


def gate_features(features: Features, fitted: FloatMatrix, stranger: float) -> FloatMatrix:
    """Return float64[len(GATE)]: what speaks for "one of these is meant".

    A constant, the best candidate's fitted columns, its share of the softmax and its lead over the second (both as
    logarithms), the highest cosine of any candidate and the mean of the ten highest (is this the library's subject at
    all?), the head's level, the sizes of library and message. Where there are fewer than ten candidates, strangers
    stand in for the others: a lone skill that has nothing to do with the message leads nobody.
    """
    best = int(fitted.argmax())
    strangers = max(CROWD - len(fitted), 0)
    others, cosines = fitted.tolist(), features.fitted[:, _COSINES].max(axis=1).tolist()
    highest = others.pop(best)
    others += [stranger] * strangers
    cosines += [STRANGER_COSINE] * strangers
    share = highest - logsumexp(np.array([*others, highest]))
    lead = min(highest - max(others), LEAD_MAX)
    nearest = sorted(cosines, reverse=True)[:CROWD]
    sizes = (np.log1p(features.size), np.log1p(features.words))
    crowd = sum(nearest) / CROWD
    return np.array([1.0, *features.fitted[best].tolist(), share, lead, nearest[0], crowd, features.level, *sizes])


_LIKENESSES = [
    FITTED.index(name)
    for name in (
        "nearestExample",
        "topExamples",
        "centreExamples",
        "name",
        "description",
        "bodyBest",
        "bodyTop",
        "bodyCentre",
    )
]
_COSINES = [FITTED.index(name) for name in ("nearestExample", "name", "description", "bodyBest")]


def _bounded_weights(values: FloatMatrix, parameters: Parameters) -> FloatMatrix:
    """Return the weights of the bounded columns, those of the context shrunk to keep their sum in bounds."""
    weights = np.tile(parameters.bounded_vector, (len(values), 1))
    context = weights[:, _CONTEXT_COLUMNS]
    total = np.abs((values[:, _CONTEXT_COLUMNS] * context).sum(axis=1))
    if total.max() > parameters.context_bound:
        shrink = np.minimum(1.0, parameters.context_bound / np.maximum(total, 1e-12))
        weights[:, _CONTEXT_COLUMNS] = context * shrink[:, None]
    return weights


def logsumexp(values: FloatMatrix) -> float:
    """Return ln of the sum of exponentials."""
    highest = float(values.max())
    return highest + float(np.log(np.exp(values - highest).sum()))
