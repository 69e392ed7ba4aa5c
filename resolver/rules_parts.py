"""What each clause of a message is: a request, something ruled out, a question about work, a statement, small talk."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wellworn.resolver.rules_clauses import CONDITIONS, SKIPPED, skip, split_clauses
from wellworn.resolver.rules_exclusions import Negated, negated_order, omissions
from wellworn.resolver.rules_foreign import foreign_negation, foreign_starts, may_negate
from wellworn.resolver.rules_mentions import greeting, mention
from wellworn.resolver.rules_questions import question_about
from wellworn.resolver.rules_tokens import NONE, SOFT, Tokens
from wellworn.resolver.rules_words import DETERMINERS, EMPTY_OPENERS, VERBS, words_of

QUOTED_TALK = 0.7
LONGEST_QUOTED_TALK = 12
"""Words of a clause that may be somebody else's words and nothing more."""

_LABELS = words_of("note notes warning important reminder rule caution nb ps p.s attention remember careful")
_SAID = words_of("said says wrote told shouted replied mentioned saying")
_POLITE = (
    ("can", "you"),
    ("could", "you"),
    ("would", "you", "mind"),
    ("would", "you"),
    ("will", "you"),
    ("can't", "you"),
    ("couldn't", "you"),
    ("won't", "you"),
    ("why", "don't", "you"),
    ("why", "don't", "we"),
    ("why", "not"),
    ("are", "you", "able", "to"),
    ("is", "it", "possible", "to"),
    ("i", "want", "you", "to"),
    ("i", "need", "you", "to"),
    ("i", "would", "like", "you", "to"),
    ("i'd", "like", "you", "to"),
    ("i", "would", "like", "to"),
    ("i'd", "like", "to"),
    ("i", "want", "to"),
    ("i", "need", "to"),
    ("i'm", "trying", "to"),
    ("we", "should"),
    ("we", "need", "to"),
    ("you", "can"),
    ("you", "should"),
    ("let's",),
    ("let", "us"),
    ("help", "me"),
    ("go", "ahead", "and"),
    ("feel", "free", "to"),
    ("time", "to"),
)
_EMPTY = {
    ("do", "not"),
    ("don't",),
    ("i", "repeat"),
    ("never",),
    ("i", "mean"),
    ("you", "know"),
    ("no",),
    ("wait",),
    ("stop",),
    ("hold", "on"),
    ("hang", "on"),
    ("scratch", "that"),
    ("cancel", "that"),
    ("for", "now"),
    ("whatever", "you", "do"),
    ("curious",),
}
"""Clauses that say nothing themselves: the one behind them does."""
_WISHES = {("i", "want"), ("i", "need"), ("we", "want"), ("we", "need"), ("i'd", "like")}
_POLITE_HEADS = frozenset(opening[0] for opening in _POLITE)


@dataclass(frozen=True, slots=True)
class Part:
    """Words `first..last-1` and what they are; `objects` are the spans of what is ruled out."""

    first: int
    last: int
    kind: str
    certainty: float = 0.0
    objects: tuple[tuple[int, int], ...] = ()


def read_parts(tokens: Tokens) -> list[Part]:
    """Every word belongs to one part. What is ruled out of nothing is a prohibition."""
    parts: list[Part] = []
    after_order = False
    foreign = may_negate(tokens)
    spans = split_clauses(tokens, foreign_starts(tokens) if foreign else frozenset())
    for first, last in spans:
        negated = foreign_negation(tokens, first, last) if foreign else None
        found = _excluding(negated) if negated else _judge(tokens, first, last, after_order=after_order)
        # A run of exclusions hangs on the one order before it.
        asked = any(part.kind == "request" for part in found) and orders(tokens, first, last)
        after_order = asked or (after_order and found[0].kind == "excluded")
        parts.extend(found)
    if any(part.kind == "request" for part in parts):
        return parts
    return [replace(part, kind="prohibition") if part.kind == "excluded" else part for part in parts]


