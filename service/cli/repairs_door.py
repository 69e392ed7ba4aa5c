"""The part of the door that is about repairs and versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from wellworn.models.access import Caller
    from wellworn.models.curation import UpdateAnswer
    from wellworn.models.repair import (
        Repair,
        RepairAccept,
        RepairAnswer,
        RepairEdit,
        RepairRequest,
        RevertRequest,
        VersionDiff,
        VersionList,
    )
    from wellworn.service.workspace import Workspace


class RepairsDoor(Protocol):
    """What those commands ask for, wherever it is answered."""

    def propose_repair(self, ref: str, request: RepairRequest, *, repo: str | None) -> RepairAnswer: ...
    def repairs(self, *, status: str | None) -> list[Repair]: ...
    def accept_repair(self, repair_id: str, request: RepairAccept) -> RepairAnswer: ...
    def edit_repair(self, repair_id: str, request: RepairEdit) -> RepairAnswer: ...
    def cancel_repair(self, repair_id: str) -> RepairAnswer: ...
    def versions(self, ref: str, *, repo: str | None) -> VersionList: ...
    def version_diff(self, ref: str, *, older: int | None, newer: int | None, repo: str | None) -> VersionDiff: ...
    def revert(self, ref: str, request: RevertRequest, *, repo: str | None) -> UpdateAnswer: ...


class LocalRepairs:
    """Mixed into LocalDoor: in this process, as the local person."""

    _workspace: Workspace
    _caller: Caller

    def propose_repair(self, ref: str, request: RepairRequest, *, repo: str | None) -> RepairAnswer:
        return self._workspace.repairs.propose(ref, request, self._caller, repo=repo)

    def repairs(self, *, status: str | None) -> list[Repair]:
        from wellworn.models.repair import RepairStatus  # noqa: PLC0415

        wanted = None if status is None else RepairStatus(status)
        return self._workspace.repairs.list(self._caller, status=wanted)

    def accept_repair(self, repair_id: str, request: RepairAccept) -> RepairAnswer:
        return self._workspace.repairs.accept(repair_id, request, self._caller)

    def edit_repair(self, repair_id: str, request: RepairEdit) -> RepairAnswer:
        return self._workspace.repairs.edit(repair_id, request, self._caller)

    def cancel_repair(self, repair_id: str) -> RepairAnswer:
        return self._workspace.repairs.cancel(repair_id, self._caller)

    def versions(self, ref: str, *, repo: str | None) -> VersionList:
        return self._workspace.versions.log(ref, self._caller, repo=repo)

    def version_diff(self, ref: str, *, older: int | None, newer: int | None, repo: str | None) -> VersionDiff:
        return self._workspace.versions.diff(ref, self._caller, older=older, newer=newer, repo=repo)

    def revert(self, ref: str, request: RevertRequest, *, repo: str | None) -> UpdateAnswer:
        return self._workspace.versions.revert(ref, request, self._caller, repo=repo)
