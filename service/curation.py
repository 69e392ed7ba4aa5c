"""What a person decides about proposals: accept, reject; and looking at them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wellworn.lifecycle.accepting import Draft, added_to, additions_of, check_confirmed, draft_of
from wellworn.models.access import Caller, Role
from wellworn.models.errors import Conflict, InvalidInput, NotFound, WellwornError
from wellworn.models.ids import new_id
from wellworn.models.proposal import (
    AcceptAnswer,
    AcceptRequest,
    Proposal,
    ProposalList,
    ProposalStatus,
    RejectRequest,
    ScanFinding,
    SkillChange,
)
from wellworn.models.skill import Scope, Severity, SkillView, Trust
from wellworn.service.care import Care
from wellworn.service.decision_log import REPEATED, DecisionLog, author_of, file_hash, proposal_of, refuse_agents
from wellworn.service.places import Owner
from wellworn.service.scanning import scanned
from wellworn.service.shelf import Located, Shelf, Target
from wellworn.store.proposals import ProposalRow, ProposalTable, check_undecided
from wellworn.store.recipe_file import forge_folder, parse_recipe, recipe_bytes, recipe_path, write_recipe
from wellworn.store.redact import redact
from wellworn.store.safe_paths import inside
from wellworn.store.skill_changes import Begun, ChangeRow
from wellworn.store.skill_read import MANIFEST_FILE, SKILL_FILE, SkillBytes, skill_from_bytes
from wellworn.store.skill_state import state_hash
from wellworn.store.skill_write import compose, write_skill

_PROBLEMS = 5


class Curation:
    """Proposals and the decisions about them. Every method may be called from any thread."""

    def __init__(self, shelf: Shelf, log: DecisionLog, table: ProposalTable, care: Care) -> None:
        self._shelf, self._log, self.table, self._care = shelf, log, table, care
        self._clock, self._follow = care.clock, care.follow

    # -- looking -----------------------------------------------------------------------------------------------------

    def proposals(
        self,
        caller: Caller,
        *,
        status: ProposalStatus | None = None,
        repo: str | None = None,
        offset: int = 0,
        limit: int = 100,
    ) -> ProposalList:
        """Return one page of the caller's proposals (an admin's: everybody's), newest first.

        repo: its id, any way to write its origin, or its folder; it need not be known here.
        """
        user = None if caller.role is Role.admin else caller.user
        name = None if repo is None else self._shelf.repo_name(repo)
        rows, total = self.table.page(user, status=status, repo=name, repos=caller.repos, offset=offset, limit=limit)
        shown = offset + len(rows)
        following = shown if rows and shown < total else None
        return ProposalList(proposals=[row.proposal for row in rows], total=total, next_offset=following)

    def proposal(self, proposal_id: str, caller: Caller) -> Proposal:
        """Return one proposal whole. Raises NotFound, also for another user's."""
        return self._get(proposal_id, caller).proposal

    def _get(self, proposal_id: str, caller: Caller) -> ProposalRow:
        return proposal_of(self.table, proposal_id, caller)

    # -- deciding ----------------------------------------------------------------------------------------------------

    def reject(self, proposal_id: str, request: RejectRequest, caller: Caller) -> Proposal:
        """Write down that a proposal is not wanted; it stays quiet. Raises NotFound, NotAllowed, Conflict."""
        refuse_agents(caller)
        self._log.recover()
        row = self._get(proposal_id, caller)
        return self.table.decide(
            row.id,
            ProposalStatus.rejected,
            by=author_of(caller),
            reason=None if request.reason is None else redact(request.reason),
            now=self._clock(),
        )

    def accept(self, proposal_id: str, request: AcceptRequest, caller: Caller) -> AcceptAnswer:
        """Write what was proposed, with the person's edits; it resolves when this returns.

        Raises NotFound, NotAllowed, InvalidInput (naming the field), Conflict (decided, or the id is taken),
        StoreError; then nothing is changed.
        """
        refuse_agents(caller)
        self._log.recover()
        row = self._get(proposal_id, caller)
        _check_complete(row.proposal)
        if row.proposal.updates is not None:
            return self._accept_update(row, row.proposal.updates, request, caller)
        return self._accept_new(row, request, caller)

    def _accept_new(self, row: ProposalRow, request: AcceptRequest, caller: Caller) -> AcceptAnswer:
        proposal = row.proposal
        draft = draft_of(proposal, request)
        again = self._check_open(proposal, draft.scope)
        repo = request.repo or proposal.repo
        session = request.session_id or proposal.session_id
        target = self._shelf.target(draft.scope, caller, user=row.user, repo=repo, session_id=session)
        check_confirmed(draft, request.confirm)
        self._refuse_taken(draft, target, proposal.id)
        findings, allowed = scanned(draft, request.overrides)
        folder = inside(target.source.path, draft.id)
        files = compose(folder, draft.manifest, draft.body, None)
        _check_loads(draft, folder, files)
        notes, give_back = self._shelf.adopt(target)
        begun = self._begun(
            draft, target.owner, row.id, caller=caller, folder=folder, files=files, again=again, evidence=allowed
        )

        def make() -> None:
            self._check_open(self.table.get(None, row.id).proposal, draft.scope)
            self._refuse_taken(draft, target, proposal.id)
            if draft.recipe is not None:
                write_recipe(forge_folder(target.source.path), draft.recipe)
            write_skill(target.source.path, draft.manifest, draft.body)
            self._shelf.store(target.source, folder)
            if not again:
                self._decide(row.id, begun.row.change)

        try:
            self._log.carry_out(begun, make)
        except WellwornError:
            give_back()
            raise
        self._follow()
        view = self._shelf.skills.find(f"{draft.id}@{draft.scope}", [target.owner])
        notes += self._shadow_notes(draft, caller, request, row)
        return self._answer(row, caller, view, folder, begun.recipe, findings=findings, notes=notes)

    def _check_open(self, proposal: Proposal, scope: Scope) -> bool:
        """Say whether it is accepted once more: what was for a session may be kept afterwards, in another scope."""
        if proposal.status is not ProposalStatus.accepted or scope is Scope.session:
            check_undecided(proposal)
            return False
        made = self._log.changes.of_proposal(proposal.id)
        if not made or any(one.change.scope is not Scope.session for one in made):
            check_undecided(proposal)
        return True

    def _begun(
        self,
        draft: Draft,
        owner: Owner,
        proposal_id: str,
        *,
        caller: Caller,
        folder: Path,
        files: SkillBytes,
        again: bool,
        evidence: str | None,
    ) -> Begun:
        change = SkillChange(
            id=new_id(),
            ts=self._clock(),
            skill_id=draft.id,
            scope=draft.scope,
            action=REPEATED if again else "accept",
            to_trust=Trust.installed,
            by=author_of(caller),
            evidence=evidence,
            proposal_id=proposal_id,
            after_hash=state_hash(files),
        )
        recipe = draft.recipe
        return Begun(
            ChangeRow(change, owner[1]),
            folder,
            creates=True,
            recipe=None if recipe is None else recipe_path(forge_folder(folder.parent), recipe.id),
            recipe_hash=None if recipe is None else file_hash(recipe_bytes(recipe)),
        )

    def _decide(self, proposal_id: str, change: SkillChange) -> None:
        self.table.decide(proposal_id, ProposalStatus.accepted, by=change.by, now=change.ts)

    def _refuse_taken(self, draft: Draft, target: Target, proposal_id: str) -> None:
        """Raise Conflict when the id is there already in this scope, whatever its trust."""
        scope, owner = target.owner
        other = "or give it another name with `id` (--id NAME)"
        if self._shelf.skills.key_of(scope, owner, draft.id) is not None:
            there = self._shelf.skills.get(scope, owner, draft.id)
            if there.manifest.trust is Trust.archived:
                raise Conflict(
                    f"There is an archived skill {draft.id} in {scope} scope.",
                    hint=f"Bring it back with `wellworn skills enable {draft.id}`, {other}.",
                    field="id",
                )
            raise Conflict(
                f"There is a skill {draft.id} in {scope} scope already.",
                hint=f"Add to it with `wellworn skills update {draft.id} --from {proposal_id}`, {other}.",
                field="id",
            )
        folder = inside(target.source.path, draft.id)
        if folder.exists() and any(folder.iterdir()):
            raise Conflict(f"The folder {folder} is there already.", hint=f"Move it away, {other}.", field="id")
        if draft.recipe is not None:
            path = recipe_path(forge_folder(target.source.path), draft.recipe.id)
            if path.exists() and path.read_bytes() != recipe_bytes(draft.recipe):
                raise Conflict(f"The recipe {path} is there already.", hint=f"Move it away, {other}.", field="id")

    def _shadow_notes(self, draft: Draft, caller: Caller, request: AcceptRequest, row: ProposalRow) -> list[str]:
        try:
            owners = self._shelf.owners(
                caller, request.repo or row.proposal.repo, request.session_id or row.proposal.session_id
            )
        except NotFound:  # the proposal's repo is not known here
            owners = self._shelf.owners(caller, None)
        return [
            f"There is a {draft.id} in {scope} scope as well; the narrower scope counts, {draft.id}@{scope} reaches "
            "that one."
            for scope in self._shelf.elsewhere(draft.id, draft.scope, owners)
        ]

    # -- an update of a skill that is there --------------------------------------------------------------------------

    def _accept_update(self, row: ProposalRow, ref: str, request: AcceptRequest, caller: Caller) -> AcceptAnswer:
        check_undecided(row.proposal)
        skill_id = ref.partition("@")[0]
        if request.id not in (None, skill_id):
            raise InvalidInput(f"This proposal adds to {ref}, so it takes no other id.", field="id")
        located = self._updated_skill(row, ref, request, caller)
        if request.scope not in (None, located.view.scope):
            raise InvalidInput(f"This proposal adds to {ref}, so it takes no other scope.", field="scope")
        additions = additions_of(row.proposal, request)
        draft = added_to(located.skill.manifest, located.skill.body, additions)
        check_confirmed(draft, request.confirm)
        change, findings = self._care.write_over(
            located, draft, caller, action="update", overrides=request.overrides, proposal_id=row.id
        )
        self._follow()
        view = self._shelf.skills.get(located.view.scope, located.view.owner, located.view.id)
        notes = [] if change.before_hash != change.after_hash else [f"{ref} had all of it already."]
        return self._answer(row, caller, view, located.skill.directory, None, findings=findings, notes=notes)

    def _updated_skill(self, row: ProposalRow, ref: str, request: AcceptRequest, caller: Caller) -> Located:
        owners = self._shelf.owners(caller, request.repo or row.proposal.repo, row.proposal.session_id)
        try:
            located = self._shelf.find(ref, tuple(_of_user(owners, caller, row.user)))
        except NotFound:
            raise Conflict(
                f"The skill {ref}, which this proposal adds to, is not there any more.",
                hint="Reject the proposal; the next `wellworn skills suggest` looks again.",
            ) from None
        if located.skill.manifest.trust is Trust.archived:
            raise Conflict(
                f"The skill {ref}, which this proposal adds to, is archived.",
                hint=f"Bring it back with `wellworn skills enable {ref}`, or reject the proposal.",
            )
        return located

    def _answer(
        self,
        row: ProposalRow,
        caller: Caller,
        view: SkillView,
        folder: Path,
        recipe: Path | None,
        *,
        findings: list[ScanFinding],
        notes: list[str],
    ) -> AcceptAnswer:
        files = [str(folder / name) for name in (SKILL_FILE, MANIFEST_FILE) if (folder / name).exists()]
        files += [] if recipe is None else [str(recipe)]
        return AcceptAnswer(
            proposal=self._get(row.id, caller).proposal, skill=view, files=files, findings=findings, notes=notes
        )


