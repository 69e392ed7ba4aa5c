"""The skills that a caller can see."""

from __future__ import annotations

from typing import Annotated

from litestar import get
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from wellworn.models.access import Role
from wellworn.models.resolution import TaughtUtterance
from wellworn.models.skill import SkillList, SkillView
from wellworn.service.http.auth import needs
from wellworn.service.http.openapi import errors
from wellworn.service.http.query import only
from wellworn.service.http.running import Here

Repo = Annotated[str | None, QueryParameter(name="repo", max_length=500, description="Its id, root folder or origin.")]
Session = Annotated[
    str | None, QueryParameter(name="sessionId", max_length=500, description="Show this session's skills as well.")
]
Search = Annotated[str | None, QueryParameter(name="search", max_length=500, description="Words that it must contain.")]
Offset = Annotated[int, QueryParameter(name="offset", ge=0, le=10_000_000, description="How many to skip.")]
Limit = Annotated[int, QueryParameter(name="limit", ge=1, le=1000, description="How many at most.")]


@get(
    "/skills",
    guards=[needs(Role.agent), only("repo", "sessionId", "search", "offset", "limit")],
    summary="List skills",
    responses=errors(400, 404),
    tags=["skills"],
)
async def skills(
    *,
    here: NamedDependency[Here],
    repo: Repo = None,
    session_id: Session = None,
    search: Search = None,
    offset: Offset = 0,
    limit: Limit = 100,
) -> SkillList:
    """The caller's skills of user scope and, with `repo` or `sessionId`, of those; `nextOffset` leads to more."""
    found = {"repo": repo, "session_id": session_id, "search": search}
    return await here.running.call(here.running.workspace.skills, here.caller, offset=offset, limit=limit, **found)


@get(
    "/skills/{ref:str}",
    guards=[needs(Role.agent), only("repo", "sessionId")],
    summary="Show one skill",
    responses=errors(400, 404),
    tags=["skills"],
)
async def skill(
    ref: FromPath[str],
    here: NamedDependency[Here],
    repo: Repo = None,
    session_id: Session = None,
) -> SkillView:
    """By its id (the narrowest scope wins) or as `id@scope`; with its files' text, utterances and diagnostics."""
    return await here.running.call(here.running.workspace.skill, ref, here.caller, repo=repo, session_id=session_id)


@get(
    "/skills/{ref:str}/taught",
    guards=[needs(Role.agent), only("repo")],
    summary="What feedback taught about a skill",
    responses=errors(400, 404),
    tags=["skills", "feedback"],
)
async def taught(ref: FromPath[str], here: NamedDependency[Here], repo: Repo = None) -> list[TaughtUtterance]:
    """Messages that people confirmed or denied for it; `DELETE /taught/{id}` forgets one."""
    return await here.running.call(here.running.workspace.taught, ref, here.caller, repo=repo)
