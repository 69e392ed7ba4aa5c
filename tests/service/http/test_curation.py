"""Trust, updates, history and the end of sessions over real HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.service.curating import OVER_THE_HILL, propose, texts, worked
from tests.service.http.office import Office
from tests.service.http.serving import problem
from tests.service.http.test_proposals import NAMES, VALUES
from tests.service.worlds import SHIP

from wellworn.models.access import Role
from wellworn.models.skill import Scope


def test_a_skill_that_is_disabled_answers_no_more_until_it_is_enabled(office: Office) -> None:
    assert office.resolve(SHIP)["skillId"] == "release-local"
    found = office.send("POST", "/skills/release-local/disable", {"reason": "not now"}).json()
    assert (found["change"]["toTrust"], found["change"]["reason"]) == ("disabled", "not now")
    assert office.resolve(SHIP)["skillId"] is None
    office.send("POST", "/skills/release-local/enable", {})
    assert office.resolve(SHIP)["skillId"] == "release-local"


def test_a_promotion_counts_in_the_next_ambient_answer(office: Office) -> None:
    worked(office.workspace, "release-local", 20)
    assert office.resolve(SHIP)["decision"] == "confirm"
    for level in ("trusted", "automatic"):
        answer = office.send("POST", "/skills/release-local/promote", {"to": level})
        assert answer.status_code == 200, answer.text
    assert office.resolve(SHIP)["decision"] == "proceed"
    changes = office.send("GET", "/skills/release-local/history", role=Role.agent).json()["changes"]
    assert [one["toTrust"] for one in changes] == ["automatic", "trusted"]


def test_missing_evidence_is_a_conflict_that_names_it(office: Office) -> None:
    told = problem(office.send("POST", "/skills/release-local/promote", {}), 409, "conflict")
    assert "0 of the 5" in told["detail"]


def test_a_deleted_skill_is_archived_and_can_be_brought_back(office: Office) -> None:
    assert office.send("DELETE", "/skills/release-local").json()["skill"]["manifest"]["trust"] == "archived"
    assert (office.world.library / "release-local/SKILL.md").is_file()
    assert office.resolve(SHIP)["skillId"] is None
    assert office.send("POST", "/skills/release-local/enable", {}).status_code == 200


def test_an_update_is_shown_and_then_made(office: Office) -> None:
    shown = office.send("PATCH", "/skills/release-local", {"addAliases": [OVER_THE_HILL], "dryRun": True}).json()
    assert OVER_THE_HILL in shown["diff"]
    body = {"addAliases": [OVER_THE_HILL], "expectedHash": shown["hash"]}
    assert office.send("PATCH", "/skills/release-local", body).json()["changed"] is True
    assert office.resolve(OVER_THE_HILL)["skillId"] == "release-local"
    problem(office.send("PATCH", "/skills/release-local", body), 409, "conflict")


def test_a_session_is_ended_by_its_own_agent(office: Office) -> None:
    propose(office.workspace, scope=Scope.session, session_id="s1")
    office.send("POST", "/proposals/p1/accept", {})
    assert office.resolve(OVER_THE_HILL, sessionId="s1")["skillId"] == "ship-it"
    assert office.send("POST", "/sessions/s1/end", role=Role.agent).json() == {"sessionId": "s1", "skills": ["ship-it"]}
    assert office.resolve(OVER_THE_HILL, sessionId="s1")["skillId"] != "ship-it"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        *(
            ("POST", f"/skills/release-local/{verb}", {})
            for verb in ("promote", "demote", "disable", "enable", "archive")
        ),
        ("DELETE", "/skills/release-local", None),
        ("PATCH", "/skills/release-local", {"description": "Mine."}),
    ],
)
def test_an_agents_key_decides_nothing(office: Office, method: str, path: str, body: Any) -> None:
    before = texts(office.world.home)
    problem(office.send(method, path, body, role=Role.agent), 403, "not-allowed")
    assert texts(office.world.home) == before


@pytest.mark.parametrize(
    ("request_", "status", "field"),
    [
        (("POST", "/skills/nope/disable", {}), 404, None),
        (("POST", "/skills/NOPE/disable", {}), 400, "id"),
        (("POST", "/skills/release-local@team/disable", {}), 400, "scope"),
        (("POST", "/skills/release-local/disable?repo=no/where", {}), 404, "context.repo"),
        (("POST", "/skills/release-local/disable?rep=x", {}), 400, "rep"),
        (("POST", "/skills/release-local/promote", {"to": "boss"}), 400, "to"),
        (("POST", "/skills/release-local/promote", {"to": "draft"}), 400, "to"),
        (("POST", "/skills/release-local/disable", {"to": "draft"}), 400, "to"),
        (("POST", "/skills/release-local/disable", {"force": True}), 400, "force"),
        (("PATCH", "/skills/release-local", {"addAliases": [""]}), 400, "addAliases[0]"),
        (("PATCH", "/skills/release-local", {"addAliases": ["x" * 501]}), 400, "addAliases[0]"),
        (("PATCH", "/skills/release-local", {"removeAliases": ["x"]}), 400, "removeAliases"),
        (("PATCH", "/skills/release-local", {"description": ""}), 400, "description"),
        (("PATCH", "/skills/release-local", {"fromProposal": "p9"}), 404, None),
        (("PATCH", "/skills/release-local", {"trust": "automatic"}), 400, "trust"),
        (("GET", "/skills/nope/history", None), 404, None),
        (("POST", f"/sessions/{'x' * 501}/end", None), 400, "sessionId"),
    ],
)
def test_a_mistake_is_named_and_changes_nothing(
    office: Office, request_: tuple[str, str, Any], status: int, field: str | None
) -> None:
    before = texts(office.world.home)
    response = office.send(*request_)
    assert response.status_code == status, response.text
    assert response.json().get("field") == field
    assert texts(office.world.home) == before


VERBS = st.sampled_from(["promote", "demote", "disable", "enable", "archive"])


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=VALUES | st.dictionaries(NAMES, VALUES, max_size=4), verb=VERBS)
def test_no_json_whatsoever_is_our_mistake(office: Office, body: Any, verb: str) -> None:
    assert office.send("POST", f"/skills/nope/{verb}", body).status_code in (400, 404)
    assert office.send("PATCH", "/skills/nope", body).status_code in (400, 404)
