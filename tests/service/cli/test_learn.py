"""`wellworn skills learn`, in this process and through a running service."""

from __future__ import annotations

import pytest
from tests.service.cli.commands import Commands, sentence
from tests.service.worlds import World

WISH = "qwertz the uiop"


@pytest.fixture(autouse=True)
def _library(world: World) -> None:
    world.usual()


def finished(cli: Commands, outcome: str = "success") -> str:
    task_id: str = cli.ok("task", "begin", WISH, "--json").json["taskId"]
    for command in ("npm ci", "npm run build", "npm test"):
        cli.ok("task", "step", task_id, command, "--exit-code", "0")
    cli.ok("task", "end", task_id, "--outcome", outcome)
    return task_id


def test_a_task_becomes_a_proposal_that_is_shown_accepted_and_then_answers(cli: Commands) -> None:
    task_id = finished(cli)
    shown = cli.ok("skills", "learn", task_id).out
    assert "Run `npm ci`" in shown
    assert f"one task only, {task_id} (`wellworn task show` shows it)" in " ".join(shown.split())
    assert "trace show" not in shown
    proposal = cli.ok("skills", "learn", task_id, "--json").json
    assert f"wellworn skills accept {proposal['id']}" in shown
    cli.ok("skills", "accept", proposal["id"])
    assert cli.ok("resolve", WISH, "--json").json["skillId"] == proposal["manifest"]["id"]


def test_a_task_that_failed_and_an_unknown_one_are_one_sentence(cli: Commands) -> None:
    assert "It ended in failure" in sentence(cli("skills", "learn", finished(cli, "failure")), code=1)
    assert "There is no task '../../x'" in sentence(cli("skills", "learn", "../../x"), code=1)


def test_through_a_running_service_it_is_the_same(cli: Commands) -> None:
    with cli.service():
        task_id = finished(cli)
        proposal = cli.ok("skills", "learn", task_id, "--json").json
        assert proposal["candidate"]["evidenceEventIds"] == [task_id]
        assert "There is no task" in sentence(cli("skills", "learn", "01UNKNOWN"), code=1)
