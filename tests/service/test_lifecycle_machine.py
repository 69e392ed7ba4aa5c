"""Any sequence of calls, from two processes, with agents trying everything: the promises about skills hold."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.service.lifecycle_model import SkillModel
from tests.service.worlds import ME, SHIP, World

from wellworn.models.access import Caller, Role
from wellworn.models.curation import TrustRequest, UpdateRequest
from wellworn.models.errors import Conflict, InvalidInput, NotAllowed, WellwornError
from wellworn.models.repair import MAX_REPAIRS, RepairAccept, RepairEdit, RepairRequest, RevertRequest
from wellworn.models.resolution import Decision, ResolveRequest
from wellworn.models.skill import MATCHABLE_TRUST, Scope, Trust
from wellworn.models.task import BeginRequest, ChoiceRequest, EndAnswer, EndRequest, FlagChoice, Outcome, StepRequest
from wellworn.service.lifetime import utc_now
from wellworn.service.workspace import Workspace
from wellworn.store.lessons import LessonTable
from wellworn.store.runtime_settings import RuntimeSettingsTable

AGENT = Caller(role=Role.agent, user="local", key_id="key-agent")
SKILL = "release-local"
WHO = (Scope.user, "local", SKILL)
WHICH = st.integers(0, 1)
OUTCOMES = st.sampled_from(list(Outcome))
CHOICES = st.sampled_from(list(FlagChoice))

VERBS = ["promote", "demote", "disable", "enable", "archive"]
DECIDED = (
    "SELECT * FROM tasks ORDER BY id",
    "SELECT * FROM task_steps ORDER BY task_id, number",
    "SELECT * FROM outcomes ORDER BY id",
    "SELECT * FROM lessons ORDER BY id",
    "SELECT * FROM choices ORDER BY id",
    "SELECT * FROM repairs ORDER BY id",
    "SELECT * FROM skill_changes ORDER BY id",
    "SELECT skill_id, reliability, success_count, failure_count, repair_count FROM skill_stats ORDER BY skill_id",
)
"""All that a refused call must leave as it was."""


class Lifecycle(RuleBasedStateMachine):
    """Knows by arithmetic of its own what the workspaces must say."""

    def __init__(self) -> None:
        super().__init__()
        self.opened = ExitStack()
        self.world = World(Path(self.opened.enter_context(tempfile.TemporaryDirectory())))
        self.world.usual()
        self.folder = self.world.library / SKILL
        self.both: list[Workspace] = []
        self.skill = SkillModel()
        self.trust = Trust.installed
        self.task: str | None = None
        self.codes: list[int] = []
        self.ended: dict[str, dict[str, Any]] = {}
        self.chosen: dict[str, FlagChoice] = {}
        self.number = 0

    @initialize()
    def open(self) -> None:
        self.both = [self.opened.enter_context(self.world.open()) for _ in range(2)]
        self.files = self.read()
        self.trust = self.both[0].skill(SKILL, ME).manifest.trust

    def teardown(self) -> None:
        self.opened.close()

    def read(self) -> dict[str, bytes]:
        home = self.world.home
        return {str(path): path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file()}

    def rows(self) -> list[list[Any]]:
        return [self.both[0]._database.rows(query) for query in DECIDED]

    def refused(self, call: Callable[[], object], *errors: type[WellwornError]) -> None:
        """It is refused, and nothing at all is changed by it."""
        before = self.rows()
        with pytest.raises(errors):
            call()
        assert self.rows() == before
        assert self.read() == self.files

    def changed(self) -> None:
        """A person's decision has just changed the skill's files, so no repair of it waits any more."""
        if self.read() != self.files:
            self.skill.supersede()
        self.files = self.read()

    def next(self) -> int:
        self.number += 1
        return self.number

    # -- what agents do ----------------------------------------------------------------------------------------------

    @rule(which=WHICH)
    def begin(self, which: int) -> None:
        answer = self.both[which].tasks.begin(BeginRequest(objective=SHIP), AGENT)
        if self.task is None:
            assert (answer.resumed, self.codes) == (False, [])
        else:
            assert (answer.task_id, answer.resumed) == (self.task, True)
        self.task = answer.task_id

    @precondition(lambda self: self.task is not None)
    @rule(which=WHICH, code=st.sampled_from([0, 1]))
    def step(self, which: int, code: int) -> None:
        made = self.both[which].tasks.step(self.task or "", StepRequest(command="git push", exit_code=code), AGENT)
        self.codes.append(code)
        assert made.number == len(self.codes)

    def finish(self, which: int, outcome: Outcome, skill: str | None = SKILL, **told: str) -> EndAnswer:
        task_id = self.task or ""
        request = EndRequest(outcome=outcome, skill=skill, **told)
        answer = self.both[which].tasks.end(task_id, request, AGENT)
        self.ended[task_id] = self.frozen(which, task_id)
        self.task, self.codes = None, []
        return answer

    def count(self, outcome: Outcome, answer: EndAnswer) -> None:
        lesson = None if answer.reflection is None else answer.reflection.lesson
        assert (lesson is None) == (outcome is Outcome.success)
        self.skill.count(outcome, answer.task.id, lesson)
        assert answer.stats is not None
        assert (answer.flagged is not None) == self.skill.flagged

    @precondition(lambda self: self.task is not None)
    @rule(which=WHICH, outcome=OUTCOMES, skill=st.sampled_from([SKILL, f"{SKILL}@user"]))
    def end(self, which: int, outcome: Outcome, skill: str) -> None:
        number = self.next()
        told = {"evidence": "the user saw it"} if outcome is Outcome.success else {"reason": f"reason {number}"}
        self.count(outcome, self.finish(which, outcome, skill, **told))

    @precondition(lambda self: self.task is not None)
    @rule(which=WHICH, outcome=OUTCOMES)
    def end_with_nothing_but_the_steps(self, which: int, outcome: Outcome) -> None:
        succeeded = self.codes[-1:] == [0]
        proven = succeeded if outcome is Outcome.success else 1 in self.codes
        answer = self.finish(which, outcome)
        if proven:
            self.count(outcome, answer)

    @precondition(lambda self: self.task is not None)
    @rule(which=WHICH, outcome=st.sampled_from([Outcome.failure, Outcome.partial]), code=st.sampled_from([127, 124]))
    def end_for_its_surroundings(self, which: int, outcome: Outcome, code: int) -> None:
        self.both[which].tasks.step(self.task or "", StepRequest(command="pnpm i", exit_code=code), AGENT)
        answer = self.finish(which, outcome, reason="it did not run")
        assert answer.task.cause is not None

    @precondition(lambda self: self.task is not None)
    @rule(which=WHICH, outcome=OUTCOMES, skill=st.sampled_from(["none", "no-such-skill", "../release-local"]))
    def end_for_no_skill(self, which: int, outcome: Outcome, skill: str) -> None:
        answer = self.finish(which, outcome, skill, reason="it went so", evidence="the user saw it")
        assert (answer.skill, answer.stats) == (None, None)

    @precondition(lambda self: self.task is not None)
    @rule(which=WHICH, outcome=OUTCOMES)
    def end_without_a_name(self, which: int, outcome: Outcome) -> None:
        """The match is taken to have been used; while it is flagged only where a person chose to proceed."""
        task = self.both[which].tasks.get(self.task or "", AGENT)
        reviewed = task.decision is Decision.review
        follows = not reviewed or self.chosen.get(task.resolution_id or "") is FlagChoice.proceed
        answer = self.finish(which, outcome, None, reason=f"reason {self.next()}", evidence="the user saw it")
        if task.skill is not None and task.skill.id == SKILL and follows:
            self.count(outcome, answer)
        elif task.skill is None or not follows:
            assert answer.stats is None

    @rule(which=WHICH, other=WHICH, times=st.integers(2, 5))
    def fail(self, which: int, other: int, times: int) -> None:
        for _ in range(times):
            self.begin(which)
            self.end(other, Outcome.failure, SKILL)

    @precondition(lambda self: bool(self.ended))
    @rule(which=WHICH, outcome=OUTCOMES)
    def an_ended_task_takes_nothing_more(self, which: int, outcome: Outcome) -> None:
        tasks, task_id = self.both[which].tasks, list(self.ended)[self.number % len(self.ended)]
        self.refused(lambda: tasks.end(task_id, EndRequest(outcome=outcome, evidence="really"), AGENT), Conflict)
        self.refused(lambda: tasks.step(task_id, StepRequest(command="late"), AGENT), Conflict)

    @rule(which=WHICH, verb=st.sampled_from(VERBS), choice=CHOICES, headless=st.booleans())
    def an_agent_tries_to_decide(self, which: int, verb: str, choice: FlagChoice, headless: bool) -> None:
        workspace = self.both[which]
        calls: list[Callable[[], object]] = [
            lambda: workspace.care.change_trust(verb, SKILL, TrustRequest(), AGENT),
            lambda: workspace.care.update(SKILL, UpdateRequest(body="1. Mine.", reset_stats=True), AGENT),
            lambda: workspace.versions.revert(SKILL, RevertRequest(to=1), AGENT),
            lambda: workspace.choose(self.asked(which), ChoiceRequest(choice=choice), AGENT),
        ]
        if self.skill.statuses:
            repair_id = self.skill.waiting or next(iter(self.skill.statuses))
            calls += [
                lambda: workspace.repairs.accept(repair_id, RepairAccept(), AGENT),
                lambda: workspace.repairs.edit(repair_id, RepairEdit(steps=["Mine."]), AGENT),
                lambda: workspace.repairs.cancel(repair_id, AGENT),
            ]
        for task_id in [*list(self.ended)[-1:], *([] if self.task is None else [self.task])]:
            calls.append(partial(workspace.tasks.choose, task_id, ChoiceRequest(choice=choice), AGENT))
        for call in calls:
            self.refused(call, NotAllowed)
        # The setting may allow repair without a person, but never over what a person wrote.
        self.refused(lambda: workspace.repairs.propose(SKILL, RepairRequest(headless=headless), AGENT), Conflict)
        self.refused(lambda: workspace.repairs.propose(SKILL, RepairRequest(headless=True), ME), Conflict)

    # -- what persons do ---------------------------------------------------------------------------------------------

    @rule(which=WHICH, allowed=st.booleans())
    def set_auto_repair(self, which: int, allowed: bool) -> None:
        RuntimeSettingsTable(self.both[which]._database).put("auto_repair", allowed, by="local", now=utc_now())

    def asked(self, which: int) -> str:
        return self.both[which].resolve(ResolveRequest(message=SHIP), ME).resolution_id

    @rule(which=WHICH, choice=CHOICES, other_choice=CHOICES)
    def choose_about_an_answer(self, which: int, choice: FlagChoice, other_choice: FlagChoice) -> None:
        self.follow()
        workspace, asked = self.both[which], self.asked(which)
        if not self.skill.flagged or self.trust not in MATCHABLE_TRUST:
            self.refused(lambda: workspace.choose(asked, ChoiceRequest(choice=choice), ME), Conflict)
            return
        made = workspace.choose(asked, ChoiceRequest(choice=choice), ME)
        assert (made.choice, made.skill.id) == (choice, SKILL)
        if other_choice is not choice:
            self.refused(lambda: workspace.choose(asked, ChoiceRequest(choice=other_choice), ME), Conflict)

    @precondition(lambda self: self.task is not None)
    @rule(which=WHICH, choice=CHOICES)
    def choose_about_the_task(self, which: int, choice: FlagChoice) -> None:
        tasks = self.both[which].tasks
        task = tasks.get(self.task or "", AGENT)
        asked = task.resolution_id or ""
        if task.decision is Decision.review and self.chosen.get(asked, choice) is choice:
            assert tasks.choose(task.id, ChoiceRequest(choice=choice), ME).choice is choice
            self.chosen[asked] = choice
        else:
            self.refused(lambda: tasks.choose(task.id, ChoiceRequest(choice=choice), ME), Conflict)

    @rule(which=WHICH)
    def propose(self, which: int) -> None:
        before = self.rows()
        try:
            repair = self.both[which].repairs.propose(SKILL, RepairRequest(), ME).repair
        except Conflict:
            assert self.rows() == before
            # Where the skill can be repaired, there was nothing new to learn from; each reason is new.
            new = any(lesson.startswith("reason ") for _, lesson in self.skill.open)
            assert not self.skill.repairable or self.trust is Trust.archived or not new
        else:
            assert self.skill.repairable
            self.skill.propose(repair.id, self.read())

    @precondition(lambda self: bool(self.skill.statuses))
    @rule(which=WHICH, number=st.integers(0, 9))
    def decide_what_does_not_wait(self, which: int, number: int) -> None:
        repairs = self.both[which].repairs
        repair_id = list(self.skill.statuses)[number % len(self.skill.statuses)]
        if repair_id != self.skill.waiting:
            self.refused(lambda: repairs.accept(repair_id, RepairAccept(), ME), Conflict)
            self.refused(lambda: repairs.edit(repair_id, RepairEdit(steps=["Late."]), ME), Conflict)
            self.refused(lambda: repairs.cancel(repair_id, ME), Conflict)

    @precondition(lambda self: self.skill.waiting is not None)
    @rule(which=WHICH)
    def edit(self, which: int) -> None:
        repairs, repair_id = self.both[which].repairs, self.skill.waiting or ""
        steps = ["Look.", f"Look again {self.next()}.", "Push the tag."]
        old = repairs.get(repair_id, ME).old_steps
        if self.read() == self.skill.made_from:
            assert repairs.edit(repair_id, RepairEdit(steps=steps), ME).repair.new_steps == steps
        else:
            self.refused(lambda: repairs.edit(repair_id, RepairEdit(steps=steps), ME), Conflict)
        self.refused(lambda: repairs.edit(repair_id, RepairEdit(steps=old), ME), InvalidInput)

    @precondition(lambda self: self.skill.waiting is not None)
    @rule(which=WHICH)
    def accept(self, which: int) -> None:
        repairs, repair_id = self.both[which].repairs, self.skill.waiting or ""
        if not self.skill.repairable or self.read() != self.skill.made_from:
            self.refused(lambda: repairs.accept(repair_id, RepairAccept(), ME), Conflict)
            return
        wanted = repairs.get(repair_id, ME).new_steps
        answer = repairs.accept(repair_id, RepairAccept(), ME)
        assert answer.repair.new_steps == wanted
        text = (self.folder / "SKILL.md").read_text(encoding="utf-8")
        assert all(step in text for step in wanted)
        self.skill.accept()
        self.files = self.read()

    @precondition(lambda self: self.skill.repairable and self.skill.open)
    @rule(which=WHICH, other=WHICH, first=st.sampled_from(["", "edit", "hand"]))
    def repair(self, which: int, other: int, first: str) -> None:
        """What a person does at once, in two processes: propose, perhaps edit, accept."""
        self.propose(which)
        if self.skill.waiting is None:
            return
        if first == "edit":
            self.edit(other)
        if first == "hand":
            self.edit_by_hand(other)
        self.accept(other)

    @precondition(lambda self: self.skill.waiting is not None)
    @rule(which=WHICH)
    def cancel(self, which: int) -> None:
        self.both[which].repairs.cancel(self.skill.waiting or "", ME)
        self.skill.decide("cancelled")

    @rule(which=WHICH, verb=st.sampled_from([*VERBS, "enable", "enable"]))
    def change_trust(self, which: int, verb: str) -> None:
        before = self.rows()
        try:
            answer = self.both[which].care.change_trust(verb, SKILL, TrustRequest(), ME)
        except (Conflict, InvalidInput):
            assert self.rows() == before
            assert self.read() == self.files
            return
        self.trust = answer.skill.manifest.trust
        self.changed()

    @rule(which=WHICH, other_steps=st.booleans(), reset=st.sampled_from([False, False, True]))
    def update(self, which: int, other_steps: bool, reset: bool) -> None:
        number = self.next()
        steps = f"## Steps\n1. Look {number} times.\n2. Push the tag.\n"
        text = {"body": steps} if other_steps else {"description": f"Cuts a release, {number}."}
        request, care = UpdateRequest.model_validate({**text, "reset_stats": reset}), self.both[which].care
        if self.trust is Trust.archived:
            self.refused(lambda: care.update(SKILL, request, ME), Conflict)
            return
        assert care.update(SKILL, request, ME).changed
        if other_steps:
            self.skill.repairs = 0
        if reset:
            self.skill.reset()
        self.changed()

    @rule(which=WHICH)
    def edit_by_hand(self, which: int) -> None:
        file = self.folder / "SKILL.md"
        file.write_bytes(file.read_bytes() + f"\nBy hand {self.next()}.\n".encode())
        self.files = self.read()  # known of by nobody yet

    @rule(which=WHICH, number=st.integers(0, 9))
    def revert(self, which: int, number: int) -> None:
        versions = self.both[which].versions
        known = [one.number for one in versions.log(SKILL, ME).versions]
        request = RevertRequest(to=known[number % len(known)])
        if self.trust is Trust.archived:
            self.refused(lambda: versions.revert(SKILL, request, ME), Conflict)
            return
        answer = versions.revert(SKILL, request, ME)
        assert answer.changed == (self.read() != self.files)
        self.changed()

    @rule(which=WHICH)
    def reopen(self, which: int) -> None:
        self.both[which].close()
        self.both[which] = self.opened.enter_context(self.world.open())

    # -- what must hold ----------------------------------------------------------------------------------------------

    def frozen(self, which: int, task_id: str) -> dict[str, Any]:
        """All of a task but the choice about its answer, which a person may still make."""
        return self.both[which].tasks.get(task_id, AGENT).model_dump(exclude={"choice"})

    def follow(self) -> None:
        for workspace in self.both:
            workspace._ready()
            workspace._follow()

    @invariant()
    def no_file_changes_without_a_persons_decision(self) -> None:
        if self.both:
            assert self.read() == self.files

    @invariant()
    def the_numbers_are_exact_in_both_processes(self) -> None:
        for workspace in self.both:
            stats = workspace.skill(SKILL, ME).stats
            assert 0.0 <= stats.reliability <= 1.0
            assert abs(stats.reliability - self.skill.reliability) < 1e-12
            assert (stats.success_count, stats.failure_count, stats.repair_count) == self.skill.numbers
            assert stats.repair_count <= MAX_REPAIRS
            assert stats.flagged is self.skill.flagged

    @invariant()
    def every_lesson_is_where_it_belongs(self) -> None:
        for workspace in self.both:
            table = LessonTable(workspace._database)
            kept = [(one.task_id, one.lesson, one.repair_id) for one in reversed(table.all(*WHO))]
            assert [(task, lesson) for task, lesson, repair in kept if repair is None] == self.skill.open
            for repair_id, lessons in self.skill.answered.items():
                assert [(task, lesson) for task, lesson, repair in kept if repair == repair_id] == lessons
            assert len(kept) == len(self.skill.open) + sum(len(one) for one in self.skill.answered.values())

    @invariant()
    def repairs_stand_as_they_were_decided(self) -> None:
        for workspace in self.both:
            found = {one.id: str(one.status) for one in workspace.repairs.list(ME)}
            assert found == self.skill.statuses
            assert list(found.values()).count("accepted") == self.skill.accepts

    @invariant()
    def what_has_ended_stays_as_it_was(self) -> None:
        for number, (task_id, before) in enumerate(self.ended.items()):
            assert self.frozen(number % 2, task_id) == before

    @invariant()
    def the_decision_follows_in_both_processes(self) -> None:
        self.follow()
        for workspace in self.both:
            answer = workspace.resolve(ResolveRequest(message=SHIP), ME)
            if self.trust not in MATCHABLE_TRUST:
                assert answer.skill_id != SKILL
                assert answer.decision is not Decision.review
                continue
            assert answer.skill_id == SKILL
            assert (answer.decision is Decision.review) == self.skill.flagged
            assert (answer.flagged is not None) == self.skill.flagged


Lifecycle.TestCase.settings = settings(
    max_examples=16,
    stateful_step_count=25,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # a sequence is read as it failed: shrinking takes minutes
    suppress_health_check=list(HealthCheck),
)
TestLifecycle = Lifecycle.TestCase
