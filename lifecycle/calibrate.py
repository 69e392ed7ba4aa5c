"""Refitting the confidences on labelled feedback: two numbers, and only when they do better on messages held out.

The model is the fitted one with a scale on all scores and a shift of the outside score (see `resolver.calibration`):
temperature scaling (Guo et al. 2017) with an intercept, as Platt's has, for "none of these". The log loss is convex in
both, so a few Newton steps find its minimum. All pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wellworn.resolver.calibration import NEUTRAL, softmax_with_outside
from wellworn.resolver.evaluation.metrics import expected_calibration_error

ENOUGH = 30
"""Fewer labelled messages say too little about two numbers."""
HELD_OUT = 0.3
_PRIOR = np.array([4.0, 0.25])
"""Inverse variances about (1, 0): few messages move the numbers little."""
_STEPS = 50
_SHORTEST = 1e-6
_SCALES = (0.25, 4.0)
_SHIFTS = (-3.0, 3.0)
"""Whatever the feedback says, what was measured on public data is corrected by a factor of four and e^3 at most."""

Pair = tuple[float, float]
"""(scale, outside shift)"""


@dataclass(frozen=True, slots=True)
class Label:
    """Whose word a labelled message is. key_id: None for the local person; person: local, a reviewer or an admin."""

    key_id: str | None
    person: bool
    text: str


def chosen(labels: Sequence[Label]) -> list[int]:
    """Return the places of the labels to fit on, in their order (oldest first).

    Only persons are heard: what an agent passed on teaches within its bounds and can be taken back, while two numbers
    that change every confidence could not. Of a text that one key labelled several times the last word counts. No key
    has more messages (its newest) than all others together, or `ENOUGH` where they have fewer.
    """
    last = {(label.key_id, label.text): place for place, label in enumerate(labels) if label.person}
    places = sorted(last.values())
    counts = Counter(labels[place].key_id for place in places)
    kept: list[int] = []
    taken: Counter[str | None] = Counter()
    for place in reversed(places):
        key = labels[place].key_id
        if len(counts) == 1 or taken[key] < max(ENOUGH, len(places) - counts[key]):
            taken[key] += 1
            kept.append(place)
    return kept[::-1]


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
    table, now = _table(judgements), np.array(NEUTRAL)
    before = _objective(table, now)
    for _ in range(_STEPS):
        gradient, hessian = _derivatives(table, now)
        step, length = np.linalg.solve(hessian, gradient), 1.0
        while length > _SHORTEST and _objective(table, _bounded(now - length * step)) > before:
            length /= 2
        moved = _bounded(now - length * step)
        after = _objective(table, moved)
        if after >= before:
            break
        now, before = moved, after
    return float(now[0]), float(now[1])


def log_loss(judgements: Sequence[Judgement], pair: Pair) -> float:
    """Return the mean of -ln(probability of what was meant), in nats."""
    return float(_losses(_table(judgements), np.array(pair)).mean())


def calibration_error(judgements: Sequence[Judgement], pair: Pair) -> float:
    """Return the expected calibration error of the best candidate's confidence."""
    confidences, hits = [], []
    for one in judgements:
        shares = softmax_with_outside(one.scores * pair[0], one.outside * pair[0] + pair[1])
        best = int(shares.argmax())
        confidences.append(float(shares[best]))
        hits.append(one.meant == best)
    return expected_calibration_error(confidences, hits) or 0.0


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """n messages, at most m candidates each. scores: float64[n, m + 1], the outside's last; there: what is not padding.

    meant: int64[n], the column that was meant.
    """

    scores: NDArray[np.float64]
    there: NDArray[np.bool_]
    meant: NDArray[np.int64]


def _table(judgements: Sequence[Judgement]) -> _Table:
    widest = max(len(one.scores) for one in judgements)
    scores = np.zeros((len(judgements), widest + 1))
    there = np.zeros(scores.shape, dtype=np.bool_)
    for row, one in enumerate(judgements):
        scores[row, : len(one.scores)], scores[row, -1] = one.scores, one.outside
        there[row, : len(one.scores)] = there[row, -1] = True
    meant = np.array([widest if one.meant is None else one.meant for one in judgements], dtype=np.int64)
    return _Table(scores, there, meant)


def _bounded(pair: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([np.clip(pair[0], *_SCALES), np.clip(pair[1], *_SHIFTS)])


def _log_shares(table: _Table, pair: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return float64[n, m + 1]: ln of each probability, -inf for padding."""
    moved = table.scores * pair[0]
    moved[:, -1] += pair[1]
    moved[~table.there] = -np.inf
    moved -= moved.max(axis=1, keepdims=True)
    shares: NDArray[np.float64] = moved - np.log(np.exp(moved).sum(axis=1, keepdims=True))
    return shares


def _losses(table: _Table, pair: NDArray[np.float64]) -> NDArray[np.float64]:
    losses: NDArray[np.float64] = -_log_shares(table, pair)[np.arange(len(table.meant)), table.meant]
    return losses


def _objective(table: _Table, pair: NDArray[np.float64]) -> float:
    return float(_losses(table, pair).sum() + (_PRIOR * (pair - NEUTRAL) ** 2).sum() / 2)


def _derivatives(table: _Table, pair: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of the multinomial logit, whose features are (score, is it the outside?): expected less observed features, and
    the features' covariance."""
    shares = np.exp(_log_shares(table, pair))
    outside = shares[:, -1]
    mean = (shares * table.scores).sum(axis=1)
    observed = table.scores[np.arange(len(mean)), table.meant]
    gradient = np.array([(mean - observed).sum(), (outside - (table.meant == shares.shape[1] - 1)).sum()])
    both = (outside * (table.scores[:, -1] - mean)).sum()
    of_score = ((shares * table.scores**2).sum(axis=1) - mean**2).sum()
    hessian = np.array([[of_score, both], [both, (outside * (1 - outside)).sum()]])
    return gradient + _PRIOR * (pair - NEUTRAL), hessian + np.diag(_PRIOR)
