"""The users' own words for a pattern: what they said before it, as aliases, examples and a name."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wellworn.index.stemming import STOP_WORDS
from wellworn.lifecycle.miner.phrases import content_words, likeness, says_nothing, without_values

_LONGEST, _ALIAS_WORDS, _EXAMPLE_WORDS = 200, 7, 25
_ENOUGH_TELLING = 3
_MOST_EXAMPLES, _MOST_ALIASES = 15, 6
_TELLING = 3.0
_OFTEN = 0.15
_FEW = 6
_SAME_WORDING = 0.85
_PLAIN_WORD = re.compile(r"\w+")
_SPACE = re.compile(r"\s+")
_PLEASANTRIES = re.compile(
    r"^(?:(?:ok(?:ay)?|great|nice|cool|perfect|thanks|thank you|alright|right|now|and|so|then|hey|hi|please|pls|"
    r"can you|could you|would you|let's|lets|we should|i want you to|i'd like you to|go ahead and)\b[\s,.!:-]*)+"
    r"|[\s,]*\b(?:please|pls|thanks|thank you|now|then|for me|again|ok|okay)\b[\s.!?]*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Wording:
    """What people call it. aliases: short ones; examples: all different wordings, the most telling first.

    best: the one to name it by; None when none tells enough.
    """

    aliases: tuple[str, ...]
    examples: tuple[str, ...]
    best: str | None = None


def clean(text: str) -> str:
    """Return a message as one line of plain text: no control or hidden characters, no markup, cut to a length."""
    plain = "".join(" " if unicodedata.category(one)[0] == "C" else one for one in text)
    return _SPACE.sub(" ", plain.replace("`", "'")).strip()[:_LONGEST].strip()


def bare(text: str) -> str:
    """Return a request without what is only politeness around it."""
    before = ""
    while before != text:
        before, text = text, _PLEASANTRIES.sub("", text).strip()
    return text.rstrip(".!?,;: ")


@dataclass(frozen=True, slots=True)
class Said:
    """What was said before one occurrence, the nearest first. at_once: the steps began right after the nearest."""

    texts: tuple[str, ...]
    at_once: bool = False


@dataclass(frozen=True, slots=True)
class Talk:
    """What a user says in all: how many messages, how often each was sent, and in how many each word stands."""

    messages: int
    times: Counter[str]
    words: Counter[str]


def talk_of(messages: Iterable[str]) -> Talk:
    """Count messages and their words."""
    times = Counter(clean(text).lower() for text in messages)
    words: Counter[str] = Counter()
    for text, count in times.items():
        words.update(dict.fromkeys(content_words(without_values(text)), count))
    return Talk(times.total(), times, words)


def wording_of(said: Sequence[Said], elsewhere: Talk) -> Wording:
    """Choose from what was said before each occurrence.

    elsewhere: messages of the user, of all kinds. A message counts when it holds a word that is telling (said before
    several occurrences, and clearly more often there than elsewhere). Where few do, one counts as well when the steps
    began right after it and it was not said as often elsewhere. Long messages are no wording of anything.
    """
    near = [Said(tuple(_worth(one.texts)), one.at_once) for one in said]
    # One message before several occurrences is one message: only what is said anew proves anything.
    words = telling_words([*dict.fromkeys(one.texts[0] for one in near if one.texts)], elsewhere)
    times = elsewhere.times
    here = Counter(one.texts[0].lower() for one in near if one.texts)
    telling: list[tuple[float, str]] = []
    others: list[tuple[float, str]] = []
    for one in near:
        scored = [(_score(text, words), -at, text) for at, text in enumerate(one.texts) if _is_wording(text)]
        best = max(scored, default=(0.0, 0, ""))
        nearest = one.texts[0] if one.texts else ""
        if best[0] > 0:
            telling.append((best[0], best[2]))
        elif one.at_once and _is_wording(nearest) and times[nearest.lower()] <= 2 * here[nearest.lower()]:
            others.append((0.0, nearest))
    chosen = telling if len(telling) > max(_ENOUGH_TELLING, len(near) / 2) else telling + others
    ranked = [text for _, text in sorted(chosen, key=lambda item: (-item[0], len(item[1]), item[1]))]
    examples = _different(ranked, _MOST_EXAMPLES)
    aliases = _different(filter(_is_short, (bare(text) for text in examples)), _MOST_ALIASES)
    names = aliases or examples
    named = names and (telling or len(near) <= _FEW)
    return Wording(tuple(aliases), tuple(examples), names[0] if named else None)


def _worth(texts: Iterable[str]) -> Iterable[str]:
    return (plain for text in texts if (plain := clean(text)) and not says_nothing(plain))


def telling_words(here: Sequence[str], elsewhere: Talk) -> dict[str, float]:
    """Return the words that tell messages `here` from those elsewhere, each with how many times more it is used here.

    Ratio of the shares of messages with the word, each with one half added (so that few messages prove little); a word
    must be in several of them.
    """
    inside = Counter(word for text in here for word in content_words(without_values(text)))
    outside, many, others = elsewhere.words, len(here) + 1, elsewhere.messages + 1
    ratio = {
        word: ((count + 0.5) / many) / ((max(0, outside[word] - count) + 0.5) / others)
        for word, count in inside.items()
        if count >= max(2, _OFTEN * len(here))
    }
    return {word: value for word, value in ratio.items() if value >= _TELLING}


def _is_wording(text: str) -> bool:
    return 0 < len(text.split()) <= _EXAMPLE_WORDS and len(text) < _LONGEST


def _score(text: str, words: dict[str, float]) -> float:
    return sum(min(words.get(word, 0.0), 20.0) for word in content_words(without_values(text)))


def _is_short(text: str) -> bool:
    return 2 <= len(text.split()) <= _ALIAS_WORDS and text == without_values(text)


def _different(texts: Iterable[str], most: int) -> list[str]:
    kept: list[str] = []
    for text in texts:
        if not any(_alike(text, other) for other in kept):
            kept.append(text)
        if len(kept) == most:
            break
    return kept


def _alike(one: str, other: str) -> bool:
    words, others = _PLAIN_WORD.findall(one.lower()), _PLAIN_WORD.findall(other.lower())
    return words == others or likeness(words, others) >= _SAME_WORDING


def id_words(text: str, most: int = 4) -> list[str]:
    """Return the words of a text that a short id is made of."""
    words = re.findall(r"[a-z0-9]+", unicodedata.normalize("NFKD", without_values(text)).lower())
    return [word for word in words if word not in STOP_WORDS and len(word) > 1][:most]
