"""Sessions of the pi coding agent: a header line, then entries; messages of users, the agent and its tools."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from wellworn.lifecycle.importers import events
from wellworn.lifecycle.importers.events import Place, Ran, Stamp, read_time
from wellworn.lifecycle.importers.source import Line, SkippedLine, Source, dict_of, list_of, text_of
from wellworn.lifecycle.importers.tool_results import ended, refusal, stopped_by_hook
from wellworn.models.trace import TraceEvent

FORMAT = "pi"
_EDITORS = ("edit", "write")
_OPEN_MAX = 1000

Out = Iterator[TraceEvent | SkippedLine]


@dataclass(frozen=True, slots=True)
class _Call:
    stamp: Stamp
    tool: str
    arguments: dict[str, Any]


@dataclass(slots=True)
class _Reader:
    source: Source
    session: str = ""
    cwd: str | None = None
    calls: dict[str, _Call] = field(default_factory=dict)

    def read(self) -> Out:
        self.session = self.source.session or ""
        for item in self.source.objects():
            if isinstance(item, SkippedLine):
                yield item
            else:
                yield from self._line(*item)

    def _line(self, line: Line, entry: dict[str, Any]) -> Out:
        kind = entry.get("type")
        if kind == "session":
            self.session = self.source.session or text_of(entry.get("id")) or self.session
            self.cwd = text_of(entry.get("cwd")) or self.cwd
        elif not isinstance(kind, str):
            yield self.source.skipped("type is missing", line.number)
        elif kind == "message":
            yield from self._message(line, entry)

    def _message(self, line: Line, entry: dict[str, Any]) -> Out:
        message = entry.get("message")
        if not isinstance(message, dict):
            yield self.source.skipped("message is missing", line.number)
            return
        given = entry.get("timestamp")
        ts, why = read_time(message.get("timestamp") if given is None else given, self.source.now)
        if ts is None or not self.session:
            yield self.source.skipped(why or "no session line before it", line.number)
            return
        name = text_of(entry.get("id"))
        place = Place(FORMAT, self.session, self.source.repo, self.cwd)
        stamp = Stamp(place, (ts.isoformat(), name or line.raw), ts)  # also that of the copy in a branched session
        yield from self._role(stamp, message)

    def _role(self, stamp: Stamp, message: dict[str, Any]) -> Out:
        role = message.get("role")
        if role == "user":
            if text := _text(message.get("content")).strip():
                yield events.user_intent(stamp, text)
        elif role == "assistant":
            yield from self._assistant(stamp, list_of(message.get("content")))
        elif role == "toolResult":
            yield from self._result(message)
        elif role == "bashExecution" and text_of(message.get("command")):
            yield events.command_run(stamp, text_of(message.get("command")), _executed(message), "by-user")

    def _assistant(self, stamp: Stamp, content: list[Any]) -> Out:
        for block in map(dict_of, content):
            tool, call_id = text_of(block.get("name")), text_of(block.get("id"))
            if block.get("type") == "toolCall" and tool in ("bash", *_EDITORS) and call_id:
                own = replace(stamp, key=(stamp.ts.isoformat(), call_id))
                self.calls[call_id] = _Call(own, tool, dict_of(block.get("arguments")))
        while len(self.calls) > _OPEN_MAX:
            call = self.calls.pop(next(iter(self.calls)))
            yield _ran(call, events.UNKNOWN)

    def _result(self, message: dict[str, Any]) -> Out:
        call = self.calls.pop(text_of(message.get("toolCallId")), None)
        if call is None:
            return
        output, failed = _text(message.get("content")), message.get("isError") is True
        if refusal(output, failed=failed):
            yield events.gate(call.stamp, call.tool, f"Not allowed: {_what(call)}", "refused", passed=False)
        elif failed and stopped_by_hook(output):
            yield events.advisor(call.stamp, call.tool, output)
        elif call.tool in _EDITORS:
            yield _ran(call, Ran(not failed, None, output if failed else ""))
        else:
            yield _ran(call, ended(output, failed=failed))


def read(source: Source) -> Out:
    """Yield the events of a session: what people asked and ran, the agent's commands and edits."""
    return _Reader(source).read()


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(text_of(dict_of(block).get("text")) for block in list_of(content))


def _executed(message: dict[str, Any]) -> Ran:
    code = message.get("exitCode")
    output = text_of(message.get("output"))
    if message.get("cancelled") is True or not isinstance(code, int) or isinstance(code, bool):
        return Ran(None, None, output)
    return Ran(code == 0, code, output)


def _ran(call: _Call, ran: Ran) -> TraceEvent:
    if call.tool == "bash":
        return events.command_run(call.stamp, text_of(call.arguments.get("command")), ran)
    return events.file_diff(call.stamp, call.tool, _file(call), ran)


def _file(call: _Call) -> str:
    return text_of(call.arguments.get("path")) or text_of(call.arguments.get("file_path"))


def _what(call: _Call) -> str:
    return text_of(call.arguments.get("command")) if call.tool == "bash" else f"{call.tool} {_file(call)}"
