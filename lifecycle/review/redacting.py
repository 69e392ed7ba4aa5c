"""A turn without the secrets in it; what is left is still untrusted."""

from __future__ import annotations

from wellworn.lifecycle.observing import kept_name
from wellworn.models.turn import ToolCall, Turn
from wellworn.store.redact import redact


def redacted(turn: Turn) -> Turn:
    """Return the turn with every text of it redacted, its names as well."""
    return turn.model_copy(
        update={
            "id": kept_name(turn.id),
            "session_id": None if turn.session_id is None else kept_name(turn.session_id),
            "repo": None if turn.repo is None else redact(turn.repo),
            "message": redact(turn.message),
            "answer": redact(turn.answer),
            "calls": [_call(call) for call in turn.calls],
        }
    )


def _call(call: ToolCall) -> ToolCall:
    texts = {"tool": call.tool, "summary": call.summary, "command": call.command, "error": call.error}
    return call.model_copy(update={name: None if text is None else redact(text) for name, text in texts.items()})
