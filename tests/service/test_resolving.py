"""What a message is answered with, asked of a whole workspace over real files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from tests.service.worlds import ME, SHIP, World, ask, best, ids

from wellworn.models.resolution import Decision, IntentResolution, Invocation
from wellworn.models.skill import Scope

PR = {"number": 3, "reviewState": "changes_requested"}


def shares(scores: Sequence[float]) -> list[float]:
    total = sum(math.exp(score - max(scores)) for score in scores)
    return [math.exp(score - max(scores)) / total for score in scores]


def test_an_alias_means_its_skill(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        answer = ask(workspace, SHIP)
    assert (answer.matched, answer.skill_id, answer.scope) == (True, "release-local", Scope.user)
    assert answer.confidence >= 0.85
    assert answer.decision is Decision.confirm
    assert "release-local" in answer.reason


def test_a_person_who_calls_for_a_skill_may_proceed(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        answer = ask(workspace, SHIP, invocation=Invocation.explicit)
    assert answer.decision is Decision.proceed
    assert answer.safe_steps == ["Look."]


def test_a_miss_names_the_nearest_and_its_confidence(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        answer = ask(workspace, "qwertz uiopu asdfg")
    assert (answer.matched, answer.skill_id, answer.decision) == (False, None, Decision.none)
    assert answer.alternatives
    assert answer.confidence == answer.alternatives[0].confidence < 0.6
    assert answer.alternatives[0].skill_id in answer.reason


def test_an_empty_library_answers_none(world: World) -> None:
    with world.open() as workspace:
        answer = ask(workspace, SHIP)
    assert (answer.decision, answer.confidence, answer.alternatives) == (Decision.none, 0.0, [])
    assert "there is none that could match" in answer.reason


def test_a_disabled_skill_never_matches(world: World) -> None:
    world.usual()
    world.skill("release-local", aliases=[SHIP], trust="disabled")
    with world.open() as workspace:
        assert "release-local" not in ids(ask(workspace, SHIP, top_k=50))


def test_when_all_skills_are_disabled_the_answer_is_none(world: World) -> None:
    for skill_id in ("release-local", "water-plants"):
        world.skill(skill_id, aliases=[f"alias of {skill_id}"], trust="disabled")
    with world.open() as workspace:
        answer = ask(workspace, "alias of release-local", explain=True)
    assert (answer.decision, answer.alternatives) == (Decision.none, [])


def test_a_skill_whose_restriction_cannot_be_read_never_matches(world: World) -> None:
    folder = world.skill("release-local", aliases=[SHIP])
    (folder / "SKILL.md").write_text("---\nname: release-local\nallowed-tools: {a: [\n---\n", encoding="utf-8")
    with world.open() as workspace:
        assert ask(workspace, SHIP).decision is Decision.none


@pytest.mark.parametrize("message", ["", "   ", "\n\t \r\n", "\x00", "...", "\u200b\u200b"])
def test_a_message_without_a_word_is_none(world: World, message: str) -> None:
    world.usual()
    with world.open() as workspace:
        answer = ask(workspace, message, explain=True)
    assert (answer.decision, answer.confidence) == (Decision.none, 0.0)
    assert answer.reason == "The message has no words, so no skill is meant."


def test_what_was_pasted_around_the_request_is_left_out(world: World) -> None:
    world.usual()
    trace = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    raise ValueError(x)\nValueError: x\n'
    message = f"{SHIP}\n\n```python\n" + "water = plants(piano)\n" * 2000 + "```\n\n" + trace * 100
    assert len(message) > 50_000
    with world.open() as workspace:
        answer = ask(workspace, message)
    assert best(answer) == "release-local"
    assert any("pasted" in note and "code" in note for note in answer.notes)


@pytest.mark.parametrize(
    "message",
    [
        "delete the merged branches and then write the change log",
        "Delete the merged branches. After that, write the change log.",
        "Two things:\n- delete the merged branches\n- write the change log",
    ],
)
def test_two_requests_in_one_message_are_a_choice_naming_both(world: World, message: str) -> None:
    world.skill("delete-branches", "Deletes branches.", aliases=["delete the merged branches"])
    world.skill("write-changelog", "Writes the change log.", aliases=["write the change log"])
    with world.open() as workspace:
        answer = ask(workspace, message)
    assert answer.decision is Decision.choose
    assert [one.skill_id for one in answer.alternatives[:2]] == ["delete-branches", "write-changelog"]
    assert any("several things" in note for note in answer.notes)


def test_what_is_ruled_out_is_noted_and_the_gates_stay(world: World) -> None:
    world.skill(
        "release-local", "Cuts a release.", aliases=["cut the release"], requiresApproval=["git_push", "publish"]
    )
    with world.open() as workspace:
        answer = ask(workspace, "cut the release, but don't publish the package")
    assert any(note.startswith("not included:") and "publish" in note for note in answer.notes)
    assert best(answer) == "release-local"
    if answer.matched:
        assert answer.approval_gates == ["git_push", "publish"]


def test_gates_of_a_risky_skill_are_always_listed(world: World) -> None:
    world.skill("wipe-disk", aliases=["wipe the disk"], risk="high")
    with world.open() as workspace:
        answer = ask(workspace, "wipe the disk", invocation=Invocation.explicit)
    assert (answer.approval_gates, answer.safe_steps) == (["run"], [])


def test_a_skill_whose_facts_do_not_hold_is_not_answered(world: World) -> None:
    world.usual()
    world.skill("work-review", aliases=["work the review"], when={"openPr": True})
    with world.open() as workspace:
        answer = ask(workspace, "work the review", context={"openPr": False})
        assert "work-review" not in ids(answer)
        assert "work-review was the nearest, but it needs an open PR." in answer.notes
        assert ask(workspace, "work the review", context={"openPr": PR}).skill_id == "work-review"


def test_a_skill_whose_facts_are_not_stated_needs_a_confirmation(world: World) -> None:
    world.skill("work-review", aliases=["work the review"], when={"openPr": True})
    with world.open() as workspace:
        unknown = ask(workspace, "work the review", invocation=Invocation.explicit)
        known = ask(workspace, "work the review", invocation=Invocation.explicit, context={"openPr": PR})
    assert (unknown.decision, known.decision) == (Decision.confirm, Decision.proceed)
    assert any("does not state" in note for note in unknown.notes)


@pytest.mark.parametrize(
    "stated", [{"repo": "host.org/team/app"}, {"repo": "git@host.org:team/app.git"}, {"cwd": "ROOT"}]
)
def test_a_repo_predicate_holds_however_the_repo_is_named(world: World, stated: dict[str, str]) -> None:
    root = world.repo("app", "git@host.org:team/app.git")
    world.skill("ship-app", aliases=["ship the app"], when={"repo": ["*/app"]})
    with world.open() as workspace:
        workspace.add_source(root, repo=True)
        context = {name: str(root) if value == "ROOT" else value for name, value in stated.items()}
        answer = ask(workspace, "ship the app", invocation=Invocation.explicit, context=context)
    assert answer.decision is Decision.proceed


@pytest.mark.parametrize(
    "message", [SHIP, "give the ferns something and look after the piano", "zxcv", "release local"]
)
def test_an_explanation_adds_up_exactly(world: World, message: str) -> None:
    world.usual()
    for number in range(30):
        world.skill(f"filler-{number}", f"Fills gap number {number} with something to drink.")
    with world.open() as workspace:
        explained = ask(workspace, message, explain=True).contributions
    assert explained is not None
    for one in explained.candidates:
        assert sum(part.contribution for part in one.contributions) == pytest.approx(one.score, abs=1e-9)
        assert all(part.value * part.weight == pytest.approx(part.contribution) for part in one.contributions)
    outside = sum(part.contribution for part in explained.outside_contributions)
    assert outside == pytest.approx(explained.outside_score, abs=1e-9)
    rest = [] if explained.others_score is None else [explained.others_score]
    expected = shares([*(one.score for one in explained.candidates), *rest, explained.outside_score])
    confidences = [one.confidence for one in explained.candidates]
    assert confidences == pytest.approx(expected[: len(confidences)], abs=1e-12)


class TestOneIdInTwoScopes:
    """The repo's `deploy` shadows the user's."""

    @pytest.fixture
    def both(self, world: World) -> tuple[World, dict[str, Any]]:
        root = world.repo("app")
        world.skill("deploy", "Deploys the app to the cloud.", aliases=["send it to the cloud"])
        world.skill(
            "deploy", "Deploys the app to the cloud.", at=root / ".claude/skills", aliases=["send it to the cloud"]
        )
        world.skill("water-plants", "Waters the plants.")
        return world, {"cwd": str(root)}

    def test_the_narrower_one_answers_as_surely_as_if_it_were_alone(self, both: tuple[World, dict[str, Any]]) -> None:
        world, context = both
        with world.open() as workspace:
            alone = ask(workspace, "send it to the cloud")
            answer = ask(workspace, "send it to the cloud", context=context)
        assert (answer.skill_id, answer.scope) == ("deploy", Scope.repo)
        assert answer.confidence == pytest.approx(alone.confidence, abs=0.05)

    def test_the_loser_is_named_and_reached_by_its_scope(self, both: tuple[World, dict[str, Any]]) -> None:
        world, context = both
        with world.open() as workspace:
            answer = ask(workspace, "send it to the cloud", context=context)
            wider = ask(workspace, "run deploy@user", context=context)
            shown = workspace.skill("deploy@user", caller=ME, repo=context["cwd"])
        assert "deploy@user is shadowed by the repo skill of that id." in answer.notes
        assert [(one.skill_id, one.scope) for one in answer.alternatives if one.skill_id == "deploy"] == []
        assert (_first(wider), shown.scope) == (("deploy", Scope.user), Scope.user)
        assert "deploy@repo is shadowed by the user skill of that id." in wider.notes

    def test_a_disabled_one_shadows_nothing(self, both: tuple[World, dict[str, Any]]) -> None:
        world, context = both
        repo = world.root / "app" / ".claude/skills"
        world.skill("deploy", at=repo, aliases=["send it to the cloud"], trust="disabled")
        with world.open() as workspace:
            answer = ask(workspace, "send it to the cloud", context=context)
        assert (answer.skill_id, answer.scope) == ("deploy", Scope.user)

    def test_outside_the_repo_the_wider_one_answers(self, both: tuple[World, dict[str, Any]]) -> None:
        world, _ = both
        with world.open() as workspace:
            answer = ask(workspace, "send it to the cloud")
        assert answer.scope is Scope.user
        assert not any("shadowed" in note for note in answer.notes)


def _first(answer: IntentResolution) -> tuple[str, Scope]:
    if answer.skill_id is not None and answer.scope is not None:
        return answer.skill_id, answer.scope
    return answer.alternatives[0].skill_id, answer.alternatives[0].scope


def test_a_skill_whose_when_fails_leaves_the_message_to_its_sibling(world: World) -> None:
    """What it held goes to the others and to "none" in proportion."""
    world.skill("merge-reviewed", "Merges work.", examples=["get this merged"], when={"openPr": True})
    world.skill("merge-local", "Merges work.", examples=["get this merged please"])
    with world.open() as workspace:
        both = ask(workspace, "get it merged now", context={"openPr": {"number": 3}})
        left = ask(workspace, "get it merged now", context={"openPr": False})
    share = {one.skill_id: one.confidence for one in both.alternatives}
    assert share["merge-reviewed"] > 0.1
    assert [one.skill_id for one in left.alternatives] == ["merge-local"]
    assert left.confidence == pytest.approx(share["merge-local"] / (1 - share["merge-reviewed"]), rel=1e-3)


def test_a_skill_that_was_named_is_not_replaced_when_its_when_fails(world: World) -> None:
    world.skill("deploy-prod", "Deploys the service to production.", when={"branch": ["main"]})
    world.skill("deploy-staging", "Deploys the service to staging.")
    with world.open() as workspace:
        for message in ("/deploy-prod", "use the deploy-prod skill"):
            answer = ask(workspace, message, context={"branch": "develop"}, invocation=Invocation.explicit)
            assert (answer.matched, answer.decision) == (False, Decision.none)
            assert "deploy-prod was the nearest, but it needs branch main." in answer.notes


def test_the_confidence_in_any_skill_is_what_none_of_them_leaves(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        sure, unsure = ask(workspace, SHIP, topK=20), ask(workspace, "what a lovely day it is", topK=20)
    for answer in (sure, unsure):
        own = [answer.confidence] if answer.matched else []
        shares = [*own, *(one.confidence for one in answer.alternatives)]
        assert answer.any_confidence == pytest.approx(math.fsum(shares), abs=1e-6)
    assert unsure.any_confidence < sure.any_confidence <= 1.0