def _judge(tokens: Tokens, first: int, last: int, *, after_order: bool) -> list[Part]:
    """What one clause is; an order may hold parts that it leaves out."""
    clause = tokens.words[skip(tokens.words[:last], first, SKIPPED) : last]
    if greeting(tokens.words[first:last]) or greeting(clause):
        return [Part(first, last, "greeting")]
    if (
        not clause
        or clause in _EMPTY
        or (len(clause) == 1 and clause[0] in _LABELS and tokens.pauses[last - 1] == SOFT)
    ):
        return [Part(first, last, "filler")]
    negated = negated_order(tokens, first, last, after_order=after_order)
    if negated:
        return _excluding(negated)
    talk = _talk(tokens, clause, first, last)
    if talk:
        return [talk]
    if clause[0] in CONDITIONS and last < len(tokens.words) and tokens.pauses[last - 1] <= SOFT:
        return [Part(first, last, "conditional")]
    # "... but this time without deploying" hangs on the order before it.
    leaves_out = orders(tokens, first, last) or (after_order and tokens.words[first] == "but")
    return _with_omissions(tokens, first, last) if leaves_out else [Part(first, last, "request")]


def _excluding(negated: Negated) -> list[Part]:
    kind = "prohibition" if negated.standing else "excluded"
    return [Part(negated.first, negated.last, kind, negated.certainty, negated.objects)]


def _talk(tokens: Tokens, clause: tuple[str, ...], first: int, last: int) -> Part | None:
    certainty = question_about(clause)
    if certainty:
        return Part(first, last, "question", certainty)
    if last - 1 in tokens.asked:
        return None
    begin = last - len(clause)
    if begin > first and (tokens.words[begin - 1] in ("just", "already", "finally") or clause[0] == "for"):
        clause = tokens.words[begin - 1 : last]
    certainty = _reports_a_quote(tokens, begin, last) or mention(clause)
    return Part(first, last, "mention", certainty) if certainty else None


def _reports_a_quote(tokens: Tokens, begin: int, last: int) -> float:
    """ "he said 'don't deploy'": somebody else's words, and nothing after them."""
    if (
        last - begin > LONGEST_QUOTED_TALK
        or tokens.quoted.isdisjoint(range(begin, last))
        or tokens.words[begin] in VERBS
    ):
        return 0.0
    return QUOTED_TALK if any(tokens.words[i] in _SAID and i not in tokens.quoted for i in range(begin, last)) else 0.0


def _with_omissions(tokens: Tokens, first: int, last: int) -> list[Part]:
    parts: list[Part] = []
    place = first
    for left_out in omissions(tokens, skip(tokens.words[:last], first, SKIPPED - {"instead"}), last):
        if left_out.first > place:
            parts.append(Part(place, left_out.first, "request"))
        parts.append(Part(left_out.first, left_out.last, "excluded", left_out.certainty, left_out.objects))
        place = left_out.last
    if place < last:
        parts.append(Part(place, last, "request"))
    return parts


def orders(tokens: Tokens, first: int, last: int) -> bool:
    """Whether a clause asks for something to be done, in words that take an omission."""
    words = tokens.words[:last]
    begin = skip(words, first, SKIPPED)
    opening = words[skip(words, first, SKIPPED - {"instead"}) :][:1]
    if opening and opening[0] in ("instead", "rather"):
        return True
    if begin < last and words[begin] == "do":
        return begin + 1 < last and words[begin + 1] in DETERMINERS
    if words[begin : begin + 2] in _WISHES:
        return True
    return begin < last and (words[begin] in VERBS or polite_length(words, begin) > 0)


def polite_length(words: tuple[str, ...], i: int) -> int:
    """How many words from `i` on only wrap a request ("could you", "i would like to")."""
    if i >= len(words) or words[i] not in _POLITE_HEADS:
        return 0
    return next((len(opening) for opening in _POLITE if words[i : i + len(opening)] == opening), 0)


def wish_begins(words: tuple[str, ...]) -> bool:
    """ "I need a changelog": a wish for a thing."""
    return words[:2] in _WISHES and len(words) > 2


def asking_begins(tokens: Tokens, part: Part) -> int:
    """The first telling word of a part: after fillers and politeness; `part.last` when there is none."""
    words = tokens.words[: part.last]
    first = _skip_empty(tokens, part.first, part.last)
    if part.kind == "request":
        for _ in range(2):
            first = _skip_empty(tokens, first + polite_length(words, first), part.last)
    return first


def _skip_empty(tokens: Tokens, first: int, last: int) -> int:
    """Past words that say nothing; a filler such as "great" or "next" says nothing only with a pause behind it."""
    while first < last:
        word = tokens.words[first]
        if word not in EMPTY_OPENERS and not (word in SKIPPED and tokens.pauses[first] != NONE and first + 1 < last):
            break
        first += 1
    return first
