"""Token buckets: how often something may happen, in constant time and bounded memory."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

MAX_NAMES = 10_000


class Buckets:
    """One bucket a name. `size`: how much at once; `per_second`: how fast it fills again. For one thread."""

    def __init__(self, size: float, per_second: float, clock: Callable[[], float] = monotonic) -> None:
        self._size = size
        self._per_second = per_second
        self._clock = clock
        self._levels: dict[str, tuple[float, float]] = {}

    def take(self, name: str) -> bool:
        """Take one token; False when the bucket is empty."""
        now = self._clock()
        level, then = self._levels.get(name, (self._size, now))
        level = min(self._size, level + (now - then) * self._per_second)
        if len(self._levels) >= MAX_NAMES and name not in self._levels:
            self._levels.clear()  # forgetting is safe: it only allows a little more for a moment
        allowed = level >= 1.0
        self._levels[name] = (level - 1.0 if allowed else level, now)
        return allowed
