"""Settings changed while it runs: all or nothing, checked by name, and read anew by every process."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.service.worlds import ME, World

from wellworn.models.access import Caller, Role
from wellworn.models.errors import InvalidInput, NotAllowed
from wellworn.models.runtime import SETTINGS
from wellworn.service.lifetime import utc_now
from wellworn.service.runtime import _validated, check_name, parse_value
from wellworn.service.workspace import Workspace
from wellworn.store.runtime_settings import RuntimeSettingsTable


def value(workspace: Workspace, name: str) -> Any:
    return next(one.value for one in workspace.runtime.list().settings if one.name == name)


def test_every_setting_is_shown_with_its_default_and_what_it_is(world: World) -> None:
    with world.open() as workspace:
        found = workspace.runtime.list().settings
    assert [one.name for one in found] == list(SETTINGS)
    assert all(one.description and one.value == one.default and one.changed_at is None for one in found)


def test_a_change_counts_in_another_process_at_once_and_says_who_made_it(world: World) -> None:
    with world.open() as one, world.open() as other:
        assert other.runtime.read().review.max_ops == 2
        one.runtime.change({"review.max_ops": 1, "auto_repair": True}, ME)
        assert other.runtime.read().review.max_ops == 1
        assert other.runtime.read().auto_repair is True
        changed = {view.name: view.changed_by for view in other.runtime.list().settings if view.changed_at is not None}
        assert changed == {"auto_repair": "local", "review.max_ops": "local"}


def test_null_lets_a_setting_have_its_default_again(world: World) -> None:
    with world.open() as workspace:
        workspace.runtime.change({"model_seconds": 3.5}, ME)
        workspace.runtime.change({"model_seconds": None, "model": None}, ME)
        assert value(workspace, "model_seconds") == 15.0
        assert RuntimeSettingsTable(workspace._database).changes() == {}


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"review.max_ops": 101}, "review.max_ops", "at least 0, at most 100"),
        ({"review.max_ops": -1}, "review.max_ops", "at least 0, at most 100"),
        ({"review.max_ops": 1.5}, "review.max_ops", "whole number"),
        ({"review.max_ops": True}, "review.max_ops", "whole number"),
        ({"review.max_ops": "many"}, "review.max_ops", "whole number"),
        ({"review.max_ops": [1]}, "review.max_ops", "whole number"),
        ({"review.every_tool_calls": 0}, "review.every_tool_calls", "at least 1"),
        ({"model_seconds": 0}, "model_seconds", "more than 0, at most 600"),
        ({"model_seconds": float("nan")}, "model_seconds", "more than 0, at most 600"),
        ({"auto_repair": "perhaps"}, "auto_repair", "true or false"),
        ({"model": "acme:tiny"}, "model", "openai:NAME or anthropic:NAME"),
        ({"model": "openai:"}, "model", "openai:NAME or anthropic:NAME"),
        ({"model": "openai:" + "x" * 200}, "model", "at most 200 characters"),
        ({"model": "openai:a\nb"}, "model", "openai:NAME"),
        ({"model_url": "file:///etc/passwd"}, "model_url", "address"),
        ({"model_url": "http://[::1"}, "model_url", "address"),
        ({"model_url": "http://h:99999"}, "model_url", "address"),
        ({"model_url": "https://me:hunter2@models.example/v1"}, "model_url", "WELLWORN_MODEL_API_KEY"),
        ({"model_url": "https://models.example/v1?key=abc"}, "model_url", "WELLWORN_MODEL_API_KEY"),
        ({"review.max_op": 1}, "review.max_op", "Did you mean review.max_ops?"),
        ({"port": 1}, "port", "There are: auto_repair"),
        ({"review": {"max_ops": 1}}, "review", "There is no setting"),
        ({"../x": 1}, "../x", "There is no setting"),
    ],
)
def test_what_is_not_allowed_is_refused_by_name_and_nothing_is_changed(
    world: World, changes: dict[str, Any], field: str, words: str
) -> None:
    with world.open() as workspace:
        with pytest.raises(InvalidInput) as refused:
            workspace.runtime.change({"auto_repair": True} | changes, ME)
        assert refused.value.field == field
        assert words in str(refused.value)
        assert "hunter2" not in str(refused.value)
        assert RuntimeSettingsTable(workspace._database).changes() == {}
        workspace.runtime.change({"auto_repair": True}, ME)


@pytest.mark.parametrize("role", [Role.agent, Role.reviewer])
def test_only_an_admin_changes_settings(world: World, role: Role) -> None:
    with world.open() as workspace, pytest.raises(NotAllowed):
        workspace.runtime.change({"auto_repair": True}, Caller(role=role, user="local"))


def test_a_value_that_is_stored_but_not_allowed_any_more_is_passed_over(world: World) -> None:
    with world.open() as workspace:
        table = RuntimeSettingsTable(workspace._database)
        for name, stored in {"model": "acme:tiny", "review.max_ops": 7, "gone": 1}.items():
            table.put(name, stored, by="local", now=utc_now())
        found = workspace.runtime.read()
        assert (found.model, found.review.max_ops) == (None, 7)
        workspace.runtime.change({"auto_repair": True}, ME)
        assert workspace.runtime.read().review.max_ops == 7


def refused_field(name: str, text: str) -> str | None:
    try:
        _validated({name: parse_value(name, text)})
    except InvalidInput as refused:
        return refused.field
    return None


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(sorted(SETTINGS)), st.text(max_size=300))
def test_any_text_a_person_types_is_a_value_or_refused_by_name(name: str, text: str) -> None:
    assert refused_field(name, text) in (None, name)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=300))
def test_any_other_name_is_refused(name: str) -> None:
    if name not in SETTINGS:
        with pytest.raises(InvalidInput):
            check_name(name)
