"""Claude Code transcripts: one JSON object a line, calls of tools and their results on lines of their own.

A call becomes an event when its result is read, so a file that is still growing never yields half a command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from wellworn.lifecycle.importers import events
from wellworn.lifecycle.importers.claude_text import said
from wellworn.lifecycle.importers.events import Place, Ran, Stamp, read_time
from wellworn.lifecycle.importers.source import Line, SkippedLine, Source, dict_of, list_of, text_of
from wellworn.lifecycle.importers.tool_results import ended, never_ran, refusal, stopped_by_hook
from wellworn.models.trace import TraceEvent

FORMAT = "claude-code"
_UNIQUE = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|toolu_[A-Za-z0-9]{16,}")
"""Ids that are the same in the copy that a resumed session keeps of its past."""
_EXPANDED = timedelta(seconds=2)
_SHELLS = ("Bash", "PowerShell")
_EDITORS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_QUESTIONS = ("AskUserQuestion", "ExitPlanMode")
_WATCHED = (*_SHELLS, *_EDITORS, *_QUESTIONS)
_OPEN_MAX = 1000

Out = Iterator[TraceEvent | SkippedLine]


@dataclass(frozen=True, slots=True)
class _Call:
    """A tool's call that waits for its result. passed_over: the person spoke before a result came."""

    stamp: Stamp
    tool: str
    arguments: dict[str, Any]
    passed_over: bool = False


@dataclass(slots=True)
class _Reader:
    source: Source
    calls: dict[str, _Call] = field(default_factory=dict)
    slash: tuple[str, datetime] | None = None
    cwds: dict[str, str] = field(default_factory=dict)

    def read(self) -> Out:
        for item in self.source.objects():
            if isinstance(item, SkippedLine):
                yield item
            else:
                yield from self._line(*item)

    def _line(self, line: Line, entry: dict[str, Any]) -> Out:
        kind = entry.get("type")
        if not isinstance(kind, str):
            yield self.source.skipped("type is missing", line.number)
        if kind == "attachment":
            yield from self._attachment(line, entry)
        if kind not in ("user", "assistant"):
            return
        message = entry.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        if not isinstance(content, list):
            yield self.source.skipped("message.content is missing", line.number)
            return
        stamp, why = self._stamp(line, entry)
        if stamp is None:
            yield self.source.skipped(why, line.number)
        elif kind == "assistant":
            yield from self._assistant(stamp, content)
        else:
            yield from self._user(stamp, entry, content)

    def _attachment(self, line: Line, entry: dict[str, Any]) -> Out:
        """A message that a person sent while the agent worked is only in an attachment."""
        added = dict_of(entry.get("attachment"))
        if added.get("type") != "queued_command" or added.get("commandMode", "prompt") != "prompt":
            return
        prompt = _text(added.get("prompt"))
        if not prompt or _not_by_person(entry) or _not_by_person(added):
            return
        stamp, why = self._stamp(line, entry)
        if stamp is None:
            yield self.source.skipped(why, line.number)
        else:
            yield from self._message(stamp, entry, prompt, between=True)

    def _stamp(self, line: Line, entry: dict[str, Any]) -> tuple[Stamp | None, str]:
        ts, why = read_time(entry.get("timestamp"), self.source.now)
        session = self.source.session or text_of(entry.get("sessionId"))
        if ts is None or not session:
            return None, why or "sessionId is missing"
        if cwd := text_of(entry.get("cwd")):
            self.cwds[session] = cwd
        tags = ("subagent",) if entry.get("isSidechain") is True else ()
        place = Place(FORMAT, session, self.source.repo, self.cwds.get(session), tags)
        uuid = text_of(entry.get("uuid"))
        return Stamp(place, _key(session, uuid) if uuid else (session, line.number, line.raw), ts), ""

    def _assistant(self, stamp: Stamp, content: list[Any]) -> Out:
        for name in [name for name, call in self.calls.items() if call.passed_over]:
            yield from _unanswered(self.calls.pop(name))
        for block in map(dict_of, content):
            tool, call_id = text_of(block.get("name")), text_of(block.get("id"))
            call = _Call(replace(stamp, key=_key(stamp.place.session, call_id)), tool, dict_of(block.get("input")))
            if block.get("type") == "tool_use" and tool in _WATCHED and call_id and _what(call):
                self.calls[call_id] = call
        while len(self.calls) > _OPEN_MAX:
            yield from _unanswered(self.calls.pop(next(iter(self.calls))))

    def _user(self, stamp: Stamp, entry: dict[str, Any], content: list[Any]) -> Out:
        blocks = [dict_of(block) for block in content]
        results = [block for block in blocks if block.get("type") == "tool_result"]
        for result in results:
            call = self.calls.pop(text_of(result.get("tool_use_id")), None)
            if call is not None:
                yield from _answered(call, stamp, result, entry.get("toolUseResult"))
        if results or _not_by_person(entry):
            return
        yield from self._message(stamp, entry, _text(content))

    def _message(self, stamp: Stamp, entry: dict[str, Any], text: str, *, between: bool = False) -> Out:
        """Yield what a person said. between: while the agent worked, so that its calls are still open."""
        message = said(text)
        if self._is_expansion(stamp, entry):
            return
        if message.slash:
            self.slash = (text_of(entry.get("uuid")), stamp.ts)
        if message.shell:
            yield events.command_run(stamp, message.shell, events.UNKNOWN, "by-user")
        elif message.text:
            if not between:
                self.calls = {name: replace(call, passed_over=True) for name, call in self.calls.items()}
            yield events.user_intent(stamp, message.text, *(("slash-command",) if message.slash else ()))

    def _is_expansion(self, stamp: Stamp, entry: dict[str, Any]) -> bool:
        """Say whether a message is the text that the slash command just before it stands for."""
        if self.slash is None:
            return False
        uuid, ts = self.slash
        return bool(uuid) and entry.get("parentUuid") == uuid and abs(stamp.ts - ts) <= _EXPANDED


