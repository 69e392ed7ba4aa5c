"""What a message says is not to be done: negated orders, standing prohibitions, "without", "instead of", "except"."""

from __future__ import annotations

from dataclasses import dataclass

from wellworn.resolver.rules_clauses import begins_order, negation_length, skip
from wellworn.resolver.rules_tokens import Tokens
from wellworn.resolver.rules_words import (
    ACTIONS,
    AFFIRMED,
    CONNECTORS,
    FILLERS,
    GERUNDS,
    NEGATED_DO,
    OMITTED,
    OMITTED_GERUNDS,
    OMITTED_NOUNS,
    PASTS,
    SUBJECTS,
    VERBS,
    words_of,
)

_SKIPPED = CONNECTORS | FILLERS
_OBJECT_ENDS = words_of(
    "until unless without before because since so if when till as while whenever otherwise though although even "
    "after during"
)
_TRAILING = words_of("please yet though either now thanks anymore ok okay too at all again just then and or")
_TO = frozenset({"to"})
_BE_CAREFUL = words_of("sure careful certain")
_MUST_NOT = words_of("shouldn't mustn't mayn't")
_MUST = words_of("should must may can shall")
_PASSIVE_LIMIT = 12
LONGEST_OBJECT = 14
"""Words of an excluded object; what is longer is no longer one."""

CERTAIN, LIKELY = 1.0, 0.7


@dataclass(frozen=True, slots=True)
class Negated:
    """Words `first..last-1` are not to be done; `objects` are spans of words; `standing` for a rule that always holds."""

    first: int
    last: int
    objects: tuple[tuple[int, int], ...]
    certainty: float
    standing: bool = False


def negated_order(tokens: Tokens, first: int, last: int, *, after_order: bool) -> Negated | None:
    """The prohibition that a whole clause is, or None. `after_order`: something was asked for before it."""
    words = tokens.words[:last]
    begin = skip(words, first, _SKIPPED)
    if (
        begin >= last
        or begin in tokens.quoted
        or (last - 1 in tokens.asked and words[begin] not in ("can", "could", "would"))
    ):
        return None
    place, standing = _negated_place(words, begin)
    if not place and after_order:
        place = _left_out(words, begin)
        if place and place < last:
            return _negated(tokens, first, last, place, CERTAIN, standing=False)
        place = 0
    if place and place < last:
        return _from_verb(tokens, first, last, place, standing=standing)
    return _action_unwanted(tokens, first, last, begin)


def _from_verb(tokens: Tokens, first: int, last: int, place: int, *, standing: bool) -> Negated | None:
    words = tokens.words
    if words[place] == "bother" or (words[place] == "worry" and words[place + 1 : place + 2] == ("about",)):
        place = skip(words[:last], place + 1, frozenset({"to", "with", "about"}))
        return _negated(tokens, first, last, place, CERTAIN, standing=False) if place < last else None
    if words[place] in AFFIRMED or words[place] in SUBJECTS:
        return None
    known = _base(words[place]) in OMITTED or words[place] in VERBS
    if standing and not known:
        return None  # "never received it"
    return _negated(tokens, first, last, place, CERTAIN if known else LIKELY, standing=standing)


def _base(word: str) -> str:
    return OMITTED_GERUNDS.get(word, word)


def _negated_place(words: tuple[str, ...], i: int) -> tuple[int, bool]:
    """Where the verb of a negated order stands (0 for none), and whether the order is a standing one."""
    length = negation_length(words, i)
    if length:
        place = (
            skip(words, i + length, frozenset({"ever", "please", "just"}) if words[i] != "no" else _TO)
            if False
            else i + length
        )
        if words[place : place + 2] == ("you", "dare"):
            place += 2
        elif words[place : place + 1] == ("ever",):
            place += 1
        return place, words[i] == "never" or "ever" in words[i:place] or "never" in words[i:place]
    place = _after_careful(words, i) or _after_polite(words, i) or _after_wish(words, i)
    if place:
        return place, False
    place = _after_duty(words, i)
    return (place, True) if place else (0, False)


