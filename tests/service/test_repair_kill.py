"""kill -9 before each write of a decision, a repair and the end of a task: nothing of it, or all of it.

Every write of rows and of files is a place to die at, each from the same beginning; and a retry works.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.service.curating import AGENT, REVIEWER, worked
from tests.service.dying import CALLS, SKILL, dying
from tests.service.worlds import SHIP, World

from wellworn.models.errors import Conflict
from wellworn.models.repair import RepairAccept, RepairEdit, RepairRequest
from wellworn.models.skill import Scope
from wellworn.models.task import BeginRequest, EndRequest, Outcome
from wellworn.service.workspace import Workspace
from wellworn.store.lessons import LessonTable

WHO = (Scope.user, "local", SKILL)
MOST_WRITES = 120
STEPS = ["Look.", "Delete the tag.", "Push the tag."]


def begin(workspace: Workspace) -> str:
    return workspace.tasks.begin(BeginRequest(objective=SHIP), AGENT).task_id


def failed(workspace: Workspace, reason: str) -> None:
    workspace.tasks.end(begin(workspace), EndRequest(outcome=Outcome.failure, skill=SKILL, reason=reason), AGENT)


def proposed(workspace: Workspace) -> str:
    worked(workspace, SKILL, 2, 0.5)
    failed(workspace, "The push met an old tag.")
    return workspace.repairs.propose(SKILL, RepairRequest(), REVIEWER).repair.id


def edited(workspace: Workspace) -> str:
    repair_id = proposed(workspace)
    workspace.repairs.edit(repair_id, RepairEdit(steps=STEPS), REVIEWER)
    return repair_id


def repaired(workspace: Workspace) -> str:
    workspace.repairs.accept(proposed(workspace), RepairAccept(), REVIEWER)
    return "1"


def updatable(workspace: Workspace) -> str:
    repaired(workspace)
    for reason in ("The tag had a wrong name.", "The branch was behind."):
        failed(workspace, reason)
    return workspace.repairs.propose(SKILL, RepairRequest(), REVIEWER).repair.id


def seen(world: World, workspace: Workspace) -> dict[str, Any]:
    """Everything that must agree: files, numbers, lessons, repairs, tasks, outcomes, history and versions."""
    stats, database = workspace.skill(SKILL, REVIEWER).stats, workspace._database
    lessons = LessonTable(database).all(*WHO)
    return {
        "files": files(world),
        "numbers": (stats.reliability, stats.success_count, stats.failure_count, stats.repair_count),
        "lessons": [(one.lesson, one.repair_id is not None) for one in lessons],
        "repairs": sorted((str(one.status), str(one.approval)) for one in workspace.repairs.list(REVIEWER)),
        "tasks": sorted(str(one.outcome) for one in workspace.tasks.list(REVIEWER).tasks),
        "outcomes": database.rows("SELECT outcome, count(*) FROM outcomes GROUP BY outcome ORDER BY outcome"),
        "history": [one.action for one in workspace.care.history(SKILL, REVIEWER).changes],
        "begun": database.rows("SELECT id FROM skill_changes WHERE action LIKE 'begun:%'"),
        "versions": [(one.action, one.current) for one in workspace.versions.log(SKILL, REVIEWER).versions],
    }


def files(world: World) -> dict[str, bytes]:
    """The skill's own files; hidden ones are remains that the next write takes away."""
    folder = world.library / SKILL
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if not path.name.startswith(".")}


def remains(world: World) -> list[str]:
    return [path.name for path in world.home.rglob(".*.tmp-*")]


@dataclass(frozen=True)
class Case:
    """A call, what it starts from, and what it must come to.

    beside: the folder holds another file, so two files cannot change places at once and one may be new alone.
    """

    what: str
    start: Callable[[Workspace], str]
    comes_to: dict[str, Any]
    again: type[Exception] | None = Conflict
    manifest: dict[str, Any] | None = None
    beside: bool = False


