"""What a person decides about a flagged skill that was matched: proceed, repair or skip."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from wellworn.lifecycle.guidance import user_decision
from wellworn.models.access import Caller
from wellworn.models.errors import Conflict, NotFound, WellwornError
from wellworn.models.ids import new_id
from wellworn.models.resolution import Decision, FlaggedReport, IntentResolution
from wellworn.models.skill import Scope
from wellworn.models.task import Choice, ChoiceRequest, Lesson, SkillRef
from wellworn.service.decision_log import author_of, refuse_agents
from wellworn.service.places import Owner
from wellworn.store.database import Database
from wellworn.store.lessons import LessonTable
from wellworn.store.redact import redact
from wellworn.store.tasks import ChoiceRow, ChoiceTable

log = logging.getLogger(__name__)
FAILURES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Matched:
    """What an answer named. owners: the partitions that its request could see."""

    resolution_id: str
    skill: SkillRef | None
    decision: Decision | None
    owners: Sequence[Owner]


class Choices:
    """One choice for each answer that named a flagged skill. Every method may be called from any thread."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._table, self._lessons, self._clock = ChoiceTable(database), LessonTable(database), clock

    def of(self, resolution_id: str | None) -> Choice | None:
        """Return what was chosen about an answer, or None while nobody has."""
        row = None if resolution_id is None else self._table.get(resolution_id)
        return None if row is None else _view(row)

    def decide(self, matched: Matched, request: ChoiceRequest, caller: Caller) -> Choice:
        """Keep a person's choice about what an answer named; the same choice again is answered alike.

        Raises NotAllowed for an agent, Conflict when nothing was to be chosen or something else was chosen already.
        """
        refuse_agents(caller)
        skill = matched.skill
        if matched.decision is not Decision.review or skill is None:
            raise Conflict(
                "The answer named no flagged skill, so there is nothing to choose.",
                hint="Only an answer with the decision `review` waits for a choice.",
            )
        row = ChoiceRow(
            id=new_id(),
            ts=self._clock(),
            user=caller.user,
            resolution_id=matched.resolution_id,
            scope=skill.scope,
            owner=_owner(skill.scope, matched.owners),
            skill_id=skill.id,
            choice=request.choice,
            by=author_of(caller),
            note=None if request.note is None else redact(request.note),
        )
        return _view(self._table.decide(row))

    def prune(self, before: datetime) -> None:
        """Forget choices from before a time."""
        self._table.prune(before)

    def reported(self, resolution: IntentResolution, owners: Sequence[Owner]) -> IntentResolution:
        """Return an answer that names a flagged skill with its recent failures, as their lessons tell them."""
        if resolution.flagged is None or resolution.skill_id is None or resolution.scope is None:
            return resolution
        try:
            lessons = self._lessons.open(resolution.scope, _owner(resolution.scope, owners), resolution.skill_id)
        except WellwornError as error:  # an answer does not fail for what would only explain it
            log.warning("The lessons of %s cannot be read: %s", resolution.skill_id, error)
            return resolution
        told: FlaggedReport = resolution.flagged.model_copy(update={"recent_failures": recent_failures(lessons)})
        return resolution.model_copy(update={"flagged": told})


def recent_failures(lessons: Sequence[Lesson]) -> list[str]:
    """Return what the latest failures taught, each once, with how often it was learned. lessons: the latest first."""
    times = Counter(one.lesson for one in lessons)
    return [
        lesson if count == 1 else f"{lesson} ({count} times)" for lesson, count in list(times.items())[:FAILURES_SHOWN]
    ]


def _owner(scope: Scope, owners: Sequence[Owner]) -> str:
    found = next((owner for one, owner in owners if one is scope), None)
    if found is None:
        raise NotFound(f"The skill's {scope} is not known here.")
    return found


def _view(row: ChoiceRow) -> Choice:
    skill = SkillRef(id=row.skill_id, scope=row.scope)
    return Choice(
        choice=row.choice,
        skill=skill,
        by=row.by,
        ts=row.ts,
        note=row.note,
        instruction=user_decision(row.choice, skill),
    )
