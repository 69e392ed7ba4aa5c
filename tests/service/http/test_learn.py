"""Proposing a skill from a task over HTTP."""

from __future__ import annotations

import pytest
from tests.service.http.office import Office

from wellworn.models.access import Role

STEPS = ("npm ci", "npm run build", "npm test")


def finished(office: Office, outcome: str = "success") -> str:
    begun = office.send("POST", "/tasks", {"objective": "qwertz the uiop"}, role=Role.agent).json()
    for command in STEPS:
        body = {"command": command, "exitCode": 0}
        office.send("POST", f"/tasks/{begun['taskId']}/steps", body, role=Role.agent)
    office.send("POST", f"/tasks/{begun['taskId']}/end", {"outcome": outcome}, role=Role.agent)
    task_id: str = begun["taskId"]
    return task_id


def test_an_agent_proposes_a_reviewer_accepts_and_the_objective_is_answered(office: Office) -> None:
    answer = office.send("POST", f"/tasks/{finished(office)}/learn", {}, role=Role.agent)
    assert answer.status_code == 200
    proposal = answer.json()
    assert proposal["status"] == "suggested"
    path = f"/proposals/{proposal['id']}/accept"
    assert office.send("POST", path, {}, role=Role.agent).status_code == 403
    assert office.send("POST", path, {}).status_code == 200
    assert office.resolve("qwertz the uiop")["skillId"] == proposal["manifest"]["id"]


def test_a_task_that_failed_is_a_conflict_with_its_reasons(office: Office) -> None:
    answer = office.send("POST", f"/tasks/{finished(office, 'failure')}/learn", {}, role=Role.agent)
    assert answer.status_code == 409
    assert "It ended in failure" in answer.json()["detail"]


@pytest.mark.parametrize("task_id", ["01UNKNOWN", "..%2F..%2Fetc", "%00", "a%0Ab"])
def test_an_unknown_task_is_not_found(office: Office, task_id: str) -> None:
    assert office.send("POST", f"/tasks/{task_id}/learn", {}, role=Role.agent).status_code == 404


def test_a_field_that_is_not_known_is_refused(office: Office) -> None:
    answer = office.send("POST", f"/tasks/{finished(office)}/learn", {"force": True}, role=Role.agent)
    assert (answer.status_code, answer.json()["field"]) == (400, "force")
