"""kill -9 during import, reindex and feedback, a few rounds of the benchmark that does it many times."""

from pathlib import Path

import pytest
from benchmarks.kill import KINDS, Kind, run_kind

ROUNDS = 2
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_kill_loses_nothing_acknowledged_and_leaves_nothing_half_written(tmp_path: Path, kind: type[Kind]) -> None:
    tally = run_kind(kind, tmp_path, ROUNDS, seed=7, skills=60, bundled=False)
    assert tally.violations == []
    assert tally.rounds == ROUNDS
    assert tally.killed or tally.acknowledged
