"""What one running service holds: opened in a thread, so that `/healthz` answers from the first moment on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from secrets import token_hex
from threading import Lock, Thread
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from wellworn.models.access import Caller
from wellworn.models.errors import Unavailable, WellwornError
from wellworn.models.reports import Progress, ShowProgress
from wellworn.service.http.auth import Doorkeeper
from wellworn.service.http.batching import ResolveBatcher, TookTooLong
from wellworn.service.http.buckets import Buckets
from wellworn.service.http.jobs import Jobs
from wellworn.service.http.problems import Internal
from wellworn.service.metrics import Counters
from wellworn.service.settings import Settings

if TYPE_CHECKING:
    from wellworn.service.workspace import Workspace

log = logging.getLogger("wellworn.http")

LONG_SECONDS = 120.0
CALL_THREADS = 4  # for everything but resolving: short reads and writes of the store
MODEL_THREADS = 8  # for what may ask a model, and then mostly waits for it
FEEDBACK_AT_ONCE, FEEDBACK_PER_SECOND = 120.0, 2.0  # per key: no agent can flood what is learned

P = ParamSpec("P")
R = TypeVar("R")
Opener = Callable[[ShowProgress], "Workspace"]


class Starting(Unavailable):
    """The library is still being opened."""

    code = "starting"


class Running:
    """Made with the app, `start`ed and `stop`ped by its lifespan.

    open_workspace: called once, in a thread, with a progress callback.
    opened: told when that ended, with the error when it failed; called on that thread.
    token: a secret that stands for the local person (empty: none does).
    """

    def __init__(
        self,
        settings: Settings,
        open_workspace: Opener,
        *,
        token: str = "",
        opened: Callable[[WellwornError | None], None] | None = None,
    ) -> None:
        self.settings = settings
        self.counters = Counters()
        self.instance = token_hex(8)
        self.doorkeeper = Doorkeeper(settings, token)
        self.feedback_allowance = Buckets(FEEDBACK_AT_ONCE, FEEDBACK_PER_SECOND)
        self.failure: WellwornError | None = None
        self.stage = ""
        self._open_workspace = open_workspace
        self._opened = opened
        self._lock = Lock()
        self._stopped = False
        self._parts: tuple[Workspace, ResolveBatcher, Jobs] | None = None
        self._pool = ThreadPoolExecutor(CALL_THREADS, thread_name_prefix="wellworn-call")
        self._long = ThreadPoolExecutor(1, thread_name_prefix="wellworn-long")
        self._model = ThreadPoolExecutor(MODEL_THREADS, thread_name_prefix="wellworn-model")

    @property
    def workspace(self) -> Workspace:
        """Raises Starting until it is open."""
        return self._open_parts()[0]

    @property
    def batcher(self) -> ResolveBatcher:
        """Raises Starting until the workspace is open."""
        return self._open_parts()[1]

    @property
    def jobs(self) -> Jobs:
        """Raises Starting until the workspace is open."""
        return self._open_parts()[2]

    async def call(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run one of the workspace's methods on a thread, at most for the time limit of a request."""
        loop = asyncio.get_running_loop()
        future = loop.run_in_executor(self._pool, partial(function, *args, **kwargs))
        if (await asyncio.wait({future}, timeout=self.settings.request_seconds))[0]:
            return future.result()
        future.cancel()
        raise TookTooLong("This could not be answered within the time limit.", hint="Look whether it was done, later.")

    async def call_long(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run something that may take a minute: one at a time, in a thread of its own, within two minutes in all."""
        return await self._within(self._long, partial(function, *args, **kwargs))

    async def call_model(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run something that may ask a model, beside others that do; within two minutes in all."""
        return await self._within(self._model, partial(function, *args, **kwargs))

    async def _within(self, pool: ThreadPoolExecutor, function: Callable[[], R]) -> R:
        future = asyncio.get_running_loop().run_in_executor(pool, function)
        if (await asyncio.wait({future}, timeout=LONG_SECONDS))[0]:
            return future.result()
        future.cancel()
        raise TookTooLong("This took longer than two minutes.", hint="It goes on; ask again in a while.")

    def gauges(self) -> dict[str, float]:
        """Read what /metrics shows beside the counters; ready is 0 until the workspace is open."""
        parts = self._parts
        if parts is None:
            return {"wellworn_ready": 0.0}
        health = parts[0].health()
        return {
            "wellworn_ready": 1.0,
            "wellworn_waiting": float(parts[1].waiting),
            "wellworn_skills": float(health.skills),
            "wellworn_vectors": float(health.vectors),
            "wellworn_index_generation": float(health.generation),
            "wellworn_recorder_waiting": float(parts[0].recorder_waiting),
        }

    def start(self) -> None:
        """Begin to open the workspace."""
        Thread(target=self._open, name="wellworn-open", daemon=True).start()

    def stop(self) -> None:
        """Close what is open, or will be by the thread that still opens it."""
        with self._lock:
            self._stopped = True
            parts, self._parts = self._parts, None
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._long.shutdown(wait=False, cancel_futures=True)
        self._model.shutdown(wait=False, cancel_futures=True)
        self.doorkeeper.close()
        if parts is not None:
            _close(parts[0], parts[1])

    def _open_parts(self) -> tuple[Workspace, ResolveBatcher, Jobs]:
        parts = self._parts
        if parts is None:
            raise self.failure or Starting(
                "The library is still being opened" + (f" ({self.stage})." if self.stage else "."),
                hint="Ask again in a second; /readyz says when it is.",
            )
        return parts

    def _open(self) -> None:
        try:
            workspace = self._open_workspace(self._progress)
        except WellwornError as error:
            if self._stopped:  # then it is our own `_progress` that ended the opening
                return
            self.failure = error
        except Exception:  # the thread's edge: the service must say that it will not become ready
            log.exception("the library could not be opened")
            self.failure = Internal("The library could not be opened by our mistake.", hint="The log says more.")
        else:
            self._adopt(workspace)
        if self._opened is not None:
            self._opened(self.failure)

    def _adopt(self, workspace: Workspace) -> None:
        settings = self.settings
        batcher = ResolveBatcher(
            workspace, workers=settings.workers, seconds=settings.request_seconds, counters=self.counters
        )
        with self._lock:
            if not self._stopped:
                self._parts = (workspace, batcher, Jobs(workspace.reindex, lambda: self._stopped))
                return
        _close(workspace, batcher)

    def _progress(self, at: Progress) -> None:
        if self._stopped:
            raise Unavailable("The service is stopping.", hint="What is done is kept; start it again.")
        self.stage = f"{at.stage} {at.done} of {at.total}" if at.total else str(at.stage)


@dataclass(frozen=True, slots=True)
class Here:
    """What a handler gets: the running service and who asks. One thing, because the framework resolves several
    dependencies of one request in a task group, at a tenth of a millisecond."""

    running: Running
    caller: Caller


def _close(workspace: Workspace, batcher: ResolveBatcher) -> None:
    batcher.close()
    workspace.close()
