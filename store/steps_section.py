"""The steps of a SKILL.md, read and replaced in its bytes; nothing else of the file changes by a byte.

A step is the Markdown of one item, without its number or bullet and with its continuation lines moved to the left: its
nested lists and code go with it. A step that stays keeps its very lines, but for its number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from wellworn.models.errors import Conflict, InvalidInput
from wellworn.store.front_matter import split_lines
from wellworn.store.markdown import StepsPlace, code_blocks, find_steps, read_back, steps_of
from wellworn.store.skill_read import parse_skill_md
from wellworn.store.text_file import Notes, decode_text, raw_lines

_ITEM = re.compile(
    r"(?P<lead>[ \t]*)(?:(?P<number>\d+)(?P<mark>[.)])|[-*+])(?P<gap>\s+(?:\[[ xX]\]\s+)?)(?P<text>\S.*)"
)
_TITLE = re.compile(
    r"(?P<lead>#{1,6}[ \t]+(?:(?:step|phase|stage)\s*)?)(?P<number>\d+)(?P<gap>\s*[:.)—–-]*\s*)"
    r"(?P<text>\S.*?)[ \t]*#*[ \t]*",
    re.IGNORECASE,
)
_CHECK_BOX = re.compile(r"\[[ xX]\](?:\s+|$)")
_WORD = re.compile(r"\w+")
_BREAKS = re.compile(r"#{1,6}\s|[-*+]\s|\d+[.)]\s|[>|<]|[-=*_]{3,}$")
_LINE_END = re.compile(r"\r\n|\r")
_LONGEST = 999_999_999


@dataclass(frozen=True, slots=True)
class StepsSection:
    """steps: see above, in order. text: the whole section with its heading, line ends as `\\n`."""

    steps: tuple[str, ...]
    text: str


def read_section(data: bytes) -> StepsSection:
    """Return the section that the loader reads steps from.

    Raises Conflict that says what to add where there is none, or why it cannot be changed.
    """
    read = _read(data)
    return StepsSection(tuple(item.text for item in read.items), "\n".join(read.shown[read.start : read.end]).rstrip())


def with_steps(data: bytes, steps: Sequence[str]) -> bytes:
    """Return the file with other steps in its section; of all else every byte is the same.

    Raises InvalidInput for no steps or text that is none, Conflict as `read_section` does, and when the loader would
    not read exactly these steps from it.
    """
    wanted = wanted_steps(steps)
    read = _read(data)
    if wanted == tuple(item.text for item in read.items):
        return data
    lines = _numbered(_merged(read, wanted), read)
    edited = read.encoding.encode("".join([*read.raw[: read.start], *lines, *read.raw[read.end :]]))
    _check(data, edited, wanted)
    return edited


def same_steps(one: str, other: str) -> bool:
    """Say whether two bodies have the same steps, whatever else they say."""
    return _steps_in(one) == _steps_in(other)


def _steps_in(body: str) -> tuple[str, ...]:
    try:
        return read_section(f"---\n---\n{body}".encode("utf-8", "surrogateescape")).steps
    except (Conflict, UnicodeEncodeError):
        return steps_of(body)


def wanted_steps(steps: Sequence[str]) -> tuple[str, ...]:
    """Return steps in the form in which they are read. Raises InvalidInput for an empty or unusable one, or none."""
    texts = tuple(plain_step(step) for step in steps)
    if not texts:
        raise InvalidInput("A skill needs at least one step.", hint="Give the steps as a list.", field="steps")
    for number, text in enumerate(texts):
        if not text:
            raise InvalidInput(
                f"Step {number + 1} is empty.", hint="Leave it out, or say it.", field=f"steps[{number}]"
            )
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise InvalidInput(
                f"Step {number + 1} holds characters that are no text.", field=f"steps[{number}]"
            ) from None
    return texts


# -- reading -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Item:
    """One step: its lines [at, end), how its first line begins, the number there, and its text."""

    at: int
    end: int
    lead: str
    number: int | None
    gap: str
    text: str


@dataclass(frozen=True, slots=True)
class _Read:
    """The file by lines: raw with their own line ends, shown as the loader sees them. start, end: the section."""

    raw: list[str]
    shown: list[str]
    start: int
    end: int
    items: tuple[_Item, ...]
    headings: bool
    encoding: _Codec


@dataclass(frozen=True, slots=True)
class _Codec:
    """newline: the section's own. encode: see `text_file.Encoding`."""

    codec: str
    bom: bytes
    newline: str

    def encode(self, text: str) -> bytes:
        return self.bom + text.encode(self.codec, errors="surrogateescape" if self.codec == "utf-8" else "strict")


