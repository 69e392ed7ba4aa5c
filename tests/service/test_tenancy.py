"""Nobody sees, or can infer, another's skills, answers or lessons."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.service.worlds import SHIP, World, ask, ids

from wellworn.models.access import Caller, Role
from wellworn.models.errors import NotFound, WellwornError
from wellworn.models.resolution import Context, Decision, FeedbackRequest, Verdict

LOCAL = Caller(role=Role.reviewer, user="local", key_id="k1")
EVE = Caller(role=Role.reviewer, user="eve", key_id="k2")
BOSS = Caller(role=Role.admin, user="boss", key_id="k3")


def test_another_user_sees_no_skill_of_mine(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        assert workspace.skills(LOCAL).total == 3
        assert workspace.skills(EVE).total == 0
        foreign = ask(workspace, SHIP, caller=EVE, explain=True)
        assert (foreign.decision, foreign.alternatives) == (Decision.none, [])
        with pytest.raises(NotFound) as hidden:
            workspace.skill("release-local", EVE)
        with pytest.raises(NotFound) as absent:
            workspace.skill("release-nothing", EVE)
    assert str(hidden.value).replace("release-local", "X") == str(absent.value).replace("release-nothing", "X")


def test_another_user_sees_no_answer_or_lesson_of_mine(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        mine = ask(workspace, "get it out of the door", caller=LOCAL).resolution_id
        verdict = FeedbackRequest(resolution_id=mine, verdict=Verdict.should_be, skill_id="release-local")
        taught = workspace.feedback(verdict, LOCAL).taught[0]
        attempts: list[Callable[[], object]] = [
            lambda: workspace.resolution(mine, EVE),
            lambda: workspace.feedback(verdict, EVE),
            lambda: workspace.taught("release-local", EVE),
            lambda: workspace.forget(taught.id, EVE),
        ]
        for attempt in attempts:
            with pytest.raises(NotFound):
                attempt()
        assert workspace.resolution(mine, BOSS).resolution_id == mine
        assert workspace.taught("release-local", LOCAL) == [taught]


def test_an_answer_that_is_not_mine_looks_like_one_that_never_was(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        mine = ask(workspace, SHIP, caller=LOCAL).resolution_id
        never = "01J00000000000000000000000"
        errors = []
        for one in (mine, never):
            with pytest.raises(NotFound) as error:
                workspace.resolution(one, EVE)
            errors.append(str(error.value).replace(one, "X"))
    assert errors[0] == errors[1]


def test_a_key_limited_to_repos_sees_no_other_repo_and_no_answer_given_there(world: World) -> None:
    root = world.repo("secret", "git@host.org:team/secret.git")
    world.skill("open-vault", aliases=["open the vault"], at=root / ".claude/skills")
    limited = Caller(role=Role.agent, user="local", key_id="k", repos=("host.org/team/other",))
    with world.open() as workspace:
        workspace.add_source(root, repo=True)
        seen = ask(workspace, "open the vault", caller=LOCAL, context={"cwd": str(root)})
        assert seen.skill_id == "open-vault"
        assert ids(ask(workspace, "open the vault", caller=limited, context={"cwd": str(root)})) == set()
        with pytest.raises(NotFound):
            workspace.resolution(seen.resolution_id, limited)
        with pytest.raises(NotFound):
            workspace.skills(limited, repo="host.org/team/secret")


def test_a_colon_in_a_name_opens_nobody_elses_session(world: World) -> None:
    with world.open() as workspace:
        places = [
            workspace._places.of(context, Caller(role=Role.agent, user=user)).owners[0]
            for user, context in (("ann:x", _session("y")), ("ann", _session("x:y")))
        ]
    assert places[0] != places[1]


def test_a_user_whom_the_key_does_not_speak_for_is_refused(world: World) -> None:
    world.usual()
    with world.open() as workspace, pytest.raises(WellwornError) as error:
        ask(workspace, SHIP, caller=EVE, context={"user": "local"})
    assert error.value.field == "context.user"


def _session(session_id: str) -> Context:
    return Context(session_id=session_id)
