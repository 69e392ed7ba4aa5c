"""kill -9 at each write of a repair, a revert and the end of a task: nothing of it, or all of it; and a retry works."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.service.curating import AGENT, REVIEWER
from tests.service.test_repairing import WHO, failing, propose
from tests.service.worlds import SHIP, World

from wellworn.models.errors import Conflict
from wellworn.models.repair import RepairAccept, RepairStatus, RevertRequest
from wellworn.models.task import BeginRequest, EndRequest, Outcome
from wellworn.service.workspace import Workspace
from wellworn.store.lessons import LessonTable

ROOT = Path(__file__).parents[2]
CHILD = """
import os, signal, sys
from pathlib import Path

from tests.service.curating import AGENT, REVIEWER
from tests.service.worlds import World
from wellworn.models.repair import RepairAccept, RevertRequest
from wellworn.models.task import EndRequest
from wellworn.store import database

root, what, which, at = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
count = 0


def dies(event, _=None):
    global count
    count += 1
    if count == at:
        os.kill(os.getpid(), signal.SIGKILL)


def traced(statement):
    if statement.split(" ", 1)[0] in ("BEGIN", "COMMIT", "INSERT", "UPDATE", "DELETE"):
        dies(statement)


def audit(event, args):
    if event in ("os.rename", "os.remove", "os.mkdir"):
        dies(event)


with World(Path(root)).open() as workspace:
    workspace._ready()
    workspace._database._writer.set_trace_callback(traced)
    sys.addaudithook(audit)
    if what == "repair":
        workspace.repairs.accept(which, RepairAccept(), REVIEWER)
    elif what == "revert":
        workspace.versions.revert("release-local", RevertRequest(to=int(which)), REVIEWER)
    else:
        workspace.tasks.end(which, EndRequest(outcome="failure", skill="release-local", reason="it broke"), AGENT)
    workspace._database._writer.set_trace_callback(None)
    print(count)
    os._exit(0)
"""


def run(world: World, what: str, which: str, at: int) -> int | None:
    """Do it in a process that dies at its `at`-th write; return None when it died, else how many writes there were."""
    command = [sys.executable, "-c", CHILD, str(world.root), what, which, str(at)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=dict(os.environ))
    assert ended.returncode in (0, -9), ended.stderr
    return int(ended.stdout) if ended.returncode == 0 else None


def waiting_repair(world: World) -> tuple[str, bytes]:
    world.usual()
    with world.open() as workspace:
        file = failing(world, workspace)
        return propose(workspace).id, file.read_bytes()


def check_repair(world: World, workspace: Workspace, repair_id: str, before: bytes) -> bool:
    """Say whether it was accepted; files, repair, stats, lessons and versions must all say the same."""
    file = world.library / "release-local" / "SKILL.md"
    accepted = workspace.repairs.get(repair_id, REVIEWER).status is RepairStatus.accepted
    stats = workspace.skill("release-local", REVIEWER).stats
    assert (file.read_bytes() != before) == accepted
    assert (stats.reliability, stats.repair_count) == ((0.6, 1) if accepted else (0.2, 0))
    lessons = LessonTable(workspace._database)
    assert len(lessons.all(*WHO)) == 1
    assert len(lessons.open(*WHO)) == (not accepted)
    assert workspace._database.rows("SELECT id FROM skill_changes WHERE action LIKE 'begun:%'") == []
    actions = [one.action for one in workspace.versions.log("release-local", REVIEWER).versions]
    assert actions == (["repair", "seen"] if accepted else ["seen"])
    return accepted


@pytest.mark.slow
def test_a_repair_that_is_killed_at_any_write_is_done_or_not_begun(world: World) -> None:
    repair_id, before = waiting_repair(world)
    reached = set()
    for at in range(1, 60):
        writes = run(world, "repair", repair_id, at)
        with world.open() as workspace:
            done = check_repair(world, workspace, repair_id, before)
            reached.add(done)
            if done:
                with pytest.raises(Conflict):
                    workspace.repairs.accept(repair_id, RepairAccept(), REVIEWER)
                break
        assert writes is None
    assert reached == {True, False}


@pytest.mark.slow
def test_a_revert_that_is_killed_at_any_write_is_done_or_not_begun(world: World) -> None:
    repair_id, before = waiting_repair(world)
    file = world.library / "release-local" / "SKILL.md"
    with world.open() as workspace:
        workspace.repairs.accept(repair_id, RepairAccept(), REVIEWER)
    after = file.read_bytes()
    for at in range(1, 60):
        run(world, "revert", "1", at)
        assert file.read_bytes() in (before, after)
        with world.open() as workspace:
            actions = [one.action for one in workspace.versions.log("release-local", REVIEWER).versions]
            done = file.read_bytes() == before
            assert actions == (["revert", "repair", "seen"] if done else ["repair", "seen"])
            if done:
                break
    with world.open() as workspace:
        workspace.versions.revert("release-local", RevertRequest(to=2), REVIEWER)
        assert file.read_bytes() == after


@pytest.mark.slow
def test_the_end_of_a_task_that_is_killed_at_any_write_counts_once_or_not_at_all(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        task_id = workspace.tasks.begin(BeginRequest(objective=SHIP), AGENT).task_id
    for at in range(1, 40):
        writes = run(world, "end", task_id, at)
        with world.open() as workspace:
            ended = workspace.tasks.get(task_id, AGENT).outcome is Outcome.failure
            assert workspace.skill("release-local", REVIEWER).stats.failure_count == ended
            assert len(LessonTable(workspace._database).open(*WHO)) == ended
            if ended:
                with pytest.raises(Conflict):
                    workspace.tasks.end(task_id, EndRequest(outcome=Outcome.success), AGENT)
                return
        assert writes is None
    pytest.fail("it never ended")
