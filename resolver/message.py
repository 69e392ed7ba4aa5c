"""A message as it was typed, made ready: what is asked is kept, what was pasted around it is cut out.

Pure, linear in the length of the text, no vectors and no I/O. `resolver.paste` knows what pasted things look like and
`resolver.language` guesses the language; this module folds, bounds and splits.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from wellworn.resolver.language import guess_language
from wellworn.resolver.paste import cut_pasted

REQUEST_LIMIT = 2_000
"""Characters of a request that are looked at; twice what an encoder with 256 word pieces reads."""
READ_LIMIT = 100_000
"""Characters of a message that are looked at at all; of a longer one the middle is left out."""
HEAD_SHARE = 0.6
"""An ask stands first or last; the beginning gets the larger part of the room."""

# Escape sequences of a terminal, control characters except tab and line feed, zero-width and direction marks, the soft
# hyphen, and lone surrogates (they cannot be written as UTF-8). The joiners stay: Persian, Indic scripts and emoji
# use them.
_INVISIBLE = re.compile(
    "\x1b\\[[0-9;?]{0,16}[A-Za-z]"
    "|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
_QUOTES = str.maketrans({"‘": "'", "’": "'", "ʼ": "'", "´": "'", "“": '"', "”": '"', "„": '"', "‟": '"'})
_LINE_ENDS = re.compile("\r\n?|\x85|\u2028|\u2029")

# Letters and digits; marks that `str.isalnum` does not count but that stand inside words of Arabic, Hebrew, Indic
# scripts, Thai.
_WORD = re.compile(
    "(?:[^\\W_]|[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e])+"
)
# Scripts that are written without spaces (and Hangul, whose particles cling to the word).
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+"
)

_EDGE_LEFT = " \t\n!\"'()*,-/:;<=>?[\\]^_`{|}~«»‹›“”‘’„–—…¡¿·。、，！？；：「」『』（）【】《》"
_EDGE_RIGHT = _EDGE_LEFT + "."


@dataclass(frozen=True, slots=True)
class Message:
    """One user message, ready to be judged.

    `request` is the text to encode: NFC, straight quotes, no control characters, white space folded (a paragraph or
    list item keeps its line feed), at most `REQUEST_LIMIT` characters. `pasted` names the kinds that were cut out, in
    order: `code`, `trace`, `log`, `diff`, `quote`, `json`. `normalised` is for exact comparison with a normalised
    alias. `language_hint` is None for (what looks like) English or too little text, else a script (`cjk`, `cyrillic`,
    ...) or one of `de`, `fr`, `es`, `pt`, `it`, `nl`.
    `only_pasted`: nothing is asked around what was pasted; its beginning is the request then.
    """

    original_length: int
    request: str
    pasted: tuple[str, ...]
    normalised: str
    words: tuple[str, ...]
    empty: bool
    language_hint: str | None
    only_pasted: bool = False


def read_message(text: str) -> Message:
    """Reads any text, however hostile, in time linear in its length; never raises."""
    plain = _clean(text)
    request, pasted = cut_pasted(plain)
    only_pasted = not _WORD.search(request) and _WORD.search(plain) is not None
    if only_pasted:
        # Everything was pasted: a bounded beginning of it is all there is to go by.
        request = " ".join(plain[: REQUEST_LIMIT * 2].split())
    request = _bound(request, REQUEST_LIMIT)
    words = split_words(request)
    return Message(
        original_length=len(text),
        request=request,
        pasted=pasted,
        normalised=normalise(request),
        words=words,
        empty=not words,
        language_hint=guess_language(request, words),
        only_pasted=only_pasted,
    )


def normalise(text: str) -> str:
    """The form in which messages and aliases are compared: NFKC, case folded, one blank for white space, bare edges.

    Idempotent. A leading dot stays (`.net`), as do `+` and `#` (`c++`, `c#`).
    """
    if text.isascii():
        return " ".join(text.lower().split()).lstrip(_EDGE_LEFT).rstrip(_EDGE_RIGHT)
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    folded = unicodedata.normalize("NFKC", folded.casefold()).translate(_QUOTES)
    return " ".join(folded.split()).lstrip(_EDGE_LEFT).rstrip(_EDGE_RIGHT)


def split_words(text: str) -> tuple[str, ...]:
    """Lower-case words; text of a script without spaces becomes overlapping pairs of characters."""
    found = _WORD.findall(text.casefold())
    if text.isascii():
        return tuple(found)
    words: list[str] = []
    for word in found:
        words.extend(_pairs(word) if _UNSPACED.search(word) else (word,))
    return tuple(words)


def _pairs(word: str) -> list[str]:
    pieces: list[str] = []
    end = 0
    for run in _UNSPACED.finditer(word):
        if run.start() > end:
            pieces.append(word[end : run.start()])
        text = run.group()
        pieces.extend(text[i : i + 2] for i in range(max(1, len(text) - 1)))
        end = run.end()
    if end < len(word):
        pieces.append(word[end:])
    return pieces


def _clean(text: str) -> str:
    text = _bound(text, READ_LIMIT)
    if not text.isprintable():
        text = _INVISIBLE.sub("", _LINE_ENDS.sub("\n", text))
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", text).translate(_QUOTES)


def _bound(text: str, limit: int) -> str:
    """At most `limit` characters: the beginning and the end, cut between words where one is near."""
    if len(text) <= limit:
        return text
    head_room = int(limit * HEAD_SHARE) - 3
    head = text[:head_room]
    tail = text[-(limit - head_room - 3) :]
    blank = head.rfind(" ", head_room - 40)
    head = head[:blank] if blank > 0 else head
    blank = tail.find(" ", 0, 40)
    tail = tail[blank + 1 :] if blank >= 0 else tail
    return f"{head.rstrip()} … {tail.lstrip()}"
