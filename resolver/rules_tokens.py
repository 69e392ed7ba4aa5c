"""A request as words with their places in the text, and where a reader would pause."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wellworn.resolver.rules_words import MISSPELLED

_CHUNK = re.compile(r"\n|[—–]|\.{2,}|…|[^\s—–…]+")
_EDGE = "\n\"'()[]{}<>.,;:!?*_~`|。、，！？；：「」『』（）"
_ENDS = re.compile(r"[.!?;…。！？；]")
_DASHES = frozenset({"-", "--", "—", "–", "...", "…", "..", "->", "=>", "•", "·", "☐", "☑", "→"})
_MARKER = re.compile(r"\(?(?:\d{1,2}|[a-h])\)")
_ABBREVIATIONS = frozenset({"e.g", "i.e", "etc", "vs", "approx", "no", "nr", "cf", "mr", "mrs", "dr", "incl", "resp"})
# A quote opens after a blank and closes before one; an apostrophe inside a word does neither.
_QUOTED = re.compile(r"(?<!\w)\"[^\"\n]{1,300}\"|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){1,300}'(?!\w)|`[^`\n]{1,300}`")

NONE, SOFT, STRONG = 0, 1, 2
"""What stands between a word and the next: nothing, a comma or colon, the end of a sentence or line."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Words `0..n-1` of `text`: the form to compare, where it stands, the pause after it, whether a quote holds it."""

    text: str
    words: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    pauses: tuple[int, ...]
    asked: frozenset[int]  # words with a question mark behind
    quoted: frozenset[int]

    def slice(self, first: int, last: int) -> str:
        """The text of words `first` up to, not including, `last`, with bare edges."""
        if first >= last:
            return ""
        return self.text[self.starts[first] : self.ends[last - 1]].strip(" \n,;:-—–")


def tokenise(text: str) -> Tokens:
    """Linear in the length of the text."""
    words: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    pauses: list[int] = []
    asked: set[int] = set()
    opened = False  # inside a bracket that an earlier chunk opened: "(see step 2)"
    for match in _CHUNK.finditer(text):
        chunk = match.group()
        core = chunk.strip(_EDGE)
        if not core or chunk in _DASHES or (not core.isascii() and not any(map(str.isalnum, core))):
            if words:
                pauses[-1] = max(pauses[-1], _pause_of_mark(chunk))
                if "?" in chunk:
                    asked.add(len(words) - 1)
            continue
        left = chunk.index(core)
        if chunk[-1] == ")" and not opened and _MARKER.fullmatch(chunk):
            # "1) run the tests 2) tag it": the number of an item is no word of it.
            if words:
                pauses[-1] = STRONG
            continue
        opened = "(" in chunk or (opened and ")" not in chunk)
        tail = chunk[left + len(core) :]
        if words and ("(" in chunk[:left] or "[" in chunk[:left]):
            pauses[-1] = max(pauses[-1], SOFT)
        word = core.lower()
        words.append(MISSPELLED.get(word, word))
        starts.append(match.start() + left)
        ends.append(match.start() + left + len(core))
        pauses.append(_pause(word, tail) if tail else NONE)
        if "?" in tail:
            asked.add(len(words) - 1)
    return Tokens(
        text, tuple(words), tuple(starts), tuple(ends), tuple(pauses), frozenset(asked), _quoted(text, starts)
    )


def _pause_of_mark(chunk: str) -> int:
    if chunk == "\n" or chunk in _DASHES or _ENDS.search(chunk):
        return STRONG
    return SOFT if chunk[0] in ",:([" else NONE


def _pause(word: str, tail: str) -> int:
    if _ENDS.search(tail):
        return SOFT if tail[0] == "." and word in _ABBREVIATIONS else STRONG
    return SOFT if any(mark in tail for mark in ",:)]，、：") else NONE


def _quoted(text: str, starts: list[int]) -> frozenset[int]:
    if '"' not in text and "'" not in text and "`" not in text:
        return frozenset()
    spans = [match.span() for match in _QUOTED.finditer(text)]
    # A message that is one quotation is meant as said.
    if not spans or (spans[0][0] <= 1 and spans[0][1] >= len(text) - 1):
        return frozenset()
    inside: list[int] = []
    places = iter(spans)
    span = next(places, None)
    for i, start in enumerate(starts):
        while span and start >= span[1]:
            span = next(places, None)
        if span and span[0] < start:
            inside.append(i)
    return frozenset(inside)
