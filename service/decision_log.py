"""Decisions carried out: the record, the files and the rows belong together, also when the process is killed."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from wellworn.models.access import Caller, Role
from wellworn.models.errors import Conflict, NotAllowed, NotFound, StoreError, WellwornError
from wellworn.models.proposal import ProposalStatus, SkillChange
from wellworn.models.repair import MAX_REPAIRS, REPAIRED_RELIABILITY, RepairStatus
from wellworn.models.skill import Scope, SkillStats
from wellworn.service.places import may_see_repo
from wellworn.store.database import Database
from wellworn.store.lessons import LessonTable
from wellworn.store.proposals import DECIDED, ProposalRow, ProposalTable
from wellworn.store.redact import redact
from wellworn.store.repairs import RepairTable
from wellworn.store.skill_changes import Begun, ChangeRow, Effects, SkillChangeTable
from wellworn.store.skill_read import SkillBytes, read_skill_directory
from wellworn.store.skill_state import NOTHING, put_back, state_hash, state_of
from wellworn.store.skill_stats import SkillStatsTable
from wellworn.store.skill_write import remove_leftovers
from wellworn.store.versions import VersionTable

log = logging.getLogger(__name__)


class DecisionLog:
    """Writes down what is about to be done, does it in one write transaction, and settles what was interrupted."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.changes, self._proposals = SkillChangeTable(database), ProposalTable(database)
        self._repairs, self._stats = RepairTable(database), SkillStatsTable(database)
        self._learned, self._versions = LessonTable(database), VersionTable(database)

    def carry_out(self, begun: Begun, make: Callable[[], None]) -> SkillChange:
        """Let `make` write files and rows, as a whole or not at all, and return the record of it.

        Nobody else decides anything meanwhile. Raises Conflict when the skill's files are not those of `before_hash`
        any more, and whatever `make` raises; then nothing is changed and nothing recorded.
        """
        self.recover()
        begun = _without_secrets(begun)
        self.changes.begin(begun)
        try:
            with self._database.write():
                self.allow()
                before = state_of(begun.folder)
                recipe_was_there = begun.recipe is None or begun.recipe.exists()
                _refuse_changed(begun, state_hash(before))
                try:
                    make()
                    row = self._finish(begun, before, state_of(begun.folder))
                except BaseException:
                    _undo(begun, before, recipe_was_there=recipe_was_there)
                    raise
        except BaseException:
            with suppress(WellwornError):  # the next decision, or start, looks at what is left here
                self.changes.abandon(begun.row.id)
            raise
        return row.change

    def allow(self) -> None:
        """Asked in the transaction of each decision, before its files are looked at; what it raises ends that."""

    def recover(self) -> None:
        """Settle what a killed process began: what is on the disk is recorded, what is not is forgotten."""
        if not self.changes.begun():
            return
        with self._database.write():
            for begun in self.changes.begun():
                self._settle(begun)

    def _settle(self, begun: Begun) -> None:
        change = begun.row.change
        remove_leftovers(begun.folder.parent)
        state = state_of(begun.folder)
        if self._happened(begun, state_hash(state)):
            log.info("%s of %s was interrupted and is completed.", change.action, change.skill_id)
            if change.proposal_id is not None:
                self._decide(change)
            self._finish(begun, NOTHING, state)
            return
        _remove_recipe(begun)
        self.changes.abandon(change.id)

    def _finish(self, begun: Begun, before: SkillBytes, after: SkillBytes) -> ChangeRow:
        """Write down what was done, and all that goes with it, in the caller's transaction."""
        row = _finished(begun.row, state_hash(after))
        self._keep_versions(row, before, after)
        self._bring_about(row, begun.effects)
        self.changes.finish(row)
        return row

    def _keep_versions(self, row: ChangeRow, before: SkillBytes, after: SkillBytes) -> None:
        change = row.change
        place = (change.scope, row.owner, change.skill_id)
        if change.before_hash == change.after_hash:
            return
        self._versions.note_found(change.scope, row.owner, [(change.skill_id, before)], now=change.ts)
        self._versions.note(
            *place,
            after,
            action=change.action,
            by=change.by,
            now=change.ts,
            reason=change.reason,
            change_id=change.id,
        )

    def _bring_about(self, row: ChangeRow, effects: Effects) -> None:
        change = row.change
        place = (change.scope, row.owner, change.skill_id)
        if effects.repair_id is not None:
            self._repairs.decide(
                effects.repair_id, RepairStatus.accepted, by=change.by, now=change.ts, approval=effects.approval
            )
            self._learned.answered(*place, effects.repair_id)
            self._stats.change(*place, repaired, now=change.ts)
        if change.before_hash != change.after_hash:
            self._repairs.supersede(*place, now=change.ts)
        if effects.fresh_repairs or effects.fresh_stats:
            self._stats.change(*place, lambda stats: _fresh(stats, effects), now=change.ts)

    def _happened(self, begun: Begun, now_hash: str | None) -> bool:
        change, owner = begun.row.change, begun.row.owner
        if now_hash is None or now_hash == change.before_hash or not self._waits(begun):
            return False
        history = self.changes.page(change.scope, owner, change.skill_id, limit=1)
        if history and history[0].after_hash == now_hash:
            return False  # another decision made the files what they are
        if begun.creates or change.after_hash is not None:
            return now_hash == change.after_hash
        return change.to_trust is None or change.to_trust == _trust_of(begun.folder, change.scope, owner)

    def _waits(self, begun: Begun) -> bool:
        """Say whether the proposal or repair (if there is one) can still be decided by this change."""
        change, repair_id = begun.row.change, begun.effects.repair_id
        if repair_id is not None:
            try:
                return self._repairs.get(repair_id).repair.status is RepairStatus.proposed
            except NotFound:
                return False
        if change.proposal_id is None or change.action == REPEATED:
            return True
        try:
            return self._proposals.get(None, change.proposal_id).status not in DECIDED
        except NotFound:
            return False

    def _decide(self, change: SkillChange) -> None:
        if change.proposal_id is not None and change.action != REPEATED:
            self._proposals.decide(
                change.proposal_id, ProposalStatus.accepted, by=change.by, reason=change.reason, now=change.ts
            )


