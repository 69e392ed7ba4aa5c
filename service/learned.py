"""What post-turn review may write: proposals, and where an account allows it the account's own user-scope skills.

Text that a person wrote or edited is never touched. What review wrote itself is known by the hash that its files had
then; any other hash means that a person was there.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from wellworn.lifecycle.accepting import added_to
from wellworn.lifecycle.proposing.drafting import Draft
from wellworn.lifecycle.proposing.memory import fingerprint_of
from wellworn.lifecycle.shell.steps import steps_of
from wellworn.models.access import Caller, Role
from wellworn.models.errors import Conflict, InvalidInput, WellwornError
from wellworn.models.ids import new_id
from wellworn.models.proposal import AcceptRequest, Proposal, ProposalStatus
from wellworn.models.skill import Provenance, Scope, Trust
from wellworn.models.turn import Turn
from wellworn.service.care import Care
from wellworn.service.curation import Curation
from wellworn.service.decision_log import DecisionLog
from wellworn.service.reviewing import Kept
from wellworn.service.shelf import Located, Shelf
from wellworn.store.accounts import AccountTable
from wellworn.store.database import Database
from wellworn.store.learned_skills import LearnedSkillTable
from wellworn.store.proposals import ProposalRow, ProposalTable
from wellworn.store.skill_changes import SkillChangeTable
from wellworn.store.versions import VersionTable

_TWO_FILES = frozenset({"skill.md", "manifest.yaml", "manifest.yml"})
AUTHOR = "post-turn review"
"""Who decided, where an account has allowed its reviews to write its own skills."""


class _AuthorisedLog(DecisionLog):
    """Asks once more within the very transaction of each decision, before a file is touched."""

    def __init__(self, database: Database, authorise: Callable[[], None]) -> None:
        super().__init__(database)
        self._authorise = authorise

    def allow(self) -> None:
        """Raise whatever is against writing by now."""
        self._authorise()


class LearnedWriter:
    """Writes drafts of reviews. Every method may be called from any thread."""

    def __init__(
        self,
        database: Database,
        shelf: Shelf,
        proposals: ProposalTable,
        *,
        clock: Callable[[], datetime],
        follow: Callable[[], None],
    ) -> None:
        self._database, self._shelf, self._proposals = database, shelf, proposals
        self._clock, self._follow = clock, follow
        self._accounts, self._learned = AccountTable(database), LearnedSkillTable(database)
        self._changes, self._versions = SkillChangeTable(database), VersionTable(database)

    def write(
        self,
        account: str,
        turn: Turn,
        draft: Draft,
        authorise: Callable[[], None],
        noted: Callable[[str], None],
    ) -> Kept:
        """Keep a draft as a proposal; what was proposed before, whatever became of it, is not proposed again.

        Raises InvalidInput for a draft that cannot be proposed, StoreError, and whatever `authorise` raises.
        """
        row = self._row(account, turn, draft)
        with self._database.write():
            authorise()
            known = self._proposals.known(account)
            same = next((one for one in known if _is_same(one.pattern, one.status, row)), None)
            if same is not None:
                return Kept(same.proposal_id, new=False)
            self._proposals.put(row)
            noted(row.id)
            direct = self._accounts.get(account).direct
        return Kept(row.id, new=True, install=(lambda: self._install(turn, row, authorise)) if direct else None)

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
            notes=["It rests on one turn of yours, looked at after it was completed.", *draft.notes],
        )
        keys = [step.key for line in draft.candidate.steps for step in steps_of(line) if not step.noise]
        return ProposalRow(account, proposal, fingerprint_of(keys, draft.updates), 1)

    def _install(self, turn: Turn, row: ProposalRow, authorise: Callable[[], None]) -> None:
        """Install it as the account's own, where nobody else's text is touched; otherwise it waits, and says why."""
        log = _AuthorisedLog(self._database, authorise)
        care = Care(self._shelf, log, self._proposals, clock=self._clock, follow=self._follow)
        caller, proposal = Caller(role=Role.reviewer, user=row.user, key_id=AUTHOR), row.proposal
        try:
            if proposal.updates is None:
                curation = Curation(self._shelf, log, self._proposals, care)
                curation.accept(proposal.id, AcceptRequest(scope=Scope.user), caller)
            else:
                self._add(care, self._own(proposal.updates, caller), proposal, caller)
        except WellwornError as error:
            self._keep_waiting(row, str(error))
            return
        self._remember(proposal.id, turn)
        self._follow()

    def _keep_waiting(self, row: ProposalRow, why: str) -> None:
        told = row.proposal.model_copy(update={"notes": [*row.proposal.notes, f"It was not installed at once: {why}"]})
        with suppress(Conflict):  # somebody decided meanwhile
            self._proposals.put(replace(row, proposal=told))

    def _own(self, ref: str, caller: Caller) -> Located:
        """Return the skill when review wrote it and no person was there since. Raises Conflict that says why not."""
        located = self._shelf.find(ref, self._shelf.owners(caller, None))
        view = located.view
        why = None
        if (view.scope, view.owner) != (Scope.user, caller.user):
            why = "it is not the account's own"
        elif located.skill.manifest.provenance is not Provenance.agent or self._was_touched(located):
            why = "a person wrote or changed it"
        elif located.skill.manifest.recipe_id is not None or _has_more(located.skill.directory):
            why = "there is more to it than its two files"
        if why is not None:
            raise Conflict(f"{ref} is not changed without a person: {why}.")
        return located

    def _was_touched(self, located: Located) -> bool:
        """Say whether the files are, or ever were since, others than those that review wrote; also by a decision."""
        view = located.view
        place = (view.scope, view.owner, view.id)
        written = self._learned.get(*place)
        if written is None or written[0] != located.hash:
            return True
        last = self._changes.page(*place, limit=1)
        if not last or last[0].by != AUTHOR or last[0].after_hash != written[0]:
            return True
        return any(one.hash != written[0] and one.ts > written[1] for one in self._versions.page(*place))

    def _add(self, care: Care, located: Located, proposal: Proposal, caller: Caller) -> None:
        if proposal.additions is None:
            raise InvalidInput("The update adds nothing.", field="additions")
        draft = added_to(located.skill.manifest, located.skill.body, proposal.additions)
        care.write_over(located, draft, caller, action="update", proposal_id=proposal.id, expected_hash=located.hash)

    def _remember(self, proposal_id: str, turn: Turn) -> None:
        """Keep the hash of the very files that were written, not of what they may be by now."""
        for row in self._changes.of_proposal(proposal_id):
            if row.change.after_hash is not None:
                skill = (row.change.scope, row.owner, row.change.skill_id)
                self._learned.put(*skill, row.change.after_hash, turn_id=turn.id, now=self._clock())


def _has_more(directory: Path) -> bool:
    """Say whether a skill's folder holds anything but its two files."""
    return any(path.name.lower() not in _TWO_FILES for path in directory.iterdir())


def _is_same(pattern: str, status: ProposalStatus, row: ProposalRow) -> bool:
    return pattern == row.pattern and status is not ProposalStatus.superseded
