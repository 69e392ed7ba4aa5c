"""Settings and what models cost over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from tests.service.http.office import Office

from wellworn.models.access import Role
from wellworn.service.lifetime import utc_now
from wellworn.store.spend import SpendTable


def values(office: Office) -> dict[str, Any]:
    found = office.send("GET", "/settings", role=Role.agent).json()["settings"]
    return {one["name"]: one["value"] for one in found}


def test_an_admin_changes_settings_and_anyone_with_a_key_sees_them(office: Office) -> None:
    answer = office.send("PATCH", "/settings", {"review.max_ops": 1, "model": "openai:tiny"}, role=Role.admin)
    assert answer.status_code == 200
    assert (values(office)["review.max_ops"], values(office)["model"]) == (1, "openai:tiny")
    office.send("PATCH", "/settings", {"review.max_ops": None}, role=Role.admin)
    assert values(office)["review.max_ops"] == 2


@pytest.mark.parametrize("role", [Role.agent, Role.reviewer])
def test_nobody_else_changes_them(office: Office, role: Role) -> None:
    assert office.send("PATCH", "/settings", {"review.max_ops": 1}, role=role).status_code == 403
    assert values(office)["review.max_ops"] == 2


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"auto_repair": True, "review.max_ops": 101}, "review.max_ops"),
        ({"auto_repair": True, "nothing": 1}, "nothing"),
        ({"auto_repair": True, "review": {"max_ops": 1}}, "review"),
        ({"auto_repair": {"a": 1}}, "auto_repair"),
        ([1], None),
        ("x", None),
    ],
)
def test_what_is_not_allowed_is_a_problem_and_changes_nothing(office: Office, body: Any, field: str | None) -> None:
    answer = office.send("PATCH", "/settings", body, role=Role.admin)
    assert answer.status_code == 400
    assert answer.json().get("field") == field
    assert values(office)["auto_repair"] is False


def test_the_key_of_a_model_is_no_setting_that_can_be_seen(office: Office) -> None:
    assert "key" not in str(values(office))


def test_usage_is_ones_own_and_an_admin_sees_everybodys(office: Office) -> None:
    table = SpendTable(office.workspace._database)
    for account in ("local", "bea"):
        table.add(account, "task", "openai:tiny", ok=True, input_tokens=1, output_tokens=2, now=utc_now())

    def accounts(path: str, role: Role) -> list[str]:
        return [one["account"] for one in office.send("GET", path, role=role).json()["spend"]]

    assert accounts("/usage", Role.agent) == ["local"]
    assert accounts("/usage", Role.admin) == ["bea", "local"]
    assert accounts("/usage?account=bea", Role.admin) == ["bea"]
    assert accounts("/usage?since=2099-01-01", Role.admin) == []
    assert office.send("GET", "/usage?account=bea", role=Role.agent).status_code == 403
    assert office.send("GET", "/usage?since=soon", role=Role.agent).json()["field"] == "since"
    assert office.send("GET", "/usage?from=2099-01-01", role=Role.agent).status_code == 400
