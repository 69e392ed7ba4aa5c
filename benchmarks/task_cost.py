"""What a task costs beyond resolving: begin, five steps and an end, against resolving the same message.

    python -m benchmarks.task_cost [--rounds 200] [--json FILE]

In one process over the example skills the same message is
resolved, and a task is begun with it, recorded and ended, in turns. Told are the medians and their difference: what
seven writes that are on the disk cost, each in a transaction of its own.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wellworn.models.access import LOCAL_USER, Caller, Role
from wellworn.models.resolution import ResolveRequest
from wellworn.models.task import BeginRequest, EndRequest, Outcome, StepRequest
from wellworn.service.settings import Settings
from wellworn.service.workspace import Workspace

EXAMPLES = Path(__file__).parent.parent / "examples" / "skills"
MESSAGE = "ship this and install the latest locally"
STEPS = ("git status", "npm version patch", "npm run build", "npm pack", "npm install -g .")
CALLER = Caller(role=Role.agent, user=LOCAL_USER)


@contextmanager
def opened(folder: Path) -> Iterator[Workspace]:
    """A workspace over the example skills."""
    settings = Settings(data_dir=folder / "data", home=folder / "home", library=[EXAMPLES], watch=False)
    with Workspace.open(settings, discover=False) as workspace:
        yield workspace


def one_task(workspace: Workspace, objective: str) -> None:
    """Begin a task, record five steps and end it."""
    begun = workspace.tasks.begin(BeginRequest(objective=objective), CALLER)
    for command in STEPS:
        workspace.tasks.step(begun.task_id, StepRequest(command=command, exit_code=0), CALLER)
    workspace.tasks.end(begun.task_id, EndRequest(outcome=Outcome.success, skill="release-local"), CALLER)


def measure(rounds: int, folder: Path) -> dict[str, Any]:
    """Return the medians in milliseconds."""
    with opened(folder) as workspace:
        resolve: list[float] = []
        task: list[float] = []
        for number in range(rounds + 5):
            message = f"{MESSAGE} {number}"  # no message is met twice: nothing is remembered
            resolve.append(_timed(lambda said=message: workspace.resolve(ResolveRequest(message=said), CALLER)))  # type: ignore[misc]
            task.append(_timed(lambda said=message: one_task(workspace, said)))  # type: ignore[misc]
    resolving, whole = (statistics.median(times[5:]) for times in (resolve, task))
    return {"rounds": rounds, "resolveMs": resolving, "taskMs": whole, "beyondMs": whole - resolving}


def _timed(run: Callable[[], object]) -> float:
    begun = time.perf_counter()
    run()
    return (time.perf_counter() - begun) * 1000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What a task costs beyond resolving.")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(given.rounds, Path(folder))
    if given.json is not None:
        given.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    print(json.dumps(figures, indent=1))
    print(
        f"Beginning a task, five steps and its end take {figures['beyondMs']:.1f} ms beyond resolving "
        f"({figures['resolveMs']:.1f} ms), at the median of {figures['rounds']}."
    )


if __name__ == "__main__":
    main()
