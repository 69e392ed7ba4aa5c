"""Completed turns, offered for review, and what a person lets be learned from theirs."""

from __future__ import annotations

from typing import Annotated

from litestar import get, patch, post
from litestar.di import NamedDependency
from litestar.enums import RequestEncodingType
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.spec import Example
from litestar.params import Body, FromPath, JSONBody

from wellworn.models.access import Role
from wellworn.models.turn import AccountChange, AccountLearning, Turn, TurnAnswer, TurnView
from wellworn.service.http.auth import needs
from wellworn.service.http.body import JsonBody
from wellworn.service.http.openapi import errors
from wellworn.service.http.query import only
from wellworn.service.http.running import Here

TURN = Body(
    media_type=RequestEncodingType.JSON,
    examples=[
        Example(
            summary="A completed turn of a person at the command line",
            value={
                "id": "01J9Z3T6Q4W8X2Y5R7N1M0K9HC",
                "origin": "cli",
                "ending": "completed",
                "message": "cut a release and install it here",
                "calls": [
                    {"tool": "Bash", "command": "npm version patch", "success": True},
                    {"tool": "Bash", "command": "npm pack", "success": True},
                ],
                "sessionId": "release-day",
            },
        )
    ],
)


@post(
    "/turns",
    status_code=200,
    dto=JsonBody[Turn],
    return_dto=None,
    guards=[needs(Role.agent), only()],
    summary="Offer a completed turn for review",
    responses=errors(400, 413, 415),
    tags=["learning"],
)
async def post_turn(data: Annotated[Turn, TURN], here: NamedDependency[Here]) -> TurnAnswer:
    """Answered at once: whether the turn counts, and whether a review was begun behind the answer. Sent again, it
    counts nothing. Turns are reviewed only for a person who asked for it (`PATCH /accounts/{id}/learning`)."""
    return await here.running.call(here.running.workspace.reviewing.post_turn, data, here.caller)


@get(
    "/turns/{turn_id:str}",
    guards=[needs(Role.agent), only()],
    summary="What became of a turn",
    responses=errors(400, 404),
    tags=["learning"],
)
async def turn(turn_id: FromPath[str], here: NamedDependency[Here]) -> TurnView:
    """What was answered to it, and its review, where one was begun. Nothing of the turn itself is kept."""
    return await here.running.call(here.running.workspace.reviewing.turn, turn_id, here.caller)


@get(
    "/accounts/{account:str}/learning",
    guards=[needs(Role.agent), only()],
    summary="Whether something is learned from an account's turns",
    responses=errors(400, 404),
    tags=["learning"],
)
async def learning(account: FromPath[str], here: NamedDependency[Here]) -> AccountLearning:
    """When it is not, `rule` names the rule that is against it, and `why` says it in words."""
    return await here.running.call(here.running.workspace.reviewing.learning, account, here.caller)


@patch(
    "/accounts/{account:str}/learning",
    dto=JsonBody[AccountChange],
    return_dto=None,
    guards=[needs(Role.reviewer), only()],
    summary="Let turns be reviewed, or not any more",
    responses=errors(400, 404, 413, 415),
    tags=["learning"],
)
async def change_learning(
    account: FromPath[str], data: JSONBody[AccountChange], here: NamedDependency[Here]
) -> AccountLearning:
    """A person's own choice: `optedIn` for reviews at all, `direct` for skills of the account's own (never above
    `installed`) in the place of proposals. It counts at once, also for a review that is running."""
    return await here.running.call(here.running.workspace.reviewing.change_account, account, data, here.caller)


HANDLERS: list[HTTPRouteHandler] = [post_turn, turn, learning, change_learning]
