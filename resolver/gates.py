"""Which of a skill's steps are safe to begin with, and which gates it has."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wellworn.models.skill import Risk, SkillCard

RUN_GATE = "run"

# Words that show a step changes something outside, or cannot be undone; gated even when the author forgot.
_ALWAYS_GATED = re.compile(
    r"\b(push(es|ed|ing)?|merg(e|es|ed|ing)|tag(s|ged|ging)?|publish(es|ed|ing)?|deploy(s|ed|ing)?|"
    r"delet(e|es|ed|ing)|remov(e|es|ed|ing)|drop(s|ped|ping)?|rm|destroy(s|ed|ing)?|force|upload(s|ed|ing)?|"
    r"send(s|ing)?|post(s|ed|ing)?|rotat(e|es|ed|ing)|revok(e|es|ed|ing)|releas(e|es|ed|ing))\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z0-9]+")


def approval_gates(card: SkillCard) -> list[str]:
    """Return what needs a person's approval; a high-risk skill that names nothing is gated as a whole."""
    if card.requires_approval:
        return list(card.requires_approval)
    return [RUN_GATE] if card.risk is Risk.high else []


def safe_steps(card: SkillCard) -> list[str]:
    """Return the steps before the first that may need approval: what may be done without asking."""
    if RUN_GATE in approval_gates(card):
        return []
    gate_words = _gate_words(card.requires_approval)
    safe: list[str] = []
    for step in card.steps:
        if _ALWAYS_GATED.search(step) or gate_words & set(_WORD.findall(step.lower())):
            break
        safe.append(step)
    return safe


def _gate_words(gates: Sequence[str]) -> set[str]:
    """The last word of a gate's name is its action: git_push -> push."""
    return {words[-1] for gate in gates if (words := _WORD.findall(gate.lower().replace("_", " ")))}
