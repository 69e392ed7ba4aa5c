"""The door of commands about traces: the running service, else the store of this data folder, without its skills."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import click

from wellworn.models.errors import NotFound
from wellworn.service.cli.door import local_person, open_workspace, running_service, settings_of

if TYPE_CHECKING:
    from wellworn.models.trace import TraceAnswer, TraceEvent, TraceList
    from wellworn.service.http.client import ServiceClient
    from wellworn.service.workspace import Workspace


class TracesDoor(Protocol):
    """What those commands ask for. Filters of a page are given in wire names, as text; None: any."""

    def add(self, events: Sequence[TraceEvent]) -> TraceAnswer: ...
    def page(self, *, limit: int, cursor: str | None, **wanted: str | None) -> TraceList: ...
    def get(self, trace_id: str) -> TraceEvent: ...


class LocalTraces:
    """Answers in this process, as the local person."""

    def __init__(self, workspace: Workspace) -> None:
        self._traces = workspace.traces
        self._caller = local_person(workspace.settings)

    def add(self, events: Sequence[TraceEvent]) -> TraceAnswer:
        return self._traces.ingest(events, self._caller)

    def page(self, *, limit: int, cursor: str | None, **wanted: str | None) -> TraceList:
        from wellworn.service.traces import read_filter  # noqa: PLC0415

        return self._traces.page(self._caller, read_filter(**wanted), limit=limit, cursor=cursor)

    def get(self, trace_id: str) -> TraceEvent:
        return self._traces.get(trace_id, self._caller)


class RemoteTraces:
    """Asks the running service."""

    def __init__(self, client: ServiceClient) -> None:
        self._client = client

    def add(self, events: Sequence[TraceEvent]) -> TraceAnswer:
        return self._client.add_traces(events)

    def page(self, *, limit: int, cursor: str | None, **wanted: str | None) -> TraceList:
        from wellworn.models.trace import TraceList  # noqa: PLC0415

        query: dict[str, Any] = {"limit": limit, "cursor": cursor, **wanted}
        return TraceList.model_validate(self._client.get("/traces", **query))

    def get(self, trace_id: str) -> TraceEvent:
        from wellworn.models.trace import TraceList  # noqa: PLC0415

        # Not by its address: an id may hold a slash.
        found = TraceList.model_validate(self._client.get("/traces", id=trace_id)).events
        if not found:
            raise NotFound(
                f"There is no trace event {trace_id[:80]!r}.", hint="`wellworn trace list` shows those there are."
            )
        return found[0]


@contextmanager
def open_traces(ctx: click.Context) -> Iterator[TracesDoor]:
    """Use the running service of this data folder; when none runs, work in this process, without reading any skill."""
    client = running_service(ctx)
    if client is not None:
        with client:
            yield RemoteTraces(client)
        return
    with open_workspace(settings_of(ctx), quiet=True, read=False) as workspace:
        yield LocalTraces(workspace)
