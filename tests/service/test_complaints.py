"""What users of such tools complain about, asked of the real encoder over a small real library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.service.worlds import ME, World

from wellworn.models.resolution import Decision, IntentResolution, ResolveRequest
from wellworn.resolver.decide import CONFIRM_AT, PROCEED_AT
from wellworn.service.workspace import Workspace

LIBRARY = {
    "linear": "Manages issues and projects in Linear. Use when the user wants to create, update or search tickets.",
    "queue": "Inspects and drains the job queue of the worker service.",
    "check": "Runs all pre-merge checks of this repository.",
    "status": "Shows the deployment status of every environment.",
    "text-processing": "Converts, cleans and transforms text files: case, encoding, line ends, CSV to JSON.",
    "address-bot-comments": "Addresses comments left by reviewer bots on a pull request: fixes each or answers it.",
    "tdd": "Test-driven development: write a failing test first (red), make it pass (green), refactor.",
    "publish-npm": "Publishes the package to the npm registry after the tests pass.",
    "explain-codebase": "Gives a newcomer a map of a code base: what it does and how it is laid out.",
    "database-migration": "Designs and rehearses a change of a database schema so that it can run without downtime.",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    world = World(tmp_path_factory.mktemp("complaints"))
    for skill_id, description in LIBRARY.items():
        world.skill(skill_id, description)
    world.skill("release-notes", "Writes release notes.", aliases=["发布说明", "заметки о выпуске", "リリースノート"])
    with world.open(encoder="bundled") as workspace:
        yield workspace


def ask(workspace: Workspace, message: str) -> IntentResolution:
    return workspace.resolve(ResolveRequest(message=message), ME)


@pytest.mark.parametrize(
    ("message", "skill_id"),
    [
        ("address the reviewer bot's comments on the PR", "address-bot-comments"),
        ("please publish the npm package", "publish-npm"),
        ("show me the deployment status", "status"),
        ("/tdd", "tdd"),
        ("use the database-migration skill", "database-migration"),
    ],
)
def test_a_message_that_says_nearly_what_the_description_says_is_sure(
    workspace: Workspace, message: str, skill_id: str
) -> None:
    answer = ask(workspace, message)
    assert (answer.skill_id, answer.confidence >= PROCEED_AT) == (skill_id, True)


@pytest.mark.parametrize(
    ("message", "skill_id"),
    [
        ("alter the tables while people go on using the site", "database-migration"),
        ("ship our library so that others can install it", "publish-npm"),
    ],
)
def test_a_paraphrase_without_a_common_word_still_comes_first(
    workspace: Workspace, message: str, skill_id: str
) -> None:
    answer = ask(workspace, message)
    first = answer.skill_id or answer.alternatives[0].skill_id
    assert first == skill_id


ONE_SHARED_WORD = pytest.mark.xfail(reason="one shared everyday word still outweighs the rest where a library is small")


@pytest.mark.parametrize(
    "message",
    [
        "draw a linear regression line through these points",
        "solve this system of linear equations",
        "how many ounces are in a pound?",
        "write a check for the rent",
        "I want to check in for my flight",
        pytest.param("the queue at the bakery was long today", marks=ONE_SHARED_WORD),
        pytest.param("how do I queue songs on my phone?", marks=ONE_SHARED_WORD),
        pytest.param("what's the status of my flight?", marks=ONE_SHARED_WORD),
        "my relationship status is complicated",
        "convert 100 Celsius to Fahrenheit",
    ],
)
def test_a_common_word_or_a_loose_likeness_does_not_fire_a_skill(workspace: Workspace, message: str) -> None:
    answer = ask(workspace, message)
    assert (answer.matched, answer.decision) == (False, Decision.none)


@pytest.mark.parametrize(
    "message",
    [
        "we were in the red phase",
        "the release notes went out yesterday",
        "don't publish the package",
        "what does publishing the package do?",
        "never migrate the database without asking",
    ],
)
def test_a_mention_a_question_or_a_prohibition_is_no_request(workspace: Workspace, message: str) -> None:
    assert ask(workspace, message).confidence < CONFIRM_AT


@pytest.mark.parametrize("alias", ["发布说明", "заметки о выпуске", "リリースノート", "ЗАМЕТКИ О ВЫПУСКЕ"])
def test_an_alias_in_any_script_is_found_exactly(workspace: Workspace, alias: str) -> None:
    answer = ask(workspace, alias)
    assert (answer.skill_id, answer.confidence >= PROCEED_AT) == ("release-notes", True)


@pytest.mark.parametrize("message", ["what's the capital of France?", "tell me a joke", "qwertz"])
def test_a_miss_names_the_nearest_and_its_confidence(workspace: Workspace, message: str) -> None:
    answer = ask(workspace, message)
    assert answer.decision is Decision.none
    assert answer.alternatives
    assert answer.alternatives[0].skill_id in answer.reason
    assert f"{answer.alternatives[0].confidence:.2f}" in answer.reason


@pytest.mark.parametrize("message", ["hello there", "zoom zoom zoom", "fix the login bug", "asdf", "order a pizza"])
def test_a_lone_skill_does_not_answer_everything(tmp_path: Path, message: str) -> None:
    world = World(tmp_path)
    world.skill("tea-maker", "Brews tea.")
    with world.open(encoder="bundled") as workspace:
        assert ask(workspace, message).decision is Decision.none
        assert ask(workspace, "make me some tea").skill_id == "tea-maker"
