"""Where skills lie, and which repo a folder is in."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.models.errors import InvalidInput
from wellworn.models.skill import Diagnostic, Scope
from wellworn.store.discovery import (
    RepoPlace,
    Source,
    configured_source,
    find_repo,
    normalise_origin,
    repo_id,
    repo_sources,
    user_sources,
    walk_skills,
)


def add(folder: Path, name: str = "SKILL.md", text: str = "---\nname: a\ndescription: d\n---\n") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def source(path: Path, *, capped: bool = True) -> Source:
    return Source("s", path, Scope.user, "u", 0, vouched=True, capped=capped)


def walk(path: Path) -> list[str]:
    return [str(found.relative_to(path)) for found in walk_skills(source(path))]


def test_folders_of_home_and_repo_stand_in_order_of_precedence(tmp_path: Path) -> None:
    home = user_sources(tmp_path, "ann")
    repo = repo_sources(tmp_path, "github.com/a/b", vouched=False)
    assert [str(entry.path.relative_to(tmp_path)) for entry in home] == [
        ".wellworn/skills",
        ".agents/skills",
        ".claude/skills",
        ".pi/skills",
        ".pi/agent/skills",
    ]
    assert [entry.rank for entry in repo] == [0, 1, 2, 3]
    assert {(entry.scope, entry.owner, entry.vouched) for entry in home} == {(Scope.user, "ann", True)}
    assert {(entry.scope, entry.owner, entry.vouched) for entry in repo} == {(Scope.repo, "github.com/a/b", False)}
    assert len({entry.id for entry in (*home, *repo)}) == 9


def test_skills_are_found_sorted_at_any_allowed_depth(tmp_path: Path) -> None:
    add(tmp_path / "b")
    add(tmp_path / "a", "skill.md")
    add(tmp_path / "group" / "sub" / "c", "manifest.yaml", "id: c\ndescription: d\n")
    add(tmp_path / "1" / "2" / "3" / "4" / "5" / "six")
    add(tmp_path / "1" / "2" / "3" / "4" / "5" / "6" / "seven")
    assert walk(tmp_path) == ["1/2/3/4/5/six", "a", "b", "group/sub/c"]


def test_one_skill_folder_is_a_library_of_one(tmp_path: Path) -> None:
    add(tmp_path / "one")
    assert list(walk_skills(configured_source(tmp_path / "one", "ann"))) == [(tmp_path / "one").resolve()]


def test_resources_of_a_skill_and_hidden_folders_are_not_searched(tmp_path: Path) -> None:
    add(tmp_path / "a")
    add(tmp_path / "a" / "templates" / "t")
    add(tmp_path / "a" / "nested")
    add(tmp_path / "node_modules" / "x")
    add(tmp_path / ".git" / "x")
    add(tmp_path / ".b.tmp-1-abc")
    add(tmp_path / ".claude" / "skills" / "c")
    assert walk(tmp_path) == [".claude/skills/c", "a", "a/nested"]


def test_a_manifest_of_another_tool_is_no_skill(tmp_path: Path) -> None:
    add(tmp_path / "k8s", "manifest.yaml", "apiVersion: v1\nkind: Pod\ndescription: x\n")
    add(tmp_path / "other", "manifest.yaml", "version: 1\n")
    add(tmp_path / "ours", "manifest.yaml", "triggers: [a b]\n")
    assert walk(tmp_path) == ["ours"]


def test_links_are_followed_inside_the_source_only_and_never_in_circles(tmp_path: Path) -> None:
    library = tmp_path / "lib"
    add(library / "real" / "a")
    add(tmp_path / "outside" / "secret")
    (library / "real" / "loop").symlink_to(library)
    (library / "zz-again").symlink_to(library / "real" / "a")
    (library / "out").symlink_to(tmp_path / "outside")
    (library / "broken").symlink_to("nowhere")
    problems: list[Diagnostic] = []
    found = [str(path.relative_to(library)) for path in walk_skills(source(library), problems)]
    assert found in (["real/a"], ["zz-again"])
    assert {(problem.code, problem.file) for problem in problems} == {("outside", str(library / "out"))}


def test_a_library_that_is_itself_a_link_is_read(tmp_path: Path) -> None:
    add(tmp_path / "real" / "a")
    (tmp_path / "link").symlink_to("real")
    assert walk(tmp_path / "link") == ["a"]


def test_a_folder_nobody_named_is_searched_up_to_a_limit_and_says_so(tmp_path: Path) -> None:
    for number in range(2100):
        (tmp_path / f"d{number:04}").mkdir()
    add(tmp_path / "zzz")
    problems: list[Diagnostic] = []
    assert list(walk_skills(source(tmp_path), problems)) == []
    assert [problem.code for problem in problems] == ["too-many-directories"]
    assert list(walk_skills(source(tmp_path, capped=False))) == [tmp_path / "zzz"]


def test_the_folder_that_libraries_are_imported_into_is_searched_whole() -> None:
    capped = {source.path.parts[-2]: source.capped for source in user_sources(Path("/home/ann"), "ann")}
    assert capped == {".wellworn": False, ".agents": True, ".claude": True, ".pi": True, "agent": True}
    assert [source.capped for source in repo_sources(Path("/src"), "r", vouched=True)] == [False, True, True, True]
    assert all(source.capped for source in repo_sources(Path("/src"), "r", vouched=False))


def test_a_source_that_is_not_there_has_no_skills(tmp_path: Path) -> None:
    assert walk(tmp_path / "none") == []


@pytest.mark.parametrize(
    ("name", "message"), [("none", "does not exist"), ("file", "is not a folder"), ("empty", "holds no skills")]
)
def test_a_configured_path_must_hold_skills(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInput, match=message):
        configured_source(tmp_path / name, "ann")


def git(folder: Path, *words: str) -> None:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always", *words]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def make_repo(folder: Path, origin: str | None = None) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "x")
    if origin:
        git(folder, "remote", "add", "origin", origin)
    return folder.resolve()


def test_a_folder_deep_in_a_repo_finds_its_root_and_origin(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "r", "git@GitHub.com:Ann/thing.git")
    (root / "a" / "b").mkdir(parents=True)
    assert find_repo(root / "a" / "b") == RepoPlace(root, "github.com/Ann/thing")
    assert find_repo(root / "a" / "not-there-yet") == RepoPlace(root, "github.com/Ann/thing")


def test_a_repo_without_origin_is_known_by_its_place(tmp_path: Path) -> None:
    place = find_repo(make_repo(tmp_path / "r"))
    assert place == RepoPlace((tmp_path / "r").resolve(), None)
    assert repo_id(tmp_path / "r", None).startswith("path:")
    assert repo_id(tmp_path / "r", None) == repo_id(tmp_path / "r" / ".." / "r", None)
    assert repo_id(tmp_path, "github.com/a/b") == "github.com/a/b"


def test_a_linked_work_tree_has_its_own_root_and_the_same_origin(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "r", "https://x:secret@host.org/a/b.git")
    git(root, "worktree", "add", "-q", str(tmp_path / "linked"))
    assert find_repo(tmp_path / "linked") == RepoPlace((tmp_path / "linked").resolve(), "host.org/a/b")


def test_a_submodule_is_its_own_repo(tmp_path: Path) -> None:
    inner = make_repo(tmp_path / "inner")
    outer = make_repo(tmp_path / "outer", "https://host.org/a/outer")
    git(outer, "submodule", "add", "-q", str(inner), "sub")
    place = find_repo(outer / "sub")
    assert place is not None
    assert place.root == outer / "sub"
    assert place.origin == f"file:{inner}"


def test_outside_any_repo_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "fake" / ".git").mkdir(parents=True)
    assert find_repo(tmp_path / "fake") is None


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("git@github.com:a/b.git", "github.com/a/b"),
        ("https://user:token@GitHub.com/a/b", "github.com/a/b"),
        ("https://github.com/a/b.git/", "github.com/a/b"),
        ("ssh://git@github.com/a/b.git", "github.com/a/b"),
        ("ssh://git@github.com:22/a/b", "github.com/a/b"),
        ("ssh://git@host.org:2222/a/b", "host.org:2222/a/b"),
        ("git://host.org/a/b", "host.org/a/b"),
        ("https://gitlab.com/group/sub/b.git?x=1#y", "gitlab.com/group/sub/b"),
        ("host:a/b.git", "host/a/b"),
        ("github.com/a/b", "github.com/a/b"),
        ("localhost:8080/a/b", "localhost:8080/a/b"),
        ("/srv/git/b.git", "file:/srv/git/b"),
        ("file:///srv/git/b.git", "file:/srv/git/b"),
        ("a/b", ""),
        ("../b", ""),
        ("https://", ""),
        ("https://[bad/a", ""),
        ("  ", ""),
    ],
)
def test_every_way_to_write_a_remote_gives_one_name(url: str, expected: str) -> None:
    assert normalise_origin(url) == expected


@given(st.text(max_size=60))
def test_any_text_as_remote_gives_a_text(url: str) -> None:
    normalise_origin(url)


PART = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9-]{0,7}", fullmatch=True)


@given(host=PART, owner=PART, name=PART, secret=PART)
def test_credentials_never_survive_and_the_result_is_stable(host: str, owner: str, name: str, secret: str) -> None:
    token = f"SECRET{secret}"
    for url in (f"https://u:{token}@{host}.org/{owner}/{name}.git", f"{token}@{host}.org:{owner}/{name}"):
        found = normalise_origin(url)
        assert found == f"{host}.org".lower() + f"/{owner}/{name}"
        assert normalise_origin(found) == found
