"""A hand-written workspace that can be held, made to fail and looked into."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from wellworn.index.encoder import FloatArray
from wellworn.index.encoders.hashing import HashingEncoder
from wellworn.models.access import LOCAL_PERSON, Caller
from wellworn.models.errors import EncoderUnavailable, NotFound
from wellworn.models.ids import new_id
from wellworn.models.reports import Health, ReindexReport
from wellworn.models.resolution import Context, Decision, IntentResolution, ResolveRequest

POISON = "the encoder chokes on this"


class HeldEncoder(HashingEncoder):
    """Writes down every call; waits while `open` is cleared; fails for a call that holds POISON."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[list[str]] = []
        self.open = threading.Event()
        self.open.set()
        self.entered = threading.Semaphore(0)

    def encode(self, texts: Sequence[str]) -> FloatArray:
        self.calls.append(list(texts))
        self.entered.release()
        assert self.open.wait(20)
        if POISON in texts:
            raise EncoderUnavailable("The encoder cannot read this.")
        return super().encode(texts)


@dataclass(frozen=True)
class FakeQuestion:
    request: ResolveRequest
    texts: tuple[str, ...]
    encoder: HeldEncoder


REPORT = ReindexReport(generation=1, skills=3, utterances=9, embedded=2, reused=7, seconds=0.1)


class FakeWorkspace:
    """Echoes the message as the reason, and the vector's length as the confidence (always 1 when it is a unit row)."""

    recorder_waiting = 0

    def __init__(self, keys: Any = None) -> None:
        self.encoder = HeldEncoder()
        self.keys = keys
        self.closed = False
        self.reindexing: Callable[[Callable[[Any], None]], Any] = lambda progress: REPORT

    def has_keys(self) -> bool:
        return self.keys is not None and self.keys.any_active()

    def prepare(self, request: ResolveRequest, caller: Caller) -> FakeQuestion:
        if request.context.repo == "unknown":
            raise NotFound("There is no such repository.", field="context.repo")
        return FakeQuestion(request, (request.message,) if request.message.strip() else (), self.encoder)

    def answer(self, question: FakeQuestion, vectors: FloatArray) -> IntentResolution:
        if question.request.message == "a mistake of ours":
            raise ZeroDivisionError
        assert len(vectors) == len(question.texts)
        return IntentResolution(
            resolution_id=new_id(),
            matched=False,
            confidence=min(1.0, float((vectors**2).sum())),
            decision=Decision.none,
            reason=question.request.message,
            generation=1,
        )

    def reindex(self, progress: Callable[[Any], None]) -> Any:
        return self.reindexing(progress)

    def health(self) -> Health:
        return Health(status="ok", version="0", encoder="hashing", skills=3, vectors=9, generation=1)

    def close(self) -> None:
        self.closed = True


def ask(message: str, *, repo: str | None = None) -> ResolveRequest:
    return ResolveRequest(message=message, context=Context(repo=repo))


PERSON = LOCAL_PERSON
