"""Plain text out of Markdown: the first paragraph, and the items of a "Steps" section."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

MAX_STEPS = 30
_STEP_MAX = 300
_PARAGRAPH_MAX = 1024
_TITLE_WORDS = 6
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_NOT_PROSE = re.compile(r"#{1,6}\s|[-*+]\s|\d+[.)]\s|[>|<]|[-=*_]{3,}$")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_EMPHASIS = re.compile(r"(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1|(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])")
_CHECK_BOX = re.compile(r"\[[ xX]\]\s+")
_HEADING = re.compile(r"(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$")
_STEPS_TITLE = re.compile(r"\b(?:steps?|instructions|workflow|process|procedure)\b", re.IGNORECASE)
_STEP_TITLE = re.compile(r"(?:step|phase|stage)\s*\d+\s*[:.)—–-]*\s*|\d+\s*[:.)—–-]+\s*", re.IGNORECASE)
_ITEM = re.compile(r"( *)(?:(\d+)[.)]|[-*+])\s+(\S.*)$")


def first_paragraph(body: str) -> str:
    """Return the first paragraph of prose: no heading, list, quote, table, code or HTML; at most 1,024 characters."""
    paragraph: list[str] = []
    for line in _without_code(body.split("\n")):
        text = line.strip()
        if text and not _NOT_PROSE.match(text):
            paragraph.append(text)
        elif paragraph:
            break
    return plain_text(" ".join(paragraph))[:_PARAGRAPH_MAX]


def _without_code(lines: list[str]) -> list[str]:
    """Blank the lines of fenced code."""
    return ["" if block else line for line, block in zip(lines, code_blocks(lines), strict=True)]


def code_blocks(lines: Sequence[str]) -> list[int]:
    """Return for each line the number (from 1) of the fenced code that it belongs to, its fences included; else 0."""
    blocks, fence, count = [], "", 0
    for line in lines:
        mark = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if mark and not fence:
            count += 1
        blocks.append(count if fence or mark else 0)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and line.strip() == mark[1]:
            fence = ""
    return blocks


def plain_text(markdown: str) -> str:
    """Return one line of Markdown without links, emphasis, code marks and check boxes."""
    text = _EMPHASIS.sub(lambda found: found[2] or found[3], _LINK.sub(r"\1", markdown))
    text = text.replace("`", "")
    mark = _CHECK_BOX.match(text)
    return " ".join(text[mark.end() if mark else 0 :].split())


def steps_of(body: str) -> tuple[str, ...]:
    """Return the items of the first section titled Steps, Instructions, Workflow or Process, as plain text, at most 30.

    Headings such as "### Step 2: Build" count as items; else its outermost numbered list, else its outermost bullets.
    Without such a section, numbered headings anywhere are the steps.
    """
    lines = _without_code(body.split("\n"))
    headings = [(i, found) for i, line in enumerate(lines) if line.startswith("#") and (found := _HEADING.match(line))]
    for place, (start, heading) in enumerate(headings):
        if _is_steps_title(heading[2]):
            later = headings[place + 1 :]
            end = next((i for i, found in later if len(found[1]) <= len(heading[1])), len(lines))
            inner = [found[2] for i, found in later if i < end]
            if steps := _numbered(inner) or _list_items(lines[start + 1 : end]):
                return steps
    return _numbered([found[2] for _, found in headings])


def append_steps(body: str, steps: Sequence[str]) -> str:
    """Return `body` with more items at the end of the section that `steps_of` reads; a new one where there is none.

    The items continue the section's own way: numbers, bullets, or headings such as "### Step 3: ...".
    """
    texts = [text for step in steps if (text := " ".join(step.split()))]
    if not texts:
        return body
    lines = body.rstrip("\n").split("\n")
    at, prefix = _end_of_steps(lines)
    if prefix is None:
        heading = ["## Steps", ""] if body.strip() else ["## Steps"]
        gap = [""] if body.strip() else []
        lines = [*(lines if body.strip() else []), *gap, *heading, *(f"{n}. {text}" for n, text in enumerate(texts, 1))]
    else:
        lines[at:at] = [prefix(number) + text for number, text in enumerate(texts)]
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class StepsPlace:
    """Where the section that `steps_of` reads stands, as 0-based line numbers.

    start: its heading; end: after its last line. items: lines on which a step begins, in order. headings: the steps
    are headings ("### Step 2: Build") and not items of a list.
    """

    start: int
    end: int
    items: tuple[int, ...]
    headings: bool


def find_steps(lines: Sequence[str]) -> StepsPlace | None:
    """Return the section that `steps_of` reads, the first with such a title where none has steps, or None."""
    bare = _without_code(list(lines))
    headings = [(i, found) for i, line in enumerate(bare) if line.startswith("#") and (found := _HEADING.match(line))]
    first = None
    for place, (start, heading) in enumerate(headings):
        if not _is_steps_title(heading[2]):
            continue
        end = next((i for i, found in headings[place + 1 :] if len(found[1]) <= len(heading[1])), len(lines))
        titled = [i for i, found in headings if start < i < end and _STEP_TITLE.match(plain_text(found[2]))]
        items = [(i, found) for i in range(start + 1, end) if (found := _ITEM.match(bare[i].expandtabs(4)))]
        chosen = [one for one in items if one[1][2]] or items
        outer = min((len(found[1]) for _, found in chosen), default=0)
        by_heading = len(titled) > 1
        steps = titled if by_heading else [i for i, found in chosen if len(found[1]) == outer]
        if steps:
            return StepsPlace(start, end, tuple(steps), by_heading)
        first = first or StepsPlace(start, end, (), headings=False)
    return first


def read_back(steps: Sequence[str]) -> tuple[str, ...]:
    """Return what `steps_of` makes of a section with these steps: their first lines as plain text."""
    return _finished([step.split("\n", 1)[0] for step in steps])


def _end_of_steps(lines: Sequence[str]) -> tuple[int, Callable[[int], str] | None]:
    """Return where the next step belongs and how it begins (a function of how many were added before it)."""
    bare = _without_code(list(lines))
    headings = [(i, found) for i, line in enumerate(bare) if line.startswith("#") and (found := _HEADING.match(line))]
    for place, (start, heading) in enumerate(headings):
        if not _is_steps_title(heading[2]):
            continue
        end = next((i for i, found in headings[place + 1 :] if len(found[1]) <= len(heading[1])), len(lines))
        if _numbered([found[2] for i, found in headings[place + 1 :] if i < end]):
            return _after_text(lines, end), _next_heading([found for i, found in headings if start < i < end])
        items = [(i, found) for i in range(start + 1, end) if (found := _ITEM.match(bare[i].expandtabs(4)))]
        if items:
            return _next_item(lines, items, end)
    if _numbered([found[2] for _, found in headings]):
        return _after_text(lines, len(lines)), _next_heading([found for _, found in headings])
    return len(lines), None


def _after_text(lines: Sequence[str], end: int) -> int:
    while end and not lines[end - 1].strip():
        end -= 1
    return end


def _next_heading(headings: Sequence[re.Match[str]]) -> Callable[[int], str]:
    numbered = [found for found in headings if _STEP_TITLE.match(plain_text(found[2]))]
    return lambda added: f"\n{numbered[-1][1]} Step {len(numbered) + added + 1}: "


def _next_item(
    lines: Sequence[str], items: Sequence[tuple[int, re.Match[str]]], end: int
) -> tuple[int, Callable[[int], str]]:
    chosen = [one for one in items if one[1][2]] or items
    outer = min(len(found[1]) for _, found in chosen)
    last, found = [one for one in chosen if len(one[1][1]) == outer][-1]
    at = last + 1
    while at < end and lines[at].strip() and not (lines[at][:1].strip() and _NOT_PROSE.match(lines[at])):
        at += 1
    while at < end and (not lines[at].strip() or lines[at].startswith(" " * (outer + 1))):
        at += 1  # what is indented below the item belongs to it
    at = _after_text(lines, at)
    indent = found[1]
    if found[2] is None:
        return at, lambda _: f"{indent}- "
    mark = ")" if lines[last].strip()[len(found[2])] == ")" else "."
    return at, lambda added: f"{indent}{int(found[2]) + added + 1}{mark} "


def _is_steps_title(title: str) -> bool:
    if not _STEPS_TITLE.search(title):
        return False
    text = plain_text(title)
    return len(text.split()) <= _TITLE_WORDS and not _STEP_TITLE.match(text)


def _numbered(titles: list[str]) -> tuple[str, ...]:
    texts = [plain_text(title) for title in titles]
    steps = [text[found.end() :] for text in texts if (found := _STEP_TITLE.match(text))]
    return _finished(steps) if len(steps) > 1 else ()


def _list_items(lines: list[str]) -> tuple[str, ...]:
    """Return the outermost numbered items, else the outermost bullets."""
    items = [found for line in lines if (found := _ITEM.match(line.expandtabs(4)))]
    chosen = [item for item in items if item[2]] or items
    outer = min((len(item[1]) for item in chosen), default=0)
    return _finished([item[3] for item in chosen if len(item[1]) == outer])


def _finished(items: list[str]) -> tuple[str, ...]:
    steps = (plain_text(item)[:_STEP_MAX].rstrip() for item in items)
    return tuple(step for step in steps if step)[:MAX_STEPS]
