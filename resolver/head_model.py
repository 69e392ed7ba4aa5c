"""The trained head: a multinomial logistic regression over the utterances of one library's skills.

It sees an utterance as its vector beside hashed character n-grams, which forgive misspelt words. L2-regularised with
C = 40: on unit vectors C = 1 loses 2 to 4 points, and 10 to 80 differ by 0.2. Training on misspelt or shortened copies
as well cost 0.3 to 1.3 points, on means of pairs it changed nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wellworn.index.encoder import FloatArray
from wellworn.index.lexical import folded
from wellworn.resolver.minimise import Vector, minimise

CHAR_DIM = 512
"""512 hashed dimensions were as good as 4,096 or as exact TF-IDF (within 0.2 points), and fit ten times faster."""
CHAR_WEIGHT = 0.6
CHARS_READ = 400
INVERSE_PENALTY = 40.0
UTTERANCES_A_SKILL = 40
SKILLS_MAX = 2_000
WORK_MAX = 4_000_000
"""Utterances x skills: the time of a fit grows with it (about a second for 200,000, on one core)."""
_SHORTEST, _LONGEST = 2, 5
_WORD = re.compile(r"[^\W_]+")
_SPACE = np.uint32(ord(" "))


def char_features(text: str) -> FloatArray:
    """Return float32[512] of unit length: signed, hashed counts (1 + ln n) of the text's character 2- to 5-grams.

    N-grams know where words begin and end but span no two. Only the first 400 characters are read.
    """
    spaced = f" {' '.join(_WORD.findall(folded(text[:CHARS_READ]).casefold()))} "
    code = np.frombuffer(spaced.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    hashes, counts = np.unique(np.concatenate(list(_grams(code))), return_counts=True)
    signs = np.where(hashes >> np.uint32(31), 1.0, -1.0)
    result = np.bincount(hashes % CHAR_DIM, weights=signs * (1.0 + np.log(counts)), minlength=CHAR_DIM)
    norm = float(np.linalg.norm(result))
    return (result / (norm or 1.0)).astype(np.float32)


def _grams(code: NDArray[np.uint32]) -> list[NDArray[np.uint32]]:
    inner_spaces = np.concatenate([[0], np.cumsum(code == _SPACE)])
    found: list[NDArray[np.uint32]] = []
    mixed = np.zeros(len(code), dtype=np.uint32)
    for n in range(1, _LONGEST + 1):
        count = len(code) - n + 1
        if count <= 0:
            break
        mixed = (mixed[:count] ^ code[n - 1 :]) * np.uint32(0x9E3779B1)
        mixed ^= mixed >> np.uint32(15)
        if n >= _SHORTEST:
            inside = inner_spaces[n - 1 : n - 1 + count] - inner_spaces[1 : 1 + count]
            found.append(mixed[inside == 0])
    return found or [np.empty(0, dtype=np.uint32)]


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """n skills. keys: int64[n], ascending. counts: int64[n], utterances that each was fitted to.

    weights: float32[n, dim + 512]; bias: float32[n].
    """

    keys: NDArray[np.int64]
    counts: NDArray[np.int64]
    weights: FloatArray
    bias: FloatArray

    def logits(self, vector: FloatArray, chars: FloatArray) -> FloatArray:
        """Return float32[n] for a message's unit vector and its `char_features`."""
        dim = len(vector)
        logits: FloatArray = self.weights[:, :dim] @ vector + self.weights[:, dim:] @ (CHAR_WEIGHT * chars) + self.bias
        return logits

    def log_probabilities(self, vector: FloatArray, chars: FloatArray) -> FloatArray:
        """Return float32[n], the log-probability of each skill given that one of them is meant."""
        return log_softmax(self.logits(vector, chars))


def log_softmax(logits: FloatArray) -> FloatArray:
    """Return logits minus the logarithm of the sum of their exponentials."""
    moved = logits - logits.max()
    result: FloatArray = moved - np.log(np.exp(moved).sum())
    return result


def fit_head(vectors: FloatArray, texts: Sequence[str], keys: NDArray[np.int64]) -> Head | None:
    """Fit a head to utterances: unit vectors float32[m, dim], their texts, and the key of the skill each stands for.

    At most 40 utterances of a skill are used, the first ones, and fewer when the library is large. None when it cannot
    pay: fewer than two skills, or too many to fit in reasonable time (2,000).
    """
    classes, labels = np.unique(keys, return_inverse=True)
    if not 2 <= len(classes) <= SKILLS_MAX:
        return None
    room = max(2, min(UTTERANCES_A_SKILL, WORK_MAX // len(classes) ** 2))
    kept = np.flatnonzero(_place_in_class(labels) < room)
    labels = labels[kept]
    chars = np.stack([char_features(texts[at]) for at in kept.tolist()])
    weights, bias = _regress(np.hstack([vectors[kept], CHAR_WEIGHT * chars]), labels, len(classes))
    return Head(classes.astype(np.int64), np.bincount(labels, minlength=len(classes)), weights, bias)


def _place_in_class(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each label how many equal ones come before it."""
    order = np.argsort(labels, kind="stable")
    counts = np.bincount(labels)
    places = np.empty(len(labels), dtype=np.int64)
    places[order] = np.arange(len(labels)) - np.repeat(np.cumsum(counts) - counts, counts)
    return places


def _regress(rows: FloatArray, labels: NDArray[np.int64], classes: int) -> tuple[FloatArray, FloatArray]:
    """Minimise mean cross-entropy + |W|^2 / (2 C m); the bias is not penalised."""
    m, dim = rows.shape
    at = np.arange(m)
    penalty = 1.0 / (INVERSE_PENALTY * m)

    def objective(flat: Vector) -> tuple[float, Vector]:
        both = flat.reshape(classes, dim + 1)
        weights = both[:, :dim]
        scores = rows @ weights.T
        scores += both[:, dim]
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        loss = -float(np.log(scores[at, labels] + 1e-12).mean()) + 0.5 * penalty * float((weights**2).sum())
        scores[at, labels] -= 1.0
        gradient = np.empty_like(both)
        gradient[:, :dim] = scores.T @ rows / m + penalty * weights
        gradient[:, dim] = scores.mean(axis=0)
        return loss, gradient.ravel()

    start = np.zeros(classes * (dim + 1), dtype=np.float32)
    both = minimise(objective, start, rounds=200, tolerance=1e-5).reshape(classes, dim + 1)
    return np.ascontiguousarray(both[:, :dim], dtype=np.float32), both[:, dim].astype(np.float32)
