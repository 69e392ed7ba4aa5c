"""Small records in every format, and a way to import them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from wellworn.lifecycle.importers import SkippedLine, import_file
from wellworn.models.trace import TraceEvent

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
DAY = "2026-11-29T10:00:"
UUID = "00000000-0000-4000-8000-0000000000{:02d}"


@dataclass(frozen=True, slots=True)
class Result:
    events: list[TraceEvent]
    skipped: list[SkippedLine]

    @property
    def event(self) -> TraceEvent:
        (event,) = self.events
        return event

    @property
    def whys(self) -> list[tuple[int | None, str]]:
        return [(skip.line, skip.why) for skip in self.skipped]


def imported(path: Path, content: str | bytes | list[Any], **options: Any) -> Result:
    """Write `content` (a list: one JSON value a line) to `path` and import it."""
    if isinstance(content, list):
        content = "".join(json.dumps(value) + "\n" for value in content)
    path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
    return read(path, **options)


def read(path: Path, **options: Any) -> Result:
    found = list(import_file(path, **{"now": NOW, **options}))
    return Result(
        [item for item in found if isinstance(item, TraceEvent)],
        [item for item in found if isinstance(item, SkippedLine)],
    )


def line(kind: str, content: Any, second: int = 0, **more: Any) -> dict[str, Any]:
    """A line of a Claude Code transcript."""
    return {
        "type": kind,
        "timestamp": f"{DAY}{second:02d}.000Z",
        "sessionId": "s1",
        "cwd": "/work/app",
        "uuid": UUID.format(second),
        "message": {"role": kind, "content": content},
        **more,
    }


def call(tool: str, second: int = 1, name: str = "toolu_000000000000000001", **arguments: Any) -> dict[str, Any]:
    return line("assistant", [{"type": "tool_use", "id": name, "name": tool, "input": arguments}], second)


def answer(
    output: Any, second: int = 2, name: str = "toolu_000000000000000001", *, error: bool = False, **more: Any
) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": name, "content": output, "is_error": error}
    return line("user", [block], second, **more)


def ran(command: str, output: Any = "", *, error: bool = False, **more: Any) -> list[dict[str, Any]]:
    """A command and its result."""
    return [call("Bash", command=command), answer(output, error=error, **more)]


def pi(role: str, second: int = 0, **more: Any) -> dict[str, Any]:
    """A message of a pi session."""
    return {
        "type": "message",
        "id": f"m{second}",
        "timestamp": f"{DAY}{second:02d}.000Z",
        "message": {"role": role, **more},
    }


PI_HEADER = {"type": "session", "id": "p1", "timestamp": f"{DAY}00.000Z", "cwd": "/work/app", "version": 3}
