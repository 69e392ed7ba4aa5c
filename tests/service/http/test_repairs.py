"""Repairs, versions and reverting over real HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.service.http.office import NOW, Office
from tests.service.http.serving import JSON, problem
from tests.service.worlds import SHIP

from wellworn.models.access import Role


def flagged(office: Office) -> Path:
    """Let release-local fail four times for one cause; return its file."""
    for _ in range(4):
        task_id = office.send("POST", "/tasks", {"objective": SHIP}, role=Role.agent).json()["taskId"]
        for command, code in (("git push --tags", 1), ("git fetch --tags", 0), ("git push --tags", 0)):
            step = {"command": command, "exitCode": code}
            office.send("POST", f"/tasks/{task_id}/steps", step, role=Role.agent)
        body = {"outcome": "failure", "skill": "release-local"}
        office.send("POST", f"/tasks/{task_id}/end", body, role=Role.agent)
    return office.world.library / "release-local" / "SKILL.md"


def proposed(office: Office) -> dict[str, Any]:
    answer = office.send("POST", "/skills/release-local/repairs", {})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["repair"]
    return found


def test_a_repair_is_proposed_edited_accepted_and_the_decision_follows(office: Office) -> None:
    file = flagged(office)
    before = file.read_bytes()
    assert office.resolve(SHIP)["decision"] == "review"
    repair = proposed(office)
    assert "git fetch --tags" in repair["diff"]
    assert {one["answeredBy"] is not None for one in repair["lessons"]} == {True}
    path = f"/repairs/{repair['id']}"
    edited = office.send("POST", f"{path}/edit", {"steps": ["Look.", "Run `git fetch --tags`", "Push the tag."]}).json()
    assert "+2. Run `git fetch --tags`" in edited["repair"]["diff"]
    assert file.read_bytes() == before
    done = office.send("POST", f"{path}/accept", {}).json()
    assert (done["repair"]["approval"], done["stats"]["reliability"]) == ("user-edited", 0.6)
    assert done["instruction"].startswith("USER DECISION: ")
    assert office.resolve(SHIP)["decision"] == "confirm"
    assert office.send("GET", "/repairs?status=accepted").json()["repairs"][0]["id"] == repair["id"]


def test_to_an_agents_key_the_skill_is_reported_and_nothing_is_decided(office: Office) -> None:
    file = flagged(office)
    before = file.read_bytes()
    told = problem(office.send("POST", "/skills/release-local/repairs", {}, role=Role.agent), 409, "conflict")
    assert "is flagged, and repair is disabled" in told["detail"]
    repair = proposed(office)
    for verb, body in (("accept", {}), ("edit", {"steps": ["x"]}), ("cancel", None)):
        answer = office.send("POST", f"/repairs/{repair['id']}/{verb}", body, role=Role.agent)
        problem(answer, 403, "not-allowed")
    problem(office.send("POST", "/skills/release-local/revert", {"to": 1}, role=Role.agent), 403, "not-allowed")
    assert file.read_bytes() == before
    assert office.send("GET", f"/repairs/{repair['id']}", role=Role.agent).json()["status"] == "proposed"


def test_files_that_were_changed_meanwhile_are_not_written_over(office: Office) -> None:
    file = flagged(office)
    repair = proposed(office)
    file.write_text(file.read_text() + "\nMine.\n")
    before = file.read_bytes()
    told = problem(office.send("POST", f"/repairs/{repair['id']}/accept", {}), 409, "conflict")
    assert "changed since" in told["detail"]
    assert file.read_bytes() == before


def test_a_repair_is_decided_once(office: Office) -> None:
    flagged(office)
    path = f"/repairs/{proposed(office)['id']}"
    assert office.send("POST", f"{path}/cancel").json()["instruction"].startswith("USER DECISION: ")
    problem(office.send("POST", f"{path}/accept", {}), 409, "conflict")
    problem(office.send("POST", f"{path}/edit", {"steps": ["x"]}), 409, "conflict")


@pytest.mark.parametrize("repair_id", ["01UNKNOWN", "..%2F..%2Fetc%2Fpasswd", "x" * 300])
def test_an_unknown_repair_is_not_found_whoever_it_belongs_to(office: Office, repair_id: str) -> None:
    flagged(office)
    mine = proposed(office)["id"]
    secret = office.workspace.keys.create(Role.reviewer, "bea", now=NOW)[1]
    headers = {"authorization": f"Bearer {secret}", **JSON}
    for one in (repair_id, mine):
        for method, path, body in (
            ("GET", "", None),
            ("POST", "/accept", {}),
            ("POST", "/edit", {"steps": ["x"]}),
            ("POST", "/cancel", None),
        ):
            answer = office.served.client.request(method, f"/repairs/{one}{path}", json=body, headers=headers)
            assert answer.status_code == 404, answer.text
    listed = office.served.client.get("/repairs", headers={"authorization": f"Bearer {secret}"}).json()
    assert listed == {"repairs": []}


@pytest.mark.parametrize(
    ("body", "field"),
    [({}, "steps"), ({"steps": []}, "steps"), ({"steps": ["  "]}, "steps"), ({"steps": ["x" * 2001]}, "steps")],
)
def test_steps_that_cannot_be_used_are_refused_with_their_field(
    office: Office, body: dict[str, Any], field: str
) -> None:
    flagged(office)
    repair = proposed(office)
    told = problem(office.send("POST", f"/repairs/{repair['id']}/edit", body), 400, "invalid-input")
    assert field in told["field"]
    assert office.send("GET", f"/repairs/{repair['id']}").json() == repair


@pytest.mark.parametrize("ref", ["Not An Id", "..%2F..%2Fetc", "x" * 300, "no-such-skill"])
def test_a_skill_that_is_none_is_refused_by_every_operation(office: Office, ref: str) -> None:
    for method, path, body in (
        ("POST", "repairs", {}),
        ("GET", "versions", None),
        ("GET", "versions/diff", None),
        ("POST", "revert", {"to": 1}),
    ):
        assert office.send(method, f"/skills/{ref}/{path}", body).status_code in (400, 404)


def test_versions_are_listed_compared_and_gone_back_to(office: Office) -> None:
    file = flagged(office)
    before = file.read_bytes()
    office.send("POST", f"/repairs/{proposed(office)['id']}/accept", {})
    versions = office.send("GET", "/skills/release-local/versions", role=Role.agent).json()["versions"]
    assert [(one["number"], one["action"], one["current"]) for one in versions] == [
        (2, "repair", True),
        (1, "seen", False),
    ]
    diff = office.send("GET", "/skills/release-local/versions/diff?older=1&newer=2").json()["diff"]
    assert "git fetch --tags" in diff
    shown = office.send("POST", "/skills/release-local/revert", {"to": 1, "dryRun": True}).json()
    assert (shown["changed"], shown.get("change")) == (True, None)
    done = office.send("POST", "/skills/release-local/revert", {"to": 1, "expectedHash": shown["hash"]}).json()
    assert done["change"]["action"] == "revert"
    assert file.read_bytes() == before
    problem(office.send("POST", "/skills/release-local/revert", {"to": 9}), 404, "not-found")
    problem(office.send("POST", "/skills/release-local/revert", {"to": 0}), 400, "invalid-input")
    stale = {"to": 2, "expectedHash": shown["hash"]}
    problem(office.send("POST", "/skills/release-local/revert", stale), 409, "conflict")
