"""Characters that a reader does not see but a model does, and the text as it would be without them. Pure, linear."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from wellworn.models.skill import Risk

_ZERO = (
    "\u200b\u2060\u2061\u2062\u2063\u2064\u180e\u034f\u3164\u115f\u1160\uffa0\ufff9\ufffa\ufffb"
    "\u206a\u206b\u206c\u206d\u206e\u206f"
)
_JOINERS = "\u200c\u200d"
_MARKS = "\u200e\u200f\u061c\u2066\u2067\u2068\u2069"
_OVERRIDES = "\u202a\u202b\u202c\u202d\u202e"
_TAGS = re.compile("[\U000e0000-\U000e007f]+")
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,12}\U000e007f")
_SELECTORS = re.compile("[\ufe00-\ufe0f]{2,}|[\U000e0100-\U000e01ef]{2,}")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f]")
_INVISIBLE = re.compile(f"[{_ZERO}{_JOINERS}{_MARKS}{_OVERRIDES}\ufeff\u00ad\U000e0000-\U000e01ef\ufe00-\ufe0f]")
_ANY = re.compile(
    f"[{_ZERO}{_JOINERS}{_MARKS}{_OVERRIDES}\ufeff\U000e0000-\U000e01ef\ufe00-\ufe0f\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]"
)
_RUN = re.compile(f"[{_ZERO}{_JOINERS}\ufeff]{{2,}}")
_INSIDE_WORD = re.compile(f"(?<=[A-Za-z])[{_ZERO}{_JOINERS}\ufeff]+(?=[A-Za-z])")
_SPLITS_MANY = 3
_LONG_RUN = 4
_LOOKALIKES = str.maketrans("АВЕКМНОРСТУХаеорсухіѕԁһјӏոսΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEKMHOPCTYXaeopcyxisdhjlnuABEZHIKMNOPTYX")


@dataclass(frozen=True, slots=True)
class Hidden:
    """One place with hidden characters. line: from 1; kind: what they are, for people."""

    line: int
    start: int
    severity: Risk
    kind: str


def visible(text: str) -> str:
    """Return text with hidden characters gone, widths and look-alike letters made plain; the same number of lines."""
    if text.isascii():
        return text
    lines = text.split("\n")
    return "\n".join(line if line.isascii() else _plain(line) for line in lines)


def _plain(line: str) -> str:
    shown = unicodedata.normalize("NFKC", _INVISIBLE.sub("", line)).replace("\n", " ")
    words = (_latin(word) for word in re.split(r"(\s+)", shown))
    return "".join(words)


def _latin(word: str) -> str:
    """Only a word of mixed scripts hides one letter behind another."""
    if word.isascii() or not re.search(r"[A-Za-z]", word):
        return word
    return word.translate(_LOOKALIKES)


def shown(text: str) -> str:
    """Return text with each hidden character written as U+XXXX."""
    return _ANY.sub(lambda found: f"[U+{ord(found.group()):04X}]", text)


def hidden_in(text: str) -> Iterator[Hidden]:
    """Yield what is hidden, at most once a line and kind."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.isascii() and not _CONTROL.search(line):
            continue
        current = line.removeprefix("\ufeff") if number == 1 else line
        offset = len(line) - len(current)
        for found in _in_line(current):
            yield Hidden(number, found[0] + offset, found[1], found[2])


def _in_line(line: str) -> Iterator[tuple[int, Risk, str]]:
    without_flags = _FLAG.sub(lambda found: " " * len(found.group()), line)
    checks = (
        (_TAGS.search(without_flags), Risk.high, "tag characters"),
        (_SELECTORS.search(line), Risk.high, "a run of variation selectors"),
        (re.search("[\u202d\u202e]", line), Risk.high, "text direction overrides"),
        (_CONTROL.search(line), Risk.medium, "control characters"),
    )
    for found, severity, kind in checks:
        if found:
            yield found.start(), severity, kind
    yield from _zero_width(line)
    yield from _direction(line)


def _zero_width(line: str) -> Iterator[tuple[int, Risk, str]]:
    run = next((found for found in _RUN.finditer(line) if len(found.group()) >= _LONG_RUN), None)
    splits = _INSIDE_WORD.findall(line)
    if run:
        yield run.start(), Risk.high, "a run of zero-width characters"
    elif len(splits) >= _SPLITS_MANY:
        first = _INSIDE_WORD.search(line)
        yield (first.start() if first else 0), Risk.high, "zero-width characters inside words"
    else:
        for found in re.finditer(f"[{_ZERO}{_JOINERS}\ufeff]", line):
            if not _belongs(line, found.start()):
                yield found.start(), Risk.medium, "a zero-width character"
                return


def _belongs(line: str, at: int) -> bool:
    """Whether a joiner stands where writing needs it: in emoji, Persian, Arabic and Indic text."""
    if line[at] not in _JOINERS:
        return False
    before = line[at - 1] if at else " "
    after = line[at + 1] if at + 1 < len(line) else " "
    if line[at] == "\u200d" and (_pictures(before) or before == "\ufe0f") and _pictures(after):
        return True
    return _joins(before) or _joins(after)


def _pictures(letter: str) -> bool:
    return unicodedata.category(letter) in {"So", "Sk"} or letter in "\u2640\u2642\u2695\u2696\u2708\u2764"


def _joins(letter: str) -> bool:
    code = ord(letter)
    return 0x0590 <= code <= 0x08FF or 0x0900 <= code <= 0x0DFF or 0x0E00 <= code <= 0x109F or 0x1780 <= code <= 0x18AF


def _direction(line: str) -> Iterator[tuple[int, Risk, str]]:
    found = re.search(f"[{_MARKS}\u202a\u202b\u202c]", line)
    if found and not re.search(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]", line):
        yield found.start(), Risk.medium, "text direction marks"
