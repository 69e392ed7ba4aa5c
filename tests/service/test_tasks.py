"""Tasks over a real workspace: begun, recorded, ended once, and counted for the skill that was used."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from tests.service.worlds import ME, SHIP, World

from wellworn.lifecycle.adviser import AdviserFailed
from wellworn.models.access import Caller, Role
from wellworn.models.errors import Conflict, InvalidInput, NotAllowed, NotFound, StoreError
from wellworn.models.resolution import Context, Decision, ResolveRequest
from wellworn.models.skill import Scope
from wellworn.models.task import (
    BeginAnswer,
    BeginRequest,
    ChoiceRequest,
    EndAnswer,
    EndRequest,
    FlagChoice,
    Outcome,
    StepRequest,
    TaskStatus,
)
from wellworn.service.lifetime import utc_now
from wellworn.service.workspace import Workspace
from wellworn.store.lessons import LessonTable
from wellworn.store.outcomes import OutcomeTable
from wellworn.store.tasks import STEPS_MAX

AGENT = Caller(role=Role.agent, user="local", key_id="key-agent")
BEA = Caller(role=Role.reviewer, user="bea", key_id="key-bea")
SECRET = "ghp_" + "a1B2c3D4e5F6" * 3
SKILL = "release-local"


@pytest.fixture(autouse=True)
def _library(world: World) -> None:
    world.usual()


def begin(workspace: Workspace, objective: str = SHIP, caller: Caller = AGENT) -> BeginAnswer:
    return workspace.tasks.begin(BeginRequest(objective=objective), caller)


def end(workspace: Workspace, task_id: str, outcome: str = "failure", caller: Caller = AGENT, **more: Any) -> EndAnswer:
    given = {"outcome": outcome, "skill": SKILL, "reason": "it went wrong"} | more
    return workspace.tasks.end(task_id, EndRequest.model_validate(given), caller)


def fail(workspace: Workspace, times: int = 1, objective: str = SHIP) -> EndAnswer:
    for number in range(times):
        answer = end(workspace, begin(workspace, objective).task_id, reason=f"reason {number}")
    return answer


def lessons(workspace: Workspace) -> list[str]:
    return [one.lesson for one in LessonTable(workspace._database).open(Scope.user, "local", SKILL)]


# -- beginning ---------------------------------------------------------------------------------------------------------


def test_a_begun_task_says_what_to_do_and_how_to_report(world: World) -> None:
    with world.open() as workspace:
        answer = begin(workspace)
        assert answer.resolution.skill_id == SKILL
        assert "Ask the user whether to use it" in answer.instruction
        assert f"wellworn task end {answer.task_id}" in answer.instruction
        assert workspace.tasks.get(answer.task_id, AGENT).status is TaskStatus.active


def test_an_objective_that_no_skill_knows_is_worked_on_as_usual(world: World) -> None:
    with world.open() as workspace:
        answer = begin(workspace, "qwertz uiop")
        assert answer.resolution.decision is Decision.none
        assert "work as usual" in answer.instruction


def test_the_same_active_objective_is_resumed_however_it_is_spaced(world: World) -> None:
    with world.open() as workspace:
        first = begin(workspace)
        again = begin(workspace, f"  {SHIP.upper()} ".replace(" ", "  "))
        assert (again.task_id, again.resumed, again.attempt) == (first.task_id, True, 2)


def test_another_users_objective_is_another_task(world: World) -> None:
    with world.open() as workspace:
        assert begin(workspace).task_id != begin(workspace, caller=BEA).task_id


def test_what_earlier_attempts_taught_is_told_again_also_after_a_restart(world: World) -> None:
    with world.open() as workspace:
        end(workspace, begin(workspace).task_id, reason="the tag was there already")
    with world.open() as workspace:
        again = begin(workspace)
        assert (again.attempt, again.resumed) == (2, False)
        assert again.lessons == ["the tag was there already."]
        assert "the tag was there already." in again.instruction


def test_after_a_success_nothing_old_is_told(world: World) -> None:
    with world.open() as workspace:
        fail(workspace)
        end(workspace, begin(workspace).task_id, "success", evidence="the user saw it")
        again = begin(workspace)
        assert (again.attempt, again.lessons) == (1, [])


def test_processes_that_begin_the_same_objective_at_once_get_one_task(world: World) -> None:
    with world.open() as one, world.open() as other, ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda at: begin((one, other)[at % 2]), range(16)))
        assert len({answer.task_id for answer in answers}) == 1
        assert sorted(answer.attempt for answer in answers) == list(range(1, 17))


# -- steps -------------------------------------------------------------------------------------------------------------


def test_steps_are_numbered_and_kept_in_order(world: World) -> None:
    with world.open() as workspace:
        task_id = begin(workspace).task_id
        for code in (0, 1, None):
            workspace.tasks.step(task_id, StepRequest(command="npm test", exit_code=code), AGENT)
        steps = workspace.tasks.get(task_id, AGENT).steps
        assert [(one.number, one.success) for one in steps] == [(1, True), (2, False), (3, None)]


def test_a_task_holds_a_bounded_number_of_steps(world: World) -> None:
    with world.open() as workspace:
        task_id = begin(workspace).task_id
        for _ in range(STEPS_MAX):
            workspace.tasks.step(task_id, StepRequest(command="x"), AGENT)
        with pytest.raises(InvalidInput, match=f"at most {STEPS_MAX} steps"):
            workspace.tasks.step(task_id, StepRequest(command="x"), AGENT)
        assert end(workspace, task_id).task.outcome is Outcome.failure


# -- the end -----------------------------------------------------------------------------------------------------------


def test_a_failure_counts_and_leaves_a_lesson(world: World) -> None:
    with world.open() as workspace:
        task_id = begin(workspace).task_id
        for command, code in (("pnpm build", 1), ("pnpm install", 0), ("pnpm build", 0)):
            workspace.tasks.step(task_id, StepRequest(command=command, exit_code=code), AGENT)
        answer = end(workspace, task_id, "partial")
        assert answer.stats is not None
        assert answer.stats.reliability == pytest.approx(0.95)
        assert answer.stats.failure_count == 1
        lesson = "Run `pnpm install` before `pnpm build`: it failed with exit code 1 and worked after that."
        assert lessons(workspace) == [lesson]
        assert answer.reflection is not None
        assert (answer.reflection.lesson, answer.task.reason) == (lesson, "it went wrong")


def test_a_success_raises_reliability_and_leaves_no_lesson(world: World) -> None:
    with world.open() as workspace:
        fail(workspace)
        answer = end(workspace, begin(workspace).task_id, "success", evidence="the user tried it")
        assert answer.stats is not None
        assert answer.stats.reliability == pytest.approx(0.82)
        assert (answer.stats.success_count, answer.reflection, len(lessons(workspace))) == (1, None, 1)


def test_four_failures_flag_and_the_next_answers_ask_a_person(world: World) -> None:
    with world.open() as workspace:
        assert fail(workspace, 3).flagged is None
        flagged = fail(workspace).flagged
        assert flagged is not None
        assert flagged.failure_count == 4
        answer = begin(workspace)
        assert answer.resolution.decision is Decision.review
        assert answer.resolution.flagged is not None
        assert answer.resolution.flagged.recent_failures == ["reason 0. (2 times)", "reason 2.", "reason 1."]
        assert "flagged" in answer.instruction


def test_other_processes_follow_at_once_what_became_of_a_skill(world: World) -> None:
    with world.open() as one, world.open() as other:
        begin(other)
        fail(one, 4)
        other._follow()
        assert other.resolve(ResolveRequest(message=SHIP), ME).decision is Decision.review


def test_the_last_ten_lessons_are_kept(world: World) -> None:
    with world.open() as workspace:
        for number in range(13):
            end(workspace, begin(workspace).task_id, reason=f"reason {number}")
        assert lessons(workspace) == [f"reason {number}." for number in range(12, 2, -1)]


def test_a_failure_of_the_environment_blames_nobody(world: World) -> None:
    with world.open() as workspace:
        task_id = begin(workspace).task_id
        workspace.tasks.step(task_id, StepRequest(command="pnpm build", exit_code=127), AGENT)
        answer = end(workspace, task_id)
        assert (answer.task.cause, answer.notes) == (
            "command not found",
            ["It failed for its surroundings (command not found), so release-local@user is not blamed."],
        )
        assert answer.stats is not None
        assert (answer.stats.reliability, answer.stats.failure_count, lessons(workspace)) == (1.0, 0, [])
        assert OutcomeTable(workspace._database).count(Scope.user, "local", SKILL) == 1


@pytest.mark.parametrize(
    ("codes", "more", "counts"),
    [
        ([], {}, False),
        ([0], {}, True),
        ([1, 0], {}, True),
        ([0, 1], {}, False),
        ([0, 1], {"evidence": "the user was content"}, True),
        ([None], {}, False),
        ([], {"evidence": "all tests passed"}, True),
    ],
)
def test_only_a_success_that_something_shows_is_believed(
    world: World, codes: list[int | None], more: dict[str, Any], counts: bool
) -> None:
    with world.open() as workspace:
        task_id = begin(workspace).task_id
        for code in codes:
            workspace.tasks.step(task_id, StepRequest(command="npm test", exit_code=code), AGENT)
        answer = end(workspace, task_id, "success", reason=None, **more)
        assert answer.stats is not None
        assert (answer.stats.success_count, bool(answer.notes)) == (int(counts), not counts)


def test_a_failure_of_which_nothing_is_told_blames_nobody(world: World) -> None:
    with world.open() as workspace:
        answer = end(workspace, begin(workspace).task_id, reason=None)
        assert answer.stats is not None
        assert (answer.stats.failure_count, len(answer.notes)) == (0, 1)


@pytest.mark.parametrize("skill", ["no-such-skill", "../../etc/passwd", "Not An Id", "release-local@galaxy", "x" * 200])
def test_a_skill_that_is_not_there_is_a_warning_and_the_end_stands(world: World, skill: str) -> None:
    with world.open() as workspace:
        task_id = begin(workspace).task_id
        answer = end(workspace, task_id, skill=skill)
        assert (answer.skill, len(answer.notes)) == (None, 1)
        assert workspace.tasks.get(task_id, AGENT).outcome is Outcome.failure


def test_without_a_name_the_match_is_taken_to_have_been_used_and_that_is_told(world: World) -> None:
    with world.open() as workspace:
        task = begin(workspace)
        assert "`--skill none` if you used no skill" in task.instruction
        answer = end(workspace, task.task_id, skill=None)
        assert answer.stats is not None
        assert (str(answer.skill), answer.stats.failure_count) == ("release-local@user", 1)
        assert answer.notes == ["No skill was named: release-local@user, the match, is taken to have been used."]


def test_an_agent_that_used_no_skill_says_so_and_nobody_is_blamed(world: World) -> None:
    with world.open() as workspace:
        answer = end(workspace, begin(workspace).task_id, skill="none")
        assert (answer.skill, answer.stats, answer.notes) == (None, None, [])
        assert workspace.skill(SKILL, ME).stats.failure_count == 0


def test_a_flagged_match_without_a_choice_is_not_blamed_unless_it_is_named(world: World) -> None:
    with world.open() as workspace:
        task = flagged_task(workspace)
        answer = end(workspace, task.task_id, skill=None)
        assert (answer.skill, answer.stats) == (None, None)
        assert "nobody chose to proceed" in answer.notes[0]
        named = end(workspace, begin(workspace).task_id)
        assert named.stats is not None
        assert named.stats.failure_count == 5


def test_an_ended_task_takes_nothing_more(world: World) -> None:
    with world.open() as workspace:
        task_id = begin(workspace).task_id
        end(workspace, task_id)
        with pytest.raises(Conflict, match="has ended already"):
            end(workspace, task_id, "success", evidence="after all")
        with pytest.raises(Conflict, match="has ended already"):
            workspace.tasks.step(task_id, StepRequest(command="x"), AGENT)
        assert len(lessons(workspace)) == 1


def test_of_several_ends_at_once_exactly_one_counts(world: World) -> None:
    def try_end(workspace: Workspace) -> bool:
        try:
            end(workspace, task_id)
        except Conflict:
            return False
        return True

    with world.open() as one, world.open() as other, ThreadPoolExecutor(6) as pool:
        task_id = begin(one).task_id
        assert sum(pool.map(try_end, [one, other] * 6)) == 1
        assert one.skill(SKILL, ME).stats.failure_count == 1


def test_no_outcome_is_lost_when_many_end_at_once(world: World) -> None:
    with world.open() as one, world.open() as other, ThreadPoolExecutor(8) as pool:
        ids = [begin(one, f"{SHIP} number {number}").task_id for number in range(24)]
        list(pool.map(lambda at: end((one, other)[at % 2], ids[at], "partial"), range(24)))
        stats = one.skill(SKILL, ME).stats
        assert stats.failure_count == 24
        assert stats.reliability == pytest.approx(0.0, abs=1e-9)


def test_a_model_that_breaks_fails_no_end(world: World) -> None:
    class Broken:
        name = "broken"
        reached = 0

        def ask(self, *_: object) -> Any:
            self.reached += 1
            raise AdviserFailed("The model answered with 500.")

    model = Broken()
    with world.open() as workspace:
        workspace.tasks._adviser_of = lambda _: model
        answer = end(workspace, begin(workspace).task_id, reason="the raw reason")
        assert model.reached == 1
        assert answer.reflection is not None
        assert (answer.reflection.problem, answer.task.reason) == ("The model answered with 500.", "the raw reason")
        assert workspace.tasks.get(answer.task.id, AGENT).reflection == answer.reflection


def test_an_end_that_cannot_be_taken_up_at_once_stands(world: World) -> None:
    def broken() -> None:
        raise StoreError("The database is busy.")

    with world.open() as workspace:
        task_id = begin(workspace).task_id
        workspace.tasks._follow = broken
        assert end(workspace, task_id).task.outcome is Outcome.failure
        assert workspace.skill(SKILL, ME).stats.failure_count == 1


def test_what_happens_while_a_model_thinks_is_neither_lost_nor_undone(world: World) -> None:
    class Slow:
        name = "slow"

        def ask(self, *_: object) -> Any:
            with world.open() as other:
                assert begin(other).attempt == 2
                other.tasks.step(task_id, StepRequest(command="pnpm build", exit_code=127), AGENT)
            raise AdviserFailed("It took too long.")

    with world.open() as workspace:
        workspace.tasks._adviser_of = lambda _: Slow()
        task_id = begin(workspace).task_id
        end(workspace, task_id)
        kept = workspace.tasks.get(task_id, AGENT)
        assert (kept.attempt, kept.step_count, kept.cause) == (2, 1, "command not found")
        assert workspace.skill(SKILL, ME).stats.failure_count == 0


def test_a_task_that_another_process_ends_while_a_model_thinks_is_ended_once(world: World) -> None:
    class Slow:
        name = "slow"

        def ask(self, *_: object) -> Any:
            with world.open() as other:
                end(other, task_id, "success", evidence="the user saw it")
            raise AdviserFailed("It took too long.")

    with world.open() as workspace:
        workspace.tasks._adviser_of = lambda _: Slow()
        task_id = begin(workspace).task_id
        with pytest.raises(Conflict, match="has ended already"):
            end(workspace, task_id)
        stats = workspace.skill(SKILL, ME).stats
        assert (stats.success_count, stats.failure_count, lessons(workspace)) == (1, 0, [])


def test_a_model_that_cannot_even_be_found_fails_no_end(world: World) -> None:
    def broken(_: str) -> Any:
        raise StoreError("The settings cannot be read.")

    with world.open() as workspace:
        workspace.tasks._adviser_of = broken
        answer = end(workspace, begin(workspace).task_id)
        assert answer.reflection is not None
        assert answer.reflection.problem == "The settings cannot be read."


def test_what_the_environment_did_is_not_told_as_a_lesson_at_the_next_attempt(world: World) -> None:
    with world.open() as workspace:
        task_id = begin(workspace).task_id
        workspace.tasks.step(task_id, StepRequest(command="pnpm i", exit_code=127), AGENT)
        workspace.tasks.step(task_id, StepRequest(command="git status", exit_code=0), AGENT)
        answer = end(workspace, task_id)
        assert (answer.task.cause, answer.stats and answer.stats.failure_count) == ("command not found", 0)
        assert begin(workspace).lessons == []


# -- choices -----------------------------------------------------------------------------------------------------------


def flagged_task(workspace: Workspace) -> BeginAnswer:
    fail(workspace, 4)
    return begin(workspace)


@pytest.mark.parametrize("choice", list(FlagChoice))
def test_a_persons_choice_reaches_the_agent_as_an_instruction(world: World, choice: FlagChoice) -> None:
    with world.open() as workspace:
        task = flagged_task(workspace)
        made = workspace.tasks.choose(task.task_id, ChoiceRequest(choice=choice), ME)
        assert made.instruction.startswith("USER DECISION: ")
        again = begin(workspace)
        assert (again.resumed, again.choice) == (True, made)
        assert again.instruction.startswith(made.instruction)
        assert workspace.tasks.get(task.task_id, AGENT).choice == made


def test_a_choice_can_be_made_of_an_answer_without_a_task(world: World) -> None:
    with world.open() as workspace:
        fail(workspace, 4)
        answer = workspace.resolve(ResolveRequest(message=SHIP), ME)
        made = workspace.choose(answer.resolution_id, ChoiceRequest(choice=FlagChoice.skip, note="not today"), ME)
        assert (made.choice, made.note, made.skill.id) == (FlagChoice.skip, "not today", SKILL)


def test_what_was_chosen_stands(world: World) -> None:
    with world.open() as workspace:
        task = flagged_task(workspace)
        first = workspace.tasks.choose(task.task_id, ChoiceRequest(choice=FlagChoice.skip), ME)
        assert workspace.tasks.choose(task.task_id, ChoiceRequest(choice=FlagChoice.skip), ME) == first
        with pytest.raises(Conflict, match="decided already: skip"):
            workspace.tasks.choose(task.task_id, ChoiceRequest(choice=FlagChoice.proceed), ME)


def test_a_choice_about_the_first_answer_counts_after_the_task_was_resumed(world: World) -> None:
    with world.open() as workspace:
        first = flagged_task(workspace)
        again = begin(workspace)
        assert again.resolution.resolution_id == first.resolution.resolution_id
        made = workspace.choose(first.resolution.resolution_id, ChoiceRequest(choice=FlagChoice.skip), ME)
        assert begin(workspace).choice == made


def test_of_two_people_who_choose_differently_at_once_one_wins(world: World) -> None:
    def choose(at: int) -> FlagChoice | None:
        try:
            wanted = (FlagChoice.skip, FlagChoice.proceed)[at % 2]
            return (one, other)[at % 2].tasks.choose(task_id, ChoiceRequest(choice=wanted), ME).choice
        except Conflict:
            return None

    with world.open() as one, world.open() as other, ThreadPoolExecutor(6) as pool:
        task_id = flagged_task(one).task_id
        made = {choice for choice in pool.map(choose, range(12)) if choice is not None}
        assert len(made) == 1


def test_an_agent_cannot_choose(world: World) -> None:
    with world.open() as workspace:
        task = flagged_task(workspace)
        with pytest.raises(NotAllowed):
            workspace.tasks.choose(task.task_id, ChoiceRequest(choice=FlagChoice.proceed), AGENT)
        with pytest.raises(NotAllowed):
            workspace.choose(task.resolution.resolution_id, ChoiceRequest(choice=FlagChoice.proceed), AGENT)
        assert workspace.tasks.get(task.task_id, AGENT).choice is None


def test_nothing_is_to_be_chosen_where_nothing_is_flagged(world: World) -> None:
    with world.open() as workspace, pytest.raises(Conflict, match="nothing to choose"):
        workspace.tasks.choose(begin(workspace).task_id, ChoiceRequest(choice=FlagChoice.proceed), ME)


def test_a_choice_to_proceed_lets_the_outcome_count_without_naming_the_skill(world: World) -> None:
    with world.open() as workspace:
        task = flagged_task(workspace)
        workspace.tasks.choose(task.task_id, ChoiceRequest(choice=FlagChoice.proceed), ME)
        answer = end(workspace, task.task_id, "success", skill=None, evidence="the user saw it")
        assert answer.stats is not None
        assert (str(answer.skill), answer.stats.success_count) == ("release-local@user", 1)


# -- who sees what -----------------------------------------------------------------------------------------------------


def test_anothers_task_is_answered_like_one_that_never_was(world: World) -> None:
    with world.open() as workspace:
        task_id = begin(workspace).task_id
        for unknown in (task_id, "01UNKNOWN", "../../etc/passwd", ""):
            with pytest.raises(NotFound, match="There is no task"):
                workspace.tasks.get(unknown, BEA)
            with pytest.raises(NotFound, match="There is no task"):
                workspace.tasks.step(unknown, StepRequest(command="x"), BEA)
            with pytest.raises(NotFound, match="There is no task"):
                end(workspace, unknown, caller=BEA)
            with pytest.raises(NotFound, match="There is no task"):
                workspace.tasks.choose(unknown, ChoiceRequest(choice=FlagChoice.skip), BEA)
        assert workspace.tasks.list(BEA).total == 0
        assert workspace.tasks.list(ME).total == 1


def test_a_key_of_one_repo_sees_no_task_of_another(world: World) -> None:
    root = world.repo("app", "https://github.com/one/app.git")
    world.skill(SKILL, at=root / ".wellworn" / "skills", aliases=[SHIP])
    with world.open() as workspace:
        here = BeginRequest(objective=SHIP, context=Context(cwd=str(root)))
        task_id = workspace.tasks.begin(here, AGENT).task_id
        elsewhere = Caller(role=Role.agent, user="local", key_id="key-2", repos=("github.com/else/where",))
        open_to_all = begin(workspace, "something else", elsewhere).task_id
        with pytest.raises(NotFound, match="There is no task"):
            workspace.tasks.get(task_id, elsewhere)
        with pytest.raises(NotFound, match="There is no task"):
            end(workspace, task_id, caller=elsewhere)
        assert [one.id for one in workspace.tasks.list(elsewhere).tasks] == [open_to_all]
        assert workspace.tasks.list(AGENT).total == 2


def test_an_admin_ends_anothers_task_for_that_users_skills(world: World) -> None:
    with world.open() as workspace:
        task_id = begin(workspace, caller=BEA).task_id
        answer = end(workspace, task_id, caller=ME)
        assert (answer.skill, len(answer.notes)) == (None, 1)
        assert workspace.skill(SKILL, ME).stats.failure_count == 0


def test_tasks_are_listed_in_pages_the_newest_first(world: World) -> None:
    with world.open() as workspace:
        ids = [begin(workspace, f"objective {number}").task_id for number in range(5)]
        end(workspace, ids[0])
        page = workspace.tasks.list(AGENT, limit=2)
        assert ([one.id for one in page.tasks], page.total, page.next_offset) == ([ids[4], ids[3]], 5, 2)
        assert [one.id for one in workspace.tasks.list(AGENT, status=TaskStatus.ended).tasks] == [ids[0]]


def test_no_secret_of_any_field_is_kept(world: World) -> None:
    with world.open() as workspace:
        task_id = begin(workspace, f"{SHIP} with {SECRET}").task_id
        step = StepRequest(command=f"push --token {SECRET}", exit_code=1, summary=f"bad {SECRET}")
        workspace.tasks.step(task_id, step, AGENT)
        answer = end(workspace, task_id, reason=f"token {SECRET}", evidence=SECRET)
        assert SECRET not in answer.model_dump_json()
        chosen = ChoiceRequest(choice=FlagChoice.skip, note=f"not with {SECRET}")
        assert SECRET not in str(workspace.tasks.choose(flagged_task(workspace).task_id, chosen, ME))
    files = [file.read_bytes() for file in world.data.rglob("*") if file.is_file()]
    assert not any(SECRET.encode() in data for data in files)


def test_no_secret_of_the_context_is_kept(world: World) -> None:
    pull = {"number": 7, "title": f"use {SECRET}", "labels": [SECRET], "reviewState": SECRET}
    stated = {"branch": SECRET, "activeGoal": f"use {SECRET}", "changedPaths": [f"keys/{SECRET}.txt"], "openPr": pull}
    with world.open() as workspace:
        request = BeginRequest(objective=SHIP, context=Context.model_validate(stated))
        assert SECRET not in workspace.tasks.begin(request, AGENT).model_dump_json()
    files = [file.read_bytes() for file in world.data.rglob("*") if file.is_file()]
    assert not any(SECRET.encode() in data for data in files)


def test_a_choice_stays_as_long_as_its_task(world: World) -> None:
    with world.open() as workspace:
        task_id = flagged_task(workspace).task_id
        workspace.tasks.choose(task_id, ChoiceRequest(choice=FlagChoice.skip), ME)
        later = utc_now() + timedelta(days=1)
        workspace.choices.prune(later)
        assert begin(workspace).instruction.startswith("USER DECISION: ")
        end(workspace, task_id)
        workspace.tasks.prune(later)
        workspace.choices.prune(later)
        assert workspace._database.rows("SELECT id FROM choices") == []


def test_old_ended_tasks_are_forgotten_and_what_they_taught_stays(world: World) -> None:
    with world.open() as workspace:
        fail(workspace)
        active = begin(workspace, "something else").task_id
        workspace.tasks.prune(utc_now() + timedelta(days=1))
        assert [one.id for one in workspace.tasks.list(AGENT).tasks] == [active]
        assert len(lessons(workspace)) == 1
        assert workspace.skill(SKILL, ME).stats.failure_count == 1
