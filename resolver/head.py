"""Trained heads of the partitions that a view is made of: fitted in the background, kept on disk, never waited for.

A head is of one (scope, owner) and of one state of its utterances. When they change, the old head serves until the new
one is fitted; skills that it does not know are ranked by the other features.
"""

from __future__ import annotations

import hashlib
import io
import logging
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellworn.index.encoder import FloatArray
from wellworn.index.partition import Part
from wellworn.index.segment import FIELD_CODES
from wellworn.index.view import View
from wellworn.models.errors import StoreError
from wellworn.models.skill import Scope, UtteranceField
from wellworn.resolver.features import HeadValues
from wellworn.resolver.head_model import Head, char_features, fit_head, log_softmax
from wellworn.store.files import write_whole

log = logging.getLogger(__name__)

INLINE_WORK = 40_000
"""Utterances x skills up to which a head is fitted at once: some tens of milliseconds, so that a process that answers
a single question has one too."""
KEPT = 512
_FORMAT = b"wellworn head 1\n"
_DIGEST = 32
_TAUGHT = [
    FIELD_CODES[field]
    for field in (UtteranceField.alias, UtteranceField.trigger, UtteranceField.example, UtteranceField.learned)
]
_NAME = FIELD_CODES[UtteranceField.name]


class Lessons(NamedTuple):
    """The utterances that a head is fitted to, one per row. state: digest of all of them."""

    vectors: FloatArray
    texts: Sequence[str]
    keys: NDArray[np.int64]
    state: bytes

    @property
    def work(self) -> int:
        return len(self.texts) * len(np.unique(self.keys))


class _Group(NamedTuple):
    """A partition as a view shows it."""

    scope: Scope
    owner: str
    version: int
    parts: tuple[Part, ...]
    bases: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    version: int
    state: bytes
    head: Head | None


