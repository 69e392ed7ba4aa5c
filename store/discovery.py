"""Where skill libraries lie (known folders of a home and a repo, configured paths), and which repo a folder is in."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from wellworn.models.errors import InvalidInput
from wellworn.models.skill import Diagnostic, Scope
from wellworn.store.safe_paths import is_inside
from wellworn.store.skill_read import looks_like_skill
from wellworn.store.text_file import Notes

OWN_FOLDER = ".wellworn/skills"
REPO_FOLDERS = (OWN_FOLDER, ".agents/skills", ".claude/skills", ".pi/skills")
HOME_FOLDERS = (*REPO_FOLDERS, ".pi/agent/skills")
MAX_DEPTH = 6
MAX_DIRECTORIES = 2000
_HIDDEN_ALLOWED = frozenset({".wellworn", ".agents", ".claude", ".pi"})
_NEVER = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})
_RESOURCES = frozenset({"references", "reference", "assets", "scripts", "templates", "examples", "resources", "evals"})
_CONFIG_MAX = 1_000_000
_DEFAULT_PORTS = frozenset({22, 80, 443, 9418})
_HASH_CHARS = 16
_SCP_HOST = r"(\[[0-9a-fA-F:]+\]|[^:/\s@\[]+)"
_SCP = re.compile(rf"[^@/\s]+@{_SCP_HOST}:(.+)|{_SCP_HOST}:(?!\d+/)(.+)")  # without a user, digits are a port
_BARE = re.compile(r"(?:[^@/\s]+@)?(\[[0-9a-fA-F:]+\](?::\d+)?|\w[\w.-]*(?::\d+)?)/(.+)")


@dataclass(frozen=True, slots=True)
class Source:
    """One folder that skills are read from.

    rank: lower wins when two sources of one scope and owner hold the same id. vouched: a person stands for it.
    capped: at most 2,000 directories are looked at (folders that nobody named or filled on purpose).
    """

    id: str
    path: Path
    scope: Scope
    owner: str
    rank: int
    vouched: bool
    capped: bool = True


@dataclass(frozen=True, slots=True)
class RepoPlace:
    """The root of a git work tree, and its normalised origin when it has one."""

    root: Path
    origin: str | None


def user_sources(home: Path, user: str) -> list[Source]:
    """Return a user's library folders under `home`, in order of precedence, whether they exist or not."""
    return [
        Source(
            f"user:{user}:{folder}",
            home / folder,
            Scope.user,
            user,
            rank,
            vouched=True,
            capped=is_capped(home / folder, vouched=True),
        )
        for rank, folder in enumerate(HOME_FOLDERS)
    ]


def repo_sources(repo_root: Path, repo_id: str, vouched: bool) -> list[Source]:
    """Return a repo's library folders, in order of precedence, whether they exist or not."""
    return [
        Source(
            f"repo:{repo_id}:{folder}",
            repo_root / folder,
            Scope.repo,
            repo_id,
            rank,
            vouched=vouched,
            capped=is_capped(repo_root / folder, vouched=vouched),
        )
        for rank, folder in enumerate(REPO_FOLDERS)
    ]


def is_capped(folder: Path, *, vouched: bool) -> bool:
    """Say whether the search of a known folder of a home or repo is limited.

    Not in wellworn's own, into which whole libraries are imported, unless it came with a repo nobody vouched for.
    """
    return not vouched or not folder.match(OWN_FOLDER)


def configured_source(path: Path, user: str, *, rank: int = 100) -> Source:
    """Return a source for a library, or a single skill, that a person pointed at.

    Raises InvalidInput when `path` is not a folder or holds no skill.
    """
    full = path.expanduser().resolve()
    if not full.is_dir():
        problem = "is not a folder" if full.exists() else "does not exist"
        raise InvalidInput(f"{path} {problem}.", hint="Give a folder that holds skills.", field="path")
    source = Source(f"path:{full}", full, Scope.user, user, rank, vouched=True, capped=False)
    if not _Walk(source, Notes(str(full), [])).run(first_only=True):
        raise InvalidInput(
            f"{path} holds no skills.",
            hint="Give a folder with <name>/SKILL.md in it, or one such folder.",
            field="path",
        )
    return source


def walk_skills(source: Source, problems: list[Diagnostic] | None = None) -> Iterator[Path]:
    """Yield the directories of `source` that hold a skill, sorted, at most six levels deep.

    Links are followed only inside the source, and no directory is visited twice. What was skipped and why is added to
    `problems`. A source that does not exist yields nothing.
    """
    yield from sorted(_Walk(source, Notes(str(source.path), [] if problems is None else problems)).run())


