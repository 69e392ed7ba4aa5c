"""SKILL.md in two parts: the front matter between the first pair of `---` lines, and the body."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wellworn.store.text_file import Notes
from wellworn.store.yaml_block import top_level_key

_FENCE = re.compile(r"---[ \t]*")
_COMMENT = re.compile(r"\s*<!--.*?-->\s*", re.DOTALL)
_OPENING_KEYS = frozenset({"name", "description", "allowed-tools"})


@dataclass(frozen=True, slots=True)
class Parts:
    """Where the parts of a SKILL.md stand, as 0-based line numbers.

    `lines[start:end]` is the front matter without its fences and `lines[body:]` what follows; start == end when there
    is none. `fenced`: both fences are there.
    """

    start: int
    end: int
    body: int
    fenced: bool


def split_lines(lines: list[str], notes: Notes) -> Parts:
    """Find the parts, mending a missing fence where the keys tell what was meant."""
    first = _first_content(lines)
    if first == len(lines):
        return Parts(0, 0, 0, fenced=False)
    if _FENCE.fullmatch(lines[first]):
        close = next((i for i in range(first + 1, len(lines)) if _FENCE.fullmatch(lines[i])), None)
        if close is not None:
            return Parts(first + 1, close, close + 1, fenced=True)
        end = _end_of_keys(lines, first + 1)
        notes.error("no-closing-fence", "the front matter has no closing `---` line; add one.", first + 1)
        return Parts(first + 1, end, end, fenced=False)
    if top_level_key(lines[first]) in _OPENING_KEYS:
        end = _end_of_keys(lines, first)
        body = end + 1 if end < len(lines) and _FENCE.fullmatch(lines[end]) else end
        notes.warning("no-opening-fence", "the front matter has no opening `---` line; add one.", first + 1)
        return Parts(first, end, body, fenced=False)
    return Parts(0, 0, 0, fenced=False)


def _first_content(lines: list[str]) -> int:
    """Skip blank lines and HTML comments (licence headers) before the front matter."""
    place = 0
    while place < len(lines):
        if not lines[place].strip():
            place += 1
        elif lines[place].lstrip().startswith("<!--"):
            end = next((i for i in range(place, len(lines)) if "-->" in lines[i]), None)
            if end is None or not _COMMENT.fullmatch("\n".join(lines[place : end + 1])):
                return place
            place = end + 1
        else:
            return place
    return place


def _end_of_keys(lines: list[str], start: int) -> int:
    """Return where the run of keys, their indented continuations and list items ends."""
    place = start
    while place < len(lines):
        line = lines[place]
        if top_level_key(line) is None and not re.match(r"[ \t]+\S|- |#\S", line):
            break
        place += 1
    return place
