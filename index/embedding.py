"""Embedding of the texts whose vectors are not stored yet: by one process at a time, in batches that are each kept."""

from __future__ import annotations

import fcntl
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from wellworn.index.encoder import Encoder, FloatArray
from wellworn.models.errors import Unavailable
from wellworn.store.vectors import VectorStore

BATCH_TEXTS = 256
_WAIT_SECONDS = 0.1

T = TypeVar("T")
R = TypeVar("R")
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
    encoder: Encoder,
    vectors: VectorStore,
    texts: Mapping[bytes, str],
    stop: threading.Event,
    done: Embedded,
    *,
    at_once: int = 1,
) -> int:
    """Embed and store those of `texts` (by hash) that are not stored; return how many were.

    Texts of similar length go together, since a batch costs what its longest text costs. Each batch is stored when it
    is ready, so a killed process loses what was in hand: `at_once` batches, encoded side by side. Raises
    EncoderUnavailable, StoreError, Stopped.
    """
    if not texts:
        return 0
    with embedding_turn(vectors, stop):
        stored = vectors.get_many(list(texts))  # another process may have had the turn before
        wanted = sorted((digest for digest in texts if digest not in stored), key=lambda digest: len(texts[digest]))
        del stored
        batches = [wanted[start : start + BATCH_TEXTS] for start in range(0, len(wanted), BATCH_TEXTS)]

        def encoded(batch: Sequence[bytes]) -> FloatArray:
            if stop.is_set():
                raise Stopped("The index is being closed.")
            return encoder.encode([texts[digest] for digest in batch])

        for batch, rows in zip(batches, _side_by_side(encoded, batches, at_once), strict=True):
            vectors.put_many(batch, rows)
            done(len(batch))
    return len(wanted)


def _side_by_side(work: Callable[[T], R], items: Sequence[T], at_once: int) -> Iterator[R]:
    """Yield the result of each item in order; `at_once` threads work, and little more than that is ever in hand."""
    if at_once == 1 or len(items) < 2:
        yield from map(work, items)
        return
    with ThreadPoolExecutor(at_once, thread_name_prefix="wellworn-embed") as pool:
        waiting: deque[Future[R]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > at_once:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for one in waiting:
                one.cancel()
