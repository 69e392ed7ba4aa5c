"""Tasks that agents report: begun with what the library knows, recorded step by step, and judged at their end."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from wellworn.lifecycle.adviser import Adviser
from wellworn.lifecycle.blame import environment_cause
from wellworn.lifecycle.guidance import instruction
from wellworn.lifecycle.reflection import reflect
from wellworn.lifecycle.reliability import after
from wellworn.models.access import Caller, Role
from wellworn.models.errors import WellwornError
from wellworn.models.ids import new_id
from wellworn.models.resolution import Decision, FlaggedReport, IntentResolution, ResolveRequest
from wellworn.models.skill import Scope, SkillStats
from wellworn.models.task import (
    ANALYSIS_MAX,
    NO_SKILL,
    BeginAnswer,
    BeginRequest,
    Choice,
    ChoiceRequest,
    EndAnswer,
    EndRequest,
    FlagChoice,
    Lesson,
    Outcome,
    Reflection,
    SkillRef,
    StepRequest,
    Task,
    TaskList,
    TaskStatus,
    TaskStep,
)
from wellworn.service.choices import Choices, Matched, recent_failures
from wellworn.service.places import Owner, Place, Places, may_see_repo, normalise_repo, session_owner
from wellworn.service.shelf import Shelf
from wellworn.store.database import Database
from wellworn.store.lessons import LessonTable
from wellworn.store.outcomes import OutcomeTable
from wellworn.store.redact import redact
from wellworn.store.skill_stats import SkillStatsTable
from wellworn.store.tasks import TaskTable, ended_already, no_task

log = logging.getLogger(__name__)
_LESSONS_REPLAYED = 10
Resolve = Callable[[ResolveRequest, Caller], IntentResolution]


@dataclass(frozen=True, slots=True)
class _Used:
    """The skill that an outcome counts for, and its place in the store."""

    ref: SkillRef
    owner: str

    @property
    def place(self) -> tuple[Scope, str, str]:
        return self.ref.scope, self.owner, self.ref.id


class Tasks:
    """Every method may be called from any thread.

    resolve: answers a question as `POST /resolve` does. adviser_of: the model that reflects on behalf of a user, if one
    is configured. follow: called when something was written, to make it count in answers.
    """

    def __init__(
        self,
        database: Database,
        clock: Callable[[], datetime],
        *,
        resolve: Resolve,
        places: Places,
        shelf: Shelf,
        choices: Choices,
        adviser_of: Callable[[str], Adviser | None],
        follow: Callable[[], None],
    ) -> None:
        self._database, self._clock, self._resolve = database, clock, resolve
        self._places, self._shelf, self._choices = places, shelf, choices
        self._adviser_of, self._follow = adviser_of, follow
        self._table, self._outcomes = TaskTable(database), OutcomeTable(database)
        self._stats, self._lessons = SkillStatsTable(database), LessonTable(database)

    # -- beginning ---------------------------------------------------------------------------------------------------

    def begin(self, request: BeginRequest, caller: Caller) -> BeginAnswer:
        """Resolve an objective and begin its task; the same objective, still active, is resumed.

        Raises NotFound (unknown repo or user), NotAllowed, EncoderUnavailable, StoreError.
        """
        resolution = self._resolve(ResolveRequest(message=request.objective, context=request.context), caller)
        place = self._places.of(request.context, caller)
        objective = redact(request.objective)
        with self._database.write():
            known = self._table.active(place.user, place.repo, objective)
            earlier = self._table.earlier(place.user, place.repo, objective)
            if known is None:
                task, choice = self._new(objective, place, resolution, earlier), None
                self._table.add(task, key_id=caller.key_id)
            else:
                task, choice = self._resumed(known, resolution)
                self._table.resume(task)
        lessons = _lessons_of(earlier)
        text = instruction(
            resolution, task_id=task.id, decided=None if choice is None else choice.instruction, lessons=lessons
        )
        return BeginAnswer(
            task_id=task.id,
            attempt=task.attempt,
            resumed=known is not None,
            instruction=f"{text}\n{_how_to_report(task)}",
            resolution=resolution.model_copy(update={"resolution_id": task.resolution_id}),
            lessons=lessons,
            choice=choice,
        )

    def _new(self, objective: str, place: Place, resolution: IntentResolution, earlier: Sequence[Task]) -> Task:
        again = bool(earlier) and earlier[0].outcome is not Outcome.success
        task = Task(
            id=new_id(),
            objective=objective,
            status=TaskStatus.active,
            attempt=earlier[0].attempt + 1 if again else 1,
            created_at=self._clock(),
            user=place.user,
            repo=place.repo,
            session_id=place.session_id,
        )
        return task.model_copy(update=_matched(resolution))

    def _resumed(self, task: Task, resolution: IntentResolution) -> tuple[Task, Choice | None]:
        """Return the task with one more attempt.

        As long as the same skill is flagged, what a person chooses, or has chosen, about the first answer stands.
        """
        matched = _matched(resolution)
        still = resolution.decision is task.decision is Decision.review and task.skill == matched["skill"]
        kept = {"attempt": task.attempt + 1}
        return task.model_copy(update=kept if still else kept | matched), (
            self._choices.of(task.resolution_id) if still else None
        )

    # -- steps -------------------------------------------------------------------------------------------------------

    def step(self, task_id: str, request: StepRequest, caller: Caller) -> TaskStep:
        """Record a step of an active task. Raises NotFound, Conflict (it has ended), InvalidInput (too many)."""
        task = self._task(task_id, caller, steps=False)
        step = TaskStep(
            number=1,
            ts=self._clock(),
            command=redact(request.command),
            exit_code=request.exit_code,
            summary=None if request.summary is None else redact(request.summary),
            success=None if request.exit_code is None else request.exit_code == 0,
        )
        return self._table.add_step(task.id, step)

    # -- the end -----------------------------------------------------------------------------------------------------

    def end(self, task_id: str, request: EndRequest, caller: Caller) -> EndAnswer:
        """Record how a task ended, and let it count for the skill that was used.

        Nothing about the skill can make this fail: what is not known of it is told in `notes`. A model that reflects
        is asked before anything is locked. Raises NotFound, Conflict (it has ended already), StoreError.
        """
        now, reflection = self._clock(), None
        if request.outcome is not Outcome.success:
            reflection = self._reflected(_judged(self._active(task_id, caller), request, now))
        stats: SkillStats | None = None
        with self._database.write():
            # While a model was thinking, the task may have got another step, or have been begun again.
            ended = _judged(self._active(task_id, caller), request, now)
            used, notes = self._used(ended, request.skill)
            ref = None if used is None else used.ref
            ended = ended.model_copy(update={"reflection": reflection, "used_skill": ref})
            self._table.end(ended)
            unproven = _unproven(ended)
            if used is not None:
                stats = self._count(used, ended, caller, counts=unproven is None and ended.cause is None)
            answer = EndAnswer(
                task=ended.model_copy(update={"choice": self._choices.of(ended.resolution_id)}),
                reflection=reflection,
                skill=ref,
                stats=stats,
                flagged=self._flagged(used, stats),
                notes=notes + _remarks(ended, used, unproven),
            )
        self._tell()
        return answer

    def _tell(self) -> None:
        try:
            self._follow()
        except WellwornError as error:  # the task has ended, and whoever answers looks again by themselves
            log.warning("What the end of a task changed could not be taken up yet: %s", error)

    def _reflected(self, task: Task) -> Reflection:
        try:
            adviser = self._adviser_of(task.user)
        except WellwornError as error:
            return reflect(task, None).model_copy(update={"problem": str(error)[:ANALYSIS_MAX]})
        return reflect(task, adviser)

    def _used(self, task: Task, named: str | None) -> tuple[_Used | None, list[str]]:
        """Return the skill that was used, and what is to be said of that.

        It is the one that the agent names. Without a name it is the match, which the task was begun with: where it was
        to be followed or confirmed, or where it is flagged and a person chose to proceed; a note tells so.
        """
        if named == NO_SKILL or (named is None and task.skill is None):
            return None, []
        if named is None and not self._follows(task):
            return None, [f"{task.skill} is flagged and nobody chose to proceed, so the outcome does not count for it."]
        try:
            view = self._shelf.skills.find(named or str(task.skill), _owners_of(task))
        except WellwornError as problem:
            return None, [f"The outcome counts for no skill: {problem}"]
        used = _Used(SkillRef(id=view.id, scope=view.scope), view.owner)
        return used, [] if named else [f"No skill was named: {used.ref}, the match, is taken to have been used."]

    def _follows(self, task: Task) -> bool:
        if task.decision is not Decision.review:
            return True
        choice = self._choices.of(task.resolution_id)
        return choice is not None and choice.choice is FlagChoice.proceed

    def _count(self, used: _Used, task: Task, caller: Caller, *, counts: bool) -> SkillStats:
        """Within the transaction of the end: what the outcome makes of the skill."""
        now, outcome = task.ended_at or self._clock(), task.outcome or Outcome.failure
        stats = self._stats.get(*used.place)
        if counts:
            stats = self._stats.change(*used.place, lambda before: after(before, outcome), now=now)
            if task.reflection is not None:
                self._lessons.add(*used.place, _lesson(task, task.reflection, outcome, now))
        self._outcomes.add(
            new_id(),
            used.place,
            outcome,
            task_id=task.id,
            cause=task.cause or (None if counts else "unproven"),
            reliability=stats.reliability,
            key_id=caller.key_id,
            now=now,
        )
        return stats

    def _flagged(self, used: _Used | None, stats: SkillStats | None) -> FlaggedReport | None:
        if used is None or stats is None or not stats.flagged:
            return None
        lessons = self._lessons.open(*used.place)
        return FlaggedReport(
            reliability=stats.reliability,
            success_count=stats.success_count,
            failure_count=stats.failure_count,
            recent_failures=recent_failures(lessons),
        )

    # -- looking and choosing ----------------------------------------------------------------------------------------

    def get(self, task_id: str, caller: Caller) -> Task:
        """Return one of the caller's tasks with its steps (an admin: anyone's). Raises NotFound."""
        task = self._task(task_id, caller)
        return task.model_copy(update={"choice": self._choices.of(task.resolution_id)})

    def list(self, caller: Caller, *, status: TaskStatus | None = None, offset: int = 0, limit: int = 100) -> TaskList:
        """Return a page of the caller's tasks (an admin: everybody's), newest first. Raises InvalidInput."""
        repos = [normalise_repo(name) for name in caller.repos] if _limited(caller) else None
        tasks, total = self._table.page(_whose(caller), repos=repos, status=status, offset=offset, limit=limit)
        following = offset + len(tasks)
        return TaskList(tasks=tasks, total=total, next_offset=following if following < total else None)

    def choose(self, task_id: str, request: ChoiceRequest, caller: Caller) -> Choice:
        """Keep a person's choice about the flagged skill that a task's objective matched; see `Choices.decide`."""
        task = self._task(task_id, caller, steps=False)
        matched = Matched(task.resolution_id or "", task.skill, task.decision, _owners_of(task))
        return self._choices.decide(matched, request, caller)

    def prune(self, before: datetime) -> None:
        """Forget tasks that ended before a time; outcomes and lessons stay."""
        self._table.prune(before)

    def _task(self, task_id: str, caller: Caller, *, steps: bool = True) -> Task:
        task = self._table.get(_whose(caller), task_id, steps=steps)
        if task.repo is not None and _limited(caller) and not may_see_repo(caller, task.repo):
            raise no_task(task_id)
        return task

    def _active(self, task_id: str, caller: Caller) -> Task:
        task = self._task(task_id, caller)
        if task.status is TaskStatus.ended:
            raise ended_already(task.id)
        return task


def _whose(caller: Caller) -> str | None:
    return None if caller.role is Role.admin else caller.user


def _limited(caller: Caller) -> bool:
    return bool(caller.repos) and caller.role is not Role.admin


def _owners_of(task: Task) -> tuple[Owner, ...]:
    """Return the partitions that the task's own user sees from where it was begun, whoever asks."""
    session = () if task.session_id is None else ((Scope.session, session_owner(task.user, task.session_id)),)
    repo = () if task.repo is None else ((Scope.repo, task.repo),)
    return (*session, *repo, (Scope.user, task.user))