def read(source: Source) -> Out:
    """Yield the events of a transcript: what people asked, commands and tests, edits, and what people refused."""
    return _Reader(source).read()


def _key(session: str, name: str) -> tuple[object, ...]:
    return (name,) if _UNIQUE.fullmatch(name) else (session, name)


def _not_by_person(entry: dict[str, Any]) -> bool:
    marks = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly")
    origin = text_of(dict_of(entry.get("origin")).get("kind")) or "human"
    return origin != "human" or any(entry.get(mark) is True for mark in marks)


def _unanswered(call: _Call) -> Iterator[TraceEvent]:
    if call.tool in _QUESTIONS:
        return
    yield _ran(call, events.UNKNOWN)


def _answered(call: _Call, stamp: Stamp, result: dict[str, Any], extra: object) -> Iterator[TraceEvent]:
    """Yield what came of a call. stamp: of the line with the result; extra: the program's own record of it."""
    output = _text(result.get("content"))
    failed = result.get("is_error") is True
    refused = refusal(output, failed=failed)
    if refused is not None:
        tag = "refused" if refused.by_person else "not-granted"
        yield events.gate(call.stamp, call.tool, f"Not allowed: {_what(call)}", tag, passed=False)
        if refused.said:
            said_at = replace(stamp, key=(*call.stamp.key, "said"))
            yield events.user_intent(said_at, refused.said)
    elif call.tool in _QUESTIONS:
        yield from _asked(call, failed)
    elif failed and stopped_by_hook(output):
        yield events.advisor(call.stamp, call.tool, output)
    elif not (failed and never_ran(output)):
        yield _ran(call, _how(call, output, failed, dict_of(extra)))


def _how(call: _Call, output: str, failed: bool, extra: dict[str, Any]) -> Ran:
    if call.tool in _EDITORS:
        return Ran(not failed, None, output if failed else "")
    if extra.get("backgroundTaskId") or (call.arguments.get("run_in_background") is True and not failed):
        return events.UNKNOWN
    if extra.get("interrupted") is True and not failed:
        return events.UNKNOWN
    return ended(output, failed=failed, plain=not extra.get("returnCodeInterpretation"))


def _asked(call: _Call, failed: bool) -> Iterator[TraceEvent]:
    if failed:
        return
    passed = True if call.tool == "ExitPlanMode" else None
    tag = "plan" if call.tool == "ExitPlanMode" else "question"
    yield events.gate(call.stamp, call.tool, _what(call), tag, passed=passed)


def _ran(call: _Call, ran: Ran) -> TraceEvent:
    if call.tool in _SHELLS:
        tags = ("background",) if call.arguments.get("run_in_background") is True else ()
        return events.command_run(call.stamp, text_of(call.arguments.get("command")), ran, *tags)
    return events.file_diff(call.stamp, call.tool, _file(call), ran)


def _file(call: _Call) -> str:
    return text_of(call.arguments.get("file_path")) or text_of(call.arguments.get("notebook_path"))


def _what(call: _Call) -> str:
    """Return in a line what a person was asked to allow."""
    if call.tool in _SHELLS:
        return text_of(call.arguments.get("command"))
    if call.tool in _EDITORS:
        return f"{call.tool} {_file(call)}" if _file(call) else ""
    if call.tool == "ExitPlanMode":
        return "Plan: " + (text_of(call.arguments.get("plan")).strip().split("\n", 1)[0] or "approved")
    questions = [text_of(dict_of(item).get("question")) for item in list_of(call.arguments.get("questions"))]
    return "Asked: " + " ".join(filter(None, questions))


def _text(content: object) -> str:
    """Return the text of a message or result: of its blocks, those that are text."""
    if isinstance(content, str):
        return content
    return "\n".join(text_of(dict_of(block).get("text")) for block in list_of(content))
