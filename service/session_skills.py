"""Skills that a session has for itself: they end with it, and their files with them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from wellworn.models.access import Caller
from wellworn.models.curation import SessionEnd
from wellworn.models.errors import InvalidInput
from wellworn.models.ids import new_id
from wellworn.models.proposal import SkillChange
from wellworn.models.skill import Scope, SkillView
from wellworn.service.decision_log import author_of
from wellworn.service.places import session_owner, split_session_owner
from wellworn.service.shelf import SESSION
from wellworn.store.database import Database
from wellworn.store.files import temporary_name
from wellworn.store.session_signs import seen_since
from wellworn.store.skill_changes import ChangeRow, SkillChangeTable
from wellworn.store.skills import SkillTable
from wellworn.store.sources import SourceTable, StoredSource

ENDED = "session ended"
_BY_ITSELF = "wellworn"


class SessionSkills:
    """Ends sessions. folder: `<data dir>/sessions`; hours: of silence after which one ends by itself."""

    def __init__(
        self,
        database: Database,
        folder: Path,
        *,
        hours: float,
        clock: Callable[[], datetime],
        follow: Callable[[], None],
    ) -> None:
        self._database, self._folder, self._idle = database, folder, timedelta(hours=hours)
        self._clock, self._follow = clock, follow
        self._sources, self._skills = SourceTable(database), SkillTable(database)
        self._changes = SkillChangeTable(database)

    def end(self, session_id: str, caller: Caller) -> SessionEnd:
        """End one of the caller's sessions: its skills answer no more. A session without any ends as well.

        Raises InvalidInput for an id that is none, StoreError.
        """
        if not session_id.strip() or len(session_id) > 500:
            raise InvalidInput("A session's id has 1 to 500 characters.", field="sessionId")
        owner = session_owner(caller.user, session_id)
        source = next((one for one in self._sessions() if one.owner == owner), None)
        ended = [] if source is None else self._end(source, author_of(caller), "its session was ended")
        self._follow()
        return SessionEnd(session_id=session_id, skills=ended)

    def end_idle(self) -> list[str]:
        """End the sessions that gave no sign of life for too long; return the ids of their skills."""
        now = self._clock()
        ended: list[str] = []
        for source in self._sessions():
            user, session_id = split_session_owner(source.owner)
            since = now - self._idle
            if source.added_at < since and not seen_since(self._database, user, session_id, source.owner, since):
                ended += self._end(source, _BY_ITSELF, "its session gave no sign of life")
        self._sweep()
        if ended:
            self._follow()
        return ended

    def _sessions(self) -> list[StoredSource]:
        return [one for one in self._sources.list() if one.kind == SESSION]

    def _end(self, source: StoredSource, by: str, reason: str) -> list[str]:
        with self._database.write():
            skills = self._skills.list([(source.scope, source.owner)], limit=1000).skills
            for skill in skills:
                self._changes.finish(ChangeRow(self._change(skill, by, reason), source.owner))
            self._sources.remove(source.id, now=self._clock())
        _remove(source.path.parent)
        return [skill.id for skill in skills]

    def _change(self, skill: SkillView, by: str, reason: str) -> SkillChange:
        return SkillChange(
            id=new_id(),
            ts=self._clock(),
            skill_id=skill.id,
            scope=Scope.session,
            action=ENDED,
            from_trust=skill.manifest.trust,
            by=by,
            reason=reason,
        )

    def _sweep(self) -> None:
        """Remove the folders of sessions that ended in a process that was killed before it had removed them."""
        if not self._folder.is_dir():
            return
        with suppress(OSError):
            folders = list(self._folder.iterdir())  # first: a folder is made after its session was registered
            known = {one.path.parent.name for one in self._sessions()}
            for folder in folders:
                if folder.name not in known:
                    _remove(folder)


def _remove(folder: Path) -> None:
    """At once for every reader; what cannot be removed now is swept up later."""
    trash = folder.with_name(temporary_name(folder.name))
    with suppress(OSError):
        folder.rename(trash)
        shutil.rmtree(trash, ignore_errors=True)
