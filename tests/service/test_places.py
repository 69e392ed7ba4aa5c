"""A request sees its own user, repo and session, and learns nothing of others."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from wellworn.models.access import LOCAL_PERSON, Caller, Role
from wellworn.models.errors import NotAllowed, NotFound, StoreError
from wellworn.models.resolution import Context
from wellworn.models.skill import Scope
from wellworn.service.places import Places, session_owner
from wellworn.store.database import Database
from wellworn.store.discovery import RepoPlace, repo_sources
from wellworn.store.keys import KeyTable
from wellworn.store.skills import SkillTable
from wellworn.store.sources import SourceTable

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ALICE = Caller(role=Role.agent, user="alice", key_id="k1")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "data" / "wellworn.db") as database:
        yield database


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (root / ".git" / "config").write_text('[remote "origin"]\n\turl = git@host.org:a/b.git\n', encoding="utf-8")
    (root / "src").mkdir()
    return root


def places(database: Database, *, discovering: bool = False) -> tuple[Places, list[str]]:
    sources, seen = SourceTable(database), []

    def discover(place: RepoPlace, name: str) -> None:
        seen.append(name)
        for source in repo_sources(place.root, name, vouched=False):
            sources.put(source, kind="repo", now=NOW)

    found = Places(
        sources=sources,
        skills=SkillTable(database),
        keys=KeyTable(database),
        local_user="local",
        discover=discover if discovering else None,
    )
    return found, seen


def register(database: Database, root: Path, name: str = "host.org/a/b") -> None:
    for source in repo_sources(root, name, vouched=True):
        SourceTable(database).put(source, kind="repo", now=NOW)


def test_a_bare_request_sees_its_own_user_only(database: Database) -> None:
    assert places(database)[0].of(Context(), ALICE).owners == ((Scope.user, "alice"),)


def test_a_session_belongs_to_its_user_and_comes_first(database: Database) -> None:
    owners = places(database)[0].of(Context(session_id="s1"), ALICE).owners
    assert owners == ((Scope.session, "alice:s1"), (Scope.user, "alice"))


def test_a_key_speaks_for_its_user_only(database: Database) -> None:
    with pytest.raises(NotAllowed) as error:
        places(database)[0].of(Context(user="bob"), ALICE)
    assert error.value.field == "context.user"


def test_an_unknown_user_is_refused_for_the_local_person(database: Database) -> None:
    with pytest.raises(NotFound) as error:
        places(database)[0].of(Context(user="bob"), LOCAL_PERSON)
    assert error.value.field == "context.user"


def test_a_user_with_a_key_is_known(database: Database) -> None:
    KeyTable(database).create(Role.agent, "bob", now=NOW)
    assert places(database)[0].of(Context(user="bob"), LOCAL_PERSON).user == "bob"


@pytest.mark.parametrize("stated", ["host.org/a/b", "git@host.org:a/b.git", "https://x:y@HOST.org/a/b.git", "ROOT"])
def test_a_registered_repo_is_found_by_id_origin_or_folder(database: Database, repo: Path, stated: str) -> None:
    register(database, repo)
    name = str(repo) if stated == "ROOT" else stated
    assert places(database)[0].of(Context(repo=name), ALICE).repo == "host.org/a/b"


def test_an_unknown_repo_is_refused_by_field(database: Database) -> None:
    with pytest.raises(NotFound) as error:
        places(database)[0].of(Context(repo="host.org/no/where"), ALICE)
    assert error.value.field == "context.repo"


def test_a_repo_that_is_not_the_keys_looks_exactly_like_one_that_does_not_exist(database: Database, repo: Path) -> None:
    register(database, repo)
    limited = Caller(role=Role.agent, user="alice", key_id="k", repos=("host.org/c/d",))
    found, _ = places(database)
    with pytest.raises(NotFound) as hidden:
        found.of(Context(repo="host.org/a/b"), limited)
    with pytest.raises(NotFound) as absent:
        found.of(Context(repo="host.org/x/y"), limited)
    assert str(hidden.value).replace("a/b", "x/y") == str(absent.value)


def test_a_folder_inside_a_repo_is_enough_and_the_repo_is_discovered_once(database: Database, repo: Path) -> None:
    found, seen = places(database, discovering=True)
    for _ in range(3):
        assert found.of(Context(cwd=str(repo / "src")), LOCAL_PERSON).repo == "host.org/a/b"
    assert seen == ["host.org/a/b"]


def test_without_discovery_a_folder_counts_only_inside_a_registered_repo(database: Database, repo: Path) -> None:
    found, _ = places(database)
    assert found.of(Context(cwd=str(repo / "src")), ALICE).repo is None
    register(database, repo)
    found.forget()
    assert found.of(Context(cwd=str(repo / "src")), ALICE).repo == "host.org/a/b"
    assert found.of(Context(cwd=str(repo) + "-other"), ALICE).repo is None


def test_a_folder_outside_any_repo_is_no_repo(database: Database, tmp_path: Path) -> None:
    found, seen = places(database, discovering=True)
    assert found.of(Context(cwd=str(tmp_path)), LOCAL_PERSON).repo is None
    assert seen == []


def test_a_repo_that_cannot_be_read_does_not_fail_the_message(database: Database, repo: Path) -> None:
    def discover(place: RepoPlace, name: str) -> None:
        raise StoreError("The disk is full.")

    found = Places(
        sources=SourceTable(database),
        skills=SkillTable(database),
        keys=KeyTable(database),
        local_user="local",
        discover=discover,
    )
    assert found.of(Context(cwd=str(repo)), LOCAL_PERSON).owners == ((Scope.user, "local"),)


@pytest.mark.parametrize(("user", "session"), [("ann:x", "y"), ("ann%3Ax", "y"), ("ann", "x:y")])
def test_no_two_users_share_a_session(user: str, session: str) -> None:
    others = {
        session_owner(*pair) for pair in [("ann:x", "y"), ("ann%3Ax", "y"), ("ann", "x:y")] if pair != (user, session)
    }
    assert session_owner(user, session) not in others
