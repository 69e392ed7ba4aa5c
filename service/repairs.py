"""Repairs of flagged skills: proposed from what their failures taught, shown, and decided by a person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from wellworn.lifecycle.accepting import Draft, difference
from wellworn.lifecycle.adviser import Adviser
from wellworn.lifecycle.repairing.answered import answers, notes_of
from wellworn.lifecycle.repairing.asking import asked_steps
from wellworn.lifecycle.repairing.checks import Candidate, Channel, check_flagged, check_repairable
from wellworn.lifecycle.repairing.remedies import Taught, commands_in, taught_by
from wellworn.lifecycle.repairing.rewrite import rewritten_steps
from wellworn.models.access import Caller, Role
from wellworn.models.errors import Conflict, InvalidInput, NotFound, WellwornError
from wellworn.models.ids import new_id
from wellworn.models.proposal import ScanFinding, SkillChange
from wellworn.models.repair import (
    Approval,
    Repair,
    RepairAccept,
    RepairAnswer,
    RepairEdit,
    RepairRequest,
    RepairStatus,
)
from wellworn.models.skill import Provenance, Scope
from wellworn.models.task import Lesson, SkillRef
from wellworn.service.care import AUDIT
from wellworn.service.decision_log import DecisionLog, author_of, refuse_agents
from wellworn.service.git import commit_files, in_work_tree
from wellworn.service.places import may_see_repo, split_session_owner
from wellworn.service.scanning import scanned
from wellworn.service.shelf import Located, Shelf
from wellworn.store.database import Database
from wellworn.store.lessons import LessonTable
from wellworn.store.repairs import RepairRow, RepairTable, check_waits, unknown
from wellworn.store.runtime_settings import RuntimeSettingsTable
from wellworn.store.skill_changes import Begun, ChangeRow, Effects
from wellworn.store.skill_read import MANIFEST_FILE, SKILL_FILE, SkillBytes, skill_from_bytes
from wellworn.store.skill_rewrite import rewritten, write_state
from wellworn.store.skill_state import state_hash
from wellworn.store.skill_stats import SkillStatsTable
from wellworn.store.steps_section import read_section, wanted_steps
from wellworn.store.tasks import TaskTable
from wellworn.store.versions import BY_HAND, VersionTable

USER = "user"
"""Whose steps they are once a person has edited them."""


class _NewSteps(NamedTuple):
    steps: list[str]
    by: str
    notes: list[str]


class Repairs:
    """Every method may be called from any thread.

    follow: called when something was written. adviser_of: the model that proposes steps on behalf of a user, if one is
    configured.
    """

    def __init__(
        self,
        shelf: Shelf,
        log: DecisionLog,
        database: Database,
        *,
        clock: Callable[[], datetime],
        follow: Callable[[], None],
        adviser_of: Callable[[str], Adviser | None] = lambda _: None,
    ) -> None:
        self._adviser_of = adviser_of
        self._shelf, self._log, self._clock, self._follow = shelf, log, clock, follow
        self._table, self._lessons = RepairTable(database), LessonTable(database)
        self._tasks, self._stats = TaskTable(database), SkillStatsTable(database)
        self._settings, self._versions = RuntimeSettingsTable(database), VersionTable(database)

    def propose(self, ref: str, request: RepairRequest, caller: Caller, *, repo: str | None = None) -> RepairAnswer:
        """Propose new steps for a flagged skill, or, where nobody can be asked and the setting allows, write them.

        Raises NotFound, InvalidId, Conflict (what speaks against it, and what to do instead); nothing is changed then.
        """
        self._log.recover()
        located = self._shelf.find(ref, self._shelf.owners(caller, repo))
        person = caller.covers(Role.reviewer) and not request.headless
        auto = not person and self._settings.read().auto_repair
        provenance = self._provenance(located) if auto else located.skill.manifest.provenance
        check_repairable(_candidate(located, provenance), Channel(person=person, auto_repair=auto))
        made = self._made(located, caller)
        if auto:
            _refuse_gated(made)
            if all(one.answered_by is None for one in made.lessons):
                raise Conflict(f"No new steps for {ref} answer what it failed at.", hint="A person has to repair it.")
            self._scanned(made, located, Approval.auto_repair, ())  # before it stands in the place of one that waits
            self._table.put(RepairRow(located.view.owner, made))
            done = self._write(made, located, AUDIT, Approval.auto_repair, ())
            return done.model_copy(
                update={"instruction": None, "notes": ["Repaired without a person (`auto_repair`)."]}
            )
        self._table.put(RepairRow(located.view.owner, made))
        return RepairAnswer(repair=made, stats=located.view.stats)

    def get(self, repair_id: str, caller: Caller) -> Repair:
        """Return one repair; raises NotFound, also for one of a skill that the caller does not see."""
        return self._row(repair_id, caller).repair

    def list(self, caller: Caller, *, status: RepairStatus | None = None) -> list[Repair]:
        """Return the repairs of skills that the caller sees, newest first."""
        return [row.repair for row in self._table.page(status) if _sees(caller, row)]

    def edit(self, repair_id: str, request: RepairEdit, caller: Caller) -> RepairAnswer:
        """Let a repair say a person's steps; the difference is shown again. The same steps change nothing.

        Raises NotFound, NotAllowed, InvalidInput, Conflict.
        """
        refuse_agents(caller)
        row = self._row(repair_id, caller)
        check_waits(row.repair)
        steps = list(wanted_steps(request.steps))
        if steps == row.repair.new_steps:
            return RepairAnswer(repair=row.repair, notes=["Nothing was edited, so nothing was changed."])
        if steps == row.repair.old_steps:
            raise InvalidInput("These are the steps as they are.", hint="Change them, or cancel.", field="steps")
        located = self._unchanged(row)
        diff = _diff(located.files, rewritten(located.skill.directory, located.files, steps, {}))
        taught = self._taught(row.repair.skill.scope, row.owner, row.repair.skill.id, caller)
        lessons = answers(row.repair.old_steps, steps, taught)
        edits = {"new_steps": steps, "by": USER, "diff": diff, "lessons": lessons, "notes": notes_of(lessons)}
        return RepairAnswer(repair=self._table.edit(repair_id, lambda one: one.model_copy(update=edits)))

    def cancel(self, repair_id: str, caller: Caller) -> RepairAnswer:
        """Write down that a repair is not wanted; skill and lessons stay. Raises NotFound, NotAllowed, Conflict."""
        refuse_agents(caller)
        self._row(repair_id, caller)
        done = self._table.decide(repair_id, RepairStatus.cancelled, by=author_of(caller), now=self._clock())
        told = f"USER DECISION: the repair of {done.skill} was cancelled. Do not follow its steps; work without them."
        return RepairAnswer(repair=done, instruction=told)

    def accept(self, repair_id: str, request: RepairAccept, caller: Caller) -> RepairAnswer:
        """Write the steps of a repair, and nothing else of the skill; it starts anew with a reliability of 0.6.

        Raises NotFound, NotAllowed, InvalidInput (a finding), Conflict (decided, changed since, or not flagged any
        more), StoreError; then nothing is changed.
        """
        refuse_agents(caller)
        self._log.recover()
        row = self._row(repair_id, caller)
        check_waits(row.repair)
        approval = Approval.user_edited if row.repair.by == USER else Approval.user_approved
        located = self._unchanged(row)
        done = self._write(row.repair, located, author_of(caller), approval, request.overrides)
        if not request.commit:
            return done
        return done.model_copy(update={"notes": [*done.notes, _committed(located)]})

    # -- how -----------------------------------------------------------------------------------------------------------

    def _provenance(self, located: Located) -> Provenance:
        """Whose text it is: also one that an agent wrote is a person's once its files were edited by hand."""
        view = located.view
        found = self._versions.page(view.scope, view.owner, view.id)
        if found and (found[0].hash != located.hash or any(one.action == BY_HAND for one in found)):
            return Provenance.human
        return located.skill.manifest.provenance

    def _made(self, located: Located, caller: Caller) -> Repair:
        view, files = located.view, located.files
        old = list(read_section(files.skill_md or b"").steps)
        taught = self._taught(view.scope, view.owner, view.id, caller)
        new, by, notes = self._new_steps(located, old, taught, caller)
        if new == old:
            raise Conflict(
                f"Nothing that {view.id} failed at says how its steps should change.",
                hint=f"`wellworn skills update {view.id} --edit` changes them by hand.",
            )
        lessons = answers(old, new, taught)
        return Repair(
            id=new_id(),
            skill=SkillRef(id=view.id, scope=view.scope),
            status=RepairStatus.proposed,
            created_at=self._clock(),
            by=by,
            old_steps=old,
            new_steps=new,
            diff=_diff(files, rewritten(located.skill.directory, files, new, {})),
            lessons=lessons,
            expected_hash=located.hash,
            in_git=in_work_tree(located.skill.directory),
            notes=[*notes, *notes_of(lessons)],
        )

    def _new_steps(self, located: Located, old: Sequence[str], taught: Sequence[Taught], caller: Caller) -> _NewSteps:
        """Return a model's steps where one is configured and of use, else those that the lessons themselves give."""
        rewrite = rewritten_steps(old, taught)
        plain, notes = list(wanted_steps(rewrite.steps)), list(rewrite.notes)
        try:
            adviser = self._adviser_of(caller.user)
            if adviser is None:
                return _NewSteps(plain, "steps", notes)
            new = list(wanted_steps(asked_steps(adviser, located.view.id, old, taught)))
            rewritten(located.skill.directory, located.files, new, {})
        except WellwornError as failed:  # it failed, or its steps cannot be written: what the lessons say stands
            return _NewSteps(plain, "steps", [*notes, f"The model was of no use: {failed}"])
        return _NewSteps(plain, "steps", notes) if new == list(old) else _NewSteps(new, adviser.name, [])

    def _taught(self, scope: Scope, owner: str, skill_id: str, caller: Caller) -> Sequence[Taught]:
        return [self._of_task(one, caller) for one in self._lessons.open(scope, owner, skill_id)]

    def _of_task(self, lesson: Lesson, caller: Caller) -> Taught:
        """What another user's task held stays theirs; what it taught is the skill's."""
        try:
            task = self._tasks.get(None if caller.role is Role.admin else caller.user, lesson.task_id or "")
        except NotFound:
            return taught_by(lesson, ())
        return taught_by(lesson, task.steps)

    def _row(self, repair_id: str, caller: Caller) -> RepairRow:
        row = self._table.get(repair_id)
        if not _sees(caller, row):
            raise unknown(repair_id)
        return row

    def _unchanged(self, row: RepairRow) -> Located:
        skill = row.repair.skill
        located = self._shelf.find(str(skill), ((skill.scope, row.owner),))
        if located.hash != row.repair.expected_hash:
            raise Conflict(
                f"The files of {skill.id} were changed since this repair was proposed.",
                hint=f"`wellworn skills repair {skill.id}` proposes one for them as they are.",
            )
        return located

    def _scanned(
        self, repair: Repair, located: Located, approval: Approval, overrides: Sequence[str]
    ) -> tuple[SkillBytes, Sequence[ScanFinding], str | None]:
        """Return the files as they would be, and what the scan says of them. Raises InvalidInput for a high finding."""
        view, directory = located.view, located.skill.directory
        edited = approval is Approval.user_edited and located.skill.manifest.provenance is Provenance.agent
        fields = {"provenance": Provenance.human.value} if edited else {}
        after = rewritten(directory, located.files, repair.new_steps, fields)
        skill = skill_from_bytes(directory, after, scope=view.scope, owner=view.owner)
        findings, allowed = scanned(Draft(skill.manifest, skill.body), list(overrides), located.skill)
        return after, findings, allowed

    def _write(
        self, repair: Repair, located: Located, by: str, approval: Approval, overrides: Sequence[str]
    ) -> RepairAnswer:
        view, directory = located.view, located.skill.directory
        after, findings, allowed = self._scanned(repair, located, approval, overrides)
        change = SkillChange(
            id=new_id(),
            ts=self._clock(),
            skill_id=view.id,
            scope=view.scope,
            action="repair",
            by=by,
            reason=approval.value,
            evidence=allowed,
            before_hash=located.hash,
            after_hash=state_hash(after),
        )

        def make() -> None:
            if self._table.get(repair.id).repair != repair:
                raise Conflict("This repair was edited or decided meanwhile.", hint="Look at it again.")
            check_flagged(view.id, self._stats.get(view.scope, view.owner, view.id))
            write_state(directory, located.files, after)
            self._shelf.store(located.source, directory)

        effects = Effects(repair_id=repair.id, approval=approval)
        made = self._log.carry_out(Begun(ChangeRow(change, view.owner), directory, effects=effects), make)
        self._follow()
        return RepairAnswer(
            repair=self._table.get(repair.id).repair,
            instruction=_accepted(repair),
            stats=self._stats.get(view.scope, view.owner, view.id),
            change=made,
            findings=[*findings],
        )


