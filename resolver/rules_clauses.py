"""Where one clause ends and the next begins. Decides nothing about what a clause means."""

from __future__ import annotations

from wellworn.resolver.rules_tokens import SOFT, STRONG, Tokens
from wellworn.resolver.rules_words import (
    AUXILIARIES,
    CONNECTORS,
    DETERMINERS,
    FILLERS,
    MODALS_NOT,
    NEGATED_DO,
    NOUNY,
    SUBJECTS,
    VERBS,
    words_of,
)

_OPENERS = words_of(
    "please can could would will let's i i'd i'll i'm you we don't do never kindly just why what how when who where is"
)
_CONDITIONS = words_of("if when once after unless before until whenever as")
_SKIPPED = CONNECTORS | FILLERS
_BUT_IS_PART = words_of("nothing anything everything everyone all none help")


def split_clauses(tokens: Tokens) -> list[tuple[int, int]]:
    """Spans of words, in order, that together cover every word."""
    count = len(tokens.words)
    bounds = [0]
    for i in range(1, count):
        if i in tokens.quoted and i - 1 in tokens.quoted:
            continue
        if _begins_clause(tokens, bounds[-1], i):
            bounds.append(i)
    return list(zip(bounds, [*bounds[1:], count], strict=True)) if count else []


def _begins_clause(tokens: Tokens, start: int, i: int) -> bool:
    words = tokens.words
    word, pause = words[i], tokens.pauses[i - 1]
    if pause == STRONG:
        return True
    if word == "but":
        return words[i - 1] not in _BUT_IS_PART and not (pause == SOFT and _only_before(words, start, i))
    if word == "then":
        return words[i - 1] != "and" and (pause == SOFT or begins_order(tokens, i + 1) or words[start] in _CONDITIONS)
    if word == "and":
        return _begins_after_and(tokens, start, i, pause)
    if pause == SOFT:
        return _begins_after_comma(tokens, start, i)
    return False


def _only_before(words: tuple[str, ...], start: int, i: int) -> bool:
    """ "not only X, but also Y" is one clause."""
    return any(words[k] in ("only", "just") and k > start and words[k - 1] == "not" for k in range(start, i))


def _begins_after_and(tokens: Tokens, start: int, i: int, pause: int) -> bool:
    words = tokens.words
    if i + 1 >= len(words):
        return False
    if words[i + 1] == "then":
        return True
    return begins_order(tokens, i + 1, listed=True) and not _negated_before(tokens, start, i, pause)


def _negated_before(tokens: Tokens, start: int, i: int, pause: int) -> bool:
    """ "don't publish and tag": without a comma the negation reaches over the "and"."""
    if pause != 0:
        return False
    first = skip(tokens.words, start, _SKIPPED)
    if not (negation_length(tokens.words, first) and first < i):
        return False
    following = tokens.words[skip(tokens.words, i, frozenset({"and"})) :][:1]
    return not (following and following[0] in ("just", "instead", "only", "please", "don't", "never", "do"))


def _begins_after_comma(tokens: Tokens, start: int, i: int) -> bool:
    words = tokens.words
    if words[start] in _CONDITIONS:
        return True
    if all(word in _SKIPPED for word in words[start:i]):
        return words[i] not in _SKIPPED
    if words[i] in ("not", "no", "without", "except", "excluding", "instead", "skip", "skipping", "leave"):
        return words[i] != "instead" or (i + 1 < len(words) and words[i + 1] != "of")
    if words[i] in _OPENERS and words[i] not in (
        "i",
        "you",
        "we",
        "i'm",
        "is",
        "do",
        "what",
        "how",
        "when",
        "who",
        "where",
    ):
        return True
    if words[i] in ("what", "how", "when", "who", "where", "why") and any(
        k in tokens.asked for k in range(i, len(words))
    ):
        return True
    if words[i] == "do" and i + 1 < len(words) and words[i + 1] == "not":
        return True
    if negation_length(words, skip(words, start, _SKIPPED)) and _listed_verb(tokens, i):
        return False
    return begins_order(tokens, i)


def _listed_verb(tokens: Tokens, i: int) -> bool:
    """A bare verb in a list: "don't tag, push, or publish"."""
    nxt = i + 1
    return nxt >= len(tokens.words) or tokens.pauses[i] == SOFT or tokens.words[nxt] in ("or", "nor")


def begins_order(tokens: Tokens, i: int, *, listed: bool = False) -> bool:
    """Whether an imperative, or its negation, begins at word `i` (after words such as "also" or "please").

    With `listed` the verb needs an object, because "lint and test" may be one thing.
    """
    words = tokens.words
    i = skip(words, i, _SKIPPED)
    if i >= len(words):
        return False
    if negation_length(words, i):
        return True
    if words[i] in ("let's", "can", "could", "would") and listed:
        return i + 1 < len(words) and (words[i] == "let's" or words[i + 1] == "you")
    if words[i] not in VERBS or i in tokens.quoted:
        return False
    bare = i + 1 >= len(words) or tokens.pauses[i] > 0
    if bare:
        return not listed and words[i] not in ("please",)
    if words[i] in NOUNY:
        return words[i + 1] in DETERMINERS or words[i + 1][0] in "/'\"`$@"
    return words[i + 1] not in ("of", "is", "are", "was", "were", "or") and words[i + 1] not in AUXILIARIES


def skip(words: tuple[str, ...], i: int, what: frozenset[str]) -> int:
    """The first place from `i` on whose word is not in `what`."""
    while i < len(words) and words[i] in what:
        i += 1
    return i


def negation_length(words: tuple[str, ...], i: int) -> int:
    """How many words from `i` on negate an order ("don't" 1, "do not" 2, "no need to" 3); 0 for none."""
    if i >= len(words):
        return 0
    word = words[i]
    nxt = words[i + 1] if i + 1 < len(words) else ""
    if word in NEGATED_DO:
        return 2 if nxt == "ever" else 1
    if word == "do" and nxt in ("not", "never"):
        return 2
    if word in ("please", "kindly") and nxt in ("not", "no"):
        return 2 if nxt == "not" else 0
    if word == "let's" and nxt in ("not", "don't", "never"):
        return 2
    if word == "no" and nxt == "need":
        return 3 if i + 2 < len(words) and words[i + 2] in ("to", "for") else 0
    if word in MODALS_NOT and nxt not in SUBJECTS:
        return 0
    return 0
