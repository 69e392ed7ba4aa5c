"""Embedding of the texts whose vectors are not stored yet: by one process at a time, in batches that are each kept."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from wellworn.index.encoder import Encoder
from wellworn.models.errors import Unavailable
from wellworn.store.vectors import VectorStore

BATCH_TEXTS = 256
_WAIT_SECONDS = 0.1

Embedded = Callable[[int], None]
"""Told after each stored batch: how many texts it had."""


class Stopped(Unavailable):
    """The index is being closed; what was embedded so far is kept."""

    code = "stopping"


@contextmanager
def embedding_turn(vectors: VectorStore, stop: threading.Event) -> Iterator[None]:
    """Hold the turn to embed for this encoder among all processes of the data folder; a killed process loses it.

    Raises Stopped when `stop` is set while waiting.
    """
    descriptor = os.open(_turn_file(vectors.path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        while not _try_lock(descriptor):
            if stop.wait(_WAIT_SECONDS):
                raise Stopped("The index is being closed.")
        yield
    finally:
        os.close(descriptor)


def _turn_file(path: Path) -> Path:
    return path.with_suffix(".turn")


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def embed_missing(
    encoder: Encoder, vectors: VectorStore, texts: Mapping[bytes, str], stop: threading.Event, done: Embedded
) -> int:
    """Embed and store those of `texts` (by hash) that are not stored; return how many were.

    Texts of similar length go together, since a batch costs what its longest text costs. Each batch is stored at once,
    so a killed process loses one batch. Raises EncoderUnavailable, StoreError, Stopped.
    """
    if not texts:
        return 0
    with embedding_turn(vectors, stop):
        stored = vectors.get_many(list(texts))  # another process may have had the turn before
        wanted = sorted((digest for digest in texts if digest not in stored), key=lambda digest: len(texts[digest]))
        del stored
        for start in range(0, len(wanted), BATCH_TEXTS):
            if stop.is_set():
                raise Stopped("The index is being closed.")
            batch = wanted[start : start + BATCH_TEXTS]
            vectors.put_many(batch, encoder.encode([texts[digest] for digest in batch]))
            done(len(batch))
    return len(wanted)
