"""Writes records of resolutions off the hot path: redacted, in batches, never in the way of an answer."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import islice

from wellworn.store.resolutions import ResolutionRow

_log = logging.getLogger(__name__)
_MOST_WAITING = 10_000
_LARGEST_BATCH = 500


class Recorder:
    """One background thread that hands batches to `write`, a few times a second.

    A record can be read back at once: `pending` answers until it is written. When too many wait, or writing fails,
    records are dropped and counted; a message never waits or fails for its record. Adding wakes nobody: a thread that
    is woken for every message takes the interpreter from the one that answers.
    """

    def __init__(self, write: Callable[[Sequence[ResolutionRow]], None], *, every_seconds: float = 0.1) -> None:
        self._write = write
        self._every = every_seconds
        self._pending: OrderedDict[str, ResolutionRow] = OrderedDict()
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._stop = threading.Event()
        self.dropped = 0
        self._thread = threading.Thread(target=self._run, name="wellworn-recorder", daemon=True)
        self._thread.start()

    def __len__(self) -> int:
        return len(self._pending)

    def add(self, record: ResolutionRow) -> None:
        """Keep a record for the next batch; returns at once."""
        with self._lock:
            if len(self._pending) >= _MOST_WAITING:
                self.dropped += 1
            else:
                self._pending[record.id] = record

    def pending(self, resolution_id: str) -> ResolutionRow | None:
        """Return a record that is not written yet."""
        with self._lock:
            return self._pending.get(resolution_id)

    def flush(self) -> None:
        """Write everything that was added before (or drop what cannot be written); returns when that is done."""
        with self._writing:
            while batch := self._batch():
                self._store(batch)

    def close(self) -> None:
        """Write what is waiting, then end the thread; closing twice is fine."""
        self._stop.set()
        self._thread.join()
        self.flush()

    def _run(self) -> None:
        while not self._stop.wait(self._every):
            self.flush()

    def _batch(self) -> list[ResolutionRow]:
        with self._lock:
            return list(islice(self._pending.values(), _LARGEST_BATCH))

    def _store(self, records: Sequence[ResolutionRow]) -> None:
        lost = 0
        try:
            self._write(records)
        except Exception:  # noqa: BLE001  the edge of a background thread: a failed record must not end it
            _log.exception("%d records of resolutions could not be written", len(records))
            lost = len(records)
        with self._lock:
            self.dropped += lost
            for record in records:
                self._pending.pop(record.id, None)
