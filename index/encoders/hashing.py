"""A tiny deterministic encoder for tests and demonstrations: hashed words and character trigrams, no model.

Texts that share words or parts of words come out similar; meaning it does not know.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from wellworn.index.encoder import FloatArray
from wellworn.models.errors import InvalidInput

DEFAULT_DIM = 256
MIN_DIM, MAX_DIM = 8, 65_536

_WORD = re.compile(r"\w+")
_MAX_CHARS = 4_096
_MIX = 0x9E37_79B1  # 2^32 over the golden ratio: spreads the CRCs of similar features (Knuth)
_TRIGRAM_WEIGHT = 0.4  # a word has about as many trigrams as letters; together they should not drown it


class HashingEncoder:
    """Signed feature hashing (Weinberger et al. 2009) of words and of character trigrams within words.

    Not for production: synonyms are unrelated to it. Stable across processes, machines and Python versions.
    """

    def __init__(self, dim: int = DEFAULT_DIM) -> None:
        """Raise InvalidInput unless 8 <= dim <= 65,536."""
        if not MIN_DIM <= dim <= MAX_DIM:
            raise InvalidInput(
                f"The hashing encoder cannot have {dim} dimensions.", hint=f"Give {MIN_DIM} to {MAX_DIM}."
            )
        self._dim = dim
        self._fingerprint = hashlib.sha256(f"hashing-1:{dim}".encode()).hexdigest()

    @property
    def name(self) -> str:
        return "hashing" if self._dim == DEFAULT_DIM else f"hashing:{self._dim}"

    @property
    def dim(self) -> int:
        return self._dim

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Return float32[len(texts), dim] with unit rows; only the first 4,096 characters of a text count."""
        rows = np.zeros((len(texts), self._dim), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            self._add_features(row, text)
        rows[~rows.any(axis=1), 0] = 1.0  # nothing in the text, or features that cancel out
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows

    def _add_features(self, row: FloatArray, text: str) -> None:
        for feature, weight in _features(text[:_MAX_CHARS].casefold()):
            digest = zlib.crc32(feature.encode("utf-8", "surrogatepass")) * _MIX & 0xFFFF_FFFF
            row[(digest >> 8) % self._dim] += weight if digest & 128 else -weight


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in _WORD.findall(text):
        yield f"w{word}", 1.0
        padded = f"^{word}$"
        for start in range(len(padded) - 2):
            yield f"c{padded[start : start + 3]}", _TRIGRAM_WEIGHT
