"""Words and character n-grams of texts, as hashes, and their packing into one BLOB a skill.

A term is CRC-32 of a stemmed word (or of a bigram of a script written without spaces); with 200,000 different words
about five pairs share a hash. A gram is a 16-bit hash of three neighbouring characters.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from wellworn.index.stemming import STOP_WORDS, stem
from wellworn.models.skill import Skill

LEXICAL_MAX_CHARS = 200_000
GRAM_MAX_CHARS = 8_000
GRAM_BUCKETS = 1 << 16
_TF_MAX = 255
_FORMAT = 1

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_INDIC = "\u0900-\u0dff"  # vowel signs are marks, which \w does not hold
_ASCII_TOKEN = re.compile(r"[Cc]\+\+|[CcFf]#|[A-Za-z0-9]+")
_TOKEN = re.compile(rf"[{_UNSPACED}]+|[Cc]\+\+|[CcFf]#|(?:[^\W_{_UNSPACED}]+|[{_INDIC}])+")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[^A-Za-z0-9]+|[A-Z]")
_MIXED_CASE = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_NOT_WORD = re.compile(rf"[^\w{_INDIC}{_UNSPACED}+#]+|_+")
_LATIN_MARKS = re.compile("[\u0300-\u036f]+")


def folded(text: str) -> str:
    """Fold compatibility forms and accents (NFKD without U+0300..036F, back to NFC); case is kept."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _LATIN_MARKS.sub("", unicodedata.normalize("NFKD", text)))


def exact_key(text: str) -> str:
    """Return the form in which aliases, names and ids are compared: folded, case-less, words joined by one space."""
    return _NOT_WORD.sub(" ", folded(text).casefold()).strip()


def identifier_words(name: str) -> str:
    """Return an identifier as words: `pr-review_loop` and `prReviewLoop` become `pr review loop`."""
    words = (part for token in _NOT_WORD.split(name) for part in _camel_parts(token))
    return " ".join(word.lower() if word.isascii() and not word.isupper() else word for word in words if word)


def _camel_parts(token: str) -> list[str]:
    return _CAMEL.findall(token) if _MIXED_CASE.search(token) else [token]


def words_of(text: str) -> Iterator[str]:
    """Yield the content words of a text in order, lower-case and not stemmed; CJK and Thai runs as bigrams."""
    for token in _tokens(text):
        yield from _words_in(token)


def _tokens(text: str) -> list[str]:
    plain = folded(text)
    return (_ASCII_TOKEN if plain.isascii() else _TOKEN).findall(plain)


def _words_in(token: str) -> Iterator[str]:
    if not token.isascii() and _IS_UNSPACED.match(token):
        yield from (token[i : i + 2] for i in range(max(len(token) - 1, 1)))
        return
    lower = token.casefold()
    if lower not in STOP_WORDS:
        yield lower
    if lower != token and _MIXED_CASE.search(token):
        # the whole as well: "GitHub" must meet "github"
        parts = (part.casefold() for part in _CAMEL.findall(token))
        yield from (part for part in parts if part != lower and len(part) > 1 and part not in STOP_WORDS)


