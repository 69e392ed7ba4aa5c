"""Where one clause ends and the next begins. Decides nothing about what a clause means."""

from __future__ import annotations

from wellworn.resolver.rules_tokens import NONE, SOFT, STRONG, Tokens
from wellworn.resolver.rules_words import (
    ACTIONS,
    AUXILIARIES,
    CONNECTORS,
    DETERMINERS,
    FILLERS,
    NEGATED_DO,
    NOUNY,
    SUBJECTS,
    VERBS,
    words_of,
)

SKIPPED = CONNECTORS | FILLERS
"""Words in front of a clause that carry nothing."""
CONDITIONS = words_of("if when once after unless before until whenever")

# After a comma these begin a clause whatever follows.
_OPENERS = words_of(
    "please can could would will let's i'd i'll don't never kindly not no without except excluding skip skipping "
    "leave leaving"
)
_POLITE_ORDERS = {
    ("go", "ahead"),
    ("feel", "free"),
    ("time", "to"),
    ("you", "can"),
    ("you", "should"),
    ("we", "should"),
    ("we", "need"),
}
_PHRASE_OPENERS = {("instead", "of"), ("be", "careful"), ("i", "repeat"), ("i", "mean"), ("be", "sure")}
_ASKING = words_of("what how when who where why")
_BUT_IS_PART = words_of("nothing anything everything everyone all none help")
_ALL = words_of("all every everything")
_LEAVING_OUT = words_of("skip omit exclude")
_LEADS = (
    ("for", "now"),
    ("after", "that"),
    ("after", "this"),
    ("once", "done"),
    ("when", "done"),
    ("when", "finished"),
    ("at", "least"),
    ("of", "all"),  # first
    ("whatever", "happens"),
    ("from", "now", "on"),
    ("for", "god's", "sake"),
    ("for", "the", "love", "of", "god"),
)
_LEAD_HEADS = frozenset(lead[0] for lead in _LEADS)
_NEEDLESS = (
    ("no", "need", "to"),
    ("no", "need", "for"),
    ("there's", "no", "need", "to"),
    ("there's", "no", "need", "for"),
    ("there", "is", "no", "need", "to"),
    ("there", "is", "no", "need", "for"),
)
_JUST = words_of("just instead only please don't never do")
_NOT_AN_OBJECT = words_of("of is are was were or to than as") | AUXILIARIES


def split_clauses(tokens: Tokens, also: frozenset[int] = frozenset()) -> list[tuple[int, int]]:
    """Spans of words, in order, that together cover every word. `also`: words that begin a clause in any case."""
    count = len(tokens.words)
    bounds = [0]
    for i in range(1, count):
        if i in tokens.quoted and i - 1 in tokens.quoted:
            continue
        if tokens.pauses[i - 1] == STRONG or i in also or _begins_clause(tokens, bounds[-1], i):
            bounds.append(i)
    return list(zip(bounds, [*bounds[1:], count], strict=True)) if count else []


def _begins_clause(tokens: Tokens, start: int, i: int) -> bool:
    words, pause = tokens.words, tokens.pauses[i - 1]
    word, before = words[i], words[i - 1]
    if word == "but":
        part = before in _BUT_IS_PART or words[i + 1 : i + 3] == ("not", "limited") or all_but(words, start, i)
        return not part and not _also(words, start, i)
    if word == "then" and before != "and":
        return pause == SOFT or words[start] in CONDITIONS or begins_order(tokens, i + 1)
    if word == "and":
        return _begins_after_and(tokens, start, i)
    if word == "so" and pause == NONE:
        return begins_order(tokens, i + 1, listed=True)
    if pause == NONE and word in ("don't", "never", "do"):
        return _negation_unmarked(words, start, i)
    return pause == SOFT and _begins_after_comma(tokens, start, i)


def _negation_unmarked(words: tuple[str, ...], start: int, i: int) -> bool:
    """ "squash don't merge", as dictated; but not "list the hooks that don't run"."""
    length = negation_length(words, i)
    ordered = _first_word(words, start) in VERBS and words[i - 1] not in SUBJECTS
    return length > 0 and ordered and words[i + length : i + length + 1] != () and words[i + length] in ACTIONS


def all_but(words: tuple[str, ...], start: int, i: int) -> bool:
    """ "all tests but the slow ones": the "but" at `i` leaves something out."""
    named = words[i + 1 : i + 2] in (("the",), ("those",), ("these",))
    return named and not _ALL.isdisjoint(words[max(start, i - 4) : i])