def _after_careful(words: tuple[str, ...], i: int) -> int:
    """ "make sure (that) you don't X", "be careful not to X", "try not to X", "ensure you never X"."""
    k = i
    if words[k] in ("make", "be") and words[k + 1 : k + 2] and words[k + 1] in _BE_CAREFUL:
        k += 2
    elif words[k] in ("ensure", "try", "remember", "beware"):
        k += 1
    else:
        return 0
    k = skip(words, k, frozenset({"that", "you", "we", "to"}))
    if words[k : k + 2] == ("not", "to") or words[k : k + 2] == ("do", "not"):
        return k + 2
    if words[k : k + 1] and words[k] in NEGATED_DO:
        return k + 1
    return k + 1 if words[k : k + 1] == ("not",) else 0


def _after_polite(words: tuple[str, ...], i: int) -> int:
    """ "can you (please) not X", "i'd rather you didn't X"."""
    if words[i] in ("can", "could", "would") and words[i + 1 : i + 2] == ("you",):
        k = skip(words, i + 2, frozenset({"please", "just", "maybe"}))
        return k + 1 if words[k : k + 1] == ("not",) else 0
    if words[i : i + 4] == ("i'd", "rather", "you", "didn't"):
        return i + 4
    if words[i : i + 5] == ("i", "would", "rather", "you", "didn't"):
        return i + 5
    return 0


def _after_wish(words: tuple[str, ...], i: int) -> int:
    """ "i don't want (you) to X", "i told you not to X", "you don't need to X", "we don't have to X" with an action X."""
    head = words[i : i + 2]
    if (
        head in (("i", "don't"), ("we", "don't"), ("you", "don't"))
        and words[i + 2 : i + 3]
        and words[i + 2] in ("want", "need", "have")
    ):
        k = skip(words, i + 3, frozenset({"you", "this", "it", "that", "us"}))
        if words[k : k + 1] != ("to",) or k + 1 >= len(words):
            return 0
        wanted_by_other = k > i + 3 or head[0] == "you"
        return k + 1 if words[k + 1] in (OMITTED if wanted_by_other else ACTIONS) else 0
    for k in range(i + 1, min(i + 7, len(words) - 2)):
        if words[k] in ("told", "asked", "said", "says") and words[k + 1 : k + 3] == ("not", "to"):
            return k + 3
        if words[k] in ("told", "asked") and words[k + 2 : k + 4] == ("not", "to"):
            return k + 4
    return 0


def _after_duty(words: tuple[str, ...], i: int) -> int:
    """ "you must not X", "we never X", "nobody may X", "the package should not be published"."""
    for k in range(i + 1, min(i + _PASSIVE_LIMIT, len(words) - 1)):
        place = 0
        if words[k] in _MUST_NOT or (words[k] == "never" and words[i] in ("we", "you", "one")):
            place = k + 1
        elif words[k] in _MUST and words[k + 1] in ("not", "never"):
            place = k + 2
        elif words[k] in _MUST and words[i] in ("nobody", "nothing", "no", "none"):
            place = k + 1
        if place and words[place : place + 1] == ("be",):
            return i if words[place + 1 : place + 2] and words[place + 1] in PASTS else 0
        if place and place < len(words):
            return (
                place
                if words[place] in ACTIONS and words[i] not in ("why", "what", "when", "how", "i", "should")
                else 0
            )
    return 0


def _left_out(words: tuple[str, ...], i: int) -> int:
    """After an order: "skip X", "leave out X", "not X", "no X", "nothing else"."""
    if words[i] in ("skip", "skipping", "omit", "omitting", "exclude", "excluding", "not", "minus", "except"):
        if words[i + 1 : i + 2] and words[i + 1] in (
            "only",
            "just",
            "sure",
            "yet",
            "now",
            "working",
            "a",
            "in",
            "to",
            "on",
            "with",
            "as",
            "for",
        ):
            return (
                i + 2
                if words[i] == "except" and words[i + 1] == "for"
                else (i + 1 if words[i] == "not" and words[i + 1] in ("a", "in", "to", "on") else 0)
            )
        return i + 1
    if words[i : i + 2] in (("leave", "out"), ("leaving", "out")):
        return i + 2
    if words[i] == "no" and words[i + 1 : i + 2] and (words[i + 1] in OMITTED_GERUNDS or words[i + 1] in OMITTED_NOUNS):
        return i + 1
    return 0


