"""Is it alive, is it ready, what did it do; and the page that greets a browser."""

from __future__ import annotations

from html import escape
from typing import Any, Literal

from litestar import MediaType, Request, Response, get
from litestar.di import NamedDependency

from wellworn import __version__
from wellworn.models.access import Role
from wellworn.models.wire import Wire
from wellworn.service.http.auth import needs
from wellworn.service.http.openapi import PAGE_POLICY, errors, page
from wellworn.service.http.running import Here

PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


class Liveness(Wire):
    """`instance` is new at every start."""

    status: Literal["live"] = "live"
    service: Literal["wellworn"] = "wellworn"
    version: str = __version__
    instance: str


class Readiness(Wire):
    """`degraded`: questions are answered, but something is wrong; admins see what at `/admin/index`."""

    status: str
    version: str
    encoder: str
    skills: int
    vectors: int
    generation: int


@get("/healthz", summary="Is the process alive?", security=[{}], tags=["health"])
async def healthz(here: NamedDependency[Here]) -> Liveness:
    """Always 200 while the process lives; needs no key."""
    return Liveness(instance=here.running.instance)


@get("/readyz", summary="Can it answer questions?", security=[{}], responses=errors(503, door=False), tags=["health"])
async def readyz(here: NamedDependency[Here]) -> Readiness:
    """200 when questions are answered; 503 while the library is being opened. Needs no key."""
    health = await here.running.call(here.running.workspace.health)
    return Readiness(**{name: getattr(health, name) for name in Readiness.model_fields})


@get("/metrics", guards=[needs(Role.agent)], summary="Counters", media_type=PROMETHEUS, responses=errors())
async def metrics(here: NamedDependency[Here]) -> str:
    """In the text format of Prometheus; any key will do."""
    return here.running.counters.text(await here.running.call(here.running.gauges))


@get("/", include_in_schema=False, media_type=MediaType.HTML, sync_to_thread=False)
def landing(request: Request[Any, Any, Any]) -> Response[str]:
    """Say what is here."""
    address = escape(str(request.base_url).rstrip("/"))
    return Response(
        page("landing.html").replace("{address}", address), headers={"Content-Security-Policy": PAGE_POLICY}
    )
