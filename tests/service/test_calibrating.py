"""`calibrate` over a whole workspace: what it needs, what it changes, and how a running service takes it up."""

from __future__ import annotations

import json

import pytest
from tests.service.http.serving import wait_until
from tests.service.worlds import ME, SHIP, World, ask

from wellworn.models.reports import CalibrationReport
from wellworn.models.resolution import FeedbackRequest, Verdict
from wellworn.service.workspace import Workspace


def label(workspace: Workspace, message: str, skill_id: str | None) -> None:
    answer = ask(workspace, message)
    if answer.skill_id is not None and answer.skill_id == skill_id:
        request = FeedbackRequest(resolution_id=answer.resolution_id, verdict=Verdict.right)
    else:
        request = FeedbackRequest(resolution_id=answer.resolution_id, verdict=Verdict.should_be, skill_id=skill_id)
    workspace.feedback(request, ME)


def garden(number: int) -> str:
    return f"waters the plants number {number} please"


def taught(workspace: Workspace, count: int = 40) -> CalibrationReport:
    for number in range(count):
        label(workspace, garden(number), "water-plants")
    return workspace.calibrate()


def test_a_few_messages_are_too_few_and_change_nothing(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        report = taught(workspace, 5)
    assert (report.kept, report.messages, report.path, report.log_loss_after) == (False, 5, None, None)
    assert "at least 30 are needed" in report.note
    assert not (world.data / "calibration.json").exists()


def test_consistent_feedback_makes_the_confidence_follow(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        before = ask(workspace, "waters the plants today", explain=True)
        report = taught(workspace)
        assert report.kept
        assert report.log_loss_before is not None
        assert report.log_loss_after is not None
        assert report.log_loss_after < report.log_loss_before
        assert report.held_out == 12
        after = ask(workspace, "waters the plants today", explain=True)
    assert after.confidence > before.confidence
    assert after.contributions is not None
    assert "your calibration" in after.contributions.parameters
    for one in after.contributions.candidates:
        assert sum(part.contribution for part in one.contributions) == pytest.approx(one.score)
    outside = sum(part.contribution for part in after.contributions.outside_contributions)
    assert outside == pytest.approx(after.contributions.outside_score)


def test_the_lessons_themselves_do_not_leak_into_the_fit(world: World) -> None:
    """With them every labelled message would be found in its own words, and the fit would think itself perfect."""
    world.usual()
    messages = [f"zq{number} xv{number} kw{number}" for number in range(40)]
    with world.open() as workspace:
        for message in messages:
            label(workspace, message, "water-plants")
        report = workspace.calibrate()
    assert report.log_loss_before is not None
    assert report.log_loss_before > 0.3


def test_feedback_that_contradicts_itself_is_not_kept(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        for number in range(28):
            label(workspace, garden(number), "water-plants")
        for number in range(28, 40):
            label(workspace, garden(number), None)
        report = workspace.calibrate()
    assert not report.kept
    assert "Not kept" in report.note
    assert not (world.data / "calibration.json").exists()


def test_reset_goes_back_to_what_ships(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        before = ask(workspace, SHIP + " perhaps").confidence
        assert taught(workspace).kept
        assert workspace.calibrate(reset=True).note == "Back to the confidences that ship."
        assert "nothing to reset" in workspace.calibrate(reset=True).note
        assert ask(workspace, SHIP + " perhaps").confidence == pytest.approx(before, abs=0.2)
    assert not (world.data / "calibration.json").exists()


def test_messages_about_skills_that_are_gone_do_not_count(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        for number in range(35):
            label(workspace, garden(number), "water-plants")
    for file in (world.library / "water-plants").iterdir():
        file.unlink()
    with world.open() as workspace:
        report = workspace.calibrate()
    assert (report.kept, report.messages) == (False, 0)


def test_a_running_service_takes_it_up_within_a_second(world: World) -> None:
    world.usual()
    with world.open(background=True) as serving:
        with world.open() as workspace:
            assert taught(workspace).kept

        def used() -> str:
            explained = ask(serving, "hello", explain=True).contributions
            assert explained is not None
            return explained.parameters

        wait_until(lambda: "your calibration" in used(), 3)
        (world.data / "calibration.json").unlink()
        wait_until(lambda: "your calibration" not in used(), 3)


def test_it_is_not_used_with_another_encoder(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        assert taught(workspace).kept
    stored = json.loads((world.data / "calibration.json").read_text(encoding="utf-8"))
    assert stored["scale"] > 0
    with world.open(encoder="hashing:128") as workspace:
        answer = ask(workspace, SHIP, explain=True)
    assert answer.contributions is not None
    assert "your calibration" not in answer.contributions.parameters
    assert any("calibrate" in note for note in answer.notes)
