"""SWE-agent trajectories: one JSON document with the steps of an agent on a stated problem.

There are no times in it: the steps are put one second apart, the last at the time of the file, and tagged so. How a
command ended is only said in words, so a success is hardly ever known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from wellworn.lifecycle.importers import events
from wellworn.lifecycle.importers.events import Ran
from wellworn.lifecycle.importers.guessed_times import Steps, failed_in_words, run_name
from wellworn.lifecycle.importers.source import SkippedLine, Source, dict_of, list_of, parse_json, text_of
from wellworn.models.trace import TraceEvent

FORMAT = "swe-agent"
_ISSUE = re.compile(
    r"(?:^|\n)(?:ISSUE|PROBLEM STATEMENT|<pr_description>|<issue>)\s*:?\s*\n(.*?)"
    r"(?:\n\s*INSTRUCTIONS:|</pr_description>|</issue>|\Z)",
    re.S,
)
_VIEWERS = frozenset((
    "open", "goto", "scroll_up", "scroll_down", "search_dir", "search_file", "find_file", "submit", "exit", "exit_cost",
    "exit_context", "exit_format", "exit_forfeit", "skip", "filemap", "view", "think", "state",
))  # fmt: skip
_REJECTED = re.compile(
    r"introduced new syntax error|did not appear verbatim|No replacement was performed|Usage: ", re.I
)
_DONE = re.compile(r"Text replaced|File created|\[File: |The file \S+ has been edited")
_PROMPT = re.compile(r"\n?(?:\(Open file: ([^\n]*)\)\n)?\(Current directory: ([^\n]*)\)(?:\n[^\n]*)?\nbash-\$\s*\Z")


@dataclass(frozen=True, slots=True)
class _Step:
    action: str
    output: str
    cwd: str
    open_file: str
    said: str


def read(source: Source) -> Iterator[TraceEvent | SkippedLine]:
    """Yield the stated problem, then the commands and edits of each step."""
    value, why = source.whole()
    if not isinstance(value, dict):
        yield source.skipped(why or "not a trajectory")
        return
    history = [dict_of(item) for item in list_of(value.get("history"))]
    trajectory = list_of(value.get("trajectory"))
    if not history and not trajectory:
        yield source.skipped("neither trajectory nor history is in it")
        return
    found = [_step(dict_of(item)) for item in trajectory] or list(_from_history(history))
    name = PurePath(source.file).name.removesuffix(".traj")
    run = run_name(text_of(value.get("instance_id")) or name, found[0].said if found else "")
    steps = Steps(source, FORMAT, run, len(found) + 1)
    problem = text_of(value.get("problem_statement")) or _problem(history)
    if problem:
        yield events.user_intent(steps.stamp(0, problem), problem, "problem-statement")
    for number, step in enumerate(found, 1):
        yield from _made(steps, number, step)


def _problem(history: list[dict[str, Any]]) -> str:
    for item in history:
        text = _content(item)
        if item.get("role") == "user" and item.get("is_demo") is not True and text:
            issue = _ISSUE.search(text)
            return _PROMPT.sub("", issue[1] if issue else text).strip()
    return ""


def _content(item: dict[str, Any]) -> str:
    content = item.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(text_of(dict_of(block).get("text")) for block in list_of(content))


def _step(item: dict[str, Any]) -> _Step:
    state = item.get("state")
    if isinstance(state, str):
        state, _ = parse_json(state.encode("utf-8", "replace"))
    state = dict_of(state)
    output = text_of(item.get("observation"))
    cwd, opened = text_of(state.get("working_dir")), text_of(state.get("open_file"))
    said = text_of(item.get("response")) or text_of(item.get("thought"))
    return _Step(text_of(item.get("action")).strip(), output, cwd, opened, said)


def _from_history(history: list[dict[str, Any]]) -> Iterator[_Step]:
    for item, after in zip(history, [*history[1:], {}], strict=True):
        action = text_of(item.get("action")).strip()
        if item.get("role") == "assistant" and item.get("is_demo") is not True and action:
            output = _content(after) if after.get("role") in ("user", "tool") else ""
            prompt = _PROMPT.search(output)
            opened, cwd = prompt.groups(default="") if prompt else ("", "")
            yield _Step(action, _PROMPT.sub("", output), cwd, opened, _content(item))


def _made(steps: Steps, number: int, step: _Step) -> Iterator[TraceEvent]:
    words = step.action.split(maxsplit=3)
    if not words or words[0] in _VIEWERS:
        return
    stamp = steps.stamp(number, step.action, cwd=step.cwd)
    if words[0] in ("edit", "create", "insert", "append", "str_replace_editor"):
        if words[0] != "str_replace_editor" or words[1:2] != ["view"]:
            yield events.file_diff(stamp, words[0], _file(words, step), _edited(step.output))
    else:
        failed = failed_in_words(step.output)
        yield events.command_run(stamp, step.action, Ran(False if failed else None, None, step.output))


def _file(words: list[str], step: _Step) -> str:
    if words[0] == "create":
        return words[1] if len(words) > 1 else ""
    if words[0] == "str_replace_editor":
        return words[2] if len(words) > 2 else ""
    return "" if step.open_file == "n/a" else step.open_file


def _edited(output: str) -> Ran:
    if _REJECTED.search(output):
        return Ran(False, None, output)
    return Ran(True if _DONE.match(output) or "File updated" in output else None)
