"""Importers of what people already have: transcripts of agents, shell history, trajectories, our own JSONL.

Each format is a module with `read(source)`, a stream of events and of notes on what could not be read. An event's id
is a hash of what the record says of itself, so importing again adds nothing, also after the file has grown: what a
file's first part gives is what it still gives when more follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from wellworn.lifecycle.importers.detect import format_of
from wellworn.lifecycle.importers.source import HEAD, SkippedLine, Source, looks_binary
from wellworn.models.errors import InvalidInput
from wellworn.models.trace import TraceEvent

__all__ = ["FORMATS", "SkippedLine", "detect_format", "import_file"]

_READERS = {
    "claude-code": "claude_code",
    "wellworn": "own",
    "bash": "bash_history",
    "zsh": "zsh_history",
    "fish": "fish_history",
    "swe-agent": "swe_agent",
    "mini-swe-agent": "mini_swe_agent",
    "pi": "pi",
}
FORMATS: tuple[str, ...] = tuple(_READERS)
"""The names of the formats that can be imported."""


def detect_format(path: Path) -> str | None:
    """Return which of `FORMATS` the file at `path` is in, by its name and its beginning; None when unknown."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as stream:
            return format_of(path.name, stream.read(HEAD))
    except OSError:
        return None


def import_file(
    path: Path, *, format: str | None = None, session: str | None = None, repo: str | None = None, now: datetime
) -> Iterator[TraceEvent | SkippedLine]:
    """Yield the events in the file at `path` and a note on everything that could not be read; the file is streamed.

    format: one of `FORMATS`, found out when None; another name raises InvalidInput at once. session, repo: put on all
    events, whatever the file says. now: with a zone; later times are not believed.
    """
    if format is not None and format not in _READERS:
        raise InvalidInput(
            f"{format[:80]!r} is not a format.", hint=f"Use one of {', '.join(FORMATS)}.", field="format"
        )
    return _import(path, format, session, repo, now.astimezone(UTC))


def _import(
    path: Path, name: str | None, session: str | None, repo: str | None, now: datetime
) -> Iterator[TraceEvent | SkippedLine]:
    try:
        if not path.is_file():
            yield SkippedLine(str(path), None, "a folder, not a file" if path.is_dir() else "no such file")
            return
        with path.open("rb") as stream:
            head = stream.peek(HEAD)
            if not head:
                return
            name = name or detect_format(path)
            if name is None or looks_binary(head):
                yield SkippedLine(str(path), None, "not text" if looks_binary(head) else "not a known format")
                return
            modified = min(datetime.fromtimestamp(path.stat().st_mtime, UTC), now)
            yield from _reader(name)(Source(str(path), stream, modified, now, session, repo))
    except OSError as error:
        yield SkippedLine(str(path), None, f"cannot be read: {error.strerror or error}")


def _reader(name: str) -> Callable[[Source], Iterator[TraceEvent | SkippedLine]]:
    """Return the `read` of a format; imported only now, to keep light commands light."""
    read: Callable[[Source], Iterator[TraceEvent | SkippedLine]] = import_module(f"{__name__}.{_READERS[name]}").read
    return read
