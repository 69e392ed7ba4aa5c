"""What post-turn review may write: proposals, and where an account allows it the account's own user-scope skills.

Text that a person wrote or edited is never touched. What review wrote itself is known by the hash that its files had
then; any other hash means that a person was there.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from wellworn.lifecycle.accepting import added_to
from wellworn.lifecycle.proposing.drafting import Draft
from wellworn.lifecycle.proposing.memory import fingerprint_of
from wellworn.lifecycle.shell.steps import steps_of
from wellworn.models.access import Caller, Role
from wellworn.models.errors import InvalidInput, WellwornError
from wellworn.models.ids import new_id
from wellworn.models.proposal import AcceptRequest, Proposal, ProposalStatus
from wellworn.models.skill import Provenance, Scope, Trust
from wellworn.models.turn import Turn
from wellworn.service.care import Care
from wellworn.service.curation import Curation
from wellworn.service.shelf import Located, Shelf
from wellworn.store.accounts import AccountTable
from wellworn.store.database import Database
from wellworn.store.learned_skills import LearnedSkillTable
from wellworn.store.proposals import ProposalRow, ProposalTable
from wellworn.store.skill_changes import SkillChangeTable
from wellworn.store.skill_state import state_hash, state_of

AUTHOR = "post-turn review"
"""Who decided, where an account has allowed its reviews to write its own skills."""


class LearnedWriter:
    """Writes drafts of reviews. Every method may be called from any thread."""

    def __init__(
        self,
        database: Database,
        shelf: Shelf,
        proposals: ProposalTable,
        curation: Curation,
        care: Care,
        *,
        clock: Callable[[], datetime],
        follow: Callable[[], None],
    ) -> None:
        self._shelf, self._proposals, self._curation, self._care = shelf, proposals, curation, care
        self._clock, self._follow = clock, follow
        self._accounts, self._learned = AccountTable(database), LearnedSkillTable(database)
        self._changes = SkillChangeTable(database)

    def write(self, account: str, turn: Turn, draft: Draft) -> tuple[str, bool]:
        """Keep a draft; return the id of its proposal, and whether it was written now.

        What was proposed before, whatever became of it, is not proposed again. Raises InvalidInput for a draft that
        cannot be proposed, StoreError.
        """
        row = self._row(account, turn, draft)
        known = next((one for one in self._proposals.known(account) if _is_same(one.pattern, one.status, row)), None)
        if known is not None:
            return known.proposal_id, False
        self._proposals.put(row)
        if self._accounts.get(account).direct:
            self._install(account, turn, row.proposal)
        return row.id, True

    def _row(self, account: str, turn: Turn, draft: Draft) -> ProposalRow:
        if draft.manifest is None or draft.gate is None or draft.gate.unanswered():
            raise InvalidInput("The draft cannot be proposed: it does not answer the quality gate.", field="draft")
        proposal = Proposal(
            id=new_id(),
            candidate_id=draft.candidate.id,
            candidate=draft.candidate,
            status=ProposalStatus.suggested,
            manifest=draft.manifest.model_copy(update={"trust": Trust.suggested, "provenance": Provenance.agent}),
            body=draft.body,
            recipe=draft.recipe,
            gate=draft.gate,
            similar_to=[one.view for one in draft.similar],
            updates=draft.updates,
            additions=draft.additions,
            repo=draft.repo,
            session_id=turn.session_id,
            created_at=self._clock(),
            notes=["It rests on one turn of yours, looked at after it was completed."],
        )
        keys = [step.key for line in draft.candidate.steps for step in steps_of(line) if not step.noise]
        return ProposalRow(account, proposal, fingerprint_of(keys, draft.updates), 1)

    def _install(self, account: str, turn: Turn, proposal: Proposal) -> None:
        """Install it as the account's own, where nobody else's text is touched; otherwise it waits as a proposal."""
        caller = Caller(role=Role.reviewer, user=account, key_id=AUTHOR)
        try:
            if proposal.updates is None:
                self._curation.accept(proposal.id, AcceptRequest(scope=Scope.user), caller)
            else:
                located = self._own(proposal.updates, caller)
                if located is None:
                    return
                self._add(located, proposal, caller)
        except WellwornError:
            return  # a finding of the scan, a taken id, a change meanwhile: a person decides about the proposal
        self._remember(proposal.id, turn)
        self._follow()

    def _own(self, ref: str, caller: Caller) -> Located | None:
        """Return the skill when review wrote it and nobody changed it since."""
        located = self._shelf.find(ref, self._shelf.owners(caller, None))
        view, manifest = located.view, located.skill.manifest
        written = self._learned.hash_of(view.scope, view.owner, view.id)
        untouched = written is not None and written == state_hash(state_of(located.skill.directory))
        own = view.scope is Scope.user and view.owner == caller.user
        return located if own and untouched and manifest.provenance is Provenance.agent else None

    def _add(self, located: Located, proposal: Proposal, caller: Caller) -> None:
        if proposal.additions is None:
            raise InvalidInput("The update adds nothing.", field="additions")
        draft = added_to(located.skill.manifest, located.skill.body, proposal.additions)
        expected = self._learned.hash_of(located.view.scope, located.view.owner, located.view.id)
        self._care.write_over(located, draft, caller, action="update", proposal_id=proposal.id, expected_hash=expected)

    def _remember(self, proposal_id: str, turn: Turn) -> None:
        """Keep the hash of the very files that were written, not of what they may be by now."""
        for row in self._changes.of_proposal(proposal_id):
            if row.change.after_hash is not None:
                skill = (row.change.scope, row.owner, row.change.skill_id)
                self._learned.put(*skill, row.change.after_hash, turn_id=turn.id, now=self._clock())


def _is_same(pattern: str, status: ProposalStatus, row: ProposalRow) -> bool:
    return pattern == row.pattern and status is not ProposalStatus.superseded
