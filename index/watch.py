"""Watches the folders of all sources and brings the index up to date when a file in them changes."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from wellworn.index.catalogue_sync import Now, SyncReport, sync_source, utc_now
from wellworn.index.live import LiveIndex
from wellworn.models.errors import WellwornError
from wellworn.store.database import Database
from wellworn.store.sources import SourceTable, StoredSource

log = logging.getLogger(__name__)

DEBOUNCE_MS = 300
LOOK_MS = 1_000
"""How often it looks for folders that have appeared or gone, and for sources registered since."""
POLLING_MS = 2_000

Synced = Callable[[SyncReport], None]


class SkillWatcher:
    """A thread over all registered sources, also those whose folders do not exist yet.

    synced: told of every sync that changed something. Errors are logged and never end the thread.
    """

    def __init__(
        self, db: Database, live: LiveIndex, *, synced: Synced = lambda report: None, now: Now = utc_now
    ) -> None:
        self._db = db
        self._live = live
        self._synced = synced
        self._now = now
        self._stop = threading.Event()
        self._polling = False
        self._missed = False  # something may have changed while nothing was watched
        self._thread = threading.Thread(target=self._run, name="wellworn-watch", daemon=True)

    def start(self) -> None:
        """Start watching; files that changed before are not read (see `sync_all`)."""
        self._thread.start()

    def close(self) -> None:
        """Stop and wait for the thread; closing twice, or before starting, is fine."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def __enter__(self) -> SkillWatcher:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        known = _present(self._sources())
        while not self._stop.is_set():
            try:
                if self._missed:
                    self._sync(self._sources())
                    self._missed = False
                known = self._watch_until_roots_change(known)
            except (OSError, RuntimeError) as error:
                # too many folders for the kernel's limit of watches, or a name that is not UTF-8 (watchfiles raises a
                # RuntimeError for it): looking at them regularly still works
                self._poll_from_now_on(error)
            except Exception:  # the thread must outlive whatever a library raises for one odd folder
                log.exception("Watching the skill folders failed; it is started again.")
                self._stop.wait(LOOK_MS / 1000)

    def _poll_from_now_on(self, error: Exception) -> None:
        """Say so once: polling ends as well when a file below a folder with such a name changes, and starts again."""
        if not self._polling:
            log.warning("Watching the skill folders failed (%s); they are polled instead.", error)
            self._polling = True
        self._stop.wait(LOOK_MS / 1000)
        self._missed = True

    def _watch_until_roots_change(self, known: dict[str, Path]) -> dict[str, Path]:
        """Watch these folders until others are there to be watched; sync those that came or went and return them."""
        from watchfiles import watch  # noqa: PLC0415  only a serving process needs it

        if known:
            for changes in watch(
                *known.values(), stop_event=self._stop, debounce=DEBOUNCE_MS, rust_timeout=LOOK_MS,
                yield_on_timeout=True, raise_interrupt=False, ignore_permission_denied=True,
                force_polling=self._polling or None, poll_delay_ms=POLLING_MS,
            ):  # fmt: skip
                if changes:
                    self._sync(_touched(self._sources(), (path for _, path in changes)))
                if _present(self._sources()) != known:
                    break
        else:
            self._stop.wait(LOOK_MS / 1000)
        sources = self._sources()
        present = _present(sources)
        differing = {source for source in {*known, *present} if known.get(source) != present.get(source)}
        self._sync([source for source in sources if source.id in differing])
        return present

    def _sources(self) -> list[StoredSource]:
        return [] if self._stop.is_set() else SourceTable(self._db).list()

    def _sync(self, sources: Iterable[StoredSource]) -> None:
        changed = False
        for source in sources:
            try:
                report = sync_source(self._db, source, now=self._now)
            except WellwornError as error:
                log.warning("Reading %s failed: %s", source.path, error)
                continue
            changed = changed or bool(report.touched)
            if report.touched:
                self._synced(report)
        if changed:
            self._live.refresh()


def _present(sources: Iterable[StoredSource]) -> dict[str, Path]:
    return {source.id: source.path for source in sources if source.path.is_dir()}


def _touched(sources: Sequence[StoredSource], paths: Iterable[str]) -> list[StoredSource]:
    """Return the sources that these paths lie in; all of them when a path cannot be placed (behind a link, say)."""
    roots = [(source, {str(source.path), os.path.realpath(source.path)}) for source in sources]
    touched: dict[str, StoredSource] = {}
    for path in paths:
        owners = [source for source, places in roots if any(_within(path, place) for place in places)]
        if not owners:
            return list(sources)
        touched.update((source.id, source) for source in owners)
    return list(touched.values())


def _within(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)
