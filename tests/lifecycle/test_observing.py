"""What may be kept of an event: no secret, nothing long, never full output."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from typing import Any

import pytest
from benchmarks.secrets import KINDS
from hypothesis import given
from hypothesis import strategies as st

from wellworn.lifecycle.observing import DATA_KEPT, kept_name, observe, prepare
from wellworn.models.trace import TraceEvent, TraceKind

KEY = "ghp_" + "Zq81" * 9
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.text("ab \n=:\"'@/", max_size=900),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=15,
)
NAMES = st.sampled_from(["command", "output", "stdout", "result", "token", "note", "cwd", "exitCode"]) | st.text(
    max_size=8
)


def event(**fields: Any) -> TraceEvent:
    given = {"id": "e1", "ts": datetime(2026, 1, 1, tzinfo=UTC), "session_id": "s1", "kind": TraceKind.command_run}
    return TraceEvent(**{**given, "summary": "npm run build", **fields})


def test_an_ordinary_event_is_kept_as_it_is() -> None:
    ordinary = event(data={"command": "npm run build", "exitCode": 0, "cwd": "/srv/shop"}, tags=["ci"])
    assert prepare(ordinary) is ordinary


@given(st.dictionaries(NAMES, VALUES, max_size=8))
def test_data_is_bounded_json_and_preparing_again_changes_nothing(data: dict[str, Any]) -> None:
    once = prepare(event(data=data))
    text = json.dumps(once.data, allow_nan=False, ensure_ascii=False)
    assert len(text.encode()) <= DATA_KEPT * 1.2  # other separators
    assert prepare(once).data == once.data


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_of_secret_survives_at_any_place(kind: str) -> None:
    text, secret = KINDS[kind](random.Random(kind))
    places: list[dict[str, Any]] = [
        {"summary": text},
        {"tags": [text]},
        {"data": {"command": text}},
        {"data": {"a": {"b": [{"c": text}]}}},
        {"data": {text: 1}},
        {"data": {"output": "line\n" + text}},
        {"id": text},
        {"session_id": text},
    ]
    for place in places:
        kept, found = observe(event(**place))
        assert secret not in kept.model_dump_json(), place
        assert json.dumps(secret)[1:-1] not in kept.model_dump_json(), place
        assert found or "\n" in text, place  # of several lines of output the last is looked at


def test_a_field_named_like_a_secret_loses_its_value_however_plain() -> None:
    kept = prepare(event(data={"env": {"DB_PASSWORD": "swordfish", "USER": "bob"}, "apiKey": "open sesame 1"})).data
    assert kept == {"env": {"DB_PASSWORD": "[redacted secret]", "USER": "bob"}, "apiKey": "[redacted secret]"}


def test_two_sessions_with_secrets_in_their_names_stay_two() -> None:
    names = {kept_name(f"run {KEY}{at}") for at in range(3)}
    assert len(names) == 3
    assert all(name.startswith("redacted-") and kept_name(name) == name for name in names)


@pytest.mark.parametrize(
    ("given_", "kept"),
    [
        ("a\nb\nlast\n\n", "last"),
        ("x" * 300, "x" * 197 + "..."),
        ({"stdout": "1\n2", "stderr": ""}, "2"),
        ([{"type": "text", "text": "one\ntwo"}], "two"),
        ({}, ""),
        (7, 7),
        (None, None),
    ],
)
@pytest.mark.parametrize("name", ["output", "stdout", "toolResponse", "tool_response", "content", "result"])
def test_of_output_only_the_last_line_is_kept(name: str, given_: object, kept: object) -> None:
    assert prepare(event(data={name: given_})).data == {name: kept}


def test_what_tells_most_is_kept_when_data_is_too_large() -> None:
    data = {**{f"note{at}": "y" * 499 for at in range(20)}, "command": "z" * 400, "exitCode": 1}
    kept = prepare(event(data=data)).data
    assert kept["command"] == "z" * 400
    assert kept["exitCode"] == 1
    assert 5 <= len(kept) < 12


def test_nesting_ends_somewhere() -> None:
    deep: dict[str, Any] = {}
    for _ in range(100):
        deep = {"a": deep}
    assert len(json.dumps(prepare(event(data=deep)).data)) < 100


@pytest.mark.parametrize(
    ("kind", "fields", "tags"),
    [
        (TraceKind.user_intent, {"summary": "no, use pnpm"}, ["correction"]),
        (TraceKind.user_intent, {"summary": "ship it"}, []),
        (TraceKind.command_run, {"summary": "pytest -q"}, ["test"]),
        (TraceKind.command_run, {"summary": "ran", "data": {"command": "npm test"}}, ["test"]),
        (TraceKind.command_run, {"summary": "no, use pnpm"}, []),
        (TraceKind.command_run, {"summary": "pytest -q", "tags": ["test", "ci"]}, ["test", "ci"]),
        (TraceKind.file_diff, {"summary": "pytest"}, []),
    ],
)
def test_corrections_and_tests_are_tagged_and_the_kind_stays(
    kind: TraceKind, fields: dict[str, Any], tags: list[str]
) -> None:
    kept = prepare(event(kind=kind, **fields))
    assert (kept.kind, kept.tags) == (kind, tags)
