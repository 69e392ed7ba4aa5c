"""Makers of stored things, for the tests of the database."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from wellworn.models.proposal import (
    CandidateKind,
    PatternCandidate,
    Proposal,
    ProposalStatus,
    QualityGate,
    Signal,
    SkillAdditions,
)
from wellworn.models.recipe import ForgeRecipe
from wellworn.models.resolution import Decision, IntentResolution
from wellworn.models.skill import (
    Provenance,
    Risk,
    Scope,
    Skill,
    SkillKind,
    SkillManifest,
    Trust,
    Utterance,
    UtteranceField,
)
from wellworn.store.database import Database
from wellworn.store.skills import SkillEntry, SkillTable
from wellworn.store.sources import SourceTable, StoredSource

NOW = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)


def make_source(
    source_id: str = "home", *, scope: Scope = Scope.user, owner: str = "local", rank: int = 10, vouched: bool = True
) -> StoredSource:
    """A source whose path is named after its id."""
    return StoredSource(source_id, Path("/skills") / source_id, scope, owner, rank, vouched, "home", NOW)


def make_entry(
    skill_id: str = "ship-it",
    *,
    source: StoredSource | None = None,
    directory: str | None = None,
    texts: tuple[str, ...] = ("ship it", "send it out"),
    stamp: str = "1",
    body: str = "# Ship it",
    manifest: SkillManifest | None = None,
) -> SkillEntry:
    """A skill of `source`, with `texts` as its aliases."""
    place = source or make_source()
    return SkillEntry(
        Skill(
            manifest=manifest or SkillManifest(id=skill_id, scope=place.scope, description=f"About {skill_id}."),
            name=skill_id.replace("-", " "),
            body=body,
            owner=place.owner,
            directory=place.path / (directory or skill_id),
        ),
        stamp,
        [Utterance(UtteranceField.alias, text) for text in texts],
        f"words of {skill_id}".encode(),
    )


def make_table(db: Database, *sources: StoredSource) -> SkillTable:
    """A skill table whose sources (by default `home`) are registered."""
    for source in sources or (make_source(),):
        SourceTable(db).put(source, kind="home", now=NOW)
    return SkillTable(db)


def make_resolution(resolution_id: str = "r1", *, skill_id: str | None = "ship-it") -> IntentResolution:
    """An answer: `skill_id` to be confirmed, or none."""
    return IntentResolution(
        resolution_id=resolution_id,
        matched=skill_id is not None,
        skill_id=skill_id,
        confidence=0.7 if skill_id else 0.1,
        scope=Scope.user if skill_id else None,
        decision=Decision.confirm if skill_id else Decision.none,
        reason="Close to an alias." if skill_id else "Nothing is close.",
        generation=1,
    )


def make_proposal(
    proposal_id: str = "p1",
    *,
    skill_id: str = "ship-it",
    scope: Scope = Scope.user,
    status: ProposalStatus = ProposalStatus.suggested,
    body: str = "## Steps\n1. Run the tests.\n2. Push the tag.\n",
    recipe: ForgeRecipe | None = None,
    manifest: SkillManifest | None = None,
    additions: SkillAdditions | None = None,
    updates: str | None = None,
    repo: str | None = None,
    session_id: str | None = None,
    created_at: datetime = NOW,
) -> Proposal:
    """A proposal that answers every question and rests on the events e1 and e2."""
    steps = ["npm test", "git push <remote> <tag>"]
    return Proposal(
        id=proposal_id,
        candidate_id=f"c-{proposal_id}",
        candidate=PatternCandidate(
            id=f"c-{proposal_id}",
            title="Ship it",
            kind=CandidateKind.forge_recipe if recipe else CandidateKind.skill,
            confidence=0.82,
            evidence_event_ids=["e1", "e2"],
            repeated_signals=["the same commands five times"],
            friction_removed="Typing the same commands by hand.",
            suggested_scope=scope,
            risk=Risk.medium,
            reason="Seen in five sessions.",
            signal=Signal.command_sequence,
            steps=steps,
            occurrences=5,
            sessions=5,
            days=4,
            success_rate=1.0,
        ),
        status=status,
        manifest=manifest
        or SkillManifest(
            id=skill_id,
            scope=scope,
            kind=SkillKind.forge_recipe if recipe else SkillKind.prompt_skill,
            description="Runs the tests and pushes the tag.",
            aliases=["push it over the hill"],
            examples=["get this out of the door"],
            triggers=["tests have passed"],
            trust=Trust.suggested,
            provenance=Provenance.agent,
            requires_approval=["git_push"],
            recipe_id=recipe.id if recipe else None,
        ),
        body=body,
        recipe=recipe,
        gate=QualityGate(
            evidence="Five runs in five sessions.",
            friction="Typing the same commands by hand.",
            similar="None is similar.",
            scope="user: a personal habit.",
            without_approval="npm test",
            requires_approval="git push",
        ),
        updates=updates,
        additions=additions,
        repo=repo,
        session_id=session_id,
        created_at=created_at,
    )
