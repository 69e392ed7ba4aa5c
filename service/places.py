"""Which partitions a request may see: whose skills, of which repository, of which session."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wellworn.models.access import Caller, Role
from wellworn.models.errors import InvalidInput, NotAllowed, NotFound, StoreError, Unavailable
from wellworn.models.resolution import Context
from wellworn.models.skill import Scope
from wellworn.store.discovery import RepoPlace, find_repo, normalise_origin, repo_id
from wellworn.store.keys import KeyTable
from wellworn.store.skills import SkillTable
from wellworn.store.sources import SourceTable

log = logging.getLogger(__name__)

_FRESH_SECONDS = 1.0
_REMEMBERED_FOLDERS = 4096

Owner = tuple[Scope, str]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a request stands. owners: the partitions it may see, narrowest first."""

    user: str
    repo: str | None
    session_id: str | None
    owners: tuple[Owner, ...]


class Places:
    """Finds the place of a request; cheap, because what it knows is refreshed at most once a second.

    discover: what to do with a repo that is seen for the first time; None where only registered repos count.
    """

    def __init__(
        self,
        *,
        sources: SourceTable,
        skills: SkillTable,
        keys: KeyTable,
        local_user: str,
        discover: Callable[[RepoPlace, str], None] | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sources, self._skills, self._keys = sources, skills, keys
        self._local_user = local_user
        self._discover = discover
        self._clock = clock
        self._lock = threading.Lock()
        self._expires = float("-inf")
        self._repos: frozenset[str] = frozenset()
        self._roots: dict[str, str] = {}
        self._users: frozenset[str] = frozenset()
        self._folders: dict[str, tuple[float, RepoPlace | None]] = {}

    def of(self, context: Context, caller: Caller) -> Place:
        """Return the place of a request.

        Raises NotAllowed when it names a user that the key does not speak for, NotFound for an unknown user or repo
        (also for one that exists but is not the key's: its existence is not told).
        """
        user = self._user(context.user, caller)
        repo = self._repo(context, caller)
        owners: list[Owner] = []
        if context.session_id:
            owners.append((Scope.session, session_owner(user, context.session_id)))
        if repo is not None:
            owners.append((Scope.repo, repo))
        owners.append((Scope.user, user))
        return Place(user=user, repo=repo, session_id=context.session_id, owners=tuple(owners))

    def name_of(self, repo: str | None, folder: str | None) -> str | None:
        """Return what the repo of an event is known by, also one that is not known here; nothing is registered.

        repo: its id, any way to write its origin, or its folder; without it the one that `folder` lies in, if any.
        """
        self._refresh()
        if repo is None:
            return self._name_around(folder) if folder and folder.startswith("/") else None
        for name in (repo, normalise_repo(repo)):
            if name in self._repos:
                return name
        return (self._name_around(repo) if repo.startswith("/") else None) or normalise_repo(repo)

    def _name_around(self, folder: str) -> str | None:
        if "\0" in folder:
            return None
        if self._discover is None:
            return self._around(folder)
        place = self._place_of(folder)
        return None if place is None else repo_id(place.root, place.origin)

    def forget(self) -> None:
        """Look again at the next request: sources, keys or skills were changed in this process."""
        with self._lock:
            self._expires = float("-inf")

    def _user(self, stated: str | None, caller: Caller) -> str:
        if stated is None or stated == caller.user:
            return caller.user
        if caller.role is not Role.admin:
            raise NotAllowed(
                f"This key speaks for {caller.user!r} and for nobody else.",
                hint="Leave context.user out.",
                field="context.user",
            )
        self._refresh()
        if stated not in self._users:
            raise NotFound(
                f"There is no user {stated[:80]!r} here.",
                hint="Leave context.user out, or create a key for them with `wellworn keys create --user`.",
                field="context.user",
            )
        return stated

    def _repo(self, context: Context, caller: Caller) -> str | None:
        self._refresh()
        found = self._stated(context.repo) if context.repo else self._around(context.cwd)
        if found is not None and may_see_repo(caller, found):
            return found
        if context.repo:
            raise NotFound(
                f"The repository {context.repo[:200]!r} is not known here.",
                hint="Register it with `wellworn sources add --repo FOLDER`, or leave context.repo out.",
                field="context.repo",
            )
        return None

    def _stated(self, repo: str) -> str | None:
        """By id, by any way to write its origin, or by its folder."""
        for name in (repo, normalise_repo(repo)):
            if name in self._repos:
                return name
        if not repo.startswith("/"):
            return None
        return self._roots.get(repo.rstrip("/")) or self._around(repo)

    def _around(self, folder: str | None) -> str | None:
        """The repo that a folder lies in. Where repos must be registered, no path of a request touches the disk."""
        if folder is None:
            return None
        if self._discover is None:
            inside = [root for root in self._roots if folder == root or folder.startswith(root + "/")]
            return self._roots[max(inside, key=len)] if inside else None
        place = self._place_of(folder)
        if place is None:
            return None
        name = repo_id(place.root, place.origin)
        if name not in self._repos or self._moved(name, str(place.root)):
            try:
                self._discover(place, name)
            except (StoreError, Unavailable) as error:
                log.warning("The repository at %s could not be read: %s", place.root, error)
                return None
            self.forget()
        return name

    def _moved(self, name: str, root: str) -> bool:
        """A second clone or work tree of a known repo shares the first one's skills, until that one is gone."""
        return root not in self._roots and not any(
            Path(known).is_dir() for known, owner in self._roots.items() if owner == name
        )

    def _place_of(self, folder: str) -> RepoPlace | None:
        if "\0" in folder:
            raise InvalidInput("A folder cannot have a NUL character in its name.", field="context.cwd")
        now = self._clock()
        with self._lock:
            known = self._folders.get(folder)
        if known is not None and now < known[0]:
            return known[1]
        place = find_repo(Path(folder))
        with self._lock:
            if len(self._folders) >= _REMEMBERED_FOLDERS:
                self._folders.clear()
            self._folders[folder] = (now + _FRESH_SECONDS, place)
        return place

    def _refresh(self) -> None:
        now = self._clock()
        with self._lock:
            if now < self._expires:
                return
            self._expires = now + _FRESH_SECONDS
        registered = [s for s in self._sources.list() if s.scope is Scope.repo]
        partitions = self._skills.partitions()
        self._repos = frozenset({s.owner for s in registered} | {o for scope, o in partitions if scope is Scope.repo})
        self._roots = {str(root): s.owner for s in registered if (root := repo_root(s.path)) is not None}
        self._users = frozenset(
            {self._local_user}
            | {owner for scope, owner in partitions if scope is Scope.user}
            | {key.user for key in self._keys.list() if key.revoked_at is None}
        )


def session_owner(user: str, session_id: str) -> str:
    """A session is one user's: another user who guesses its id sees nothing, whatever colons their names have."""
    return f"{user.replace('%', '%25').replace(':', '%3A')}:{session_id}"


def split_session_owner(owner: str) -> tuple[str, str]:
    """Return the user and the session id that `session_owner` joined."""
    user, _, session_id = owner.partition(":")
    return user.replace("%3A", ":").replace("%25", "%"), session_id


def may_see_repo(caller: Caller, repo: str) -> bool:
    """Say whether the caller's key covers this repo; a key that names none covers all."""
    return not caller.repos or repo in {normalise_repo(name) for name in caller.repos}


def normalise_repo(name: str) -> str:
    """Return a repo's id for any way to write its origin; other names as they are."""
    return normalise_origin(name) or name


def repo_root(source_path: Path) -> Path | None:
    """Return the root of the repo that a repo source (`<root>/<tool folder>/skills`) belongs to."""
    return source_path.parent.parent if source_path.name == "skills" else None
