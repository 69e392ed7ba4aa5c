"""What an encoder is: texts in, unit vectors out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]


@runtime_checkable
class Encoder(Protocol):
    """Turns texts into vectors whose inner product is their cosine similarity.

    name: the specification it was opened by, e.g. `bundled` or `sentence-transformers:all-mpnet-base-v2`.
    dim: the length of a vector.
    fingerprint: hexadecimal digest of model, revision, quantisation and pooling; equal fingerprints mean equal vectors.
    """

    @property
    def name(self) -> str: ...
    @property
    def dim(self) -> int: ...
    @property
    def fingerprint(self) -> str: ...

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Return float32[len(texts), dim] with unit rows (an empty text gives a valid unit row as well).

        Thread-safe. Raises EncoderUnavailable when the model cannot answer.
        """
        ...
