from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from tests.service.http.fakes import FakeWorkspace
from tests.service.http.serving import TOKEN, Served, problem, served, wait_until

from wellworn.models.access import Role
from wellworn.service.http.auth import REMEMBER, is_loopback
from wellworn.service.http.buckets import Buckets
from wellworn.store.database import Database
from wellworn.store.keys import KeyTable

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Guarded:
    served: Served
    keys: KeyTable
    secrets: dict[str, str]


@pytest.fixture
def open_service(tmp_path: Path) -> Iterator[Served]:
    """Without keys."""
    database = Database(tmp_path / "wellworn.db")
    with served(tmp_path, lambda _: FakeWorkspace(KeyTable(database))) as running:
        yield running
    database.close()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """With a key of each role."""
    folder = Path(tmp_path_factory.mktemp("keys"))
    database = Database(folder / "wellworn.db")
    keys = KeyTable(database)
    secrets = {role.value: keys.create(role, "ada", now=NOW)[1] for role in Role}
    with served(folder, lambda _: FakeWorkspace(keys)) as running:
        yield Guarded(running, keys, secrets)
    database.close()


def bearer(secret: str) -> dict[str, str]:
    return {"authorization": f"Bearer {secret}"}


ROUTES = [
    ("POST", "/resolve", Role.agent),
    ("POST", "/resolve/batch", Role.agent),
    ("POST", "/feedback", Role.agent),
    ("GET", "/resolutions/x", Role.agent),
    ("GET", "/skills?wrong=1", Role.agent),
    ("GET", "/skills/x?wrong=1", Role.agent),
    ("GET", "/skills/x/taught?wrong=1", Role.agent),
    ("GET", "/metrics", Role.agent),
    ("DELETE", "/taught/x", Role.reviewer),
    ("GET", "/taught?wrong=1", Role.reviewer),
    ("DELETE", "/taught?wrong=1", Role.reviewer),
    ("POST", "/suggest", Role.agent),
    ("GET", "/proposals?wrong=1", Role.agent),
    ("GET", "/proposals/x", Role.agent),
    ("POST", "/proposals/x/accept", Role.reviewer),
    ("POST", "/proposals/x/reject", Role.reviewer),
    ("POST", "/skills/x/promote", Role.reviewer),
    ("POST", "/skills/x/demote", Role.reviewer),
    ("POST", "/skills/x/disable", Role.reviewer),
    ("POST", "/skills/x/enable", Role.reviewer),
    ("POST", "/skills/x/archive", Role.reviewer),
    ("DELETE", "/skills/x?wrong=1", Role.reviewer),
    ("PATCH", "/skills/x", Role.reviewer),
    ("GET", "/skills/x/history?wrong=1", Role.agent),
    ("POST", "/sessions/x/end", Role.agent),
    ("POST", "/admin/reindex", Role.admin),
    ("GET", "/admin/reindex/x", Role.admin),
    ("GET", "/admin/reindex/x/events", Role.admin),
    ("GET", "/admin/index", Role.admin),
]


@pytest.mark.parametrize(("method", "path", "needed"), ROUTES)
def test_every_route_asks_for_its_role(guarded: Guarded, method: str, path: str, needed: Role) -> None:
    client = guarded.served.client
    problem(client.request(method, path), 401, "not-authenticated")
    unknown = client.request(method, path, headers=bearer("ww_a" + "x" * 43))
    assert unknown.status_code in (401, 429)  # after twenty of them in a second no more are looked at
    ranks = list(Role)
    for role in Role:
        status = client.request(method, path, headers=bearer(guarded.secrets[role.value])).status_code
        assert (status == 403) == (ranks.index(role) < ranks.index(needed)), (role, status)
        assert status != 401


@pytest.mark.parametrize(
    "path", ["/healthz", "/readyz", "/", "/schema", "/schema/openapi.json", "/schema/assets/docs.js"]
)
def test_health_and_the_pages_need_no_key(guarded: Guarded, path: str) -> None:
    assert guarded.served.client.get(path).status_code == 200


def test_a_key_may_also_come_as_x_api_key(guarded: Guarded) -> None:
    response = guarded.served.post("/resolve", {"message": "x"}, **{"x-api-key": guarded.secrets["agent"]})
    assert response.status_code == 200


@pytest.mark.parametrize("header", ["Basic YTpi", "Bearer", "ww_x"])
def test_another_kind_of_authorization_is_refused(guarded: Guarded, header: str) -> None:
    response = guarded.served.post("/resolve", {"message": "x"}, authorization=header)
    problem(response, 401, "not-authenticated")
    assert response.headers["www-authenticate"].startswith("Bearer")


def test_a_refused_role_is_told_which_one_is_needed(guarded: Guarded) -> None:
    response = guarded.served.client.get("/admin/index", headers=bearer(guarded.secrets["agent"]))
    assert "admin" in problem(response, 403, "not-allowed")["detail"]


