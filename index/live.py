"""LiveIndex: the index of a running process. It follows the store, embeds what is new, and tidies up behind requests.

Readers take `snapshot` once and are never blocked. Writers (refresh, filling, merging) replace it under one lock;
embedding, merging and training happen outside of that lock.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from wellworn.index.catalogue_sync import sync_all
from wellworn.index.embedding import BATCH_TEXTS, Embedded, Stopped, embed_missing
from wellworn.index.encoder import Encoder
from wellworn.index.loading import collector_paused, preloaded_lookup, stored_lookup
from wellworn.index.partition import Partition, merged_segment, swapped, with_approximate
from wellworn.index.rebuild import embed_all, report_of, status_of
from wellworn.index.rows import pin_threads
from wellworn.index.snapshot import IndexSnapshot, PartitionKey
from wellworn.index.status import IndexStatus, Progress, ReindexProgress, ReindexReport, no_progress
from wellworn.index.store_reader import LOAD_SKILLS, StoreReader
from wellworn.models.errors import EncoderUnavailable, Unavailable, WellwornError
from wellworn.store.changes import Change, ChangeKind
from wellworn.store.database import Database
from wellworn.store.vectors import VectorStore

log = logging.getLogger(__name__)

POLL_SECONDS = 0.2
INLINE_TEXTS = 64
"""Up to this many new texts are embedded while a change is applied; more are embedded in the background."""
FILL_SKILLS = 1024
FILL_PARTS = 12
"""While much is being embedded, segments are merged only when there are more: merging costs what is there already."""
EMBED_AT_ONCE = 2
"""Batches that are encoded side by side by a process that serves nobody meanwhile."""
RETRY_SECONDS = 5.0


class LiveIndex:
    """Serves snapshots of the index of one database.

    Use as a context manager or call `close`; without `start` it works on request only, as a CLI does.
    """

    def __init__(self, db: Database, folder: Path, encoder: Encoder) -> None:
        """Load everything that is stored. Raises StoreError when the store cannot be used.

        folder: `<data dir>/vectors`. Skills whose vectors are missing are found by their words and exact names until
        `fill` (or the background thread) has embedded them.
        """
        pin_threads()
        self._reader = StoreReader(db)
        self._db = db
        self._folder = folder
        self._backing = _Backing(encoder, VectorStore(folder, encoder.fingerprint, encoder.dim))
        self._stores = [self._backing.vectors]
        self._lock = threading.RLock()
        self._rebuilding = threading.Lock()
        self._stop = threading.Event()
        self._work = threading.Event()
        self._work.set()
        self._threads: list[threading.Thread] = []
        self._last_reindex: ReindexReport | None = None
        self._trouble: dict[str, str] = {}
        try:
            self._snapshot = self._loaded(self._backing)
        except BaseException:
            self._backing.vectors.close()
            raise

    @property
    def snapshot(self) -> IndexSnapshot:
        """The index at this moment; immutable."""
        return self._snapshot

    def status(self) -> IndexStatus:
        """Return counts and problems. Looks at every skill: for people, not for the hot path."""
        problems = list(dict.fromkeys([*self._backing.vectors.problems, *self._trouble.values()]))
        return status_of(self._snapshot, problems, self._last_reindex, reindexing=self._rebuilding.locked())

    # -- following the store ---------------------------------------------------------------------------------------

    def refresh(self) -> bool:
        """Apply what was written since, by this process or another; return whether there was anything.

        After it, everything that was committed before the call is in `snapshot`; when a change brings more than
        INLINE_TEXTS new texts, they are embedded later (see `fill`). Not to be called inside `Database.write()`: what
        is rolled back would stay in the index. Raises StoreError, Unavailable.
        """
        with self._lock:
            changes = self._reader.table.changes_since(self._snapshot.seq)
            if changes is None:
                self._swap(self._loaded(self._backing))
            elif changes:
                self._apply(changes)
        if changes is None or changes:
            self._work.set()
        return changes is None or bool(changes)

    def _apply(self, changes: Sequence[Change]) -> None:
        partitions = dict(self._snapshot.partitions)
        for key, todo in _folded(changes).items():
            partitions[key] = self._updated(partitions.get(key) or Partition(*key), todo)
        self._replace(partitions, seq=changes[-1].seq)

    def _updated(self, partition: Partition, todo: _Todo) -> Partition:
        key = (partition.scope, partition.owner)
        if len(todo.upserts) > LOAD_SKILLS:
            return self._reader.partition(partition, preloaded_lookup(self._backing.vectors))
        if todo.upserts:
            partition = self._upserted(partition, todo.upserts)
        if todo.deletes:
            partition = partition.removed(todo.deletes)
        if todo.stats:
            partition = partition.restated(self._reader.table.cards(*key, todo.stats))
        return partition

    def _upserted(self, partition: Partition, keys: Iterable[int]) -> Partition:
        """Load some skills again, few new texts being embedded at once; those that are not effective any more go."""
        wanted, key, lookup = set(keys), (partition.scope, partition.owner), stored_lookup(self._backing.vectors)
        loaded = self._reader.columns(key, wanted, lookup)
        if 0 < len(loaded.missing) <= INLINE_TEXTS and self._embed(loaded.missing):
            loaded = self._reader.columns(key, wanted, lookup)
        vanished = wanted - {card.key for card in loaded.columns.cards}
        if vanished:
            partition = partition.removed(vanished)
        return partition.upserted(loaded.columns)

    def _embed(self, texts: Mapping[bytes, str]) -> bool:
        """Embed texts at once; False when the encoder does not answer (the background thread tries again)."""
        try:
            self._backing.embed(texts)
        except EncoderUnavailable as error:
            self._trouble["encoder"] = str(error)
            return False
        self._trouble.pop("encoder", None)
        return True

    # -- snapshots -------------------------------------------------------------------------------------------------

    def _loaded(self, backing: _Backing, *, approximate: bool = False) -> IndexSnapshot:
        seq = self._reader.table.last_seq()  # first: what changes while loading is applied again, which is harmless
        with collector_paused():
            partitions = self._reader.partitions(preloaded_lookup(backing.vectors), approximate=approximate)
        return IndexSnapshot(backing.encoder, seq=seq, partitions=MappingProxyType(partitions))

    def _replace(self, partitions: Mapping[PartitionKey, Partition], *, seq: int | None = None) -> None:
        kept = MappingProxyType({key: one for key, one in partitions.items() if one.parts})
        self._swap(replace(self._snapshot, partitions=kept, seq=self._snapshot.seq if seq is None else seq))

    def _swap(self, snapshot: IndexSnapshot) -> None:
        self._snapshot = replace(snapshot, generation=self._snapshot.generation + 1)

    # -- embedding what is missing ---------------------------------------------------------------------------------

    def fill(self, done: Embedded = lambda count: None) -> int:
        """Embed all texts that lack a vector and make them searchable, some skills at a time; return how many.

        Raises EncoderUnavailable, StoreError, Stopped (closed meanwhile); what was embedded until then is kept.
        """
        tried: set[tuple[PartitionKey, int]] = set()
        embedded = 0
        while batch := self._next_incomplete(tried):
            key, keys = batch
            tried.update((key, one) for one in keys)
            texts = {row.hash: row.text for row in self._reader.utterances(key, keys)}
            at_once = 1 if self._threads else EMBED_AT_ONCE
            embedded += embed_missing(*self._backing, texts, self._stop, done, at_once=at_once)
            self._reload(key, keys)
            if any(len(one.parts) > FILL_PARTS for one in self._snapshot.partitions.values()):
                self.tidy()
        if tried:
            self.tidy()
        self._trouble.pop("encoder", None)
        return embedded

    def ensure(self, key: PartitionKey, keys: Sequence[int]) -> None:
        """Make these stored skills wholly searchable before returning, whatever else waits to be embedded.

        Raises EncoderUnavailable, StoreError.
        """
        self.refresh()
        texts = {row.hash: row.text for row in self._reader.utterances(key, keys)}
        backing = self._backing
        stored = backing.vectors.get_many(list(texts))
        wanted = [digest for digest in texts if digest not in stored]
        for start in range(0, len(wanted), BATCH_TEXTS):
            backing.embed({digest: texts[digest] for digest in wanted[start : start + BATCH_TEXTS]})
        partition = self._snapshot.partitions.get(key)
        incomplete = set(partition.keys_incomplete()) if partition else set()
        if not incomplete.isdisjoint(keys):
            self._reload(key, keys)

    def _next_incomplete(self, tried: set[tuple[PartitionKey, int]]) -> tuple[PartitionKey, list[int]] | None:
        for key, partition in self._snapshot.partitions.items():
            keys = [one for one in partition.keys_incomplete() if (key, one) not in tried]
            if keys:
                return key, keys[:FILL_SKILLS]
        return None

    def _reload(self, key: PartitionKey, keys: Sequence[int]) -> None:
        with self._lock:
            partition = self._snapshot.partitions.get(key)
            if partition is not None:
                self._replace({**self._snapshot.partitions, key: self._upserted(partition, keys)})

    # -- merging ---------------------------------------------------------------------------------------------------

    def tidy(self) -> int:
        """Merge segments where there are many or many dead slots, and train approximate indexes.

        Requests go on meanwhile. Returns how many segments were built.
        """
        built = 0
        for key in list(self._snapshot.partitions):
            while not self._stop.is_set() and self._tidy_once(key):
                built += 1
        return built

    def _tidy_once(self, key: PartitionKey) -> bool:
        partition = self._snapshot.partitions.get(key)
        if partition is None:
            return False
        old = partition.merge_plan()
        if old:
            segment = merged_segment(old)
        else:
            old = tuple(part for part in partition.parts if part.segment.wants_approximate)[:1]
            if not old:
                return False
            segment = with_approximate(old[0].segment)
        with self._lock:
            current = self._snapshot.partitions.get(key)
            if current is None:
                return False
            self._replace({**self._snapshot.partitions, key: swapped(current, old, segment)})
        return True

    # -- rebuilding ------------------------------------------------------------------------------------------------

    def reindex(self, progress: Progress = no_progress, *, sync: bool = True) -> ReindexReport:
        """Read changed files (with `sync`), check all stored vectors, embed what is missing, build everything anew.

        The index serves all the while. Killed at any moment, it goes on where it stopped when it is run again. Raises
        Unavailable when one is running, EncoderUnavailable, StoreError.
        """
        return self._rebuild(self._backing.encoder, progress, sync=sync)

    def switch_encoder(self, encoder: Encoder, progress: Progress = no_progress) -> ReindexReport:
        """Embed everything with another encoder beside the old generation, which serves until the new is complete.

        Raises as `reindex` does; the old generation then stays.
        """
        return self._rebuild(encoder, progress, sync=False)

    def _rebuild(self, encoder: Encoder, progress: Progress, *, sync: bool) -> ReindexReport:
        if not self._rebuilding.acquire(blocking=False):
            raise Unavailable("A reindex is running already.", hint="Wait until it is done.")
        try:
            started = time.monotonic()
            reports = sync_all(self._db, progress) if sync else []
            same = encoder.fingerprint == self._snapshot.fingerprint
            backing = self._backing if same else self._opened(encoder)
            embedding = embed_all(self._reader, *backing, self._stop, progress)
            progress(ReindexProgress("build", 0, 1))
            snapshot = self._loaded(backing, approximate=True)
            with self._lock:
                self._backing = backing
                self._swap(snapshot)
                self.refresh()
            backing.vectors.drop_unused(embedding.hashes)
            progress(ReindexProgress("build", 1, 1))
            self._last_reindex = report_of(self._snapshot, embedding, reports, time.monotonic() - started)
            return self._last_reindex
        finally:
            self._rebuilding.release()

    def _opened(self, encoder: Encoder) -> _Backing:
        # the former store stays open: a background step may still be using it
        self._stores.append(VectorStore(self._folder, encoder.fingerprint, encoder.dim))
        return _Backing(encoder, self._stores[-1])

    # -- threads ---------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start following other processes' changes (within 200 ms) and tidying up, in two daemon threads."""
        if not self._threads:
            self._threads = [
                threading.Thread(target=self._follow, name="wellworn-index-follow", daemon=True),
                threading.Thread(target=self._fill_and_tidy, name="wellworn-index-fill", daemon=True),
            ]
            for thread in self._threads:
                thread.start()

    def close(self) -> None:
        """Stop the threads and close the vector file; closing twice is fine. The last snapshot stays usable."""
        self._stop.set()
        self._work.set()
        for thread in self._threads:
            thread.join()
        self._threads = []
        for store in self._stores:
            store.close()

    def __enter__(self) -> LiveIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _follow(self) -> None:
        while not self._stop.wait(POLL_SECONDS):
            self._guarded("store", self.refresh)

    def _fill_and_tidy(self) -> None:
        while not self._stop.is_set():
            self._work.wait()
            self._work.clear()
            if self._stop.is_set():
                return
            worked = self._guarded("background", self.fill) and self._guarded("background", self.tidy)
            if not worked and not self._stop.wait(RETRY_SECONDS):
                self._work.set()

    def _guarded(self, what: str, action: Callable[[], object]) -> bool:
        """Run a step of a background thread; a failure is logged, shown by `status`, and tried again later."""
        try:
            action()
        except Stopped:
            return True
        except WellwornError as error:
            if self._trouble.get(what) != str(error):
                log.warning("The index's background work failed and is tried again: %s", error)
            self._trouble[what] = str(error)
            return False
        except Exception as error:  # a background thread must outlive whatever one round of its work met
            log.exception("The index's background work failed and is tried again.")
            self._trouble[what] = f"The index's background work failed ({error}); see the log."
            return False
        self._trouble.pop(what, None)
        return True


class _Backing(NamedTuple):
    """An encoder and the store of its vectors: always replaced together, so that neither meets another's vectors."""

    encoder: Encoder
    vectors: VectorStore

    def embed(self, texts: Mapping[bytes, str]) -> None:
        """Embed and store some texts, by hash."""
        self.vectors.put_many(list(texts), self.encoder.encode(list(texts.values())))


@dataclass(frozen=True, slots=True)
class _Todo:
    """The net effect of some changes on one partition: keys to load again, to drop, and to restate."""

    upserts: set[int]
    deletes: set[int]
    stats: set[int]


def _folded(changes: Iterable[Change]) -> dict[PartitionKey, _Todo]:
    todo: dict[PartitionKey, _Todo] = defaultdict(lambda: _Todo(set(), set(), set()))
    for change in changes:
        one, key = todo[change.scope, change.owner], change.skill_key
        match change.kind:
            case ChangeKind.upsert:
                one.upserts.add(key)
                one.deletes.discard(key)
            case ChangeKind.delete:
                one.deletes.add(key)
                one.upserts.discard(key)
            case ChangeKind.stats:
                one.stats.add(key)
    return {key: replace(one, stats=one.stats - one.upserts - one.deletes) for key, one in todo.items()}
