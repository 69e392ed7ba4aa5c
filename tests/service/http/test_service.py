"""Health, metrics, pages, jobs and many clients at once."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.service.http.fakes import REPORT, FakeWorkspace
from tests.service.http.serving import Served, problem, served, wait_until

from wellworn.models.errors import Conflict, StoreError
from wellworn.models.reports import Progress, ReindexReport

ASSETS = Path(__file__).parents[3] / "service" / "http" / "assets"


@pytest.fixture
def workspace() -> FakeWorkspace:
    return FakeWorkspace()


@pytest.fixture
def service(tmp_path: Path, workspace: FakeWorkspace) -> Iterator[Served]:
    with served(tmp_path, lambda _: workspace) as running:
        yield running


def test_it_is_alive_but_not_ready_while_the_library_is_opened(tmp_path: Path) -> None:
    go_on = threading.Event()

    def slowly(progress: Callable[[Any], None]) -> FakeWorkspace:
        progress(Progress("embedding", 300, 25_000))
        assert go_on.wait(10)
        return FakeWorkspace()

    with served(tmp_path, slowly, ready=False) as running:
        assert running.client.get("/healthz").json()["status"] == "live"
        response = running.client.get("/readyz")
        assert "300 of 25000" in problem(response, 503, "starting")["detail"]
        assert response.headers["retry-after"] == "1"
        problem(running.post("/resolve", {"message": "x"}), 503, "starting")
        go_on.set()
        running.until_ready()
        assert running.post("/resolve", {"message": "x"}).status_code == 200


def test_a_library_that_cannot_be_opened_is_told_at_readyz(tmp_path: Path) -> None:
    def broken(_: Callable[[Any], None]) -> FakeWorkspace:
        raise StoreError("The database is damaged.", hint="Restore it.")

    with served(tmp_path, broken, ready=False) as running:
        wait_until(lambda: running.client.get("/readyz").status_code == 500)
        problem(running.client.get("/readyz"), 500, "store-error")
        assert running.client.get("/healthz").status_code == 200


def test_stopping_closes_the_workspace(tmp_path: Path, workspace: FakeWorkspace) -> None:
    with served(tmp_path, lambda _: workspace):
        assert not workspace.closed
    assert workspace.closed


def test_fifty_parallel_questions_get_their_own_answers(service: Served, workspace: FakeWorkspace) -> None:
    def ask(number: int) -> str:
        reason: str = service.post("/resolve", {"message": f"message {number}"}).json()["reason"]
        return reason

    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(ask, range(50)))
    assert answers == [f"message {number}" for number in range(50)]


def test_a_question_that_takes_too_long_is_answered_with_503(tmp_path: Path, workspace: FakeWorkspace) -> None:
    with served(tmp_path, lambda _: workspace, request_seconds=0.2) as running:
        workspace.encoder.open.clear()
        problem(running.post("/resolve", {"message": "x"}), 503, "took-too-long")
        workspace.encoder.open.set()
        assert running.post("/resolve", {"message": "x"}).status_code == 200


def test_a_client_that_leaves_is_not_worked_for(service: Served, workspace: FakeWorkspace) -> None:
    workspace.encoder.open.clear()
    holders = [threading.Thread(target=service.post, args=("/resolve", {"message": "hold"})) for _ in range(2)]
    for holder in holders:
        holder.start()
        assert workspace.encoder.entered.acquire(timeout=5)
    with pytest.raises(Exception, match="timed out"):
        service.client.post("/resolve", json={"message": "gone"}, timeout=0.3)
    counters = service.app.state.running.counters
    wait_until(
        lambda: counters.value("wellworn_http_requests_total", method="POST", route="/resolve", status="503") == 1
    )
    workspace.encoder.open.set()
    for holder in holders:
        holder.join(5)
    assert ["gone"] not in workspace.encoder.calls


def test_a_reindex_is_watched_by_events_until_it_is_done(service: Served, workspace: FakeWorkspace) -> None:
    steps = [threading.Event() for _ in range(2)]

    def reindex(progress: Callable[[Any], None]) -> ReindexReport:
        for number, step in enumerate(steps):
            progress(Progress("embedding", number, 2))
            assert step.wait(5)
        return REPORT

    workspace.reindexing = reindex
    started = service.client.post("/admin/reindex")
    assert started.status_code == 202
    assert started.headers["location"] == f"/admin/reindex/{started.json()['id']}"
    problem(service.client.post("/admin/reindex"), 409, "conflict")
    seen: list[tuple[str, dict[str, Any]]] = []
    with service.client.stream("GET", started.headers["location"] + "/events") as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        for line in response.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            if line.startswith("data: "):
                seen.append((name, json.loads(line.removeprefix("data: "))))
                steps[min(len(seen), len(steps)) - 1].set()
    assert [name for name, _ in seen] == ["progress", "progress", "done"]
    assert [job["done"] for _, job in seen] == [0, 1, 1]
    assert seen[-1][1]["report"]["embedded"] == 2
    assert service.client.get(started.headers["location"]).json()["state"] == "done"
    assert service.client.post("/admin/reindex").status_code == 202


def test_a_reindex_that_fails_says_why(service: Served, workspace: FakeWorkspace) -> None:
    def reindex(progress: Callable[[Any], None]) -> ReindexReport:
        raise StoreError("The disk is full.", hint="Make room.")

    workspace.reindexing = reindex
    problem(service.client.post("/admin/reindex"), 500, "store-error")


def test_a_reindex_that_fails_later_says_why_in_its_job(service: Served, workspace: FakeWorkspace) -> None:
    go_on = threading.Event()

    def reindex(progress: Callable[[Any], None]) -> ReindexReport:
        assert go_on.wait(5)
        raise StoreError("The disk is full.", hint="Make room.")

    workspace.reindexing = reindex
    address = service.client.post("/admin/reindex").headers["location"]
    go_on.set()
    wait_until(lambda: service.client.get(address).json()["state"] == "failed")
    assert service.client.get(address).json()["problem"]["detail"] == "The disk is full."


def test_a_reindex_of_another_process_is_a_conflict(service: Served, workspace: FakeWorkspace) -> None:
    def reindex(progress: Callable[[Any], None]) -> ReindexReport:
        raise Conflict("Another process is reindexing.")

    workspace.reindexing = reindex
    problem(service.client.post("/admin/reindex"), 409, "conflict")


def test_an_unknown_job_is_not_found(service: Served) -> None:
    problem(service.client.get("/admin/reindex/x"), 404, "not-found")
    problem(service.client.get("/admin/reindex/x/events"), 404, "not-found")


def test_metrics_count_what_was_asked(service: Served) -> None:
    for _ in range(3):
        service.post("/resolve", {"message": "x"})
    service.client.get("/<nowhere>")
    text = service.client.get("/metrics").text
    assert 'wellworn_http_requests_total{method="POST",route="/resolve",status="200"} 3' in text
    assert 'wellworn_http_request_seconds_count{route="/resolve"} 3' in text
    assert 'wellworn_decisions_total{decision="none"} 3' in text
    assert "wellworn_encode_batch_size_count 3" in text
    assert "wellworn_skills 3" in text
    assert "nowhere" not in text


def test_every_line_of_the_metrics_is_prometheus_text(service: Served) -> None:
    service.post("/resolve", {"message": "x"})
    line = re.compile(r'# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? -?\d+(\.\d+)?(e-?\d+)?')
    for text in service.client.get("/metrics").text.splitlines():
        assert line.fullmatch(text), text


def test_pages_load_nothing_from_elsewhere(service: Served) -> None:
    for path in ("/", "/schema"):
        response = service.client.get(path)
        assert "default-src 'self'" in response.headers["content-security-policy"]
        loaded = re.findall(r'(?:src|<link[^>]*href)="([^"]+)"', response.text)
        assert loaded
        for address in loaded:
            assert address.startswith(("/schema/assets/", "data:"))
            if address.startswith("/"):
                assert service.client.get(address).status_code == 200


def test_the_greeting_escapes_the_name_it_was_asked_by(service: Served) -> None:
    text = service.client.get("/", headers={"host": "x<b>"}).text
    assert "<b>" not in text


def test_vendored_files_are_those_of_the_lock() -> None:
    lock = json.loads((ASSETS / "assets.lock.json").read_text(encoding="utf-8"))
    for package in lock["packages"]:
        for name, digest in package["sha256"].items():
            assert sha256((ASSETS / name).read_bytes()).hexdigest() == digest
        for name in package["licence_files"]:
            assert (ASSETS / name).stat().st_size


def test_the_document_declares_every_error_and_every_schema(service: Served) -> None:
    document = service.client.get("/schema/openapi.json").json()
    text = json.dumps(document)
    assert set(re.findall(r'"#/components/schemas/([^"]+)"', text)) <= set(document["components"]["schemas"])
    for path, operations in document["paths"].items():
        for operation in operations.values():
            errors = {code: answer for code, answer in operation["responses"].items() if code >= "400"}
            assert all(list(answer["content"]) == ["application/problem+json"] for answer in errors.values()), path
            if "requestBody" in operation:
                assert {"400", "413", "415"} <= set(errors)
    assert document["components"]["schemas"]["ResolveRequest"]["additionalProperties"] is False


def test_the_examples_of_the_document_are_accepted(service: Served) -> None:
    document = service.client.get("/schema/openapi.json").json()
    examples = document["paths"]["/resolve"]["post"]["requestBody"]["content"]["application/json"]["schema"]["examples"]
    for example in examples:
        assert service.post("/resolve", example).status_code == 200
