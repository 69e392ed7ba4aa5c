"""The folders that skills are read from: registering, reading, following, importing into and exporting from them."""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from wellworn.index.catalogue_sync import SyncReport, sync_source
from wellworn.index.status import ReindexProgress
from wellworn.models.errors import InvalidInput, NotFound, StoreError
from wellworn.models.reports import ImportReport, Progress, ShowProgress, SourceView, no_progress
from wellworn.models.skill import Scope, Skill
from wellworn.service.places import Owner
from wellworn.service.scanning import sifted
from wellworn.service.settings import Settings
from wellworn.store.database import Database
from wellworn.store.discovery import (
    RepoPlace,
    Source,
    configured_source,
    find_repo,
    repo_id,
    repo_sources,
    user_sources,
)
from wellworn.store.skill_file import read_skill_directory
from wellworn.store.skills import SkillTable
from wellworn.store.sources import SourceTable, StoredSource
from wellworn.store.transfer import export_skill_directories, import_library, read_library, write_library

if TYPE_CHECKING:
    from wellworn.index.live import LiveIndex
    from wellworn.index.watch import SkillWatcher

log = logging.getLogger(__name__)

HOME, CONFIGURED, ADDED, REPO = "home", "configured", "added", "repo"
_PAGE = 1000
_NOTES = 20


