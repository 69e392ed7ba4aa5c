"""Turns and learning over real HTTP: who may send, see and change what."""

from __future__ import annotations

import pytest
from tests.service.http.office import NOW, Office
from tests.service.http.serving import JSON, problem

from wellworn.models.access import Role

TURN = {
    "id": "turn-1",
    "origin": "cli",
    "ending": "completed",
    "message": "do the thing",
    "calls": [{"tool": "Bash", "command": f"step {at}", "success": True} for at in range(5)],
}


def test_a_persons_choice_makes_turns_count(office: Office) -> None:
    before = office.send("POST", "/turns", TURN, role=Role.agent).json()
    assert (before["eligible"], before["rule"]) == (False, "opted-in")
    assert office.send("PATCH", "/accounts/me/learning", {"optedIn": True}).json()["available"]
    after = office.send("POST", "/turns", TURN | {"id": "turn-2"}, role=Role.agent).json()
    assert (after["eligible"], after["counted"]) == (True, 5)
    found = office.send("GET", "/accounts/local/learning", role=Role.agent).json()
    assert (found["available"], found["counted"], found["everyToolCalls"]) == (True, 5, 20)
    assert office.send("GET", "/turns/turn-2", role=Role.agent).json()["answer"] == after


def test_an_agents_key_cannot_let_it_learn(office: Office) -> None:
    answer = office.send("PATCH", "/accounts/me/learning", {"optedIn": True}, role=Role.agent)
    assert problem(answer, 403, "not-allowed")
    assert not office.send("GET", "/accounts/me/learning").json()["optedIn"]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/accounts/bea/learning", None),
        ("PATCH", "/accounts/bea/learning", {"optedIn": True}),
        ("GET", "/accounts/no-one/learning", None),
        ("GET", "/turns/no-such-turn", None),
    ],
)
def test_what_is_anothers_is_not_there(office: Office, method: str, path: str, body: object) -> None:
    secret = office.workspace.keys.create(Role.reviewer, "bea", now=NOW)[1]
    theirs = office.served.client.request(
        "POST", "/turns", json=TURN | {"id": "no-such-turn"}, headers={"authorization": f"Bearer {secret}", **JSON}
    )
    assert theirs.status_code == 200
    assert problem(office.send(method, path, body), 404, "not-found")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"id": ""}, "id"),
        ({"id": "../../etc"}, "id"),
        ({"id": "x" * 201}, "id"),
        ({"origin": "somewhere"}, "origin"),
        ({"ending": None}, "ending"),
        ({"calls": [{"tool": "Bash"}] * 501}, "calls"),
        ({"budget": -1}, "budget"),
        ({"more": 1}, "more"),
        ({"message": "m" * 20_001}, "message"),
    ],
)
def test_a_turn_that_cannot_be_used_is_refused_with_its_field(
    office: Office, change: dict[str, object], field: str
) -> None:
    told = problem(office.send("POST", "/turns", TURN | change, role=Role.agent), 400, "invalid-input")
    assert field in told["field"]
    assert problem(office.send("GET", "/turns/turn-1", role=Role.agent), 404, "not-found")
