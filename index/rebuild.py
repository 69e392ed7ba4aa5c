"""Embedding everything that lacks a vector, and the report of a reindex."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wellworn.index.catalogue_sync import SyncReport
from wellworn.index.embedding import embed_missing
from wellworn.index.encoder import Encoder
from wellworn.index.snapshot import IndexSnapshot
from wellworn.index.status import IndexStatus, Progress, ReindexProgress, ReindexReport
from wellworn.index.store_reader import StoreReader
from wellworn.models.skill import Severity, SkillCard
from wellworn.store.vectors import VectorStore


@dataclass(frozen=True, slots=True)
class Embedding:
    """embedded: how many texts were; hashes: of all texts that have a vector now."""

    embedded: int
    hashes: set[bytes]


def embed_all(
    reader: StoreReader, encoder: Encoder, vectors: VectorStore, stop: threading.Event, progress: Progress
) -> Embedding:
    """Embed the texts of all matchable skills that lack a sound vector; every stored vector is checked.

    Raises EncoderUnavailable, StoreError, Stopped; each stored batch is kept.
    """
    known = set(vectors.load_all()[0])  # reading them drops damaged ones, which then count as missing
    wanted: set[bytes] = set()
    lacking = []
    for key, keys in reader.matchable():
        hashes = {row.hash for row in reader.utterances(key, keys)}
        missing = hashes - known - wanted
        wanted |= hashes
        if missing:
            lacking.append((key, keys, len(missing)))
    total, embedded = sum(count for _, _, count in lacking), 0

    def done(count: int) -> None:
        nonlocal embedded
        embedded += count
        progress(ReindexProgress("embed", embedded, total))

    progress(ReindexProgress("embed", 0, total))
    for key, keys, _ in lacking:
        texts = {row.hash: row.text for row in reader.utterances(key, keys) if row.hash not in known}
        embed_missing(encoder, vectors, texts, stop, done)
    return Embedding(embedded, wanted)


def report_of(
    snapshot: IndexSnapshot, embedding: Embedding, reports: Iterable[SyncReport], seconds: float
) -> ReindexReport:
    """Say what a reindex did."""
    cards = snapshot.cards()
    return ReindexReport(
        skills=sum(card.matchable for card in cards),
        utterances=snapshot.vectors,
        embedded=embedding.embedded,
        reused=max(len(embedding.hashes) - embedding.embedded, 0),
        skipped=(*_skipped_files(reports), *((card.id, _why_not(card)) for card in cards if not card.matchable)),
        seconds=seconds,
    )


def status_of(
    snapshot: IndexSnapshot, problems: Sequence[str], last: ReindexReport | None, *, reindexing: bool
) -> IndexStatus:
    """Describe a snapshot. Looks at every skill."""
    cards = snapshot.cards()
    matchable = sum(card.matchable for card in cards)
    pending = sum(len(partition.keys_incomplete()) for partition in snapshot.partitions.values())
    healthy = snapshot.vectors > 0 or matchable == 0
    told = list(problems)
    if pending:
        told.append(f"{pending} skills are not embedded yet; until then they are found by their words only.")
    if not healthy:
        told.append("There are skills but no vectors: run a reindex.")
    return IndexStatus(
        generation=snapshot.generation,
        encoder=snapshot.encoder.name,
        fingerprint=snapshot.fingerprint,
        partitions=len(snapshot.partitions),
        skills=len(cards),
        matchable=matchable,
        vectors=snapshot.vectors,
        segments=sum(len(partition.parts) for partition in snapshot.partitions.values()),
        pending=pending,
        healthy=healthy,
        problems=tuple(told),
        reindexing=reindexing,
        last_reindex=last,
    )


def _why_not(card: SkillCard) -> str:
    if not card.invocable:
        return "its safety fields could not be read, so it is listed but never matched"
    return f"its trust is {card.trust}"


def _skipped_files(reports: Iterable[SyncReport]) -> list[tuple[str, str]]:
    return [
        (one.file, one.message)
        for report in reports
        for one in report.diagnostics
        if one.severity is Severity.error or one.code in {"source-gone", "unreadable"}
    ]
