"""kill -9 in the middle of a decision: nothing of it, or the skill with its record; and a retry works."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.service.curating import OVER_THE_HILL, RECIPE, REVIEWER, accept, propose, texts, trust_of, worked
from tests.service.worlds import World, ask

from wellworn.models.curation import TrustRequest
from wellworn.models.errors import Conflict
from wellworn.models.proposal import ProposalStatus
from wellworn.models.skill import Trust

ROOT = Path(__file__).parents[2]
CHILD = """
import os, signal, sys
from pathlib import Path

from tests.service.curating import REVIEWER, accept
from tests.service.worlds import World
from wellworn.models.curation import TrustRequest
from wellworn.service import care, curation
from wellworn.store.proposals import ProposalTable
from wellworn.store.skill_changes import SkillChangeTable


def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)


def after(function):
    def killed(*args, **kwargs):
        function(*args, **kwargs)
        die()
    return killed


place, what = sys.argv[2], sys.argv[3]
if place == "begun":
    SkillChangeTable.begin = after(SkillChangeTable.begin)
if place == "recipe":
    curation.write_recipe = after(curation.write_recipe)
if place == "files":
    curation.write_skill = after(curation.write_skill)
    care.write_skill = after(care.write_skill)
if place == "decided":
    SkillChangeTable.finish = after(SkillChangeTable.finish)
with World(Path(sys.argv[1])).open() as workspace:
    if what == "accept":
        accept(workspace)
    else:
        care.Care.change_trust(workspace.care, "promote", "ship-it", TrustRequest(), REVIEWER)
"""


def killed(world: World, place: str, what: str) -> None:
    command = [sys.executable, "-c", CHILD, str(world.root), place, what]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=dict(os.environ))
    assert ended.returncode == -9, ended.stderr


@pytest.mark.parametrize("place", ["begun", "recipe"])
def test_an_accept_killed_before_its_skill_is_there_leaves_nothing(world: World, place: str) -> None:
    with world.open() as workspace:
        propose(workspace, recipe=RECIPE)
    killed(world, place, "accept")
    with world.open() as workspace:
        assert workspace.curation.proposal("p1", REVIEWER).status is ProposalStatus.suggested
        assert workspace._database.rows("SELECT id FROM skill_changes") == []
        assert not (world.home / ".wellworn/forge/ship-it.yaml").exists()
        assert ask(workspace, OVER_THE_HILL).skill_id is None
        assert accept(workspace).skill.id == "ship-it"
        assert ask(workspace, OVER_THE_HILL).skill_id == "ship-it"


@pytest.mark.parametrize("place", ["files", "decided"])
def test_an_accept_killed_after_its_skill_is_there_is_completed_at_the_next_start(world: World, place: str) -> None:
    with world.open() as workspace:
        propose(workspace, recipe=RECIPE)
    killed(world, place, "accept")
    assert set(texts(world.home / ".wellworn")) == {
        "forge/ship-it.yaml",
        "skills/ship-it/SKILL.md",
        "skills/ship-it/manifest.yaml",
    }
    with world.open() as workspace:
        proposal = workspace.curation.proposal("p1", REVIEWER)
        assert (proposal.status, proposal.decided_by) == (ProposalStatus.accepted, "k-rev")
        (change,) = workspace.care.history("ship-it", REVIEWER).changes
        assert (change.action, change.proposal_id) == ("accept", "p1")
        assert ask(workspace, OVER_THE_HILL).skill_id == "ship-it"
        with pytest.raises(Conflict, match="already accepted"):
            accept(workspace)


def test_a_promotion_killed_before_the_file_was_written_has_not_happened(world: World) -> None:
    with world.open() as workspace:
        propose(workspace)
        accept(workspace)
        worked(workspace, "ship-it", 9)
    killed(world, "begun", "promote")
    with world.open() as workspace:
        assert trust_of(workspace, "ship-it") is Trust.installed
        assert [one.action for one in workspace.care.history("ship-it", REVIEWER).changes] == ["accept"]
        workspace.care.change_trust("promote", "ship-it", TrustRequest(), REVIEWER)
        assert trust_of(workspace, "ship-it") is Trust.trusted


def test_a_promotion_killed_after_the_file_was_written_is_recorded_at_the_next_start(world: World) -> None:
    with world.open() as workspace:
        propose(workspace)
        accept(workspace)
        worked(workspace, "ship-it", 9)
    killed(world, "files", "promote")
    with world.open() as workspace:
        assert trust_of(workspace, "ship-it") is Trust.trusted
        promoted, _ = workspace.care.history("ship-it", REVIEWER).changes
        assert (promoted.action, promoted.from_trust, promoted.to_trust) == ("promote", "installed", "trusted")
        assert promoted.after_hash


def test_a_hand_made_folder_is_not_taken_for_what_was_begun(world: World) -> None:
    with world.open() as workspace:
        propose(workspace)
    killed(world, "begun", "accept")
    world.skill("ship-it", "By hand.")
    with world.open() as workspace:
        assert workspace.curation.proposal("p1", REVIEWER).status is ProposalStatus.suggested
        assert workspace.care.history("ship-it", REVIEWER).changes == []
        with pytest.raises(Conflict):
            accept(workspace)
