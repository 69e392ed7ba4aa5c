"""Questions, what was answered earlier, and what people say of it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from litestar import Request, delete, get, post
from litestar.di import NamedDependency
from litestar.enums import RequestEncodingType
from litestar.openapi.spec import Example
from litestar.params import Body, FromPath, JSONBody, QueryParameter

from wellworn.models.access import Caller, Role
from wellworn.models.resolution import (
    BatchAnswer,
    FeedbackAnswer,
    FeedbackRequest,
    IntentResolution,
    RecordedResolution,
    ResolveBatch,
    ResolveRequest,
    TaughtUtterance,
)
from wellworn.service.http.auth import needs
from wellworn.service.http.body import JsonBody
from wellworn.service.http.openapi import errors
from wellworn.service.http.problems import TooManyRequests
from wellworn.service.http.query import only
from wellworn.service.http.running import Here, Running

QUESTION = Body(
    media_type=RequestEncodingType.JSON,
    examples=[
        Example(
            summary="A message with some context",
            value={
                "message": "work this PR until the reviewers are happy",
                "context": {"branch": "fix-login", "openPr": {"number": 12, "reviewState": "changes_requested"}},
                "topK": 3,
            },
        )
    ],
)
VERDICT = Body(
    media_type=RequestEncodingType.JSON,
    examples=[
        Example(
            summary="Another skill was meant",
            value={"resolutionId": "01J9Z3T6Q4W8X2Y5R7N1M0K9HB", "verdict": "should_be", "skillId": "release-local"},
        )
    ],
)


@post(
    "/resolve",
    status_code=200,
    dto=JsonBody[ResolveRequest],
    return_dto=None,
    guards=[needs(Role.agent)],
    summary="Which skill does a message mean?",
    responses=errors(400, 404, 413, 415),
    tags=["resolve"],
)
async def resolve(
    data: Annotated[ResolveRequest, QUESTION],
    request: Request[Caller, Any, Any],
) -> IntentResolution:
    """Answer with the skill that is meant and the measured probability of that, or with `matched: false`.

    `decision` says what to do. A repository (`context.repo`) that is not known is an error, not a guess; one that is
    given only by `context.cwd` is found from the folder.
    """
    running: Running = request.app.state.running  # not injected: that would be a twentieth of the framework's time
    return await running.batcher.ask(data, request.user, client_gone(request))


@post(
    "/resolve/batch",
    status_code=200,
    dto=JsonBody[ResolveBatch],
    return_dto=None,
    guards=[needs(Role.agent)],
    summary="The same for up to 1000 messages",
    responses=errors(400, 404, 413, 415),
    tags=["resolve"],
)
async def resolve_batch(
    data: JSONBody[ResolveBatch],
    request: Request[Caller, Any, Any],
    here: NamedDependency[Here],
) -> BatchAnswer:
    """Answer all, in order, or none: a mistake in one (`field` says `requests[n]...`) is the whole batch's.

    The time limit counts for each started hundred. Single questions of others go first.
    """
    return BatchAnswer(
        resolutions=await here.running.batcher.ask_many(data.requests, here.caller, client_gone(request))
    )


@get(
    "/resolutions/{resolution_id:str}",
    guards=[needs(Role.agent)],
    summary="What was asked and answered earlier",
    responses=errors(400, 404),
    tags=["resolve"],
)
async def resolution(resolution_id: FromPath[str], here: NamedDependency[Here]) -> RecordedResolution:
    """The record of one of the caller's own resolutions, redacted. It is written a moment after the answer, unless
    recording is switched off, and kept for a set number of days."""
    return await here.running.call(here.running.workspace.resolution, resolution_id, here.caller)


@post(
    "/feedback",
    status_code=200,
    dto=JsonBody[FeedbackRequest],
    return_dto=None,
    guards=[needs(Role.agent)],
    summary="Was the resolution right?",
    responses=errors(400, 404, 413, 415),
    tags=["feedback"],
)
async def feedback(data: Annotated[FeedbackRequest, VERDICT], here: NamedDependency[Here]) -> FeedbackAnswer:
    """Record a person's verdict on a resolution; `taught` lists what was learned from it, each removable by its id."""
    if here.caller.key_id is not None and not here.running.feedback_allowance.take(here.caller.key_id):
        raise TooManyRequests("This key gives feedback faster than people can.", hint="Send it again later.")
    return await here.running.call(here.running.workspace.feedback, data, here.caller)


@delete(
    "/taught/{taught_id:str}",
    status_code=200,
    guards=[needs(Role.reviewer)],
    summary="Forget one learned utterance",
    responses=errors(400, 404),
    tags=["feedback"],
)
async def forget(taught_id: FromPath[str], here: NamedDependency[Here]) -> TaughtUtterance:
    """Remove something that a feedback taught; the answer is what was removed."""
    return await here.running.call(here.running.workspace.forget, taught_id, here.caller)


KeyId = Annotated[
    str, QueryParameter(name="keyId", min_length=1, max_length=64, description="Its id; `local`: who needs no key.")
]


@get(
    "/taught",
    guards=[needs(Role.reviewer), only("keyId")],
    summary="What one key's feedback taught",
    responses=errors(400),
    tags=["feedback"],
)
async def taught_by_key(key_id: KeyId, here: NamedDependency[Here]) -> list[TaughtUtterance]:
    """Everything in force that came of a key's verdicts, of any skill that the caller sees, oldest first."""
    return await here.running.call(here.running.workspace.taught_by_key, key_id, here.caller)


@delete(
    "/taught",
    status_code=200,
    guards=[needs(Role.reviewer), only("keyId")],
    summary="Forget all that one key's feedback taught",
    responses=errors(400),
    tags=["feedback"],
)
async def forget_key(key_id: KeyId, here: NamedDependency[Here]) -> list[TaughtUtterance]:
    """Remove all of it at once or, on an error, nothing; the answer is what was removed."""
    return await here.running.call(here.running.workspace.forget_key, key_id, here.caller)


def client_gone(request: Request[Any, Any, Any]) -> Callable[[], Coroutine[Any, Any, None]]:
    """Return a function that waits until the client closes its connection (the body has been read by then)."""

    async def wait() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    return wait
