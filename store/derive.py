"""The manifest that a SKILL.md implies: description, alias, triggers and negatives."""

from __future__ import annotations

from typing import Any

from wellworn.store.markdown import first_paragraph, steps_of
from wellworn.store.phrases import MAX_NEGATIVES, MAX_TRIGGERS, distinct, triggers_and_negatives

__all__ = ["derive_fields", "first_paragraph", "steps_of", "triggers_and_negatives"]


def derive_fields(skill_id: str, name: str, description: str, when_to_use: str | None) -> dict[str, Any]:
    """Return manifest fields (by Python name) that follow from a SKILL.md alone.

    A name that is not the id becomes an alias as its author wrote it, in any script.
    """
    triggers, negatives = triggers_and_negatives(description)
    if when_to_use:
        more, more_negatives = triggers_and_negatives(when_to_use)
        if not (more or more_negatives):
            more, more_negatives = triggers_and_negatives(f"Use when {when_to_use}")
        triggers = distinct([*triggers, *more], MAX_TRIGGERS)
        negatives = distinct([*negatives, *more_negatives], MAX_NEGATIVES)
    return {
        "description": description,
        "aliases": [] if name == skill_id else [name],
        "triggers": triggers,
        "negatives": negatives,
    }
