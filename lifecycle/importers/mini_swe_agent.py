"""mini-swe-agent trajectories: one JSON document of messages; a command a message, its exit status in the next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from wellworn.lifecycle.importers import events
from wellworn.lifecycle.importers.events import Ran, read_time
from wellworn.lifecycle.importers.guessed_times import Steps, run_name
from wellworn.lifecycle.importers.source import SkippedLine, Source, dict_of, list_of, parse_json, text_of
from wellworn.models.trace import TraceEvent

FORMAT = "mini-swe-agent"
_BLOCK = re.compile(r"```(?:mswea_bash_command|bash|sh)\s*\n(.*?)\n?```", re.S)
_CODE = re.compile(r"<returncode>\s*(-?\d{1,5})\s*</returncode>")
_TASK = re.compile(r"\A(?:Please solve this (?:issue|task):|Your task:|<pr_description>|<task>)\s*", re.I)
_RULES = re.compile(r"\n+(?:You can execute bash commands|#+ |</pr_description>|</task>|<instructions>)")
_FINISH = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


def read(source: Source) -> Iterator[TraceEvent | SkippedLine]:
    """Yield the task, then each command with how it ended."""
    value, why = source.whole()
    messages = value if isinstance(value, list) else dict_of(value).get("messages")
    if not isinstance(messages, list):
        yield source.skipped(why or "no messages are in it")
        return
    found = [dict_of(item) for item in messages]
    name = PurePath(source.file).name.removesuffix(".json").removesuffix(".traj")
    first = next((_content(item) for item in found if item.get("role") == "assistant"), "")
    run = run_name(text_of(dict_of(value).get("instance_id")) or name, first)
    steps = Steps(source, FORMAT, run, len(found))
    asked = False
    for number, message in enumerate(found):
        ts, _ = read_time(_when(message), source.now)
        text = _content(message)
        if message.get("role") == "user" and not asked and text:
            asked = True
            yield events.user_intent(steps.stamp(number, text, ts=ts), _task(text), "problem-statement")
        elif message.get("role") == "assistant":
            for place, command in enumerate(_commands(message, text)):
                stamp = steps.stamp(number, f"{place} {command}", ts=ts)
                yield events.command_run(stamp, command, _ended(found[number + 1 :], place))


def _when(message: dict[str, Any]) -> object:
    given = message.get("timestamp")
    return dict_of(message.get("extra")).get("timestamp") if given is None else given


def _content(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(text_of(dict_of(block).get("text")) for block in list_of(content))


def _task(text: str) -> str:
    return _RULES.split(_TASK.sub("", text), maxsplit=1)[0].strip() or text


def _commands(message: dict[str, Any], text: str) -> list[str]:
    """Return the commands of a message: those it called a tool with, else those in its blocks of code."""
    called = [
        text_of(dict_of(action).get("command")) for action in list_of(dict_of(message.get("extra")).get("actions"))
    ]
    for call in list_of(message.get("tool_calls")) if not any(called) else ():
        arguments = dict_of(dict_of(call).get("function")).get("arguments")
        if isinstance(arguments, str):
            arguments, _ = parse_json(arguments.encode("utf-8", "replace"))
        called.append(text_of(dict_of(arguments).get("command")))
    commands = [command for command in called if command] or _BLOCK.findall(text)
    return [command.strip() for command in commands if command.strip() and _FINISH not in command]


def _ended(later: list[dict[str, Any]], place: int) -> Ran:
    """Return how the command at `place` of a message ended, as the answers right after it say."""
    answers = []
    for message in later:
        if message.get("role") not in ("user", "tool"):
            break
        answers.append(message)
    if place >= len(answers):
        return events.UNKNOWN
    text = _content(answers[place])
    code = dict_of(answers[place].get("extra")).get("returncode")
    if (found := _CODE.search(text)) and not isinstance(code, int):
        code = int(found[1])
    if not isinstance(code, int) or isinstance(code, bool):
        return Ran(None, None, text)
    return Ran(code == 0, code, text)
