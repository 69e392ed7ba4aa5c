"""Traces as the workspace keeps them: retention, all or none, and who is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.service.http.serving import wait_until
from tests.service.worlds import ME, World
from tests.store.makers import make_proposal

from wellworn.models.access import Caller, Role
from wellworn.models.errors import InvalidInput, NotAllowed, NotFound, TooLarge
from wellworn.models.trace import TraceEvent, TraceKind
from wellworn.service.workspace import Workspace
from wellworn.store.proposals import ProposalRow, ProposalTable
from wellworn.store.traces import TraceFilter

DAY = timedelta(days=1)
ANN = Caller(role=Role.agent, user="ann", key_id="k1")


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = datetime(2026, 6, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def workspace(tmp_path: Path, clock: Clock) -> Iterator[Workspace]:
    settings = World(tmp_path).settings(trace_days=10, trace_limit=5)
    with Workspace.open(settings, clock=clock) as workspace:
        yield workspace


def event(number: str = "e1", **fields: Any) -> TraceEvent:
    given = {
        "ts": datetime(2026, 5, 1, tzinfo=UTC),
        "session_id": "s",
        "kind": TraceKind.command_run,
        "summary": "make",
    }
    return TraceEvent(**{"id": number, **given, **fields})


def ids(workspace: Workspace, caller: Caller = ME, **wanted: Any) -> list[str]:
    return [str(one.id) for one in workspace.traces.page(caller, TraceFilter(**wanted)).events]


def test_events_go_when_they_have_been_kept_for_long_enough_however_old_they_were(
    workspace: Workspace, clock: Clock
) -> None:
    workspace.traces.ingest([event("history", ts=datetime(2019, 1, 1, tzinfo=UTC))], ME)
    assert workspace.traces.retain() == 0
    clock.now += 9 * DAY
    workspace.traces.ingest([event("later")], ME)
    assert workspace.traces.retain() == 0
    clock.now += 2 * DAY
    assert workspace.traces.retain() == 1
    assert ids(workspace) == ["later"]


def test_only_so_many_events_of_a_user_are_kept(workspace: Workspace) -> None:
    workspace.traces.ingest([event(f"e{at}") for at in range(8)], ME)
    workspace.traces.ingest([event("hers")], ANN)
    assert workspace.traces.retain() == 3
    assert sorted(ids(workspace)) == ["e3", "e4", "e5", "e6", "e7"]
    assert ids(workspace, ANN) == ["hers"]


def test_what_a_waiting_proposal_rests_on_outlives_its_time(workspace: Workspace, clock: Clock) -> None:
    workspace.traces.ingest([event("e1"), event("e2"), event("e3")], ME)
    ProposalTable(workspace._database).put(ProposalRow("local", make_proposal(), "p", 2))
    clock.now += 400 * DAY
    assert workspace.traces.retain() == 1
    assert workspace.traces.prune(older_than=DAY, keep=0, user="local") == 0
    assert sorted(ids(workspace)) == ["e1", "e2"]


def test_a_batch_is_kept_whole_or_not_at_all_and_a_retry_works(workspace: Workspace) -> None:
    batch = [event("a"), event("b", ts=datetime(2027, 1, 1, tzinfo=UTC))]
    with pytest.raises(InvalidInput) as caught:
        workspace.traces.ingest(batch, ME)
    assert caught.value.field == "events[1].ts"
    assert ids(workspace) == []
    assert workspace.traces.ingest([batch[0], event("b")], ME).accepted == 2


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"id": None}, "id"),
        ({"id": "x" * 201}, "id"),
        ({"id": "a\tb"}, "id"),
        ({"session_id": ""}, "sessionId"),
        ({"ts": None}, "ts"),
        ({"ts": datetime(1969, 12, 31)}, "ts"),  # noqa: DTZ001  without a zone, as it may come
    ],
)
def test_an_event_that_lacks_something_is_named(workspace: Workspace, wrong: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        workspace.traces.ingest([event("a"), event("b").model_copy(update=wrong)], ME)
    assert caught.value.field == f"events[1].{field}"


def test_batches_have_a_size(workspace: Workspace) -> None:
    with pytest.raises(TooLarge, match="1000"):
        workspace.traces.ingest([event(str(at)) for at in range(1001)], ME)
    with pytest.raises(InvalidInput):
        workspace.traces.ingest([], ME)


def test_an_agent_neither_sends_nor_reads_for_others(workspace: Workspace) -> None:
    workspace.traces.ingest([event("mine")], ME)
    with pytest.raises(NotAllowed) as caught:
        workspace.traces.ingest([event("x", user="local")], ANN)
    assert caught.value.field == "events[0].user"
    with pytest.raises(NotAllowed):
        workspace.traces.page(ANN, user="local")
    with pytest.raises(NotFound):
        workspace.traces.get("mine", ANN)
    assert workspace.traces.ingest([event("hers", user="ann")], ME).accepted == 1
    assert ids(workspace, ANN) == ["hers"]


def test_counts_tell_when_each_user_was_last_heard_of(workspace: Workspace) -> None:
    workspace.traces.ingest([event("a"), event("b", ts=datetime(2026, 5, 2, tzinfo=UTC))], ANN)
    assert workspace.traces.counts() == [("ann", 2, datetime(2026, 5, 2, tzinfo=UTC))]


def test_serving_prunes_by_itself(tmp_path: Path, clock: Clock) -> None:
    settings = World(tmp_path).settings(trace_days=10)
    with Workspace.open(settings, clock=clock) as workspace:
        workspace.traces.ingest([event("old")], ME)
    clock.now += 11 * DAY
    with Workspace.open(settings, clock=clock, background=True) as workspace:
        wait_until(lambda: ids(workspace) == [])
