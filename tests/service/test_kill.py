"""kill -9 during import, reindex and feedback, a few rounds of the benchmark that does it many times."""

from pathlib import Path

import pytest
from benchmarks.kill import KINDS, FeedbackKind, Kind, run_kind

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_kill_loses_nothing_acknowledged_and_leaves_nothing_half_written(tmp_path: Path, kind: type[Kind]) -> None:
    rounds = 1 if issubclass(kind, FeedbackKind) else 2  # feedback has two ways in
    tally = run_kind(kind, tmp_path, rounds, seed=7, skills=60, bundled=False)
    assert tally.violations == []
    assert tally.rounds == rounds
    assert tally.killed or tally.acknowledged
