"""kill -9 at each write of a turn and of its review that may install: nothing is half done, and all of it is told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.service.test_reviewing import AGENT, turn
from tests.service.worlds import ME, World

from wellworn.models.errors import NotFound
from wellworn.models.proposal import ProposalStatus
from wellworn.models.skill import Trust
from wellworn.models.turn import TurnReview
from wellworn.service.workspace import Workspace

ROOT = Path(__file__).parents[2]
CHILD = """
import os, signal, sys
from pathlib import Path

from tests.service.test_reviewing import AGENT, Scripted, reviewed, turn, write
from tests.service.worlds import World

root, at = sys.argv[1], int(sys.argv[2])
count = 0


def dies():
    global count
    count += 1
    if count == at:
        os.kill(os.getpid(), signal.SIGKILL)


def traced(statement):
    if statement.startswith("COMMIT"):  # to die within a transaction is to die before its end
        dies()


def audit(event, args):
    if event in ("os.rename", "os.remove", "os.mkdir"):
        dies()


with reviewed(World(Path(root)), Scripted(write), direct=True) as workspace:
    workspace._ready()
    workspace._database._writer.set_trace_callback(traced)
    sys.addaudithook(audit)
    workspace.reviewing.post_turn(turn(), AGENT)
    workspace.reviewing.wait()
    workspace._database._writer.set_trace_callback(None)
    print(count)
    sys.stdout.flush()
    os._exit(0)
"""


def run(world: World, at: int) -> bool:
    """Post the turn in a process that dies at its `at`-th write; say whether it came to its end."""
    command = [sys.executable, "-c", CHILD, str(world.root), str(at)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=dict(os.environ))
    assert ended.returncode in (0, -9), ended.stderr
    return ended.returncode == 0


def found_after(workspace: Workspace) -> str:
    """Return how far it came; the turn, its review, the proposal and the skill must all say the same."""
    proposals = workspace.curation.proposals(ME).proposals
    skills = workspace.skills(ME).skills
    assert workspace._database.rows("SELECT id FROM skill_changes WHERE action LIKE 'begun:%'") == []
    try:
        seen = workspace.reviewing.turn("turn-1", ME)
    except NotFound:
        assert (proposals, skills) == ([], [])
        return "not posted"
    review = seen.review
    assert review is not None
    assert seen.answer.armed
    assert workspace.reviewing.post_turn(turn(), AGENT) == seen.answer
    assert workspace.reviewing.learning("me", ME).counted == 0
    assert review.proposals == [one.id for one in proposals]
    assert review.operations == len(proposals) <= 1
    _check_skill(workspace, review)
    if review.status == "done":
        return "done"
    assert (review.status, "interrupted" in (review.problem or "")) == ("failed", True)
    return "installed" if skills else "proposed" if proposals else "begun"


def _check_skill(workspace: Workspace, review: TurnReview) -> None:
    accepted = [workspace.curation.proposal(one, ME).status is ProposalStatus.accepted for one in review.proposals]
    skills = workspace.skills(ME).skills
    assert len(skills) == sum(accepted)
    assert all(one.manifest.trust is Trust.installed for one in skills)


@pytest.mark.slow
def test_a_review_that_is_killed_at_any_write_is_told_as_it_came_to_be(tmp_path: Path) -> None:
    reached = set()
    for at in range(1, 80):
        world = World(tmp_path / str(at))
        ended = run(world, at)
        with world.open() as workspace:
            reached.add(found_after(workspace))
        if ended:
            break
    assert reached == {"not posted", "begun", "proposed", "installed", "done"}
