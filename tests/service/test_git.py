"""Committing a skill's files: only they, whatever they are called, and never a failure of what was decided."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.service.curating import REVIEWER
from tests.service.test_repairing import failing, propose
from tests.service.worlds import World

from wellworn.models.repair import RepairAccept
from wellworn.service.git import commit_files, in_work_tree


def git(folder: Path, *arguments: str) -> str:
    named = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    done = subprocess.run(["git", *named, "-C", str(folder), *arguments], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A work tree with one commit, whose author is known."""
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Ann")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "ann@example.org")
    root = tmp_path / "tree"
    root.mkdir()
    git(root, "init", "-q")
    (root / "a.txt").write_text("a\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    return root


def test_only_the_named_files_are_committed_and_what_was_staged_stays_so(tree: Path) -> None:
    (tree / "skill.md").write_text("new\n")
    (tree / "a.txt").write_text("changed\n")
    git(tree, "add", "a.txt")
    assert commit_files(tree, [tree / "skill.md"], "Repair; it's $(touch pwned) `x`").startswith("Committed as ")
    assert git(tree, "show", "--name-only", "--format=%s").split("\n")[:3] == [
        "Repair; it's $(touch pwned) `x`",
        "",
        "skill.md",
    ]
    assert git(tree, "diff", "--cached", "--name-only").split() == ["a.txt"]
    assert not (tree / "pwned").exists()


@pytest.mark.parametrize("name", ["with space.md", "-rf.md", "a*.md", "[x].md", ":(glob)x.md", "$(touch pwned).md"])
def test_a_name_is_a_name_whatever_it_looks_like(tree: Path, name: str) -> None:
    (tree / name).write_text("new\n")
    (tree / "ab.md").write_text("another\n")
    assert commit_files(tree, [tree / name], "One file").startswith("Committed as ")
    assert git(tree, "show", "-z", "--name-only", "--format=").strip("\0\n") == name
    assert not (tree / "pwned").exists()


def test_what_git_refuses_is_told_in_a_sentence(tree: Path) -> None:
    hook = tree / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\necho not today >&2\nexit 1\n")
    hook.chmod(0o755)
    (tree / "skill.md").write_text("new\n")
    assert commit_files(tree, [tree / "skill.md"], "x") == "It was not committed: not today"
    assert "not committed" in commit_files(tree, [tree / "missing.md"], "x")


def test_where_nothing_changed_nothing_is_committed(tree: Path) -> None:
    before = git(tree, "rev-parse", "HEAD")
    assert commit_files(tree, [tree / "a.txt"], "x").startswith("It was not committed: ")
    assert git(tree, "rev-parse", "HEAD") == before


def test_a_repository_that_a_hook_is_run_in_is_not_taken_for_the_skills(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    (tree / "skill.md").write_text("new\n")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    told = commit_files(tree, [tree / "skill.md"], "x")
    inside = in_work_tree(tmp_path)
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert (told.startswith("Committed as "), inside) == (True, False), told
    assert git(tree, "show", "--name-only", "--format=").split() == ["skill.md"]


def test_a_hook_that_does_not_end_is_not_waited_for_and_leaves_no_lock(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = tree / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\nwhile [ -e ../go.on ] || [ -e go.on ]; do sleep 0.1; done\n")
    hook.chmod(0o755)
    (tree / "go.on").write_text("")
    (tree / "skill.md").write_text("new\n")
    monkeypatch.setattr("wellworn.service.git._SECONDS", 1.0)
    assert commit_files(tree, [tree / "skill.md"], "x") == "It was not committed: git is not there, or did not end."
    assert not (tree / ".git" / "index.lock").exists()
    (tree / "go.on").unlink()


@pytest.mark.parametrize("parent", ["$(touch pwned)", "two words", "-x", "[a]*"])
def test_a_folder_is_a_folder_whatever_it_is_called(tree: Path, parent: str) -> None:
    folder = tree / parent / "ship-it"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("new\n")
    assert in_work_tree(folder)
    assert commit_files(folder, [folder / "SKILL.md"], "--amend").startswith("Committed as ")
    assert git(tree, "show", "-z", "--name-only", "--format=").strip("\0\n") == f"{parent}/ship-it/SKILL.md"
    assert git(tree, "log", "--format=%s").split("\n")[:2] == ["--amend", "first"]
    assert not list(tree.rglob("pwned"))


def test_files_that_are_reached_over_a_link_are_committed_where_they_are(tree: Path, tmp_path: Path) -> None:
    (tree / "skills" / "ship-it").mkdir(parents=True)
    (tmp_path / "library").symlink_to(tree / "skills")
    folder = tmp_path / "library" / "ship-it"
    (folder / "SKILL.md").write_text("new\n")
    assert in_work_tree(folder)
    assert commit_files(folder, [folder / "SKILL.md"], "x").startswith("Committed as ")
    assert git(tree, "show", "--name-only", "--format=").split() == ["skills/ship-it/SKILL.md"]


def test_what_is_ignored_or_in_another_state_is_a_note(tree: Path) -> None:
    (tree / ".gitignore").write_text("*.md\n")
    (tree / "skill.md").write_text("new\n")
    assert "ignored" in commit_files(tree, [tree / "skill.md"], "x")
    (tree / ".git" / "index.lock").write_text("")
    assert "index.lock" in commit_files(tree, [tree / "a.txt"], "x")


def test_without_git_or_a_work_tree_nothing_is_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not in_work_tree(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not in_work_tree(tmp_path)
    assert "git is not there" in commit_files(tmp_path, [tmp_path / "x"], "x")


def test_an_accepted_repair_is_committed_where_that_was_asked_for(tree: Path) -> None:
    world = World(tree)
    world.usual()
    git(tree, "add", "home")
    git(tree, "commit", "-qm", "skills")
    with world.open() as workspace:
        file = failing(world, workspace)
        repair = propose(workspace)
        assert repair.in_git
        answer = workspace.repairs.accept(repair.id, RepairAccept(commit=True), REVIEWER)
        assert answer.notes[-1].startswith("Committed as ")
    assert git(tree, "show", "--name-only", "--format=%s").split() == [
        *["Repair", "the", "steps", "of", "the", "skill", "release-local"],
        str(file.relative_to(tree)),
    ]


def test_a_commit_that_fails_loses_no_repair(tree: Path) -> None:
    world = World(tree)
    world.usual()
    hook = tree / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    with world.open() as workspace:
        failing(world, workspace)
        answer = workspace.repairs.accept(propose(workspace).id, RepairAccept(commit=True), REVIEWER)
        assert (answer.repair.status, "not committed" in answer.notes[-1]) == ("accepted", True)


def test_without_git_an_accept_is_an_accept_with_a_note(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tree)
    world.usual()
    with world.open() as workspace:
        failing(world, workspace)
        repair = propose(workspace)
        monkeypatch.setenv("PATH", str(tree))
        answer = workspace.repairs.accept(repair.id, RepairAccept(commit=True), REVIEWER)
        assert (answer.repair.status, answer.notes) == (
            "accepted",
            ["It was not committed: git is not there, or did not end."],
        )
