"""Texts that the bundled encoder is trained on: short pairs that belong together, made from a public catalogue.

A description of a real skill often quotes what a user would say, or says in one sentence what the skill does and in
another when to use it: such halves mean the same skill. Left out are all skills of collections that parameters are
fitted to or that figures are reported on, and every skill that shares its name with one that is reported on; no intent
set is used at all. So what is fitted and reported afterwards is about skills that the encoder has never seen.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.accuracy_sets import read_rows

Pair = tuple[str, str]
Row = Mapping[str, str]
PHRASES_A_SKILL = 3
SENTENCE_WORDS_MIN = 4
NAMES_SHARE = 0.5
"""Of the skills with a single sentence, so many are paired with their names."""
_QUOTED = re.compile(r"[\"“]([^\"“”\n]{6,160})[\"”]")
_SENTENCE_END = re.compile(r"(?<=[.;!?])\s+")
_USE_WHEN = re.compile(
    r"^(use|activate|trigger)\w*( this skill)?( when| for| to)?( the)?( user)?"
    r"( asks| wants| says| needs)?( to| about)?",
    re.IGNORECASE,
)


def read_catalogue(data: Path) -> list[Row]:
    """Return the catalogue's skills (id, description, source) that may be trained on."""
    evaluated = read_rows(data / "skill_messages" / "library.jsonl")
    groups, ids = {row["group"] for row in evaluated}, {row["id"] for row in evaluated}
    fitted = {row["repo"] for row in _read_gzip(data / "skills" / "skills-md.jsonl.gz")}
    return [
        row
        for row in _read_gzip(data / "skill-catalog.jsonl.gz")
        if row["source"] not in groups and row["source"] not in fitted and row["id"] not in ids
    ]


def _read_gzip(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def make_pairs(catalogue: Iterable[Row], chance: random.Random) -> list[Pair]:
    """Return pairs of texts about one skill each: a phrase and the rest, two phrases, a sentence and the rest, ..."""
    pairs: list[Pair] = []
    for row in catalogue:
        told, name = row["description"].strip(), row["id"].replace("-", " ")
        phrases = _QUOTED.findall(told)
        if len(phrases) >= 2:
            pairs += _by_phrases(name, told, phrases, chance)
        sentences = [text.strip() for text in _SENTENCE_END.split(told) if len(text.split()) >= SENTENCE_WORDS_MIN]
        if len(sentences) >= 2:
            taken = chance.choice(sentences)
            rest = " ".join(text for text in sentences if text is not taken)
            pairs.append((_USE_WHEN.sub("", taken).strip() or taken, f"{name}. {rest}"))
        elif chance.random() < NAMES_SHARE:
            pairs.append((name, told))
    return pairs


def _by_phrases(name: str, told: str, phrases: Sequence[str], chance: random.Random) -> list[Pair]:
    rest = told
    for phrase in phrases:
        rest = re.sub(r"\s*(?:,|or|and)?\s*[\"“]" + re.escape(phrase) + r"[\"”]", "", rest)
    taken = chance.sample(phrases, min(PHRASES_A_SKILL, len(phrases)))
    pairs = [(phrase.strip(), f"{name}. {rest}") for phrase in taken]
    if len(phrases) > 2:
        first, second = chance.sample(phrases, 2)
        pairs.append((first, second))
    return pairs
