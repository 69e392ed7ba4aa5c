"""`wellworn calibrate`: labelled feedback asked again of the skills as they are now, then refitted and kept, or not."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from wellworn.index.encoder import Encoder
from wellworn.index.live import LiveIndex
from wellworn.lifecycle.calibrate import ENOUGH, Judgement, Label, Refit, chosen, refit
from wellworn.models.access import ROLE_RANK, Role
from wellworn.models.errors import StoreError
from wellworn.models.reports import CalibrationReport, Progress, ShowProgress
from wellworn.models.resolution import Context, ResolveRequest
from wellworn.resolver.calibration import Calibration
from wellworn.resolver.pipeline import Resolver
from wellworn.service.records import owners_of
from wellworn.service.settings import Settings
from wellworn.store.database import Database
from wellworn.store.feedback import FeedbackRow, FeedbackTable
from wellworn.store.files import write_whole
from wellworn.store.keys import KeyTable


def reset_calibration(settings: Settings) -> CalibrationReport:
    """Go back to the confidences that ship. Raises StoreError."""
    path = settings.calibration_path
    there = path.exists()
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{path} cannot be removed: {error.strerror}.", hint="Remove it by hand.") from error
    note = "Back to the confidences that ship." if there else "There was no calibration of your own; nothing to reset."
    return CalibrationReport(messages=0, held_out=0, kept=False, note=note)


def recalibrate(
    settings: Settings,
    database: Database,
    open_encoder: Callable[[], Encoder],
    *,
    now: datetime,
    progress: ShowProgress,
) -> CalibrationReport:
    """Fit on the feedback that says what was meant; write `calibration.json` when that did better on newer messages.

    The messages are ranked by an index without anything that feedback taught: with it, every one of them would be
    found in its own words. Raises EncoderUnavailable, StoreError.
    """
    rows = _fitted_on(database)
    if len(rows) < ENOUGH:
        return _nothing(len(rows), f"Only {len(rows)} messages of feedback by persons say what was meant")
    encoder = open_encoder()
    with _without_lessons(settings, database, encoder) as (resolver, index):
        judgements = list(_judged(rows, resolver, index, progress))
        parameters = resolver.parameters_name(encoder.fingerprint)
    if len(judgements) < ENOUGH:
        return _nothing(len(judgements), f"Only {len(judgements)} messages by persons are about present skills")
    done = refit(judgements)
    if done.better:
        found = Calibration(
            fingerprint=encoder.fingerprint,
            parameters=parameters,
            scale=done.scale,
            outside_shift=done.outside_shift,
            messages=len(judgements),
            held_out_log_loss=done.log_loss_after,
            fitted_at=now,
        )
        write_whole(settings.calibration_path, found.model_dump_json(by_alias=True, indent=2).encode("utf-8") + b"\n")
    return _report(done, len(judgements), settings.calibration_path)


def _fitted_on(database: Database) -> list[FeedbackRow]:
    """Return the labelled feedback that counts: that of persons, none of whom may outweigh the others."""
    persons = {key.id for key in KeyTable(database).list() if ROLE_RANK[key.role] >= ROLE_RANK[Role.reviewer]}
    rows = list(FeedbackTable(database).labelled())
    labels = [Label(row.key_id, row.key_id is None or row.key_id in persons, row.message) for row in rows]
    return [rows[place] for place in chosen(labels)]


@contextmanager
def _without_lessons(settings: Settings, database: Database, encoder: Encoder) -> Iterator[tuple[Resolver, LiveIndex]]:
    """A throw-away copy of the store, with the vectors that are stored already."""
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="wellworn-calibrate-")))
        database.copy_to(folder / "wellworn.db")
        copy = opened.enter_context(Database(folder / "wellworn.db"))
        FeedbackTable(copy).forget_everything()
        index = opened.enter_context(LiveIndex(copy, settings.vectors_dir, encoder))
        index.fill()
        resolver = opened.enter_context(Resolver.open(encoder, folder / "heads", parameters=settings.parameters))
        yield resolver, index


def _judged(
    rows: Sequence[FeedbackRow], resolver: Resolver, index: LiveIndex, progress: ShowProgress
) -> Iterator[Judgement]:
    trained: set[tuple[object, ...]] = set()
    for number, row in enumerate(rows, start=1):
        owners = tuple(owners_of(row))
        if owners not in trained:
            resolver.fit_head(index.snapshot, owners)
            trained.add(owners)
        judgement = _judge(row, resolver, index)
        if judgement is not None:
            yield judgement
        progress(Progress("Asking again", number, len(rows)))


def _judge(row: FeedbackRow, resolver: Resolver, index: LiveIndex) -> Judgement | None:
    """Return None when the skill that was meant is not there any more, or nothing at all is near the message."""
    try:
        request = ResolveRequest(message=row.message, context=Context.model_validate(row.context))
    except ValidationError:  # recorded by a version that knew other fields
        return None
    owners = tuple(owners_of(row))
    if row.expected is not None and not index.snapshot.view(owners).by_id(row.expected):
        return None
    question = resolver.prepare(request, index.snapshot, owners)
    judged = resolver.rank(question, question.encode(), now=row.created_at)
    if not len(judged.ranking.scores):
        return None
    ids = {one.card.id: place for one, place in zip(judged.ranked, judged.places, strict=True)}
    meant = None if row.expected is None else ids.get(row.expected)
    return Judgement(judged.ranking.scores, judged.ranking.outside_score, meant)


def _nothing(messages: int, why: str) -> CalibrationReport:
    note = f"{why}, and at least {ENOUGH} are needed; nothing was changed. `wellworn feedback` adds to them."
    return CalibrationReport(messages=messages, held_out=0, kept=False, note=note)


def _report(done: Refit, messages: int, path: Path) -> CalibrationReport:
    losses = f"log loss {done.log_loss_before:.3f} -> {done.log_loss_after:.3f} on the newest {done.held_out} messages"
    if done.better:
        note = f"Kept: {losses} of {messages}. A running service takes it up within a second."
    else:
        note = f"Not kept, because it would not be better: {losses} of {messages}. Nothing was changed."
    return CalibrationReport(
        messages=messages,
        held_out=done.held_out,
        log_loss_before=done.log_loss_before,
        log_loss_after=done.log_loss_after,
        ece_before=done.ece_before,
        ece_after=done.ece_after,
        kept=done.better,
        path=str(path) if done.better else None,
        note=note,
    )
