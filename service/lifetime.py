"""The life of a workspace: store, libraries, engine and recorder, opened and closed together, and its threads."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Self

from wellworn.models.errors import EncoderUnavailable, WellwornError
from wellworn.models.reports import Progress, ShowProgress, no_progress
from wellworn.models.resolution import Decision
from wellworn.models.wire import build_types
from wellworn.service.advising import Advisers
from wellworn.service.care import Care
from wellworn.service.choices import Choices
from wellworn.service.curation import Curation
from wellworn.service.decision_log import DecisionLog
from wellworn.service.lessons import Lessons
from wellworn.service.libraries import Libraries
from wellworn.service.places import Places
from wellworn.service.recorder import Recorder
from wellworn.service.records import owners_of
from wellworn.service.repairs import Repairs
from wellworn.service.runtime import Runtime
from wellworn.service.session_skills import SessionSkills
from wellworn.service.settings import Settings
from wellworn.service.shelf import Shelf
from wellworn.service.traces import Traces
from wellworn.service.versions import Versions
from wellworn.store.database import Database
from wellworn.store.discovery import RepoPlace
from wellworn.store.keys import KeyTable
from wellworn.store.proposals import ProposalTable
from wellworn.store.resolutions import ResolutionRow, ResolutionTable
from wellworn.store.skills import SkillTable
from wellworn.store.tasks import TaskTable
from wellworn.store.turns import TurnTable

if TYPE_CHECKING:  # what loads FAISS and models is imported when the first question comes
    from wellworn.index.encoder import Encoder
    from wellworn.service.engine import Engine
    from wellworn.service.reviewing import Reviewing

log = logging.getLogger(__name__)

EMBEDDED_FIRST = 100
"""Up to this many skills without vectors a service embeds before it is ready (a second or two), not behind answers."""
_PRUNE_EVERY = 3600.0
_READ_AFTER = 0.5  # seconds: looking through 25,000 folders would hold up the first answers
Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


class _Stopping(Exception):
    """Ends reading behind the answers when the workspace is closed; never leaves this module."""


class Lifetime:
    """The base of `Workspace`: what it holds, from `open` to `close`.

    Unless it serves, encoder and index are opened when they are first needed: listing skills needs neither.
    """

    def __init__(
        self,
        settings: Settings,
        database: Database,
        libraries: Libraries,
        open_engine: Callable[[], Engine],
        *,
        discover: bool,
        clock: Clock,
    ) -> None:
        """Use `open`."""
        self.settings = settings
        self.keys = KeyTable(database)
        self._database, self._libraries, self._clock = database, libraries, clock
        self._open_engine = open_engine
        self._engine: Engine | None = None
        self._progress: ShowProgress = no_progress
        self._opening, self._filling = threading.Lock(), threading.Lock()
        self._filled = False
        self._serving = False
        self._skills, self._resolutions = SkillTable(database), ResolutionTable(database)
        self._lessons = Lessons(database, clock)
        self._recorder = Recorder(self._write)
        self._places = Places(
            sources=libraries.sources,
            skills=self._skills,
            keys=self.keys,
            local_user=settings.user,
            discover=self._discover if discover else None,
        )
        self.traces = Traces(database, self._places, settings, clock)
        self._take_decisions(database)
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._troubles: dict[str, str] = {}
        self._reviewing: Reviewing | None = None
        self._making_reviewing = threading.Lock()
        self._closing = ExitStack()

    def _take_decisions(self, database: Database) -> None:
        self._shelf = shelf = Shelf(database, self._libraries, self._places, self.settings, self._clock)
        log, proposals = DecisionLog(database), ProposalTable(database)
        self._proposals = proposals
        self.choices = Choices(database, self._clock)
        self.runtime = Runtime(database, self._clock)
        self.advisers = Advisers(database, self.settings.model_api_key, self._clock)
        self.care = Care(shelf, log, proposals, clock=self._clock, follow=self._follow)
        self.curation = Curation(shelf, log, proposals, self.care)
        self.versions = Versions(shelf, log, database, clock=self._clock, follow=self._follow)
        self.repairs = Repairs(
            shelf, log, database, clock=self._clock, follow=self._follow, adviser_of=self.advisers.of
        )
        self.session_skills = SessionSkills(
            database,
            self.settings.data_dir / "sessions",
            hours=self.settings.session_hours,
            clock=self._clock,
            follow=self._follow,
        )
        log.recover()

    @classmethod
    def open(
        cls,
        settings: Settings,
        *,
        encoder: Encoder | None = None,
        progress: ShowProgress = no_progress,
        background: bool = False,
        discover: bool = True,
        read: bool = True,
        clock: Clock = utc_now,
    ) -> Self:
        """Open the data folder and read what changed in the sources.

        background: serve while this process lives: what is new is embedded behind the answers, edited files and other
        processes' changes are followed, and libraries that were read before are looked through behind the answers too.
        Without it everything is read before this returns, and embedded before the first answer.
        read: whether to read the sources at all; `reindex` does it again.
        discover: whether a repo first seen in a request is read (loopback) or must be registered.
        Raises StoreError, NewerStore, InvalidInput (a configured folder); serving also EncoderUnavailable.
        """

        def open_engine() -> Engine:
            from wellworn.service.engine import Engine  # noqa: PLC0415  loads FAISS and the encoder

            return Engine.open(settings, database, encoder=encoder, serving=background)

        with ExitStack() as opened:
            database = opened.enter_context(Database(settings.database_path))
            libraries = opened.enter_context(Libraries(database, settings, clock=clock, serving=background))
            libraries.register()
            if read:
                (libraries.read_new if background else libraries.read_all)(progress)
            workspace = cls(settings, database, libraries, open_engine, discover=discover, clock=clock)
            opened.callback(workspace._let_go)
            workspace._progress = progress
            if background:
                workspace._start()
            else:
                workspace.session_skills.end_idle()
            workspace._closing = opened.pop_all()
        return workspace

    def _start(self) -> None:
        build_types()
        self._serving = True
        engine = self._opened()
        if engine.index.status().pending <= EMBEDDED_FIRST:
            with suppress(EncoderUnavailable):  # it is tried again behind the answers, and told by `health`
                engine.fill(self._progress)
        engine.start()
        self._libraries.watch(engine.index)
        work = {"wellworn-read": self._read_behind, "wellworn-prune": self._prune}
        self._threads = [threading.Thread(target=run, name=name, daemon=True) for name, run in work.items()]
        for thread in self._threads:
            thread.start()

    def _read_behind(self) -> None:
        """Look through libraries that were read by an earlier process: they answer as they were until this is done."""

        def stoppable(_: Progress) -> None:
            if self._stop.is_set():
                raise _Stopping

        if self._stop.wait(_READ_AFTER):
            return
        try:
            self._libraries.read_all(stoppable)
            self._follow()
        except _Stopping:
            return
        except WellwornError as error:
            log.warning("The libraries could not be read: %s", error)
            self._troubles["libraries"] = f"The libraries could not be read: {error}"

    def _prune(self) -> None:
        while True:
            try:
                before = self._clock() - timedelta(days=self.settings.record_days)
                self._resolutions.prune(before)
                TaskTable(self._database).prune(before)
                TurnTable(self._database).prune(before)
                self.choices.prune(before)
                self.traces.retain()
                self.session_skills.end_idle()
                self._prune_reviews()
            except WellwornError as error:
                log.warning("Old records could not be removed: %s", error)
            if self._stop.wait(_PRUNE_EVERY):
                return

    def _prune_reviews(self) -> None:
        if self._reviewing is not None:
            self._reviewing.end_interrupted()

    def close(self) -> None:
        """Write what is queued and let go of everything; closing twice is fine."""
        self._closing.close()

    def _let_go(self) -> None:
        self._stop.set()
        if self._reviewing is not None:
            self._reviewing.close()
        self._libraries.stop_watching()
        self._recorder.close()
        for thread in self._threads:
            thread.join()
        if self._engine is not None:
            self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- the engine, opened when it is needed ------------------------------------------------------------------------

    def _opened(self) -> Engine:
        """Return the engine, with whatever is embedded already. Raises EncoderUnavailable, InvalidInput, StoreError."""
        with self._opening:
            if self._engine is None:
                self._engine = self._open_engine()
            return self._engine

    def _ready(self) -> Engine:
        """Return the engine with (unless this process serves) everything embedded. Raises as `_opened` does."""
        if self._filled and self._engine is not None:
            return self._engine
        engine = self._opened()
        with self._filling:
            if not self._filled and not self._serving:
                engine.fill(self._progress)
            self._filled = True
        return engine

    def _follow(self, progress: ShowProgress = no_progress) -> None:
        """Take up what was just written to the store, where questions are being answered."""
        if self._engine is not None:
            self._engine.index.refresh()
            if self._filled and not self._serving:
                self._engine.fill(progress)

    def _embed(self, progress: ShowProgress) -> None:
        """Embed what was just read, unless another process that serves this data folder does it."""
        if self._engine is None and not self._libraries.served_elsewhere:
            self._progress = progress
            self._ready()
        self._follow(progress)

    def _discover(self, place: RepoPlace, name: str) -> None:
        self._libraries.discover_repo(place, name)
        self._follow()

    # -- what the recorder does behind the answers ---------------------------------------------------------------------

    def _write(self, rows: Sequence[ResolutionRow]) -> None:
        """What the recorder's thread does with a batch: keep the records, count the uses."""
        if self.settings.record:
            self._resolutions.record_many(rows)
        self._count_uses([row for row in rows if row.resolution.decision is Decision.proceed])

    def _count_uses(self, rows: Sequence[ResolutionRow]) -> None:
        for row, key in self._lessons.count_uses(rows):
            if self._engine is not None:
                self._engine.resolver.sessions.note(owners_of(row), key)