def _action_unwanted(tokens: Tokens, first: int, last: int, i: int) -> Negated | None:
    """ "avoid publishing", "hold off on the deploy", "stop pushing to main", "no deploys today" as a whole clause."""
    words = tokens.words[:last]
    k = 0
    if words[i] in ("avoid", "no"):
        k = i + 1
    elif words[i : i + 2] == ("refrain", "from"):
        k = i + 2
    elif words[i : i + 2] in (("hold", "off"), ("holding", "off")):
        k = i + 2 + (words[i + 2 : i + 3] in (("on",), ("with",), ("from",)))
    elif words[i] in ("stop", "quit"):
        return (
            _negated(tokens, first, last, i + 1, CERTAIN, standing=False)
            if words[i + 1 : i + 2] and words[i + 1] in GERUNDS
            else None
        )
    if not k or k >= last:
        return None
    k = skip(words, k, frozenset({"the", "a", "any", "more"}))
    if k < last and (words[k] in GERUNDS or words[k] in OMITTED_NOUNS or words[k].rstrip("s") in ACTIONS):
        return _negated(tokens, first, last, k, CERTAIN, standing=False)
    return None


def _negated(tokens: Tokens, first: int, last: int, place: int, certainty: float, *, standing: bool) -> Negated:
    return Negated(first, last, _objects(tokens, place, last), certainty, standing)


def omissions(tokens: Tokens, first: int, last: int) -> list[Negated]:
    """Parts of an order that it leaves out: "... without tagging", "... instead of npm", "... except the docs"."""
    words = tokens.words
    found: list[Negated] = []
    k = first
    while k < last - 1:
        place = 0 if k in tokens.quoted else _omission_place(words[:last], first, k)
        if not place or place >= last:
            k += 1
            continue
        end = place + 1
        while (
            end < last
            and not tokens.pauses[end - 1]
            and words[end] not in _OBJECT_ENDS
            and not begins_order(tokens, end, listed=True)
        ):
            end += 1
        if end - place <= LONGEST_OBJECT:
            found.append(Negated(k, end, _objects(tokens, place, end), CERTAIN))
        k = end
    return found


def _omission_place(words: tuple[str, ...], first: int, k: int) -> int:
    """Where the object of an omission that begins at `k` stands; 0 for none."""
    word, nxt = words[k], words[k + 1]
    if word == "without":
        noun = skip(words, k + 1, frozenset({"a", "an", "the", "any", "its", "also", "actually"}))
        if noun >= len(words) or words[noun] in ("skipping", "forgetting", "omitting"):
            return 0
        action = words[noun] in OMITTED_GERUNDS or words[noun].removeprefix("force-") in OMITTED_GERUNDS
        return k + 1 if action or words[noun] in OMITTED_NOUNS else 0
    if (word, nxt) in (("instead", "of"), ("other", "than"), ("apart", "from"), ("aside", "from")):
        return k + 2
    if (word, nxt) == ("rather", "than"):
        return 0 if k > first and words[k - 1] in ("would", "i'd") else k + 2
    if word in ("except", "excluding", "excl"):
        return k + 1 + (nxt == "for")
    if word in ("and", "but") and nxt == "not":
        return k + 2 if words[k + 2 : k + 3] and words[k + 2] not in ("only", "just") else 0
    if word in ("everything", "all", "anything") and nxt == "but":
        return k + 2
    if word in ("skipping", "omitting") and k > first:
        return k + 1
    return k + 2 if (word, nxt) == ("leaving", "out") else 0


def _objects(tokens: Tokens, place: int, last: int) -> tuple[tuple[int, int], ...]:
    """Spans of what is not to be done: cut at "until", split at "or", without trailing "please" and "yet"."""
    words = tokens.words
    end = place + 1
    while end < last and end - place < LONGEST_OBJECT and words[end] not in _OBJECT_ENDS:
        end += 1
    spans: list[tuple[int, int]] = []
    start = place
    for k in range(place, end):
        parted = words[k] in ("or", "nor", "and") and k > start and _acts(words, k + 1, end)
        listed = k > start and tokens.pauses[k - 1] > 0 and _acts(words, k, end)
        if parted or listed:
            spans.append((start, k))
            start = k + parted
    spans.append((start, end))
    return tuple(span for span in (_trim(words, *span) for span in spans) if span[0] < span[1])


def _acts(words: tuple[str, ...], k: int, end: int) -> bool:
    return k < end and (words[k] in VERBS or words[k] in OMITTED_GERUNDS or words[k] in OMITTED_NOUNS)


def _trim(words: tuple[str, ...], start: int, end: int) -> tuple[int, int]:
    while start < end and words[start] in ("or", "nor", "and", "also", "even"):
        start += 1
    while start < end and words[end - 1] in _TRAILING:
        end -= 1
    return start, end
