"""Vectors of context texts, kept between messages: a goal or an open PR is stated with every message of a session."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from wellworn.index.encoder import FloatArray

_KEPT = 4096


class ContextVectors:
    """A bounded memory by (encoder fingerprint, text), least recently used first out. Thread-safe."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._vectors: OrderedDict[tuple[str, str], FloatArray] = OrderedDict()
        self._kept = kept
        self._lock = threading.Lock()

    def unknown(self, fingerprint: str, texts: Sequence[str]) -> tuple[str, ...]:
        """Return those of `texts` that must be encoded, each once."""
        if not texts:
            return ()
        with self._lock:
            return tuple(dict.fromkeys(text for text in texts if (fingerprint, text) not in self._vectors))

    def learn(self, fingerprint: str, texts: Sequence[str], vectors: FloatArray) -> None:
        """Keep vectors: float32[len(texts), dim]."""
        if not texts:
            return
        with self._lock:
            for text, vector in zip(texts, vectors, strict=True):
                self._vectors[fingerprint, text] = vector
            while len(self._vectors) > self._kept:
                self._vectors.popitem(last=False)

    def of(self, fingerprint: str, texts: Sequence[str], dim: int) -> FloatArray:
        """Return float32[n, dim] for those of `texts` that are known, in order.

        Another thread may have pushed a text out since `unknown` was asked; it then counts as not stated.
        """
        rows = []
        with self._lock:
            for text in texts:
                vector = self._vectors.get((fingerprint, text))
                if vector is not None:
                    self._vectors.move_to_end((fingerprint, text))
                    rows.append(vector)
        return np.stack(rows) if rows else np.empty((0, dim), dtype=np.float32)
