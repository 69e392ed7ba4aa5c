"""Options and arguments that several commands share."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from wellworn.models.errors import InvalidInput
from wellworn.service.cli.output import current_folder

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
repo_option = click.option("--repo", help="Repository whose skills count. Default: the one of the current folder.")
_SPAN = re.compile(r"(\d{1,5})([hdw])")
_HOURS = {"h": 1, "d": 24, "w": 24 * 7}


def place_of(repo: str | None) -> str | None:
    """Return the repository that was named, else the current folder: whichever repository that lies in counts.

    None when neither is there: the current folder may have been deleted.
    """
    if repo is not None:
        return str(Path(repo).resolve()) if Path(repo).is_dir() else repo
    return current_folder()


def read_since(text: str | None, now: datetime | None = None) -> datetime | None:
    """Return the moment that `7d`, `12h`, `2w` ago or an ISO date or time means. Raises InvalidInput."""
    if text is None:
        return None
    span = _SPAN.fullmatch(text.strip().lower())
    if span is not None:
        return (now or datetime.now(UTC)) - timedelta(hours=int(span[1]) * _HOURS[span[2]])
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InvalidInput(
            f"{text[:40]!r} is neither a span nor a date.", hint="Write 7d, 12h, 2w or 2026-03-01.", field="since"
        ) from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
