"""The versions of a skill: what its files were, what differs between them, and the way back to one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from wellworn.lifecycle.accepting import Draft, difference
from wellworn.models.access import Caller
from wellworn.models.curation import UpdateAnswer
from wellworn.models.errors import Conflict, NotFound, StoreError
from wellworn.models.ids import new_id
from wellworn.models.proposal import SkillChange
from wellworn.models.repair import RevertRequest, SkillVersion, VersionDiff, VersionList
from wellworn.models.skill import Trust
from wellworn.service.decision_log import DecisionLog, author_of, refuse_agents
from wellworn.service.places import Owner
from wellworn.service.scanning import scan, scanned
from wellworn.service.shelf import Located, Shelf
from wellworn.store.database import Database
from wellworn.store.skill_changes import Begun, ChangeRow
from wellworn.store.skill_read import MANIFEST_FILE, SKILL_FILE, SkillBytes, skill_from_bytes
from wellworn.store.skill_rewrite import with_fields, write_state
from wellworn.store.skill_state import state_hash
from wellworn.store.skill_views import parse_ref
from wellworn.store.text_file import Notes, decode_text
from wellworn.store.versions import VersionTable


class Versions:
    """Looking at versions, and going back to one. Every method may be called from any thread.

    follow: called when something was written, to make it searchable.
    """

    def __init__(
        self,
        shelf: Shelf,
        log: DecisionLog,
        database: Database,
        *,
        clock: Callable[[], datetime],
        follow: Callable[[], None],
    ) -> None:
        self._shelf, self._log, self._clock, self._follow = shelf, log, clock, follow
        self._table = VersionTable(database)

    def log(self, ref: str, caller: Caller, *, repo: str | None = None) -> VersionList:
        """Return the versions of a skill, newest first, also of one whose files are gone. Raises NotFound, InvalidId.

        What was edited by hand since the files were last read is seen by this, and kept.
        """
        owner, skill_id, now = self._place(ref, caller, repo)
        current = None if now is None else state_hash(now)
        found = self._table.page(*owner, skill_id)
        newest = next((one.number for one in found if one.hash == current), None)
        return VersionList(versions=[one.model_copy(update={"current": one.number == newest}) for one in found])

    def diff(
        self, ref: str, caller: Caller, *, older: int | None = None, newer: int | None = None, repo: str | None = None
    ) -> VersionDiff:
        """Return what differs between two versions; without `newer`, between `older` and the files as they are.

        Without both, what the last change did. Raises NotFound for a skill or version that is not there.
        """
        owner, skill_id, now = self._place(ref, caller, repo)
        if older is None:
            last = self._last(self._table.page(*owner, skill_id), newer)
            older, newer = max(1, last - 1), last
        before = self._table.content(*owner, skill_id, older)
        if newer is None and now is None:
            raise NotFound(f"The files of {skill_id} are not there any more.", hint="Name a second version.")
        after = now if newer is None and now is not None else self._table.content(*owner, skill_id, newer or older)
        return VersionDiff(older=older, newer=newer, diff=difference(_texts(before), _texts(after)))

    def revert(self, ref: str, request: RevertRequest, caller: Caller, *, repo: str | None = None) -> UpdateAnswer:
        """Put a skill's files back as a version had them, byte for byte; its trust stays what it is now.

        Raises NotAllowed, NotFound (skill or version), InvalidInput (a finding of the scan), Conflict (changed since
        `expected_hash`, archived, or its folder is gone), StoreError; then nothing is changed.
        """
        refuse_agents(caller)
        self._log.recover()
        located = self._to_revert(ref, caller, repo)
        view, directory, before = located.view, located.skill.directory, located.files
        if request.expected_hash not in (None, located.hash):
            raise Conflict(f"The files of {view.id} were changed meanwhile.", hint="Look at them, and decide again.")
        self._seen(located)
        after = self._as_it_was(located, request.to)
        diff = difference(_texts(before), _texts(after))
        changed = state_hash(after) != located.hash
        skill = skill_from_bytes(directory, after, scope=view.scope, owner=view.owner)
        draft = Draft(skill.manifest, skill.body)
        if request.dry_run or not changed:
            findings, _ = scan(draft.manifest, draft.body, None, request.overrides, directory)
            return UpdateAnswer(skill=view, changed=changed, diff=diff, hash=located.hash, findings=findings)
        findings, allowed = scanned(draft, request.overrides, located.skill)
        change = SkillChange(
            id=new_id(),
            ts=self._clock(),
            skill_id=view.id,
            scope=view.scope,
            action="revert",
            by=author_of(caller),
            reason=request.reason or f"back to version {request.to}",
            evidence=allowed,
            before_hash=located.hash,
            after_hash=state_hash(after),
        )

        def make() -> None:
            write_state(directory, before, after)
            self._shelf.store(located.source, directory)

        made = self._log.carry_out(Begun(ChangeRow(change, view.owner), directory), make)
        self._follow()
        view = self._shelf.skills.get(view.scope, view.owner, view.id)
        return UpdateAnswer(skill=view, changed=True, diff=diff, hash=located.hash, change=made, findings=findings)

    def _to_revert(self, ref: str, caller: Caller, repo: str | None) -> Located:
        try:
            located = self._shelf.find(ref, self._shelf.owners(caller, repo))
        except (NotFound, StoreError):
            self._place(ref, caller, repo)  # raises for one that never was
            raise Conflict(
                f"The folder of {ref} is gone, so there is nothing to put back.",
                hint="Make it again, with any SKILL.md in it, and revert then; its versions are kept.",
            ) from None
        if located.skill.manifest.trust is Trust.archived:
            raise Conflict(f"{ref} is archived.", hint=f"Bring it back with `wellworn skills enable {ref}`.")
        return located

    def _as_it_was(self, located: Located, number: int) -> SkillBytes:
        """Return the files of a version, with the trust that the skill has now."""
        view, directory = located.view, located.skill.directory
        kept, files = self._table.content(view.scope, view.owner, view.id, number), located.files
        state = replace(
            kept,
            skill_md_path=None if kept.skill_md is None else files.skill_md_path or directory / SKILL_FILE,
            manifest_path=None if kept.manifest is None else files.manifest_path or directory / MANIFEST_FILE,
        )
        read = skill_from_bytes(directory, state, scope=view.scope, owner=view.owner)
        trust = located.skill.manifest.trust
        return state if read.manifest.trust is trust else with_fields(directory, state, {"trust": trust.value})

    @staticmethod
    def _last(versions: list[SkillVersion], newer: int | None) -> int:
        return versions[0].number if newer is None else newer

    def _place(self, ref: str, caller: Caller, repo: str | None) -> tuple[Owner, str, SkillBytes | None]:
        """Return whose the skill is, its id, and its files; of one that is gone None. Raises NotFound."""
        owners = self._shelf.owners(caller, repo)
        try:
            located = self._shelf.find(ref, owners)
        except (NotFound, StoreError):
            skill_id, wanted = parse_ref(ref)
            for owner in owners:
                if wanted in (None, owner[0]) and self._table.page(*owner, skill_id):
                    return owner, skill_id, None
            raise
        return self._seen(located)

    def _seen(self, located: Located) -> tuple[Owner, str, SkillBytes]:
        view = located.view
        owner = (view.scope, view.owner)
        self._table.note_found(*owner, [(view.id, located.files)], now=self._clock())
        return owner, view.id, located.files


def _texts(files: SkillBytes) -> dict[str, str]:
    pairs = ((SKILL_FILE, files.skill_md), (MANIFEST_FILE, files.manifest))
    return {name: decode_text(data, Notes(name, [])) for name, data in pairs if data is not None}