def _also(words: tuple[str, ...], start: int, i: int) -> bool:
    """ "not only X but also Y" is one clause."""
    return words[i + 1 : i + 2] == ("also",) or any(words[k : k + 2] == ("not", "only") for k in range(start, i))


def _first_word(words: tuple[str, ...], start: int) -> str:
    """The first word that is no filler; "" when all are."""
    at = skip(words, start, SKIPPED)
    return words[at] if at < len(words) else ""


def _begins_after_and(tokens: Tokens, start: int, i: int) -> bool:
    words = tokens.words
    if words[i + 1 : i + 2] == ("then",):
        return True
    if words[start] in SUBJECTS and negation_length(words, i + 1):
        return False  # "they are slow and don't help": the subject goes on
    if _first_word(words, start) in _LEAVING_OUT:
        return begins_order(tokens, i + 1)
    return begins_order(tokens, i + 1, listed=True) and not _negation_reaches(tokens, start, i)


def _negation_reaches(tokens: Tokens, start: int, i: int) -> bool:
    """ "don't publish and tag": without a comma, and without "just" or a second "don't", the negation goes on."""
    if tokens.pauses[i - 1] != NONE or not negation_length(tokens.words, skip(tokens.words, start, SKIPPED)):
        return False
    return not (i + 1 < len(tokens.words) and tokens.words[i + 1] in _JUST)


def _begins_after_comma(tokens: Tokens, start: int, i: int) -> bool:
    words = tokens.words
    word = words[i]
    if words[start] in CONDITIONS or (word in _OPENERS and words[i - 1] != "not"):
        return True
    if all(words[k] in SKIPPED for k in range(start, i)):
        return word not in SKIPPED
    if word in _ASKING:
        return any(k in tokens.asked for k in range(i, len(words)))
    first = skip(words, start, SKIPPED)
    if negation_length(words, first) and _listed(tokens, i):
        return False
    return begins_order(tokens, i) or words[i : i + 2] in _PHRASE_OPENERS


def _listed(tokens: Tokens, i: int) -> bool:
    """A bare verb in a list: "don't tag, push, or publish"."""
    if tokens.words[i] == "or":
        return True
    return i + 1 < len(tokens.words) and (tokens.pauses[i] == SOFT or tokens.words[i + 1] in ("or", "nor"))


def begins_order(tokens: Tokens, i: int, *, listed: bool = False) -> bool:
    """Whether an imperative, or its negation, begins at word `i` (after words such as "also" or "please").

    With `listed` the verb needs an object, because "lint and test" may be one thing.
    """
    words = tokens.words
    i = after_lead(words, skip(words, i, SKIPPED))
    if i >= len(words) or i in tokens.quoted:
        return False
    word, following = words[i], words[i + 1 : i + 2]
    if negation_length(words, i) or word == "let's" or (word in ("can", "could", "would") and following == ("you",)):
        return True
    if word not in VERBS:
        return (word, *following) in _POLITE_ORDERS
    if not following or tokens.pauses[i] != NONE:
        return not listed and word in ACTIONS
    if word in NOUNY:
        return following[0] in DETERMINERS or following[0][0] in "/'\"`$@"
    return following[0] not in _NOT_AN_OBJECT


def skip(words: tuple[str, ...], i: int, what: frozenset[str]) -> int:
    """The first place from `i` on whose word is not in `what`."""
    while i < len(words) and words[i] in what:
        i += 1
    return i


def after_lead(words: tuple[str, ...], i: int) -> int:
    """Past words that only place an order in time or stress it: "after that", "for now", "first of all"."""
    if i < len(words) and words[i] in _LEAD_HEADS:
        for lead in _LEADS:
            if words[i : i + len(lead)] == lead:
                return skip(words, i + len(lead), SKIPPED)
    return i


def negation_length(words: tuple[str, ...], i: int) -> int:
    """How many words from `i` on negate an order ("don't" 1, "do not" 2, "no need to" 3); 0 for none."""
    head = words[i : i + 2]
    if not head:
        return 0
    if head in (
        ("do", "not"),
        ("do", "never"),
        ("let's", "not"),
        ("let's", "don't"),
        ("please", "not"),
        ("don't", "ever"),
        ("never", "ever"),
    ):
        return 2
    if words[i : i + 3] in (("under", "no", "circumstances"), ("under", "no", "circumstance")):
        return 3
    if head[0] in NEGATED_DO:
        return 1
    if head[0] in ("no", "there's", "there"):
        return next((len(opening) for opening in _NEEDLESS if words[i : i + len(opening)] == opening), 0)
    return 0
