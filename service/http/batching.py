"""Questions to answers on worker threads: whoever is free encodes what waits in one call.

The event loop only queues and delivers. A question that comes alone is encoded alone, at once; under load the
waiting ones share a call. Threads of BLAS and OpenMP are pinned per worker: the workers are the parallelism.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Thread
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from wellworn.models.access import Caller
from wellworn.models.errors import Unavailable, WellwornError
from wellworn.models.resolution import IntentResolution, ResolveRequest
from wellworn.service.http.intake import Intake
from wellworn.service.metrics import Counters

if TYPE_CHECKING:
    from wellworn.index.encoder import Encoder, FloatArray
    from wellworn.service.workspace import Question, Workspace

log = logging.getLogger("wellworn.http")

QUESTIONS_PER_TIME_LIMIT = 100  # a batch gets the time limit once for each started hundred of its questions
LOOK_AFTER = 0.25  # seconds after which we watch whether the client is still there


class Busy(Unavailable):
    """More questions wait than can be answered in time."""

    code = "busy"


class TookTooLong(Unavailable):
    """The time limit of a request passed."""

    code = "took-too-long"


class ClientGone(Unavailable):
    """The client closed the connection before the answer was there."""

    code = "client-gone"


T = TypeVar("T")
Gone = Callable[[], Coroutine[Any, Any, None]]


@dataclass(slots=True, eq=False)
class _Item:
    request: ResolveRequest
    caller: Caller
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[IntentResolution]
    question: Question | None = None

    @property
    def abandoned(self) -> bool:
        return self.future.done()

    def deliver(self, result: IntentResolution | Exception) -> None:
        try:
            self.loop.call_soon_threadsafe(_settle, self.future, result)
        except RuntimeError:  # the loop closed while we worked: the server is stopping and nobody waits
            log.debug("an answer came after the server had stopped")


def _settle(future: asyncio.Future[IntentResolution], result: IntentResolution | Exception) -> None:
    if future.done():
        return
    if isinstance(result, Exception):
        future.set_exception(result)
    else:
        future.set_result(result)


class ResolveBatcher:
    """Starts its threads when made; `close` ends them. `seconds`: the time limit of a request."""

    def __init__(
        self, workspace: Workspace, *, workers: int, seconds: float, counters: Counters, limit: int = 1000
    ) -> None:
        self._workspace = workspace
        self._seconds = seconds
        self._counters = counters
        self._intake: Intake[_Item] = Intake(workers=workers, limit=limit)
        self._preparers = ThreadPoolExecutor(1, thread_name_prefix="wellworn-batch")
        self._threads = [
            Thread(target=self._work, name=f"wellworn-resolve-{number}", daemon=True) for number in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def waiting(self) -> int:
        """How many questions wait for a worker."""
        return len(self._intake)

    async def ask(self, request: ResolveRequest, caller: Caller, gone: Gone | None = None) -> IntentResolution:
        """Answer one question. `gone` returns when the client has left.

        Raises what the workspace raises, Busy when too many wait, TookTooLong after the time limit, ClientGone.
        """
        item = self._item(request, caller)
        if not self._intake.put(item):
            raise self._busy()
        return await _in_time(item.future, self._seconds, gone, "question")

    async def ask_many(
        self,
        requests: Sequence[ResolveRequest],
        caller: Caller,
        gone: Gone | None = None,
    ) -> list[IntentResolution]:
        """Answer all, in order, or raise what went wrong with the first that failed, its field as `requests[n]...`.

        All are prepared before the first is answered, so that a batch with a mistake leaves nothing behind.
        """
        items = [self._item(request, caller) for request in requests]
        await asyncio.get_running_loop().run_in_executor(self._preparers, self._prepare_all, items)
        if not self._intake.put_bulk(items):
            raise self._busy()
        limit = self._seconds * -(-len(items) // QUESTIONS_PER_TIME_LIMIT)
        together = asyncio.gather(*(item.future for item in items))
        together.add_done_callback(lambda done: done.cancelled() or done.exception())  # when nobody waits any more
        return await _in_time(together, limit, gone, "batch")

    def close(self) -> None:
        """Refuse what waits and let the threads end; returns within about a second."""
        for item in self._intake.close():
            item.deliver(Unavailable("The service is stopping.", hint="Ask again when it is back."))
        self._preparers.shutdown(wait=False, cancel_futures=True)
        for thread in self._threads:
            thread.join(timeout=1.0)

    def _item(self, request: ResolveRequest, caller: Caller) -> _Item:
        loop = asyncio.get_running_loop()
        return _Item(request, caller, loop, loop.create_future())

    def _busy(self) -> Busy:
        self._counters.count("wellworn_refused_total", reason="busy")
        return Busy("Too many questions are waiting already.", hint="Ask again in a second.")

    def _prepare_all(self, items: list[_Item]) -> None:
        for number, item in enumerate(items):
            try:
                item.question = self._workspace.prepare(item.request, item.caller)
            except WellwornError as error:
                error.field = f"requests[{number}]" + (f".{error.field}" if error.field else "")
                raise

    def _work(self) -> None:
        from threadpoolctl import threadpool_limits  # noqa: PLC0415  walks the loaded libraries, so not at import

        threadpool_limits(1)
        while items := self._intake.take():
            self._answer_together(items)

    def _answer_together(self, items: list[_Item]) -> None:
        asked = [(item, question) for item in items if (question := self._prepared(item)) is not None]
        # While the index changes to another encoder, two questions may need different ones.
        for encoder in {id(question.encoder): question.encoder for _, question in asked}.values():
            self._answer_with(encoder, [pair for pair in asked if pair[1].encoder is encoder])

    def _answer_with(self, encoder: Encoder, asked: list[tuple[_Item, Question]]) -> None:
        texts = [text for _, question in asked for text in question.texts]
        try:
            vectors = self._encode(encoder, texts)
        except Exception as error:  # noqa: BLE001  whatever the encoder raised belongs to a question, not to the thread
            self._blame(asked, error)
            return
        start = 0
        for item, question in asked:
            stop = start + len(question.texts)
            self._answer(item, question, vectors[start:stop])
            start = stop

    def _prepared(self, item: _Item) -> Question | None:
        if item.abandoned:
            self._counters.count("wellworn_abandoned_total")
            return None
        try:
            if item.question is None:
                item.question = self._workspace.prepare(item.request, item.caller)
            return item.question
        except Exception as error:  # noqa: BLE001  one question's failure is delivered to the one who asked it
            item.deliver(error)
            return None

    def _encode(self, encoder: Encoder, texts: list[str]) -> FloatArray:
        if not texts:
            return np.zeros((0, encoder.dim), dtype=np.float32)
        begun = perf_counter()
        vectors = encoder.encode(texts)
        self._counters.observe("wellworn_encode_batch_size", len(texts))
        self._counters.observe("wellworn_encode_seconds", perf_counter() - begun)
        return vectors

    def _blame(self, asked: list[tuple[_Item, Question]], error: Exception) -> None:
        """The call failed for all: alone, each is encoded again, so that only the one at fault fails."""
        if len(asked) == 1:
            asked[0][0].deliver(error)
            return
        for item, _ in asked:
            self._answer_together([item])

    def _answer(self, item: _Item, question: Question, vectors: FloatArray) -> None:
        try:
            answer = self._workspace.answer(question, vectors)
        except Exception as error:  # noqa: BLE001  as above: the thread goes on with the next question
            item.deliver(error)
            return
        self._counters.count("wellworn_decisions_total", decision=answer.decision.value)
        item.deliver(answer)


async def _in_time(future: asyncio.Future[T], seconds: float, gone: Gone | None, what: str) -> T:
    """Wait for `future` at most `seconds`, and no longer than the client does; cancelled on every other way out."""
    try:
        if (await asyncio.wait({future}, timeout=min(LOOK_AFTER, seconds)))[0]:
            return future.result()
        await _wait_longer(future, seconds - LOOK_AFTER, gone)
        if future.done():
            return future.result()
    finally:
        future.cancel()
    raise TookTooLong(f"The {what} could not be answered within its time limit.", hint="Ask again, or ask for less.")


async def _wait_longer(future: asyncio.Future[T], seconds: float, gone: Gone | None) -> None:
    if seconds <= 0:
        return
    watch = None if gone is None else asyncio.ensure_future(gone())
    try:
        both: set[asyncio.Future[Any]] = {future} if watch is None else {future, watch}
        await asyncio.wait(both, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if watch is not None and watch.done() and not future.done():
            raise ClientGone("The client left before the answer was there.")
    finally:
        if watch is not None:
            watch.cancel()
