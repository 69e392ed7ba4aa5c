"""The part of the client that is about repairs and versions."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode

from pydantic import BaseModel

from wellworn.models.curation import UpdateAnswer
from wellworn.models.repair import (
    Repair,
    RepairAccept,
    RepairAnswer,
    RepairEdit,
    RepairList,
    RepairRequest,
    RevertRequest,
    VersionDiff,
    VersionList,
)
from wellworn.service.http.tasks_client import MODEL_SECONDS


class RepairsClient:
    """Mixed into ServiceClient, which asks."""

    def propose_repair(self, ref: str, request: RepairRequest, *, repo: str | None) -> RepairAnswer:
        path = _with_repo(f"/skills/{_segment(ref)}/repairs", repo)
        return RepairAnswer.model_validate(self._send_body("POST", path, request, seconds=MODEL_SECONDS))

    def repairs(self, *, status: str | None) -> list[Repair]:
        return RepairList.model_validate(self.get("/repairs", status=status)).repairs

    def accept_repair(self, repair_id: str, request: RepairAccept) -> RepairAnswer:
        return RepairAnswer.model_validate(self._send_body("POST", _repair(repair_id, "accept"), request))

    def edit_repair(self, repair_id: str, request: RepairEdit) -> RepairAnswer:
        return RepairAnswer.model_validate(self._send_body("POST", _repair(repair_id, "edit"), request))

    def cancel_repair(self, repair_id: str) -> RepairAnswer:
        return RepairAnswer.model_validate(self._ask("POST", _repair(repair_id, "cancel")))

    def versions(self, ref: str, *, repo: str | None) -> VersionList:
        return VersionList.model_validate(self.get(f"/skills/{_segment(ref)}/versions", repo=repo))

    def version_diff(self, ref: str, *, older: int | None, newer: int | None, repo: str | None) -> VersionDiff:
        path = f"/skills/{_segment(ref)}/versions/diff"
        return VersionDiff.model_validate(self.get(path, older=older, newer=newer, repo=repo))

    def revert(self, ref: str, request: RevertRequest, *, repo: str | None) -> UpdateAnswer:
        path = _with_repo(f"/skills/{_segment(ref)}/revert", repo)
        return UpdateAnswer.model_validate(self._send_body("POST", path, request))

    def get(self, path: str, **query: object) -> Any:
        raise NotImplementedError

    def _ask(self, method: str, path: str, body: bytes | None = None, *, seconds: float | None = None) -> Any:
        raise NotImplementedError

    def _send_body(self, method: str, path: str, body: BaseModel, *, seconds: float | None = None) -> Any:
        raise NotImplementedError


def _repair(repair_id: str, verb: str) -> str:
    return f"/repairs/{quote(repair_id, safe='')}/{verb}"


def _with_repo(path: str, repo: str | None) -> str:
    return path if repo is None else f"{path}?{urlencode({'repo': repo})}"


def _segment(text: str) -> str:
    return quote(text, safe="@")
