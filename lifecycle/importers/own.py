"""Our own JSONL: one TraceEvent a line, in wire names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from wellworn.lifecycle.importers.events import event_id, read_time
from wellworn.lifecycle.importers.source import Line, SkippedLine, Source
from wellworn.models.trace import TraceEvent

FORMAT = "wellworn"
_SHOWN = 200


def read(source: Source) -> Iterator[TraceEvent | SkippedLine]:
    """Yield the event of each line; a line that is not exactly one is noted with its field."""
    for item in source.objects():
        yield item if isinstance(item, SkippedLine) else _event(source, *item)


def _event(source: Source, line: Line, value: dict[str, Any]) -> TraceEvent | SkippedLine:
    given = dict(value)
    if source.session is not None:
        given.pop("session_id", None)
        given["sessionId"] = source.session
    if source.repo is not None:
        given["repo"] = source.repo
    try:
        event = TraceEvent.model_validate(given)
    except ValidationError as error:
        return source.skipped(_first(error), line.number)
    if not (event.session_id or "").strip():
        return source.skipped("sessionId: missing", line.number)
    ts, why = read_time(given.get("ts"), source.now)
    if ts is None:
        return source.skipped(f"ts: {why}", line.number)
    made = event.id or event_id(FORMAT, event.session_id, line.number, line.raw)
    return event.model_copy(update={"id": made, "ts": ts})


def _first(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_input=False, include_context=False)[0]
    field = ".".join(str(part) for part in found["loc"])
    return f"{field[:_SHOWN]}: {found['msg'][:_SHOWN].lower()}"
