"""Every mistake of a client is answered with one shape that names it, and nothing else happens."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.service.http.fakes import FakeWorkspace
from tests.service.http.serving import Served, problem, served


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(Path(tmp_path_factory.mktemp("http")), lambda _: FakeWorkspace(), body_limit=100_000) as running:
        yield running


@pytest.mark.parametrize(
    ("body", "field", "words"),
    [
        (b"", None, "no body"),
        (b'{"message":', None, "line 1 column 11"),
        (b'{"message": "x"}}', None, "line 1 column 17"),
        (b"[]", None, "object"),
        (b"null", None, "object"),
        (b"{}", "message", "required"),
        (b'{"message": 3}', "message", "string"),
        (b'{"message": null}', "message", "string"),
        (b'{"mesage": "x"}', "mesage", "no such field"),
        (b'{"message": "x", "fo-o": 1}', "fo-o", "no such field"),
        (b'{"message": "x", "topK": 0}', "topK", "greater"),
        (b'{"message": "x", "topK": "3"}', "topK", "integer"),
        (b'{"message": "x", "explain": 0}', "explain", "boolean"),
        (b'{"message": "x", "invocation": "loud"}', "invocation", "ambient"),
        (b'{"message": "x", "context": {"openPr": {"number": -3}}}', "context.openPr.number", "greater"),
        (b'{"message": "x", "context": {"openPr": {"nr": 3}}}', "context.openPr.nr", "no such field"),
        (b'{"message": "x", "context": {"recentTraces": [{"kind": "x"}]}}', "context.recentTraces[0].kind", "user_int"),
        (b'{"message": "x", "context": {"now": "yesterday"}}', "context.now", "datetime"),
        (b'{"message": "\xff"}', None, "unicode"),
        (b'{"message": "\\ud800"}', None, "escape"),
        (b"[" * 5000, None, "recursion"),
        (b'{"message": "x", "context": ' + b'{"a": ' * 5000, None, "recursion"),
    ],
)
def test_a_body_that_cannot_be_used_is_answered_with_what_is_wrong_where(
    service: Served, body: bytes, field: str | None, words: str
) -> None:
    found = problem(service.post("/resolve", body), 400, "invalid-input")
    assert found.get("field") == field
    assert words in found["detail"]


@pytest.mark.parametrize(
    "media_type", ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16"]
)
def test_what_does_not_say_it_is_json_is_not_read_as_json(service: Served, media_type: str) -> None:
    response = service.client.post("/resolve", content=b'{"message": "x"}', headers={"content-type": media_type})
    assert "application/json" in problem(response, 415, "unsupported-media-type")["hint"]


def test_a_body_without_a_media_type_is_refused(service: Served) -> None:
    problem(service.client.post("/resolve", content=b'{"message": "x"}'), 415, "unsupported-media-type")


@pytest.mark.parametrize("media_type", ["application/json", "application/json; charset=UTF-8", "application/ld+json"])
def test_json_may_call_itself_by_its_other_names(service: Served, media_type: str) -> None:
    response = service.client.post("/resolve", content=b'{"message": "x"}', headers={"content-type": media_type})
    assert response.status_code == 200


def test_a_byte_order_mark_in_front_of_json_is_ignored(service: Served) -> None:
    assert service.post("/resolve", b'\xef\xbb\xbf{"message": "x"}').json()["reason"] == "x"


def test_every_field_is_understood(service: Served) -> None:
    context = {
        "repo": "r",
        "branch": "b",
        "openPr": {"number": 3, "title": "t", "labels": ["l"], "reviewState": "approved", "ciState": "failing"},
        "activeGoal": "g",
        "recentTraces": [{"kind": "test_result", "ts": "2026-01-01T00:00:00Z", "summary": "failed", "success": False}],
        "user": "u",
        "sessionId": "s",
        "cwd": "/c",
        "changedPaths": ["p"],
        "now": "2026-01-01T00:00:00+02:00",
    }
    body = {"message": "x", "context": context, "invocation": "explicit", "topK": 3, "explain": True}
    assert service.post("/resolve", body).status_code == 200


def test_python_names_are_accepted_beside_wire_names(service: Served) -> None:
    assert service.post("/resolve", {"message": "x", "top_k": 3, "context": {"open_pr": False}}).status_code == 200


def test_a_body_over_the_limit_is_too_large(service: Served) -> None:
    found = problem(service.post("/resolve", {"message": "x" * 150_000}), 413, "too-large")
    assert "MiB" in found["detail"]


def test_a_message_over_its_length_is_named(service: Served) -> None:
    found = problem(service.post("/feedback", {"resolutionId": "x" * 65, "verdict": "right"}), 400, "invalid-input")
    assert found["field"] == "resolutionId"


def test_an_unknown_repository_is_named(service: Served) -> None:
    body = {"message": "x", "context": {"repo": "unknown"}}
    assert problem(service.post("/resolve", body), 404, "not-found")["field"] == "context.repo"


def test_a_mistake_inside_a_batch_is_numbered(service: Served) -> None:
    wrong = {"requests": [{"message": "x"}, {"message": 1}]}
    assert problem(service.post("/resolve/batch", wrong), 400, "invalid-input")["field"] == "requests[1].message"
    unknown = {"requests": [{"message": "x"}, {"message": "x", "context": {"repo": "unknown"}}]}
    assert problem(service.post("/resolve/batch", unknown), 404, "not-found")["field"] == "requests[1].context.repo"


@pytest.mark.parametrize("count", [0, 1001])
def test_a_batch_is_of_1_to_1000(service: Served, count: int) -> None:
    body = {"requests": [{"message": "x"}] * count}
    assert problem(service.post("/resolve/batch", body), 400, "invalid-input")["field"] == "requests"


@pytest.mark.parametrize("path", ["/nope", "/nope/<script>alert(1)</script>", "/schema/nope", "/schema/assets/nope.js"])
def test_an_unknown_address_is_not_repeated_in_the_answer(service: Served, path: str) -> None:
    response = service.client.get(path)
    problem(response, 404, "not-found")
    assert "nope" not in response.text
    assert "script" not in response.text


@pytest.mark.parametrize(
    "name", ["..%2fapp.py", "%2e%2e/app.py", "..%5capp.py", "app.py", "assets.lock.json", "docs.js%00"]
)
def test_no_name_leaves_the_folder_of_page_files(service: Served, name: str) -> None:
    problem(service.client.get(f"/schema/assets/{name}"), 404, "not-found")


def test_a_method_that_an_address_does_not_know_is_answered_with_those_it_does(service: Served) -> None:
    response = service.client.get("/resolve")
    problem(response, 405, "method-not-allowed")
    assert "POST" in response.headers["allow"]


@pytest.mark.parametrize(
    ("query", "field"),
    [("limit=abc", "limit"), ("limit=5000", "limit"), ("offset=-1", "offset"), ("repo=a&repo=b", "repo")],
)
def test_a_query_parameter_that_cannot_be_used_is_named(service: Served, query: str, field: str) -> None:
    assert problem(service.client.get(f"/skills?{query}"), 400, "invalid-input")["field"] == field


def test_a_misspelt_query_parameter_is_an_error_with_a_suggestion(service: Served) -> None:
    found = problem(service.client.get("/skills?serach=x"), 400, "invalid-input")
    assert (found["field"], found["hint"]) == ("serach", "Did you mean search?")


def test_our_own_mistake_is_told_without_its_inside_and_logged_under_its_id(
    service: Served, caplog: pytest.LogCaptureFixture
) -> None:
    response = service.post("/resolve", {"message": "a mistake of ours"})
    found = problem(response, 500, "internal")
    assert "ZeroDivision" not in response.text
    assert found["errorId"] in caplog.text
    assert "ZeroDivisionError" in caplog.text


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=20,
)
FIELDS = st.sampled_from(["message", "context", "topK", "invocation", "explain", "requests", "openPr", "recentTraces"])


@settings(max_examples=60, deadline=None)
@given(
    body=JSON_VALUES | st.dictionaries(FIELDS, JSON_VALUES, max_size=5),
    path=st.sampled_from(["/resolve", "/resolve/batch"]),
)
def test_no_json_whatsoever_is_our_mistake(service: Served, body: Any, path: str) -> None:
    response = service.post(path, json.dumps(body).encode("utf-8", "surrogatepass"))
    assert response.status_code in (200, 400, 404)


@settings(max_examples=40, deadline=None)
@given(body=st.binary(max_size=200))
def test_no_bytes_whatsoever_are_our_mistake(service: Served, body: bytes) -> None:
    assert service.post("/feedback", body).status_code == 400