class Libraries:
    """All sources of one data folder: registered, read into the store, written into and exported from.

    serving: this process goes on to serve; configured folders of a serving process are not dropped by another that was
    started without them.
    """

    def __init__(self, database: Database, settings: Settings, *, clock: Callable[[], datetime], serving: bool) -> None:
        """Raises StoreError when the data folder cannot be written."""
        self.sources = SourceTable(database)
        self._database, self._settings, self._clock, self._serving = database, settings, clock, serving
        self._skills = SkillTable(database)
        self._watcher: SkillWatcher | None = None
        self.served_elsewhere = False
        self._lock_file = _open_lock(settings.data_dir)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop_watching()
        os.close(self._lock_file)

    # -- reading ---------------------------------------------------------------------------------------------------

    def register(self) -> None:
        """Register the folders that the settings name, and drop those that they name no more. Raises InvalidInput."""
        settings = self._settings
        wanted = [(source, HOME) for source in user_sources(settings.home, settings.user)]
        wanted += [
            (configured_source(path, settings.user, rank=100 + at), CONFIGURED)
            for at, path in enumerate(settings.library)
        ]
        for source, kind in wanted:
            self._register(source, kind)
        self._drop_configured({source.id for source, _ in wanted})

    def read_all(self, progress: ShowProgress = no_progress) -> None:
        """Read what changed in every source. Raises StoreError."""
        for source in self.sources.list():
            self._read(source, progress)

    def read_new(self, progress: ShowProgress = no_progress) -> None:
        """Read the sources of which nothing is stored yet. Raises StoreError."""
        known = self._skills.counts()
        for source in self.sources.list():
            if source.id not in known:
                self._read(source, progress)

    def watch(self, index: LiveIndex) -> None:
        """Follow edits of the files from now on, if the settings say so."""
        from wellworn.index.watch import SkillWatcher  # noqa: PLC0415  only a process that serves needs it

        if self._settings.watch:
            self._watcher = SkillWatcher(self._database, index, now=self._clock)
            self._watcher.start()

    def stop_watching(self) -> None:
        """Stop following edits; doing so twice is fine."""
        if self._watcher is not None:
            self._watcher.close()

    def _register(self, source: Source, kind: str) -> None:
        try:
            known = self.sources.get(source.id)
        except NotFound:
            self.sources.put(source, kind=kind, now=self._clock())
            return
        kept = replace(source, vouched=known.vouched)
        self.sources.put(kept, kind=kind if known.kind != ADDED else ADDED, now=self._clock())

    def _drop_configured(self, wanted: set[str]) -> None:
        """Folders that were configured for an earlier process count no more, unless one that serves now uses them."""
        try:
            fcntl.flock(self._lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.served_elsewhere = True
        if not self.served_elsewhere:
            for source in self.sources.list():
                if source.kind == CONFIGURED and source.id not in wanted:
                    self.sources.remove(source.id, now=self._clock())
        fcntl.flock(self._lock_file, fcntl.LOCK_SH if self._serving else fcntl.LOCK_UN)

    def _read(self, source: StoredSource | Source, progress: ShowProgress) -> SyncReport:
        def show(step: ReindexProgress) -> None:
            progress(Progress("Reading skills", step.done, step.total, str(source.path)))

        report = sync_source(self._database, source, show, now=self._clock)
        for diagnostic in report.diagnostics:
            log.info("%s", diagnostic)
        return report

    # -- repositories ----------------------------------------------------------------------------------------------

    def discover_repo(self, place: RepoPlace, name: str) -> None:
        """Register and read a repo that a request was the first to name; nobody has vouched for it yet."""
        self._add_repo(place, name, vouched=False)

    def _add_repo(self, place: RepoPlace, name: str, *, vouched: bool) -> list[Source]:
        sources = repo_sources(place.root, name, vouched)
        for source in sources:
            if vouched:
                self.sources.put(source, kind=REPO, now=self._clock())
            else:
                self._register(source, REPO)
            self._read(source, no_progress)
        return sources

    # -- what people do with sources -------------------------------------------------------------------------------

    def views(self) -> list[SourceView]:
        """Return the sources that exist on disk or hold skills."""
        return [view for source in self.sources.list() if (view := self._view(source)).skills or source.path.is_dir()]

    def add(self, folder: Path, *, repo: bool) -> list[SourceView]:
        """Register a folder of skills, or a repository and the skill folders in it, vouched for.

        Raises InvalidInput when it is none.
        """
        if not repo:
            source = configured_source(folder, self._settings.user)
            self.sources.put(source, kind=ADDED, now=self._clock())
            self._read(source, no_progress)
            return [self._view(self.sources.get(source.id))]
        place = find_repo(folder.expanduser()) if folder.expanduser().is_dir() else None
        if place is None:
            raise InvalidInput(f"{folder} is not in a git repository.", hint="Give the root of one.", field="folder")
        added = self._add_repo(place, repo_id(place.root, place.origin), vouched=True)
        return [
            view for source in added if (view := self._view(self.sources.get(source.id))).skills or source.path.is_dir()
        ]

    def remove(self, source_id: str) -> SourceView:
        """Forget a source; its files stay. Raises NotFound, InvalidInput for a folder that is always read."""
        source = self.sources.get(source_id)
        if source.kind == HOME:
            raise InvalidInput(
                f"{source.path} belongs to your home folder and is always read.",
                hint="Move its skills away, or disable them.",
                field="id",
            )
        view = self._view(source)
        self.sources.remove(source_id, now=self._clock())
        return view

    def vouch(self, source_id: str, *, vouched: bool) -> SourceView:
        """Vouch for a source (or no more). Raises NotFound."""
        known = self.sources.get(source_id)
        source = Source(known.id, known.path, known.scope, known.owner, known.rank, vouched)
        self.sources.put(source, kind=known.kind, now=self._clock())
        return self._view(self.sources.get(source_id))

    def skills_in(self, source: Source) -> int:
        """Return how many skills of a source are stored."""
        return self._skills.counts().get(source.id, 0)

    def _view(self, source: StoredSource) -> SourceView:
        return SourceView(
            id=source.id,
            path=str(source.path),
            scope=source.scope,
            owner=source.owner,
            vouched=source.vouched,
            kind=source.kind,
            skills=self._skills.counts().get(source.id, 0),
        )

    # -- in and out ------------------------------------------------------------------------------------------------

    def import_file(
        self,
        path: Path,
        *,
        scope: Scope,
        repo: str | None,
        replace: bool,
        overrides: Sequence[str],
        progress: ShowProgress,
    ) -> ImportReport:
        """Write a library's skills into wellworn's own folder of the scope, and read them into the store.

        Those with high security findings that are not named in `overrides` are left out. Raises InvalidInput naming
        file and line, Conflict when a skill is there already and `replace` is not set.
        """
        whole = read_library(path)
        source = self._target(scope, repo)
        library, blocked, capped = sifted(whole, overrides, progress)
        before = set(self._skills.stamps(source.id))
        progress(Progress("Writing skills", 0, len(library)))
        done = import_library(library, source.path, scope=scope, replace=replace)
        progress(Progress("Writing skills", len(library), len(library)))
        self._register(source, HOME if scope is Scope.user else REPO)
        report = self._read(source, progress)
        added = len(set(self._skills.stamps(source.id)) - before)
        notes = [*library.warnings[:_NOTES], *(str(diagnostic) for diagnostic in report.diagnostics[:_NOTES])]
        return ImportReport(
            folder=str(source.path),
            added=added,
            replaced=max(0, done.written - added),
            unchanged=done.unchanged,
            blocked=blocked,
            notes=[*capped, *notes],
        )

    def _target(self, scope: Scope, repo: str | None) -> Source:
        if scope is Scope.user:
            return user_sources(self._settings.home, self._settings.user)[0]
        try:
            place = find_repo(Path(repo).expanduser() if repo else Path.cwd())
        except FileNotFoundError:  # the current folder was deleted
            place = None
        if place is None:
            raise InvalidInput(
                f"{repo or 'The current folder'} is not in a git repository.", hint="Give --repo FOLDER.", field="repo"
            )
        return repo_sources(place.root, repo_id(place.root, place.origin), vouched=True)[0]

    def export(self, out: Path, *, owners: Sequence[Owner], strict: bool) -> tuple[int, list[str]]:
        """Write all skills of these partitions that count to a JSONL file, or with `strict` to Agent Skills folders.

        Returns how many, and notes on what was left out and why. Raises InvalidInput (also for a place inside the data
        folder), Conflict; then nothing is written.
        """
        if out.resolve().is_relative_to(self._settings.data_dir.resolve()):
            raise InvalidInput(
                f"{out} lies in wellworn's own data folder.", hint="Export to a place outside of it.", field="out"
            )
        skills = self._effective(owners)
        done = export_skill_directories(skills, out) if strict else write_library(skills, out)
        notes = [f"{skill_id} was left out: {why}." for skill_id, why in done.skipped]
        notes += done.notes[:_NOTES]
        if (more := len(done.notes) - _NOTES) > 0:
            notes.append(f"{more:,} more notes of this kind are not shown.")
        return done.written, notes

    def _effective(self, owners: Sequence[Owner]) -> list[Skill]:
        skills: list[Skill] = []
        offset: int | None = 0
        while offset is not None:
            page = self._skills.list(owners, offset=offset, limit=_PAGE)
            skills += [
                read_skill_directory(Path(view.location), scope=view.scope, owner=view.owner)
                for view in page.skills
                if view.shadowed_by is None
            ]
            offset = page.next_offset
        return skills


def _open_lock(data_dir: Path) -> int:
    path = data_dir / "serving.lock"
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreError(
            f"{path} cannot be used: {error.strerror or error}.", hint="Choose a data folder that you can write to."
        ) from error