def _read(data: bytes) -> _Read:
    try:
        raw, encoding = raw_lines(data)
    except UnicodeDecodeError as error:
        raise Conflict("SKILL.md is not valid text.", hint="Save it as UTF-8 first.") from error
    shown = decode_text(data, Notes("", [])).split("\n")[: len(raw)]
    body = split_lines(shown, Notes("", [])).body
    place = find_steps(shown[body:])
    if place is None or not place.items:
        raise _no_steps(place)
    place = StepsPlace(place.start + body, place.end + body, tuple(at + body for at in place.items), place.headings)
    code = [0] * body + code_blocks(shown[body:])
    comments = _comments(shown, code, body)
    if any(comments[at] for at in (place.start, *place.items)):
        raise _unsafe("its steps stand in a comment")
    items = tuple(_item(shown, code, comments, place, number) for number in range(len(place.items)))
    ends = [found for at in place.items if (found := raw[at][len(raw[at].rstrip("\r\n")) :])]
    codec = _Codec(encoding.codec, encoding.bom, ends[0] if ends else encoding.newline)
    return _Read(raw, shown, place.start, place.end, items, place.headings, codec)


def _comments(shown: Sequence[str], code: Sequence[int], body: int) -> list[int]:
    """Return for each line 1 where it begins within an HTML comment, or with one."""
    inside, found = False, []
    for at, line in enumerate(shown):
        if at < body or code[at]:
            found.append(int(inside))
            continue
        found.append(int(inside or line.lstrip().startswith("<!--")))
        last_open, last_close = line.rfind("<!--"), line.rfind("-->")
        if last_open >= 0 or last_close >= 0:
            inside = last_open > last_close
    return found


def _item(shown: Sequence[str], code: Sequence[int], comments: Sequence[int], place: StepsPlace, number: int) -> _Item:
    at = place.items[number]
    following = place.items[number + 1] if number + 1 < len(place.items) else place.end
    found = (_TITLE if place.headings else _ITEM).fullmatch(shown[at])
    if found is None:
        raise _unsafe(f"line {at + 1} is written in an unusual way")
    lead, gap = found["lead"], found["gap"]
    if place.headings:
        end = _end_of_part(shown, code, at, following)
    else:
        end = _end_of_item(shown, code, comments, at, following)
        gap = (found["mark"] or shown[at][len(lead)]) + gap
    digits = found["number"]
    if digits is not None and len(digits) > len(str(_LONGEST)):
        raise _unsafe(f"line {at + 1} has a number that is none")
    text = "\n".join([found["text"].rstrip(), *_dedented(shown[at + 1 : end])]).rstrip()
    return _Item(at, end, lead, None if digits is None else int(digits), gap, text)


def _end_of_part(shown: Sequence[str], code: Sequence[int], at: int, following: int) -> int:
    """Return where what belongs to a heading ends: before one that is not below it."""
    level = len(shown[at]) - len(shown[at].lstrip("#"))
    end = at + 1
    while end < following:
        line = shown[end]
        if not code[end] and re.match(rf"#{{1,{level}}}[ \t]", line):
            break
        end += 1
    return _without_blanks(shown, at, end)


def _end_of_item(shown: Sequence[str], code: Sequence[int], comments: Sequence[int], at: int, following: int) -> int:
    """Return where an item ends: with its indented lines, and those that follow it without a blank line."""
    outer, end = _indent(shown[at]), at + 1
    while end < following:
        line, adjacent = shown[end], bool(shown[end - 1].strip())
        if not line.strip():
            end += 1
            continue
        deeper = _indent(line) > outer
        if code[end]:
            if not (deeper or adjacent or code[end] == code[end - 1]):
                break
        elif not deeper:
            lazy = adjacent and not code[end - 1] and not comments[end] and not _BREAKS.match(line.lstrip())
            if not (lazy or (comments[end] and comments[end - 1] and end - 1 > at)):
                break
        end += 1
    return _without_blanks(shown, at, end)


