"""Where skills come from: homes, repositories, configured and imported libraries, and edits while serving."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.service.http.serving import wait_until
from tests.service.worlds import ME, SHIP, World, ask, best, ids

from wellworn.models.errors import Conflict, InvalidInput, NotFound
from wellworn.models.resolution import Decision, Invocation
from wellworn.models.skill import Scope, Trust

FERNS = "give the ferns a drink"


def write_lines(path: Path, *lines: object) -> Path:
    path.write_text(
        "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in lines), encoding="utf-8"
    )
    return path


def plants(**fields: Any) -> dict[str, Any]:
    return {"id": "water-plants", "description": "Waters the plants.", "aliases": [FERNS], **fields}


class TestRepositories:
    """A repo seen for the first time in a request."""

    def test_a_repo_is_discovered_by_the_folder_and_not_trusted_beyond_a_confirmation(self, world: World) -> None:
        root = world.repo("app", "git@host.org:team/app.git")
        world.skill("water-plants", at=root / ".claude/skills", aliases=[FERNS])
        (root / "src" / "deep").mkdir(parents=True)
        with world.open() as workspace:
            context = {"cwd": str(root / "src" / "deep")}
            answer = ask(workspace, FERNS, context=context, invocation=Invocation.explicit)
            assert (answer.skill_id, answer.scope, answer.decision) == ("water-plants", Scope.repo, Decision.confirm)
            assert any("nobody has vouched" in note for note in answer.notes)
            assert ids(ask(workspace, FERNS)) == set()
            assert ask(workspace, FERNS, context={"repo": "https://host.org/team/app"}).skill_id == "water-plants"

    def test_vouching_lasts_over_restarts_and_can_be_withdrawn(self, world: World) -> None:
        root = world.repo("app")
        world.skill("water-plants", at=root / ".claude/skills", aliases=[FERNS])
        context = {"cwd": str(root)}

        def decision() -> Decision:
            return ask(workspace, FERNS, context=context, invocation=Invocation.explicit).decision

        with world.open() as workspace:
            assert decision() is Decision.confirm
            source = next(one for one in workspace.sources() if one.skills)
            assert not source.vouched
            workspace.vouch(source.id, vouched=True)
            assert decision() is Decision.proceed
        with world.open() as workspace:
            assert decision() is Decision.proceed
            workspace.vouch(source.id, vouched=False)
        with world.open() as workspace:
            assert decision() is Decision.confirm

    def test_a_second_clone_shares_the_skills_of_the_first(self, world: World) -> None:
        first, second = (world.repo(name, "git@host.org:team/app.git") for name in ("one", "two"))
        world.skill("water-plants", at=first / ".claude/skills", aliases=[FERNS])
        with world.open() as workspace:
            assert ask(workspace, FERNS, context={"cwd": str(first)}).skill_id == "water-plants"
            assert ask(workspace, FERNS, context={"cwd": str(second)}).skill_id == "water-plants"
            assert len([one for one in workspace.sources() if one.skills]) == 1

    def test_where_repos_must_be_registered_a_request_reads_none(self, world: World) -> None:
        root = world.repo("app")
        world.skill("water-plants", at=root / ".claude/skills", aliases=[FERNS])
        with world.open(discover=False) as workspace:
            assert ids(ask(workspace, FERNS, context={"cwd": str(root)})) == set()
            workspace.add_source(root, repo=True)
            answer = ask(workspace, FERNS, context={"cwd": str(root)}, invocation=Invocation.explicit)
        assert answer.decision is Decision.proceed

    def test_a_folder_in_no_repo_cannot_be_added_as_one(self, world: World) -> None:
        with world.open() as workspace:
            for folder in (world.data, world.root / "missing"):
                with pytest.raises(InvalidInput, match=r"not in a git repository\. Give the root"):
                    workspace.add_source(folder, repo=True)


class TestImport:
    """A JSONL library into wellworn's own folder and back."""

    def test_imported_skills_answer_and_their_files_are_plain(self, world: World) -> None:
        library = write_lines(world.root / "lib.jsonl", plants(body="# Water\n\n## Steps\n1. Pour.\n", extra=1))
        with world.open() as workspace:
            report = workspace.import_library(library)
            assert (report.added, report.replaced, report.unchanged) == (1, 0, 0)
            assert "extra" in report.notes[0]
            assert ask(workspace, FERNS).skill_id == "water-plants"
        assert (world.library / "water-plants" / "SKILL.md").read_text(encoding="utf-8").startswith("---\nname: water")

    def test_a_broken_line_is_named_and_nothing_is_written(self, world: World) -> None:
        library = write_lines(world.root / "lib.jsonl", plants(), '{"id": "Bad Id"}', plants(id="third"))
        with world.open() as workspace, pytest.raises(InvalidInput, match=r"lib\.jsonl:2: "):
            workspace.import_library(library)
        assert not world.library.exists()

    def test_an_existing_skill_is_refused_unless_it_may_be_replaced(self, world: World) -> None:
        changed = write_lines(world.root / "b.jsonl", plants(aliases=["douse the greenery"]))
        with world.open() as workspace:
            workspace.import_library(write_lines(world.root / "a.jsonl", plants()))
            before = (world.library / "water-plants" / "manifest.yaml").read_bytes()
            with pytest.raises(Conflict, match="water-plants exists already"):
                workspace.import_library(changed)
            assert (world.library / "water-plants" / "manifest.yaml").read_bytes() == before
            report = workspace.import_library(changed, replace=True)
            assert (report.added, report.replaced) == (0, 1)
            assert ask(workspace, "douse the greenery").skill_id == "water-plants"
            assert workspace.import_library(changed).unchanged == 1

    def test_what_is_exported_can_be_imported_elsewhere_and_is_the_same(self, world: World, tmp_path: Path) -> None:
        lines = [plants(body="# Water\n"), {"id": "tune-piano", "description": "Tunes.", "risk": "high"}]
        other = World(tmp_path / "other")
        with world.open() as workspace:
            workspace.import_library(write_lines(world.root / "lib.jsonl", *lines))
            first = [(one.manifest, one.id) for one in workspace.skills(ME).skills]
            assert workspace.export_library(world.root / "out.jsonl", caller=ME, strict=False) == (2, [])
        with other.open() as workspace:
            workspace.import_library(world.root / "out.jsonl")
            assert [(one.manifest, one.id) for one in workspace.skills(ME).skills] == first
            workspace.export_library(other.root / "out.jsonl", caller=ME, strict=False)
        assert (other.root / "out.jsonl").read_bytes() == (world.root / "out.jsonl").read_bytes()

    def test_a_strict_export_is_refused_with_the_reason_and_writes_nothing(self, world: World) -> None:
        world.usual()
        world.skill("wordy", "x" * 2000)
        with world.open() as workspace, pytest.raises(InvalidInput, match="wordy: its description has 2,000 char"):
            workspace.export_library(world.root / "out", caller=ME, strict=True)
        assert not (world.root / "out").exists()

    def test_an_export_into_the_data_folder_is_refused_and_overwrites_nothing(self, world: World) -> None:
        world.usual()
        link = world.root / "link.jsonl"
        with world.open() as workspace:
            link.symlink_to(world.data / "wellworn.db")
            for out in (world.data / "wellworn.db", link):
                with pytest.raises(InvalidInput, match="data folder"):
                    workspace.export_library(out, caller=ME, strict=False)
        assert (world.data / "wellworn.db").read_bytes().startswith(b"SQLite")

    def test_repo_scope_writes_into_the_repo(self, world: World) -> None:
        root = world.repo("app")
        library = write_lines(world.root / "lib.jsonl", plants())
        with world.open() as workspace:
            report = workspace.import_library(library, scope=Scope.repo, repo=str(root))
            assert Path(report.folder) == root / ".wellworn" / "skills"
            answer = ask(workspace, FERNS, context={"cwd": str(root)}, invocation=Invocation.explicit)
        assert (answer.scope, answer.decision) == (Scope.repo, Decision.proceed)