CASES = {
    "accept": Case("accept", proposed, {"numbers": (0.6, 0, 0, 1), "repairs": [("accepted", "user-approved")]}),
    "accept of a person's own steps, which makes the skill theirs": Case(
        "accept",
        edited,
        {"numbers": (0.6, 0, 0, 1), "repairs": [("accepted", "user-edited")]},
        manifest={"provenance": "agent"},
    ),
    "cancel": Case("cancel", proposed, {"repairs": [("cancelled", "None")], "numbers": (0.3, 2, 1, 0)}),
    "revert": Case("revert", repaired, {"history": ["revert", "repair"], "numbers": (0.6, 0, 0, 1)}, again=None),
    "update with a reset": Case(
        "update",
        updatable,
        {
            "history": ["update", "repair"],
            "numbers": (1.0, 0, 0, 0),
            "repairs": [("accepted", "user-approved"), ("superseded", "None")],
        },
        again=None,
    ),
    "update beside another file": Case(
        "update", updatable, {"history": ["update", "repair"], "numbers": (1.0, 0, 0, 0)}, again=None, beside=True
    ),
    "a failed end": Case(
        "fail", begin, {"numbers": (0.8, 0, 1, 0), "outcomes": [("failure", 1)], "lessons": [("it broke.", False)]}
    ),
    "an end that succeeded": Case("succeed", begin, {"numbers": (1.0, 1, 0, 0), "outcomes": [("success", 1)]}),
}


class Begun:
    """A world with the case's beginning, which can be gone back to."""

    def __init__(self, world: World, case: Case, kept: Path) -> None:
        self.world, self.case, self.kept = world, case, kept
        world.usual()
        if case.manifest is not None:
            body = "## Steps\n1. Look.\n2. Push the tag.\n"
            world.skill(SKILL, "Cuts a release.", aliases=[SHIP], body=body, **case.manifest)
        if case.beside:
            (world.library / SKILL / "notes.txt").write_text("Mine.", encoding="utf-8")
        with world.open() as workspace:
            self.which = case.start(workspace)
            self.before = seen(world, workspace)
        for folder in (world.home, world.data):
            shutil.copytree(folder, kept / folder.name, symlinks=True)

    def go_back(self) -> None:
        for folder in (self.world.home, self.world.data):
            shutil.rmtree(folder)
            shutil.copytree(self.kept / folder.name, folder, symlinks=True)

    def make(self, workspace: Workspace) -> None:
        CALLS[self.case.what](workspace, self.which)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_what_is_killed_before_any_of_its_writes_is_done_or_not_begun(world: World, tmp_path: Path, name: str) -> None:
    case = CASES[name]
    begun = Begun(world, case, tmp_path / "kept")
    with world.open() as workspace:
        begun.make(workspace)
        after = seen(world, workspace)
    assert {key: after[key] for key in case.comes_to} == case.comes_to
    reached, writes = [], None
    with dying(world) as call:
        for at in range(1, MOST_WRITES):
            begun.go_back()
            writes = call(case.what, begun.which, at)
            done = _settled(begun, after)
            reached.append(done)
            if writes is not None:
                break
    assert writes == len(reached) - 1, reached
    assert reached[0] is False
    assert reached[-1] is True
    assert sorted(reached) == reached  # never undone by dying later


def _settled(begun: Begun, after: dict[str, Any]) -> bool:
    """Look at what a killed call left, and do it again where it is not done; return whether it was."""
    world, case, before = begun.world, begun.case, begun.before
    left = files(world)
    assert all(data in (before["files"].get(one), after["files"].get(one)) for one, data in left.items())
    torn = left not in (before["files"], after["files"])
    assert case.beside or not torn
    with world.open() as workspace:
        found = seen(world, workspace)
        if torn:  # one file is new alone, which nobody takes for what was decided
            assert {**found, "files": 0, "versions": 0} == {**before, "files": 0, "versions": 0}
            assert found["versions"] == [("edited by hand", True), *[(one, False) for one, _ in before["versions"]]]
            begun.make(workspace)
            assert {**seen(world, workspace), "versions": 0} == {**after, "versions": 0}
            return False
        assert found in (before, after)
        done: bool = found == after
        if not done:
            begun.make(workspace)
        elif case.again is not None:
            with pytest.raises(case.again):
                begun.make(workspace)
        assert seen(world, workspace) == after
    assert remains(world) == []
    return done