def _refuse_gated(repair: Repair) -> None:
    """Raise Conflict where a new step runs what needs an approval: nobody is there to see it. Raises Conflict."""
    from wellworn.lifecycle.shell.classify import classify  # noqa: PLC0415  loads the parser

    fresh = [step for step in repair.new_steps if step not in repair.old_steps]
    for command in (one for step in fresh for one in commands_in(step)):
        judged = classify(command)
        if judged.gated:
            raise Conflict(
                f"The new steps of {repair.skill} run what needs an approval ({judged.reason}).",
                hint=f"A person has to run `wellworn skills repair {repair.skill.id}` at a terminal.",
            )


def _committed(located: Located) -> str:
    """Commit the two files of a skill that was just repaired; return what became of it."""
    files = [path for path in (located.files.skill_md_path, located.files.manifest_path) if path is not None]
    folder = located.skill.directory
    files += (
        [folder / MANIFEST_FILE] if located.files.manifest_path is None and (folder / MANIFEST_FILE).is_file() else []
    )
    return commit_files(folder, files, f"Repair the steps of the skill {located.view.id}")


def _candidate(located: Located, provenance: Provenance) -> Candidate:
    files = located.files
    whole = files.skill_md is not None and not files.unsafe
    whole = whole and all(one.code != "too-large" for one in files.diagnostics)
    return Candidate(located.view.id, located.view.stats, located.skill.manifest.trust, provenance, whole)


def _sees(caller: Caller, row: RepairRow) -> bool:
    scope = row.repair.skill.scope
    if scope is Scope.repo:
        return may_see_repo(caller, row.owner)
    user = split_session_owner(row.owner)[0] if scope is Scope.session else row.owner
    return caller.role is Role.admin or user == caller.user


def _diff(before: SkillBytes, after: SkillBytes) -> str:
    texts = [{SKILL_FILE: read_section(one.skill_md or b"").text} for one in (before, after)]
    return difference(*texts)


def _accepted(repair: Repair) -> str:
    steps = "\n".join(f"{number}. {step}" for number, step in enumerate(repair.new_steps, 1))
    return f"USER DECISION: the repair of {repair.skill} was accepted. Follow its new steps:\n{steps}"
