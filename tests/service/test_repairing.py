"""A flagged skill is repaired behind a person's decision."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.service.curating import AGENT, REVIEWER, worked
from tests.service.worlds import World

from wellworn.models.access import Caller, Role
from wellworn.models.errors import Conflict, InvalidId, NotAllowed, NotFound
from wellworn.models.repair import Approval, Repair, RepairAccept, RepairEdit, RepairRequest, RepairStatus
from wellworn.models.skill import Scope
from wellworn.models.task import Lesson, Outcome
from wellworn.service.workspace import Workspace
from wellworn.store.lessons import LessonTable
from wellworn.store.runtime_settings import RuntimeSettingsTable

NOW = datetime(2026, 3, 1, tzinfo=UTC)
WHO = (Scope.user, "local", "release-local")


def failing(world: World, workspace: Workspace) -> Path:
    worked(workspace, "release-local", 2, 0.2)
    told = Lesson(id="l1", ts=NOW, lesson="The push met an old tag.", analysis="", outcome=Outcome.failure, by="steps")
    LessonTable(workspace._database).add(*WHO, told)
    return world.library / "release-local/SKILL.md"


def propose(workspace: Workspace, caller: Caller = REVIEWER, **request: bool) -> Repair:
    return workspace.repairs.propose("release-local", RepairRequest.model_validate(request), caller).repair


def test_an_accepted_repair_changes_the_steps_only_and_begins_anew(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        file = failing(world, workspace)
        before = file.read_bytes()
        repair = propose(workspace)
        assert file.read_bytes() == before
        assert "+2. Check first: The push met an old tag." in repair.diff
        assert repair.lessons[0].answered_by == "Check first: The push met an old tag."
        answer = workspace.repairs.accept(repair.id, RepairAccept(), REVIEWER)
        added = b"2. Check first: The push met an old tag.\n3. Push the tag."
        assert file.read_bytes() == before.replace(b"2. Push the tag.", added)
        assert answer.stats is not None
        assert (answer.stats.reliability, answer.stats.success_count, answer.stats.repair_count) == (0.6, 0, 1)
        assert answer.repair.approval is Approval.user_approved
        assert (answer.instruction or "").startswith("USER DECISION:")
        lessons = LessonTable(workspace._database)
        assert (lessons.open(*WHO), lessons.all(*WHO)[0].repair_id) == ([], repair.id)
        assert workspace.versions.log("release-local", REVIEWER).versions[0].action == "repair"
        with pytest.raises(Conflict, match="already accepted"):
            workspace.repairs.cancel(repair.id, REVIEWER)


def test_a_cancelled_repair_changes_nothing(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        file = failing(world, workspace)
        before = file.read_bytes()
        repair = propose(workspace)
        assert "cancelled" in (workspace.repairs.cancel(repair.id, REVIEWER).instruction or "")
        with pytest.raises(Conflict, match="already cancelled"):
            workspace.repairs.accept(repair.id, RepairAccept(), REVIEWER)
        assert file.read_bytes() == before
        assert len(LessonTable(workspace._database).open(*WHO)) == 1


def test_an_edited_repair_is_the_persons(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        file = failing(world, workspace)
        repair = propose(workspace)
        assert workspace.repairs.edit(repair.id, RepairEdit(steps=repair.new_steps), REVIEWER).notes
        workspace.repairs.edit(repair.id, RepairEdit(steps=["Look.", "Delete the tag.", "Push the tag."]), REVIEWER)
        answer = workspace.repairs.accept(repair.id, RepairAccept(), REVIEWER)
        assert answer.repair.approval is Approval.user_edited
        assert b"2. Delete the tag.\n3. Push the tag." in file.read_bytes()


def test_files_that_changed_since_the_proposal_are_not_written_over(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        file = failing(world, workspace)
        repair = propose(workspace)
        file.write_bytes(file.read_bytes() + b"By hand.\n")
        before = file.read_bytes()
        with pytest.raises(Conflict, match="changed since"):
            workspace.repairs.accept(repair.id, RepairAccept(), REVIEWER)
        assert file.read_bytes() == before


def test_an_agent_decides_nothing_and_strangers_see_nothing(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        file = failing(world, workspace)
        before = file.read_bytes()
        repair = propose(workspace)
        with pytest.raises(NotAllowed):
            workspace.repairs.accept(repair.id, RepairAccept(), AGENT)
        with pytest.raises(NotAllowed):
            workspace.repairs.edit(repair.id, RepairEdit(steps=["x"]), AGENT)
        with pytest.raises(NotAllowed):
            workspace.repairs.cancel(repair.id, AGENT)
        eve = Caller(role=Role.reviewer, user="eve", key_id="k-eve")
        with pytest.raises(NotFound):
            workspace.repairs.accept(repair.id, RepairAccept(), eve)
        assert workspace.repairs.list(eve) == []
        assert file.read_bytes() == before


def test_without_a_person_the_setting_decides_and_never_over_a_persons_text(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        file = failing(world, workspace)
        for caller, request in ((AGENT, {}), (REVIEWER, {"headless": True})):
            with pytest.raises(Conflict, match="repair is disabled"):
                propose(workspace, caller, **request)
        RuntimeSettingsTable(workspace._database).put("auto_repair", True, by="local", now=NOW)
        before = file.read_bytes()
        with pytest.raises(Conflict, match="a person wrote it"):
            propose(workspace, AGENT)
        assert file.read_bytes() == before


def test_a_later_proposal_supersedes_and_bad_ids_are_refused(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        failing(world, workspace)
        first, second = propose(workspace), propose(workspace)
        assert workspace.repairs.get(first.id, REVIEWER).status is RepairStatus.superseded
        assert [one.id for one in workspace.repairs.list(REVIEWER, status=RepairStatus.proposed)] == [second.id]
        with pytest.raises(InvalidId):
            workspace.repairs.propose("../release-local", RepairRequest(), REVIEWER)
        with pytest.raises(NotFound):
            workspace.repairs.get("../../etc", REVIEWER)
