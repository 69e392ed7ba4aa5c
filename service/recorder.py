"""Writes records of resolutions off the hot path: redacted, in batches, never in the way of an answer."""

from __future__ import annotations

import logging
import queue
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

from wellworn.store.resolutions import ResolutionRow

_log = logging.getLogger(__name__)
_MOST_WAITING = 10_000
_LARGEST_BATCH = 500
_STOP = object()


class Recorder:
    """One background thread that hands batches to `write`.

    A record can be read back at once: `pending` answers until it is written. When the queue is full, or writing fails,
    records are dropped and counted; a message never waits or fails for its record.
    """

    def __init__(self, write: Callable[[Sequence[ResolutionRow]], None]) -> None:
        self._write = write
        self._queue: queue.Queue[object] = queue.Queue(_MOST_WAITING)
        self._pending: OrderedDict[str, ResolutionRow] = OrderedDict()
        self._lock = threading.Lock()
        self.dropped = 0
        self._thread = threading.Thread(target=self._run, name="wellworn-recorder", daemon=True)
        self._thread.start()

    def __len__(self) -> int:
        return len(self._pending)

    def add(self, record: ResolutionRow) -> None:
        """Queue a record; returns at once."""
        with self._lock:
            self._pending[record.id] = record
        try:
            self._queue.put_nowait(record)
        except queue.Full:
            self._forget([record], lost=True)

    def pending(self, resolution_id: str) -> ResolutionRow | None:
        """Return a record that is not written yet."""
        with self._lock:
            return self._pending.get(resolution_id)

    def flush(self) -> None:
        """Wait until everything that was added before is written (or dropped)."""
        done = threading.Event()
        self._queue.put(done)
        done.wait()

    def close(self) -> None:
        """Write what is waiting, then end the thread."""
        if self._thread.is_alive():
            self._queue.put(_STOP)
            self._thread.join()

    def _run(self) -> None:
        stopping = False
        while not stopping:
            records, events, stopping = self._take()
            if records:
                self._store(records)
            for event in events:
                event.set()

    def _take(self) -> tuple[list[ResolutionRow], list[threading.Event], bool]:
        records: list[ResolutionRow] = []
        events: list[threading.Event] = []
        item = self._queue.get()
        while True:
            if item is _STOP:
                return records, events, True
            if isinstance(item, threading.Event):
                events.append(item)
            elif isinstance(item, ResolutionRow):
                records.append(item)
            if len(records) >= _LARGEST_BATCH:
                return records, events, False
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return records, events, False

    def _store(self, records: list[ResolutionRow]) -> None:
        try:
            self._write(records)
        except Exception:  # noqa: BLE001  the edge of a background thread: a failed record must not end it
            _log.exception("%d records of resolutions could not be written", len(records))
            self._forget(records, lost=True)
        else:
            self._forget(records, lost=False)

    def _forget(self, records: Sequence[ResolutionRow], *, lost: bool) -> None:
        with self._lock:
            for record in records:
                self._pending.pop(record.id, None)
            self.dropped += len(records) if lost else 0
