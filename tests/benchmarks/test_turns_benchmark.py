"""The benchmark of turns measures what it says."""

from __future__ import annotations

from pathlib import Path

from benchmarks.turns import BLOCKS, measure


def test_counts_are_exact_and_every_review_ended(tmp_path: Path) -> None:
    figures = measure(tmp_path, turns=4 * BLOCKS, clients=4)
    assert figures["countsExact"]
    assert figures["deadlinesHold"]
    assert figures["p99Ratio"] > 0
    assert figures["recordedAfterDeadlineMs"]["most"] >= 0
