"""Proposals over real HTTP: listed, opened, accepted, rejected; every mistake is told and changes nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.service.curating import OVER_THE_HILL, RECIPE, propose, texts
from tests.service.http.office import Office
from tests.service.http.serving import problem

from wellworn.models.access import Role
from wellworn.models.skill import Scope


def test_an_accepted_proposal_answers_the_next_question(office: Office) -> None:
    propose(office.workspace, recipe=RECIPE)
    answer = office.send("POST", "/proposals/p1/accept", {})
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["proposal"]["status"] == "accepted"
    assert found["skill"]["manifest"]["trust"] == "installed"
    assert len(found["files"]) == 3
    assert office.resolve(OVER_THE_HILL)["skillId"] == "ship-it"


def test_proposals_are_listed_and_opened_by_an_agent(office: Office) -> None:
    for number in range(3):
        propose(office.workspace, f"p{number}")
    page = office.send("GET", "/proposals?status=suggested&limit=2", role=Role.agent).json()
    assert (len(page["proposals"]), page["total"], page["nextOffset"]) == (2, 3, 2)
    shown = office.send("GET", "/proposals/p1", role=Role.agent).json()
    assert shown["gate"]["evidence"] == "Five runs in five sessions."


def test_a_rejected_proposal_says_why(office: Office) -> None:
    propose(office.workspace)
    found = office.send("POST", "/proposals/p1/reject", {"reason": "too rare"}).json()
    assert (found["status"], found["decisionReason"]) == ("rejected", "too rare")
    told = problem(office.send("POST", "/proposals/p1/accept", {}), 409, "conflict")
    assert "already rejected" in told["detail"]


@pytest.mark.parametrize("decision", ["accept", "reject"])
def test_an_agents_key_decides_nothing(office: Office, decision: str) -> None:
    propose(office.workspace)
    problem(office.send("POST", f"/proposals/p1/{decision}", {}, role=Role.agent), 403, "not-allowed")
    assert office.send("GET", "/proposals/p1").json()["status"] == "suggested"


@pytest.mark.parametrize(
    ("path", "body", "status", "field"),
    [
        ("/proposals/nope/accept", {}, 404, None),
        ("/proposals/p1/accept", {"ID": "x"}, 400, "ID"),
        ("/proposals/p1/accept", {"id": "../x"}, 400, "id"),
        ("/proposals/p1/accept", {"id": "X"}, 400, "id"),
        ("/proposals/p1/accept", {"scope": "team"}, 400, "scope"),
        ("/proposals/p1/accept", {"scope": "repo"}, 400, "repo"),
        ("/proposals/p1/accept", {"scope": "session"}, 400, "sessionId"),
        ("/proposals/p1/accept", {"aliases": "x"}, 400, "aliases"),
        ("/proposals/p1/accept", {"overrides": ["x"] * 51}, 400, "overrides"),
        (
            "/proposals/p1/accept",
            {"recipe": {"id": "x", "description": "x", "phases": []}},
            400,
            "recipe.phases",
        ),
        ("/proposals/p1/accept", [], 400, None),
        ("/proposals/p1/reject", {"why": "x"}, 400, "why"),
        ("/suggest", {"since": "last week"}, 400, "since"),
        ("/suggest", {"repos": []}, 400, "repos"),
    ],
)
def test_a_mistake_is_named_and_changes_nothing(
    office: Office, path: str, body: Any, status: int, field: str | None
) -> None:
    propose(office.workspace)
    before = texts(office.world.home)
    code = {400: "invalid-input", 404: "not-found"}[status]
    assert problem(office.send("POST", path, body), status, code).get("field") == field
    assert texts(office.world.home) == before
    assert office.send("GET", "/proposals/p1").json()["status"] == "suggested"


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("status=open", "status"),
        ("limit=0", "limit"),
        ("offset=-1", "offset"),
        ("state=x", "state"),
    ],
)
def test_a_query_that_cannot_be_used_is_named(office: Office, query: str, field: str) -> None:
    response = office.send("GET", f"/proposals?{query}")
    assert response.status_code in (400, 404)
    assert response.json()["field"] == field


def test_a_repo_skill_needs_the_id_once_more(office: Office) -> None:
    root = office.world.repo("shop", "git@github.com:acme/shop.git")
    propose(office.workspace, scope=Scope.repo)
    told = problem(office.send("POST", "/proposals/p1/accept", {"repo": str(root)}), 400, "invalid-input")
    assert told["field"] == "confirm"
    assert office.send("POST", "/proposals/p1/accept", {"repo": str(root), "confirm": "ship-it"}).status_code == 200
    assert office.resolve(OVER_THE_HILL, cwd=str(root))["skillId"] == "ship-it"


def test_of_many_who_accept_at_once_one_wins(office: Office) -> None:
    propose(office.workspace)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: office.send("POST", "/proposals/p1/accept", {}).status_code, range(8)))
    assert sorted(answers) == [200, *[409] * 7]


def test_nothing_found_is_an_empty_answer(office: Office) -> None:
    found = office.send("POST", "/suggest", {}, role=Role.agent).json()
    assert (found["proposals"], found["events"]) == ([], 0)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(
    ["id", "scope", "confirm", "repo", "sessionId", "aliases", "body", "recipe", "reason", "since", "user"]
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=VALUES | st.dictionaries(NAMES, VALUES, max_size=4), path=st.sampled_from(["p9/accept", "p9/reject"]))
def test_no_json_whatsoever_is_our_mistake(office: Office, body: Any, path: str) -> None:
    assert office.send("POST", f"/proposals/{path}", body).status_code in (400, 404)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(proposal_id=st.text(min_size=1, max_size=30).filter(lambda text: not set(text) & set("/?#") and text.strip(".")))
def test_no_id_whatsoever_is_our_mistake(office: Office, proposal_id: str) -> None:
    from urllib.parse import quote

    path = quote(proposal_id, safe="", errors="replace")
    assert office.send("GET", f"/proposals/{path}").status_code in (400, 404)