def _of_user(owners: Sequence[Owner], caller: Caller, user: str) -> list[Owner]:
    """An admin decides for another user's skills, not for their own."""
    return [(scope, user if scope is Scope.user and owner == caller.user else owner) for scope, owner in owners]


def _check_complete(proposal: Proposal) -> None:
    open_questions = proposal.gate.unanswered()
    if open_questions:
        raise Conflict(
            f"The proposal {proposal.id} does not answer: {' '.join(open_questions)}",
            hint="Reject it; more evidence makes a better one.",
        )


def _check_loads(draft: Draft, folder: Path, files: SkillBytes) -> None:
    """Read what would be written with the loader that will read it; raises InvalidInput for what it cannot use."""
    read = skill_from_bytes(folder, files, scope=draft.scope, owner="")
    wrong = [one.message for one in read.diagnostics if one.severity is Severity.error]
    same = read.manifest.model_dump() == draft.manifest.model_dump() and read.body.split() == draft.body.split()
    if not wrong and not (read.invocable and same):
        wrong = ["it holds text that cannot be written down so that it is read as it was"]
    if draft.recipe is not None and parse_recipe(recipe_bytes(draft.recipe).decode(), "recipe") != draft.recipe:
        wrong.append("its recipe holds text that cannot be written down so that it is read as it was")
    if wrong:
        raise InvalidInput(
            f"The skill {draft.id} cannot be written: {'; '.join(wrong[:_PROBLEMS])}.",
            hint="Edit it (--edit), and accept again.",
            field="body",
        )
