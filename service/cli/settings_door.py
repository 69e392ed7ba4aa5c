"""The part of the door that is about settings changed at run time, and what models cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from wellworn.models.access import Caller
    from wellworn.models.runtime import SettingList
    from wellworn.models.turn import UsageReport
    from wellworn.service.workspace import Workspace


class SettingsDoor(Protocol):
    """What those commands ask for, wherever it is answered. account: None is one's own, of an admin everybody's."""

    def runtime_settings(self) -> SettingList: ...
    def change_settings(self, changes: Mapping[str, Any]) -> SettingList: ...
    def usage(self, *, since: datetime | None, account: str | None) -> UsageReport: ...


class LocalSettings:
    """Mixed into LocalDoor: in this process, as the local person."""

    _workspace: Workspace
    _caller: Caller

    def runtime_settings(self) -> SettingList:
        return self._workspace.runtime.list()

    def change_settings(self, changes: Mapping[str, Any]) -> SettingList:
        return self._workspace.runtime.change(changes, self._caller)

    def usage(self, *, since: datetime | None, account: str | None) -> UsageReport:
        return self._workspace.usage(self._caller, since=since, account=account)
