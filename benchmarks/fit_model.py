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
from wellworn.resolver.scoring import fitted_scores, gate_features

KINDS = tuple(Kind)
RANK_PENALTY, RANK_APART = 2e-5, 1e-4
GATE_PENALTY, GATE_APART = 1e-4, 1e-3
"""Ridge on the weights that all kinds share, and on what sets one kind apart, per standard deviation of a feature."""


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
    rank = fit_rank([sample for sample in samples if sample.place >= 0])
    parameters = _parameters(name, fingerprint, rank, np.zeros((len(KINDS), len(GATE))), provenance)
    return _parameters(name, fingerprint, rank, fit_gate(samples, parameters), provenance)


def _parameters(
    name: str, fingerprint: str, rank: FloatMatrix, gate: FloatMatrix, provenance: Provenance | None
) -> Parameters:
    return Parameters(
        name=name, fingerprint=fingerprint, rank=_table(rank, RANK), gate=_table(gate, GATE), provenance=provenance,
        **BY_HAND,
    )  # fmt: skip


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


def _with_ridge(
    loss: float, gradient: FloatMatrix, table: FloatMatrix, shared: float, apart: float
) -> tuple[float, Vector]:
    """table[0] is what all kinds share, the others what sets each apart; `gradient` is of the kinds' sums."""
    loss += shared * float((table[0] ** 2).sum()) + apart * float((table[1:] ** 2).sum())
    whole = np.vstack([gradient.sum(axis=0), gradient])
    whole[0] += 2 * shared * table[0]
    whole[1:] += 2 * apart * table[1:]
    return loss, whole.ravel()


def fit_rank(samples: Sequence[Sample]) -> FloatMatrix:
    """Return float64[kinds, len(RANK)]: maximise the mean log-probability of what was meant among its candidates."""
    sizes = np.array([len(sample.features.kinds) for sample in samples])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    meant = starts + np.array([sample.place for sample in samples])
    weight = np.array([sample.weight for sample in samples])
    weight /= weight.sum()
    fitted = np.concatenate([sample.features.fitted for sample in samples])
    kinds = np.concatenate([sample.features.kinds for sample in samples])
    grouped, spread = _by_kind(np.hstack([fitted, np.ones((len(fitted), 1))]), kinds)

    def objective(flat: Vector) -> tuple[float, Vector]:
        table: FloatMatrix = flat.astype(np.float64, copy=False).reshape(1 + len(KINDS), len(RANK))
        scores = grouped.products(table[0] + table[1:])
        scores -= np.repeat(np.maximum.reduceat(scores, starts), sizes)
        odds = np.exp(scores)
        shares = odds / np.repeat(np.add.reduceat(odds, starts), sizes)
        loss = -float(weight @ np.log(shares[meant] + 1e-12))
        slopes = shares * np.repeat(weight, sizes)
        slopes[meant] -= weight
        return _with_ridge(loss, grouped.gradient(slopes), table, RANK_PENALTY, RANK_APART)

    flat = minimise(objective, np.zeros((1 + len(KINDS)) * len(RANK)), rounds=400, tolerance=1e-6)
    table = flat.reshape(1 + len(KINDS), len(RANK))
    result: FloatMatrix = (table[0] + table[1:]) / spread
    return result


def fit_gate(samples: Sequence[Sample], ranked: Parameters) -> FloatMatrix:
    """Return float64[kinds, len(GATE)]: a logistic regression of "the one meant is among the candidates"."""
    scores = [fitted_scores(sample.features, ranked) for sample in samples]
    rows = np.stack([gate_features(sample.features, one) for sample, one in zip(samples, scores, strict=True)])
    kinds = np.array([sample.features.kinds[int(one.argmax())] for sample, one in zip(samples, scores, strict=True)])
    meant = np.array([1.0 if sample.place >= 0 else 0.0 for sample in samples])
    weight = np.array([sample.weight for sample in samples])
    weight /= weight.sum()
    grouped, spread = _by_kind(rows, kinds)

    def objective(flat: Vector) -> tuple[float, Vector]:
        table: FloatMatrix = flat.astype(np.float64, copy=False).reshape(1 + len(KINDS), len(GATE))
        odds = grouped.products(table[0] + table[1:])
        loss = float(weight @ (np.logaddexp(0.0, odds) - meant * odds))
        slopes = weight * (1.0 / (1.0 + np.exp(-odds)) - meant)
        return _with_ridge(loss, grouped.gradient(slopes), table, GATE_PENALTY, GATE_APART)

    flat = minimise(objective, np.zeros((1 + len(KINDS)) * len(GATE)), rounds=400, tolerance=1e-6)
    table = flat.reshape(1 + len(KINDS), len(GATE))
    result: FloatMatrix = (table[0] + table[1:]) / spread
    return result
