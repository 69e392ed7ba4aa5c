"""The benchmark of what a task costs measures what it says."""

from __future__ import annotations

from pathlib import Path

from benchmarks.task_cost import CALLER, EXAMPLES, MESSAGE, STEPS, measure, one_task, opened

from wellworn.models.task import TaskStatus


def test_a_task_of_the_benchmark_is_begun_recorded_and_ended(tmp_path: Path) -> None:
    assert EXAMPLES.is_dir()
    with opened(tmp_path) as workspace:
        one_task(workspace, MESSAGE)
        done = workspace.tasks.list(CALLER).tasks[0]
        assert (done.status, done.step_count, str(done.used_skill)) == (
            TaskStatus.ended,
            len(STEPS),
            "release-local@user",
        )


def test_it_tells_medians_and_their_difference(tmp_path: Path) -> None:
    figures = measure(2, tmp_path)
    assert figures["beyondMs"] == figures["taskMs"] - figures["resolveMs"]
    assert figures["resolveMs"] > 0
