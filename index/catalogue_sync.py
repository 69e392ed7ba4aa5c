"""Skill files -> rows of the store: what is new or changed is read, what is gone is removed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from wellworn.index.lexical import pack_text
from wellworn.index.status import Progress, ReindexProgress, no_progress
from wellworn.index.utterances import utterances_of
from wellworn.models.errors import StoreError
from wellworn.models.skill import Diagnostic, Severity, Skill
from wellworn.store.database import Database
from wellworn.store.discovery import Source, is_capped, walk_skills
from wellworn.store.skill_read import SkillBytes, read_files, skill_from_bytes
from wellworn.store.skills import SkillEntry, SkillTable, path_text
from wellworn.store.sources import SourceTable, StoredSource
from wellworn.store.versions import VersionTable

DERIVED_FORMAT = 2
"""Raised whenever what is kept of a skill's files changes (`utterances_of`, `pack_text`): each is then read again."""
_BATCH = 200
_FOUND_KINDS = frozenset({"home", "repo"})
_FILES = ("SKILL.md", "manifest.yaml")

Now = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What the sync of one source did; counts of skills. diagnostics: of the walk and of every skill that was read."""

    source_id: str
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def touched(self) -> int:
        """How many rows were written or removed."""
        return self.added + self.changed + self.removed


def entry_of(skill: Skill, stamp: str) -> SkillEntry:
    """Return what is stored of a skill: with its utterances and word counts."""
    return SkillEntry(skill=skill, stamp=stamp, utterances=utterances_of(skill), lexical=pack_text(skill))


def stamp_of(directory: Path) -> str:
    """Return a text that changes when a skill's files do: their names, modification times (ns) and sizes."""
    parts = [str(DERIVED_FORMAT)]
    names = {name.lower() for name in _FILES}
    try:
        files = sorted(path for path in directory.iterdir() if path.name.lower() in names)
        for path in files:
            status = path.stat()
            parts.append(f"{path.name}:{status.st_mtime_ns}:{status.st_size}")
    except OSError as error:
        parts.append(f"unreadable:{error.errno}")
    return "|".join(parts)


def sync_source(
    db: Database, source: Source | StoredSource, progress: Progress = no_progress, *, now: Now = utc_now
) -> SyncReport:
    """Bring the rows of one registered source up to date with its files; only changed files are read.

    A folder that is gone or unreadable loses its rows, so that its skills no longer answer, and the report says so;
    what happened to its skills (usage, reliability, taught utterances) is kept for when it comes back. One bad skill
    never hides another. Raises StoreError when the database cannot be written, NotFound for an unregistered source.
    """
    table = SkillTable(db)
    stored = table.stamps(source.id)
    diagnostics: list[Diagnostic] = []
    directories = list(walk_skills(walkable(source), diagnostics))
    stamps = {path_text(directory): (directory, stamp_of(directory)) for directory in directories}
    stale = [new for path, new in stamps.items() if stored.get(path, (0, ""))[1] != new[1]]
    gone = [key for path, (key, _) in stored.items() if path not in stamps]
    if gone and not directories:
        diagnostics.append(_disappeared(source, len(gone)))
    entries = _entries(source, stale, diagnostics)
    done = written = 0
    for batch in _batches(entries, _BATCH):
        with db.write():
            keys = table.put_many(source.id, [entry for entry, _ in batch], now=now())
            _keep_versions(db, source, table.effective(keys), batch, keys=keys, now=now())
        written += len(batch)
        done += len(batch)
        progress(ReindexProgress("files", done, len(stale)))
    if gone:
        table.remove(gone, now=now())
    added = sum(path_text(directory) not in stored for directory, _ in stale)
    return SyncReport(
        source_id=source.id,
        added=added,
        changed=len(stale) - added,
        removed=len(gone),
        unchanged=len(stamps) - len(stale),
        diagnostics=tuple(diagnostics),
    )


def sync_all(db: Database, progress: Progress = no_progress, *, now: Now = utc_now) -> list[SyncReport]:
    """Sync every registered source."""
    return [sync_source(db, source, progress, now=now) for source in SourceTable(db).list()]


def walkable(source: Source | StoredSource) -> Source:
    """Return a source as `walk_skills` takes it; whether the search of a stored one is limited is found out again."""
    if isinstance(source, Source):
        return source
    # a folder that a person named may be a large library; those that are looked for in a home or repo may not
    capped = source.kind in _FOUND_KINDS and is_capped(source.path, vouched=source.vouched)
    return Source(source.id, source.path, source.scope, source.owner, source.rank, source.vouched, capped)


def _entries(
    source: Source | StoredSource, stale: Iterable[tuple[Path, str]], diagnostics: list[Diagnostic]
) -> Iterator[tuple[SkillEntry, SkillBytes]]:
    for directory, stamp in stale:
        try:
            files = read_files(directory, source.path)
        except StoreError as error:
            diagnostics.append(_diagnostic("unreadable", str(error), str(directory)))
            continue
        skill = skill_from_bytes(directory, files, scope=source.scope, owner=source.owner)
        diagnostics.extend(skill.diagnostics)
        yield entry_of(skill, stamp), files


def _keep_versions(
    db: Database,
    source: Source | StoredSource,
    effective: frozenset[int],
    batch: Iterable[tuple[SkillEntry, SkillBytes]],
    *,
    keys: Iterable[int],
    now: datetime,
) -> None:
    """Keep what the files of the skills that count say: also what a person edits by hand can be taken back."""
    found = [
        (entry.skill.id, files)
        for key, (entry, files) in zip(keys, batch, strict=True)
        if key in effective and not files.unsafe
    ]
    VersionTable(db).note_found(source.scope, source.owner, found, now=now)


def _disappeared(source: Source | StoredSource, count: int) -> Diagnostic:
    what = "holds no skills any more" if source.path.is_dir() else "is not there any more"
    message = f"the folder {what}: its {count} skills no longer answer; what was learned of them is kept."
    return _diagnostic("source-gone", message, str(source.path))


def _diagnostic(code: str, message: str, file: str) -> Diagnostic:
    return Diagnostic(severity=Severity.warning, code=code, message=message, file=file)


def _batches(
    entries: Iterable[tuple[SkillEntry, SkillBytes]], size: int
) -> Iterator[list[tuple[SkillEntry, SkillBytes]]]:
    batch: list[tuple[SkillEntry, SkillBytes]] = []
    for entry in entries:
        batch.append(entry)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
