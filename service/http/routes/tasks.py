"""Tasks that agents report, and what people choose about flagged matches."""

from __future__ import annotations

from typing import Annotated

from litestar import get, post
from litestar.di import NamedDependency
from litestar.enums import RequestEncodingType
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.spec import Example
from litestar.params import Body, FromPath, QueryParameter

from wellworn.models.access import Role
from wellworn.models.proposal import Proposal
from wellworn.models.task import (
    BeginAnswer,
    BeginRequest,
    Choice,
    ChoiceRequest,
    EndAnswer,
    EndRequest,
    LearnRequest,
    StepRequest,
    Task,
    TaskList,
    TaskStatus,
    TaskStep,
)
from wellworn.service.http.auth import needs
from wellworn.service.http.body import JsonBody
from wellworn.service.http.openapi import errors
from wellworn.service.http.query import only
from wellworn.service.http.running import Here

OBJECTIVE = Body(
    media_type=RequestEncodingType.JSON,
    examples=[Example(summary="What the user asked for", value={"objective": "ship this and install it locally"})],
)
STEP = Body(
    media_type=RequestEncodingType.JSON,
    examples=[Example(summary="A command that failed", value={"command": "npm run build", "exitCode": 1})],
)
END = Body(
    media_type=RequestEncodingType.JSON,
    examples=[
        Example(
            summary="It failed",
            value={"outcome": "failure", "skill": "release-local", "reason": "the build needs a clean install first"},
        )
    ],
)
Chosen = Annotated[
    ChoiceRequest,
    Body(
        media_type=RequestEncodingType.JSON,
        examples=[Example(summary="Without it, this time", value={"choice": "skip", "note": "it failed twice today"})],
    ),
]
LEARN = Body(media_type=RequestEncodingType.JSON, examples=[Example(summary="Nothing more to say", value={})])
Status = Annotated[TaskStatus | None, QueryParameter(name="status", description="Only active, or only ended ones.")]
Offset = Annotated[int, QueryParameter(name="offset", ge=0, le=1_000_000_000, description="How many to pass over.")]
Limit = Annotated[int, QueryParameter(name="limit", ge=1, le=1000, description="How many at most.")]


@post(
    "/tasks",
    status_code=200,
    dto=JsonBody[BeginRequest],
    return_dto=None,
    guards=[needs(Role.agent), only()],
    summary="Begin a task, or go on with it",
    responses=errors(400, 404, 413, 415, 503),
    tags=["tasks"],
)
async def begin_task(data: Annotated[BeginRequest, OBJECTIVE], here: NamedDependency[Here]) -> BeginAnswer:
    """The objective is resolved, and `instruction` says in words what to do: follow a skill, ask, choose, or work as
    usual. A flagged skill is never ordered: a person chooses. The same objective, still active, is resumed: the attempt
    is counted, and what earlier ones taught is told again."""
    return await here.running.call(here.running.workspace.tasks.begin, data, here.caller)


@post(
    "/tasks/{task_id:str}/steps",
    status_code=200,
    dto=JsonBody[StepRequest],
    return_dto=None,
    guards=[needs(Role.agent), only()],
    summary="Record a step",
    responses=errors(400, 404, 409, 413, 415),
    tags=["tasks"],
)
async def add_step(task_id: FromPath[str], data: Annotated[StepRequest, STEP], here: NamedDependency[Here]) -> TaskStep:
    """What was run and how it ended; of its output only a summary."""
    return await here.running.call(here.running.workspace.tasks.step, task_id, data, here.caller)


@post(
    "/tasks/{task_id:str}/end",
    status_code=200,
    dto=JsonBody[EndRequest],
    return_dto=None,
    guards=[needs(Role.agent), only()],
    summary="End a task",
    responses=errors(400, 404, 409, 413, 415),
    tags=["tasks"],
)
async def end_task(task_id: FromPath[str], data: Annotated[EndRequest, END], here: NamedDependency[Here]) -> EndAnswer:
    """The outcome counts for the skill that was used, when something shows it: a step's exit code, or evidence. What
    failed for its surroundings (network, a missing command) blames nobody. `reflection` tells what it teaches."""
    return await here.running.call_model(here.running.workspace.tasks.end, task_id, data, here.caller)


@get(
    "/tasks",
    guards=[needs(Role.agent), only("status", "offset", "limit")],
    summary="Tasks, the newest first",
    responses=errors(400),
    tags=["tasks"],
)
async def tasks(here: NamedDependency[Here], status: Status = None, offset: Offset = 0, limit: Limit = 100) -> TaskList:
    """The caller's own, without their steps; an admin sees everybody's."""
    return await here.running.call(
        here.running.workspace.tasks.list, here.caller, status=status, offset=offset, limit=limit
    )


@get(
    "/tasks/{task_id:str}",
    guards=[needs(Role.agent), only()],
    summary="One task with its steps",
    responses=errors(400, 404),
    tags=["tasks"],
)
async def task(task_id: FromPath[str], here: NamedDependency[Here]) -> Task:
    """With its outcome, what it taught, and what a person chose about a flagged match."""
    return await here.running.call(here.running.workspace.tasks.get, task_id, here.caller)


@post(
    "/tasks/{task_id:str}/choice",
    status_code=200,
    dto=JsonBody[ChoiceRequest],
    return_dto=None,
    guards=[needs(Role.reviewer), only()],
    summary="Choose about a task's flagged skill",
    responses=errors(400, 404, 409, 413, 415),
    tags=["tasks"],
)
async def choose_for_task(task_id: FromPath[str], data: Chosen, here: NamedDependency[Here]) -> Choice:
    """A person's answer: proceed, repair or skip. `instruction` is what the agent is told, `USER DECISION: ...`."""
    return await here.running.call(here.running.workspace.tasks.choose, task_id, data, here.caller)


@post(
    "/tasks/{task_id:str}/learn",
    status_code=200,
    dto=JsonBody[LearnRequest],
    return_dto=None,
    guards=[needs(Role.agent), only()],
    summary="Propose a skill from a task that went well",
    responses=errors(400, 404, 409, 413, 415),
    tags=["proposals"],
)
async def learn(task_id: FromPath[str], data: Annotated[LearnRequest, LEARN], here: NamedDependency[Here]) -> Proposal:
    """Nothing is installed by it: the proposal waits for a person. Refused, with all reasons, are tasks that did not
    end in success or show none, that are short or mostly about one project, and what an installed skill does already.
    Send `{}`."""
    return await here.running.call_model(here.running.workspace.learn, task_id, here.caller)


@post(
    "/resolutions/{resolution_id:str}/choice",
    status_code=200,
    dto=JsonBody[ChoiceRequest],
    return_dto=None,
    guards=[needs(Role.reviewer), only()],
    summary="Choose about a flagged skill that was answered",
    responses=errors(400, 404, 409, 413, 415),
    tags=["resolve"],
)
async def choose(resolution_id: FromPath[str], data: Chosen, here: NamedDependency[Here]) -> Choice:
    """The same for an answer with the decision `review`, whether or not a task was begun with it."""
    return await here.running.call(here.running.workspace.choose, resolution_id, data, here.caller)


HANDLERS: list[HTTPRouteHandler] = [begin_task, add_step, end_task, tasks, task, choose_for_task, learn, choose]
