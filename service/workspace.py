"""Everything one process needs to answer: store, index, resolver and recorder, opened together and closed together."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self

import wellworn
from wellworn.index.encoder import Encoder, FloatArray
from wellworn.index.encoders import open_encoder
from wellworn.index.live import LiveIndex
from wellworn.index.status import ReindexProgress
from wellworn.index.status import ReindexReport as IndexReport
from wellworn.lifecycle.feedback import Target, check_verdict, lesson_text, teachings, within_bounds
from wellworn.models.access import Caller, Role
from wellworn.models.errors import NotFound
from wellworn.models.ids import new_id
from wellworn.models.reports import (
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
from wellworn.resolver.message import read_message
from wellworn.resolver.pipeline import Question as Read
from wellworn.resolver.pipeline import Resolver
from wellworn.service.libraries import Libraries
from wellworn.service.places import Owner, Place, Places, normalise_repo, session_owner
from wellworn.service.recorder import Recorder
from wellworn.service.records import (
    answered_target,
    feedback_row,
    owners_of,
    record_of,
    recorded_view,
    taught_row,
    taught_view,
)
from wellworn.service.settings import Settings
from wellworn.store.database import Database
from wellworn.store.feedback import FeedbackTable
from wellworn.store.keys import KeyTable
from wellworn.store.resolutions import ResolutionRow, ResolutionTable
from wellworn.store.skills import SkillTable

__all__ = ["Question", "Workspace"]

_PRUNE_EVERY = 3600.0
_STAGES = {"files": "Reading skills", "embed": "Embedding", "build": "Building"}
Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


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


class Workspace:
    """One per process; every method may be called from any thread."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        index: LiveIndex,
        libraries: Libraries,
        resolver: Resolver,
        *,
        discover: bool,
        clock: Clock,
    ) -> None:
        """Use `Workspace.open`."""
        self.settings = settings
        self.keys = KeyTable(database)
        self._database, self._index, self._libraries, self._resolver = database, index, libraries, resolver
        self._skills, self._feedback = SkillTable(database), FeedbackTable(database)
        self._resolutions = ResolutionTable(database)
        self._recorder = Recorder(self._write)
        self._clock = clock
        self._places = Places(
            sources=libraries.sources,
            skills=self._skills,
            keys=self.keys,
            local_user=settings.user,
            discover=libraries.discover_repo if discover else None,
        )
        self._reindexing = threading.Lock()
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._closing = ExitStack()

    @classmethod
    def open(
        cls,
        settings: Settings,
        *,
        encoder: Encoder | None = None,
        progress: ShowProgress = no_progress,
        background: bool = False,
        discover: bool = True,
        clock: Clock = utc_now,
    ) -> Workspace:
        """Open the data folder, read what changed in the sources and make it searchable.

        background: serve while this process lives: what is new is embedded behind the answers, edited files and other
        processes' changes are followed. Without it everything is embedded before this returns.
        discover: whether a repo first seen in a request is read (loopback) or must be registered.
        Raises StoreError, NewerStore, EncoderUnavailable, InvalidInput (a configured folder).
        """
        with ExitStack() as opened:
            database = opened.enter_context(Database(settings.database_path))
            if encoder is None:
                key = settings.encoder_api_key
                encoder = open_encoder(
                    settings.encoder,
                    threads=settings.encoder_threads,
                    api_key=key.get_secret_value() if key else None,
                )
            libraries = opened.enter_context(Libraries(database, settings, clock=clock, serving=background))
            libraries.sync(progress)
            index = opened.enter_context(LiveIndex(database, settings.vectors_dir, encoder))
            libraries.attach(index)
            learned = settings.calibration_path
            parameters = settings.parameters or (learned if learned.exists() else None)
            resolver = opened.enter_context(Resolver.open(encoder, settings.heads_dir, parameters=parameters))
            workspace = cls(settings, database, index, libraries, resolver, discover=discover, clock=clock)
            if background:
                workspace._start()
            else:
                workspace._fill(progress)
            workspace._closing = opened.pop_all()
        return workspace

    def _start(self) -> None:
        self._index.start()
        self._libraries.start_watching()
        self._threads = [threading.Thread(target=self._prune, name="wellworn-prune", daemon=True)]
        for thread in self._threads:
            thread.start()

    def _fill(self, progress: ShowProgress) -> None:
        total, done = self._index.status().pending, 0

        def embedded(count: int) -> None:
            nonlocal done
            done += count
            progress(Progress("Embedding", done))

        if total:
            self._index.fill(embedded)

    def _prune(self) -> None:
        while True:
            self._resolutions.prune(self._clock() - timedelta(days=self.settings.record_days))
            if self._stop.wait(_PRUNE_EVERY):
                return

    def close(self) -> None:
        """Write what is queued and let go of everything; closing twice is fine."""
        self._stop.set()
        self._recorder.close()
        for thread in self._threads:
            thread.join()
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- resolving -------------------------------------------------------------------------------------------------

    @property
    def encoder(self) -> Encoder:
        """What messages must be encoded with."""
        return self._index.snapshot.encoder

    @property
    def recorder_waiting(self) -> int:
        """How many records wait to be written."""
        return len(self._recorder)

    def prepare(self, request: ResolveRequest, caller: Caller) -> Question:
        """Read a request; encodes nothing. `texts` of the answer is what must be encoded for it.

        Raises NotFound (unknown repo or user), NotAllowed (not the key's user).
        """
        place = self._places.of(request.context, caller)
        return Question(self._resolver.prepare(request, self._index.snapshot, place.owners), place, caller)

    def answer(self, question: Question, vectors: FloatArray) -> IntentResolution:
        """Resolve a prepared question and queue its record. vectors: float32[len(question.texts), dim], unit rows."""
        now = self._clock()
        resolution = self._resolver.answer(question.read, vectors, resolution_id=new_id(), now=now)
        self._recorder.add(record_of(question.read, question.place, resolution, question.caller, now))
        return resolution

    def resolve(self, request: ResolveRequest, caller: Caller) -> IntentResolution:
        """Prepare, encode and answer."""
        question = self.prepare(request, caller)
        return self.answer(question, question.read.encode())

    def _write(self, rows: Sequence[ResolutionRow]) -> None:
        """What the recorder's thread does with a batch: keep the records, count the uses."""
        if self.settings.record:
            self._resolutions.record_many(rows)
        used = [row for row in rows if row.resolution.decision is Decision.proceed]
        for row in used:
            self._count_use(row, row.ts)

    def _count_use(self, row: ResolutionRow, now: datetime) -> None:
        key = self._key_of(row)
        if key is not None:
            self._skills.record_usage([key], now)
            self._resolver.sessions.note(owners_of(row), key)

    def _key_of(self, row: ResolutionRow) -> int | None:
        target = answered_target(row)
        if target is None:
            return None
        partition = self._index.snapshot.view([(target.scope, target.owner)])
        refs = partition.by_id(target.skill_id)
        return partition.card(refs[0]).key if refs else None

    # -- what was answered, and what people say of it ----------------------------------------------------------------

    def resolution(self, resolution_id: str, caller: Caller) -> RecordedResolution:
        """Return a recorded resolution of the caller; raises NotFound."""
        return recorded_view(self._recorded(resolution_id, caller))

    def _recorded(self, resolution_id: str, caller: Caller) -> ResolutionRow:
        row = self._recorder.pending(resolution_id) or self._resolutions.get(resolution_id)
        if row.user != caller.user and caller.role is not Role.admin:
            raise NotFound(f"There is no recorded resolution {resolution_id[:80]!r}.")
        return row

    def feedback(self, request: FeedbackRequest, caller: Caller) -> FeedbackAnswer:
        """Record a verdict and learn from it; what it taught is searchable when this returns.

        Raises NotFound (resolution, or the skill that was meant), InvalidInput.
        """
        row = self._recorded(request.resolution_id, caller)
        check_verdict(request, row.resolution)
        answered = answered_target(row)
        meant = self._target(request.skill_id, row) if request.skill_id is not None else None
        lessons, notes = within_bounds(
            teachings(request.verdict, answered, meant),
            lambda t: self._feedback.count_taught(t.scope, t.owner, t.skill_id, caller.key_id),
        )
        given = feedback_row(request, row, caller, self._clock())
        text = lesson_text(read_message(row.message).request)
        stored, taught = self._feedback.add(given, [taught_row(one, text, given) for one in lessons] if text else [])
        self._index.refresh()
        if request.verdict is Verdict.right and row.resolution.decision is not Decision.proceed:
            self._count_use(row, self._clock())
        return FeedbackAnswer(feedback_id=stored.id, taught=[taught_view(one) for one in taught], notes=notes)

    def _target(self, skill_id: str, row: ResolutionRow) -> Target:
        view = self._skills.find(skill_id, owners_of(row))
        return Target(view.id, view.scope, view.owner)

    def taught(self, ref: str, caller: Caller, *, repo: str | None = None) -> list[TaughtUtterance]:
        """Return what feedback taught a skill; raises NotFound."""
        skill = self.skill(ref, caller, repo=repo)
        return [taught_view(one) for one in self._feedback.list_taught(skill.scope, skill.owner, skill.id)]

    def forget(self, taught_id: str, caller: Caller) -> TaughtUtterance:
        """Remove one taught utterance; it counts no more when this returns. Raises NotFound."""
        found = self._feedback.get_taught(taught_id)
        if not self._may_see(found.scope, found.owner, caller):
            raise NotFound(f"There is no taught utterance {taught_id[:80]!r}.")
        removed = self._feedback.remove_taught(taught_id, now=self._clock())
        self._index.refresh()
        return taught_view(removed)

    def _may_see(self, scope: Scope, owner: str, caller: Caller) -> bool:
        if caller.role is Role.admin:
            return True
        if scope is Scope.repo:
            return not caller.repos or owner in {normalise_repo(repo) for repo in caller.repos}
        return owner == caller.user or owner.startswith(session_owner(caller.user, ""))

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
        return self._skills.find(ref, self._owners(caller, repo, session_id))

    def _owners(self, caller: Caller, repo: str | None, session_id: str | None) -> tuple[Owner, ...]:
        is_folder = repo is not None and repo.startswith("/")
        context = Context(repo=None if is_folder else repo, cwd=repo if is_folder else None, session_id=session_id)
        return self._places.of(context, caller).owners

    # -- the index and its sources -----------------------------------------------------------------------------------

    def reindex(self, progress: ShowProgress = no_progress) -> ReindexReport:
        """Read all sources again, embed what is new and build the index anew, serving all the while.

        Raises Unavailable while one runs, EncoderUnavailable, StoreError.
        """

        def show(step: ReindexProgress) -> None:
            progress(Progress(_STAGES[step.stage], step.done, step.total))

        return _reindex_view(self._index.reindex(show), self._index.snapshot.generation)

    def index_status(self) -> IndexView:
        """Return the state of the index."""
        status = self._index.status()
        last = status.last_reindex
        fields = {name: getattr(status, name) for name in IndexView.model_fields if name != "last_reindex"}
        return IndexView.model_validate(
            {**fields, "last_reindex": None if last is None else _reindex_view(last, status.generation)}
        )

    def health(self) -> Health:
        """Say whether anything is wrong that a person should look at."""
        status = self._index.status()
        dropped = self._recorder.dropped
        problems = [*status.problems, *([f"{dropped} records of resolutions were lost."] if dropped else [])]
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
        progress: ShowProgress = no_progress,
    ) -> ImportReport:
        """See Libraries.import_file."""
        report = self._libraries.import_file(path, scope=scope, repo=repo, replace=replace, progress=progress)
        self._places.forget()
        return report

    def export_library(
        self, out: Path, *, caller: Caller, strict: bool, repo: str | None = None
    ) -> tuple[int, list[str]]:
        """See Libraries.export."""
        return self._libraries.export(out, owners=self._owners(caller, repo, None), strict=strict)

    def sources(self) -> list[SourceView]:
        """Return the folders that skills are read from."""
        return self._libraries.views()

    def add_source(self, folder: Path, *, repo: bool) -> list[SourceView]:
        """See Libraries.add."""
        added = self._libraries.add(folder, repo=repo)
        self._places.forget()
        return added

    def remove_source(self, source_id: str) -> SourceView:
        """See Libraries.remove."""
        removed = self._libraries.remove(source_id)
        self._places.forget()
        return removed

    def vouch(self, source_id: str, *, vouched: bool) -> SourceView:
        """See Libraries.vouch."""
        return self._libraries.vouch(source_id, vouched=vouched)


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
