"""What a message says is not to be done: negated orders, standing prohibitions, "without", "instead of", "except"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wellworn.resolver.rules_clauses import SKIPPED, after_lead, all_but, begins_order, negation_length, skip
from wellworn.resolver.rules_tokens import NONE, Tokens
from wellworn.resolver.rules_words import (
    ACTIONS,
    AFFIRMED,
    ARTEFACTS,
    DETERMINERS,
    GERUNDS,
    NEGATED_DO,
    OMITTED,
    OMITTED_GERUNDS,
    OMITTED_NOUNS,
    PASTS,
    SUBJECTS,
    TIMES,
    VERBS,
    words_of,
)

Words = tuple[str, ...]

LONGEST_OBJECT = 14
"""Words of an excluded object; what is longer is no longer one."""
CERTAIN, LIKELY = 1.0, 0.7
"""How strongly a negated order speaks against invoking: of a known verb, of another one."""

_ABOUT_IT = words_of("to with about")
_WHO_SHALL = words_of("that you we to")
_SOFTENERS = words_of("please just maybe")
_WISHER = words_of("i i'd we we'd would")
_WISHED_OF = words_of("you this it that us")
_NEGATORS = words_of("not never ever")
_OFF_FROM = words_of("on with from")
_ANY_MORE = words_of("the a any more further")
_BEFORE_NOUN = words_of("a an the any its also actually force")
_ANY = words_of("a an any another")
_NOT_YET = (
    *(
        (*subject, "not", state, "to")
        for subject in (("you're",), ("you", "are"), ("we're",), ("we", "are"))
        for state in ("supposed", "allowed", "meant", "going", "ready")
    ),
    *((*subject, "not", state, "to") for subject in (("i'm",), ("i", "am")) for state in ("going", "ready")),
    *((*subject, "too", when, "to") for subject in (("it's",), ("it", "is")) for when in ("early", "soon", "late")),
)
_OBJECT_ENDS = words_of(
    "until unless without before because since if when till while whenever otherwise although after during"
)
_MORE = words_of("more further new force")
_AFTER_NO = words_of("please yet on to for until before at in unless if")
_DEFINITE = words_of("the that this these those my our a an")
_LEAVING_OUT = words_of("skip omit exclude")
_TRAILING = words_of(
    "please yet though either now thanks anymore ok okay too at all again just then and or right for needed "
    "required necessary here"
)
_BE_CAREFUL = words_of("sure careful certain")
_MUST = words_of("should must may can shall")
_MUST_NOT = words_of("shouldn't mustn't can't cannot mayn't")
_NOBODY = words_of("nobody nothing none no")
_PEOPLE = words_of("you we agents nobody everyone one claude") | {"no"}
_ABSENT = words_of("found installed available detected configured reported exist exists present yet left ran failed")
_LOOK_AHEAD = 10
"""Words in which the verb of a rule about something ("the package must not be published") must stand."""


@dataclass(frozen=True, slots=True)
class Negated:
    """Words `first..last-1` are not to be done; `objects` are spans of words; `standing` for a rule that always
    holds."""

    first: int
    last: int
    objects: tuple[tuple[int, int], ...]
    certainty: float
    standing: bool = False


def negated_order(tokens: Tokens, first: int, last: int, *, after_order: bool) -> Negated | None:
    """The prohibition that a whole clause is, or None. `after_order`: the clause before it asks for something."""
    words = tokens.words[:last]
    begin = after_lead(words, skip(words, first, SKIPPED))
    polite = words[begin : begin + 2] in (("can", "you"), ("could", "you"), ("would", "you"))
    if begin >= last or begin in tokens.quoted or (last - 1 in tokens.asked and not polite):
        return None
    left_out = _left_out(words, begin) if after_order else None
    if left_out is not None and left_out < last:
        return _negated(tokens, first, last, left_out, CERTAIN)
    place = _negated_place(words, begin)
    if place is not None and place < last:
        return _from_verb(tokens, first, last, place, standing="never" in words[begin:place])
    place = _duty_place(words, begin)
    if place is not None and place < last:
        return _negated(tokens, first, last, place, CERTAIN, standing=True)
    return _action_unwanted(tokens, first, last, begin)


def _from_verb(tokens: Tokens, first: int, last: int, place: int, *, standing: bool) -> Negated | None:
    words = tokens.words[:last]
    if words[place] == "bother" or words[place : place + 2] == ("worry", "about"):
        place = skip(words, place + 1, _ABOUT_IT)
        return _negated(tokens, first, last, place, CERTAIN) if place < last else None
    if words[place] in AFFIRMED or words[place] in SUBJECTS or _other_manner(words[place + 1 :]):
        return None
    known = words[place] in OMITTED or words[place] in VERBS or _thing(words[place])
    if standing and not known:
        return None  # "never received it"
    return _negated(tokens, first, last, place, CERTAIN if known else LIKELY, standing=standing)


def _other_manner(words: Words) -> bool:
    """ "don't talk so fast" asks for the same thing in another way."""
    return any(words[k] in ("so", "too") and words[k + 1] not in SUBJECTS for k in range(len(words) - 1))


def _negated_place(words: Words, i: int) -> int | None:
    """Where the verb of a negated order stands."""
    length = negation_length(words, i)
    if length:
        place = i + length + 3 * (words[i + length : i + length + 3] == ("under", "any", "circumstances"))
        return place + 2 * (words[place : place + 2] == ("you", "dare"))
    if words[i : i + 1] == ("not",) and words[i - 1 : i] in (("please",), ("kindly",)):
        return i + 1 if words[i + 1 : i + 2] and words[i + 1] in OMITTED else None
    for reader in (_after_careful, _after_polite, _after_wish, _after_doubt, _after_told):
        found = reader(words, i)
        if found is not None:
            return found
    return None


def _after_careful(words: Words, i: int) -> int | None:
    """ "make sure (that) you don't X", "be careful not to X", "try not to X", "ensure you never X"."""
    if words[i] in ("make", "be") and words[i + 1 : i + 2] and words[i + 1] in _BE_CAREFUL:
        k = i + 2
    elif words[i] in ("ensure", "try", "remember", "beware"):
        k = i + 1
    else:
        return None
    k = skip(words, k, _WHO_SHALL)
    if words[k : k + 2] in (("not", "to"), ("do", "not")):
        return k + 2
    return k + 1 if k < len(words) and (words[k] in NEGATED_DO or words[k] == "not") else None


def _after_polite(words: Words, i: int) -> int | None:
    """ "can you (please) not X", "i'd rather you didn't X", "i would prefer not to X"."""
    if words[i] in ("can", "could", "would") and words[i + 1 : i + 2] == ("you",):
        k = skip(words, i + 2, _SOFTENERS)
        return k + 1 if words[k : k + 1] == ("not",) else None
    k = skip(words, i, _WISHER)
    if k == i or words[k : k + 1] not in (("rather",), ("prefer",)):
        return None
    if words[k + 1 : k + 3] == ("you", "didn't"):
        return k + 3
    if words[k + 1 : k + 3] == ("not", "to"):
        return k + 3
    if words[k + 1 : k + 2] == ("not",) and words[k + 2 : k + 3] and words[k + 2] in ACTIONS:
        return k + 2  # "i'd rather not X"
    return k + 4 if words[k + 1 : k + 4] == ("you", "not", "to") else None


def _after_wish(words: Words, i: int) -> int | None:
    """ "i don't want (you) to X", "you don't need to X", "i never want you to X" with something that is done to
    software; "i don't want a PR"."""
    wish = _after_not(words, i)
    if wish is None or words[wish : wish + 1] not in (("want",), ("need",), ("have",)):
        return None
    k = skip(words, wish + 1, _WISHED_OF)
    if words[wish] == "want" and words[k : k + 1] and words[k] in _ANY:
        return k if words[k + 1 : k + 2] and words[k + 1] in OMITTED_NOUNS else None
    known = OMITTED if k > wish + 1 or words[i] == "you" else ACTIONS
    return k + 1 if words[k : k + 1] == ("to",) and k + 1 < len(words) and words[k + 1] in known else None


def _after_not(words: Words, i: int) -> int | None:
    """The place behind "i don't", "we do not" and "you never"."""
    if words[i] not in ("i", "we", "you"):
        return None
    if words[i + 1 : i + 3] == ("do", "not"):
        return i + 3
    return i + 2 if words[i + 1 : i + 2] in (("don't",), ("never",)) else None


def _after_doubt(words: Words, i: int) -> int | None:
    """ "i don't think we should X", "i wouldn't X", "you're not supposed to X", "it's too early to X"."""
    thought = _after_not(words, i) if words[i] == "i" else None
    if thought is not None and words[thought : thought + 1] in (("think",), ("believe",)):
        k = thought + 1 + (words[thought + 1 : thought + 2] == ("that",))
        if words[k : k + 1] not in (("we",), ("you",), ("i",)):
            return None
        if words[k + 1 : k + 2] in (("should",), ("can",), ("must",)):
            return _action(words, k + 2)
        return _action(words, k + 3) if words[k + 1 : k + 3] in (("want", "to"), ("need", "to")) else None
    if words[i : i + 2] in (("i", "wouldn't"), ("i", "won't"), ("we", "won't")):
        return _action(words, i + 2)
    for opening in _NOT_YET:
        if words[i : i + len(opening)] == opening:
            return _action(words, i + len(opening))
    return None


def _action(words: Words, place: int) -> int | None:
    return place if words[place : place + 1] and words[place] in ACTIONS else None


def _after_told(words: Words, i: int) -> int | None:
    """ "my boss told me not to X"."""
    for k in range(i + 1, min(i + 7, len(words) - 2)):
        if words[k] in ("told", "asked", "said", "says"):
            if words[k + 1] in NEGATED_DO and words[i] == "i":
                return k + 2
            wish = k + 1 + (words[k + 1] in ("me", "us", "you", "him", "her", "them"))
            return wish + 2 if words[wish : wish + 2] == ("not", "to") else None
    return None


def _duty_place(words: Words, i: int) -> int | None:
    """ "you must not X", "we never X", "nobody may X", "the package should not be published"."""
    for k in range(i + 1, min(i + _LOOK_AHEAD, len(words) - 1)):
        ruled = words[k] in _MUST_NOT or (words[k] == "never" and words[i] in ("we", "you"))
        if not ruled and words[k] in _MUST:
            ruled = words[k + 1] in ("not", "never") or words[i] in _NOBODY
        if ruled:
            place = skip(words, k + 1, _NEGATORS)
            return _ruled_place(words, i, place)
    return None


def _ruled_place(words: Words, i: int, place: int) -> int | None:
    verb = words[place : place + 1]
    if verb == ("be",):
        done = words[place + 1 : place + 2]
        stated = words[i] not in ("why", "should", "what", "how", "when", "i")
        return place + 1 if stated and done and done[0] in PASTS else None
    return place if verb and verb[0] in ACTIONS and words[i] in _PEOPLE else None


def _left_out(words: Words, i: int) -> int | None:
    """After an order: "skip X", "leave out X", "not the X", "no X"."""
    following = words[i + 1 : i + 2]
    if not following:
        return None
    if words[i : i + 2] in (("leave", "out"), ("leaving", "out"), ("except", "for")):
        return i + 2
    if words[i] in ("skip", "skipping", "omit", "omitting", "exclude", "excluding", "minus", "except"):
        return i + 1
    if words[i] in ("not", "no", "without"):
        if following == ("force",):
            following = words[i + 2 : i + 3] or following
        other = following[0] in DETERMINERS or following[0] in OMITTED
        absent = words[i] == "no" and not _ABSENT.isdisjoint(words[i:])
        return i + 1 if (_thing(following[0]) and not absent) or (words[i] == "not" and other) else None
    return None


def _thing(word: str) -> bool:
    """Something that is done or made in work on software."""
    word = word.removeprefix("auto-").removeprefix("force-")
    return word in OMITTED_GERUNDS or word in OMITTED_NOUNS or word in ACTIONS or word.rstrip("es") in ACTIONS


def _action_unwanted(tokens: Tokens, first: int, last: int, i: int) -> Negated | None:
    """ "avoid publishing", "hold off on the deploy", "stop pushing to main", "no deploys today" as a whole clause."""
    words = tokens.words[:last]
    i += words[i] == "let's" and i + 1 < last
    head = words[i : i + 2]
    if len(head) < 2:
        return None
    if head[0] in ("stop", "quit"):
        return _negated(tokens, first, last, i + 1, LIKELY) if head[1] in GERUNDS else None
    reader = _UNWANTED.get(head[0])
    place = reader(words, i) if reader else None
    return _negated(tokens, first, last, place, CERTAIN) if place is not None and place < last else None


def _no_thing(words: Words, i: int) -> int | None:
    """ "no deploys today", "no release today", "no force pushes", but not "no tests found", "no release branch"."""
    place = skip(words, i + 1, _MORE)
    if place >= len(words) or not _thing(words[place]):
        return None
    if words[place] in ACTIONS and words[place + 1 :] == ("yet",):
        return i + 1
    if not _ABSENT.isdisjoint(words[i:]):
        return None
    word, after = words[place], words[place + 1 : place + 2]
    plain = word in GERUNDS or word[-1] == "s" or place > i + 1
    return i + 1 if plain or not after or after[0] in _AFTER_NO | TIMES else None


def _not_thing(words: Words, i: int) -> int | None:
    """ "not deploying today", "not now: the migration", "not the release skill"."""
    if words[i + 1] in GERUNDS:
        return i + 1
    place = i + 2 if words[i + 1] in ("now", "yet", "today") else i + 1
    named = words[place : place + 1] and words[place] in _DEFINITE and len(words) - place <= 4
    return place if named and (words[-1] in OMITTED_NOUNS or words[-1] in GERUNDS) else None


def _held_thing(words: Words, i: int) -> int | None:
    """ "avoid publishing", "refrain from X", "hold off on X", "hold on with X", "hold the release"."""
    if words[i] == "avoid":
        place = i + 1
    elif words[i : i + 2] in (("refrain", "from"), ("hold", "off"), ("holding", "off"), ("hold", "on")):
        place = skip(words, i + 2, _OFF_FROM)
    elif words[i] == "hold" and words[i + 1] in _DEFINITE:
        return i + 1 if words[i + 2 : i + 3] and words[i + 2] in ARTEFACTS else None
    else:
        return None
    place = skip(words, place, _ANY_MORE)
    return place if place < len(words) and _thing(words[place]) else None


def _skipped_thing(words: Words, i: int) -> int | None:
    """ "skip the slow tests", "without publishing", "anything but a rebase" as a clause of its own."""
    place = i + 1
    if words[i] in ("anything", "everything"):
        place = i + 2
        if words[i + 1] != "but":
            return None
    noun = skip(words, place, DETERMINERS)
    near = words[noun : noun + (2 if words[i] in _LEAVING_OUT else 1)]
    return place if any(word in ARTEFACTS or word in OMITTED_GERUNDS or word in ACTIONS for word in near) else None


_UNWANTED: dict[str, Callable[[Words, int], int | None]] = {
    "no": _no_thing,
    "not": _not_thing,
    "avoid": _held_thing,
    "refrain": _held_thing,
    "hold": _held_thing,
    "holding": _held_thing,
    "skip": _skipped_thing,
    "omit": _skipped_thing,
    "without": _skipped_thing,
    "anything": _skipped_thing,
}
"""By the first word of the clause: where what is unwanted stands."""


def _negated(tokens: Tokens, first: int, last: int, place: int, certainty: float, *, standing: bool = False) -> Negated:
    return Negated(first, last, _objects(tokens, place, last), certainty, standing)


def omissions(tokens: Tokens, first: int, last: int) -> list[Negated]:
    """Parts of an order that it leaves out: "... without tagging", "... instead of npm", "... except the docs"."""
    words = tokens.words[:last]
    found: list[Negated] = []
    k = first
    while k < last - 1:
        place = None if k in tokens.quoted else _omission_place(words, first, k)
        if place is None or place >= last:
            k += 1
            continue
        end = place + 1
        while end < last and not _omission_ends(tokens, end):
            end += 1
        if end - place <= LONGEST_OBJECT:
            found.append(Negated(k, end, _objects(tokens, place, end), CERTAIN))
        k = end
    return found


def _omission_ends(tokens: Tokens, end: int) -> bool:
    return tokens.pauses[end - 1] != NONE or tokens.words[end] in _OBJECT_ENDS or begins_order(tokens, end, listed=True)


_PHRASES = {
    ("instead", "of"),
    ("other", "than"),
    ("apart", "from"),
    ("aside", "from"),
    ("except", "for"),
    ("leaving", "out"),
    ("everything", "but"),
    ("all", "but"),
}


def _omission_place(words: Words, first: int, k: int) -> int | None:
    """Where the object of an omission that begins at `k` stands."""
    pair = words[k : k + 2]
    if pair in _PHRASES or (pair == ("rather", "than") and words[k - 1 : k] not in (("would",), ("i'd",))):
        return k + 2
    if pair[0] == "without":
        noun = skip(words, k + 1, _BEFORE_NOUN)
        return k + 1 if noun < len(words) and _thing(words[noun]) else None
    # "deploy to staging not to production"
    elsewhere = pair[0] == "not" and pair[1] in ("to", "in", "on", "into") and pair[1] in words[first:k]
    if elsewhere or (pair[0] == "but" and all_but(words, first, k)):
        return k + 1
    if pair in (("and", "not"), ("but", "not")):
        return k + 2 if words[k + 2 : k + 3] not in ((), ("only",), ("just",), ("limited",), ("necessarily",)) else None
    # not "including and excluding X"
    excepted = pair[0] in ("except", "excluding", "excl") and words[k - 1 : k] != ("and",)
    return k + 1 if excepted or (pair[0] in ("skipping", "omitting") and k > first) else None


def _objects(tokens: Tokens, place: int, last: int) -> tuple[tuple[int, int], ...]:
    """Spans of what is not to be done: cut at "until", split at "or", without trailing "please" and "yet"."""
    words = tokens.words
    end = place + 1
    while end < last and end - place < LONGEST_OBJECT and words[end] not in _OBJECT_ENDS:
        if tokens.pauses[end - 1] != NONE and not (words[end] in ("or", "nor", "and") or _acts(words, end, last)):
            break
        end += 1
    spans: list[tuple[int, int]] = []
    start = place
    for k in range(place + 1, end):
        parted = words[k] in ("or", "nor", "and") and _acts(words, k + 1, end)
        if parted or (tokens.pauses[k - 1] != NONE and _acts(words, k, end)):
            spans.append((start, k))
            start = k + parted
    spans.append((start, end))
    trimmed = (_trim(words, *span) for span in spans)
    return tuple(span for span in trimmed if span[0] < span[1])


def _acts(words: Words, k: int, end: int) -> bool:
    return k < end and (words[k] in VERBS or _thing(words[k]))


def _trim(words: Words, start: int, end: int) -> tuple[int, int]:
    while start < end and words[start] in ("or", "nor", "and", "also", "even"):
        start += 1
    while start < end - 1 and words[end - 1] in _TRAILING:
        end -= 1
    return start, end
