"""Embedding in batches: whichever thread encodes a batch, its vectors are stored under their own texts."""

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from wellworn.index.embedding import BATCH_TEXTS, Stopped, embed_missing
from wellworn.index.encoder import FloatArray
from wellworn.index.encoders.hashing import HashingEncoder
from wellworn.store.vectors import VectorStore, text_hash

TEXTS = {text_hash(text): text for text in (f"text number {n} of many" for n in range(5 * BATCH_TEXTS + 3))}
ENCODER = HashingEncoder(64)


@pytest.mark.parametrize("at_once", [1, 2, 3])
def test_every_text_gets_its_own_vector(tmp_path: Path, at_once: int) -> None:
    counted: list[int] = []
    with VectorStore(tmp_path, ENCODER.fingerprint, ENCODER.dim) as vectors:
        done = embed_missing(ENCODER, vectors, TEXTS, threading.Event(), counted.append, at_once=at_once)
        stored = vectors.get_many(list(TEXTS))
    assert done == sum(counted) == len(TEXTS)
    np.testing.assert_allclose([stored[one] for one in TEXTS], ENCODER.encode(list(TEXTS.values())), atol=1e-6)


def test_what_was_embedded_before_a_stop_is_kept(tmp_path: Path) -> None:
    stop = threading.Event()
    with VectorStore(tmp_path, ENCODER.fingerprint, ENCODER.dim) as vectors:
        with pytest.raises(Stopped):
            embed_missing(ENCODER, vectors, TEXTS, stop, lambda _: stop.set(), at_once=2)
        assert BATCH_TEXTS <= len(vectors.known()) < len(TEXTS)


def test_a_failing_encoder_is_told_and_earlier_batches_are_kept(tmp_path: Path) -> None:
    class Failing(HashingEncoder):
        def encode(self, texts: Sequence[str]) -> FloatArray:
            if len(texts) < BATCH_TEXTS:
                raise RuntimeError("the last batch fails")
            return super().encode(texts)

    with VectorStore(tmp_path, ENCODER.fingerprint, ENCODER.dim) as vectors:
        with pytest.raises(RuntimeError, match="last batch"):
            embed_missing(Failing(64), vectors, TEXTS, threading.Event(), lambda _: None, at_once=2)
        assert len(vectors.known()) == 5 * BATCH_TEXTS
