"""What a message means before any vector is looked at: asked for, ruled out, asked about, or merely mentioned.

Vectors do not see negation: "don't publish the package" lies next to "publish the package". This layer reads clauses with a
small English grammar, in time linear in the (bounded) request. It never adds evidence for a skill; it takes away words that are
ruled out and says how strongly the mood speaks against invoking anything. In doubt a message is a request.
"""

from __future__ import annotations

from dataclasses import dataclass

from wellworn.resolver.message import Message
from wellworn.resolver.rules_clauses import skip, split_clauses
from wellworn.resolver.rules_exclusions import Negated, negated_order, omissions
from wellworn.resolver.rules_moods import greeting, mention, question_about
from wellworn.resolver.rules_names import find_names
from wellworn.resolver.rules_tokens import Tokens, tokenise
from wellworn.resolver.rules_words import CONNECTORS, DETAILS, FILLERS, VERBS, words_of

SEVERAL_LIMIT = 60
"""Words of a message from which on its orders are steps of one task rather than several requests."""
GREETING_PENALTY = 0.15
"""Small: a library may well have a skill that greets."""

_SKIPPED = CONNECTORS | FILLERS
_LABELS = words_of("note notes warning important reminder rule caution nb ps p.s attention remember careful")
_CONDITIONS = words_of("if when once after unless before until whenever")
_POLITE = (
    ("can", "you"), ("could", "you"), ("would", "you"), ("will", "you"), ("i", "want", "you", "to"), ("i", "need", "you", "to"),
    ("i'd", "like", "you", "to"), ("i", "would", "like", "you", "to"), ("i'd", "like", "to"), ("i", "would", "like", "to"),
    ("i", "want", "to"), ("i", "need", "to"), ("would", "you", "mind"), ("are", "you", "able", "to"), ("is", "it", "possible", "to"),
    ("let's",), ("let", "us"), ("help", "me"), ("go", "ahead", "and"), ("feel", "free", "to"), ("you", "can"), ("you", "should"), ("we", "should"),
    ("we", "need", "to"), ("why", "don't", "you"), ("why", "not"), ("can't", "you"), ("couldn't", "you"), ("won't", "you"), ("time", "to"), ("i'm", "trying", "to"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Clause:
    """`kind`: request, excluded, prohibition, question, mention, conditional, greeting or filler."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What `read_intent` found.

    `request_text` is what to encode for matching: the request without what is ruled out, greetings and politeness; all of the
    request when nothing else would be left. `mood`: request, question_about, mention, prohibition, greeting or empty.
    `penalty` in 0..1 says how strongly the mood speaks against invoking anything. `excluded` holds the words of what is not to be
    done; `several` the separate requests when there are two or more; `named` the skill names that are written out, as slugs that
    may or may not exist; `notes` are short sentences for people.
    """

    clauses: tuple[Clause, ...]
    excluded: tuple[str, ...]
    request_text: str
    mood: str
    penalty: float
    several: tuple[str, ...]
    named: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def is_request(self) -> bool:
        """Whether anything is asked for."""
        return self.mood == "request"


@dataclass(frozen=True, slots=True)
class _Part:
    """Words `first..last-1` with what they are; `objects` are the spans of what is ruled out."""

    first: int
    last: int
    kind: str
    certainty: float = 0.0
    objects: tuple[tuple[int, int], ...] = ()


def read_intent(message: Message) -> Reading:
    """Reads the clauses of a message; never raises, never looks at a library."""
    if message.empty:
        return Reading((), (), message.request, "empty", 1.0, (), (), ())
    tokens = tokenise(message.request)
    parts = _parts(tokens)
    excluded = tuple(dict.fromkeys(text for part in parts for span in part.objects if (text := tokens.slice(*span))))
    dropped = frozenset(
        i for part in parts if part.kind in ("excluded", "prohibition") for i in range(part.first, part.last)
    )
    named = find_names(tokens, dropped)
    mood, penalty = _mood(parts, named)
    several = _several(tokens, parts) if mood == "request" else ()
    return Reading(
        clauses=tuple(Clause(tokens.slice(part.first, part.last), part.kind) for part in parts),
        excluded=excluded,
        request_text=_request_text(message, tokens, parts, mood),
        mood=mood,
        penalty=penalty,
        several=several,
        named=named,
        notes=_notes(mood, penalty, excluded, several),
    )


def _parts(tokens: Tokens) -> list[_Part]:
    parts: list[_Part] = []
    asked_for = False
    for first, last in split_clauses(tokens):
        found = _judge(tokens, first, last, after_order=asked_for)
        asked_for = asked_for or any(part.kind == "request" for part in found)
        parts.extend(found)
    if not any(part.kind == "request" for part in parts):
        parts = [_as_prohibition(part) for part in parts]
    return parts


def _as_prohibition(part: _Part) -> _Part:
    return (
        _Part(part.first, part.last, "prohibition", part.certainty, part.objects) if part.kind == "excluded" else part
    )


def _judge(tokens: Tokens, first: int, last: int, *, after_order: bool) -> list[_Part]:
    """What one clause is; an order may hold parts that it leaves out."""
    words = tokens.words
    begin = skip(words[:last], first, _SKIPPED)
    clause = words[begin:last]
    if not clause or (len(clause) == 1 and clause[0] in _LABELS and tokens.pauses[last - 1] == 1):
        return [_Part(first, last, "greeting" if greeting(words[first:last]) else "filler")]
    if greeting(words[first:last]) or greeting(clause):
        return [_Part(first, last, "greeting")]
    negated = negated_order(tokens, first, last, after_order=after_order)
    if negated:
        return [
            _Part(first, last, "prohibition" if negated.standing else "excluded", negated.certainty, negated.objects)
        ]
    certainty = question_about(clause)
    if certainty:
        return [_Part(first, last, "question", certainty)]
    quoted_talk = _reports_a_quote(tokens, begin, last)
    certainty = quoted_talk or (0.0 if last - 1 in tokens.asked else mention(clause))
    if certainty:
        return [_Part(first, last, "mention", certainty)]
    if clause[0] in _CONDITIONS and last < len(words):
        return [_Part(first, last, "conditional")]
    return _with_omissions(tokens, first, last, begin)


def _reports_a_quote(tokens: Tokens, begin: int, last: int) -> float:
    """ "he said 'don't deploy'": somebody else's words, and nothing after them."""
    said = ("said", "says", "wrote", "told", "asked", "shouted", "replied", "mentioned", "saying")
    words = tokens.words[begin:last]
    if (
        not any(i in tokens.quoted for i in range(begin, last))
        or words[0] in VERBS
        or words[0] in ("can", "could", "please", "why", "what", "how")
    ):
        return 0.0
    return 0.7 if any(word in said for word in words[:6]) else 0.0


def _with_omissions(tokens: Tokens, first: int, last: int, begin: int) -> list[_Part]:
    if not _orders(tokens, begin, last):
        return [_Part(first, last, "request")]
    parts: list[_Part] = []
    place = first
    for left_out in omissions(tokens, begin, last):
        if left_out.first > place:
            parts.append(_Part(place, left_out.first, "request"))
        parts.append(_left_out(left_out))
        place = left_out.last
    if place < last:
        parts.append(_Part(place, last, "request"))
    return parts


def _left_out(negated: Negated) -> _Part:
    return _Part(negated.first, negated.last, "excluded", negated.certainty, negated.objects)


def _orders(tokens: Tokens, begin: int, last: int) -> bool:
    """Whether a clause asks for something to be done, in words that take an omission."""
    words = tokens.words
    if words[begin] in VERBS or words[begin] in ("instead", "rather", "except"):
        return True
    return _polite_length(words[:last], begin) > 0


def _polite_length(words: tuple[str, ...], i: int) -> int:
    for opening in _POLITE:
        if words[i : i + len(opening)] == opening:
            return len(opening)
    return 0


def _mood(parts: list[_Part], named: tuple[str, ...]) -> tuple[str, float]:
    kinds = {part.kind for part in parts}
    for kind, mood in (("prohibition", "prohibition"), ("question", "question_about"), ("mention", "mention")):
        if kind in kinds and "request" not in kinds:
            return mood, max(part.certainty for part in parts if part.kind == kind)
    if "request" in kinds or "conditional" in kinds or named:
        return "request", 0.0
    return ("greeting", GREETING_PENALTY) if "greeting" in kinds else ("request", 0.0)


def _request_text(message: Message, tokens: Tokens, parts: list[_Part], mood: str) -> str:
    """The clauses that ask, each from its first telling word to the pause after it."""
    wanted = ("request", "conditional") if mood == "request" else ("question", "mention")
    kept = [text for part in parts if part.kind in wanted and (text := _told(tokens, part))]
    return "\n".join(kept) if "\n" in message.request else " ".join(kept) or message.request


def _told(tokens: Tokens, part: _Part) -> str:
    words = tokens.words[: part.last]
    first = skip(words, part.first, _SKIPPED)
    if part.kind == "request" and first < part.last:
        for _ in range(2):
            first = skip(words, first + _polite_length(words, first), _SKIPPED)
    last = part.last
    while last > first and words[last - 1] in ("please", "thanks", "thx", "but", "and", "then"):
        last -= 1
    if first >= last:
        return ""
    end = tokens.starts[last] if last < len(tokens.starts) and last == part.last else tokens.ends[last - 1] + 1
    return tokens.text[tokens.starts[first] : end].strip(" \n-—–(")


def _several(tokens: Tokens, parts: list[_Part]) -> tuple[str, ...]:
    """Texts of two or more separate orders; details of one order ("use tabs") and long tasks are not separate."""
    if len(tokens.words) > SEVERAL_LIMIT:
        return ()
    found: list[str] = []
    for part in parts:
        if part.kind != "request":
            continue
        begin = skip(tokens.words[: part.last], part.first, _SKIPPED)
        begin += _polite_length(tokens.words[: part.last], begin)
        if begin < part.last and tokens.words[begin] in VERBS and tokens.words[begin] not in DETAILS:
            found.append(_told(tokens, part).rstrip(" .,;:!?"))
    return tuple(found) if len(found) > 1 else ()


def _notes(mood: str, penalty: float, excluded: tuple[str, ...], several: tuple[str, ...]) -> tuple[str, ...]:
    notes = [f"not included: {text}" for text in excluded]
    if mood == "question_about":
        notes.append("this reads as a question about it, not as a request")
    elif mood == "mention":
        notes.append("this reads as a statement, not as a request")
    elif mood == "prohibition":
        notes.append("this only says what is not to be done")
    if several:
        notes.append("several requests: " + "; ".join(several))
    return tuple(notes)
