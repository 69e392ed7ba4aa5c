"""What people decide about skills that are there."""

from __future__ import annotations

from typing import Annotated

from litestar import delete, get, patch, post
from litestar.di import NamedDependency
from litestar.enums import RequestEncodingType
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.spec import Example
from litestar.params import Body, FromPath, JSONBody, QueryParameter

from wellworn.models.access import Role
from wellworn.models.curation import (
    SessionEnd,
    SkillHistory,
    TrustAnswer,
    TrustRequest,
    UpdateAnswer,
    UpdateRequest,
)
from wellworn.service.http.auth import needs
from wellworn.service.http.body import JsonBody
from wellworn.service.http.openapi import errors
from wellworn.service.http.query import only
from wellworn.service.http.running import Here

CHANGES = Body(
    media_type=RequestEncodingType.JSON,
    examples=[Example(summary="One more way to say it", value={"addAliases": ["get it out of the door"]})],
)
Repo = Annotated[str | None, QueryParameter(name="repo", max_length=500, description="Its id, root folder or origin.")]
_VERBS = {
    "promote": ("Trust a skill more", "One level up, on evidence: what is missing is all named. Nothing overrules it."),
    "demote": ("Trust a skill less", "One level down, or to the level `to`."),
    "disable": ("Set a skill aside", "It matches nothing until it is enabled again."),
    "enable": ("Bring a skill back", "A disabled or archived one, to the level that it had."),
    "archive": ("Archive a skill", "It matches nothing; its files and history stay, and `enable` brings it back."),
}


def _trust_route(verb: str, summary: str, description: str) -> HTTPRouteHandler:
    @post(
        f"/skills/{{ref:str}}/{verb}",
        operation_id=f"{verb}Skill",
        name=verb,
        status_code=200,
        dto=JsonBody[TrustRequest],
        return_dto=None,
        guards=[needs(Role.reviewer), only("repo")],
        summary=summary,
        description=f"{description} Send `{{}}` or a `reason`.",
        responses=errors(400, 404, 409, 413, 415),
        tags=["skills"],
    )
    async def change(
        ref: FromPath[str], data: JSONBody[TrustRequest], here: NamedDependency[Here], repo: Repo = None
    ) -> TrustAnswer:
        care = here.running.workspace.care
        return await here.running.call(care.change_trust, verb, ref, data, here.caller, repo=repo)

    return change


@delete(
    "/skills/{ref:str}",
    status_code=200,
    guards=[needs(Role.reviewer), only("repo")],
    summary="Delete a skill, recoverably",
    responses=errors(400, 404, 409),
    tags=["skills"],
)
async def archive(ref: FromPath[str], here: NamedDependency[Here], repo: Repo = None) -> TrustAnswer:
    """The same as `archive`: no file is removed."""
    care = here.running.workspace.care
    return await here.running.call(care.change_trust, "archive", ref, TrustRequest(), here.caller, repo=repo)


@patch(
    "/skills/{ref:str}",
    dto=JsonBody[UpdateRequest],
    return_dto=None,
    guards=[needs(Role.reviewer), only("repo")],
    summary="Change a skill's text",
    responses=errors(400, 404, 409, 413, 415),
    tags=["skills"],
)
async def update(
    ref: FromPath[str], data: Annotated[UpdateRequest, CHANGES], here: NamedDependency[Here], repo: Repo = None
) -> UpdateAnswer:
    """Phrases to add and to remove, the description, the body, or what a proposal adds. `dryRun` only shows the
    difference; sent again with its `hash` as `expectedHash`, nothing is written over that was changed meanwhile."""
    return await here.running.call(here.running.workspace.care.update, ref, data, here.caller, repo=repo)


@get(
    "/skills/{ref:str}/history",
    guards=[needs(Role.agent), only("repo")],
    summary="What was decided about a skill",
    responses=errors(400, 404),
    tags=["skills"],
)
async def history(ref: FromPath[str], here: NamedDependency[Here], repo: Repo = None) -> SkillHistory:
    """Newest first: who changed its trust or text, when, on what evidence and why."""
    return await here.running.call(here.running.workspace.care.history, ref, here.caller, repo=repo)


@post(
    "/sessions/{session_id:str}/end",
    status_code=200,
    guards=[needs(Role.agent)],
    summary="End a session",
    responses=errors(400),
    tags=["sessions"],
)
async def end_session(session_id: FromPath[str], here: NamedDependency[Here]) -> SessionEnd:
    """The skills of one of the caller's own sessions answer no more; their proposals can be accepted again."""
    return await here.running.call(here.running.workspace.session_skills.end, session_id, here.caller)


HANDLERS = [*(_trust_route(verb, *texts) for verb, texts in _VERBS.items()), archive, update, history, end_session]
