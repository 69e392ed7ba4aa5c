"""Through which door a command goes: the running service when there is one, else this process itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import click

from wellworn.service.cli.decisions_door import DecisionsDoor, LocalDecisions
from wellworn.service.cli.learning_door import LearningDoor, LocalLearning
from wellworn.service.cli.repairs_door import LocalRepairs, RepairsDoor
from wellworn.service.cli.settings_door import LocalSettings, SettingsDoor
from wellworn.service.cli.tasks_door import LocalTasks, TasksDoor

if TYPE_CHECKING:  # types are not built, and nothing heavy is loaded, before a command is known to need them
    from wellworn.models.access import Caller
    from wellworn.models.resolution import (
        FeedbackAnswer,
        FeedbackRequest,
        IntentResolution,
        RecordedResolution,
        ResolveRequest,
        TaughtUtterance,
    )
    from wellworn.models.skill import SkillList, SkillView
    from wellworn.service.http.client import ServiceClient
    from wellworn.service.settings import Settings
    from wellworn.service.workspace import Workspace


class Door(DecisionsDoor, LearningDoor, TasksDoor, RepairsDoor, SettingsDoor, Protocol):
    """What commands ask for, wherever it is answered."""

    def resolve(self, request: ResolveRequest) -> IntentResolution: ...
    def resolution(self, resolution_id: str) -> RecordedResolution: ...
    def feedback(self, request: FeedbackRequest) -> FeedbackAnswer: ...
    def skills(self, *, repo: str | None, search: str | None, offset: int, limit: int) -> SkillList: ...
    def skill(self, ref: str, *, repo: str | None) -> SkillView: ...
    def taught(self, ref: str, *, repo: str | None) -> list[TaughtUtterance]: ...
    def forget(self, taught_id: str) -> TaughtUtterance: ...
    def taught_by_key(self, key_id: str) -> list[TaughtUtterance]: ...
    def forget_key(self, key_id: str) -> list[TaughtUtterance]: ...


def local_person(settings: Settings) -> Caller:
    """Who asks when a command works in this process: whoever may read the data folder may do everything."""
    from wellworn.models.access import Caller, Role  # noqa: PLC0415

    return Caller(role=Role.admin, user=settings.user)


class LocalDoor(LocalDecisions, LocalLearning, LocalTasks, LocalRepairs, LocalSettings):
    """Answers in this process, as the local person."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._caller = local_person(workspace.settings)

    def resolve(self, request: ResolveRequest) -> IntentResolution:
        return self._workspace.resolve(request, self._caller)

    def resolution(self, resolution_id: str) -> RecordedResolution:
        return self._workspace.resolution(resolution_id, self._caller)

    def feedback(self, request: FeedbackRequest) -> FeedbackAnswer:
        return self._workspace.feedback(request, self._caller)

    def skills(self, *, repo: str | None, search: str | None, offset: int, limit: int) -> SkillList:
        return self._workspace.skills(self._caller, repo=repo, search=search, offset=offset, limit=limit)

    def skill(self, ref: str, *, repo: str | None) -> SkillView:
        return self._workspace.skill(ref, self._caller, repo=repo)

    def taught(self, ref: str, *, repo: str | None) -> list[TaughtUtterance]:
        return self._workspace.taught(ref, self._caller, repo=repo)

    def forget(self, taught_id: str) -> TaughtUtterance:
        return self._workspace.forget(taught_id, self._caller)

    def taught_by_key(self, key_id: str) -> list[TaughtUtterance]:
        return self._workspace.taught_by_key(key_id, self._caller)

    def forget_key(self, key_id: str) -> list[TaughtUtterance]:
        return self._workspace.forget_key(key_id, self._caller)


def settings_of(ctx: click.Context, **overrides: object) -> Settings:
    """The settings of this command: environment, then the group's options, then the command's own."""
    from wellworn.service.settings import load_settings  # noqa: PLC0415  loads pydantic; `--help` needs no settings

    given: dict[str, Any] = ctx.find_root().obj or {}
    return load_settings(**{**given, **overrides})


@contextmanager
def open_door(ctx: click.Context, *, quiet: bool = False) -> Iterator[Door]:
    """Use the running service of this data folder; with `--library`, or when none runs, work in this process.

    The folders of `--library` are this command's own, a service does not know them.
    """
    client = running_service(ctx)
    if client is not None:
        with client:
            yield client
        return
    with open_workspace(settings_of(ctx), quiet=quiet) as workspace:
        yield LocalDoor(workspace)


def running_service(ctx: click.Context) -> ServiceClient | None:
    """Return a client of the service that runs on this data folder, unless the command has folders of its own."""
    from wellworn.service.http.client import find_service  # noqa: PLC0415  only when a service may be asked

    return None if (ctx.find_root().obj or {}).get("library") else find_service(settings_of(ctx))


@contextmanager
def open_workspace(settings: Settings, *, quiet: bool = False, read: bool = True) -> Iterator[Workspace]:
    """Open everything in this process, with progress on standard error while there is indexing to do.

    read: False for a command that reads all sources itself.
    """
    from wellworn.service.cli.output import progress_bar  # noqa: PLC0415
    from wellworn.service.workspace import Workspace  # noqa: PLC0415  loads numpy, FAISS and the encoder

    with progress_bar(quiet=quiet) as show:
        workspace = Workspace.open(settings, progress=show, read=read)
    try:
        yield workspace
    finally:
        workspace.close()
