"""Calls that are killed at a chosen write: `python -m tests.service.dying ROOT` forks a process for each line it reads.

A line is JSON: what (a name of CALLS), which (its argument), at (the write before which it is killed, from 1 on). The
answer is a line: `killed`, the number of writes that there were when it went through, or what failed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.service.curating import AGENT, REVIEWER
from tests.service.worlds import World

from wellworn.models.curation import UpdateRequest
from wellworn.models.repair import RepairAccept, RevertRequest
from wellworn.models.task import EndRequest, Outcome
from wellworn.service.workspace import Workspace
from wellworn.store import swap

ROOT = Path(__file__).parents[2]
SKILL = "release-local"
UPDATED = UpdateRequest(
    description="Cuts another release.",
    body="## Steps\n1. Look twice.\n2. Push.\n",
    reset_stats=True,
    add_aliases=["cut it again"],
)
CALLS: dict[str, Callable[[Workspace, str], object]] = {
    "accept": lambda workspace, which: workspace.repairs.accept(which, RepairAccept(), REVIEWER),
    "cancel": lambda workspace, which: workspace.repairs.cancel(which, REVIEWER),
    "revert": lambda workspace, which: workspace.versions.revert(SKILL, RevertRequest(to=int(which)), REVIEWER),
    "update": lambda workspace, _: workspace.care.update(SKILL, UPDATED, REVIEWER),
    "fail": lambda workspace, which: workspace.tasks.end(
        which, EndRequest(outcome=Outcome.failure, skill=SKILL, reason="it broke"), AGENT
    ),
    "succeed": lambda workspace, which: workspace.tasks.end(
        which, EndRequest(outcome=Outcome.success, skill=SKILL, evidence="the user saw it"), AGENT
    ),
}
_STATEMENTS = ("BEGIN", "COMMIT", "INSERT", "UPDATE", "DELETE", "REPLACE")
_FILE_EVENTS = ("os.rename", "os.remove", "os.mkdir", "os.rmdir")


class _Deadly:
    """Counts writes, of rows and of files below `root`, and kills this process before the `at`-th."""

    def __init__(self, root: Path, at: int) -> None:
        self.root, self.at, self.count, self.on = str(root), at, 0, False

    def write(self) -> None:
        if not self.on:
            return
        self.count += 1
        if self.count == self.at:
            os.kill(os.getpid(), signal.SIGKILL)

    def statement(self, text: str) -> None:
        if text.lstrip().split(" ", 1)[0].upper() in _STATEMENTS:
            self.write()

    def audit(self, event: str, args: tuple[Any, ...]) -> None:
        wrote = event in _FILE_EVENTS or (event == "open" and isinstance(args[2], int) and args[2] & os.O_CREAT)
        if wrote and str(args[0]).startswith(self.root):
            self.write()


def _call(root: Path, what: str, which: str, at: int) -> int:
    deadly = _Deadly(root, at)
    exchange = swap._exchange

    def exchanged(one: Path, other: Path) -> bool:
        deadly.write()
        return exchange(one, other)

    swap._exchange = exchanged
    with World(root).open() as workspace:
        workspace._database._writer.set_trace_callback(deadly.statement)
        sys.addaudithook(deadly.audit)
        deadly.on = True
        CALLS[what](workspace, which)
        deadly.on = False
        return deadly.count


def _forked(root: Path, what: str, which: str, at: int) -> str:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            told = str(_call(root, what, which, at))
        except BaseException as error:  # noqa: BLE001  told to the test, whatever it was
            told = f"{type(error).__name__}: {error}"
        os.write(writer, told.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        told = answer.read()
    _, status = os.waitpid(child, 0)
    return "killed" if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL else told


def main() -> None:
    import wellworn.service.engine
    import wellworn.service.tasks  # noqa: F401

    for line in sys.stdin:
        asked = json.loads(line)
        print(_forked(Path(sys.argv[1]), asked["what"], asked["which"], asked["at"]), flush=True)


@contextmanager
def dying(world: World) -> Iterator[Callable[[str, str, int], int | None]]:
    """Yield what makes a call in a process of its own: None when it was killed, else how many writes there were."""
    command = [sys.executable, "-m", "tests.service.dying", str(world.root)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    quiet = dict(os.environ) | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, cwd=ROOT, text=True, env=quiet, **pipes) as forker:  # type: ignore[call-overload]

        def call(what: str, which: str, at: int) -> int | None:
            forker.stdin.write(json.dumps({"what": what, "which": which, "at": at}) + "\n")
            forker.stdin.flush()
            told = forker.stdout.readline().strip()
            assert told == "killed" or told.isdigit(), told
            return None if told == "killed" else int(told)

        yield call


if __name__ == "__main__":
    main()
