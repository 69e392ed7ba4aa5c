"""Events over HTTP: kept once, redacted, all or none; shown to whom they belong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.service.http.serving import TOKEN, Served, problem, served
from tests.service.worlds import World

from wellworn.models.access import Role
from wellworn.service.workspace import Workspace

NUMBERS = count()
NOW = datetime.now(UTC)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(Path(tmp_path_factory.mktemp("traces")))


@pytest.fixture(scope="module")
def service(world: World) -> Iterator[Served]:
    def open_workspace(_: Any) -> Workspace:
        return Workspace.open(world.settings(), background=True)

    with served(world.data, open_workspace, home=world.home) as running:
        yield running


def event(**fields: Any) -> dict[str, Any]:
    given = {"id": f"e{next(NUMBERS)}", "ts": "2026-03-01T09:30:00Z", "sessionId": "s", "kind": "command_run"}
    return {**given, "summary": "npm test", **fields}


def send(service: Served, *events: Any, **headers: str) -> httpx.Response:
    return service.post("/traces", {"events": list(events)}, **headers)


def accepted(response: httpx.Response) -> tuple[int, int, int]:
    assert response.status_code == 200, response.text
    answer = response.json()
    return answer["accepted"], answer["duplicates"], answer["redacted"]


def shown(service: Served, **query: Any) -> list[dict[str, Any]]:
    response = service.client.get("/traces", params=query)
    assert response.status_code == 200, response.text
    events: list[dict[str, Any]] = response.json()["events"]
    return events


def test_an_event_is_kept_and_shown(service: Served) -> None:
    sent = event(
        success=False, risk="low", tags=["x"], data={"exitCode": 1, "command": "npm test"}, repo="github.com/a/b"
    )
    assert accepted(send(service, sent)) == (1, 0, 0)
    found = service.client.get(f"/traces/{sent['id']}").json()
    assert found == {**sent, "user": "local", "tags": ["x", "test"]}


def test_sending_again_adds_nothing(service: Served) -> None:
    batch = [event(), event()]
    assert accepted(send(service, *batch)) == (2, 0, 0)
    assert accepted(send(service, *batch, event())) == (1, 2, 0)


def test_a_thousand_events_are_kept_and_one_more_is_too_many(service: Served) -> None:
    batch = [event(sessionId="many") for _ in range(1000)]
    found = problem(send(service, *batch, event()), 413, "too-large")
    assert "1000" in found["detail"]
    assert found["field"] == "events"
    assert shown(service, sessionId="many") == []
    assert accepted(send(service, *batch)) == (1000, 0, 0)


@pytest.mark.parametrize(
    ("wrong", "field", "words"),
    [
        ({"kind": "danced"}, "kind", "user_intent"),
        ({"kind": None}, "kind", ""),
        ({"id": ""}, "id", "character"),
        ({"id": "x" * 201}, "id", "200"),
        ({"id": "a\nb"}, "id", "pattern"),
        ({"id": "a\u0000b"}, "id", "pattern"),
        ({"id": 7}, "id", "string"),
        ({"sessionId": ""}, "sessionId", "character"),
        ({"ts": "yesterday"}, "ts", "datetime"),
        ({"ts": 1_700_000_000}, "ts", "datetime"),
        ({"ts": None}, "ts", "datetime"),
        ({"ts": "2026-13-01T00:00:00Z"}, "ts", "datetime"),
        ({"ts": "2999-01-01T00:00:00Z"}, "ts", "future"),
        ({"ts": "9999-12-31T23:59:59-12:00"}, "ts", "future"),
        ({"ts": "0001-01-01T00:00:00+12:00"}, "ts", "1970"),
        ({"summary": "x" * 2001}, "summary", "2000"),
        ({"success": "yes"}, "success", "boolean"),
        ({"risk": "none"}, "risk", "low"),
        ({"tags": "x"}, "tags", "array"),
        ({"tags": [3]}, "tags[0]", "string"),
        ({"data": []}, "data", "object"),
        ({"user": "somebody\u0007"}, "user", "pattern"),
        ({"secret": 1}, "secret", "no such field"),
    ],
)
def test_a_mistake_names_the_event_and_its_field_and_nothing_is_kept(
    service: Served, wrong: dict[str, Any], field: str, words: str
) -> None:
    good = event()
    found = problem(send(service, good, {**event(), **wrong}), 400, "invalid-input")
    assert found["field"] == f"events[1].{field}"
    assert words in found["detail"]
    assert service.client.get(f"/traces/{good['id']}").status_code == 404


@pytest.mark.parametrize("missing", ["id", "ts", "sessionId", "kind", "summary"])
def test_what_every_event_needs_is_asked_for(service: Served, missing: str) -> None:
    sent = event()
    del sent[missing]
    found = problem(send(service, event(), event(), event(), sent), 400, "invalid-input")
    assert found["field"] == f"events[3].{missing}"
    assert "required" in found["detail"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "no body"),
        (b"{}", "required"),
        (b'{"events": []}', "at least 1"),
        (b'{"events": 3}', "array"),
        (b'{"events": [3]}', "object"),
        (b"[]", "object"),
        (b'{"events": [{"summary": "\\ud800"}]}', "escape"),
        (b'{"events": [{"summary": "\xff"}]}', "unicode"),
        (b'{"events": [{"data": ' + b'{"a": ' * 5000, "recursion"),
        (b'{"events": [{"data": ' + b"[" * 5000, "recursion"),
    ],
)
def test_a_body_that_cannot_be_used_is_refused(service: Served, body: bytes, words: str) -> None:
    assert words in problem(service.post("/traces", body), 400, "invalid-input")["detail"]


def test_what_does_not_say_it_is_json_is_refused(service: Served) -> None:
    response = service.client.post("/traces", content=b'{"events": []}', headers={"content-type": "text/plain"})
    problem(response, 415, "unsupported-media-type")


def test_odd_values_in_data_are_kept_as_json_that_everybody_reads(service: Served) -> None:
    body = (
        json.dumps({"events": [event(id="odd")]})
        .encode()
        .replace(
            b'"summary"',
            b'"data": {"nan": NaN, "inf": -Infinity, "huge": 1'
            + b"0" * 4000
            + b', "nul": "a\\u0000b", "deep": '
            + b'{"a":' * 50
            + b"1"
            + b"}" * 50
            + b'}, "summary"',
        )
    )
    assert accepted(service.post("/traces", body))[0] == 1
    response = service.client.get("/traces/odd")
    data = json.loads(response.content, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))["data"]
    assert data["nan"] == "nan"
    assert data["nul"] == "a\0b"
    assert len(response.content) < 2000


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.just("command_run") | st.just("2026-01-01"),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["events", "id", "ts", "sessionId", "kind", "summary", "data", "tags", "x"]),
                inner,
                max_size=7,
            )
        ),
        max_leaves=20,
    )
)
def test_no_json_makes_the_service_fail(service: Served, value: Any) -> None:
    for body in (value, {"events": value}, {"events": [value]}, {"events": [event(data={"a": value})]}):
        response = service.post("/traces", json.dumps(body).encode())
        assert response.status_code in (200, 400), response.text


def test_a_time_without_a_zone_is_utc(service: Served) -> None:
    sent = event(ts="2026-03-01T09:30:00"), event(ts="2026-03-01T10:30:00+01:00")
    assert accepted(send(service, *sent))[0] == 2
    times = {service.client.get(f"/traces/{one['id']}").json()["ts"] for one in sent}
    assert times == {"2026-03-01T09:30:00Z"}


def test_a_clock_may_be_a_little_fast(service: Served) -> None:
    soon = datetime.now(UTC) + timedelta(minutes=4)
    assert accepted(send(service, event(ts=soon.isoformat())))[0] == 1
    later = soon + timedelta(minutes=3)
    assert problem(send(service, event(ts=later.isoformat())), 400, "invalid-input")["field"] == "events[0].ts"


def test_pages_lead_from_one_to_the_next(service: Served) -> None:
    batch = [event(sessionId="paged", ts=f"2026-03-01T09:{at:02}:00Z") for at in range(7)]
    send(service, *batch)
    seen: list[str] = []
    cursor: str | None = None
    while True:
        query = {"sessionId": "paged", "limit": "3", **({"cursor": cursor} if cursor else {})}
        page = service.client.get("/traces", params=query).json()
        seen += [one["id"] for one in page["events"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert seen == [one["id"] for one in reversed(batch)]


def test_a_list_shows_what_was_asked_for(service: Served) -> None:
    intent = event(sessionId="f", kind="user_intent", summary="no, use pnpm", ts="2026-02-01T00:00:00Z")
    failed = event(sessionId="f", success=False, repo="git@github.com:Acme/Shop.git")
    send(service, intent, failed)
    for query, found in (
        ({"kind": "user_intent"}, [intent]),
        ({"tag": "correction"}, [intent]),
        ({"success": "false"}, [failed]),
        ({"success": "true"}, []),
        ({"until": "2026-02-02"}, [intent]),
        ({"since": "2026-02-02T00:00:00Z"}, [failed]),
        ({"repo": "https://github.com/Acme/Shop"}, [failed]),
        ({}, [failed, intent]),
    ):
        assert [one["id"] for one in shown(service, sessionId="f", **query)] == [one["id"] for one in found], query


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": "0"}, "limit"),
        ({"limit": "1001"}, "limit"),
        ({"limit": "x"}, "limit"),
        ({"kind": "danced"}, "kind"),
        ({"since": "yesterday"}, "since"),
        ({"success": "perhaps"}, "success"),
        ({"cursor": "x"}, "cursor"),
        ({"session": "x"}, "session"),
        ({"until": "0001-01-01T00:00:00+12:00"}, None),
        ({"since": "9999-12-31T23:59:59-12:00"}, None),
        ({"tag": "\0"}, None),
    ],
)
def test_a_query_that_cannot_be_used_is_named(service: Served, query: dict[str, str], field: str | None) -> None:
    response = service.client.get("/traces", params=query)
    if field is None:
        assert response.status_code == 200, response.text
    else:
        assert problem(response, 400, "invalid-input")["field"] == field


@pytest.mark.parametrize("number", ["nothing", "%00", "a%2Fb", "%F0%9F%9A%80", "x" * 300])
def test_an_unknown_event_is_not_found(service: Served, number: str) -> None:
    problem(service.client.get(f"/traces/{number}"), 404, "not-found")


def test_output_is_reduced_to_its_last_line_and_long_texts_are_cut(service: Served) -> None:
    data = {
        "command": "make " + "x" * 3000,
        "output": "line\n" * 500 + "3 failed",
        "toolResponse": {"stdout": "a\nb\nlast"},
        **{f"more{at}": "y" * 400 for at in range(20)},
    }
    sent = event(summary="s" * 1999, data=data)
    send(service, sent)
    response = service.client.get(f"/traces/{sent['id']}")
    kept = response.json()
    assert len(kept["summary"]) == 500
    assert kept["data"]["output"] == "3 failed"
    assert kept["data"]["toolResponse"] == "last"
    assert len(kept["data"]["command"]) == 500
    assert len(json.dumps(kept["data"])) < 4200


def test_a_secret_is_counted_and_gone(service: Served) -> None:
    secret = "ghp_" + "Zq81" * 9
    answer = send(service, event(id=f"id-{secret}", sessionId=secret, summary=f"push with {secret}"), event())
    assert accepted(answer) == (2, 0, 1)
    assert secret not in service.client.get("/traces").text
    assert service.client.get(f"/traces/id-{secret}").json()["summary"] == "push with [redacted key]"
    assert len(shown(service, sessionId=secret)) == 1


def test_a_folder_becomes_its_repo(service: Served, world: World) -> None:
    root = world.repo("shop", "git@github.com:acme/shop.git")
    inside = root / "src"
    inside.mkdir()
    by_cwd, by_root, gone = event(data={"cwd": str(inside)}), event(repo=str(root)), event(data={"cwd": "/nowhere/x"})
    send(service, by_cwd, by_root, gone, authorization=f"Bearer {TOKEN}")
    names = [
        service.client.get(f"/traces/{one['id']}", headers={"authorization": f"Bearer {TOKEN}"}).json()["repo"]
        for one in (by_cwd, by_root, gone)
    ]
    assert names == ["github.com/acme/shop", "github.com/acme/shop", None]


@pytest.fixture
def keys(service: Served) -> Iterator[dict[str, str]]:
    table = service.app.state.running.workspace.keys
    now = datetime.now(UTC)
    made = {
        "ann": table.create(role=Role.agent, user="ann", repos=[], label="", now=now),
        "bob": table.create(role=Role.reviewer, user="bob", repos=["github.com/acme/shop"], label="", now=now),
        "root": table.create(role=Role.admin, user="root", repos=[], label="", now=now),
    }
    yield {name: f"Bearer {secret}" for name, (_, secret) in made.items()}
    for key, _ in made.values():
        table.revoke(key.id, now=now)


def get(service: Served, path: str, key: str) -> httpx.Response:
    return service.client.get(path, headers={"authorization": key})


def test_an_event_belongs_to_the_keys_user_and_nobody_else_sees_it(service: Served, keys: dict[str, str]) -> None:
    sent = event()
    assert accepted(send(service, sent, authorization=keys["ann"]))[0] == 1
    assert get(service, f"/traces/{sent['id']}", keys["ann"]).json()["user"] == "ann"
    problem(get(service, f"/traces/{sent['id']}", keys["bob"]), 404, "not-found")
    assert get(service, "/traces", keys["bob"]).json()["events"] == []
    assert get(service, f"/traces/{sent['id']}?user=ann", keys["root"]).status_code == 200


def test_a_key_speaks_for_its_own_user_only_unless_it_is_an_admins(service: Served, keys: dict[str, str]) -> None:
    sent = event(user="ann")
    found = problem(send(service, event(), sent, authorization=keys["bob"]), 403, "not-allowed")
    assert found["field"] == "events[1].user"
    problem(get(service, "/traces?user=ann", keys["bob"]), 403, "not-allowed")
    assert accepted(send(service, sent, event(user="new"), authorization=keys["root"])) == (2, 0, 0)
    assert get(service, f"/traces/{sent['id']}", keys["ann"]).status_code == 200


def test_a_key_bound_to_repos_sends_and_sees_events_of_those_and_of_none(service: Served, keys: dict[str, str]) -> None:
    other = event(repo="github.com/acme/other")
    found = problem(send(service, other, authorization=keys["bob"]), 403, "not-allowed")
    assert found["field"] == "events[0].repo"
    own = [event(repo="https://github.com/acme/shop.git"), event()]
    assert accepted(send(service, *own, authorization=keys["bob"]))[0] == 2
    send(service, {**other, "user": "bob"}, authorization=keys["root"])
    problem(get(service, f"/traces/{other['id']}", keys["bob"]), 404, "not-found")
    seen = get(service, "/traces", keys["bob"]).json()["events"]
    assert {one["id"] for one in seen} == {one["id"] for one in own}
