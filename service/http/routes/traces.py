"""What agents observed."""

from __future__ import annotations

from typing import Annotated

from litestar import get, post
from litestar.di import NamedDependency
from litestar.enums import RequestEncodingType
from litestar.openapi.spec import Example
from litestar.params import Body, FromPath, QueryParameter

from wellworn.models.access import Role
from wellworn.models.trace import TRACE_PAGE_MAX, TraceAnswer, TraceBatch, TraceEvent, TraceKind, TraceList
from wellworn.service.http.auth import needs
from wellworn.service.http.body import JsonBody
from wellworn.service.http.openapi import errors
from wellworn.service.http.query import only
from wellworn.service.http.running import Here
from wellworn.service.traces import read_moment
from wellworn.store.traces import TraceFilter

EVENTS = Body(
    media_type=RequestEncodingType.JSON,
    examples=[
        Example(
            summary="A command that failed",
            value={
                "events": [
                    {
                        "id": "01J9Z3T6Q4W8X2Y5R7N1M0K9HB",
                        "ts": "2026-03-01T09:30:00Z",
                        "sessionId": "fix-login",
                        "kind": "command_run",
                        "summary": "npm test",
                        "success": False,
                        "data": {"command": "npm test", "exitCode": 1, "cwd": "/srv/shop"},
                    }
                ]
            },
        )
    ],
)
Id = Annotated[
    str | None, QueryParameter(name="id", max_length=200, description="With this id, which may also hold a slash.")
]
Session = Annotated[str | None, QueryParameter(name="sessionId", max_length=500, description="Of this session.")]
Repo = Annotated[str | None, QueryParameter(name="repo", max_length=500, description="Its id, root folder or origin.")]
Kind = Annotated[TraceKind | None, QueryParameter(name="kind", description="Of this kind.")]
Tag = Annotated[str | None, QueryParameter(name="tag", max_length=200, description="With this tag.")]
Since = Annotated[
    str | None, QueryParameter(name="since", max_length=50, description="From this date or time on (ISO 8601).")
]
Until = Annotated[str | None, QueryParameter(name="until", max_length=50, description="Before this date or time.")]
Success = Annotated[bool | None, QueryParameter(name="success", description="That succeeded, or failed.")]
User = Annotated[str | None, QueryParameter(name="user", max_length=200, description="For admins: whose.")]
Limit = Annotated[int, QueryParameter(name="limit", ge=1, le=TRACE_PAGE_MAX, description="How many at most.")]
Cursor = Annotated[str | None, QueryParameter(name="cursor", max_length=100, description="`next` of the page before.")]


@post(
    "/traces",
    status_code=200,
    dto=JsonBody[TraceBatch],
    return_dto=None,
    guards=[needs(Role.agent)],
    summary="Keep what happened",
    responses=errors(400, 413, 415),
    tags=["traces"],
)
async def add_traces(data: Annotated[TraceBatch, EVENTS], here: NamedDependency[Here]) -> TraceAnswer:
    """Keep up to 1000 events, redacted and cut, all or none: a mistake in one (`field` says `events[n]...`) is the
    whole batch's. An id that is kept already adds nothing, so a batch may be sent again. Full output is never kept."""
    return await here.running.call(here.running.workspace.traces.ingest, data.events, here.caller)


@get(
    "/traces",
    guards=[
        needs(Role.agent),
        only("id", "sessionId", "repo", "kind", "tag", "since", "until", "success", "user", "limit", "cursor"),
    ],
    summary="List what happened",
    responses=errors(400),
    tags=["traces"],
)
async def traces(
    *,
    here: NamedDependency[Here],
    trace_id: Id = None,
    session_id: Session = None,
    repo: Repo = None,
    kind: Kind = None,
    tag: Tag = None,
    since: Since = None,
    until: Until = None,
    success: Success = None,
    user: User = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> TraceList:
    """The caller's own events, the latest first; `next` leads to more."""
    wanted = TraceFilter(session_id, repo, kind, tag, read_moment(since, "since"), read_moment(until, "until"), success)
    found = {"user": user, "cursor": cursor}
    return await here.running.call(here.running.workspace.traces.page, here.caller, wanted, limit=limit, **found)


@get(
    "/traces/{trace_id:str}",
    guards=[needs(Role.agent), only("user")],
    summary="Show one event",
    responses=errors(400, 404),
    tags=["traces"],
)
async def trace(trace_id: FromPath[str], here: NamedDependency[Here], user: User = None) -> TraceEvent:
    """One of the caller's own events, as it is kept."""
    return await here.running.call(here.running.workspace.traces.get, trace_id, here.caller, user=user)
