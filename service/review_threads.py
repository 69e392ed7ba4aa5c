"""The threads that reviews run in: few, and replaced where one of them does not come back by its deadline."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

WORKERS, WAITING = 2, 64
"""Reviews that run at the same time, and those that may wait for them; there is no place for more."""
MOST_LOST = 6
"""So many threads may be away beyond their deadlines at the same time, each replaced by another."""
_STOP_SECONDS = 2.0

Job = TypeVar("Job")
Watch = Callable[[float], None]
"""Sets the deadline of the job at hand, in seconds from now."""


class ReviewThreads(Generic[Job]):
    """Every method may be called from any thread. Threads are begun with the first job.

    work: does a job, and raises nothing. late: told of a job, and of its seconds, at its deadline. refused: told of a
    job that was taken and that nobody will do, since no thread comes back.
    """

    def __init__(
        self,
        work: Callable[[Job, Watch], None],
        late: Callable[[Job, float], None],
        refused: Callable[[Job], None],
    ) -> None:
        self._work, self._late, self._refused = work, late, refused
        self._waiting: queue.Queue[Job | None] = queue.Queue(WAITING)
        self._lock = threading.Lock()
        self._running: set[Job] = set()
        self._threads: list[threading.Thread] = []
        self._lost = self._stuck = self._begun = 0
        self._closed = False

    @property
    def has_place(self) -> bool:
        """Whether a job that is added now would most likely be taken."""
        return not (self._closed or self._stuck >= WORKERS or self._waiting.full())

    def add(self, job: Job) -> bool:
        """Let a job be done; False when there is no place for it."""
        with self._lock:
            if not self.has_place:
                return False
            try:
                while len(self._threads) < WORKERS:
                    self._add_thread()
                self._waiting.put_nowait(job)
            except (queue.Full, RuntimeError):  # the latter where the system gives no more threads
                return False
        return True

    def close(self) -> list[Job]:
        """Take no more; return the jobs that wait or run, which nobody will end but the caller."""
        with self._lock:
            self._closed = True
            return [*self._running, *self._drained()]

    def join(self) -> None:
        """Wait a moment for the threads, after `close`."""
        with self._lock:
            threads = list(self._threads)
        for _ in threads:
            with suppress(queue.Full):
                self._waiting.put_nowait(None)
        until = time.monotonic() + _STOP_SECONDS
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _drained(self) -> list[Job]:
        found: list[Job] = []
        with suppress(queue.Empty):
            while True:
                job = self._waiting.get_nowait()
                if job is not None:
                    found.append(job)
        return found

    def _add_thread(self) -> None:
        self._begun += 1
        thread = threading.Thread(target=self._loop, name=f"wellworn-review-{self._begun}", daemon=True)
        thread.start()
        self._threads = [*(one for one in self._threads if one.is_alive()), thread]

    def _loop(self) -> None:
        while (job := self._waiting.get()) is not None:
            if self._run(job):
                return  # another thread has taken this one's place

    def _run(self, job: Job) -> bool:
        """Do one job to its end; say whether another thread was put in the place of this one meanwhile."""
        lost, stuck = threading.Event(), threading.Event()
        alarms: list[threading.Timer] = []

        def watch(seconds: float) -> None:
            alarm = threading.Timer(seconds, self._overdue, (job, seconds, lost, stuck))
            alarm.daemon, alarm.name = True, "wellworn-review-deadline"
            alarm.start()
            alarms.append(alarm)

        with self._lock:
            self._running.add(job)
        try:
            self._work(job, watch)
        finally:
            for alarm in alarms:
                alarm.cancel()
            with self._lock:
                self._running.discard(job)
                self._lost -= lost.is_set()
                self._stuck -= stuck.is_set()
        return lost.is_set()

    def _overdue(self, job: Job, seconds: float, lost: threading.Event, stuck: threading.Event) -> None:
        """Replace the thread of a job that is late; where too many are away already, leave nobody waiting for them."""
        dropped: list[Job] = []
        with self._lock:
            if job in self._running and not self._closed:
                if self._lost < MOST_LOST and self._replaced():
                    self._lost += 1
                    lost.set()
                else:
                    self._stuck += 1
                    stuck.set()
                    dropped = self._drained() if self._stuck >= WORKERS else []
        for one in dropped:
            self._refused(one)
        self._late(job, seconds)

    def _replaced(self) -> bool:
        try:
            self._add_thread()
        except RuntimeError:  # the system gives no more threads
            return False
        return True
