"""Records are written behind the answer, and neither a slow nor a broken store holds an answer up."""

import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import pytest

from wellworn.models.resolution import Decision, IntentResolution
from wellworn.service.recorder import Recorder
from wellworn.store.resolutions import ResolutionRow


def row(number: int) -> ResolutionRow:
    resolution = IntentResolution(
        resolution_id=f"r{number}", matched=False, confidence=0.0, decision=Decision.none, reason="", generation=0
    )
    return ResolutionRow(ts=datetime(2026, 1, 1, tzinfo=UTC), message="m", resolution=resolution)


class Store:
    """Takes batches; can be told to wait or to fail."""

    def __init__(self) -> None:
        self.rows: list[str] = []
        self.gate = threading.Event()
        self.gate.set()
        self.broken = False

    def write(self, rows: Sequence[ResolutionRow]) -> None:
        self.gate.wait()
        if self.broken:
            raise OSError("disk full")
        self.rows += [r.id for r in rows]


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def recorder(store: Store) -> Iterator[Recorder]:
    recorder = Recorder(store.write)
    yield recorder
    store.gate.set()
    recorder.close()


def test_everything_added_is_written_in_order(recorder: Recorder, store: Store) -> None:
    for number in range(1200):
        recorder.add(row(number))
    recorder.flush()
    assert store.rows == [f"r{n}" for n in range(1200)]


def test_a_record_can_be_read_before_it_is_written(recorder: Recorder, store: Store) -> None:
    store.gate.clear()
    recorder.add(row(1))
    found = recorder.pending("r1")
    store.gate.set()
    recorder.flush()
    assert found is not None
    assert recorder.pending("r1") is None


def test_a_failing_store_loses_the_batch_and_counts_it_but_the_next_is_written(
    recorder: Recorder, store: Store
) -> None:
    store.broken = True
    recorder.add(row(1))
    recorder.flush()
    store.broken = False
    recorder.add(row(2))
    recorder.flush()
    assert (recorder.dropped, store.rows) == (1, ["r2"])


def test_closing_writes_what_is_waiting(store: Store) -> None:
    recorder = Recorder(store.write)
    recorder.add(row(1))
    recorder.close()
    recorder.close()
    assert store.rows == ["r1"]