def _judged(task: Task, request: EndRequest, now: datetime) -> Task:
    reason, evidence = (None if text is None else redact(text) for text in (request.reason, request.evidence))
    failed = request.outcome is not Outcome.success
    return task.model_copy(
        update={
            "status": TaskStatus.ended,
            "ended_at": now,
            "outcome": request.outcome,
            "reason": reason,
            "evidence": evidence,
            "cause": environment_cause(task.steps, reason, evidence) if failed else None,
        }
    )


def _matched(resolution: IntentResolution) -> dict[str, object]:
    skill = None
    if resolution.skill_id is not None and resolution.scope is not None:
        skill = SkillRef(id=resolution.skill_id, scope=resolution.scope)
    return {"skill": skill, "decision": resolution.decision, "resolution_id": resolution.resolution_id}


def _lessons_of(earlier: Sequence[Task]) -> list[str]:
    """Return what the attempts since the last success taught, the latest first."""
    lessons: list[str] = []
    for task in earlier:
        if task.outcome is Outcome.success:
            break
        blameless = task.cause is not None  # its surroundings failed, which teaches nothing about the work
        if task.reflection is not None and not blameless and task.reflection.lesson not in lessons:
            lessons.append(task.reflection.lesson)
    return lessons[:_LESSONS_REPLAYED]


