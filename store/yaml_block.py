"""A block of top-level `key: value` YAML, read whole where it is valid and key by key where it is not.

Shared by SKILL.md's front matter and manifest.yaml. What cannot be read never hides the rest; and because a key that
restricts a skill must not get lost on the way, every line that looks like one is accounted for (`lost_safety`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from wellworn.store.text_file import Notes
from wellworn.store.yaml_read import YamlMap, YamlProblem, read_yaml

MAX_BLOCK_CHARS = 200_000
_KEY = re.compile(
    r"""(?:"(?P<double>[^"]+)"|'(?P<single>[^']+)'|(?P<plain>[^\W\d][\w.-]*(?: [\w-]+)?))[ \t]*:(?=\s|$)"""
)
_TEXT_KEYS = frozenset({"name", "description", "whentouse"})
_DOCUMENT_MARK = re.compile(r"(---|\.\.\.)\s*$")
_SAFETY_KEY = r"""(?:allowed[-_\s]?tools|requires[-_\s]?approval|risk)["']?\s*[:=]"""
_SAFETY_LINE = re.compile(r"""^[\s"'?{,\-]*""" + _SAFETY_KEY, re.IGNORECASE)
_SAFETY_ANYWHERE = re.compile(r"(?<![\w-])" + _SAFETY_KEY, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Chunk:
    """The lines of one top-level key: `start` up to `end`, 0-based, without trailing blanks and comments."""

    key: str
    start: int
    end: int


@dataclass(slots=True)
class Block:
    """`values` as read; `lost_safety` is the line of something that looks like a safety field but was not read."""

    values: YamlMap
    lost_safety: int | None = None


def folded(key: str) -> str:
    """Compare keys without regard to case, hyphens, underscores and spaces: `allowed-tools` is `allowedTools`."""
    return re.sub(r"[-_\s]", "", key).lower()


def chunks_of(lines: list[str]) -> list[Chunk]:
    """Split a block into its top-level keys, by their lines alone."""
    starts = [(i, key) for i, line in enumerate(lines) if (key := top_level_key(line)) is not None]
    stops = [i for i, line in enumerate(lines) if _DOCUMENT_MARK.match(line)]
    chunks = []
    for place, (start, key) in enumerate(starts):
        end = starts[place + 1][0] if place + 1 < len(starts) else len(lines)
        end = next((stop for stop in stops if start < stop < end), end)
        while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
            end -= 1
        chunks.append(Chunk(key, start, end))
    return chunks


def top_level_key(line: str) -> str | None:
    """Return the key that a line at column 0 opens, or None."""
    match = _KEY.match(line)
    return (match["double"] or match["single"] or match["plain"]) if match else None


def read_block(lines: list[str], first_line: int, notes: Notes) -> Block:
    """Read a block; `first_line` is the 1-based line in the file of `lines[0]`."""
    text = "\n".join(lines)
    if len(text) > MAX_BLOCK_CHARS:
        notes.error(
            "yaml", f"it is longer than {MAX_BLOCK_CHARS:,} characters and was not read; shorten it.", first_line
        )
        return Block(YamlMap(), _first_safety_line(lines, first_line) or first_line)
    try:
        values = read_yaml(text, first_line)
    except YamlProblem as problem:
        return _read_by_chunks(lines, first_line, notes, problem)
    if values is None:
        return Block(YamlMap())
    if not isinstance(values, YamlMap):
        notes.error("yaml", "it is not a list of `key: value` lines; write one key a line.", first_line)
        return Block(YamlMap(), _first_safety_line(lines, first_line))
    _note_repeated(values, notes)
    return Block(values)


def _note_repeated(values: YamlMap, notes: Notes) -> None:
    for key, (line, _) in values.repeated.items():
        notes.warning(
            "repeated-key", f"`{key}` stands here again after line {line}; this one counts.", values.lines[key]
        )


def _first_safety_line(lines: list[str], first_line: int) -> int | None:
    return next((first_line + i for i, line in enumerate(lines) if _SAFETY_ANYWHERE.search(line)), None)


def _read_by_chunks(lines: list[str], first_line: int, notes: Notes, problem: YamlProblem) -> Block:
    values = YamlMap()
    pattern_of: dict[int, re.Pattern[str] | None] = {}  # by line: how a lost safety field would show
    before = len(notes.items)
    for chunk in chunks_of(lines):
        reading = _read_chunk(lines[chunk.start : chunk.end], chunk.key, first_line + chunk.start, notes)
        if reading is None:
            continue
        value, is_yaml = reading
        values.put(chunk.key, value, first_line + chunk.start)
        prose = None if is_yaml else _SAFETY_LINE
        pattern_of |= dict.fromkeys(range(chunk.start, chunk.end), prose)
        pattern_of[chunk.start] = None if is_yaml or folded(chunk.key) != "metadata" else _SAFETY_ANYWHERE
    _note_repeated(values, notes)
    if len(notes.items) == before:
        notes.warning("yaml", f"it is not valid YAML ({problem.message}); it was read key by key.", problem.line)
    for i, line in enumerate(lines):
        pattern = pattern_of.get(i, _SAFETY_ANYWHERE)
        if pattern is not None and pattern.search(line):
            return Block(values, first_line + i)
    return Block(values)


def _read_chunk(lines: list[str], key: str, line: int, notes: Notes) -> tuple[Any, bool] | None:
    """Return (value, True) for valid YAML, (text, False) for what was plainly meant as text, None for neither."""
    untabbed = [re.sub(r"^ *\t[ \t]*", lambda tabs: tabs.group().expandtabs(2), part) for part in lines]
    problem = YamlProblem("the key stands alone", line)
    try:
        value = read_yaml("\n".join(untabbed), line)
    except YamlProblem as found:
        problem = found
    else:
        if isinstance(value, YamlMap) and len(value) == 1:
            return next(iter(value.values())), True
    text = _as_text(lines, key)
    if text is None:
        notes.error("yaml", f"`{key}` is not valid YAML ({problem.message}) and was not read.", problem.line)
        return None
    notes.warning(
        "yaml",
        f"`{key}` is not valid YAML ({problem.message}); it was read as plain text. Put the value in quotes.",
        problem.line,
    )
    return text, False


def _as_text(lines: list[str], key: str) -> str | None:
    """Return a broken value as one line of text, or None when it was meant as a list or a mapping.

    What can only be text is text, whatever it looks like (`description: **NEW** [beta] ...`).
    """
    first = _KEY.sub("", lines[0], count=1).strip()
    structured = first[:1] in {"[", "{", "&", "*", "!"} or any(re.match(r"\s*- ", part) for part in lines[1:])
    if structured and folded(key) not in _TEXT_KEYS:
        return None
    first = re.sub(r"^[|>][-+0-9]*$", "", first)
    text = " ".join([first, *(part.strip() for part in lines[1:])]).strip()
    quote = text[:1] if text[:1] in {'"', "'"} else ""
    if quote and len(text) > 1 and text.endswith(quote):
        return text[1:-1]
    return text[1:] if quote and quote not in text[1:] else text
