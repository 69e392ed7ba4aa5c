"""Plain text out of Markdown: the first paragraph, and the items of a "Steps" section."""

from __future__ import annotations

import re

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
    kept, fence = [], ""
    for line in lines:
        mark = _FENCE.match(line) if "```" in line or "~~~" in line else None
        kept.append("" if fence or mark else line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and line.strip() == mark[1]:
            fence = ""
    return kept


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
