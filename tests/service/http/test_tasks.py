"""Tasks and choices over real HTTP: who may do what, and every mistake is told."""

from __future__ import annotations

from typing import Any

import pytest
from tests.service.http.office import NOW, Office
from tests.service.http.serving import JSON, problem
from tests.service.worlds import SHIP

from wellworn.models.access import Role


def begin(office: Office, objective: str = SHIP) -> dict[str, Any]:
    answer = office.send("POST", "/tasks", {"objective": objective}, role=Role.agent)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def fail(office: Office, times: int = 1) -> dict[str, Any]:
    for _ in range(times):
        task_id = begin(office)["taskId"]
        office.send("POST", f"/tasks/{task_id}/steps", {"command": "npm test", "exitCode": 1}, role=Role.agent)
        body = {"outcome": "failure", "skill": "release-local"}
        ended = office.send("POST", f"/tasks/{task_id}/end", body, role=Role.agent)
        assert ended.status_code == 200, ended.text
    found: dict[str, Any] = ended.json()
    return found


def test_a_task_goes_from_its_beginning_to_its_lesson(office: Office) -> None:
    ended = fail(office)
    assert ended["stats"]["reliability"] == 0.8
    assert ended["reflection"]["lesson"].startswith("`npm test` failed with exit code 1")
    shown = office.send("GET", f"/tasks/{ended['task']['id']}", role=Role.agent).json()
    assert (shown["outcome"], shown["steps"][0]["command"]) == ("failure", "npm test")
    assert office.send("GET", "/tasks?status=ended", role=Role.agent).json()["total"] == 1


def test_a_flagged_match_waits_for_a_persons_choice(office: Office) -> None:
    assert fail(office, 4)["flagged"]["choices"] == ["proceed", "repair", "skip"]
    answer = office.resolve(SHIP)
    assert answer["decision"] == "review"
    [told] = answer["flagged"]["recentFailures"]
    assert told.endswith("(4 times)")
    task = begin(office)
    path = f"/tasks/{task['taskId']}/choice"
    problem(office.send("POST", path, {"choice": "proceed"}, role=Role.agent), 403, "not-allowed")
    chosen = office.send("POST", path, {"choice": "skip"}).json()
    assert chosen["instruction"].startswith("USER DECISION: do not use release-local@user.")
    problem(office.send("POST", path, {"choice": "proceed"}), 409, "conflict")
    assert begin(office)["instruction"].startswith("USER DECISION: ")


def test_an_answer_without_a_task_can_be_chosen_about(office: Office) -> None:
    fail(office, 4)
    path = f"/resolutions/{office.resolve(SHIP)['resolutionId']}/choice"
    problem(office.send("POST", path, {"choice": "proceed"}, role=Role.agent), 403, "not-allowed")
    assert office.send("POST", path, {"choice": "proceed"}).json()["choice"] == "proceed"


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/tasks", {}, "objective"),
        ("/tasks", {"objective": "   "}, "objective"),
        ("/tasks", {"objective": "x" * 4001}, "objective"),
        ("/tasks", {"objective": "x", "more": 1}, "more"),
        ("/tasks/{id}/steps", {"command": ""}, "command"),
        ("/tasks/{id}/steps", {"command": "x", "exitCode": "one"}, "exitCode"),
        ("/tasks/{id}/steps", {"command": "x", "exitCode": 2**40}, "exitCode"),
        ("/tasks/{id}/end", {"outcome": "splendid"}, "outcome"),
        ("/tasks/{id}/end", {}, "outcome"),
        ("/tasks/{id}/end", {"outcome": "success", "evidence": "x" * 4001}, "evidence"),
        ("/tasks/{id}/choice", {"choice": "maybe"}, "choice"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_field_and_changes_nothing(
    office: Office, path: str, body: dict[str, Any], field: str
) -> None:
    task_id = begin(office)["taskId"]
    before = office.send("GET", f"/tasks/{task_id}").json()
    told = problem(office.send("POST", path.format(id=task_id), body), 400, "invalid-input")
    assert field in told["field"]
    assert office.send("GET", f"/tasks/{task_id}").json() == before
    assert office.send("GET", "/tasks").json()["total"] == 1


@pytest.mark.parametrize("task_id", ["01UNKNOWN", "..%2F..%2Fetc%2Fpasswd", "x" * 300])
def test_an_unknown_task_is_not_found_whoever_it_belongs_to(office: Office, task_id: str) -> None:
    secret = office.workspace.keys.create(Role.reviewer, "bea", now=NOW)[1]
    headers = {"authorization": f"Bearer {secret}", **JSON}
    mine = begin(office)["taskId"]
    for one in (task_id, mine):
        for method, path, body in (
            ("GET", "", None),
            ("POST", "/steps", {"command": "x"}),
            ("POST", "/end", {"outcome": "success"}),
            ("POST", "/choice", {"choice": "skip"}),
        ):
            answer = office.served.client.request(method, f"/tasks/{one}{path}", json=body, headers=headers)
            assert answer.status_code == 404, answer.text


def test_a_second_end_and_a_late_step_are_conflicts(office: Office) -> None:
    task_id = fail(office)["task"]["id"]
    problem(office.send("POST", f"/tasks/{task_id}/end", {"outcome": "success"}), 409, "conflict")
    problem(office.send("POST", f"/tasks/{task_id}/steps", {"command": "x"}), 409, "conflict")
