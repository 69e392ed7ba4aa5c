"""Small makers of the records that many tests need."""

from __future__ import annotations

from wellworn.models.skill import Risk, Scope, SkillCard, SkillKind, SkillStats, Trust, When


def make_card(
    skill_id: str = "ship-it",
    *,
    key: int = 1,
    trust: Trust = Trust.installed,
    risk: Risk = Risk.low,
    vouched: bool = True,
    reliability: float = 1.0,
    requires_approval: tuple[str, ...] = (),
    steps: tuple[str, ...] = (),
    when: When | None = None,
) -> SkillCard:
    """A matchable user skill unless told otherwise."""
    return SkillCard(
        key=key,
        id=skill_id,
        scope=Scope.user,
        owner="local",
        name=skill_id,
        description="",
        kind=SkillKind.prompt_skill,
        risk=risk,
        trust=trust,
        invocable=True,
        vouched=vouched,
        requires_approval=requires_approval,
        recipe_id=None,
        when=when,
        steps=steps,
        stats=SkillStats(reliability=reliability),
    )
