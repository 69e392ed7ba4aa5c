"""What a person decides about skills that are there: their trust, their text, and what was decided before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from wellworn.lifecycle.accepting import Draft, added_to, additions_of, difference, updated
from wellworn.lifecycle.trust import ASIDE, Actor, TrustEvidence, judge_transition, level_number, next_level, returns_to
from wellworn.lifecycle.unattended import problems_of_recipe, problems_of_steps
from wellworn.models.access import Caller
from wellworn.models.curation import SkillHistory, TrustAnswer, TrustRequest, UpdateAnswer, UpdateRequest
from wellworn.models.errors import Conflict, InvalidInput, NotFound, WellwornError
from wellworn.models.ids import new_id
from wellworn.models.proposal import Proposal, ProposalStatus, ScanFinding, SkillChange
from wellworn.models.skill import SkillCard, SkillView, Trust
from wellworn.resolver.gates import safe_steps
from wellworn.service.decision_log import DecisionLog, author_of, proposal_of, refuse_agents
from wellworn.service.scanning import allowed_before, scan, scanned
from wellworn.service.shelf import Located, Shelf
from wellworn.store.proposals import ProposalTable, check_undecided
from wellworn.store.recipe_file import forge_folder, read_recipe
from wellworn.store.skill_changes import Begun, ChangeRow, Effects
from wellworn.store.skill_preview import hash_after, preview
from wellworn.store.skill_views import parse_ref
from wellworn.store.skill_write import write_skill
from wellworn.store.steps_section import same_steps

AUDIT = "wellworn"
"""Who decided, where nobody did: what wellworn does by itself."""
VERBS = ("promote", "demote", "disable", "enable", "archive")


class Care:
    """Decisions about skills that are there. Every method may be called from any thread.

    follow: called when something was written, to make it searchable.
    """

    def __init__(
        self,
        shelf: Shelf,
        log: DecisionLog,
        proposals: ProposalTable,
        *,
        clock: Callable[[], datetime],
        follow: Callable[[], None],
    ) -> None:
        self._shelf, self._log, self._proposals = shelf, log, proposals
        self.clock, self.follow = clock, follow

    # -- trust -------------------------------------------------------------------------------------------------------

    def change_trust(
        self, verb: str, ref: str, request: TrustRequest, caller: Caller, *, repo: str | None = None
    ) -> TrustAnswer:
        """promote, demote, disable, enable or archive the skill `ref`; it counts when this returns.

        Raises NotFound, NotAllowed, InvalidInput (a level that the verb does not lead to), Conflict naming all the
        evidence that is missing, StoreError; then nothing is changed.
        """
        refuse_agents(caller)
        self._log.recover()
        located = self._shelf.find(ref, self._shelf.owners(caller, repo))
        history = self._history(located.view)
        now = located.skill.manifest.trust
        before, by_audit = _level_before(history)
        wanted = _wanted(verb, located.view.id, now, request.to, returns_to(before, disabled_by_audit=by_audit))
        evidence = self._evidence(located, history, wanted, before=before, by_audit=by_audit)
        ruling = judge_transition(now, wanted, Actor.person, evidence)
        if not ruling.allowed:
            raise Conflict(
                f"{located.view.id} cannot become {wanted}: {'; '.join(ruling.reasons)}.", hint="Nothing was changed."
            )
        told = f"{evidence.successes} successes, reliability {evidence.reliability:.2f}"
        change = self._write_trust(located, wanted, caller, verb=verb, reason=request.reason, evidence=told)
        self.follow()
        view = self._shelf.skills.get(located.view.scope, located.view.owner, located.view.id)
        return TrustAnswer(skill=view, change=change)

    def _write_trust(
        self, located: Located, wanted: Trust, caller: Caller, *, verb: str, reason: str | None, evidence: str
    ) -> SkillChange:
        directory, manifest = located.skill.directory, located.skill.manifest
        change = SkillChange(
            id=new_id(),
            ts=self.clock(),
            skill_id=located.view.id,
            scope=located.view.scope,
            action=verb,
            from_trust=manifest.trust,
            to_trust=wanted,
            by=author_of(caller),
            reason=reason,
            evidence=evidence,
            before_hash=located.hash,
        )

        def make() -> None:
            write_skill(located.root, manifest.model_copy(update={"trust": wanted}), None, directory=directory)
            self._shelf.store(located.source, directory)

        return self._log.carry_out(Begun(ChangeRow(change, located.view.owner), directory), make)

    def _evidence(
        self,
        located: Located,
        history: Sequence[SkillChange],
        wanted: Trust,
        *,
        before: Trust | None,
        by_audit: bool,
    ) -> TrustEvidence:
        """Gather what the transition asks for; the scan and the parser only when trust is to grow."""
        view, skill = located.view, located.skill
        grows = wanted not in ASIDE and (level_number(wanted) or 0) > (level_number(skill.manifest.trust) or 0)
        return TrustEvidence(
            successes=view.stats.success_count,
            reliability=view.stats.reliability,
            risk=skill.manifest.risk,
            high_findings=self._high_findings(located, history) if grows else (),
            unattended=_unattended(located) if grows and wanted is Trust.automatic else (),
            before=before,
            disabled_by_audit=by_audit,
        )

    def _high_findings(self, located: Located, history: Sequence[SkillChange]) -> tuple[str, ...]:
        skill = located.skill
        if not skill.invocable:
            return ("a safety field that cannot be read",)
        _, blocked = scan(skill.manifest, skill.body, None, allowed_before(history), skill.directory)
        return tuple(dict.fromkeys(one.name for one in blocked))

    # -- history -----------------------------------------------------------------------------------------------------

    def history(self, ref: str, caller: Caller, *, repo: str | None = None) -> SkillHistory:
        """Return what was decided about a skill, newest first, also about one that is gone. Raises NotFound."""
        owners = self._shelf.owners(caller, repo)
        try:
            return SkillHistory(changes=self._history(self._shelf.skills.find(ref, owners)))
        except NotFound:
            skill_id, wanted = parse_ref(ref)
            for scope, owner in owners:
                changes = self._log.changes.page(scope, owner, skill_id) if wanted in (None, scope) else []
                if changes:
                    return SkillHistory(changes=changes)
            raise

    def _history(self, view: SkillView) -> list[SkillChange]:
        return self._log.changes.page(view.scope, view.owner, view.id)

    # -- text --------------------------------------------------------------------------------------------------------

    def update(self, ref: str, request: UpdateRequest, caller: Caller, *, repo: str | None = None) -> UpdateAnswer:
        """Change a skill's text, or with `dry_run` show how that would change its files; it resolves when this returns.

        Raises NotFound, NotAllowed, InvalidInput (naming the field), Conflict (changed since `expected_hash`, archived,
        or the proposal is decided), StoreError; then nothing is changed.
        """
        refuse_agents(caller)
        self._log.recover()
        located = self._shelf.find(ref, self._shelf.owners(caller, repo))
        if located.skill.manifest.trust is Trust.archived:
            raise Conflict(f"{ref} is archived.", hint=f"Bring it back with `wellworn skills enable {ref}`.")
        proposal = self._proposal(request, caller)
        draft = _updated(located, proposal, request)
        before_hash = located.hash
        if request.expected_hash not in (None, before_hash):
            raise Conflict(f"The files of {ref} were changed meanwhile.", hint="Look at them, and decide again.")
        old, new = preview(located.skill.directory, draft.manifest, draft.body)
        if request.dry_run or (old == new and proposal is None and not request.reset_stats):
            findings, _ = scan(draft.manifest, draft.body, None, request.overrides, located.skill.directory)
            return UpdateAnswer(
                skill=located.view,
                changed=old != new,
                diff=difference(old, new),
                hash=before_hash,
                findings=findings,
            )
        change, findings = self.write_over(
            located,
            draft,
            caller,
            action="update",
            overrides=request.overrides,
            proposal_id=None if proposal is None else proposal.id,
            reason=request.reason,
            expected_hash=before_hash,
            reset_stats=request.reset_stats,
        )
        self.follow()
        view = self._shelf.skills.get(located.view.scope, located.view.owner, located.view.id)
        return UpdateAnswer(
            skill=view,
            changed=old != new,
            diff=difference(old, new),
            hash=before_hash,
            change=change,
            findings=findings,
        )

    def _proposal(self, request: UpdateRequest, caller: Caller) -> Proposal | None:
        if request.from_proposal is None:
            return None
        proposal = proposal_of(self._proposals, request.from_proposal, caller).proposal
        check_undecided(proposal)
        return proposal

    def write_over(
        self,
        located: Located,
        draft: Draft,
        caller: Caller,
        *,
        action: str,
        overrides: Sequence[str] = (),
        proposal_id: str | None = None,
        reason: str | None = None,
        expected_hash: str | None = None,
        reset_stats: bool = False,
    ) -> tuple[SkillChange, list[ScanFinding]]:
        """Write a changed skill over the one that is there, scanned, with its record; decide the proposal with it.

        Other steps let the repairs be counted anew; reliability and counts stay unless `reset_stats`. expected_hash: of
        the files that the change was made from, when that was earlier than now. Raises InvalidInput
        (a finding), Conflict (changed meanwhile, or decided), StoreError; then nothing is changed.
        """
        refuse_agents(caller)
        findings, allowed = scanned(draft, overrides, located.skill)
        directory = located.skill.directory
        change = SkillChange(
            id=new_id(),
            ts=self.clock(),
            skill_id=located.view.id,
            scope=located.view.scope,
            action=action,
            by=author_of(caller),
            reason=reason,
            evidence=allowed,
            proposal_id=proposal_id,
            before_hash=expected_hash or located.hash,
            after_hash=hash_after(directory, draft.manifest, draft.body),  # one new file alone is not this change
        )

        def make() -> None:
            if proposal_id is not None:
                check_undecided(self._proposals.get(None, proposal_id).proposal)
            write_skill(located.root, draft.manifest, draft.body, directory=directory)
            self._shelf.store(located.source, directory)
            if proposal_id is not None:
                self._proposals.decide(proposal_id, ProposalStatus.accepted, by=change.by, now=change.ts)

        effects = Effects(fresh_repairs=not same_steps(located.skill.body, draft.body), fresh_stats=reset_stats)
        made = self._log.carry_out(Begun(ChangeRow(change, located.view.owner), directory, effects=effects), make)
        return made, findings


def _updated(located: Located, proposal: Proposal | None, request: UpdateRequest) -> Draft:
    manifest, body = located.skill.manifest, located.skill.body
    added = Draft(manifest, body) if proposal is None else added_to(manifest, body, additions_of(proposal))
    return updated(added.manifest, added.body, request)


def _level_before(history: Sequence[SkillChange]) -> tuple[Trust | None, bool]:
    """Return the last level that a skill had before it was set aside, and whether the audit did so since."""
    by_audit = False
    for change in history:  # newest first
        if change.to_trust is None:
            continue
        if change.to_trust not in ASIDE:
            return Trust(change.to_trust), by_audit
        by_audit = by_audit or change.by == AUDIT
        if change.from_trust is not None and change.from_trust not in ASIDE:
            return Trust(change.from_trust), by_audit
    return None, by_audit


def _wanted(verb: str, skill_id: str, now: Trust, to: Trust | None, former: Trust) -> Trust:
    """Return the trust that a verb leads to. Raises InvalidInput, Conflict."""
    if verb in ("promote", "demote"):
        return _stepped(verb, skill_id, now, to)
    if to is not None:
        raise InvalidInput(f"{verb} takes no level.", hint="Leave `to` out; promote and demote take one.", field="to")
    if verb == "enable":
        if now not in ASIDE:
            raise Conflict(f"{skill_id} is neither disabled nor archived; it is {now}.")
        return former
    return Trust.disabled if verb == "disable" else Trust.archived


def _stepped(verb: str, skill_id: str, now: Trust, to: Trust | None) -> Trust:
    up = verb == "promote"
    if now in ASIDE:
        raise Conflict(f"{skill_id} is {now}.", hint=f"Bring it back first: `wellworn skills enable {skill_id}`.")
    if to is None:
        following = next_level(now, 1 if up else -1)
        if following is None:
            raise Conflict(f"{skill_id} is {now} already, and there is no {'higher' if up else 'lower'} level.")
        return following
    goes_down = (level_number(to) or 0) < (level_number(now) or 0)
    if to in ASIDE or (to is not now and goes_down is up):
        other = "disable` or `archive" if to in ASIDE else ("demote" if up else "promote")
        raise InvalidInput(f"{verb} does not lead from {now} to {to}.", hint=f"See `{other}`.", field="to")
    return to


def _unattended(located: Located) -> tuple[str, ...]:
    skill = located.skill
    manifest = skill.manifest
    if manifest.recipe_id is not None:
        try:
            recipe = read_recipe(forge_folder(located.source.path), manifest.recipe_id)
        except WellwornError as error:
            return (f"its recipe cannot be read ({error.message.rstrip('.')})",)
        return problems_of_recipe(recipe, manifest.requires_approval)
    return problems_of_steps(skill.body, skill.steps, safe_steps(_card(located)))


def _card(located: Located) -> SkillCard:
    """The skill as the resolver would see it, from its files as they are now."""
    skill, manifest = located.skill, located.skill.manifest
    return SkillCard(
        key=0,
        id=skill.id,
        scope=skill.scope,
        owner=skill.owner,
        name=skill.name,
        description=manifest.description,
        kind=manifest.kind,
        risk=manifest.risk,
        trust=manifest.trust,
        invocable=skill.invocable,
        vouched=located.view.vouched,
        requires_approval=tuple(manifest.requires_approval),
        recipe_id=manifest.recipe_id,
        when=manifest.when,
        steps=skill.steps,
        stats=located.view.stats,
    )
