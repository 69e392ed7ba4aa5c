"""The short texts that stand for a skill in the index."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from wellworn.index.lexical import identifier_words
from wellworn.models.skill import Skill, Utterance, UtteranceField

DESCRIPTION_MAX_CHARS = 2_000
SHORT_MAX_CHARS = 500
CHUNK_MIN_CHARS, CHUNK_MAX_CHARS = 300, 900
CHUNKS_MAX = 8
HEADING_MAX_CHARS = 120
BODY_MAX_CHARS = 200_000

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)[ \t#]*$")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_SPACE = re.compile(r"\s+")
_LONG_FIELDS = frozenset({UtteranceField.description, UtteranceField.body})
_SENTENCE_END = re.compile(r"(?<=[.!?;。！？；])\s*")


def utterances_of(skill: Skill) -> list[Utterance]:
    """Return the skill's utterances in the order of UtteranceField, without repeats inside a field.

    The description is one utterance of at most 2,000 characters, the body at most 8 chunks (see `body_chunks`),
    so that a skill's share of the index is bounded whatever its size.
    """
    manifest = skill.manifest
    texts: list[tuple[UtteranceField, Iterable[str]]] = [
        (UtteranceField.name, (identifier_words(skill.name), identifier_words(manifest.id))),
        (UtteranceField.alias, manifest.aliases),
        (UtteranceField.trigger, manifest.triggers),
        (UtteranceField.example, manifest.examples),
        (UtteranceField.description, (manifest.description[:DESCRIPTION_MAX_CHARS],)),
        (UtteranceField.body, body_chunks(skill.body)),
        (UtteranceField.negative, manifest.negatives),
    ]
    return [Utterance(field, text) for field, many in texts for text in _distinct(field, many)]


def _distinct(field: UtteranceField, texts: Iterable[str]) -> Iterator[str]:
    limit = max(DESCRIPTION_MAX_CHARS, CHUNK_MAX_CHARS) if field in _LONG_FIELDS else SHORT_MAX_CHARS
    seen = set()
    for text in texts:
        folded = _SPACE.sub(" ", text).strip()[:limit]
        if folded and folded.casefold() not in seen:
            seen.add(folded.casefold())
            yield folded


def body_chunks(body: str) -> list[str]:
    """Cut a Markdown body at its headings into at most 8 chunks of about 300 to 900 characters.

    Short neighbouring sections share a chunk; a long one is cut at sentence ends, and each part repeats its heading.
    When there is more than fits, the last chunk lists the headings of the rest, so that its topics can still be found.
    """
    pieces = [piece for heading, text in _sections(body[:BODY_MAX_CHARS]) for piece in _pieces(heading, text)]
    chunks = _merged(pieces)
    if len(chunks) <= CHUNKS_MAX:
        return chunks
    kept = chunks[: CHUNKS_MAX - 1]
    shown = "\n".join(kept)
    rest = [heading for heading, _ in _sections(body[:BODY_MAX_CHARS]) if heading and heading not in shown]
    outline = ". ".join(dict.fromkeys(rest))[:CHUNK_MAX_CHARS]
    return [*kept, outline or chunks[CHUNKS_MAX - 1]]


def _sections(body: str) -> Iterator[tuple[str, str]]:
    heading, lines, fenced = "", list[str](), False
    for line in body.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
            continue
        found = None if fenced else _HEADING.match(line)
        if found is None:
            lines.append(line)
            continue
        yield heading, _SPACE.sub(" ", " ".join(lines)).strip()
        heading, lines = found.group(1).strip()[:HEADING_MAX_CHARS], []
    yield heading, _SPACE.sub(" ", " ".join(lines)).strip()


def _pieces(heading: str, text: str) -> Iterator[str]:
    lead = f"{heading}: " if heading and text else heading
    if len(lead) + len(text) <= CHUNK_MAX_CHARS:
        if lead or text:
            yield lead + text
        return
    room = max(CHUNK_MAX_CHARS - len(lead), CHUNK_MIN_CHARS)
    part = ""
    for sentence in _SENTENCE_END.split(text):
        for start in range(0, len(sentence), room):
            cut = sentence[start : start + room]
            if part and len(part) + 1 + len(cut) > room:
                yield lead + part
                part = ""
            part = f"{part} {cut}" if part else cut
    if part:
        yield lead + part


def _merged(pieces: Iterable[str]) -> list[str]:
    chunks: list[str] = []
    for piece in pieces:
        short = bool(chunks) and min(len(chunks[-1]), len(piece)) < CHUNK_MIN_CHARS
        if short and len(chunks[-1]) + 1 + len(piece) <= CHUNK_MAX_CHARS:
            chunks[-1] = f"{chunks[-1]}\n{piece}"
        else:
            chunks.append(piece)
    return chunks
