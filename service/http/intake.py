"""The queue in front of the workers: single questions first, slices of batches between them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from threading import Condition
from time import monotonic
from typing import Generic, Protocol, TypeVar

MAX_TOGETHER = 16  # questions encoded in one call; more only makes the first of them wait longer
BULK_SLICE = 8  # so that a single question behind a slice waits for eight encodings at most
BULK_PATIENCE = 0.25  # seconds after which a slice goes before the singles, so that these cannot starve it


class Waiting(Protocol):
    """Something in the queue."""

    @property
    def abandoned(self) -> bool:
        """True when nobody waits for the answer any more."""
        ...


W = TypeVar("W", bound=Waiting)


@dataclass(slots=True)
class Intake(Generic[W]):
    """Thread-safe. `workers`: how many threads take from it; each takes its fair share of what waits.

    limit: how many single questions may wait; bulk_limit: how many of batches.
    """

    workers: int
    limit: int = 1000
    bulk_limit: int = 4000
    _singles: deque[W] = field(default_factory=deque)
    _bulk: deque[W] = field(default_factory=deque)
    _bulk_since: float = 0.0
    _closed: bool = False
    _changed: Condition = field(default_factory=Condition)

    def put(self, item: W) -> bool:
        """Queue one question; False when too many wait, or after `close`."""
        with self._changed:
            if self._closed or len(self._singles) >= self.limit:
                return False
            self._singles.append(item)
            self._changed.notify()
            return True

    def put_bulk(self, items: list[W]) -> bool:
        """Queue the questions of one batch, all or none."""
        with self._changed:
            if self._closed or len(self._bulk) + len(items) > self.bulk_limit:
                return False
            if not self._bulk:
                self._bulk_since = monotonic()
            self._bulk.extend(items)
            self._changed.notify_all()
            return True

    def take(self) -> list[W]:
        """Wait for questions and return those to be encoded together; an empty list means: closed."""
        with self._changed:
            while True:
                if self._closed:
                    return []
                if self._bulk and (not self._singles or monotonic() - self._bulk_since > BULK_PATIENCE):
                    self._bulk_since = monotonic()
                    return _first(self._bulk, BULK_SLICE)
                if self._singles:
                    share = -(-len(self._singles) // self.workers)
                    return _first(self._singles, min(MAX_TOGETHER, share))
                self._changed.wait()

    def close(self) -> list[W]:
        """Let every worker end; return what still waited."""
        with self._changed:
            self._closed = True
            left = [*self._singles, *self._bulk]
            self._singles.clear()
            self._bulk.clear()
            self._changed.notify_all()
            return left

    def __len__(self) -> int:
        return len(self._singles) + len(self._bulk)


def _first(queue: deque[W], count: int) -> list[W]:
    return [queue.popleft() for _ in range(min(count, len(queue)))]
