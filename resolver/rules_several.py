"""Which requests of a message stand on their own: within a sentence, sentence by sentence, or item by item.

In a message of at most `SEVERAL_LIMIT` words every order counts. In a longer one the orders of a sentence are steps of
one task, and a sentence that begins with an order counts once. What only tells how ("use tabs") and what only tells
why ("the build is red") is no request of its own; an order that points back ("fix it") takes the statement before it
along.
"""

from __future__ import annotations

from wellworn.resolver.rules_clauses import SKIPPED, after_lead, skip
from wellworn.resolver.rules_parts import Part, asking_begins, polite_length, wish_begins
from wellworn.resolver.rules_tokens import NONE, STRONG, Tokens
from wellworn.resolver.rules_words import DETAILS, VERBS, words_of

SEVERAL_LIMIT = 30
"""Words of a message from which on the orders of one sentence are steps of one task."""
LONGEST_REASON = 30
"""Words of a statement that an order may take along."""

_POINTERS = words_of("it this that them these those up out now please too again asap then first thanks one some for me")
_HEDGES = words_of("like just also please maybe quickly again then actually")
_ADDING = words_of("also plus additionally furthermore moreover besides second secondly then next finally lastly")
_OTHERS = words_of("them him her")


def separate_requests(tokens: Tokens, parts: list[Part]) -> tuple[str, ...]:
    """Texts of two or more separate requests, each a piece of the message; none when there are fewer."""
    if len(parts) < 2:
        return ()
    long = len(tokens.words) > SEVERAL_LIMIT
    found: list[str] = []
    wish = ""  # a thing that was wanted: another request if the next one is called another
    reason = -1  # where the statement before begins
    nested = False  # "shows me how to merge, split and extract": verbs of one order
    since = 0  # the first word behind the last clause that says something
    fresh = True  # nothing but small talk and conditions stands before in the sentence
    for place, part in enumerate(parts):
        if part.kind == "request":
            first = _telling_word(tokens, part)
            words = tokens.words[first : part.last]
            added = not _ADDING.isdisjoint(tokens.words[since:first])
            wanted = wish_begins(words) and (not found or added)
            order = _is_order(words) or (wanted and added)
            if order and (fresh or not long) and not nested and not _shares_object(tokens, part, words):
                begin = _with_reason(tokens, words, first, reason)
                last = _sentence_end(tokens, parts, place) if long else part.last
                found += [*filter(None, (wish if added else "",)), tokens.slice(begin, last)]
                wish = ""
            elif wanted:
                wish = tokens.slice(first, part.last)
            reason = -1 if order else (part.first if reason < 0 else reason)
            nested = nested or any(words[i] == "to" and words[i + 1] in VERBS for i in range(len(words) - 1))
            fresh, since = False, part.last
        elif part.kind not in ("filler", "greeting"):
            reason, since = -1, part.last
            fresh = fresh and part.kind in ("conditional", "excluded")
        if tokens.pauses[part.last - 1] == STRONG:
            nested, fresh = False, True
    return tuple(found) if len(found) > 1 else ()


def _shares_object(tokens: Tokens, part: Part, words: tuple[str, ...]) -> bool:
    """ "lint and test it": the first verb alone is no request."""
    return (
        len(words) == 1 and tokens.pauses[part.last - 1] == NONE and tokens.words[part.last : part.last + 1] == ("and",)
    )


def _telling_word(tokens: Tokens, part: Part) -> int:
    """The first word behind "first", "after that", "could you" and the like; the part's end when there is none."""
    words = tokens.words[: part.last]
    first = after_lead(words, skip(words, asking_begins(tokens, part), SKIPPED))
    polite = polite_length(words, first)
    asked = polite > 0 or first > part.first
    return skip(words, first + polite, _HEDGES if asked else SKIPPED)


def _with_reason(tokens: Tokens, words: tuple[str, ...], first: int, reason: int) -> int:
    """Where the request begins: at the statement before it, when its words alone only point there ("fix it")."""
    points = len(words) > 1 and all(word in _POINTERS for word in words[1:])
    return reason if points and reason >= 0 and first - reason <= LONGEST_REASON else first


def _sentence_end(tokens: Tokens, parts: list[Part], place: int) -> int:
    """The end of the requests and conditions from a part on that belong to one sentence."""
    while (
        tokens.pauses[parts[place].last - 1] != STRONG
        and place + 1 < len(parts)
        and parts[place + 1].kind in ("request", "conditional")
    ):
        place += 1
    return parts[place].last


def _is_order(words: tuple[str, ...]) -> bool:
    if not words or words[0] not in VERBS or words[0] in DETAILS:
        return False
    # "tell them to wait" is part of another order, "can you tell me?" asks for nothing more.
    return words[0] != "tell" or (len(words) > 1 and words[1] not in _OTHERS and words[1:] != ("me",))