def test_a_revoked_key_is_refused_within_two_seconds(guarded: Guarded) -> None:
    key, secret = guarded.keys.create(Role.agent, "ada", now=NOW)
    assert guarded.served.post("/resolve", {"message": "x"}, **bearer(secret)).status_code == 200
    guarded.keys.revoke(key.id, now=NOW)
    wait_until(lambda: guarded.served.post("/resolve", {"message": "x"}, **bearer(secret)).status_code == 401, 2.0)
    assert REMEMBER <= 2.0


def test_the_use_of_a_key_is_noted(guarded: Guarded) -> None:
    key, secret = guarded.keys.create(Role.agent, "ada", label="noted", now=NOW)
    guarded.served.post("/resolve", {"message": "x"}, **bearer(secret))
    wait_until(lambda: any(k.id == key.id and k.last_used_at for k in guarded.keys.list()))


def test_many_unknown_keys_are_slowed_down_but_good_ones_pass(tmp_path: Path) -> None:
    database = Database(tmp_path / "wellworn.db")
    keys = KeyTable(database)
    _, secret = keys.create(Role.agent, "ada", now=NOW)
    with served(tmp_path, lambda _: FakeWorkspace(keys)) as running:
        answers = [running.post("/resolve", {"message": "x"}, **bearer(f"ww_a{n:043d}")) for n in range(40)]
        assert {response.status_code for response in answers[:20]} == {401}
        problem(answers[-1], 429, "too-many-requests")
        assert "retry-after" in answers[-1].headers
        assert running.post("/resolve", {"message": "x"}, **bearer(secret)).status_code == 200
    database.close()


def test_the_token_of_the_data_folder_is_the_local_person(guarded: Guarded) -> None:
    assert guarded.served.client.get("/admin/reindex/x", headers=bearer(TOKEN)).status_code == 404


def test_without_keys_the_local_person_may_do_everything(open_service: Served) -> None:
    assert open_service.post("/resolve", {"message": "x"}).status_code == 200
    assert open_service.client.get("/admin/reindex/x").status_code == 404


def test_an_unknown_key_is_refused_also_where_none_is_needed(open_service: Served) -> None:
    problem(open_service.post("/resolve", {"message": "x"}, **bearer("ww_aold")), 401, "not-authenticated")


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://localhost:3000"},
        {"sec-fetch-site": "cross-site"},
        {"host": "evil.example"},
        {"host": "127.0.0.1.evil.example:7421"},
    ],
)
def test_without_keys_pages_of_other_sites_are_refused(open_service: Served, headers: dict[str, str]) -> None:
    problem(open_service.post("/resolve", {"message": "x"}, **headers), 403, "not-allowed")


def test_without_keys_our_own_page_is_let_in(open_service: Served) -> None:
    assert open_service.post("/resolve", {"message": "x"}, origin=open_service.address).status_code == 200


@pytest.mark.parametrize("header", ["x-forwarded-for", "forwarded", "x-real-ip"])
def test_without_keys_what_came_through_a_proxy_is_not_local(open_service: Served, header: str) -> None:
    problem(open_service.post("/resolve", {"message": "x"}, **{header: "127.0.0.1"}), 401, "not-authenticated")


def test_without_keys_a_service_bound_elsewhere_lets_nobody_in(tmp_path: Path) -> None:
    with served(tmp_path, lambda _: FakeWorkspace(), host="0.0.0.0") as running:
        problem(running.post("/resolve", {"message": "x"}), 401, "not-authenticated")
        assert running.client.get("/healthz").status_code == 200


def test_a_key_cannot_flood_feedback(guarded: Guarded) -> None:
    running = guarded.served.app.state.running
    allowance = running.feedback_allowance
    running.feedback_allowance = Buckets(0.0, 0.0)
    body = {"resolutionId": "x", "verdict": "right"}
    response: httpx.Response = guarded.served.post("/feedback", body, **bearer(guarded.secrets["agent"]))
    running.feedback_allowance = allowance
    problem(response, 429, "too-many-requests")


@pytest.mark.parametrize(
    ("host", "is_local"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("::ffff:127.0.0.1", True), ("localhost", True),
     ("0.0.0.0", False), ("10.0.0.1", False), ("::", False), ("", False), ("localhost.evil.example", False)],
)  # fmt: skip
def test_loopback_is_told_from_the_rest(host: str, is_local: bool) -> None:
    assert is_loopback(host) is is_local


def test_a_bucket_fills_again_with_time() -> None:
    now = [0.0]
    buckets = Buckets(2.0, 0.5, lambda: now[0])
    assert [buckets.take("a") for _ in range(3)] == [True, True, False]
    assert buckets.take("b")
    now[0] = 2.0
    assert [buckets.take("a") for _ in range(2)] == [True, False]
