"""The shapes in which clients really post what happened."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from benchmarks.mining_background import Draft
from wellworn.models.trace import TraceEvent, TraceKind

CLIENTS: Mapping[str, float] = {"hook": 5, "plain": 2, "arrow": 1.5, "worded": 1.5, "history": 0.5}
"""hook: everything in `data`. plain: `$ command`. arrow: `command -> exit 1`. worded: a sentence beside `data.command`.
history: a shell's, which knows no outcomes."""


def shape(draft: Draft, client: str, chance: random.Random, **where: Any) -> TraceEvent:
    """Return the event that a client posts for a draft. where: id, ts, session_id, repo, user."""
    made = _command(draft, client) if draft.kind is TraceKind.command_run else _other(draft, client)
    return TraceEvent.model_validate(
        {"kind": draft.kind, "tags": list(draft.tags), "risk": draft.risk, **made, **where}
    )


def _command(draft: Draft, client: str) -> dict[str, Any]:
    command = draft.command or draft.text
    if client == "plain":
        return {"summary": f"$ {command}", "success": draft.ok}
    if client == "arrow":
        return {"summary": f"{command} -> exit {draft.code}" if draft.code else command, "success": draft.ok}
    if client == "worded":
        summary = f"ran {command.split()[0]}" + ("" if draft.ok else " (failed)")
        return {"summary": summary, "success": draft.ok, "data": {"command": command, "exitCode": draft.code}}
    if client == "history":
        return {"summary": command}
    data = {"command": command, "exitCode": draft.code, "cwd": "/work/repo", "tool": "Bash"}
    return {"summary": command, "success": draft.ok, "data": data}


def _other(draft: Draft, client: str) -> dict[str, Any]:
    data: dict[str, Any] = {}
    if draft.command is not None and client != "plain":
        data = {"command": draft.command, "exitCode": draft.code}
    if draft.file is not None and client != "plain":
        data = {"file": draft.file, "tool": "Edit"}
    return {"summary": draft.text, "success": draft.ok, "data": data}
