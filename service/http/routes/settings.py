"""Settings that are changed while wellworn runs, and what models cost."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import get, patch
from litestar.di import NamedDependency
from litestar.enums import RequestEncodingType
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.spec import Example
from litestar.params import Body, QueryParameter

from wellworn.models.access import Role
from wellworn.models.runtime import SettingList
from wellworn.models.turn import UsageReport
from wellworn.service.http.auth import needs
from wellworn.service.http.openapi import errors
from wellworn.service.http.query import only
from wellworn.service.http.running import Here
from wellworn.service.traces import read_moment

CHANGES = Body(
    media_type=RequestEncodingType.JSON,
    examples=[Example(summary="Fewer writes a review", value={"review.max_ops": 1, "auto_repair": False})],
)
Since = Annotated[
    str | None, QueryParameter(name="since", max_length=50, description="From this date or time on (ISO 8601).")
]
Account = Annotated[str | None, QueryParameter(name="account", max_length=200, description="For admins: whose.")]


@get(
    "/settings",
    guards=[needs(Role.agent), only()],
    summary="Settings that can be changed while it runs",
    tags=["admin"],
)
async def settings(here: NamedDependency[Here]) -> SettingList:
    """Each with its value, default, description, and who set it when."""
    return await here.running.call(here.running.workspace.runtime.list)


@patch(
    "/settings",
    guards=[needs(Role.admin), only()],
    summary="Change settings",
    responses=errors(400, 413, 415),
    tags=["admin"],
)
async def change_settings(data: Annotated[dict[str, Any], CHANGES], here: NamedDependency[Here]) -> SettingList:
    """By their dotted names, all or none; null lets one have its default again. It counts at once."""
    return await here.running.call(here.running.workspace.runtime.change, data, here.caller)


@get(
    "/usage",
    guards=[needs(Role.agent), only("since", "account")],
    summary="What models cost",
    responses=errors(400, 403),
    tags=["admin"],
)
async def usage(here: NamedDependency[Here], since: Since = None, account: Account = None) -> UsageReport:
    """Requests and tokens by account, origin and model: the caller's own; an admin sees everybody's."""
    moment = None if since is None else read_moment(since, "since")
    return await here.running.call(here.running.workspace.usage, here.caller, since=moment, account=account)


HANDLERS: list[HTTPRouteHandler] = [settings, change_settings, usage]
