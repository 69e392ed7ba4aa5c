"""Misspelt words of a message, put right before it is encoded: an encoder breaks "trasnfer" into meaningless bits.

A word is misspelt when neither English (the whole words of the bundled tokenizer, commonest first) nor the library
knows it. It becomes the likeliest common word one edit away (Damerau 1964: a letter left out, added, replaced, or two
swapped), found by the letters that either could have lost (as in SymSpell). In doubt nothing is changed: names,
identifiers, paths, words in capitals and messages that are mostly unknown words (another language) stay as they are.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice

import numpy as np

from wellworn.index.encoders.onnx import BUNDLED_FOLDER, TOKENIZER_FILE
from wellworn.index.lexical import term_of
from wellworn.index.view import View

CORRECTIONS_MAX = 8
WORDS_READ = 60
DOUBTFUL_SHARE = 0.7
"""Of the words of four letters or more: above it, this is another language."""
COMMON_RANK, LIBRARY_RANK = 5_000, 10_000
"""A word is corrected to one of the 5,000 commonest of English, or of the 10,000 commonest that the library has too."""
SURE_LETTERS, SURE_LENGTH = 7, 5
"""From how many letters on a replaced letter, or one too many or too few, is no accident."""
_WORD = re.compile(r"(?<![\w./\\@#:$%'-])([A-Za-z][a-z]{3,19})(?![\w/\\@:'-]|\.\w)")
_CONTRACTED = frozenset(  # as typed without the apostrophe
    word.replace("'", "")
    for word in (
        "ain't", "aren't", "can't", "couldn't", "didn't", "doesn't", "don't", "hadn't", "hasn't", "haven't", "isn't",
        "shouldn't", "that's", "there's", "they're", "wasn't", "weren't", "what's", "who's", "won't", "wouldn't",
        "you'd", "you'll", "you're", "you've", "gonna", "wanna", "gotta", "kinda", "lemme", "gimme",
    )
)  # fmt: skip
_ENDINGS = (
    ("s", ""), ("es", ""), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"), ("ly", ""), ("er", ""), ("er", "e"),
    ("ers", ""), ("ers", "e"), ("able", ""), ("able", "e"), ("ness", ""), ("less", ""), ("ize", ""), ("ise", ""),
    ("ize", "y"),
)  # fmt: skip
_BEGINNINGS = ("de", "dis", "mis", "non", "over", "pre", "re", "sub", "un", "under", "up")
Known = Callable[[Sequence[str]], Sequence[bool]]


@cache
def english() -> Mapping[str, int]:
    """Return the English words that the bundled tokenizer knows whole, with their place by falling frequency."""
    tokenizer = json.loads((BUNDLED_FOLDER / TOKENIZER_FILE).read_text(encoding="utf-8"))
    words = (word for word in tokenizer["model"]["vocab"] if word.isascii() and word.isalpha() and len(word) > 2)
    return {word: rank for rank, word in enumerate(words)}


@cache
def _targets() -> Mapping[str, Sequence[str]]:
    """Common words by what is left of each when it loses no letter or one."""
    found: dict[str, list[str]] = defaultdict(list)
    for word, rank in english().items():
        if rank >= LIBRARY_RANK:
            break
        if len(word) > 3:
            for rest in _losses(word):
                found[rest].append(word)
    return dict(found)


def words_known_to(view: View) -> Known:
    """Return a function that says for each word whether some skill of the view has it (or another form of it)."""

    def known(words: Sequence[str]) -> Sequence[bool]:
        terms = np.array([term_of(word) for word in words], dtype=np.uint32)
        found = np.zeros(len(words), dtype=np.bool_)
        for part in view.parts:
            found |= part.segment.postings.find(terms)[1] > 0
        return [bool(one) for one in found]

    return known


def corrected(text: str, known: Known) -> str:
    """Return the text with its misspelt words put right; the very same text when there are none.

    known: says of words (lower-case) whether the library has them. At most 8 words of the first 60 are changed.
    """
    if not text.isascii():
        return text
    words = {match.start(1): match[1] for match in islice(_WORD.finditer(text), WORDS_READ)}
    doubtful = {at: word for at, word in words.items() if not _is_known(word, at)}
    if not doubtful or len(doubtful) > DOUBTFUL_SHARE * len(words):
        return text
    told = known([word.lower() for word in doubtful.values()])
    wrong = [(at, word) for (at, word), is_known in zip(doubtful.items(), told, strict=True) if not is_known]
    pieces, done = [], 0
    for at, word in wrong[:CORRECTIONS_MAX]:
        pieces += [text[done:at], _likeliest(word.lower(), known) or word]
        done = at + len(word)
    return "".join((*pieces, text[done:]))


def _is_known(word: str, at: int) -> bool:
    """English, or a name: a capital letter inside a message."""
    if at and word[0].isupper():
        return True
    word, words = word.lower(), english()
    if word in words or word in _CONTRACTED:
        return True
    if any(word.startswith(start) and word[len(start) :] in words for start in _BEGINNINGS):
        return True
    stems = (word[: -len(end)] + more for end, more in _ENDINGS if word.endswith(end))
    return any(stem in words or (stem[-1:] == stem[-2:-1] and stem[:-1] in words) for stem in stems)


def _likeliest(word: str, known: Known) -> str | None:
    """The best common word one edit away: with the same first letter, of the library, frequent, in this order."""
    targets, ranks = _targets(), english()
    near = [
        one for one in dict.fromkeys(w for rest in _losses(word) for w in targets.get(rest, ())) if _one_edit(word, one)
    ]
    mine = known(near) if near else ()
    found = [
        (one[0] != word[0], not in_library, ranks[one], one)
        for one, in_library in zip(near, mine, strict=True)
        if in_library or (ranks[one] < COMMON_RANK and not _chance(word, one))
    ]
    return min(found)[-1] if found else None


def _chance(word: str, other: str) -> bool:
    """Short words that differ by one edit are often just two words ("cron" and "crop" or "crown"), unless by a swap."""
    if sorted(word) == sorted(other):
        return False
    return len(word) < (SURE_LETTERS if len(word) == len(other) else SURE_LENGTH)


def _losses(word: str) -> Iterator[str]:
    yield word
    yield from (word[:at] + word[at + 1 :] for at in range(len(word)))


def _one_edit(one: str, other: str) -> bool:
    """Whether one insertion, deletion, replacement or swap of neighbours makes the words equal (they differ)."""
    short, long = sorted((one, other), key=len)
    at = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    return short[at + 1 :] == long[at + 1 :] or (
        short[at : at + 2] == long[at : at + 2][::-1] and short[at + 2 :] == long[at + 2 :]
    )
