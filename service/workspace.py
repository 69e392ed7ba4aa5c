"""Workspace: what every way in (HTTP, command line) asks for, over one data folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import wellworn
from wellworn.models.access import Caller, Role
from wellworn.models.errors import NotAllowed, NotFound
from wellworn.models.ids import new_id
from wellworn.models.proposal import Proposal, SuggestAnswer, SuggestRequest
from wellworn.models.reports import (
    CalibrationReport,
    Health,
    ImportReport,
    IndexView,
    Progress,
    ReindexReport,
    ShowProgress,
    Skipped,
    SourceView,
    no_progress,
)
from wellworn.models.resolution import (
    Context,
    Decision,
    FeedbackAnswer,
    FeedbackRequest,
    IntentResolution,
    RecordedResolution,
    ResolveRequest,
    TaughtUtterance,
    Verdict,
)
from wellworn.models.skill import Scope, SkillList, SkillView
from wellworn.models.task import Choice, ChoiceRequest, SkillRef
from wellworn.models.turn import UsageReport
from wellworn.service.choices import Matched
from wellworn.service.lifetime import Lifetime
from wellworn.service.places import Owner, Place, may_see_repo
from wellworn.service.records import owners_of, record_of, recorded_view
from wellworn.store.lessons import LessonTable
from wellworn.store.resolutions import NO_RECORD_HINT, ResolutionRow
from wellworn.store.spend import SpendTable

if TYPE_CHECKING:
    from wellworn.index.encoder import Encoder, FloatArray
    from wellworn.index.status import ReindexProgress
    from wellworn.index.status import ReindexReport as IndexReport
    from wellworn.lifecycle.proposing.similar import InstalledSkill, Meant
    from wellworn.resolver.pipeline import Question as Read
    from wellworn.service.reviewing import Reviewing
    from wellworn.service.tasks import Tasks

__all__ = ["Question", "Workspace"]

_STAGES = {"files": "Reading skills", "embed": "Embedding", "build": "Building"}


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A prepared request: what was read of it, where it stands and who asked."""

    read: Read
    place: Place
    caller: Caller

    @property
    def texts(self) -> tuple[str, ...]:
        """What must be encoded to answer it."""
        return self.read.texts

    @property
    def encoder(self) -> Encoder:
        """What they must be encoded with."""
        return self.read.snapshot.encoder