def _without_blanks(shown: Sequence[str], at: int, end: int) -> int:
    while end > at + 1 and not shown[end - 1].strip():
        end -= 1
    return end


def _indent(line: str) -> int:
    wide = line.expandtabs(4)
    return len(wide) - len(wide.lstrip(" "))


def plain_step(step: str) -> str:
    """Return a step in the form in which it is read: no check box, its further lines moved to the left together."""
    first, *rest = _LINE_END.sub("\n", step).strip().split("\n")
    box = _CHECK_BOX.match(first)
    return "\n".join([first[box.end() if box else 0 :].strip(), *_dedented(rest)]).strip()


def _dedented(lines: Sequence[str]) -> list[str]:
    """Move lines to the left together; white space at their ends and the width of tabs are no matter."""
    wide = [line.expandtabs(4).rstrip() for line in lines]
    common = min((_indent(line) for line in wide if line), default=0)
    return [line[common:] for line in wide]


def _no_steps(place: StepsPlace | None) -> Conflict:
    if place is None:
        return Conflict(
            "The skill has no section with steps.",
            hint="Add a heading `## Steps` with a numbered list below it to its SKILL.md.",
        )
    return Conflict(
        "The skill's section of steps holds no list.", hint="Write its steps as a numbered list in its SKILL.md."
    )


def _unsafe(why: str) -> Conflict:
    return Conflict(f"The steps of this skill cannot be changed safely: {why}.", hint="Edit its SKILL.md by hand.")


# -- writing -----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Part:
    """What stands in the new section: lines that stay between steps (like is None), or a step in the manner of one."""

    lines: list[str]
    like: _Item | None = None
    text: str | None = None


def _merged(read: _Read, wanted: Sequence[str]) -> list[_Part]:
    """Put the wanted steps in the places of those that are there; what stands between them stays."""
    old = [item.text for item in read.items]
    after: list[list[_Part]] = [[] for _ in old]
    first: list[_Part] = []
    kept: set[int] = set()
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, wanted, autojunk=False).get_opcodes():
        if tag == "equal":
            kept.update(range(i1, i2))
            for at in range(i1, i2):
                after[at].append(_Part(read.raw[read.items[at].at : read.items[at].end], read.items[at]))
            continue
        for offset, text in zip(_paired(old[i1:i2], wanted[j1:j2]), wanted[j1:j2], strict=True):
            anchor = i1 + offset
            into, like = (after[anchor], read.items[anchor]) if anchor >= 0 else (first, read.items[0])
            into.append(_Part([], like, text))
    return _woven(read, first, after)


