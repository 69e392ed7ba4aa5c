"""Any sequence of calls, from two processes, with agents trying everything: the promises about skills hold."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.service.worlds import ME, SHIP, World

from wellworn.models.access import Caller, Role
from wellworn.models.curation import TrustRequest, UpdateRequest
from wellworn.models.errors import Conflict, NotAllowed, WellwornError
from wellworn.models.repair import MAX_REPAIRS, RepairAccept, RepairEdit, RepairRequest, RevertRequest
from wellworn.models.resolution import Decision, ResolveRequest
from wellworn.models.skill import Scope, Trust
from wellworn.models.task import BeginRequest, ChoiceRequest, EndRequest, FlagChoice, Outcome, StepRequest
from wellworn.service.workspace import Workspace
from wellworn.store.lessons import OPEN_KEPT, LessonTable

AGENT = Caller(role=Role.agent, user="local", key_id="key-agent")
SKILL = "release-local"
WHO = (Scope.user, "local", SKILL)
WHICH = st.integers(0, 1)
OUTCOMES = st.sampled_from(list(Outcome))


class Lifecycle(RuleBasedStateMachine):
    """Knows by arithmetic of its own what the workspaces must say."""

    def __init__(self) -> None:
        super().__init__()
        self.opened = ExitStack()
        self.root = Path(self.opened.enter_context(tempfile.TemporaryDirectory()))
        self.world = World(self.root)
        self.world.usual()
        self.file = self.world.library / SKILL / "SKILL.md"
        self.both: list[Workspace] = []
        self.reliability, self.successes, self.failures, self.repairs = 1.0, 0, 0, 0
        self.task: str | None = None
        self.ended: dict[str, str] = {}
        self.repair: str | None = None
        self.learned: list[str] = []
        self.dropped = 0
        self.number = 0
        self.edits = 0

    @initialize()
    def open(self) -> None:
        self.both = [self.opened.enter_context(self.world.open()) for _ in range(2)]
        for one in self.both:
            one._ready()
        self.files = self.read()

    def read(self) -> dict[str, bytes]:
        folder = self.world.home
        return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}

    def teardown(self) -> None:
        self.opened.close()

    @property
    def flagged(self) -> bool:
        return round(self.reliability, 9) < 0.4

    # -- what agents do ----------------------------------------------------------------------------------------------

    @rule(which=WHICH)
    def begin(self, which: int) -> None:
        answer = self.both[which].tasks.begin(BeginRequest(objective=SHIP), AGENT)
        if self.task is not None:
            assert (answer.task_id, answer.resumed) == (self.task, True)
        self.task = answer.task_id

    @precondition(lambda self: self.task is not None)
    @rule(which=WHICH, outcome=OUTCOMES, broken=st.booleans())
    def end(self, which: int, outcome: Outcome, broken: bool) -> None:
        """broken: the environment failed, which blames nobody."""
        workspace, self.number = self.both[which], self.number + 1
        if broken:
            workspace.tasks.step(self.task or "", StepRequest(command="pnpm i", exit_code=127), AGENT)
        reason = f"reason number {self.number}"
        proof = "the user saw it" if outcome is Outcome.success else None
        request = EndRequest(outcome=outcome, skill=SKILL, reason=reason, evidence=proof)
        workspace.tasks.end(self.task or "", request, AGENT)
        self.ended[self.task or ""] = outcome
        self.task = None
        if outcome is Outcome.success:
            self.reliability = self.reliability + 0.1 * (1.0 - self.reliability)
            self.successes += 1
        elif not broken:
            lost = 0.2 if outcome is Outcome.failure else 0.05
            self.reliability = max(0.0, self.reliability - lost)
            self.failures += 1
            self.learned.append(f"{reason}.")

    @rule(which=WHICH, times=st.integers(2, 4))
    def fail(self, which: int, times: int) -> None:
        for _ in range(times):
            self.begin(which)
            self.end(which, Outcome.failure, broken=False)

    @precondition(lambda self: bool(self.ended))
    @rule(which=WHICH)
    def end_again(self, which: int) -> None:
        with pytest.raises(Conflict):
            self.both[which].tasks.end(next(iter(self.ended)), EndRequest(outcome=Outcome.failure), AGENT)

    @rule(which=WHICH)
    def an_agent_tries_to_decide(self, which: int) -> None:
        workspace = self.both[which]
        for verb in ("promote", "demote", "disable", "archive"):
            with pytest.raises(NotAllowed):
                workspace.care.change_trust(verb, SKILL, TrustRequest(), AGENT)
        with pytest.raises(NotAllowed):
            workspace.care.update(SKILL, UpdateRequest(description="Mine."), AGENT)
        with pytest.raises(NotAllowed):
            workspace.versions.revert(SKILL, RevertRequest(to=1), AGENT)
        with pytest.raises(Conflict):
            workspace.repairs.propose(SKILL, RepairRequest(), AGENT)
        if self.repair is not None:
            for decide in (workspace.repairs.accept, workspace.repairs.edit):
                request = RepairAccept() if decide == workspace.repairs.accept else RepairEdit(steps=["x"])
                with pytest.raises(NotAllowed):
                    decide(self.repair, request, AGENT)  # type: ignore[arg-type]
            with pytest.raises(NotAllowed):
                workspace.repairs.cancel(self.repair, AGENT)
        if self.task is not None:
            with pytest.raises(NotAllowed):
                workspace.tasks.choose(self.task, ChoiceRequest(choice=FlagChoice.proceed), AGENT)

    # -- what persons do ---------------------------------------------------------------------------------------------

    @rule(which=WHICH)
    def propose(self, which: int) -> None:
        try:
            self.repair = self.both[which].repairs.propose(SKILL, RepairRequest(), ME).repair.id
        except Conflict:
            nothing_new = self.flagged and self.repairs < MAX_REPAIRS
            assert not nothing_new or self.learned_open() == 0 or self.trust() is Trust.archived
        else:
            assert self.flagged
            assert self.repairs < MAX_REPAIRS

    @precondition(lambda self: self.flagged)
    @rule(which=WHICH, other=WHICH, first=st.sampled_from(["", "edit", "edit by hand"]))
    def repair_it(self, which: int, other: int, first: str) -> None:
        """What a person does at once, in two processes: propose, perhaps edit, accept."""
        self.propose(which)
        if self.repair is not None and first == "edit":
            self.edits += 1
            with suppress(Conflict):
                steps = ["Look.", f"Look again {self.edits}.", "Push the tag."]
                self.both[other].repairs.edit(self.repair, RepairEdit(steps=steps), ME)
        if first == "edit by hand":
            self.edit_by_hand(other)
        if self.repair is not None:
            self.accept(other)

    @precondition(lambda self: self.repair is not None)
    @rule(which=WHICH)
    def accept(self, which: int) -> None:
        try:
            self.both[which].repairs.accept(self.repair or "", RepairAccept(), ME)
        except Conflict:
            return
        assert self.flagged
        self.reliability, self.successes, self.failures = 0.6, 0, 0
        self.repairs += 1
        self.repair = None
        self.files = self.read()

    @precondition(lambda self: self.repair is not None)
    @rule(which=WHICH)
    def cancel(self, which: int) -> None:
        with suppress(Conflict):
            self.both[which].repairs.cancel(self.repair or "", ME)
        self.repair = None

    @rule(which=WHICH, verb=st.sampled_from(["promote", "demote", "enable", "enable", "enable", "disable", "archive"]))
    def change_trust(self, which: int, verb: str) -> None:
        try:
            self.both[which].care.change_trust(verb, SKILL, TrustRequest(), ME)
        except WellwornError:
            assert self.read() == self.files
        self.files = self.read()

    @rule(which=WHICH, reset=st.sampled_from([False, False, False, True]))
    def update(self, which: int, reset: bool) -> None:
        self.edits += 1
        body = f"## Steps\n1. Look {self.edits} times.\n2. Push the tag.\n"
        try:
            self.both[which].care.update(SKILL, UpdateRequest(body=body, reset_stats=reset), ME)
        except Conflict:
            assert self.trust() is Trust.archived
            return
        self.repairs = 0  # other steps let repairs be counted anew
        if reset:
            self.reliability, self.successes, self.failures = 1.0, 0, 0
        self.files = self.read()

    @rule(which=WHICH)
    def edit_by_hand(self, which: int) -> None:
        self.edits += 1
        self.file.write_bytes(self.file.read_bytes() + f"\nBy hand {self.edits}.\n".encode())
        self.both[which].versions.log(SKILL, ME)
        self.files = self.read()

    @rule(which=WHICH)
    def revert(self, which: int) -> None:
        try:
            self.both[which].versions.revert(SKILL, RevertRequest(to=1), ME)
        except WellwornError:
            return
        self.files = self.read()

    @rule(which=WHICH)
    def reopen(self, which: int) -> None:
        self.both[which].close()
        self.both[which] = self.opened.enter_context(self.world.open())
        self.both[which]._ready()

    # -- what must hold ----------------------------------------------------------------------------------------------

    def trust(self) -> Trust:
        return self.both[0].skill(SKILL, ME).manifest.trust

    def learned_open(self) -> int:
        return len(LessonTable(self.both[0]._database).open(*WHO))

    @invariant()
    def no_file_changes_without_a_persons_decision(self) -> None:
        if self.both:
            assert self.read() == self.files

    @invariant()
    def the_numbers_are_exact_in_both_processes(self) -> None:
        for workspace in self.both:
            stats = workspace.skill(SKILL, ME).stats
            assert stats.reliability == pytest.approx(self.reliability, abs=1e-12)
            assert (stats.success_count, stats.failure_count) == (self.successes, self.failures)
            assert stats.repair_count == self.repairs <= MAX_REPAIRS
            assert stats.flagged is self.flagged

    @invariant()
    def no_lesson_is_lost(self) -> None:
        if not self.both:
            return
        table = LessonTable(self.both[0]._database)
        kept = [one.lesson for one in table.all(*WHO)]
        waiting = [one.lesson for one in table.open(*WHO)]
        assert len(waiting) <= OPEN_KEPT
        lost = [lesson for lesson in self.learned if lesson not in kept]
        # Only the oldest of those that wait go, where there are more than ten.
        assert not lost or len(waiting) == OPEN_KEPT or len(self.learned) > OPEN_KEPT
        assert self.learned[-len(waiting) or len(self.learned) :] == waiting[::-1]

    @invariant()
    def what_has_ended_stays_as_it_was(self) -> None:
        for task_id, outcome in self.ended.items():
            assert self.both[1].tasks.get(task_id, AGENT).outcome == outcome

    @invariant()
    def the_decision_follows(self) -> None:
        for workspace in self.both:
            workspace._follow()
            answer = workspace.resolve(ResolveRequest(message=SHIP), ME)
            if answer.skill_id == SKILL:
                assert (answer.decision is Decision.review) == self.flagged


Lifecycle.TestCase.settings = settings(
    max_examples=12, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)
TestLifecycle = Lifecycle.TestCase
