"""What must hold before a repair is thought of, all of it checked before any model is asked."""

from __future__ import annotations

from dataclasses import dataclass

from wellworn.models.errors import Conflict
from wellworn.models.repair import MAX_REPAIRS
from wellworn.models.skill import Provenance, SkillStats, Trust


@dataclass(frozen=True, slots=True)
class Candidate:
    """A skill whose repair is asked for. readable: all of its files could be read, whole."""

    id: str
    stats: SkillStats
    trust: Trust
    provenance: Provenance
    readable: bool


@dataclass(frozen=True, slots=True)
class Channel:
    """Who decides. person: somebody can be asked; auto_repair: the setting that stands in for them."""

    person: bool
    auto_repair: bool


def check_repairable(skill: Candidate, channel: Channel) -> None:
    """Raise Conflict for a skill that cannot be repaired, saying why and what to do instead.

    Whether it has steps is seen when its file is read (`store.steps_section`).
    """
    if not skill.readable:
        raise Conflict(f"The files of {skill.id} cannot be read in full.", hint="Mend its SKILL.md by hand first.")
    if skill.trust is Trust.archived:
        raise Conflict(f"{skill.id} is archived.", hint=f"Bring it back with `wellworn skills enable {skill.id}`.")
    check_flagged(skill.id, skill.stats)
    check_channel(skill, channel)


def check_flagged(skill_id: str, stats: SkillStats) -> None:
    """Raise Conflict for a skill that is not flagged, or was repaired as often as may be.

    Checked again when a repair is accepted: one that has recovered by itself keeps the successes that it has earned.
    """
    if not stats.flagged:
        raise Conflict(
            f"{skill_id} is not flagged (reliability {stats.reliability:.2f}), so there is nothing to repair.",
            hint=f"`wellworn skills update {skill_id} --edit` changes its text.",
        )
    check_count(skill_id, stats)


def check_count(skill_id: str, stats: SkillStats) -> None:
    """Raise Conflict for a skill that was repaired as often as may be."""
    if stats.repair_count >= MAX_REPAIRS:
        raise Conflict(
            f"{skill_id} was repaired {stats.repair_count} times and fails again.",
            hint=f"Update its steps (`wellworn skills update {skill_id} --edit`) or delete it "
            f"(`wellworn skills delete {skill_id}`).",
        )


def check_channel(skill: Candidate, channel: Channel) -> None:
    """Raise Conflict where nobody can be asked and no setting stands in; what people wrote, only people repair."""
    ask = f"A person has to run `wellworn skills repair {skill.id}` at a terminal"
    if channel.person:
        return
    if not channel.auto_repair:
        raise Conflict(
            f"{skill.id} is flagged, and repair is disabled where there is no person to ask.",
            hint=f"{ask}, or an admin `wellworn settings set auto_repair true`.",
        )
    if skill.provenance is Provenance.human:
        raise Conflict(
            f"{skill.id} is flagged, and a person wrote it or changed it, so only a person repairs it.", hint=f"{ask}."
        )
