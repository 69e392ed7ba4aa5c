"""A small client of a running service, for the command line; only the standard library, so that it loads fast."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from typing import Any, Self, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from pydantic import BaseModel

from wellworn.models.errors import (
    Conflict,
    InvalidInput,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    StoreError,
    TooLarge,
    Unavailable,
    WellwornError,
)
from wellworn.models.resolution import (
    FeedbackAnswer,
    FeedbackRequest,
    IntentResolution,
    RecordedResolution,
    ResolveRequest,
    TaughtUtterance,
)
from wellworn.models.skill import SkillList, SkillView
from wellworn.models.trace import TraceAnswer, TraceEvent
from wellworn.service.http.decisions_client import DecisionsClient
from wellworn.service.http.learning_client import LearningClient
from wellworn.service.http.place import read_place
from wellworn.service.http.repairs_client import RepairsClient
from wellworn.service.http.settings_client import SettingsClient
from wellworn.service.http.tasks_client import TasksClient
from wellworn.service.settings import Settings

FIND_SECONDS = 0.3
ANSWER_SECONDS = 60.0
POLL_SECONDS = 0.2

M = TypeVar("M", bound=BaseModel)
_BY_STATUS: dict[int, type[WellwornError]] = {
    401: NotAuthenticated,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    413: TooLarge,
    503: Unavailable,
}


def find_service(settings: Settings) -> ServiceClient | None:
    """Return a client of the service that runs on this data folder, or None: no file, a dead process, no answer within
    0.3 s, or somebody else at its address."""
    place = read_place(settings.data_dir)
    if place is None:
        return None
    with ServiceClient(place.address, seconds=FIND_SECONDS) as client, suppress(WellwornError):
        # The token is sent only after whoever listens there has shown to be the service that was announced.
        if client.get("/healthz").get("instance") == place.instance:
            return ServiceClient(place.address, place.token)
    return None


class ServiceClient(DecisionsClient, LearningClient, TasksClient, RepairsClient, SettingsClient):
    """One connection; for one thread. Every method raises what the service's problem says, as our own error.

    A service that is still starting is waited for, at most `seconds`.
    """

    def __init__(self, address: str, token: str = "", *, seconds: float = ANSWER_SECONDS) -> None:
        self.address = address
        parts = urlsplit(address)
        self._connection = HTTPConnection(parts.hostname or "127.0.0.1", parts.port, timeout=seconds)
        self._seconds = seconds
        self._headers = {"Content-Type": "application/json"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def resolve(self, request: ResolveRequest) -> IntentResolution:
        return self._post("/resolve", request, IntentResolution)

    def resolution(self, resolution_id: str) -> RecordedResolution:
        return RecordedResolution.model_validate(self.get(f"/resolutions/{_segment(resolution_id)}"))

    def feedback(self, request: FeedbackRequest) -> FeedbackAnswer:
        return self._post("/feedback", request, FeedbackAnswer)

    def skills(
        self,
        *,
        repo: str | None = None,
        session_id: str | None = None,
        search: str | None = None,
        offset: int = 0,
        limit: int = 100,
    ) -> SkillList:
        query = {"repo": repo, "sessionId": session_id, "search": search, "offset": offset, "limit": limit}
        return SkillList.model_validate(self.get("/skills", **query))

    def skill(self, ref: str, *, repo: str | None = None, session_id: str | None = None) -> SkillView:
        return SkillView.model_validate(self.get(f"/skills/{_segment(ref)}", repo=repo, sessionId=session_id))

    def taught(self, ref: str, *, repo: str | None = None) -> list[TaughtUtterance]:
        found = self.get(f"/skills/{_segment(ref)}/taught", repo=repo)
        return [TaughtUtterance.model_validate(one) for one in found]

    def forget(self, taught_id: str) -> TaughtUtterance:
        return TaughtUtterance.model_validate(self._ask("DELETE", f"/taught/{_segment(taught_id)}"))

    def taught_by_key(self, key_id: str) -> list[TaughtUtterance]:
        return [TaughtUtterance.model_validate(one) for one in self.get("/taught", keyId=key_id)]

    def forget_key(self, key_id: str) -> list[TaughtUtterance]:
        removed = self._ask("DELETE", f"/taught?{urlencode({'keyId': key_id})}")
        return [TaughtUtterance.model_validate(one) for one in removed]

    def add_traces(self, events: Sequence[TraceEvent]) -> TraceAnswer:
        """Send a batch as it is; the service says what it does not take."""
        body = b",".join(event.model_dump_json(by_alias=True, exclude_defaults=True).encode() for event in events)
        return TraceAnswer.model_validate(self._ask("POST", "/traces", b'{"events":[' + body + b"]}"))

    def reindex(self) -> Iterator[dict[str, Any]]:
        """Start a reindex and yield the job (as JSON data) at every change; the last has `report`."""
        job: dict[str, Any] = self._ask("POST", "/admin/reindex")
        yield job
        while job["state"] == "running":
            time.sleep(POLL_SECONDS)
            job = self.get(f"/admin/reindex/{job['id']}")
            yield job
        if job["problem"] is not None:
            raise _error(job["problem"])

    def index_status(self) -> dict[str, Any]:
        status: dict[str, Any] = self.get("/admin/index")
        return status

    def get(self, path: str, **query: object) -> Any:
        """Return the JSON at `path`; None values are left out of the query."""
        given = {name: value for name, value in query.items() if value is not None}
        return self._ask("GET", f"{path}?{urlencode(given)}" if given else path)

    def _post(self, path: str, body: BaseModel, answer: type[M]) -> M:
        data = body.model_dump_json(by_alias=True, exclude_unset=True).encode()
        return answer.model_validate(self._ask("POST", path, data))

    def _ask(self, method: str, path: str, body: bytes | None = None, *, seconds: float | None = None) -> Any:
        self._wait_at_most(seconds or self._seconds)
        until = time.monotonic() + self._seconds
        while True:
            status, data = self._send(method, path, body)
            if status < 400:
                return data
            error = _error(data)
            if error.code != "starting" or time.monotonic() > until:
                raise error
            time.sleep(POLL_SECONDS)

    def _wait_at_most(self, seconds: float) -> None:
        self._connection.timeout = seconds
        if self._connection.sock is not None:
            self._connection.sock.settimeout(seconds)

    def _send(self, method: str, path: str, body: bytes | None) -> tuple[int, Any]:
        try:
            self._connection.request(method, path, body, self._headers)
            with self._connection.getresponse() as response:
                return response.status, json.loads(response.read())
        except (OSError, HTTPException, ValueError) as error:
            self._connection.close()
            raise Unavailable(
                f"The service at {self.address} does not answer as expected: {str(error) or type(error).__name__}.",
                hint="Restart it with `wellworn serve`.",
            ) from None


def _error(problem: Any) -> WellwornError:
    """The service's problem details as the error that they were made from."""
    if not isinstance(problem, dict):
        problem = {}
    status = problem.get("status", 500)
    kind = _BY_STATUS.get(status) or (InvalidInput if 400 <= status < 500 else StoreError)
    error = kind(problem.get("detail", "The service failed."), hint=problem.get("hint"), field=problem.get("field"))
    error.code = str(problem.get("type", error.code)).rpartition(":")[2]
    return error


def _segment(text: str) -> str:
    return quote(text, safe="@")
