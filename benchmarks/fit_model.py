"""Fitting the two parts of the conditional logit to measured episodes: convex problems, solved with L-BFGS."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.fit_episodes import Episode
from wellworn.resolver.features import Features, FloatMatrix, Kind
from wellworn.resolver.minimise import Vector, minimise
from wellworn.resolver.parameters import BY_HAND, GATE, RANK, Parameters, Provenance
from wellworn.resolver.scoring import FACTOR_BOUNDS, USUAL_WORDS, fitted_scores, gate_features, stranger_score

KINDS = tuple(Kind)
RANK_PENALTY, GATE_PENALTY = 2e-5, 1e-4
"""Ridge on each weight, per standard deviation of its feature. Kinds share nothing: a pull towards common weights
cost a point of accuracy where there is a head."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One message of the fit. place: of the candidate that is meant, or negative. weight: of its loss."""

    features: Features
    place: int
    weight: float


def samples_of(episodes: Sequence[Episode], shares: Mapping[str, float]) -> list[Sample]:
    """Weigh messages so that each source counts as its share says, whatever number of messages it has."""
    counts = Counter(episode.source for episode in episodes for _ in episode.messages)
    wanted = {source: shares.get(source, 1.0) for source in counts}
    scale = sum(counts.values()) / sum(wanted.values())
    return [
        Sample(features, place, wanted[episode.source] * scale / counts[episode.source])
        for episode in episodes
        for features, place in episode.messages
    ]


def fit(samples: Sequence[Sample], name: str, fingerprint: str, provenance: Provenance | None = None) -> Parameters:
    """Fit ranking and gate."""
    rank, length = fit_rank([sample for sample in samples if sample.place >= 0])
    slopes = {kind.name: round(float(slope), 5) for kind, slope in zip(KINDS, length, strict=True)}
    shut = np.zeros((len(KINDS), len(GATE)))
    ranked = Parameters(
        name=name, fingerprint=fingerprint, rank=_table(rank, RANK), gate=_table(shut, GATE), length=slopes,
        provenance=provenance, **BY_HAND,
    )  # fmt: skip
    return ranked.model_copy(update={"gate": _table(fit_gate(samples, ranked), GATE)})


def _table(matrix: FloatMatrix, names: Sequence[str]) -> dict[str, dict[str, float]]:
    rows = (dict(zip(names, np.round(row, 5).tolist(), strict=True)) for row in matrix)
    return {kind.name: row for kind, row in zip(KINDS, rows, strict=True)}


@dataclass(frozen=True, slots=True, eq=False)
class _ByKind:
    """Rows of features, standardised and grouped by kind: rows[kind] are at places[kind] of all."""

    rows: list[FloatMatrix]
    places: list[NDArray[np.int64]]
    total: int

    def products(self, weights: FloatMatrix) -> FloatMatrix:
        result = np.empty(self.total)
        for kind, (rows, places) in enumerate(zip(self.rows, self.places, strict=True)):
            result[places] = rows @ weights[kind]
        return result

    def gradient(self, slopes: FloatMatrix) -> FloatMatrix:
        pairs = zip(self.rows, self.places, strict=True)
        return np.stack([slopes[places] @ rows for rows, places in pairs])


def _by_kind(rows: FloatMatrix, kinds: NDArray[np.int64]) -> tuple[_ByKind, FloatMatrix]:
    spread = rows.std(axis=0)
    spread[spread < 1e-3] = 1.0
    rows = rows / spread
    places = [np.flatnonzero(kinds == kind) for kind in KINDS]
    return _ByKind([rows[at] for at in places], places, len(rows)), spread


def fit_rank(samples: Sequence[Sample]) -> tuple[FloatMatrix, FloatMatrix]:
    """Return weights float64[kinds, len(RANK)] and slopes of the length float64[kinds].

    They maximise the mean log-probability of what was meant among its candidates.
    """
    sizes = np.array([len(sample.features.kinds) for sample in samples])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    meant = starts + np.array([sample.place for sample in samples])
    weight = np.array([sample.weight for sample in samples])
    weight /= weight.sum()
    fitted = np.concatenate([sample.features.fitted for sample in samples])
    kinds = np.concatenate([sample.features.kinds for sample in samples])
    grouped, spread = _by_kind(np.hstack([fitted, np.ones((len(fitted), 1))]), kinds)

    lengths = np.repeat(np.log((np.array([s.features.words for s in samples]) + 1) / USUAL_WORDS), sizes)
    shape = (len(KINDS), len(RANK))

    def objective(flat: Vector) -> tuple[float, Vector]:
        table: FloatMatrix = flat[len(KINDS) :].astype(np.float64, copy=False).reshape(shape)
        factors = np.clip(1.0 + flat[kinds] * lengths, *FACTOR_BOUNDS)
        plain = grouped.products(table)
        scores = plain * factors
        scores -= np.repeat(np.maximum.reduceat(scores, starts), sizes)
        odds = np.exp(scores)
        shares = odds / np.repeat(np.add.reduceat(odds, starts), sizes)
        loss = -float(weight @ np.log(shares[meant] + 1e-12))
        slopes = shares * np.repeat(weight, sizes)
        slopes[meant] -= weight
        by_length = np.bincount(kinds, weights=slopes * plain * lengths, minlength=len(KINDS))
        gradient = np.concatenate([by_length, grouped.gradient(slopes * factors).ravel()])
        return loss + RANK_PENALTY * float(flat @ flat), gradient + 2 * RANK_PENALTY * flat

    flat = minimise(objective, np.zeros(len(KINDS) + shape[0] * shape[1]), rounds=400, tolerance=1e-6)
    table = flat[len(KINDS) :].astype(np.float64, copy=False).reshape(shape)
    return table / spread, flat[: len(KINDS)].astype(np.float64, copy=False)


def fit_gate(samples: Sequence[Sample], ranked: Parameters) -> FloatMatrix:
    """Return float64[kinds, len(GATE)]: a logistic regression of "the one meant is among the candidates"."""
    scores = [fitted_scores(sample.features, ranked) for sample in samples]
    pairs = [(sample.features, one) for sample, one in zip(samples, scores, strict=True)]
    rows = np.stack([gate_features(*pair, stranger_score(*pair, ranked)) for pair in pairs])
    kinds = np.array([sample.features.kinds[int(one.argmax())] for sample, one in zip(samples, scores, strict=True)])
    meant = np.array([1.0 if sample.place >= 0 else 0.0 for sample in samples])
    weight = np.array([sample.weight for sample in samples])
    weight /= weight.sum()
    grouped, spread = _by_kind(rows, kinds)

    def objective(flat: Vector) -> tuple[float, Vector]:
        table: FloatMatrix = flat.astype(np.float64, copy=False).reshape(len(KINDS), len(GATE))
        odds = grouped.products(table)
        loss = float(weight @ (np.logaddexp(0.0, odds) - meant * odds))
        slopes = weight * (1.0 / (1.0 + np.exp(-odds)) - meant)
        return loss + GATE_PENALTY * float(flat @ flat), grouped.gradient(slopes).ravel() + 2 * GATE_PENALTY * flat

    flat = minimise(objective, np.zeros(len(KINDS) * len(GATE)), rounds=400, tolerance=1e-6)
    return flat.astype(np.float64, copy=False).reshape(len(KINDS), len(GATE)) / spread
