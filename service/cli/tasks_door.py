"""The part of the door that is about tasks, and choices about flagged matches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from wellworn.models.access import Caller
    from wellworn.models.proposal import Proposal
    from wellworn.models.task import (
        BeginAnswer,
        BeginRequest,
        Choice,
        ChoiceRequest,
        EndAnswer,
        EndRequest,
        StepRequest,
        Task,
        TaskList,
        TaskStep,
    )
    from wellworn.service.workspace import Workspace


class TasksDoor(Protocol):
    """What those commands ask for, wherever it is answered."""

    def begin_task(self, request: BeginRequest) -> BeginAnswer: ...
    def task_step(self, task_id: str, request: StepRequest) -> TaskStep: ...
    def end_task(self, task_id: str, request: EndRequest) -> EndAnswer: ...
    def task(self, task_id: str) -> Task: ...
    def tasks(self, *, status: str | None, offset: int, limit: int) -> TaskList: ...
    def choose_for_task(self, task_id: str, request: ChoiceRequest) -> Choice: ...
    def choose(self, resolution_id: str, request: ChoiceRequest) -> Choice: ...
    def learn(self, task_id: str) -> Proposal: ...


class LocalTasks:
    """Mixed into LocalDoor: in this process, as the local person."""

    _workspace: Workspace
    _caller: Caller

    def begin_task(self, request: BeginRequest) -> BeginAnswer:
        return self._workspace.tasks.begin(request, self._caller)

    def task_step(self, task_id: str, request: StepRequest) -> TaskStep:
        return self._workspace.tasks.step(task_id, request, self._caller)

    def end_task(self, task_id: str, request: EndRequest) -> EndAnswer:
        return self._workspace.tasks.end(task_id, request, self._caller)

    def task(self, task_id: str) -> Task:
        return self._workspace.tasks.get(task_id, self._caller)

    def tasks(self, *, status: str | None, offset: int, limit: int) -> TaskList:
        from wellworn.models.task import TaskStatus  # noqa: PLC0415

        wanted = None if status is None else TaskStatus(status)
        return self._workspace.tasks.list(self._caller, status=wanted, offset=offset, limit=limit)

    def choose_for_task(self, task_id: str, request: ChoiceRequest) -> Choice:
        return self._workspace.tasks.choose(task_id, request, self._caller)

    def choose(self, resolution_id: str, request: ChoiceRequest) -> Choice:
        return self._workspace.choose(resolution_id, request, self._caller)

    def learn(self, task_id: str) -> Proposal:
        return self._workspace.learn(task_id, self._caller)
