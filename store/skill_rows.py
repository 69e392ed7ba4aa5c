"""Stored rows to records and back. The bulk path builds cards without pydantic's validation: we wrote these rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from wellworn.models.skill import (
    Diagnostic,
    Risk,
    Scope,
    Skill,
    SkillCard,
    SkillKind,
    SkillManifest,
    SkillStats,
    SkillView,
    Trust,
    When,
)
from wellworn.store.text_hash import storable
from wellworn.store.timestamps import optional_from_text, to_text

STATS_COLUMNS = """t.usage_count, t.last_used_at, t.last_audited_at, t.reliability, t.success_count, t.failure_count,
    t.repair_count"""
CARD_COLUMNS = f"""s.key, s.skill_id, s.name, s.description, s.kind, s.risk, s.trust, s.invocable, s.source_id,
    s.requires_approval, s.recipe_id, s.when_facts, s.steps, {STATS_COLUMNS}"""
SKILL_COLUMNS = (
    "source_id", "path", "stamp", "scope", "owner", "skill_id", "name", "description", "kind", "risk", "trust",
    "invocable", "requires_approval", "recipe_id", "when_facts", "steps", "allowed_tools", "updated_at",
)  # fmt: skip

_KINDS = {kind.value: kind for kind in SkillKind}
_RISKS = {risk.value: risk for risk in Risk}
_TRUSTS = {trust.value: trust for trust in Trust}
_NO_STATS = SkillStats()
_STATS_FIELDS = (
    "usage_count",
    "last_used_at",
    "last_audited_at",
    "reliability",
    "success_count",
    "failure_count",
    "repair_count",
)


def skill_values(source_id: str, skill: Skill, path: str, stamp: str, now: datetime) -> tuple[Any, ...]:
    """Return the values of `SKILL_COLUMNS`; lists are JSON, or NULL when empty."""
    manifest = skill.manifest
    when = None if manifest.when is None else dump(manifest.when.model_dump(by_alias=True))
    return (
        source_id, path, stamp, skill.scope.value, skill.owner, skill.id, storable(skill.name),
        storable(manifest.description), manifest.kind.value, manifest.risk.value, manifest.trust.value,
        int(skill.invocable), dump_list(manifest.requires_approval), manifest.recipe_id, when, dump_list(skill.steps),
        None if skill.allowed_tools is None else dump(list(skill.allowed_tools)), to_text(now),
    )  # fmt: skip


def content_values(skill: Skill) -> tuple[str, str, str | None]:
    """Return manifest JSON (unknown fields included), body and diagnostics JSON."""
    diagnostics = [one.model_dump(mode="json", by_alias=True) for one in skill.diagnostics]
    return (
        dump(skill.manifest.model_dump(by_alias=True)),
        storable(skill.body),
        dump(diagnostics) if diagnostics else None,
    )


def dump(value: Any) -> str:
    """Return JSON; what JSON does not know (a date in an unknown field) becomes its text."""
    return json.dumps(value, default=str, skipkeys=True, separators=(",", ":"))


def dump_list(items: Sequence[str]) -> str | None:
    """Return a JSON array, or None for no items, so that a bulk read has nothing to parse."""
    return dump(list(items)) if items else None


def load_tuple(text: str | None) -> tuple[str, ...]:
    """Return what `dump_list` wrote."""
    return () if text is None else tuple(json.loads(text))


def stats_of(values: Sequence[Any]) -> SkillStats:
    """Return the stats of `STATS_COLUMNS`; a skill to which nothing happened yet has none stored."""
    if values[0] is None:
        return _NO_STATS
    named = dict(zip(_STATS_FIELDS, values, strict=True))
    named["last_used_at"] = optional_from_text(values[1])
    named["last_audited_at"] = optional_from_text(values[2])
    return SkillStats.model_construct(**named)


def card_of(row: Sequence[Any], scope: Scope, owner: str, vouched: Mapping[str, bool]) -> SkillCard:
    """Return the card of one row of `CARD_COLUMNS`; vouched: by source id."""
    key, skill_id, name, description, kind, risk, trust, invocable, source_id, approval, recipe_id, when, steps = row[
        :13
    ]
    return SkillCard(
        key,
        skill_id,
        scope,
        owner,
        name,
        description,
        _KINDS[kind],
        _RISKS[risk],
        _TRUSTS[trust],
        invocable == 1,
        vouched[source_id],
        load_tuple(approval),
        recipe_id,
        None if when is None else When.model_validate(json.loads(when)),
        load_tuple(steps),
        stats_of(row[13:]),
    )


VIEW_COLUMNS = f"""s.key, s.skill_id, s.scope, s.owner, s.name, s.invocable, sources.vouched, s.path, s.allowed_tools,
    s.steps, s.shadowed_by, c.manifest, c.diagnostics, {STATS_COLUMNS}"""


def view_of(row: Sequence[Any], shadowing_scope: str | None) -> SkillView:
    """Return the view of one row of `VIEW_COLUMNS`. shadowing_scope: of the skill with its id in a narrower scope."""
    _, skill_id, scope, owner, name, invocable, vouched, path, tools, steps, shadowed_by, manifest, diagnostics = row[
        :13
    ]
    stats = stats_of(row[13:])
    return SkillView(
        id=skill_id,
        scope=Scope(scope),
        owner=owner,
        name=name,
        manifest=SkillManifest.model_validate(json.loads(manifest)),
        stats=stats,
        flagged=stats.flagged,
        invocable=bool(invocable),
        vouched=bool(vouched),
        location=path,
        allowed_tools=None if tools is None else json.loads(tools),
        steps=list(load_tuple(steps)),
        shadowed_by=shadowed_by or (f"{skill_id}@{shadowing_scope}" if shadowing_scope else None),
        diagnostics=[] if diagnostics is None else [Diagnostic.model_validate(one) for one in json.loads(diagnostics)],
    )
