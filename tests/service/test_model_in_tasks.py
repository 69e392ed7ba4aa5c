"""A model that reflects on failed tasks, over real HTTP: it words the lesson, and when it breaks nothing is lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from tests.service.model_server import KEY, ModelServer, model_server
from tests.service.worlds import ME, World

from wellworn.lifecycle.reflection import from_steps
from wellworn.models.task import LESSON_MAX, BeginRequest, EndAnswer, EndRequest, StepRequest, TaskStatus
from wellworn.service.workspace import Workspace
from wellworn.store.spend import SpendTable

REASON = "the build needs a clean install first"
SECRET = "ghp_" + "a1B2c3D4e5F6" * 3


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


@pytest.fixture
def workspace(world: World, server: ModelServer) -> Iterator[Workspace]:
    world.usual()
    with world.open(model_api_key=KEY) as opened:
        opened.runtime.change({"model": "openai:tiny", "model_url": server.url("openai")}, ME)
        yield opened


def failed(workspace: Workspace) -> EndAnswer:
    task_id = workspace.tasks.begin(BeginRequest(objective="qwertz uiop"), ME).task_id
    step = StepRequest(command=f"TOKEN={SECRET} npm run build", exit_code=1, summary="left-pad is missing")
    workspace.tasks.step(task_id, step, ME)
    end = EndRequest.model_validate({"outcome": "failure", "skill": "release-local", "reason": REASON})
    return workspace.tasks.end(task_id, end, ME)


def test_its_words_are_the_lesson_and_it_saw_no_secret(workspace: Workspace, server: ModelServer) -> None:
    server.answer = {"analysis": "The install was stale. " * 60, "lesson": "Run a clean install first. And more."}
    found = failed(workspace)
    assert found.reflection is not None
    assert (found.reflection.lesson, found.reflection.by) == ("Run a clean install first.", "openai:tiny")
    assert found.reflection.analysis.endswith("stale.")
    assert workspace.skill("release-local", ME).lessons == ["Run a clean install first."]
    assert SECRET not in str(server.requests)
    assert "npm run build" in str(server.requests)


@pytest.mark.parametrize("how", ["nonsense", "refused", "slow", "broken", "another shape", "empty", "gone"])
def test_it_was_reached_it_broke_the_raw_reason_was_kept_and_the_end_succeeded(
    workspace: Workspace, server: ModelServer, how: str
) -> None:
    match how:
        case "nonsense":
            server.raw = b"\xff\xfe nonsense {"
        case "refused":
            server.status = 500
        case "slow":
            server.hold = threading.Event()
            workspace.runtime.change({"model_seconds": 0.2}, ME)
        case "broken":
            server.broken = True
        case "another shape":
            server.answer = {"thought": 1}
        case "empty":
            server.answer = {"analysis": "", "lesson": "  "}
        case _:
            workspace.runtime.change({"model_url": "http://127.0.0.1:9/v1"}, ME)
    found = failed(workspace)
    assert bool(server.requests) == (how != "gone") or how == "slow"
    assert found.task.status is TaskStatus.ended
    assert workspace.tasks.get(found.task.id, ME).reason == REASON
    reflection = found.reflection
    assert reflection is not None
    assert (reflection.lesson, reflection.by) == (from_steps(found.task).lesson, "steps")
    assert reflection.problem
    assert KEY not in found.model_dump_json()
    assert len(workspace.skill("release-local", ME).lessons or []) == 1
    [spent] = SpendTable(workspace._database).summed("local")
    assert (spent.origin, spent.requests, spent.failed) == ("task", 1, 0 if how == "empty" else 1)


def test_a_huge_lesson_is_cut_at_its_bounds(workspace: Workspace, server: ModelServer) -> None:
    server.answer = {"analysis": "a" * 5000, "lesson": "b\n" * 5000}
    reflection = failed(workspace).reflection
    assert reflection is not None
    assert len(reflection.lesson) <= LESSON_MAX
    assert "\n" not in reflection.lesson
    assert len(reflection.analysis) <= 500
