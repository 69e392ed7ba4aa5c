"""For admins: the index."""

from __future__ import annotations

from litestar import get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.response import Response, ServerSentEvent

from wellworn.models.access import Role
from wellworn.models.reports import IndexView
from wellworn.service.http.auth import needs
from wellworn.service.http.jobs import JobView
from wellworn.service.http.openapi import errors
from wellworn.service.http.running import Here


@post(
    "/admin/reindex",
    status_code=202,
    guards=[needs(Role.admin)],
    summary="Read all sources again and embed what is new",
    responses=errors(409),
    tags=["admin"],
)
async def reindex(here: NamedDependency[Here]) -> Response[JobView]:
    """Start a job; questions are answered meanwhile, from the old index until the new one is complete.

    Watch it at the address in `Location`, or as server-sent events below that at `/events`.
    """
    job = await here.running.jobs.start()
    return Response(job, headers={"Location": f"/admin/reindex/{job.id}"})


@get(
    "/admin/reindex/{job_id:str}",
    guards=[needs(Role.admin)],
    summary="How far a reindex is",
    responses=errors(400, 404),
    tags=["admin"],
)
async def reindex_job(job_id: FromPath[str], here: NamedDependency[Here]) -> JobView:
    """The job's progress and, when it is done, its report."""
    return here.running.jobs.get(job_id)


@get(
    "/admin/reindex/{job_id:str}/events",
    guards=[needs(Role.admin)],
    summary="The same as server-sent events",
    media_type="text/event-stream",
    responses=errors(400, 404),
    tags=["admin"],
)
async def reindex_events(job_id: FromPath[str], here: NamedDependency[Here]) -> ServerSentEvent:
    """`progress` at every change, and at last `done` or `failed`; the data of each is the job as JSON."""
    here.running.jobs.get(job_id)
    return ServerSentEvent(here.running.jobs.events(job_id))


@get("/admin/index", guards=[needs(Role.admin)], summary="State of the index", responses=errors(), tags=["admin"])
async def index_status(here: NamedDependency[Here]) -> IndexView:
    """Generation, encoder, counts per partition, and what is wrong with it, if anything."""
    return await here.running.call(here.running.workspace.index_status)
