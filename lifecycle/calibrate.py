"""Refitting the confidences on labelled feedback: two numbers, and only when they do better on messages held out.

The model is the fitted one with a scale on all scores and a shift of the outside score (see `resolver.calibration`):
temperature scaling (Guo et al. 2017) with an intercept, as Platt's has, for "none of these". The log loss is convex in
both, so a few Newton steps find its minimum. All pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wellworn.resolver.calibration import NEUTRAL, logsumexp, softmax_with_outside
from wellworn.resolver.evaluation.metrics import expected_calibration_error

ENOUGH = 30
"""Fewer labelled messages say too little about two numbers."""
HELD_OUT = 0.3
_PRIOR = np.array([4.0, 0.25])
"""Inverse variances about (1, 0): few messages move the numbers little."""
_STEPS = 50
_SMALLEST_SCALE = 0.05

Pair = tuple[float, float]
"""(scale, outside shift)"""


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """One labelled message. scores: float64[n], n >= 1, of its candidates; outside: the outside option's score.

    meant: which candidate was meant; None when none of them was.
    """

    scores: NDArray[np.float64]
    outside: float
    meant: int | None


@dataclass(frozen=True, slots=True)
class Refit:
    """What was fitted (on all messages) and how the same fit on the older ones did on the `held_out` newer ones."""

    scale: float
    outside_shift: float
    held_out: int
    log_loss_before: float
    log_loss_after: float
    ece_before: float
    ece_after: float

    @property
    def better(self) -> bool:
        return self.log_loss_after < self.log_loss_before


def refit(judgements: Sequence[Judgement]) -> Refit:
    """Fit on the older 70 % of messages in order of time, compare on the rest, and fit again on all of them."""
    split = len(judgements) - max(1, round(HELD_OUT * len(judgements)))
    older, newer = judgements[:split], judgements[split:]
    tried = fit(older)
    scale, shift = fit(judgements)
    return Refit(
        scale=scale,
        outside_shift=shift,
        held_out=len(newer),
        log_loss_before=log_loss(newer, NEUTRAL),
        log_loss_after=log_loss(newer, tried),
        ece_before=calibration_error(newer, NEUTRAL),
        ece_after=calibration_error(newer, tried),
    )


def fit(judgements: Sequence[Judgement]) -> Pair:
    """Return the (scale, outside shift) of the least penalised log loss, by damped Newton steps."""
    now = np.array(NEUTRAL)
    for _ in range(_STEPS):
        gradient, hessian = _derivatives(judgements, now)
        step = np.linalg.solve(hessian, gradient)
        before, length = _objective(judgements, now), 1.0
        while length > 1e-6 and _objective(judgements, _bounded(now - length * step)) > before:
            length /= 2
        moved = _bounded(now - length * step)
        if np.abs(moved - now).max() < 1e-9:
            break
        now = moved
    return float(now[0]), float(now[1])


def log_loss(judgements: Sequence[Judgement], pair: Pair) -> float:
    """Return the mean of -ln(probability of what was meant), in nats."""
    return sum(_loss(one, pair) for one in judgements) / len(judgements)


def calibration_error(judgements: Sequence[Judgement], pair: Pair) -> float:
    """Return the expected calibration error of the best candidate's confidence."""
    confidences, hits = [], []
    for one in judgements:
        shares = softmax_with_outside(one.scores * pair[0], one.outside * pair[0] + pair[1])
        best = int(shares.argmax())
        confidences.append(float(shares[best]))
        hits.append(one.meant == best)
    return expected_calibration_error(confidences, hits) or 0.0


def _bounded(pair: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([max(pair[0], _SMALLEST_SCALE), pair[1]])


def _loss(one: Judgement, pair: Pair | NDArray[np.float64]) -> float:
    outside = one.outside * pair[0] + pair[1]
    scores = one.scores * pair[0]
    meant = outside if one.meant is None else float(scores[one.meant])
    return logsumexp(np.append(scores, outside)) - float(meant)


def _objective(judgements: Sequence[Judgement], pair: NDArray[np.float64]) -> float:
    prior = float((_PRIOR * (pair - NEUTRAL) ** 2).sum()) / 2
    return sum(_loss(one, pair) for one in judgements) + prior


def _derivatives(
    judgements: Sequence[Judgement], pair: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of the multinomial logit: expected less observed features, and the features' covariance."""
    gradient, hessian = _PRIOR * (pair - NEUTRAL), np.diag(_PRIOR)
    for one in judgements:
        features = np.zeros((len(one.scores) + 1, 2))
        features[:, 0] = np.append(one.scores, one.outside)
        features[-1, 1] = 1.0
        shares = np.exp(features @ pair - logsumexp(features @ pair))
        mean = shares @ features
        gradient += mean - features[-1 if one.meant is None else one.meant]
        hessian += (features * shares[:, None]).T @ features - np.outer(mean, mean)
    return gradient, hessian