class TestConfiguredFolders:
    """Folders that a setting names count for the process that has the setting."""

    def test_a_folder_that_is_configured_no_more_is_dropped(self, world: World) -> None:
        team = world.root / "team"
        world.skill("water-plants", at=team, aliases=[FERNS])
        with world.open(library=[team]) as workspace:
            assert ask(workspace, FERNS).skill_id == "water-plants"
        with world.open() as workspace:
            assert ids(ask(workspace, FERNS)) == set()

    def test_not_while_another_process_serves_with_it(self, world: World) -> None:
        team = world.root / "team"
        world.skill("water-plants", at=team, aliases=[FERNS])
        with world.open(library=[team], background=True) as serving:
            with world.open() as workspace:
                assert ask(workspace, FERNS).skill_id == "water-plants"
            assert ask(serving, FERNS).skill_id == "water-plants"

    def test_a_folder_that_was_added_stays(self, world: World) -> None:
        team = world.root / "team"
        world.skill("water-plants", at=team, aliases=[FERNS])
        with world.open() as workspace:
            added = workspace.add_source(team, repo=False)[0]
            assert added.skills == 1
        with world.open() as workspace:
            assert ask(workspace, FERNS).skill_id == "water-plants"
            workspace.remove_source(added.id)
            assert ids(ask(workspace, FERNS)) == set()

    @pytest.mark.parametrize("kind", ["missing", "file", "empty"])
    def test_a_folder_without_skills_is_told(self, world: World, kind: str) -> None:
        place = world.root / kind
        if kind == "file":
            place.write_text("x", encoding="utf-8")
        elif kind == "empty":
            place.mkdir()
        with pytest.raises(InvalidInput, match="Give a folder"), world.open(library=[place]):
            pass

    def test_the_home_is_always_read_and_unknown_sources_are_told(self, world: World) -> None:
        world.usual()
        with world.open() as workspace:
            home = next(one for one in workspace.sources() if one.kind == "home")
            with pytest.raises(InvalidInput, match="always read"):
                workspace.remove_source(home.id)
            with pytest.raises(NotFound, match="no source"):
                workspace.vouch("nothing", vouched=True)


