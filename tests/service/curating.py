"""Proposals and people who decide, for tests of the whole workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.store.makers import make_proposal

from wellworn.models.access import Caller, Role
from wellworn.models.proposal import AcceptAnswer, AcceptRequest, Proposal
from wellworn.models.recipe import ForgePhase, ForgeRecipe, GateStep, ShellStep
from wellworn.models.skill import Trust
from wellworn.service.workspace import Workspace
from wellworn.store.proposals import ProposalRow, ProposalTable

REVIEWER = Caller(role=Role.reviewer, user="local", key_id="k-rev")
AGENT = Caller(role=Role.agent, user="local", key_id="k-agent")
OVER_THE_HILL = "push it over the hill"
"""The alias of the skill that `make_proposal` proposes."""
RECIPE = ForgeRecipe(
    id="ship-it",
    description="Ships.",
    phases=[
        ForgePhase(
            id="go",
            steps=[
                ShellStep(id="test", command="npm test"),
                GateStep(id="ask", requires="git_push"),
                ShellStep(id="push", command="git push"),
            ],
        )
    ],
)


def propose(workspace: Workspace, proposal_id: str = "p1", *, user: str = "local", **fields: Any) -> Proposal:
    """Put a proposal that waits into the store."""
    proposal = make_proposal(proposal_id, **fields)
    ProposalTable(workspace._database).put(ProposalRow(user, proposal, f"pattern of {proposal_id}", 5))
    return proposal


def accept(workspace: Workspace, proposal_id: str = "p1", caller: Caller = REVIEWER, **request: Any) -> AcceptAnswer:
    """Accept a proposal."""
    return workspace.curation.accept(proposal_id, AcceptRequest.model_validate(request), caller)


def worked(workspace: Workspace, skill_id: str, successes: int, reliability: float = 1.0) -> None:
    """Give a user skill of `local` a past."""
    with workspace._database.write() as connection:
        connection.execute(
            """INSERT OR REPLACE INTO skill_stats (scope, owner, skill_id, success_count, reliability)
               VALUES ('user', 'local', ?, ?, ?)""",
            (skill_id, successes, reliability),
        )


def trust_of(workspace: Workspace, skill_id: str, caller: Caller = REVIEWER) -> Trust:
    return workspace.skill(skill_id, caller).manifest.trust


def texts(folder: Path) -> dict[str, str]:
    """Every file below a folder, by name."""
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