REPEATED = "accept again"
"""The action of accepting a proposal once more, after its session has ended: it is decided already."""


LOCAL = "local"
"""Stands for the person at this machine, who has no key, where a record says who decided."""


def author_of(caller: Caller) -> str:
    """Return what a record calls whoever decided."""
    return caller.key_id or LOCAL


def refuse_agents(caller: Caller) -> None:
    """Raise NotAllowed for whoever may not decide; the ways in have checked it already."""
    if not caller.covers(Role.reviewer):
        raise NotAllowed("An agent's key cannot decide this.", hint="A person has to, or a reviewer's key.")


def proposal_of(table: ProposalTable, proposal_id: str, caller: Caller) -> ProposalRow:
    """Return a proposal of the caller (an admin: anyone's). Raises NotFound, also for another's or of a hidden repo."""
    row = table.get(None if caller.role is Role.admin else caller.user, proposal_id)
    if row.proposal.repo is not None and not may_see_repo(caller, row.proposal.repo):
        return table.get("", proposal_id)  # nobody's: the same answer as for one that never was
    return row


def repaired(stats: SkillStats) -> SkillStats:
    """Return the stats of a skill whose steps were repaired: it has to prove itself anew, and it is counted.

    Raises Conflict for one that was repaired as often as may be: asked in the transaction that would do so.
    """
    if stats.repair_count >= MAX_REPAIRS:
        raise Conflict(
            f"It was repaired {stats.repair_count} times already.", hint="Update its steps by hand, or delete it."
        )
    fresh = {"reliability": REPAIRED_RELIABILITY, "success_count": 0, "failure_count": 0}
    return stats.model_copy(update={**fresh, "repair_count": stats.repair_count + 1})


def _fresh(stats: SkillStats, effects: Effects) -> SkillStats:
    changes: dict[str, float] = {"repair_count": 0} if effects.fresh_repairs else {}
    if effects.fresh_stats:
        changes |= {"reliability": 1.0, "success_count": 0, "failure_count": 0}
    return stats.model_copy(update=changes)


def file_hash(data: bytes) -> str:
    """Return the SHA-256 (hex) of a file's content."""
    return hashlib.sha256(data).hexdigest()


def _without_secrets(begun: Begun) -> Begun:
    """A person's reason is kept in their words, and without what they should not have written there."""
    change = begun.row.change
    if change.reason is None:
        return begun
    clean = change.model_copy(update={"reason": redact(change.reason)})
    return replace(begun, row=replace(begun.row, change=clean))


def _finished(row: ChangeRow, after_hash: str | None) -> ChangeRow:
    return replace(row, change=row.change.model_copy(update={"after_hash": after_hash}))


def _refuse_changed(begun: Begun, current: str | None) -> None:
    if current == begun.row.change.before_hash:
        return
    name = begun.row.change.skill_id
    if begun.creates:
        raise Conflict(f"{begun.folder} exists already.", hint=f"Choose another id, or see `skills show {name}`.")
    raise Conflict(
        f"The files of {name} in {begun.folder} were changed meanwhile.", hint="Look at them, and decide again."
    )


def _undo(begun: Begun, before: SkillBytes, *, recipe_was_there: bool) -> None:
    """Give the files back as they were; what cannot be given back now is settled by `recover`."""
    with suppress(StoreError, OSError):
        if state_of(begun.folder) != before:
            put_back(begun.folder, before)
        if not recipe_was_there and begun.recipe is not None:
            begun.recipe.unlink(missing_ok=True)


def _remove_recipe(begun: Begun) -> None:
    if begun.recipe is None or begun.recipe_hash is None or not begun.creates:
        return
    with suppress(OSError):
        if begun.recipe.is_file() and file_hash(begun.recipe.read_bytes()) == begun.recipe_hash:
            begun.recipe.unlink()


def _trust_of(folder: Path, scope: Scope, owner: str) -> str | None:
    try:
        return read_skill_directory(folder, scope=scope, owner=owner).manifest.trust.value
    except StoreError:
        return None