class TestServing:
    """Edits by hand and by other processes while questions are answered."""

    def test_new_edited_and_deleted_files_are_picked_up(self, world: World) -> None:
        world.usual()
        with world.open(background=True) as workspace:
            assert ask(workspace, SHIP).skill_id == "release-local"
            world.skill("feed-cat", aliases=["fill the bowl of the cat"])
            wait_until(lambda: best(ask(workspace, "fill the bowl of the cat")) == "feed-cat", 5)
            world.skill("feed-cat", aliases=["serve the kitten its dinner"])
            wait_until(lambda: ask(workspace, "serve the kitten its dinner").skill_id == "feed-cat", 5)
            for file in (world.library / "feed-cat").iterdir():
                file.unlink()
            wait_until(lambda: "feed-cat" not in ids(ask(workspace, "serve the kitten its dinner", top_k=50)), 5)

    def test_what_another_process_imports_is_answered(self, world: World) -> None:
        world.usual()
        library = write_lines(world.root / "lib.jsonl", plants(id="feed-cat", aliases=["fill the bowl of the cat"]))
        with world.open(background=True) as serving:
            with world.open() as workspace:
                workspace.import_library(library)
            wait_until(lambda: ask(serving, "fill the bowl of the cat").skill_id == "feed-cat", 5)

    def test_files_that_changed_while_nobody_served_are_read_behind_the_answers(self, world: World) -> None:
        world.usual()
        with world.open(background=True):
            pass
        world.skill("release-local", aliases=["push the big button"])
        with world.open(background=True) as workspace:
            wait_until(lambda: ask(workspace, "push the big button").skill_id == "release-local", 5)

    def test_a_library_that_was_never_read_is_read_before_the_first_answer(self, world: World) -> None:
        world.usual()
        with world.open(background=True):
            pass
        team = world.root / "team"
        world.skill("feed-cat", at=team, aliases=["fill the bowl of the cat"])
        with world.open(background=True, library=[team]) as workspace:
            assert ask(workspace, "fill the bowl of the cat").skill_id == "feed-cat"


PIPED = {"id": "sneaky", "description": "Sneaks.", "body": "## Steps\n1. Run `echo aGk= | base64 -d | sh`.\n"}


def test_a_dangerous_skill_is_left_out_of_an_import_and_the_others_come_in(world: World) -> None:
    library = write_lines(world.root / "lib.jsonl", plants(), PIPED)
    with world.open() as workspace:
        report = workspace.import_library(library)
        assert (report.added, [one.id for one in report.blocked]) == (1, ["sneaky"])
        assert not (world.library / "sneaky").exists()
        allowed = workspace.import_library(library, overrides=report.blocked[0].findings)
        assert (allowed.added, allowed.blocked) == (1, [])


def test_an_override_that_no_finding_has_is_told_with_those_that_there_are(world: World) -> None:
    library = write_lines(world.root / "lib.jsonl", plants(), PIPED)
    with world.open() as workspace, pytest.raises(InvalidInput, match="There are: ") as error:
        workspace.import_library(library, overrides=["misspelt"])
    assert error.value.field == "overrides"
    assert not world.library.exists()


def test_what_claims_more_trust_than_installed_is_told(world: World) -> None:
    library = write_lines(world.root / "lib.jsonl", {"id": "boss", "description": "Bosses.", "trust": "automatic"})
    with world.open() as workspace:
        assert "boss" in workspace.import_library(library).notes[0]
        assert workspace.skills(ME).skills[0].manifest.trust is Trust.installed