class _Walk:
    """Breadth first, so that a cap cuts the deepest directories."""

    def __init__(self, source: Source, notes: Notes) -> None:
        self.source = source
        self.notes = notes
        self.seen: set[tuple[int, int]] = set()
        self.found: list[Path] = []

    def run(self, *, first_only: bool = False) -> list[Path]:
        level = [self.source.path]
        for depth in range(MAX_DEPTH + 1):
            following: list[Path] = []
            for directory in level:
                if self.source.capped and len(self.seen) >= MAX_DIRECTORIES:
                    message = f"it has more than {MAX_DIRECTORIES:,} directories; the rest was not looked at."
                    self.notes.warning("too-many-directories", message)
                    return self.found
                following += self._visit(directory, is_root=depth == 0)
                if first_only and self.found:
                    return self.found
            level = following
        return self.found

    def _visit(self, directory: Path, *, is_root: bool) -> list[Path]:
        """Note `directory` if it is a skill, and return its subdirectories that may hold others."""
        try:
            status = directory.stat()
            if (status.st_dev, status.st_ino) in self.seen:
                return []
            self.seen.add((status.st_dev, status.st_ino))
            with os.scandir(directory) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except FileNotFoundError:
            return []
        except OSError as error:
            Notes(str(directory), self.notes.items).error("unreadable", f"it cannot be read ({error.strerror}).")
            return []
        is_skill = looks_like_skill(directory, [entry.name for entry in entries])
        if is_skill:
            self.found.append(directory)
        skip = _RESOURCES if is_skill and not is_root else frozenset()
        return [directory / entry.name for entry in entries if entry.name not in skip and self._enters(entry)]

    def _enters(self, entry: os.DirEntry[str]) -> bool:
        if entry.name in _NEVER or (entry.name.startswith(".") and entry.name not in _HIDDEN_ALLOWED):
            return False
        try:
            if not entry.is_dir():
                return False
        except OSError:
            return False
        if entry.is_symlink() and not is_inside(self.source.path, Path(entry.path)):
            message = f"it is a link that leads outside {self.source.path}, and was not followed."
            Notes(entry.path, self.notes.items).warning("outside", message)
            return False
        return True


def find_repo(cwd: Path) -> RepoPlace | None:
    """Return the git work tree that `cwd` lies in, by reading git's own files; None when there is none.

    Linked work trees and submodules (`.git` is a file there) have their own root.
    """
    start = Path(os.path.realpath(cwd))
    for folder in (start, *start.parents):
        git = _git_folder(folder)
        if git is not None:
            return RepoPlace(folder, _origin_of(git))
    return None


def repo_id(root: Path, origin: str | None) -> str:
    """Return what a repo is known by: its normalised origin, else a hash of where it lies."""
    if origin:
        return origin
    place = os.path.realpath(root).encode("utf-8", errors="surrogateescape")
    return f"path:{hashlib.sha256(place).hexdigest()[:_HASH_CHARS]}"


def normalise_origin(url: str) -> str:
    """Return `host/owner/name` for any way to write a remote: scp-like, ssh, https, git; credentials are dropped.

    The host is lower case and `.git` is cut off; a port stays when it is none of the usual ones. A local path becomes
    `file:/path`. What is neither gives an empty text.
    """
    text = url.strip()
    if "://" in text:
        return _from_url(text)
    if text.startswith(("file:/", "/", "~")):
        path = _clean_path(text.removeprefix("file:"))
        return f"file:/{path}" if path else ""
    scp = _SCP.fullmatch(text)
    if scp:
        return _joined(scp[1] or scp[3], scp[2] or scp[4])
    bare = _BARE.fullmatch(text)
    # without a scheme a host has a dot, a port or two parts behind it: `owner/name` alone names no host
    is_host = bare is not None and (re.search(r"[.:]", bare[1]) or "/" in bare[2].strip("/"))
    return _joined(bare[1], bare[2]) if bare and is_host else ""


def _from_url(text: str) -> str:
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return ""
    if parts.scheme == "file":
        path = _clean_path(parts.path)
        return f"file:/{path}" if path else ""
    if ":" in host:
        host = f"[{host}]"
    return _joined(host if port is None or port in _DEFAULT_PORTS else f"{host}:{port}", parts.path)


def _joined(host: str, path: str) -> str:
    cleaned = _clean_path(re.split(r"[?#]", path, maxsplit=1)[0])
    return f"{host.lower()}/{cleaned}" if host and cleaned else ""


def _clean_path(path: str) -> str:
    parts = [part for part in path.strip().split("/") if part]
    while parts and parts[-1].endswith(".git"):
        parts[-1] = parts[-1].removesuffix(".git")
        if not parts[-1]:
            parts.pop()
    return "/".join(parts)


def _git_folder(folder: Path) -> Path | None:
    """Return the folder that holds the git state of the work tree `folder`, or None when it is not the root of one."""
    dot_git = folder / ".git"
    try:
        if dot_git.is_dir():
            return dot_git if (dot_git / "HEAD").exists() else None
        if not dot_git.is_file():
            return None
    except OSError:
        return None
    text = _small_text(dot_git)
    if not text.startswith("gitdir:"):
        return None
    return folder / text.removeprefix("gitdir:").strip()


def _origin_of(git: Path) -> str | None:
    common = _small_text(git / "commondir").strip()
    config = _small_text((git / common if common else git) / "config")
    url = _remote_url(config, "origin")
    return normalise_origin(url) or None if url else None


def _small_text(path: Path) -> str:
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return file.read(_CONFIG_MAX).decode("utf-8", errors="replace")
    except OSError:
        return ""


def _remote_url(config: str, remote: str) -> str | None:
    """Return the last `url` of a remote in the text of a git config."""
    section, url = "", None
    for raw in config.splitlines():
        line = raw.strip()
        if line.startswith("["):
            section = line.partition("]")[0].strip("[ \t")
        elif re.fullmatch(rf'remote\s+"{re.escape(remote)}"', section, re.IGNORECASE):
            key, equals, value = line.partition("=")
            if equals and key.strip().lower() == "url":
                url = re.split(r"\s[#;]", value, maxsplit=1)[0].strip().strip('"')
    return url
