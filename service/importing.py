"""Brings in what people already have: files are read one after the other, and their events kept in batches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from pydantic import Field

from wellworn.lifecycle.importers import SkippedLine, import_file
from wellworn.models.errors import InvalidInput, NotAllowed, TooLarge, WellwornError
from wellworn.models.reports import Progress, ShowProgress, Skipped, no_progress
from wellworn.models.trace import TraceAnswer, TraceEvent
from wellworn.models.wire import Wire

BATCH = 500
_PLACE = re.compile(r"events\[(\d+)\]")

Keep = Callable[[Sequence[TraceEvent]], TraceAnswer]


class TraceImport(Wire):
    """What became of an import. skipped: `file:line` and why. A dry run counts what it would send as imported."""

    files: int = 0
    imported: int = 0
    duplicates: int = 0
    redacted: int = 0
    skipped: list[Skipped] = Field(default_factory=list)


def import_paths(
    paths: Sequence[Path],
    keep: Keep | None,
    *,
    format: str | None = None,
    repo: str | None = None,
    session: str | None = None,
    progress: ShowProgress = no_progress,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> TraceImport:
    """Import files, and of folders all files in them. keep: stores a batch; None counts only.

    What cannot be read or kept is skipped, with where and why. Raises InvalidInput for a path that is not there or an
    unknown format, and what `keep` raises when nothing can be kept at all.
    """
    files = [file for path in paths for file in _files(path)]
    total = _Total(keep)
    for at, file in enumerate(files):
        progress(Progress("Importing", at, len(files)))
        found = import_file(file, format=format, session=session, repo=repo, now=clock())
        while some := list(islice(found, BATCH)):
            for one in some:
                if isinstance(one, SkippedLine):
                    total.skip(one.file, one.line, one.why)
            total.keep(str(file), [one for one in some if isinstance(one, TraceEvent)])
    progress(Progress("Importing", len(files), len(files)))
    return total.report(len(files))


def _files(path: Path) -> Iterator[Path]:
    if not path.exists():
        raise InvalidInput(f"There is no {path}.", hint="Check the path.", field="path")
    if path.is_dir():
        yield from sorted(file for file in path.rglob("*") if file.is_file())
    else:
        yield path


class _Total:
    """Counts while it keeps."""

    def __init__(self, keep: Keep | None) -> None:
        self._keep = keep
        self._imported = self._duplicates = self._redacted = 0
        self._skipped: list[Skipped] = []

    def report(self, files: int) -> TraceImport:
        return TraceImport(
            files=files,
            imported=self._imported,
            duplicates=self._duplicates,
            redacted=self._redacted,
            skipped=self._skipped,
        )

    def skip(self, file: str, line: int | None, why: str) -> None:
        self._skipped.append(Skipped(path=file if line is None else f"{file}:{line}", why=why))

    def keep(self, file: str, events: list[TraceEvent]) -> None:
        """Keep a batch. An event that is refused is skipped, and the rest kept; too much at once is halved."""
        while events:
            try:
                self._send(events)
            except TooLarge as error:
                if len(events) == 1:
                    self.skip(file, None, error.message)
                    return
                self.keep(file, events[: len(events) // 2])
                events = events[len(events) // 2 :]
            except (InvalidInput, NotAllowed) as error:
                refused = _place(error)
                if refused is None or refused >= len(events):
                    raise
                self.skip(file, None, f"event {events[refused].id}: {error.message}")
                events = events[:refused] + events[refused + 1 :]
            else:
                return

    def _send(self, events: list[TraceEvent]) -> None:
        if self._keep is None:
            self._imported += len(events)
            return
        answer = self._keep(events)
        self._imported += answer.accepted
        self._duplicates += answer.duplicates
        self._redacted += answer.redacted


def _place(error: WellwornError) -> int | None:
    found = _PLACE.match(error.field or "")
    return int(found[1]) if found else None