@dataclass(frozen=True, slots=True, eq=False)
class Heads:
    """The heads of a view's partitions, each with the parts (and their first refs) that it knows."""

    members: tuple[tuple[Head, tuple[tuple[int, Part], ...]], ...] = ()

    def look(self, text: str, vector: FloatArray) -> Look:
        """Return what the heads say of one message."""
        if not self.members:
            return Look(())
        chars = char_features(text)
        looks = []
        for head, parts in self.members:
            logits = head.logits(vector, chars)
            looks.append((head, parts, log_softmax(logits), float(logits.max() - logits.mean())))
        return Look(tuple(looks))


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What each head says of one message: the log-probabilities of its skills, and the highest logit above the mean."""

    members: tuple[tuple[Head, tuple[tuple[int, Part], ...], FloatArray, float], ...]

    def best(self, k: int) -> list[int]:
        """Return refs of the k most probable live skills of each head, most probable first."""
        found: list[tuple[float, int]] = []
        for head, parts, sure, _ in self.members:
            for at in np.argsort(-sure)[:k].tolist():
                ref = _ref(parts, int(head.keys[at]))
                if ref is not None:
                    found.append((float(sure[at]), ref))
        return [ref for _, ref in sorted(found, key=lambda pair: -pair[0])]

    def of(self, keys: Sequence[int]) -> HeadValues:
        """Return the values of the candidates with these card keys."""
        if not self.members:
            return HeadValues.none(len(keys))
        wanted = np.asarray(keys, dtype=np.int64)
        sure, taught, level = np.full(len(wanted), np.nan), np.zeros(len(wanted)), 0.0
        for head, _, log_probabilities, above in self.members:
            at = np.minimum(np.searchsorted(head.keys, wanted), len(head.keys) - 1)
            known = head.keys[at] == wanted
            sure[known] = log_probabilities[at[known]]
            taught[known] = head.counts.sum() / len(head.counts)
            level = max(level, above)
        return HeadValues(sure, taught, level)


def _ref(parts: tuple[tuple[int, Part], ...], key: int) -> int | None:
    for base, part in parts:
        slot = part.segment.slot_of_key.get(key)
        if slot is not None and part.alive[slot]:
            return base + slot
    return None


class HeadCache:
    """Keeps the heads of the partitions that were asked about last. Thread-safe; use as a context manager or close."""

    def __init__(self, folder: Path) -> None:
        """folder: `<data dir>/heads`; made when there is something to keep."""
        self._folder = folder
        self._entries: OrderedDict[tuple[str, Scope, str], _Entry] = OrderedDict()
        self._queue: OrderedDict[tuple[str, Scope, str], _Group] = OrderedDict()
        self._lock = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    def of(self, view: View, fingerprint: str) -> Heads:
        """Return the heads that are ready; what is missing or out of date is fitted behind the caller's back."""
        members = []
        for group in _groups(view):
            entry = self._entry(group, fingerprint)
            if entry is not None and entry.head is not None:
                members.append((entry.head, tuple(zip(group.bases, group.parts, strict=True))))
        return Heads(tuple(members))

    def fit(self, view: View, fingerprint: str) -> None:
        """Fit what is missing or out of date here and now: for evaluation, or before a server says that it is ready."""
        for group in _groups(view):
            self._refit((fingerprint, group.scope, group.owner), group)

    def close(self) -> None:
        """Stop fitting; what is being fitted is thrown away when done."""
        with self._lock:
            self._closed = True
            self._queue.clear()
            self._lock.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _entry(self, group: _Group, fingerprint: str) -> _Entry | None:
        place = (fingerprint, group.scope, group.owner)
        with self._lock:
            entry = self._entries.get(place)
            if entry is not None:
                self._entries.move_to_end(place)
                if entry.version == group.version:
                    return entry
        if entry is None and _small(group):
            return self._refit(place, group)
        with self._lock:
            if not self._closed:
                self._queue[place] = group
                self._lock.notify_all()
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="wellworn-heads", daemon=True)
                    self._thread.start()
        return entry

    def _run(self) -> None:
        while True:
            with self._lock:
                while not self._queue and not self._closed:
                    self._lock.wait()
                if self._closed:
                    return
                place, group = self._queue.popitem(last=False)
            try:
                self._refit(place, group)
            except Exception:  # a message never fails, nor does the next fit, because learning did
                log.exception("The trained head of %s %s could not be fitted.", group.scope, group.owner)

    def _refit(self, place: tuple[str, Scope, str], group: _Group) -> _Entry:
        lessons = lessons_of(group.parts)
        with self._lock:
            entry = self._entries.get(place)
        if entry is not None and entry.state == lessons.state:
            head = entry.head
        else:
            head = self._stored(place, lessons.state) or self._fitted(place, lessons)
        entry = _Entry(group.version, lessons.state, head)
        with self._lock:
            self._entries[place] = entry
            self._entries.move_to_end(place)
            while len(self._entries) > KEPT:
                self._entries.popitem(last=False)
        return entry

    def _fitted(self, place: tuple[str, Scope, str], lessons: Lessons) -> Head | None:
        head = fit_head(lessons.vectors, lessons.texts, lessons.keys)
        if head is not None:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                write_whole(self._file(place), pack_head(head, lessons.state), sync=False)
            except (OSError, StoreError) as error:
                log.warning("The trained head could not be kept: %s", error)
        return head

    def _stored(self, place: tuple[str, Scope, str], state: bytes) -> Head | None:
        try:
            data = self._file(place).read_bytes()
        except OSError:
            return None
        return unpack_head(data, state)

    def _file(self, place: tuple[str, Scope, str]) -> Path:
        name = hashlib.blake2b("\0".join(place).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return self._folder / f"{name}.head"


def head_of(view: View) -> Heads:
    """Fit heads to a view and keep them nowhere."""
    members = []
    for group in _groups(view):
        lessons = lessons_of(group.parts)
        head = fit_head(lessons.vectors, lessons.texts, lessons.keys)
        if head is not None:
            members.append((head, tuple(zip(group.bases, group.parts, strict=True))))
    return Heads(tuple(members))


def _groups(view: View) -> Iterator[_Group]:
    versions = {(scope, owner): version for scope, owner, version in view.stamp}
    parts: dict[tuple[Scope, str], list[tuple[int, Part]]] = {}
    for base, part in zip(view.bases, view.parts, strict=False):
        card = part.cards[0]
        parts.setdefault((card.scope, card.owner), []).append((base, part))
    for (scope, owner), mine in parts.items():
        bases, own = zip(*mine, strict=True)
        yield _Group(scope, owner, versions[scope, owner], own, bases)


def _small(group: _Group) -> bool:
    rows = sum(int(np.isin(part.segment.rows.fields, _TAUGHT).sum()) for part in group.parts)
    return rows * sum(part.live for part in group.parts) <= INLINE_WORK


def lessons_of(parts: Sequence[Part]) -> Lessons:
    """Collect the examples, aliases, triggers and learned messages of skills that have any, and their names."""
    vectors, texts, keys = [], [], []
    for part in parts:
        rows = part.segment.rows
        live = part.alive[rows.slot_of]
        taught = live & np.isin(rows.fields, _TAUGHT)
        pays = np.zeros(len(part.cards), dtype=np.bool_)
        pays[rows.slot_of[taught]] = True
        chosen = np.flatnonzero(taught | (live & (rows.fields == _NAME) & pays[rows.slot_of]))
        vectors.append(rows.matrix[chosen])
        texts += [rows.texts[at] or "" for at in chosen.tolist()]
        keys += [part.cards[slot].key for slot in rows.slot_of[chosen].tolist()]
    state = hashlib.blake2b(digest_size=_DIGEST)
    for key, text in zip(keys, texts, strict=True):
        state.update(f"{key}\0{text}\0".encode("utf-8", "surrogatepass"))
    matrix = np.concatenate(vectors) if vectors else np.empty((0, 0), dtype=np.float32)
    return Lessons(matrix, texts, np.array(keys, dtype=np.int64), state.digest())


def pack_head(head: Head, state: bytes) -> bytes:
    """Return a head as bytes: a format line, a BLAKE2b checksum of the rest, the state it was fitted to, an .npz."""
    packed = io.BytesIO()
    np.savez(packed, keys=head.keys, counts=head.counts, weights=head.weights, bias=head.bias)
    payload = state + packed.getvalue()
    return _FORMAT + hashlib.blake2b(payload, digest_size=_DIGEST).digest() + payload


def unpack_head(data: bytes, state: bytes) -> Head | None:
    """Return the head, or None when the bytes are damaged, of another format, or fitted to another state."""
    start = len(_FORMAT) + _DIGEST
    checksum, payload = data[len(_FORMAT) : start], data[start:]
    sound = data.startswith(_FORMAT) and hashlib.blake2b(payload, digest_size=_DIGEST).digest() == checksum
    if not sound or payload[:_DIGEST] != state:
        return None
    with np.load(io.BytesIO(payload[_DIGEST:]), allow_pickle=False) as stored:
        return Head(stored["keys"], stored["counts"], stored["weights"], stored["bias"])
