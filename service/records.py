"""Between what the store keeps and what the ways in show: records of resolutions, feedback and taught utterances."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from wellworn.lifecycle.feedback import Target, Teaching, expected_skill
from wellworn.models.access import Caller
from wellworn.models.ids import new_id
from wellworn.models.resolution import FeedbackRequest, IntentResolution, RecordedResolution, TaughtUtterance
from wellworn.models.skill import Scope
from wellworn.service.places import Owner, Place, session_owner
from wellworn.store.feedback import FeedbackRow, TaughtRow
from wellworn.store.redact import redact, redact_value
from wellworn.store.resolutions import ResolutionRow

if TYPE_CHECKING:
    from wellworn.resolver.pipeline import Question

MESSAGE_CHARS = 2000
_SCANNED_CHARS = 50_000


def record_of(
    question: Question, place: Place, resolution: IntentResolution, caller: Caller, now: datetime
) -> ResolutionRow:
    """What is kept of an answered message: redacted first, then cut; explanations are not kept."""
    return ResolutionRow(
        ts=now,
        message=redacted(question.request.message),
        resolution=resolution if resolution.contributions is None else _without_explanation(resolution),
        context=_redacted_context(question),
        user=place.user,
        repo=place.repo,
        session_id=place.session_id,
        key_id=caller.key_id,
    )


def _without_explanation(resolution: IntentResolution) -> IntentResolution:
    return resolution.model_copy(update={"contributions": None})


def redacted(text: str) -> str:
    """Take secrets out of a text, then cut it to what is kept."""
    return redact(text[:_SCANNED_CHARS])[:MESSAGE_CHARS]


def _redacted_context(question: Question) -> dict[str, Any]:
    context = question.request.context
    if not context.model_fields_set:
        return {}
    stated = context.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude={"recent_traces"})
    return {key: redacted(value) if isinstance(value, str) else redact_value(value) for key, value in stated.items()}


def recorded_view(row: ResolutionRow) -> RecordedResolution:
    """Return a record as the API shows it."""
    return RecordedResolution(
        resolution_id=row.id,
        ts=row.ts,
        message=row.message,
        user=row.user,
        repo=row.repo,
        session_id=row.session_id,
        resolution=row.resolution,
    )


def owners_of(row: ResolutionRow | FeedbackRow) -> list[Owner]:
    """Return the partitions that the recorded request could see, narrowest first."""
    owners: list[Owner] = []
    if row.session_id and row.user:
        owners.append((Scope.session, session_owner(row.user, row.session_id)))
    if row.repo:
        owners.append((Scope.repo, row.repo))
    if row.user:
        owners.append((Scope.user, row.user))
    return owners


def answered_target(row: ResolutionRow) -> Target | None:
    """Return the skill that a recorded resolution named, if any."""
    resolution = row.resolution
    if resolution.skill_id is None or resolution.scope is None:
        return None
    owner = next((owner for scope, owner in owners_of(row) if scope is resolution.scope), None)
    return None if owner is None else Target(resolution.skill_id, resolution.scope, owner)


def feedback_row(request: FeedbackRequest, row: ResolutionRow, caller: Caller, now: datetime) -> FeedbackRow:
    """Return what is kept of a verdict."""
    return FeedbackRow(
        id=new_id(),
        resolution_id=row.id,
        verdict=request.verdict,
        answered=row.resolution.skill_id,
        expected=expected_skill(request, row.resolution),
        message=row.message,
        created_at=now,
        context=row.context,
        note=None if request.note is None else redacted(request.note),
        user=row.user,
        repo=row.repo,
        session_id=row.session_id,
        key_id=caller.key_id,
    )


def taught_row(lesson: Teaching, text: str, given: FeedbackRow) -> TaughtRow:
    """Return one utterance that a verdict taught."""
    return TaughtRow(
        id=new_id(),
        scope=lesson.target.scope,
        owner=lesson.target.owner,
        skill_id=lesson.target.skill_id,
        field=lesson.field,
        text=text,
        created_at=given.created_at,
        feedback_id=given.id,
        key_id=given.key_id,
    )


def taught_view(row: TaughtRow) -> TaughtUtterance:
    """Return a taught utterance as the API shows it."""
    return TaughtUtterance(
        id=row.id,
        skill_id=row.skill_id,
        scope=row.scope,
        field=row.field.value,
        text=row.text,
        key_id=row.key_id,
        taught_at=row.created_at,
    )
