"""Which of a skill's steps are safe to begin with, and which gates it has."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wellworn.models.skill import Risk, SkillCard

RUN_GATE = "run"

# What a step orders: these verbs change something outside, or cannot be undone; gated even when the author forgot.
_VERBS = frozenset(
    {"push", "merge", "tag", "publish", "deploy", "delete", "remove", "drop", "rm", "destroy", "upload", "send", "post"}
    | {"rotate", "revoke", "release", "overwrite", "force", "force-push", "purge", "wipe", "approve"}
)
_COMMAND = re.compile(
    r"\b(?:git\s+(?:[-\w./=]+\s+){0,4}(?:push|tag|reset|clean)|gh\s+(?:pr\s+merge|release|api)|rm\s+-|kubectl\s+(?:apply|delete)|"
    r"terraform\s+(?:apply|destroy)|docker\s+push|(?:npm|pnpm|yarn|cargo|poetry|uv|gem|twine)\s+(?:publish|upload|push)|"
    r"curl\s+[^|;]{0,200}-X\s*(?:POST|PUT|PATCH|DELETE)|helm\s+(?:upgrade|install|uninstall)|pulumi\s+(?:up|destroy)|"
    r"(?:fly|flyctl|vercel|netlify|heroku|gcloud|firebase|wrangler|serverless)\s+[^|;`]{0,80}?(?:deploy|release|--prod)|"
    r"aws\s+\S+\s+(?:sync|cp|mv|rm|put|create|update|delete)[\w-]*|ansible-playbook|dropdb)\b|\bsudo\s+\S|"
    r"\b(?:rsync|scp|sftp)\s[^|;`]{0,200}?[\w@.-]+:(?!//)|(?:^|`|\brun\s+)ssh\s+\S|\bapproval\b|\bapproved\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.;:,!?()`]|\b(?:and|then|or|to|after|once|finally|please|now|must|should|you)\b", re.IGNORECASE)
_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def approval_gates(card: SkillCard) -> list[str]:
    """Return what needs a person's approval; a high-risk skill that names nothing is gated as a whole."""
    if card.requires_approval:
        return list(card.requires_approval)
    return [RUN_GATE] if card.risk is Risk.high else []


def safe_steps(card: SkillCard) -> list[str]:
    """Return the steps before the first that may need approval: what may be done without asking."""
    if RUN_GATE in approval_gates(card):
        return []
    verbs = _VERBS | _gate_verbs(card.requires_approval)
    safe: list[str] = []
    for step in card.steps:
        if _COMMAND.search(step) or verbs & _ordered_verbs(step):
            break
        safe.append(step)
    return safe


def _ordered_verbs(step: str) -> set[str]:
    """The first word of each clause, and each infinitive: in an order, those are its verbs."""
    firsts = (_WORD.search(clause) for clause in _CLAUSE.split(step.lower()))
    return {_base(first.group()) for first in firsts if first is not None}


def _base(word: str) -> str:
    """Deploying -> deploy, merging -> merge: a heading-like step orders as well."""
    stem = word.removesuffix("ing")
    return f"{stem}e" if f"{stem}e" in _VERBS else stem if stem in _VERBS else word


def _gate_verbs(gates: Sequence[str]) -> set[str]:
    """The last word of a gate's name is its action: git_push -> push."""
    return {words[-1] for gate in gates if (words := _WORD.findall(gate.lower().replace("_", " ")))}