def _paired(old: Sequence[str], new: Sequence[str]) -> list[int]:
    """Return for each new step the old one in whose place it stands, or after which; -1: before all of them.

    As many as can be are put in a place, in order, those with the most words in common together.
    """
    words = [[{*_WORD.findall(text.casefold()), ""} for text in texts] for texts in (old, new)]
    best = [[(0.0, 0)] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            one, other = words[0][i], words[1][j]
            common = 1 + len(one & other) / max(1, len(one | other))
            choices = ((best[i + 1][j + 1][0] + common, 2), (best[i][j + 1][0], 1), (best[i + 1][j][0], 0))
            best[i][j] = max(choices)
    i, last, places = 0, -1, []
    for j in range(len(new)):
        while i < len(old) and best[i][j][1] == 0:
            i += 1
        if i < len(old) and best[i][j][1] == 2:
            last, i = i, i + 1
        places.append(last)
    return places


def _woven(read: _Read, first: list[_Part], after: list[list[_Part]]) -> list[_Part]:
    blank = _blank_between(read)
    parts = [_Part(read.raw[read.start : read.items[0].at])]
    parts += _spaced(first, blank)
    if first:
        parts += blank
    for number, item in enumerate(read.items):
        last = number + 1 == len(read.items)
        gap = read.raw[item.end : read.end if last else read.items[number + 1].at]
        if after[number]:
            parts += [*_spaced(after[number], blank), _Part(gap)]
        elif last:
            parts = _with_tail(parts, gap)
        elif any(line.strip() for line in gap):
            parts.append(_Part(gap))
    return parts


def _with_tail(parts: list[_Part], tail: list[str]) -> list[_Part]:
    """The last step goes, and with it the blank lines before it; what follows it stays as it is."""
    if parts[-1].like is None and not any(line.strip() for line in parts[-1].lines):
        parts = parts[:-1]
    return [*parts, _Part(tail)]


def _blank_between(read: _Read) -> list[_Part]:
    """Return the blank lines that stand between its steps, if they do."""
    for one, other in zip(read.items, read.items[1:], strict=False):
        gap = read.raw[one.end : other.at]
        if not any(line.strip() for line in gap):
            return [_Part(gap)] if gap else []
    return [_Part([read.encoding.newline])] if read.headings else []


def _spaced(parts: Sequence[_Part], blank: Sequence[_Part]) -> list[_Part]:
    spaced: list[_Part] = []
    for part in parts:
        spaced += [*(blank if spaced else []), part]
    return spaced


def _numbered(parts: Sequence[_Part], read: _Read) -> list[str]:
    """Return the lines of the new section, its steps numbered in the manner of the old ones."""
    runs = _runs(read.items)
    counted: dict[int, int] = {}
    lines: list[str] = []
    for part in parts:
        like, added = part.like, part.lines
        if like is not None:
            start, step = runs[like.at]
            number = None
            if like.number is not None:
                place = counted.get(start.at, 0)
                number, counted[start.at] = (start.number or 0) + place * step, place + 1
            added = _kept(part.lines, like, number) if part.text is None else _made(part.text, like, number, read)
        if added and lines and not lines[-1].endswith(("\n", "\r")):
            lines[-1] += read.encoding.newline
        lines += added
    if read.end == len(read.raw) and not read.raw[-1].endswith(("\n", "\r")):
        lines[-1] = lines[-1].rstrip("\r\n")
    return lines


def _runs(items: Sequence[_Item]) -> dict[int, tuple[_Item, int]]:
    """Return by an item's line the first of the run that it is counted in, and by how much it counts up (0 or 1)."""
    runs: list[list[_Item]] = []
    for item in items:
        last = runs[-1] if runs else []
        counts = bool(last) and None not in (item.number, last[-1].number)
        if counts and (item.number or 0) - (last[-1].number or 0) in _steps_of_run(last):
            last.append(item)
        else:
            runs.append([item])
    return {
        item.at: (run[0], 0 if len(run) > 1 and run[0].number == run[1].number else 1) for run in runs for item in run
    }


def _steps_of_run(run: Sequence[_Item]) -> tuple[int, ...]:
    return (0, 1) if len(run) == 1 else ((run[1].number or 0) - (run[0].number or 0),)


def _kept(raw: Sequence[str], like: _Item, number: int | None) -> list[str]:
    if number is None or number == like.number:
        return list(raw)
    rest = raw[0][len(like.lead) :].lstrip("0123456789")
    return [f"{like.lead}{number}{rest}", *raw[1:]]


def _made(text: str, like: _Item, number: int | None, read: _Read) -> list[str]:
    begin = f"{like.lead}{'' if number is None else number}{like.gap}"
    begin = re.sub(r"\[[xX]\](\s+)$", r"[ ]\1", begin)
    width = "" if read.headings else " " * len(_CHECK_BOX.sub("", begin).expandtabs(4))
    first, *rest = text.split("\n")
    return [line + read.encoding.newline for line in (begin + first, *(width + one if one else "" for one in rest))]


def _check(before: bytes, after: bytes, wanted: Sequence[str]) -> None:
    """Read the new bytes with the loader; anything but what was wanted is refused."""
    old, new = parse_skill_md(before, ""), parse_skill_md(after, "")
    same = (old.frontmatter, old.body_line, old.unsafe) == (new.frontmatter, new.body_line, new.unsafe)
    try:
        read = _read(after)
    except Conflict:
        same, read = False, None
    exact = read is not None and tuple(item.text for item in read.items) == tuple(wanted)
    if not (same and exact and steps_of(new.body) == read_back(wanted)):
        raise _unsafe("they would not be read as they were meant")
