"""Repairs of flagged skills, and the versions that skills have had."""

from __future__ import annotations

from typing import Annotated

from litestar import get, post
from litestar.di import NamedDependency
from litestar.enums import RequestEncodingType
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.spec import Example
from litestar.params import Body, FromPath, JSONBody, QueryParameter

from wellworn.models.access import Role
from wellworn.models.curation import UpdateAnswer
from wellworn.models.repair import (
    Repair,
    RepairAccept,
    RepairAnswer,
    RepairEdit,
    RepairList,
    RepairRequest,
    RepairStatus,
    RevertRequest,
    VersionDiff,
    VersionList,
)
from wellworn.service.http.auth import needs
from wellworn.service.http.body import JsonBody
from wellworn.service.http.openapi import errors
from wellworn.service.http.query import only
from wellworn.service.http.running import Here

EDIT = Body(
    media_type=RequestEncodingType.JSON,
    examples=[
        Example(summary="The steps as a person wants them", value={"steps": ["Run `npm ci`", "Run `npm run build`"]})
    ],
)
REVERT = Body(
    media_type=RequestEncodingType.JSON,
    examples=[Example(summary="See what it would change", value={"to": 2, "dryRun": True})],
)
Repo = Annotated[str | None, QueryParameter(name="repo", max_length=500, description="Its id, root folder or origin.")]
Status = Annotated[RepairStatus | None, QueryParameter(name="status", description="Only these.")]
_MOST = 1_000_000_000
Older = Annotated[int | None, QueryParameter(name="older", ge=1, le=_MOST, description="Compared from.")]
Newer = Annotated[int | None, QueryParameter(name="newer", ge=1, le=_MOST, description="And to; else as it is now.")]


@post(
    "/skills/{ref:str}/repairs",
    status_code=200,
    dto=JsonBody[RepairRequest],
    return_dto=None,
    guards=[needs(Role.agent), only("repo")],
    summary="Propose new steps for a flagged skill",
    responses=errors(400, 404, 409, 413, 415),
    tags=["repairs"],
)
async def propose_repair(
    ref: FromPath[str], data: JSONBody[RepairRequest], here: NamedDependency[Here], repo: Repo = None
) -> RepairAnswer:
    """From the lessons of its failures and from what worked later: a difference that waits for a person. To an agent's
    key it answers that the skill is flagged and repair is disabled, unless `auto_repair` is on and no person
    ever wrote the skill's text."""
    return await here.running.call_model(here.running.workspace.repairs.propose, ref, data, here.caller, repo=repo)


@get(
    "/repairs",
    guards=[needs(Role.agent), only("status")],
    summary="Repairs, the newest first",
    responses=errors(400),
    tags=["repairs"],
)
async def repairs(here: NamedDependency[Here], status: Status = None) -> RepairList:
    """Those of skills that the caller sees."""
    found = await here.running.call(here.running.workspace.repairs.list, here.caller, status=status)
    return RepairList(repairs=found)


@get(
    "/repairs/{repair_id:str}",
    guards=[needs(Role.agent), only()],
    summary="One repair",
    responses=errors(400, 404),
    tags=["repairs"],
)
async def repair(repair_id: FromPath[str], here: NamedDependency[Here]) -> Repair:
    """Old and new steps, their difference, and which lesson each of them answers."""
    return await here.running.call(here.running.workspace.repairs.get, repair_id, here.caller)


@post(
    "/repairs/{repair_id:str}/accept",
    status_code=200,
    dto=JsonBody[RepairAccept],
    return_dto=None,
    guards=[needs(Role.reviewer), only()],
    summary="Accept a repair",
    responses=errors(400, 404, 409, 413, 415),
    tags=["repairs"],
)
async def accept_repair(
    repair_id: FromPath[str], data: JSONBody[RepairAccept], here: NamedDependency[Here]
) -> RepairAnswer:
    """Only the steps are written; the skill begins anew with a reliability of 0.6 and its lessons go to the repair.
    Files that were changed since the proposal are not written over. `instruction` is what the agent is told."""
    return await here.running.call(here.running.workspace.repairs.accept, repair_id, data, here.caller)


@post(
    "/repairs/{repair_id:str}/edit",
    status_code=200,
    dto=JsonBody[RepairEdit],
    return_dto=None,
    guards=[needs(Role.reviewer), only()],
    summary="Edit a repair's steps",
    responses=errors(400, 404, 409, 413, 415),
    tags=["repairs"],
)
async def edit_repair(
    repair_id: FromPath[str], data: Annotated[RepairEdit, EDIT], here: NamedDependency[Here]
) -> RepairAnswer:
    """The difference is shown again, and nothing is written before it is accepted."""
    return await here.running.call(here.running.workspace.repairs.edit, repair_id, data, here.caller)


@post(
    "/repairs/{repair_id:str}/cancel",
    status_code=200,
    guards=[needs(Role.reviewer), only()],
    summary="Cancel a repair",
    responses=errors(400, 404, 409),
    tags=["repairs"],
)
async def cancel_repair(repair_id: FromPath[str], here: NamedDependency[Here]) -> RepairAnswer:
    """Skill and lessons stay as they are."""
    return await here.running.call(here.running.workspace.repairs.cancel, repair_id, here.caller)


@get(
    "/skills/{ref:str}/versions",
    guards=[needs(Role.agent), only("repo")],
    summary="The versions that a skill has had",
    responses=errors(400, 404),
    tags=["skills"],
)
async def versions(ref: FromPath[str], here: NamedDependency[Here], repo: Repo = None) -> VersionList:
    """Newest first: what changed it, and who. The last hundred are kept, also of a skill that was deleted."""
    return await here.running.call(here.running.workspace.versions.log, ref, here.caller, repo=repo)


@get(
    "/skills/{ref:str}/versions/diff",
    guards=[needs(Role.agent), only("older", "newer", "repo")],
    summary="What differs between two versions",
    responses=errors(400, 404),
    tags=["skills"],
)
async def version_diff(
    ref: FromPath[str], here: NamedDependency[Here], older: Older = None, newer: Newer = None, repo: Repo = None
) -> VersionDiff:
    """A unified difference of the skill's files; without any numbers, what the last change did."""
    return await here.running.call(
        here.running.workspace.versions.diff, ref, here.caller, older=older, newer=newer, repo=repo
    )


@post(
    "/skills/{ref:str}/revert",
    status_code=200,
    dto=JsonBody[RevertRequest],
    return_dto=None,
    guards=[needs(Role.reviewer), only("repo")],
    summary="Put a skill back as it was",
    responses=errors(400, 404, 409, 413, 415),
    tags=["skills"],
)
async def revert(
    ref: FromPath[str], data: Annotated[RevertRequest, REVERT], here: NamedDependency[Here], repo: Repo = None
) -> UpdateAnswer:
    """Its files byte for byte as in a version; its trust stays what it is now. `dryRun` only shows the difference."""
    return await here.running.call(here.running.workspace.versions.revert, ref, data, here.caller, repo=repo)


HANDLERS: list[HTTPRouteHandler] = [
    propose_repair,
    repairs,
    repair,
    accept_repair,
    edit_repair,
    cancel_repair,
    versions,
    version_diff,
    revert,
]
