"""The versions of a skill: what its files were, and what differs between them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from wellworn.lifecycle.accepting import difference
from wellworn.models.access import Caller
from wellworn.models.errors import NotFound, StoreError
from wellworn.models.repair import SkillVersion, VersionDiff, VersionList
from wellworn.service.places import Owner
from wellworn.service.shelf import Located, Shelf
from wellworn.store.database import Database
from wellworn.store.skill_read import MANIFEST_FILE, SKILL_FILE, SkillBytes
from wellworn.store.skill_state import state_hash
from wellworn.store.skill_views import parse_ref
from wellworn.store.text_file import Notes, decode_text
from wellworn.store.versions import VersionTable


class Versions:
    """Looking at versions. Every method may be called from any thread."""

    def __init__(self, shelf: Shelf, database: Database, *, clock: Callable[[], datetime]) -> None:
        self._shelf, self._clock = shelf, clock
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
