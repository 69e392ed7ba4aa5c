"""Reindexing as a job: one at a time, in its own thread, watched by polling or by server-sent events."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock, Thread
from typing import Any, Literal

from wellworn.models.errors import Conflict, NotFound, Unavailable, WellwornError
from wellworn.models.ids import new_id
from wellworn.models.reports import Progress, ReindexReport, ShowProgress
from wellworn.models.wire import Wire
from wellworn.service.http.problems import Internal, Problem, problem_of

log = logging.getLogger("wellworn.http")

KEPT_JOBS = 20
EVENT_EVERY = 0.1  # seconds between two looks of an event stream
START_LOOKS, START_LOOK = 20, 0.01  # in these 0.2 s a job that cannot start at all has said so

ReindexCall = Callable[[ShowProgress], ReindexReport]


class JobView(Wire):
    """A reindexing job. `done` of `total` counts within `stage`; `report` is there when it is done."""

    id: str
    state: Literal["running", "done", "failed"]
    stage: str = ""
    done: int = 0
    total: int = 0
    note: str = ""
    started_at: datetime
    finished_at: datetime | None = None
    report: ReindexReport | None = None
    problem: Problem | None = None


@dataclass(slots=True)
class _Job:
    view: JobView
    error: WellwornError | None = None


class Jobs:
    """Keeps the last 20 jobs of this process."""

    def __init__(self, reindex: ReindexCall, stopping: Callable[[], bool]) -> None:
        self._reindex = reindex
        self._stopping = stopping
        self._lock = Lock()
        self._jobs: dict[str, _Job] = {}

    async def start(self) -> JobView:
        """Begin one. Raises Conflict while one is running here, and whatever it fails with in its first moments."""
        with self._lock:
            if any(job.view.state == "running" for job in self._jobs.values()):
                raise Conflict(
                    "A reindex is running already.", hint="Wait for it, or watch it at /admin/reindex/{job}."
                )
            job = _Job(JobView(id=new_id(), state="running", started_at=datetime.now(UTC)))
            self._jobs[job.view.id] = job
            while len(self._jobs) > KEPT_JOBS:
                del self._jobs[next(iter(self._jobs))]
        Thread(target=self._run, args=(job,), name="wellworn-reindex", daemon=True).start()
        for _ in range(START_LOOKS):
            if job.view.state == "running":
                await asyncio.sleep(START_LOOK)
        if job.error is not None:
            raise job.error
        return job.view

    def get(self, job_id: str) -> JobView:
        """Return how far it is; raises NotFound."""
        job = self._jobs.get(job_id)
        if job is None:
            raise NotFound("There is no such job.", hint="Jobs are forgotten when the service restarts.")
        return job.view

    async def events(self, job_id: str) -> AsyncIterator[dict[str, str]]:
        """Yield server-sent events: `progress` at every change, and at last `done` or `failed`."""
        seen: JobView | None = None
        while True:
            view = self.get(job_id)
            if view is not seen:
                seen = view
                name = "progress" if view.state == "running" else view.state
                yield {"event": name, "data": view.model_dump_json(by_alias=True)}
            if view.state != "running":
                return
            await asyncio.sleep(EVENT_EVERY)

    def _run(self, job: _Job) -> None:
        def progress(at: Progress) -> None:
            if self._stopping():
                raise Unavailable("The service is stopping.", hint="What is done is kept; reindex again.")
            update = {"stage": at.stage, "done": at.done, "total": at.total, "note": at.note}
            job.view = job.view.model_copy(update=update)

        try:
            report = self._reindex(progress)
        except WellwornError as error:
            job.error = error
        except Exception:  # an own thread has no other edge; the job says that it failed
            log.exception("the reindex failed")
            job.error = Internal("The reindex failed by our mistake.", hint="The service's log says more.")
        else:
            self._finish(job, "done", report=report)
            return
        self._finish(job, "failed", problem=problem_of(job.error))

    @staticmethod
    def _finish(job: _Job, state: str, **found: Any) -> None:
        job.view = job.view.model_copy(update={"state": state, "finished_at": datetime.now(UTC), **found})
