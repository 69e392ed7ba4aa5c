"""The whole service over a real library: files, SQLite, index and resolver, with the tiny encoder."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.service.http.serving import Served, problem, served, wait_until

from wellworn.models.access import Role
from wellworn.service.http.client import ServiceClient
from wellworn.service.settings import Settings
from wellworn.service.workspace import Workspace

SKILLS = {
    "release-local": "Use when the user wants to ship this and install the latest build locally.",
    "review-loop": "Use when the user wants to work a pull request until the reviewers are happy.",
    "clean-branches": "Use when the user wants to delete merged git branches.",
}
SHIP = "ship this and install the latest build locally"


def write_skill(folder: Path, name: str, description: str) -> None:
    (folder / name).mkdir(parents=True, exist_ok=True)
    text = f"---\nname: {name}\ndescription: {description}\n---\n# {name}\n\n## Steps\n1. Look.\n2. Do it.\n"
    (folder / name / "SKILL.md").write_text(text, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, description in SKILLS.items():
        write_skill(tmp_path / "home" / ".wellworn" / "skills", name, description)
    return tmp_path


@pytest.fixture
def service(folder: Path) -> Iterator[Served]:
    settings = Settings(data_dir=folder, home=folder / "home", encoder="hashing")
    with served(folder, lambda show: Workspace.open(settings, progress=show, background=True)) as running:
        wait_until(lambda: running.client.get("/admin/index").json()["pending"] == 0)
        yield running


def ask(service: Served, message: str, **more: Any) -> dict[str, Any]:
    response = service.post("/resolve", {"message": message, **more})
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


def nearest(answer: dict[str, Any]) -> str:
    """The best candidate, whether or not it was sure enough."""
    best: str = answer["skillId"] or answer["alternatives"][0]["skillId"]
    return best


def test_the_skill_that_is_meant_is_the_best_candidate(service: Served) -> None:
    assert nearest(ask(service, SHIP)) == "release-local"
    assert nearest(ask(service, "work this pull request until the reviewers are happy")) == "review-loop"


def test_an_explained_answer_has_contributions_that_add_up(service: Served) -> None:
    candidates = ask(service, SHIP, explain=True)["contributions"]["candidates"]
    assert candidates
    for candidate in candidates:
        total = sum(part["contribution"] for part in candidate["contributions"])
        assert total == pytest.approx(candidate["score"])


@pytest.mark.parametrize("message", ["", "   \n\t", "\x00", "🙂" * 50, "x" * 50_000])
def test_every_message_gets_an_answer(service: Served, message: str) -> None:
    assert 0.0 <= ask(service, message)["confidence"] <= 1.0


def test_fifty_parallel_questions_get_the_answers_of_asking_one_by_one(service: Served) -> None:
    messages = [f"{SHIP} {number}" if number % 2 else f"delete the merged branches {number}" for number in range(50)]

    def gist(message: str) -> tuple[str, float]:
        answer = ask(service, message)
        return nearest(answer), round(answer["confidence"], 5)

    one_by_one = [gist(message) for message in messages]
    with ThreadPoolExecutor(50) as pool:
        assert list(pool.map(gist, messages)) == one_by_one
    batch = service.post("/resolve/batch", {"requests": [{"message": message} for message in messages]}).json()
    assert [(nearest(a), round(a["confidence"], 5)) for a in batch["resolutions"]] == one_by_one


def test_a_resolution_can_be_read_again_and_corrected_and_the_lesson_forgotten(service: Served) -> None:
    answer = ask(service, "tidy up my old stuff please")
    found = service.client.get(f"/resolutions/{answer['resolutionId']}").json()
    assert found["message"] == "tidy up my old stuff please"
    assert found["resolution"]["resolutionId"] == answer["resolutionId"]
    verdict = {"resolutionId": answer["resolutionId"], "verdict": "should_be", "skillId": "clean-branches"}
    taught = service.post("/feedback", verdict).json()["taught"]
    assert [(one["skillId"], one["field"]) for one in taught if one["field"] == "learned"] == [
        ("clean-branches", "learned")
    ]
    assert nearest(ask(service, "tidy up my old stuff please")) == "clean-branches"
    listed = service.client.get("/skills/clean-branches/taught").json()
    assert [one["id"] for one in listed] == [one["id"] for one in taught if one["skillId"] == "clean-branches"]
    assert service.client.delete(f"/taught/{listed[0]['id']}").status_code == 200
    assert service.client.get("/skills/clean-branches/taught").json() == []


def test_skills_are_listed_in_pages_and_shown(service: Served) -> None:
    first = service.client.get("/skills?limit=2").json()
    assert (len(first["skills"]), first["total"], first["nextOffset"]) == (2, 3, 2)
    second = service.client.get("/skills?limit=2&offset=2").json()
    assert (len(second["skills"]), second["nextOffset"]) == (1, None)
    shown = service.client.get("/skills/release-local@user").json()
    assert shown["manifest"]["description"] == SKILLS["release-local"]
    assert service.client.get("/skills?search=reviewers").json()["skills"][0]["id"] == "review-loop"


def test_what_one_key_taught_is_listed_and_forgotten_in_one_call(service: Served) -> None:
    answer = service.post("/resolve", {"message": "kindly tidy the old twigs"}).json()
    verdict = {"resolutionId": answer["resolutionId"], "verdict": "should_be", "skillId": "clean-branches"}
    taught = service.post("/feedback", verdict).json()["taught"]
    listed = service.client.get("/taught?keyId=local").json()
    assert [one["id"] for one in listed] == [one["id"] for one in taught]
    assert service.client.delete("/taught?keyId=local").json() == listed
    assert service.client.get("/taught?keyId=local").json() == []
    problem(service.client.get("/taught"), 400, "invalid-input")


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/skills/relese-local", 404, "not-found"),
        ("GET", "/skills/No%20Id", 400, "invalid-id"),
        ("GET", "/skills/..%2f..", 404, "not-found"),
        ("GET", "/skills?repo=unknown", 404, "not-found"),
        ("GET", "/resolutions/x", 404, "not-found"),
        ("DELETE", "/taught/x", 404, "not-found"),
        ("GET", "/skills/relese-local/taught", 404, "not-found"),
    ],
)
def test_what_is_not_there_is_told(service: Served, method: str, path: str, status: int, code: str) -> None:
    problem(service.client.request(method, path), status, code)


@pytest.mark.parametrize(
    "body",
    [
        {"resolutionId": "x", "verdict": "right"},
        {"resolutionId": "x", "verdict": "should_be", "skillId": "release-local"},
    ],
)
def test_feedback_on_an_unknown_resolution_is_told(service: Served, body: dict[str, str]) -> None:
    problem(service.post("/feedback", body), 404, "not-found")


def test_feedback_that_names_an_unknown_skill_changes_nothing(service: Served) -> None:
    answer = ask(service, SHIP)
    body = {"resolutionId": answer["resolutionId"], "verdict": "should_be", "skillId": "no-such-skill"}
    problem(service.post("/feedback", body), 404, "not-found")


def test_an_unknown_user_or_repository_is_told(service: Served) -> None:
    for name in ("user", "repo"):
        response = service.post("/resolve", {"message": "x", "context": {name: "unknown"}})
        assert problem(response, 404, "not-found")["field"] == f"context.{name}"


def test_a_reindex_finds_a_new_file_and_reports(service: Served, folder: Path) -> None:
    write_skill(folder / "home" / ".wellworn" / "skills", "water-plants", "Use when the plants need water.")
    with ServiceClient(service.address) as client:
        job = list(client.reindex())[-1]
    assert (job["state"], job["report"]["skills"]) == ("done", 4)
    assert nearest(ask(service, "the plants need water")) == "water-plants"


def test_users_with_keys_see_only_what_is_theirs(service: Served) -> None:
    workspace: Workspace = service.app.state.running.workspace
    secrets = {
        name: workspace.keys.create(Role.agent, name, now=datetime.now(UTC))[1]
        for name in (workspace.settings.user, "eve")
    }
    wait_until(lambda: service.client.get("/skills").status_code == 401)
    mine, others = ({"authorization": f"Bearer {secret}"} for secret in secrets.values())
    assert service.client.get("/skills", headers=mine).json()["total"] == 3
    assert service.client.get("/skills", headers=others).json()["total"] == 0
    answer = service.post("/resolve", {"message": SHIP}, **mine).json()
    foreign = service.post("/resolve", {"message": SHIP}, **others).json()
    assert (foreign["matched"], foreign["alternatives"]) == (False, [])
    path = f"/resolutions/{answer['resolutionId']}"
    assert service.client.get(path, headers=mine).status_code == 200
    problem(service.client.get(path, headers=others), 404, "not-found")
    problem(service.client.get("/skills/release-local", headers=others), 404, "not-found")
    as_local = {"message": SHIP, "context": {"user": workspace.settings.user}}
    problem(service.post("/resolve", as_local, **others), 403, "not-allowed")
