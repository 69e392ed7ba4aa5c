"""One sentence that says why: from the evidence that weighed, never from the score alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wellworn.models.resolution import Decision
from wellworn.models.skill import UtteranceField
from wellworn.resolver.decide import CONFIRM_AT, Ranked, Verdict

_CLOSE = 0.45
_SAME = 0.999
_MOST_WORDS = 5
_QUOTED_CHARS = 80
_FIELD_NAMES = {
    UtteranceField.name: "name",
    UtteranceField.alias: "alias",
    UtteranceField.trigger: "trigger",
    UtteranceField.example: "example",
    UtteranceField.description: "description",
    UtteranceField.body: "text",
    UtteranceField.learned: "learned message",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What spoke for one candidate.

    exact: the alias or name that the message is (or names), if any.
    field, text, cosine: its utterance nearest to the message (text empty for description and body).
    words: words of the message that its text shares, weightiest first.
    facts: statements of the context that matched its triggers.
    """

    exact: str = ""
    field: UtteranceField | None = None
    text: str = ""
    cosine: float = 0.0
    words: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()


def evidence_sentence(evidence: Evidence) -> str:
    """Say what spoke for the candidate, without a full stop."""
    parts = [*_likeness(evidence)]
    if evidence.facts:
        parts.append(f"the context says that {evidence.facts[0]}")
    if not parts:
        return "nothing in the message is close to it"
    return " and ".join(parts) if len(parts) < 3 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _likeness(evidence: Evidence) -> Sequence[str]:
    if evidence.exact and evidence.field is UtteranceField.learned and evidence.cosine >= _SAME:
        return [f"the message is one that it was taught ({_quote(evidence.text)})"]
    if evidence.exact:
        return [f"the message is its name or one of its aliases, or names it ({_quote(evidence.exact)})"]
    parts: list[str] = []
    if evidence.field is not None and evidence.cosine >= _CLOSE:
        quoted = f" {_quote(evidence.text)}" if evidence.text else ""
        parts.append(f"the message is close to its {_FIELD_NAMES[evidence.field]}{quoted} ({evidence.cosine:.2f})")
    if evidence.words:
        parts.append(f"they share {', '.join(evidence.words[:_MOST_WORDS])}")
    return parts


def _quote(text: str) -> str:
    flat = " ".join(text.split())
    return f'"{flat}"' if len(flat) <= _QUOTED_CHARS else f'"{flat[: _QUOTED_CHARS - 3].rstrip()}..."'


_MOODS = {
    "question_about": "it asks about something rather than for something",
    "mention": "it mentions work rather than asks for it",
    "prohibition": "it says what not to do",
    "greeting": "it is a greeting",
    "pasted": "nothing is asked around what was pasted",
}


def resolution_sentence(verdict: Verdict, ranked: Sequence[Ranked], evidence: Evidence | None, mood: str) -> str:
    """The `reason` of a resolution: one or two sentences for the person who reads it."""
    if mood == "empty":
        return "The message has no words, so no skill is meant."
    if verdict.decision is Decision.choose:
        named = ", ".join(f"{r.card.id} ({r.confidence:.2f})" for r in verdict.among)
        return f"Several skills could be meant: {named}."
    if verdict.chosen is not None and evidence is not None:
        return f"{verdict.chosen.card.id}: {evidence_sentence(evidence)}."
    return _nothing(ranked, mood)


def _nothing(ranked: Sequence[Ranked], mood: str) -> str:
    because = f" because {_MOODS[mood]}" if mood in _MOODS else ""
    if not ranked:
        return f"No skill is meant{because or ': there is none that could match'}."
    nearest = ranked[0]
    return (
        f"No skill is meant{because}: the nearest is {nearest.card.id} at {nearest.confidence:.2f}, "
        f"below {CONFIRM_AT:.2f}. Handle the message as usual, or teach it with `wellworn feedback`."
    )
