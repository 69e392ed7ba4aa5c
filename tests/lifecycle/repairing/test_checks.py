"""What is checked before a repair is thought of."""

from __future__ import annotations

import pytest

from wellworn.lifecycle.repairing.checks import Candidate, Channel, check_repairable
from wellworn.models.errors import Conflict
from wellworn.models.skill import Provenance, SkillStats, Trust

PERSON, NOBODY, SETTING = Channel(True, False), Channel(False, False), Channel(False, True)


def candidate(**changes: object) -> Candidate:
    stats = {name: changes.pop(name) for name in ("reliability", "repair_count") if name in changes}
    fields = {"trust": Trust.installed, "provenance": Provenance.agent, "readable": True, **changes}
    return Candidate(id="ship-it", stats=SkillStats.model_validate({"reliability": 0.2, **stats}), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "channel", "told"),
    [
        ({"readable": False}, PERSON, "cannot be read"),
        ({"trust": Trust.archived}, PERSON, "skills enable ship-it"),
        ({"reliability": 0.4}, PERSON, "is not flagged"),
        ({"repair_count": 3}, PERSON, "Update its steps .* or delete it"),
        ({}, NOBODY, "is flagged, and repair is disabled.*auto_repair"),
        ({"provenance": Provenance.human}, SETTING, "only a person repairs it"),
        ({"repair_count": 3}, SETTING, "was repaired 3 times"),
    ],
)
def test_what_cannot_be_repaired_is_refused_with_what_to_do(
    changes: dict[str, object], channel: Channel, told: str
) -> None:
    with pytest.raises(Conflict) as refused:
        check_repairable(candidate(**changes), channel)
    assert refused.match(told)
    assert refused.value.hint


def test_a_flagged_skill_is_repaired_with_a_person_or_by_the_setting() -> None:
    check_repairable(candidate(provenance=Provenance.human, repair_count=2), PERSON)
    check_repairable(candidate(reliability=0.39), SETTING)
