"""What a message means before any vector is looked at: asked for, ruled out, asked about, or merely mentioned.

Vectors do not see negation: "don't publish the package" lies next to "publish the package". This layer reads clauses
with a small English grammar (and knows the commonest negations of six other languages), in time linear in the
(bounded) request. It never adds evidence for a skill; it takes away words that are ruled out and says how strongly the
mood speaks against invoking anything. In doubt a message is a request.

The parts, in the order in which they are used: `rules_tokens` (words and pauses), `rules_clauses` (where clauses end),
`rules_exclusions`, `rules_foreign`, `rules_questions` and `rules_mentions` (what a clause means), `rules_parts` (puts
the two together), `rules_several`, `rules_names`.
"""

from __future__ import annotations

from dataclasses import dataclass

from wellworn.resolver.message import Message
from wellworn.resolver.rules_names import find_names
from wellworn.resolver.rules_parts import Part, asking_begins, read_parts
from wellworn.resolver.rules_several import separate_requests
from wellworn.resolver.rules_tokens import STRONG, Tokens, tokenise

PASTED_PENALTY = 0.6
"""Code or a log without a word around it asks for nothing in particular."""
GREETING_PENALTY = 0.15
"""Small: a library may well have a skill that greets."""

_MOODS = (("prohibition", "prohibition"), ("question", "question_about"), ("mention", "mention"))
_SAYS = {
    "question_about": "this reads as a question about it, not as a request",
    "mention": "this reads as a statement, not as a request",
    "prohibition": "this only says what is not to be done",
}


@dataclass(frozen=True, slots=True)
class Clause:
    """`kind`: request, excluded, prohibition, question, mention, conditional, greeting or filler."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What `read_intent` found.

    `request_text` is what to encode for matching: the request without what is ruled out, greetings and politeness;
    all of the request when nothing else would be left. `mood`: request, question_about, mention, prohibition,
    greeting or empty. `penalty` in 0..1 says how strongly the mood speaks against invoking anything. `excluded` holds
    the words of what is not to be done; `several` the separate requests when there are two or more; `named` the skill
    names that are written out, as slugs that may or may not exist; `notes` are short sentences for people.
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


def read_intent(message: Message) -> Reading:
    """Reads the clauses of a message; never raises, never looks at a library."""
    if message.empty:
        return Reading((), (), message.request, "empty", 1.0, (), (), ())
    if message.only_pasted:
        return Reading((), (), message.request, "pasted", PASTED_PENALTY, (), (), ())
    tokens = tokenise(message.request)
    parts = read_parts(tokens)
    excluded = tuple(dict.fromkeys(text for part in parts for span in part.objects if (text := tokens.slice(*span))))
    mood, penalty = _mood(parts)
    several = separate_requests(tokens, parts) if mood == "request" else ()
    return Reading(
        clauses=tuple(Clause(tokens.slice(part.first, part.last), part.kind) for part in parts),
        excluded=excluded,
        request_text=_request_text(message.request, tokens, parts, mood),
        mood=mood,
        penalty=penalty,
        several=several,
        named=find_names(tokens, _ruled_out(parts)),
        notes=_notes(mood, excluded),
    )


def _mood(parts: list[Part]) -> tuple[str, float]:
    """One request makes the message a request; else the clause that speaks most strongly against one decides."""
    kinds = {part.kind for part in parts}
    if "request" not in kinds:
        for kind, mood in _MOODS:
            if kind in kinds:
                return mood, max(part.certainty for part in parts if part.kind == kind)
    return (
        ("greeting", GREETING_PENALTY) if kinds <= {"greeting", "filler"} and "greeting" in kinds else ("request", 0.0)
    )


def _ruled_out(parts: list[Part]) -> frozenset[int]:
    return frozenset(
        i for part in parts if part.kind in ("excluded", "prohibition") for i in range(part.first, part.last)
    )


def _request_text(request: str, tokens: Tokens, parts: list[Part], mood: str) -> str:
    """Runs of clauses that ask, each from its first telling word to the pause after it."""
    wanted = ("request", "conditional") if mood == "request" else ("question", "mention")
    texts: list[str] = []
    run: list[Part] = []
    for part in parts:
        if part.kind in wanted:
            run.append(part)
        elif run:
            texts.append(_text_of(tokens, run))
            run = []
    if run:
        texts.append(_text_of(tokens, run))
    return " ".join(filter(None, texts)) or request


def _text_of(tokens: Tokens, run: list[Part]) -> str:
    while len(run) > 1 and asking_begins(tokens, run[0]) >= run[0].last:
        run = run[1:]
    first, last = asking_begins(tokens, run[0]), run[-1].last
    while last > first and tokens.words[last - 1] in ("please", "thanks", "but", "and", "then"):
        last -= 1
    if first >= last:
        return ""
    mark = tokens.text[tokens.ends[last - 1] : tokens.ends[last - 1] + 1]
    closing = mark if mark in (".", "?", "!") and tokens.pauses[last - 1] == STRONG else ""
    return tokens.text[tokens.starts[first] : tokens.ends[last - 1]] + closing


def _notes(mood: str, excluded: tuple[str, ...]) -> tuple[str, ...]:
    notes = [f"not included: {text}" for text in excluded]
    if mood in _SAYS:
        notes.append(_SAYS[mood])
    return tuple(notes)
