"""What is proposed, and a person's decision about it."""

from __future__ import annotations

from typing import Annotated

from litestar import get, post
from litestar.di import NamedDependency
from litestar.enums import RequestEncodingType
from litestar.openapi.spec import Example
from litestar.params import Body, FromPath, JSONBody, QueryParameter

from wellworn.models.access import Role
from wellworn.models.proposal import (
    AcceptAnswer,
    AcceptRequest,
    Proposal,
    ProposalList,
    ProposalStatus,
    RejectRequest,
    SuggestAnswer,
    SuggestRequest,
)
from wellworn.service.http.auth import needs
from wellworn.service.http.body import JsonBody
from wellworn.service.http.openapi import errors
from wellworn.service.http.query import only
from wellworn.service.http.running import Here

LOOK = Body(
    media_type=RequestEncodingType.JSON,
    examples=[Example(summary="The last week", value={"since": "2026-03-01T00:00:00Z"})],
)
DECISION = Body(
    media_type=RequestEncodingType.JSON,
    examples=[
        Example(
            summary="Into the repository, under another name",
            value={"id": "ship-web", "scope": "repo", "confirm": "ship-web"},
        )
    ],
)
Status = Annotated[ProposalStatus | None, QueryParameter(name="status", description="Only those that stand so.")]
Repo = Annotated[str | None, QueryParameter(name="repo", max_length=500, description="Its id, root folder or origin.")]
Offset = Annotated[int, QueryParameter(name="offset", ge=0, le=10_000_000, description="How many to skip.")]
Limit = Annotated[int, QueryParameter(name="limit", ge=1, le=1000, description="How many at most.")]


@post(
    "/suggest",
    status_code=200,
    dto=JsonBody[SuggestRequest],
    return_dto=None,
    guards=[needs(Role.agent)],
    summary="Look for repeated friction",
    responses=errors(400, 404, 413, 415),
    tags=["proposals"],
)
async def suggest(data: Annotated[SuggestRequest, LOOK], here: NamedDependency[Here]) -> SuggestAnswer:
    """Read what is new in the caller's traces and answer with what is proposed, worth writing down, ignored and
    refused. Over a million events the first look may take a minute; one is made at a time, each within two minutes."""
    return await here.running.call_long(here.running.workspace.suggest, data, here.caller)


@get(
    "/proposals",
    guards=[needs(Role.agent), only("status", "repo", "offset", "limit")],
    summary="List proposals",
    responses=errors(400, 404),
    tags=["proposals"],
)
async def proposals(
    *,
    here: NamedDependency[Here],
    status: Status = None,
    repo: Repo = None,
    offset: Offset = 0,
    limit: Limit = 100,
) -> ProposalList:
    """The caller's own (an admin's: everybody's), newest first; `nextOffset` leads to more."""
    curation = here.running.workspace.curation
    return await here.running.call(
        curation.proposals, here.caller, status=status, repo=repo, offset=offset, limit=limit
    )


@get(
    "/proposals/{proposal_id:str}",
    guards=[needs(Role.agent)],
    summary="Show one proposal",
    responses=errors(400, 404),
    tags=["proposals"],
)
async def proposal(proposal_id: FromPath[str], here: NamedDependency[Here]) -> Proposal:
    """With its evidence, the six answers, and all text that an accept would write."""
    return await here.running.call(here.running.workspace.curation.proposal, proposal_id, here.caller)


@post(
    "/proposals/{proposal_id:str}/accept",
    status_code=200,
    dto=JsonBody[AcceptRequest],
    return_dto=None,
    guards=[needs(Role.reviewer)],
    summary="Accept a proposal",
    responses=errors(400, 404, 409, 413, 415),
    tags=["proposals"],
)
async def accept(
    proposal_id: FromPath[str], data: Annotated[AcceptRequest, DECISION], here: NamedDependency[Here]
) -> AcceptAnswer:
    """Write the skill (or the update of one), as proposed or with the person's edits; it resolves from now on.

    Send `{}` to take it as it is. Repo scope needs `confirm`: the id once more. What the security scan holds to be
    dangerous needs to be named in `overrides`.
    """
    return await here.running.call(here.running.workspace.curation.accept, proposal_id, data, here.caller)


@post(
    "/proposals/{proposal_id:str}/reject",
    status_code=200,
    dto=JsonBody[RejectRequest],
    return_dto=None,
    guards=[needs(Role.reviewer)],
    summary="Reject a proposal",
    responses=errors(400, 404, 409, 413, 415),
    tags=["proposals"],
)
async def reject(proposal_id: FromPath[str], data: JSONBody[RejectRequest], here: NamedDependency[Here]) -> Proposal:
    """It stays quiet unless its evidence doubles. Send `{}` or a `reason`."""
    return await here.running.call(here.running.workspace.curation.reject, proposal_id, data, here.caller)


HANDLERS = [suggest, proposals, proposal, accept, reject]
