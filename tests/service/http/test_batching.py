from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest
from tests.service.http.fakes import PERSON, POISON, FakeWorkspace, ask

from wellworn.models.errors import EncoderUnavailable, NotFound, Unavailable
from wellworn.models.resolution import IntentResolution
from wellworn.service.http.batching import Busy, ClientGone, ResolveBatcher, TookTooLong
from wellworn.service.metrics import Counters

Ask = Callable[[str], Coroutine[Any, Any, IntentResolution]]


@asynccontextmanager
async def batching(
    *, workers: int = 1, seconds: float = 10.0, limit: int = 1000
) -> AsyncIterator[tuple[ResolveBatcher, FakeWorkspace]]:
    workspace = FakeWorkspace()
    batcher = ResolveBatcher(cast(Any, workspace), workers=workers, seconds=seconds, counters=Counters(), limit=limit)
    try:
        yield batcher, workspace
    finally:
        workspace.encoder.open.set()
        await asyncio.to_thread(batcher.close)


async def hold(batcher: ResolveBatcher, workspace: FakeWorkspace) -> asyncio.Task[IntentResolution]:
    """Occupy the only worker with a question."""
    workspace.encoder.open.clear()
    first = asyncio.ensure_future(batcher.ask(ask("first"), PERSON))
    await asyncio.to_thread(workspace.encoder.entered.acquire)
    return first


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def all_of_it() -> None:
        await test()

    asyncio.run(all_of_it())


def test_a_question_that_comes_alone_is_encoded_alone() -> None:
    async def test() -> None:
        async with batching() as (batcher, workspace):
            answer = await batcher.ask(ask("ship it"), PERSON)
            assert answer.reason == "ship it"
            assert workspace.encoder.calls == [["ship it"]]

    run(test)


def test_questions_that_wait_are_encoded_in_one_call() -> None:
    async def test() -> None:
        async with batching() as (batcher, workspace):
            first = await hold(batcher, workspace)
            waiting = [asyncio.ensure_future(batcher.ask(ask(f"message {n}"), PERSON)) for n in range(5)]
            await asyncio.sleep(0.01)
            workspace.encoder.open.set()
            answers = await asyncio.gather(first, *waiting)
            assert [a.reason for a in answers] == ["first", *(f"message {n}" for n in range(5))]
            assert [len(call) for call in workspace.encoder.calls] == [1, 5]

    run(test)


def test_a_question_without_text_is_answered_beside_others() -> None:
    async def test() -> None:
        async with batching() as (batcher, workspace):
            first = await hold(batcher, workspace)
            both = [asyncio.ensure_future(batcher.ask(ask(text), PERSON)) for text in ("  ", "words")]
            await asyncio.sleep(0.01)
            workspace.encoder.open.set()
            empty, words, _ = await asyncio.gather(*both, first)
            assert empty.confidence == 0.0
            assert words.confidence == pytest.approx(1.0)

    run(test)


@pytest.mark.parametrize(
    ("message", "repo", "error"),
    [("x", "unknown", NotFound), (POISON, None, EncoderUnavailable), ("a mistake of ours", None, ZeroDivisionError)],
)
def test_a_failing_question_fails_alone(message: str, repo: str | None, error: type[Exception]) -> None:
    async def test() -> None:
        async with batching() as (batcher, workspace):
            first = await hold(batcher, workspace)
            good = [asyncio.ensure_future(batcher.ask(ask(f"good {n}"), PERSON)) for n in range(3)]
            bad = asyncio.ensure_future(batcher.ask(ask(message, repo=repo), PERSON))
            await asyncio.sleep(0.01)
            workspace.encoder.open.set()
            assert [a.reason for a in await asyncio.gather(*good)] == ["good 0", "good 1", "good 2"]
            with pytest.raises(error):
                await bad
            await first

    run(test)


def test_a_question_that_takes_too_long_is_refused_and_never_encoded() -> None:
    async def test() -> None:
        async with batching(seconds=0.05) as (batcher, workspace):
            first = await hold(batcher, workspace)
            with pytest.raises(TookTooLong):
                await batcher.ask(ask("second"), PERSON)
            workspace.encoder.open.set()
            with pytest.raises(TookTooLong):
                await first
            await asyncio.to_thread(batcher.close)
            assert ["second"] not in workspace.encoder.calls

    run(test)


def test_nobody_works_for_a_client_that_has_left() -> None:
    async def left() -> None:
        await asyncio.sleep(0.01)

    async def test() -> None:
        async with batching() as (batcher, workspace):
            first = await hold(batcher, workspace)
            with pytest.raises(ClientGone):
                await batcher.ask(ask("second"), PERSON, left)
            workspace.encoder.open.set()
            await first
            await batcher.ask(ask("third"), PERSON)
            assert workspace.encoder.calls == [["first"], ["third"]]

    run(test)


def test_more_questions_than_may_wait_are_refused_at_once() -> None:
    async def test() -> None:
        async with batching(limit=2) as (batcher, workspace):
            first = await hold(batcher, workspace)
            waiting = [asyncio.ensure_future(batcher.ask(ask(f"{n}"), PERSON)) for n in range(2)]
            await asyncio.sleep(0.01)
            with pytest.raises(Busy):
                await batcher.ask(ask("one too many"), PERSON)
            workspace.encoder.open.set()
            await asyncio.gather(first, *waiting)

    run(test)


def test_a_batch_is_answered_in_order() -> None:
    async def test() -> None:
        async with batching(workers=2) as (batcher, _):
            answers = await batcher.ask_many([ask(f"message {n}") for n in range(100)], PERSON)
            assert [a.reason for a in answers] == [f"message {n}" for n in range(100)]

    run(test)


def test_a_single_question_overtakes_a_batch() -> None:
    async def test() -> None:
        async with batching() as (batcher, workspace):
            first = await hold(batcher, workspace)
            many = asyncio.ensure_future(batcher.ask_many([ask(f"many {n}") for n in range(100)], PERSON))
            await asyncio.sleep(0.05)
            single = asyncio.ensure_future(batcher.ask(ask("single"), PERSON))
            await asyncio.sleep(0.01)
            workspace.encoder.open.set()
            await asyncio.gather(first, single, many)
            assert workspace.encoder.calls[:2] == [["first"], ["single"]]

    run(test)


def test_a_batch_with_a_mistake_names_it_and_encodes_nothing() -> None:
    async def test() -> None:
        async with batching() as (batcher, workspace):
            with pytest.raises(NotFound) as raised:
                await batcher.ask_many([ask("good"), ask("bad", repo="unknown")], PERSON)
            assert raised.value.field == "requests[1].context.repo"
            assert workspace.encoder.calls == []

    run(test)


def test_closing_tells_those_who_wait() -> None:
    async def test() -> None:
        async with batching() as (batcher, workspace):
            first = await hold(batcher, workspace)
            second = asyncio.ensure_future(batcher.ask(ask("second"), PERSON))
            await asyncio.sleep(0.01)
            closing = asyncio.ensure_future(asyncio.to_thread(batcher.close))
            with pytest.raises(Unavailable):
                await second
            workspace.encoder.open.set()
            await closing
            assert (await first).reason == "first"

    run(test)
