"""Times as the database keeps them: UTC, ISO 8601, microseconds, so that text order is time order."""

from __future__ import annotations

from datetime import UTC, datetime


def to_text(moment: datetime) -> str:
    """Return `moment` as 32 characters of UTC; a time without a zone is taken to be UTC."""
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat(timespec="microseconds")


def from_text(text: str) -> datetime:
    """Return the time that `to_text` wrote."""
    return datetime.fromisoformat(text)


def optional_from_text(text: str | None) -> datetime | None:
    """Like `from_text`; None stays None."""
    return None if text is None else datetime.fromisoformat(text)
