"""The part of the client that is about tasks, and choices about flagged matches."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from pydantic import BaseModel

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
    TaskStep,
)

MODEL_SECONDS = 130.0
"""A little longer than the service waits for what may ask a model."""


class TasksClient:
    """Mixed into ServiceClient, which asks."""

    def begin_task(self, request: BeginRequest) -> BeginAnswer:
        return BeginAnswer.model_validate(self._send_body("POST", "/tasks", request))

    def task_step(self, task_id: str, request: StepRequest) -> TaskStep:
        return TaskStep.model_validate(self._send_body("POST", f"{_path(task_id)}/steps", request))

    def end_task(self, task_id: str, request: EndRequest) -> EndAnswer:
        answer = self._send_body("POST", f"{_path(task_id)}/end", request, seconds=MODEL_SECONDS)
        return EndAnswer.model_validate(answer)

    def task(self, task_id: str) -> Task:
        return Task.model_validate(self.get(_path(task_id)))

    def tasks(self, *, status: str | None, offset: int, limit: int) -> TaskList:
        return TaskList.model_validate(self.get("/tasks", status=status, offset=offset, limit=limit))

    def choose_for_task(self, task_id: str, request: ChoiceRequest) -> Choice:
        return Choice.model_validate(self._send_body("POST", f"{_path(task_id)}/choice", request))

    def choose(self, resolution_id: str, request: ChoiceRequest) -> Choice:
        path = f"/resolutions/{quote(resolution_id, safe='')}/choice"
        return Choice.model_validate(self._send_body("POST", path, request))

    def learn(self, task_id: str) -> Proposal:
        answer = self._send_body("POST", f"{_path(task_id)}/learn", LearnRequest(), seconds=MODEL_SECONDS)
        return Proposal.model_validate(answer)

    def get(self, path: str, **query: object) -> Any:
        raise NotImplementedError

    def _send_body(self, method: str, path: str, body: BaseModel, *, seconds: float | None = None) -> Any:
        raise NotImplementedError


def _path(task_id: str) -> str:
    return f"/tasks/{quote(task_id, safe='')}"