@lru_cache(maxsize=65_536)
def term_of(word: str) -> int:
    """Return the 32-bit hash of a word's stem."""
    return zlib.crc32(stem(word).encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The distinct terms of a message: `hashes` uint32[n], ascending; `counts` int64[n]; `words` as first written."""

    hashes: NDArray[np.uint32]
    counts: NDArray[np.int64]
    words: tuple[str, ...]


def query_terms(text: str) -> QueryTerms:
    """Return the terms of a message (of its first 200,000 characters)."""
    words: dict[int, str] = {}
    counts: Counter[int] = Counter()
    for word in words_of(text[:LEXICAL_MAX_CHARS]):
        term = term_of(word)
        counts[term] += 1
        words.setdefault(term, word)
    order = sorted(words)
    return QueryTerms(
        hashes=np.array(order, dtype=np.uint32),
        counts=np.array([counts[term] for term in order], dtype=np.int64),
        words=tuple(words[term] for term in order),
    )


def grams_of(text: str) -> NDArray[np.uint16]:
    """Return the distinct 16-bit hashes of the text's character 3-grams, ascending.

    Words are padded with a space on both sides, so the grams know where a word begins and ends; none spans two words.
    """
    spaced = f" {exact_key(text[:GRAM_MAX_CHARS])} "
    code = np.frombuffer(spaced.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    first, second, third = code[:-2], code[1:-1], code[2:]
    mixed = first * np.uint32(0x9E3779B1) ^ second * np.uint32(0x85EBCA77) ^ third * np.uint32(0xC2B2AE3D)
    mixed = (mixed ^ (mixed >> np.uint32(15))) * np.uint32(0x27D4EB2F)
    return np.unique((mixed[second != ord(" ")] >> np.uint32(16)).astype(np.uint16))


def short_texts(skill: Skill) -> tuple[str, ...]:
    """Return the texts that say what the skill is for: name, id, description, aliases and triggers."""
    manifest = skill.manifest
    name = (skill.name, manifest.id) if skill.name != manifest.id else (skill.name,)
    return (*name, manifest.description, *manifest.aliases, *manifest.triggers)


def pack_text(skill: Skill) -> bytes:
    """Return the skill's words and character grams as a BLOB for `unpack_texts`.

    Little-endian: uint32 format << 24 | terms, uint32 grams, uint32 hash of each term (ascending), then two uint8 a
    term (how often in the whole text, how often in the short texts; at most 255), uint16 grams, padding to 4 bytes.
    """
    short = short_texts(skill)
    short_counts = _counts(short)
    whole_counts = short_counts + _counts((*skill.manifest.examples, skill.body[:LEXICAL_MAX_CHARS]))
    grams = grams_of(
        "\n".join((skill.name, *skill.manifest.aliases, *skill.manifest.examples, skill.manifest.description))
    )
    return _pack(whole_counts, short_counts, grams)


def _counts(texts: Iterable[str]) -> Counter[int]:
    tokens: Counter[str] = Counter()
    for text in texts:
        tokens.update(_tokens(text))
    counts: Counter[int] = Counter()
    for token, count in tokens.items():
        for term in _terms_in(token):
            counts[term] += count
    return counts


@lru_cache(maxsize=65_536)
def _terms_in(token: str) -> tuple[int, ...]:
    return tuple(term_of(word) for word in _words_in(token))


def _pack(whole: Counter[int], short: Counter[int], grams: NDArray[np.uint16]) -> bytes:
    terms = sorted(whole)
    pairs = np.array([(min(whole[term], _TF_MAX), min(short[term], _TF_MAX)) for term in terms], dtype=np.uint8)
    head = np.array([_FORMAT << 24 | len(terms), len(grams), *terms], dtype="<u4")
    packed = head.tobytes() + pairs.tobytes() + grams.astype("<u2").tobytes()
    return packed + b"\0" * (-len(packed) % 4)


@dataclass(frozen=True, slots=True)
class TextColumns:
    """The unpacked texts of n skills.

    Term i of all terms: `slots` int32 (whose), `terms` uint32, `whole` and `short` uint8 (how often).
    Grams of skill s: `grams[gram_starts[s]:gram_starts[s + 1]]`, uint16. `unreadable`: positions whose BLOB was
    missing or of another format; they have no words.
    """

    slots: NDArray[np.int32]
    terms: NDArray[np.uint32]
    whole: NDArray[np.uint8]
    short: NDArray[np.uint8]
    gram_starts: NDArray[np.int64]
    grams: NDArray[np.uint16]
    unreadable: tuple[int, ...]


def ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the concatenation of arange(start, start + length) for each pair."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - (ends - lengths), lengths) + np.arange(total, dtype=np.int64)


def unpack_texts(blobs: Sequence[bytes | None]) -> TextColumns:
    """Read many BLOBs of `pack_text` at once."""
    usable = [blob if blob is not None and _well_formed(blob) else _EMPTY for blob in blobs]
    unreadable = tuple(i for i, blob in enumerate(usable) if blob is _EMPTY)
    joined = b"".join(usable)
    sizes = np.fromiter((len(blob) for blob in usable), dtype=np.int64, count=len(usable))
    words, halves = np.frombuffer(joined, dtype="<u4"), np.frombuffer(joined, dtype="<u2")
    starts = (np.cumsum(sizes) - sizes) // 4
    term_counts = (words[starts] & np.uint32(0xFFFFFF)).astype(np.int64)
    gram_counts = words[starts + 1].astype(np.int64)
    pairs = halves[ranges(2 * (starts + 2 + term_counts), term_counts)]
    gram_starts = np.zeros(len(usable) + 1, dtype=np.int64)
    np.cumsum(gram_counts, out=gram_starts[1:])
    return TextColumns(
        slots=np.repeat(np.arange(len(usable), dtype=np.int32), term_counts),
        terms=words[ranges(starts + 2, term_counts)],
        whole=(pairs & np.uint16(0xFF)).astype(np.uint8),
        short=(pairs >> np.uint16(8)).astype(np.uint8),
        gram_starts=gram_starts,
        grams=halves[ranges(2 * (starts + 2 + term_counts) + term_counts, gram_counts)],
        unreadable=unreadable,
    )


def _well_formed(blob: bytes) -> bool:
    if len(blob) < 8 or len(blob) % 4 or blob[3] != _FORMAT:
        return False
    terms, grams = int.from_bytes(blob[:3], "little"), int.from_bytes(blob[4:8], "little")
    size = 8 + 6 * terms + 2 * grams
    return len(blob) == size + (-size % 4)


_EMPTY = _pack(Counter(), Counter(), np.empty(0, dtype=np.uint16))
