"""`skills learn`: from one task that went well to a proposal that waits for a person, as any other does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from wellworn.lifecycle.adviser import Adviser
from wellworn.lifecycle.crystallize import Around, Verdict, crystallize
from wellworn.lifecycle.proposing.memory import fingerprint_of
from wellworn.lifecycle.proposing.similar import InstalledSkill, Meant
from wellworn.models.access import Caller, Role
from wellworn.models.errors import Conflict, WellwornError
from wellworn.models.ids import new_id
from wellworn.models.proposal import Proposal, ProposalStatus
from wellworn.models.task import Task
from wellworn.store.database import Database
from wellworn.store.proposals import ProposalRow, ProposalTable

Installed = Callable[[str, str | None], Sequence[InstalledSkill]]
Meanings = Callable[[Sequence[str], str | None, str], list[Meant | None]]
AdviserOf = Callable[[str], Adviser | None]
_SHOWN = 80


class Crystallizing:
    """Every method may be called from any thread.

    installed, meanings: what the user of a task has, and what messages resolve to for them. adviser_of: the model that
    words drafts on behalf of a user, if one is configured.
    """

    def __init__(
        self,
        database: Database,
        clock: Callable[[], datetime],
        *,
        installed: Installed,
        meanings: Meanings,
        adviser_of: AdviserOf,
    ) -> None:
        self._database, self._clock = database, clock
        self._installed, self._meanings, self._adviser_of = installed, meanings, adviser_of
        self._proposals = ProposalTable(database)

    def learn(self, task: Task, caller: Caller) -> Proposal:
        """Propose a skill from a task that the caller may see; nothing is installed by it.

        Asked again, it answers with the proposal that waits already. Raises Conflict with all that speaks against it,
        and naming the skill to update where that is the way; also for an agent where a person has rejected the same.
        """
        known = self._known(task)
        if known is not None:
            return known
        adviser, notes = self._adviser(task.user)
        verdict = crystallize(task, self._around(task), new_id(), adviser)
        if verdict.draft is None:
            raise refusal(task, verdict)
        row = self._row(task, verdict, notes)
        with self._database.write():
            waiting = self._same(row, caller)
            if waiting is not None:
                return waiting
            self._proposals.put(row)
        return row.proposal

    def _around(self, task: Task) -> Around:
        return Around(
            self._installed(task.user, task.repo),
            lambda texts, repo: self._meanings(texts, repo, task.user),
            self._clock(),
        )

    def _adviser(self, user: str) -> tuple[Adviser | None, list[str]]:
        try:
            return self._adviser_of(user), []
        except WellwornError as error:
            return None, [f"Worded without a model: {error}"]

    def _known(self, task: Task) -> Proposal | None:
        """Return the proposal from this very task that waits."""
        for proposal_id, events in self._proposals.evidence(task.user).items():
            if task.id in events:
                found = self._proposals.get(task.user, proposal_id).proposal
                if found.status is ProposalStatus.suggested:
                    return found
        return None

    def _same(self, row: ProposalRow, caller: Caller) -> Proposal | None:
        """Return the proposal of the same steps that waits. Raises Conflict where it was rejected and an agent asks."""
        same = [one for one in self._proposals.known(row.user) if one.pattern == row.pattern]
        waiting = next((one for one in same if one.status is ProposalStatus.suggested), None)
        if waiting is not None:
            return self._proposals.get(row.user, waiting.proposal_id).proposal
        if caller.role is Role.agent and same and same[-1].status is ProposalStatus.rejected:
            raise Conflict(
                f"A person has rejected the same steps before ({same[-1].proposal_id}).",
                hint="Only a person can ask for them again.",
            )
        return None

    def _row(self, task: Task, verdict: Verdict, notes: Sequence[str]) -> ProposalRow:
        draft = verdict.draft
        if draft is None or draft.manifest is None or draft.gate is None:
            raise ValueError("only what has a manifest and a gate is proposed")
        proposal = Proposal(
            id=new_id(),
            candidate_id=draft.candidate.id,
            candidate=draft.candidate,
            status=ProposalStatus.suggested,
            manifest=draft.manifest,
            body=draft.body,
            gate=draft.gate,
            similar_to=[one.view for one in draft.similar],
            repo=draft.repo,
            session_id=task.session_id,
            created_at=self._clock(),
            notes=["It rests on one finished task.", *notes, *verdict.notes],
        )
        return ProposalRow(task.user, proposal, fingerprint_of(verdict.keys), 1)


def refusal(task: Task, verdict: Verdict) -> Conflict:
    """Return the error that tells all that speaks against a task."""
    hint = "Nothing was proposed."
    if verdict.instead is not None:
        hint = f"Nothing was proposed; `wellworn skills update {verdict.instead}` changes that skill."
    return Conflict(f"The task {task.id[:_SHOWN]} makes no skill. {' '.join(verdict.reasons)}", hint=hint)
