"""The Litestar application: routes, one error edge, what is measured, and the lifespan of the services."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any

from litestar import Litestar, Request, Response
from litestar.di import Provide
from litestar.plugins.pydantic import PydanticPlugin
from litestar.types import Message, Receive, Scope, Send
from pydantic import BaseModel

from wellworn.models.access import Caller, Role
from wellworn.models.errors import WellwornError
from wellworn.models.reports import ShowProgress
from wellworn.service.http.auth import is_loopback
from wellworn.service.http.openapi import openapi_config
from wellworn.service.http.problems import answer_problem
from wellworn.service.http.routes import (
    admin,
    curation,
    health,
    proposals,
    repairs,
    resolving,
    skills,
    tasks,
    traces,
    turns,
)
from wellworn.service.http.routes import settings as settings_routes
from wellworn.service.http.running import Here, Opener, Running
from wellworn.service.metrics import Counters
from wellworn.service.settings import Settings

if TYPE_CHECKING:
    from wellworn.service.workspace import Workspace

NOBODY = Caller(role=Role.agent, user="")
HANDLERS = [
    resolving.resolve,
    resolving.resolve_batch,
    resolving.resolution,
    resolving.feedback,
    resolving.forget,
    resolving.taught_by_key,
    resolving.forget_key,
    skills.skills,
    skills.skill,
    skills.taught,
    traces.add_traces,
    traces.traces,
    traces.trace,
    *proposals.HANDLERS,
    *curation.HANDLERS,
    *tasks.HANDLERS,
    *repairs.HANDLERS,
    *settings_routes.HANDLERS,
    *turns.HANDLERS,
    admin.reindex,
    admin.reindex_job,
    admin.reindex_events,
    admin.index_status,
    health.healthz,
    health.readyz,
    health.metrics,
    health.landing,
]


class WireResponse(Response[Any]):
    """Writes our types to JSON in one step, in camelCase."""

    def render(self, content: Any, media_type: Any, enc_hook: Any = None) -> bytes:
        if isinstance(content, BaseModel):
            return content.model_dump_json(by_alias=True).encode()
        return super().render(content, media_type, enc_hook)


class Service(Litestar):
    """A Litestar that counts its answers at the outermost edge, where also the 404s pass."""

    async def __call__(self, scope: Any, receive: Receive | Any, send: Send | Any) -> None:
        if scope["type"] == "http":
            send = _counted(self.state.running.counters, scope, send)
        await super().__call__(scope, receive, send)


def create_app(
    settings: Settings,
    open_workspace: Opener | None = None,
    *,
    token: str = "",
    opened: Callable[[WellwornError | None], None] | None = None,
) -> Service:
    """Return the application. Its workspace is opened (by default from `settings`) in a thread when it starts.

    token: a secret that stands for the local person; opened: told when opening ended, with its error or None.
    """
    running = Running(settings, open_workspace or _opener(settings), token=token, opened=opened)
    app = Service(
        route_handlers=HANDLERS,
        dependencies={"here": Provide(_here, sync_to_thread=False)},
        exception_handlers={Exception: answer_problem},
        lifespan=[_lifespan],
        logging_config=None,
        openapi_config=openapi_config(),
        plugins=[PydanticPlugin(prefer_alias=True)],
        request_max_body_size=settings.body_limit,
        response_class=WireResponse,
    )
    app.state.running = running
    return app


@asynccontextmanager
async def _lifespan(app: Litestar) -> AsyncIterator[None]:
    running: Running = app.state.running
    running.start()
    try:
        yield
    finally:
        await asyncio.to_thread(running.stop)


def _here(request: Request[Any, Any, Any]) -> Here:
    """A route without a guard has no user: nobody in particular asks, as an agent at most."""
    return Here(request.app.state.running, request.scope.get("user") or NOBODY)


def _opener(settings: Settings) -> Opener:
    def open_workspace(progress: ShowProgress) -> Workspace:
        from wellworn.service.workspace import Workspace  # noqa: PLC0415  heavy, and the service answers meanwhile

        return Workspace.open(settings, progress=progress, background=True, discover=is_loopback(settings.host))

    return open_workspace


def _counted(counters: Counters, scope: Scope, send: Send) -> Send:
    begun = perf_counter()

    async def counted(message: Message) -> None:
        if message["type"] == "http.response.start":
            route = str(scope.get("path_template") or "(none)")
            method = str(scope.get("method")) if route != "(none)" else "(any)"
            status = str(message["status"])
            counters.count("wellworn_http_requests_total", method=method, route=route, status=status)
            counters.observe("wellworn_http_request_seconds", perf_counter() - begun, route=route)
        await send(message)

    return counted
