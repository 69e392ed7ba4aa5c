"""Where the files of skills lie: the one that a reference means, and the folder into which a new one goes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from wellworn.index.catalogue_sync import entry_of, stamp_of
from wellworn.models.access import Caller
from wellworn.models.errors import InvalidInput, NotFound
from wellworn.models.resolution import Context
from wellworn.models.skill import Scope, Skill, SkillView
from wellworn.service.libraries import HOME, REPO, Libraries
from wellworn.service.places import Owner, Places, session_owner
from wellworn.service.settings import Settings
from wellworn.store.database import Database
from wellworn.store.discovery import OWN_FOLDER, Source, repo_sources, user_sources
from wellworn.store.recipe_file import FORGE_FOLDER
from wellworn.store.safe_paths import inside
from wellworn.store.skill_read import SkillBytes, read_files, read_skill_directory, skill_from_bytes
from wellworn.store.skill_state import state_hash
from wellworn.store.skills import SkillTable
from wellworn.store.sources import StoredSource

PERSON, SESSION = "user", "session"
"""Kinds of sources that wellworn makes below its data folder: of users without a home here, and of sessions."""
_HASH_CHARS = 24


@dataclass(frozen=True, slots=True)
class Located:
    """A stored skill, its files as they were when it was looked for (read once), and the source that it lies in."""

    view: SkillView
    skill: Skill
    source: StoredSource
    files: SkillBytes

    @property
    def hash(self) -> str | None:
        """Of those files."""
        return state_hash(self.files)

    @property
    def root(self) -> Path:
        """The folder below which it may be written: its source, or above it when the source is the skill itself."""
        lies_at_root = self.skill.directory.resolve() == self.source.path.resolve()
        return self.skill.directory.parent if lies_at_root else self.source.path


@dataclass(frozen=True, slots=True)
class Target:
    """The folder of a scope that new skills are written to."""

    source: Source
    kind: str

    @property
    def owner(self) -> Owner:
        return self.source.scope, self.source.owner


class Shelf:
    """Finds and stores skills, one at a time."""

    def __init__(
        self,
        database: Database,
        libraries: Libraries,
        places: Places,
        settings: Settings,
        clock: Callable[[], datetime],
    ) -> None:
        self._libraries, self._places, self._settings, self._clock = libraries, places, settings, clock
        self._database, self.skills = database, SkillTable(database)

    def owners(self, caller: Caller, repo: str | None, session_id: str | None = None) -> tuple[Owner, ...]:
        """Return the partitions that the caller sees from a repo (id, origin or folder). Raises NotFound."""
        is_folder = repo is not None and repo.startswith("/")
        context = Context(repo=None if is_folder else repo, cwd=repo if is_folder else None, session_id=session_id)
        return self._places.of(context, caller).owners

    def repo_of(self, caller: Caller, repo: str) -> str:
        """Return the id of the repo that a name or folder means. Raises NotFound for one that is not the caller's."""
        try:
            owners = self.owners(caller, repo)
        except NotFound:
            owners = ()
        found = next((owner for scope, owner in owners if scope is Scope.repo), None)
        if found is None:
            raise NotFound(
                f"The repository {repo[:200]!r} is not known here.",
                hint="Register it with `wellworn sources add --repo FOLDER`.",
                field="repo",
            )
        return found

    def repo_name(self, repo: str) -> str:
        """Return what a repo is known by, also one that is not known here."""
        return self._places.name_of(repo, None) or repo

    def find(self, ref: str, owners: tuple[Owner, ...]) -> Located:
        """Return the skill that `id` or `id@scope` means there. Raises NotFound, StoreError (its folder is gone)."""
        view = self.skills.find(ref, owners)
        source = self._libraries.sources.get(self.skills.source_of(view.scope, view.owner, view.id))
        directory = Path(view.location)
        files = read_files(directory, source.path)
        skill = skill_from_bytes(directory, files, scope=view.scope, owner=view.owner)
        return Located(view, skill, source, files)

    def target(self, scope: Scope, caller: Caller, *, user: str, repo: str | None, session_id: str | None) -> Target:
        """Return where a new skill of this scope goes. Raises InvalidInput and NotFound that say what is missing."""
        if scope is Scope.user:
            return self._users(user)
        if scope is Scope.session:
            return self._sessions(user, session_id)
        if repo is None:
            raise InvalidInput(
                "Repo scope needs a repository, and none is known here.",
                hint="Name one with `repo` (--repo FOLDER), or choose another scope.",
                field="repo",
            )
        return self._repos(self.repo_of(caller, repo), repo)

    def _users(self, user: str) -> Target:
        if user == self._settings.user:
            return Target(user_sources(self._settings.home, user)[0], HOME)
        folder = self._settings.data_dir / "users" / _name(user) / "skills"
        return Target(Source(f"user:{user}:{OWN_FOLDER}", folder, Scope.user, user, 0, vouched=True), PERSON)

    def _sessions(self, user: str, session_id: str | None) -> Target:
        if not session_id:
            raise InvalidInput(
                "Session scope needs a session, and none is known here.",
                hint="Name one with `sessionId` (--session ID), or choose another scope.",
                field="sessionId",
            )
        owner = session_owner(user, session_id)
        folder = self._settings.data_dir / "sessions" / _name(owner) / "skills"
        return Target(Source(f"session:{_name(owner)}", folder, Scope.session, owner, 0, vouched=True), SESSION)

    def _repos(self, name: str, given: str) -> Target:
        sources = [one for one in self._libraries.sources.list() if (one.scope, one.owner) == (Scope.repo, name)]
        roots = [one.path.parent.parent for one in sources if one.path.match(OWN_FOLDER)]
        root = next((one for one in roots if one.is_dir()), None)
        if root is None:
            raise NotFound(
                f"The folder of the repository {given[:200]!r} is not there any more.",
                hint="Register where it is now with `wellworn sources add --repo FOLDER`.",
                field="repo",
            )
        for folder in (OWN_FOLDER, f"{Path(OWN_FOLDER).parent}/{FORGE_FOLDER}"):
            inside(root, folder)  # a repository's own link must not lead what is written out of it
        known = next(one for one in sources if one.path == root / OWN_FOLDER)
        return Target(repo_sources(root, name, vouched=known.vouched)[0], REPO)

    def adopt(self, target: Target) -> tuple[list[str], Callable[[], None]]:
        """Register the target's folder; return notes on what a person should know of it, and a function to undo it.

        Whoever accepts a skill into a repo's own folder vouches for that folder, unless others' skills lie in it.
        """
        known = next((one for one in self._libraries.sources.list() if one.id == target.source.id), None)
        source, notes = target.source, []
        if not source.vouched:
            if self._libraries.skills_in(source) == 0:
                source = replace(source, vouched=True)
            else:
                notes.append(
                    "Nobody has vouched for the skills that are in this repository already, so all of them need a "
                    f"confirmation; `wellworn sources vouch {source.id}` vouches for them."
                )
        self._libraries.sources.put(source, kind=target.kind, now=self._clock())
        self._places.forget()
        return notes, lambda: self._give_back(source, known)

    def _give_back(self, source: Source, known: StoredSource | None) -> None:
        with self._database.write():
            if self._libraries.skills_in(source):
                return  # somebody else's accept needs it by now
            if known is None:
                self._libraries.sources.remove(source.id, now=self._clock())
            else:
                self._libraries.sources.put(known, kind=known.kind, now=self._clock())
        self._places.forget()

    def store(self, source: Source | StoredSource, directory: Path) -> None:
        """Bring the row of one skill up to date with its files."""
        skill = read_skill_directory(directory, scope=source.scope, owner=source.owner, root=source.path)
        self.skills.put(source.id, entry_of(skill, stamp_of(directory)), now=self._clock())

    def elsewhere(self, skill_id: str, scope: Scope, owners: tuple[Owner, ...]) -> list[Scope]:
        """Return the other scopes, among those visible, in which a skill of this id counts."""
        return [
            one for one, owner in owners if one is not scope and self.skills.key_of(one, owner, skill_id) is not None
        ]


def _name(owner: str) -> str:
    """A folder's name for any owner: nobody's name can lead out of the data folder."""
    return hashlib.sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_CHARS]
