"""Skills of one session: seen in it, and gone with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from tests.service.curating import OVER_THE_HILL, RECIPE, REVIEWER, accept, propose
from tests.service.worlds import ME, World, ask

from wellworn.models.access import Caller, Role
from wellworn.models.errors import Conflict, InvalidInput
from wellworn.models.proposal import ProposalStatus
from wellworn.models.skill import Scope
from wellworn.models.trace import TraceEvent, TraceKind
from wellworn.service.workspace import Workspace

HERE = {"sessionId": "s1"}


class Time:
    """A clock that only moves when told to."""

    def __init__(self) -> None:
        self.now = datetime(2030, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_hours(self, hours: float) -> None:
        self.now += timedelta(hours=hours)


@pytest.fixture
def time() -> Time:
    return Time()


@contextmanager
def opened(world: World, time: Time) -> Iterator[Workspace]:
    with Workspace.open(world.settings(), clock=time) as workspace:
        yield workspace


def test_a_session_skill_answers_in_its_session_only(world: World) -> None:
    with world.open() as workspace:
        propose(workspace, scope=Scope.session, session_id="s1", recipe=RECIPE)
        accept(workspace)
        assert ask(workspace, OVER_THE_HILL, context=HERE).skill_id == "ship-it"
        assert ask(workspace, OVER_THE_HILL).skill_id is None
        assert ask(workspace, OVER_THE_HILL, context={"sessionId": "s2"}).skill_id is None
        eve = Caller(role=Role.agent, user="eve", key_id="k2")
        assert ask(workspace, OVER_THE_HILL, caller=eve, context=HERE).skill_id is None
    assert not (world.home / ".wellworn").exists()


def test_a_session_that_ends_takes_its_skills_and_files_along(world: World) -> None:
    with world.open() as workspace:
        propose(workspace, scope=Scope.session, session_id="s1")
        folder = accept(workspace).files[0]
        ended = workspace.session_skills.end("s1", REVIEWER)
        assert ended.skills == ["ship-it"]
        assert ask(workspace, OVER_THE_HILL, context=HERE).skill_id is None
        assert workspace.sources() == []
        assert folder.startswith(str(world.data))
        assert list((world.data / "sessions").iterdir()) == []
        rows = workspace._database.rows("SELECT action, by FROM skill_changes ORDER BY id")
    assert rows == [("accept", "k-rev"), ("session ended", "k-rev")]


def test_what_was_for_a_session_can_be_kept_afterwards(world: World) -> None:
    with world.open() as workspace:
        propose(workspace, scope=Scope.session, session_id="s1")
        accept(workspace)
        workspace.session_skills.end("s1", REVIEWER)
        assert workspace.curation.proposal("p1", REVIEWER).status is ProposalStatus.accepted
        accept(workspace, scope="user")
        assert ask(workspace, OVER_THE_HILL).skill_id == "ship-it"
        with pytest.raises(Conflict, match="already accepted"):
            accept(workspace, scope="user")


def test_what_was_accepted_for_good_is_not_accepted_again(world: World) -> None:
    with world.open() as workspace:
        propose(workspace, session_id="s1")
        accept(workspace)
        with pytest.raises(Conflict, match="already accepted"):
            accept(workspace, scope="session")
        with pytest.raises(Conflict, match="already accepted"):
            accept(workspace, id="other")


def test_ending_a_session_without_skills_is_fine(world: World) -> None:
    with world.open() as workspace:
        assert workspace.session_skills.end("never-was", ME).skills == []
        with pytest.raises(InvalidInput):
            workspace.session_skills.end("  ", ME)


def test_nobody_ends_anothers_session(world: World) -> None:
    eve = Caller(role=Role.admin, user="eve", key_id="k2")
    with world.open() as workspace:
        propose(workspace, scope=Scope.session, session_id="s1")
        accept(workspace)
        assert workspace.session_skills.end("s1", eve).skills == []
        assert ask(workspace, OVER_THE_HILL, context=HERE).skill_id == "ship-it"


def test_a_silent_session_ends_by_itself(world: World, time: Time) -> None:
    with opened(world, time) as workspace:
        propose(workspace, scope=Scope.session, session_id="s1")
        accept(workspace)
        time.pass_hours(23)
        assert workspace.session_skills.end_idle() == []
        time.pass_hours(2)
        assert workspace.session_skills.end_idle() == ["ship-it"]
        assert ask(workspace, OVER_THE_HILL, context=HERE).skill_id is None
        reason = workspace._database.rows("SELECT by, reason FROM skill_changes WHERE action = 'session ended'")
    assert reason == [("wellworn", "its session gave no sign of life")]


def test_a_silent_session_ends_at_the_next_start(world: World, time: Time) -> None:
    with opened(world, time) as workspace:
        propose(workspace, scope=Scope.session, session_id="s1")
        accept(workspace)
    time.pass_hours(25)
    with opened(world, time) as workspace:
        assert ask(workspace, OVER_THE_HILL, context=HERE).skill_id is None


@pytest.mark.parametrize("sign", ["event", "resolution", "accept"])
def test_any_sign_of_life_keeps_a_session(world: World, time: Time, sign: str) -> None:
    with opened(world, time) as workspace:
        propose(workspace, scope=Scope.session, session_id="s1")
        propose(workspace, "p2", skill_id="other", scope=Scope.session, session_id="s1")
        accept(workspace)
        time.pass_hours(20)
        if sign == "event":
            event = TraceEvent(id="e1", ts=time.now, session_id="s1", kind=TraceKind.user_intent, summary="go on")
            workspace.traces.ingest([event], ME)
        elif sign == "resolution":
            ask(workspace, "hello there", context=HERE)
            workspace._recorder.flush()
        else:
            accept(workspace, "p2")
        time.pass_hours(20)
        assert workspace.session_skills.end_idle() == []
        time.pass_hours(25)
        assert "ship-it" in workspace.session_skills.end_idle()


def test_what_a_killed_process_left_of_an_ended_session_is_swept_up(world: World) -> None:
    left = world.data / "sessions" / "abc" / "skills" / "ship-it"
    left.mkdir(parents=True)
    (left / "SKILL.md").write_text("left", encoding="utf-8")
    with world.open():
        assert list((world.data / "sessions").iterdir()) == []


def test_a_strange_session_id_leads_nowhere_else(world: World) -> None:
    for at, session in enumerate(["../../../etc", "a/b", "\u202e", "x" * 500, "a:b"]):
        with world.open() as workspace:
            propose(workspace, f"p{at}", scope=Scope.session)
            answer = accept(workspace, f"p{at}", session_id=session)
            assert answer.files[0].startswith(str(world.data / "sessions"))
            assert ask(workspace, OVER_THE_HILL, context={"sessionId": session}).skill_id == "ship-it"