def _unproven(task: Task) -> str | None:
    """Say why an outcome is not proven: it needs a step whose end is known, or evidence in words; None when it is."""
    if task.evidence:
        return None
    known = [step.success for step in task.steps if step.success is not None]
    if task.outcome is Outcome.success:
        if not known:
            return "Nothing shows that it succeeded (no step with an exit code, no evidence)"
        return None if known[-1] else "Its last step failed, and no evidence shows that it succeeded all the same"
    return (
        None if task.reason or False in known else "Nothing shows that it failed (no failed step, reason or evidence)"
    )


def _remarks(task: Task, used: _Used | None, unproven: str | None) -> list[str]:
    if used is None:
        return []
    if task.cause is not None:
        return [f"It failed for its surroundings ({task.cause}), so {used.ref} is not blamed."]
    return [] if unproven is None else [f"{unproven}, so it does not count for {used.ref}."]


def _lesson(task: Task, reflection: Reflection, outcome: Outcome, now: datetime) -> Lesson:
    return Lesson(
        id=new_id(),
        ts=now,
        lesson=reflection.lesson,
        analysis=reflection.analysis,
        outcome=outcome,
        by=reflection.by,
        task_id=task.id,
    )


def _how_to_report(task: Task) -> str:
    named = "ID" if task.skill is None else task.skill
    used = f" with `--skill {named}`, or `--skill {NO_SKILL}` if you used no skill"
    return (
        f"Report with `wellworn task step {task.id} COMMAND --exit-code N` and at the end `wellworn task end {task.id} "
        f"--outcome success|failure|partial`{used}."
    )
