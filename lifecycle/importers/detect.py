"""Which format a file is in: by its name where that says it, else by how it begins."""

from __future__ import annotations

import codecs
import re
from typing import Any

from wellworn.lifecycle.importers.source import dict_of, looks_binary, parse_json

_NAMES = (
    (re.compile(r"\.traj\.json$"), "mini-swe-agent"),
    (re.compile(r"\.traj$"), "swe-agent"),
    (re.compile(r"(^|[._])bash_history$"), "bash"),
    (re.compile(r"(^|[._])(zsh_history|zhistory|histfile)$"), "zsh"),
    (re.compile(r"(^|[._])fish_history$"), "fish"),
)
_STARTS = (
    (re.compile(rb"^#\d{9,}\s*$", re.M), "bash"),
    (re.compile(rb"^: \d{9,}:\d+;", re.M), "zsh"),
    (re.compile(rb"^- cmd: ", re.M), "fish"),
    (re.compile(rb'^\s*\{.{0,20000}?"(?:trajectory|history|replay_config)"\s*:\s*[\[{"]', re.S), "swe-agent"),
    (re.compile(rb'^\s*\[\s*\{\s*"role"\s*:'), "mini-swe-agent"),
    (re.compile(rb'"trajectory_format"\s*:\s*"mini-swe-agent|mswea_bash_command'), "mini-swe-agent"),
)
_LINES = 50
_TRANSCRIPT = {"user", "assistant", "system", "summary", "file-history-snapshot", "queue-operation", "attachment"}
_PI = {"message", "model_change", "thinking_level_change", "compaction"}


def format_of(name: str, head: bytes) -> str | None:
    """Return the format of a file called `name` that begins with `head` (some 64 kB), or None."""
    for pattern, found in _NAMES:
        if pattern.search(name):
            return found
    if not head or looks_binary(head):
        return None
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        head = head[: len(head) // 2 * 2].decode("utf-16", "replace").encode("utf-8", "replace")
    return _by_lines(head) or next((found for pattern, found in _STARTS if pattern.search(head)), None)


def _by_lines(head: bytes) -> str | None:
    for raw in head.splitlines()[:_LINES]:
        value, _ = parse_json(raw)
        if isinstance(value, dict) and (found := _by_object(value)):
            return found
    # a first line may be longer than the head
    if re.match(rb'\s*\{.{0,2000}"sessionId"\s*:', head, re.S) and re.search(rb'"(isSidechain|parentUuid)"', head):
        return "claude-code"
    return None


def _by_object(value: dict[str, Any]) -> str | None:
    kind = value.get("type")
    if kind == "session" and "id" in value:
        return "pi"
    if "kind" in value and "summary" in value:
        return "wellworn"
    if not isinstance(kind, str):
        return None
    if kind in _PI and "sessionId" not in value:
        return "pi"
    if kind in _TRANSCRIPT and (
        "sessionId" in value or "leafUuid" in value or "content" in dict_of(value.get("message"))
    ):
        return "claude-code"
    return None
