"""What people paste into a message, told apart from what they ask: code, traces, logs, diffs, quotes, JSON.

One pass over the lines with a little state, no look-back: linear. A text of one line is left as it is, but for fenced
code and a trace that was pasted behind the words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

LINE_LIMIT = 2_000
"""Characters of one line that are looked at to tell what it is."""
LINES_LIMIT = 1_000
"""Lines that are looked at, from the beginning and the end; nobody types more."""
WRAPPED_LENGTH = 40
"""Characters of a line from which on it may have been broken by an editor; a shorter one was ended by hand."""

_FENCE = re.compile(r"^\s{0,12}(```+|~~~+)\s*([\w+#.-]*)\s*$")
_INLINE_FENCE = re.compile(r"```[^`]*```")
_TRACE_START = "Traceback (most recent call last)"
_TRACE = re.compile(
    r"^\s*(?:Traceback \(most recent call last\)|Caused by: |Exception in thread |goroutine \d+ \["
    r"|thread '[^']{0,80}' panicked at"
    r"|npm (?:ERR!|error) "
    r"|\.\.\. \d+ more$|panic: "
    r"|(?:Uncaught|Unhandled) (?:\w*(?:Error|Exception|Rejection)|\()|error\[[A-Z]\d+\]|error TS\d+"
    r"|Segmentation fault"
    r"|(?:[a-z_][\w]*\.){0,8}[A-Z]\w*(?:Error|Exception|Warning|Interrupt)(?::|$)|Error: )"
)
_FRAME = re.compile(
    r"^\s+(?:at \S|File \"|in \S+ at |-->|\d+ *\||\^+\s*$|~+\^|from \S+:\d+)|^\s*File \"[^\"]{1,300}\", line \d+"
    r"|^\s+at .{1,300}:\d+"
)
_LOG = re.compile(
    r"^\s*(?:\[?\d{4}-\d\d-\d\d[T ,]\d\d:\d\d|\[?\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
    r"|\d{1,3}(?:\.\d{1,3}){3} - "
    r"|\[(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|info|warn|error|debug)\]|(?:TRACE|DEBUG|INFO|WARN|WARNING"
    r"|ERROR|FATAL|CRITICAL)[ :|]{1,4}(?:[\[(]|\d{2,4}[-:/]|[\w-]{1,60}[.:/][\w-])"
    r"|(?:FAILED|PASSED|ERROR) \S+::|E {2,}\S)"
)
_DIFF_START = re.compile(
    r"^(?:diff --git |index [0-9a-f]{6,}\.\.|--- (?:a/|/dev/null|\S+\s*$)|\+\+\+ (?:b/|/dev/null)|@@ -\d)"
)
_DIFF_MORE = re.compile(
    r"^(?:[+\-\\ ]|@@ |index |new file mode|deleted file mode|old mode|new mode|rename |similarity |Binary files "
    r"|copy )"
)
_PROMPT = re.compile(r"^\s*(?:\$ \S|❯ |➜ |>>> |\.\.\. |PS [A-Z]:\\|[\w.-]{1,40}@[\w.-]{1,60}[:~ ][^$#]{0,80}[$#] )")
_REPLY_HEAD = re.compile(r"^(?:On .{4,120} wrote:|Am .{4,120} schrieb .{1,80}:|-{2,} ?Original Message ?-{2,})$")
_CODE_START = re.compile(
    r"^\s*(?:from [\w.]+ import |import [\w.]+ as |import [\w.]+\.[\w.]+;?$|import .{1,120} from ['\"]|def \w+\("
    r"|async def |class \w+[(:{]|class \w+ extends "
    r"|#include|#!/|function \w*\(|(?:export )?(?:const|let|var) \w+ ?[=:]|export default |export (?:function"
    r"|class|async)|public (?:static|class|void|final)"
    r"|private (?:static|final|readonly|void|async) "
    r"|fn \w+[(<]|func \w+\("
    r"|package [\w.]+;$|package main$|using \w[\w.]*;|return\b.{0,200};$|if \(.{0,200}\) ?\{|for \("
    r"|while \(|\} ?(?:else|catch)|else:$|try:$"
    r"|except .{0,80}:$|finally:$|elif .{0,120}:$|@\w+(?:\.\w+)*\(|<\/?[a-zA-Z][^>]{0,300}>\s*$|<!--|<\?xml"
    r"|<!DOCTYPE|//|/\*|\*/|[)\]}]+[;,]?\s*$|SELECT .{1,200} FROM )"
)
_CODE_LIKE = re.compile(
    r"[{;]\s*$|=>|\w\(\)|\w\([^)]{0,120}\)\s*[:{;]?\s*$|\w ?[=!+]?= ?\S|^\s*[\w.\"'-]{1,60}: ?\S*$|^\s*(?:return"
    r"|yield|raise|await|print)\b|::|->"
)
_CODE_END = re.compile(r"[=(\[{.:\w\"')\]}>]\s*[;{]\s*$")
_JSON_START = re.compile(r"^\s*(?:[{\[]\s*$|[{\[]\s*[{\[\"]|\[\s*\d)")
_LIST_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)]|\(?[a-z]\)|\[[ xX]\]|#{1,6})\s")

_TICKED = re.compile(r"^\s*[-*+•] \[[xX]\]\s")

_FENCE_KINDS = {
    "diff": "diff",
    "patch": "diff",
    "json": "json",
    "jsonc": "json",
    "json5": "json",
    "log": "log",
    "logs": "log",
}


@dataclass(slots=True)
class _State:
    """What the pass has kept so far and what it is inside of."""

    kept: list[str] = field(default_factory=list)  # lines of the request; "" where a paragraph ended
    kinds: list[str] = field(default_factory=list)
    inside: str = ""  # "", "trace", "diff", "json" or "code"
    depth: int = 0  # open brackets of JSON

    def cut(self, kind: str) -> None:
        if kind not in self.kinds:
            self.kinds.append(kind)
        self.kept.append("")


def cut_pasted(text: str) -> tuple[str, tuple[str, ...]]:
    """The request around pasted things with folded white space, and the kinds that were cut out, in order of
    appearance.

    The request is empty when everything was pasted.
    """
    kinds: tuple[str, ...] = ()
    if "```" in text:
        text, found = _INLINE_FENCE.subn(_keep_lines, text)
        kinds = ("code",) if found and "\n" not in text else ()
    if "\n" not in text:
        head, mark, _ = text.partition(_TRACE_START)
        if mark and head.strip():
            return " ".join(head.split()), (*kinds, "trace")
        return " ".join(text.split()), kinds
    state = _State(kinds=list(kinds))
    lines = text.split("\n")
    if len(lines) > LINES_LIMIT:
        lines = lines[: LINES_LIMIT // 2] + lines[-LINES_LIMIT // 2 :]
    fences, stray = _fences(lines)
    position = 0
    while position < len(lines):
        if position in fences:
            closed = fences[position]
            state.cut(_fence_kind(lines, position, closed))
            state.inside = ""
            position = closed + 1
            continue
        following = lines[position + 1] if position + 1 < len(lines) else ""
        if position == stray:
            state.cut("code")
            state.inside = "code"
        else:
            _take(state, lines[position][:LINE_LIMIT], following[:LINE_LIMIT], lines[position])
        position += 1
    return _fold(state.kept), tuple(state.kinds)


def _keep_lines(match: re.Match[str]) -> str:
    """An inline fence goes; a block over several lines stays for the pass over lines."""
    return match.group() if "\n" in match.group() else " "


def _fences(lines: list[str]) -> tuple[dict[int, int], int]:
    """Opening line to closing line, and the opening line that is never closed (-1 when there is none)."""
    pairs: dict[int, int] = {}
    opened, mark = -1, ""
    for number, line in enumerate(lines):
        if "```" not in line and "~~~" not in line:
            continue
        found = _FENCE.match(line[:200])
        if not found:
            continue
        if opened < 0:
            opened, mark = number, found[1][:3]
        elif not found[2] and found[1].startswith(mark):
            pairs[opened] = number
            opened = -1
    return pairs, opened


def _fence_kind(lines: list[str], opened: int, closed: int) -> str:
    tag = lines[opened].strip().lstrip("`~").strip().lower()
    if tag in _FENCE_KINDS:
        return _FENCE_KINDS[tag]
    sample = [line[:LINE_LIMIT] for line in lines[opened + 1 : min(closed, opened + 40)]]
    if any(_TRACE.match(line) for line in sample):
        return "trace"
    if any(_DIFF_START.match(line) for line in sample):
        return "diff"
    if sample and sum(bool(_LOG.match(line)) for line in sample) * 2 > len(sample):
        return "log"
    return "json" if sample and _JSON_START.match(sample[0]) and not tag else "code"


def _take(state: _State, line: str, following: str, whole: str) -> None:
    """Keeps one line or cuts it, by what it looks like and what the pass is inside of."""
    if "]" in line and _TICKED.match(line):
        return  # done already
    if not line.strip():
        state.kept.append("")
        if state.inside in ("trace", "code") and not _goes_on(following):
            state.inside = ""
        return
    kind = _kind_inside(state, line) or _kind_of(line, state.inside)
    if not kind:
        state.inside = ""
        state.kept.append(whole)
        return
    if kind == "json" and state.inside != "json":
        state.depth = 0
    if kind == "json":
        state.depth += sum(map(line.count, "{[")) - sum(map(line.count, "}]"))
    state.inside = "" if kind == "json" and state.depth <= 0 else kind
    state.cut(kind)


def _goes_on(line: str) -> bool:
    return line[:2] in ("  ", "\t") or line.startswith("\t") or bool(_CODE_START.match(line))


def _kind_inside(state: _State, line: str) -> str:
    """What the line is because of the lines before it."""
    if state.inside == "diff" and _DIFF_MORE.match(line):
        return "diff"
    if state.inside == "json" and (line[0] in " \t" or line.strip()[0] in '{}[]"'):
        return "json"
    if state.inside == "trace" and (line[0] in " \t" or _FRAME.match(line)):
        return "trace"
    return ""


def _kind_of(line: str, inside: str) -> str:
    """What the line is by its own look; "" for words."""
    kind = next((kind for kind, looks in _LOOKS if looks(line)), "")
    if kind:
        return kind
    indented = line[0] == "\t" or line.startswith("    ")
    if _LIST_ITEM.match(line) and not (indented and inside == "code"):
        return ""
    return "code" if (indented or inside == "code") and _CODE_LIKE.search(line) else ""


def _is_quote(line: str) -> bool:
    return (line.lstrip()[0] == ">" and not line.startswith(">>>")) or bool(_REPLY_HEAD.match(line))


def _is_code(line: str) -> bool:
    return bool(_PROMPT.match(line) or _CODE_START.match(line) or _CODE_END.search(line[-80:]))


_LOOKS: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("quote", _is_quote),
    ("trace", _TRACE.match),
    ("trace", _FRAME.match),
    ("log", _LOG.match),
    ("diff", _DIFF_START.match),
    ("json", _JSON_START.match),
    ("code", _is_code),
)
"""In this order: a trace holds code, a log line may hold JSON."""


def _fold(kept: list[str]) -> str:
    """Joins hard-wrapped lines with a blank; a paragraph, a list item and what follows a short line begin a line."""
    parts: list[str] = []
    fresh = True
    for line in kept:
        words = " ".join(line.split())
        if not words:
            fresh = True
            continue
        if parts:
            wrapped = len(parts[-1]) >= WRAPPED_LENGTH and parts[-1][-1] not in ".!?:;" and not _LIST_ITEM.match(line)
            parts.append(" " if wrapped and not fresh else "\n")
        parts.append(words)
        fresh = False
    return "".join(parts)
