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

from wellworn.resolver.features import BOUNDED, FITTED, Features, FloatMatrix
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

    values, weights: float64[n, len(COLUMNS)]; a score is the sum of its row of products. confidences: float64[n].
    outside: the outside option's score, the sum of `outside_parts` (name, value, weight).
    """

    values: FloatMatrix
    weights: FloatMatrix
    scores: FloatMatrix
    confidences: FloatMatrix
    outside: float
    outside_parts: tuple[tuple[str, float, float], ...]


def score(features: Features, penalty: float, parameters: Parameters) -> Scores:
    """Score at least one candidate. penalty: how strongly the message's mood speaks against any skill, 0 to 1."""
    fitted = fitted_scores(features, parameters)
    bounded, bounded_weights = _bounded(features.bounded, parameters)
    scores = fitted + (bounded * bounded_weights).sum(axis=1)
    gate_values = gate_features(features, fitted, stranger_score(features, fitted, parameters))
    gate_weights = -parameters.gate_matrix[features.kinds[int(fitted.argmax())]]
    parts = [("candidates", logsumexp(fitted), 1.0)]
    parts += zip(GATE, gate_values.tolist(), gate_weights.tolist(), strict=True)
    parts.append(("mood", penalty, parameters.mood))
    outside = sum(value * weight for _, value, weight in parts)
    everything = np.append(scores, outside)
    confidences = np.exp(everything - logsumexp(everything))[:-1]
    ones = np.ones((len(scores), 1))
    kind_weights = rank_weights(features, parameters)
    return Scores(
        values=np.hstack([features.fitted, ones, bounded]),
        weights=np.hstack([kind_weights, bounded_weights]),
        scores=scores,
        confidences=confidences,
        outside=outside,
        outside_parts=tuple(parts),
    )


def fitted_scores(features: Features, parameters: Parameters) -> FloatMatrix:
    """Return float64[n]: the fitted columns and the constant of each kind, weighed."""
    weights = rank_weights(features, parameters)
    scores: FloatMatrix = (features.fitted * weights[:, :-1]).sum(axis=1) + weights[:, -1]
    return scores


def rank_weights(features: Features, parameters: Parameters) -> FloatMatrix:
    """Return float64[n, len(RANK)]: each candidate's row of weights, for a message of this length."""
    factors = length_factors(parameters.length_vector[features.kinds], features.words)
    weights: FloatMatrix = parameters.rank_matrix[features.kinds] * factors[:, None]
    return weights


def length_factors(slopes: FloatMatrix, words: int) -> FloatMatrix:
    """Return 1 + slope x ln((words + 1) / 9), within 0.4 and 2.5: likeness of a longer message is better evidence.

    Without it, confidences about real skills were 8 points too high for three words and 9 too low for thirty.
    """
    factors: FloatMatrix = np.clip(1.0 + slopes * np.log((words + 1) / USUAL_WORDS), *FACTOR_BOUNDS)
    return factors


def stranger_score(features: Features, fitted: FloatMatrix, parameters: Parameters) -> float:
    """Return the fitted score of a skill like the best candidate that has nothing in common with the message."""
    best = int(fitted.argmax())
    weights = rank_weights(features, parameters)[best]
    has = features.fitted[best, _LIKENESSES] != 0
    return float(weights[-1] + STRANGER_COSINE * weights[:-1][_LIKENESSES][has].sum())


def gate_features(features: Features, fitted: FloatMatrix, stranger: float) -> FloatMatrix:
    """Return float64[len(GATE)]: what speaks for "one of these is meant".

    A constant, the best candidate's fitted columns, its share of the softmax and its lead over the second (both as
    logarithms), the highest cosine of any candidate and the mean of the ten highest (is this the library's subject at
    all?), the head's level, the sizes of library and message. Where there are fewer than ten candidates, strangers
    stand in for the others: a lone skill that has nothing to do with the message leads nobody.
    """
    best = int(fitted.argmax())
    strangers = max(CROWD - len(fitted), 0)
    others = np.append(np.delete(fitted, best), np.full(strangers, stranger))
    share = float(fitted[best]) - logsumexp(np.append(others, fitted[best]))
    lead = min(float(fitted[best] - others.max()), LEAD_MAX)
    cosines = np.append(features.fitted[:, _COSINES].max(axis=1), np.full(strangers, STRANGER_COSINE))
    nearest = np.sort(cosines)[::-1][:CROWD]
    sizes = (np.log1p(features.size), np.log1p(features.words))
    return np.array([1.0, *features.fitted[best], share, lead, nearest[0], nearest.mean(), features.level, *sizes])


_LIKENESSES = [FITTED.index(n) for n in ("nearestExample", "topExamples", "name", "description", "bodyBest", "bodyTop")]
_COSINES = [FITTED.index(name) for name in ("nearestExample", "name", "description", "bodyBest")]


def _bounded(values: FloatMatrix, parameters: Parameters) -> tuple[FloatMatrix, FloatMatrix]:
    """Return the bounded columns and their weights, those of the context shrunk to keep their sum in bounds."""
    weights = np.tile(parameters.bounded_vector, (len(values), 1))
    total = np.abs((values * weights)[:, _CONTEXT_COLUMNS].sum(axis=1))
    shrink = np.minimum(1.0, parameters.context_bound / np.maximum(total, 1e-12))
    weights[:, _CONTEXT_COLUMNS] *= shrink[:, None]
    return values, weights


def logsumexp(values: FloatMatrix) -> float:
    """Return ln of the sum of exponentials."""
    highest = float(values.max())
    return highest + float(np.log(np.exp(values - highest).sum()))