class Workspace(Lifetime):
    """One per process; every method may be called from any thread. See `Lifetime.open`."""

    # -- resolving -------------------------------------------------------------------------------------------------

    @property
    def encoder(self) -> Encoder:
        """What messages must be encoded with."""
        return self._ready().index.snapshot.encoder

    @property
    def recorder_waiting(self) -> int:
        """How many records wait to be written."""
        return len(self._recorder)

    def prepare(self, request: ResolveRequest, caller: Caller) -> Question:
        """Read a request; encodes nothing. `texts` of the answer is what must be encoded for it.

        Raises NotFound (unknown repo or user), NotAllowed (not the key's user).
        """
        place = self._places.of(request.context, caller)
        engine = self._ready()
        known = _with_repo(request, place)
        return Question(engine.resolver.prepare(known, engine.index.snapshot, place.owners), place, caller)

    def answer(self, question: Question, vectors: FloatArray) -> IntentResolution:
        """Resolve a prepared question and queue its record. vectors: float32[len(question.texts), dim], unit rows."""
        now = self._clock()
        resolution = self._ready().resolver.answer(question.read, vectors, resolution_id=new_id(), now=now)
        resolution = self.choices.reported(resolution, question.place.owners)
        self._recorder.add(record_of(question.read, question.place, resolution, question.caller, now))
        return resolution

    def resolve(self, request: ResolveRequest, caller: Caller) -> IntentResolution:
        """Prepare, encode and answer."""
        question = self.prepare(request, caller)
        return self.answer(question, question.read.encode())

    # -- what was answered, and what people say of it ----------------------------------------------------------------

    def resolution(self, resolution_id: str, caller: Caller) -> RecordedResolution:
        """Return a recorded resolution of the caller; raises NotFound."""
        return recorded_view(self._recorded(resolution_id, caller))

    def _recorded(self, resolution_id: str, caller: Caller) -> ResolutionRow:
        row = self._recorder.pending(resolution_id) or self._resolutions.get(resolution_id)
        mine = row.user == caller.user and (row.repo is None or may_see_repo(caller, row.repo))
        if not mine and caller.role is not Role.admin:
            raise NotFound(f"There is no recorded resolution {resolution_id[:80]!r}.", hint=NO_RECORD_HINT)
        return row

    def feedback(self, request: FeedbackRequest, caller: Caller) -> FeedbackAnswer:
        """Record a verdict and learn from it; what it taught is searchable when this returns.

        Raises NotFound (resolution, or the skill that was meant), InvalidInput.
        """
        row = self._recorded(request.resolution_id, caller)
        answer, new = self._lessons.give(request, row, caller)
        if new and request.verdict is Verdict.right and row.resolution.decision is not Decision.proceed:
            self._count_uses([row])
        self._follow()
        return answer

    def taught(self, ref: str, caller: Caller, *, repo: str | None = None) -> list[TaughtUtterance]:
        """Return what feedback taught a skill; raises NotFound."""
        return self._lessons.taught(self.skill(ref, caller, repo=repo))

    def forget(self, taught_id: str, caller: Caller) -> TaughtUtterance:
        """Remove one taught utterance; it counts no more when this returns. Raises NotFound."""
        removed = self._lessons.forget(taught_id, caller)
        self._follow()
        return removed

    def taught_by_key(self, key_id: str | None, caller: Caller) -> list[TaughtUtterance]:
        """Return what one key (None: the local person) taught any skill that the caller may see."""
        return self._lessons.from_key(key_id, caller)

    def forget_key(self, key_id: str | None, caller: Caller) -> list[TaughtUtterance]:
        """Remove all that; it counts no more when this returns."""
        removed = self._lessons.forget_key(key_id, caller)
        self._follow()
        return removed

    def calibrate(self, *, reset: bool = False, progress: ShowProgress = no_progress) -> CalibrationReport:
        """Refit the confidences on this user's labelled feedback, or go back to those that ship.

        Raises EncoderUnavailable, StoreError.
        """
        from wellworn.service.calibrating import recalibrate, reset_calibration  # noqa: PLC0415  loads the engine

        if reset:
            report = reset_calibration(self.settings)
        else:
            report = recalibrate(
                self.settings, self._database, lambda: self.encoder, now=self._clock(), progress=progress
            )
        if self._engine is not None:
            self._engine.resolver.reload()
        return report

    # -- tasks, and choices about flagged skills ---------------------------------------------------------------------

    @cached_property
    def tasks(self) -> Tasks:
        """Tasks that agents report."""
        from wellworn.service.tasks import Tasks  # noqa: PLC0415

        return Tasks(
            self._database,
            self._clock,
            resolve=self.resolve,
            places=self._places,
            shelf=self._shelf,
            choices=self.choices,
            adviser_of=self.advisers.of,
            follow=self._follow,
        )

    def choose(self, resolution_id: str, request: ChoiceRequest, caller: Caller) -> Choice:
        """Keep a person's choice about the flagged skill of an answer; see `Choices.decide`. Raises NotFound."""
        row = self._recorded(resolution_id, caller)
        answer = row.resolution
        known = answer.skill_id is not None and answer.scope is not None
        skill = SkillRef(id=answer.skill_id or "", scope=answer.scope or Scope.user) if known else None
        return self.choices.decide(Matched(row.id, skill, answer.decision, owners_of(row)), request, caller)

    def usage(self, caller: Caller, *, since: datetime | None = None, account: str | None = None) -> UsageReport:
        """Return what models cost, summed: the caller's own; an admin sees everybody's, or one account's."""
        if caller.role is not Role.admin:
            if account not in (None, caller.user):
                raise NotAllowed(f"The key speaks for {caller.user}, not for another account.", field="account")
            account = caller.user
        return UsageReport(since=since, spend=SpendTable(self._database).summed(account, since=since))

    # -- skills ----------------------------------------------------------------------------------------------------

    def skills(
        self,
        caller: Caller,
        *,
        repo: str | None = None,
        session_id: str | None = None,
        search: str | None = None,
        offset: int = 0,
        limit: int = 100,
    ) -> SkillList:
        """Return one page of the skills that can be seen from there, shadowed ones included."""
        owners = self._owners(caller, repo, session_id)
        return self._skills.list(owners, offset=offset, limit=limit, search=search)

    def skill(self, ref: str, caller: Caller, *, repo: str | None = None, session_id: str | None = None) -> SkillView:
        """Return one skill by `id` or `id@scope`, with body and utterances; raises NotFound naming near ids."""
        view = self._skills.find(ref, self._owners(caller, repo, session_id))
        lessons = LessonTable(self._database).open(view.scope, view.owner, view.id)
        return view.model_copy(update={"lessons": [one.lesson for one in lessons]})

    def _owners(self, caller: Caller, repo: str | None, session_id: str | None) -> tuple[Owner, ...]:
        is_folder = repo is not None and repo.startswith("/")
        context = Context(repo=None if is_folder else repo, cwd=repo if is_folder else None, session_id=session_id)
        return self._places.of(context, caller).owners

    # -- proposals -------------------------------------------------------------------------------------------------

    def suggest(self, request: SuggestRequest, caller: Caller, progress: ShowProgress = no_progress) -> SuggestAnswer:
        """Look for repeated friction in traces; see `Suggestions.suggest`. Raises NotAllowed, InvalidInput."""
        from wellworn.service.suggesting import Suggestions, asked_of  # noqa: PLC0415  loads the parser and numpy

        def meanings(texts: Sequence[str], repo: str | None) -> list[Meant | None]:
            return [self._meant(text, repo, caller) for text in texts]

        asked = asked_of(request, caller, self._places)
        return Suggestions(self._database, self._clock).suggest(asked, meanings, progress)

    def learn(self, task_id: str, caller: Caller) -> Proposal:
        """Propose a skill from one task that went well; see `Crystallizing.learn`. Raises NotFound, Conflict."""
        from wellworn.service.crystallizing import Crystallizing  # noqa: PLC0415  loads the parser and numpy

        task = self.tasks.get(task_id, caller)
        learning = Crystallizing(
            self._database,
            self._clock,
            installed=self._installed,
            meanings=self._meanings,
            adviser_of=lambda account: self.advisers.of(account, "learn"),
        )
        return learning.learn(task, caller)

    def _meant(self, text: str, repo: str | None, caller: Caller) -> Meant | None:
        """Return what a message resolves to, without recording that it was asked."""
        from wellworn.lifecycle.proposing.similar import Meant  # noqa: PLC0415

        try:
            question = self.prepare(ResolveRequest(message=text, context=Context(repo=repo)), caller)
        except NotFound:  # a repository without skills here
            question = self.prepare(ResolveRequest(message=text), caller)
        vectors = question.read.encode()
        answer = self._ready().resolver.answer(question.read, vectors, resolution_id=new_id(), now=self._clock())
        if answer.skill_id is not None and answer.scope is not None:
            return Meant(answer.skill_id, answer.scope, answer.confidence)
        first = next(iter(answer.alternatives), None)
        if answer.decision is not Decision.choose or first is None:
            return None
        return Meant(first.skill_id, first.scope, first.confidence)

    # -- post-turn review ------------------------------------------------------------------------------------------

    @property
    def reviewing(self) -> Reviewing:
        """Review of completed turns; made when it is first asked for, since it loads the parser and numpy."""
        with self._making_reviewing:
            if self._reviewing is None:
                self._reviewing = self._make_reviewing()
                self._reviewing.end_interrupted()
            return self._reviewing

    def _make_reviewing(self) -> Reviewing:
        from wellworn.lifecycle.review.builtin import TrajectoryReviewer  # noqa: PLC0415
        from wellworn.service.learned import LearnedWriter  # noqa: PLC0415
        from wellworn.service.reviewing import Reviewing  # noqa: PLC0415
        from wellworn.store.alive import Alive  # noqa: PLC0415

        writer = LearnedWriter(
            self._database,
            self._shelf,
            self._proposals,
            clock=self._clock,
            follow=self._follow,
        )
        return Reviewing(
            self._database,
            self._clock,
            write=writer.write,
            installed=self._installed,
            meanings=self._meanings,
            adviser_of=lambda account: self.advisers.of(account, "review"),
            alive=Alive(self.settings.data_dir / "processes"),
            name_of=lambda repo: self._places.name_of(repo, None) or repo,
            builtin=TrajectoryReviewer(self._clock, new_id),
        )

    def _installed(self, user: str, repo: str | None) -> Sequence[InstalledSkill]:
        from wellworn.service.suggesting import installed_skills  # noqa: PLC0415

        return installed_skills(self._skills, self._seen_by(user, repo))

    def _meanings(self, texts: Sequence[str], repo: str | None, user: str) -> list[Meant | None]:
        return [self._meant(text, repo, _account(user)) for text in texts]

    def _seen_by(self, user: str, repo: str | None) -> tuple[Owner, ...]:
        try:
            return self._owners(_account(user), repo, None)
        except NotFound:  # a repository without skills here
            return self._owners(_account(user), None, None)

    # -- the index and its sources -----------------------------------------------------------------------------------

    def reindex(self, progress: ShowProgress = no_progress) -> ReindexReport:
        """Read all sources again, embed what is new and build the index anew, serving all the while.

        Raises Unavailable while one runs, EncoderUnavailable, StoreError.
        """

        def show(step: ReindexProgress) -> None:
            progress(Progress(_STAGES[step.stage], step.done, step.total))

        index = self._opened().index
        return _reindex_view(index.reindex(show), index.snapshot.generation)

    def index_status(self) -> IndexView:
        """Return the state of the index."""
        status = self._ready().index.status()
        last = status.last_reindex
        fields = {name: getattr(status, name) for name in IndexView.model_fields if name != "last_reindex"}
        return IndexView.model_validate(
            {**fields, "last_reindex": None if last is None else _reindex_view(last, status.generation)}
        )

    def health(self) -> Health:
        """Say whether anything is wrong that a person should look at."""
        engine = self._ready()
        status, dropped = engine.index.status(), self._recorder.dropped
        lost = [f"{dropped} records of resolutions were lost."] if dropped else []
        problems = [*status.problems, *engine.problems.values(), *self._troubles.values(), *lost]
        return Health(
            status="ok" if status.healthy and not problems else "degraded",
            version=wellworn.__version__,
            problems=problems,
            skills=status.skills,
            vectors=status.vectors,
            generation=status.generation,
            encoder=status.encoder,
        )

    def has_keys(self) -> bool:
        """Say whether callers need a key."""
        return self.keys.any_active()

    def import_library(
        self,
        path: Path,
        *,
        scope: Scope = Scope.user,
        repo: str | None = None,
        replace: bool = False,
        overrides: Sequence[str] = (),
        progress: ShowProgress = no_progress,
    ) -> ImportReport:
        """See Libraries.import_file; what was written is searchable when this returns."""
        report = self._libraries.import_file(
            path, scope=scope, repo=repo, replace=replace, overrides=overrides, progress=progress
        )
        self._places.forget()
        self._embed(progress)
        return report

    def export_library(
        self, out: Path, *, caller: Caller, strict: bool, repo: str | None = None
    ) -> tuple[int, list[str]]:
        """See Libraries.export."""
        return self._libraries.export(out, owners=self._owners(caller, repo, None), strict=strict)

    def sources(self) -> list[SourceView]:
        """Return the folders that skills are read from."""
        return self._libraries.views()

    def add_source(self, folder: Path, *, repo: bool, progress: ShowProgress = no_progress) -> list[SourceView]:
        """See Libraries.add; the skills are searchable when this returns."""
        added = self._libraries.add(folder, repo=repo)
        self._places.forget()
        self._embed(progress)
        return added

    def remove_source(self, source_id: str) -> SourceView:
        """See Libraries.remove."""
        removed = self._libraries.remove(source_id)
        self._places.forget()
        self._follow()
        return removed

    def vouch(self, source_id: str, *, vouched: bool) -> SourceView:
        """See Libraries.vouch."""
        source = self._libraries.vouch(source_id, vouched=vouched)
        self._follow()
        return source


def _account(user: str) -> Caller:
    """Who asks on behalf of an account, with no more rights than an agent's."""
    return Caller(role=Role.agent, user=user)


def _with_repo(request: ResolveRequest, place: Place) -> ResolveRequest:
    """State the repo as it is known, so that `when` predicates hold however the caller named or implied it.

    A repo without an origin has no name that an author could have written.
    """
    if place.repo is None or place.repo == request.context.repo or place.repo.startswith("path:"):
        return request
    return request.model_copy(update={"context": request.context.model_copy(update={"repo": place.repo})})


def _reindex_view(report: IndexReport, generation: int) -> ReindexReport:
    return ReindexReport(
        generation=generation,
        skills=report.skills,
        utterances=report.utterances,
        embedded=report.embedded,
        reused=report.reused,
        seconds=report.seconds,
        skipped=[Skipped(path=path, why=why) for path, why in report.skipped],
    )
