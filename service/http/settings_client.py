"""The part of the client that is about settings changed at run time, and what models cost."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import BaseModel, RootModel

from wellworn.models.runtime import SettingList
from wellworn.models.turn import UsageReport


class SettingsClient:
    """Mixed into ServiceClient, which asks."""

    def runtime_settings(self) -> SettingList:
        return SettingList.model_validate(self.get("/settings"))

    def change_settings(self, changes: Mapping[str, Any]) -> SettingList:
        body = RootModel[dict[str, Any]](dict(changes))
        return SettingList.model_validate(self._send_body("PATCH", "/settings", body))

    def usage(self, *, since: datetime | None, account: str | None) -> UsageReport:
        moment = None if since is None else since.isoformat()
        return UsageReport.model_validate(self.get("/usage", since=moment, account=account))

    def get(self, path: str, **query: object) -> Any:
        raise NotImplementedError

    def _send_body(self, method: str, path: str, body: BaseModel, *, seconds: float | None = None) -> Any:
        raise NotImplementedError
