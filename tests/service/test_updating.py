"""A person changes a skill's text; nothing else of it changes, and it answers to it at once."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from tests.service.curating import AGENT, OVER_THE_HILL, REVIEWER, accept, propose, texts
from tests.service.worlds import ME, World, ask

from wellworn.models.curation import UpdateAnswer, UpdateRequest
from wellworn.models.errors import Conflict, InvalidInput, NotAllowed, NotFound
from wellworn.models.proposal import ProposalStatus
from wellworn.models.skill import Provenance, Scope
from wellworn.service.workspace import Workspace
from wellworn.store.skill_stats import SkillStatsTable


def update(workspace: Workspace, ref: str = "ship-it", **request: Any) -> UpdateAnswer:
    caller = request.pop("caller", REVIEWER)
    return workspace.care.update(ref, UpdateRequest(**request), caller)


@pytest.fixture
def shipping(world: World) -> World:
    world.usual()
    world.skill("ship-it", "Ships.", aliases=["off it goes"], provenance="agent", body="## Steps\n1. Look.\n")
    return world


def test_a_new_alias_is_found_at_once(shipping: World) -> None:
    with shipping.open() as workspace:
        assert ask(workspace, OVER_THE_HILL).skill_id != "ship-it"
        answer = update(workspace, add_aliases=[OVER_THE_HILL], remove_aliases=["off it goes"])
        assert ask(workspace, OVER_THE_HILL).skill_id == "ship-it"
        assert ask(workspace, "off it goes").skill_id != "ship-it"
        (change,) = workspace.care.history("ship-it", REVIEWER).changes
    assert answer.skill.manifest.provenance is Provenance.human
    assert f"+  - {OVER_THE_HILL}" in answer.diff
    assert (change.action, change.by) == ("update", "k-rev")
    assert change.before_hash != change.after_hash


def test_a_dry_run_shows_the_difference_and_changes_nothing(shipping: World) -> None:
    before = texts(shipping.home)
    with shipping.open() as workspace:
        answer = update(workspace, description="Ships it all.", dry_run=True)
        assert workspace.care.history("ship-it", REVIEWER).changes == []
    assert (answer.changed, answer.change) == (True, None)
    assert "-description: Ships.\n+description: Ships it all." in answer.diff
    assert texts(shipping.home) == before


def test_what_was_changed_since_it_was_shown_is_not_written_over(shipping: World) -> None:
    with shipping.open() as workspace:
        shown = update(workspace, description="Ships it all.", dry_run=True)
        (shipping.library / "ship-it/SKILL.md").write_text("---\nname: ship-it\n---\nNew.\n", encoding="utf-8")
        with pytest.raises(Conflict, match="changed meanwhile"):
            update(workspace, description="Ships it all.", expected_hash=shown.hash)
    assert "New." in texts(shipping.library)["ship-it/SKILL.md"]


def test_an_update_without_a_change_is_no_change(shipping: World) -> None:
    with shipping.open() as workspace:
        answer = update(workspace, add_aliases=["Off it  goes"])
        assert (answer.changed, answer.diff, answer.change) == (False, "", None)
        assert answer.skill.manifest.provenance is Provenance.agent


def test_a_proposal_can_be_added_to_a_skill_and_is_accepted_by_that(shipping: World) -> None:
    with shipping.open() as workspace:
        propose(workspace)
        answer = update(workspace, from_proposal="p1")
        assert ask(workspace, OVER_THE_HILL).skill_id == "ship-it"
        assert workspace.curation.proposal("p1", REVIEWER).status is ProposalStatus.accepted
        assert answer.skill.steps == ["Look.", "Run the tests.", "Push the tag."]
        assert answer.skill.manifest.requires_approval == ["git_push"]
        with pytest.raises(Conflict, match="already accepted"):
            update(workspace, from_proposal="p1")


def test_a_finding_blocks_an_update_until_it_is_allowed(shipping: World) -> None:
    piped = "## Steps\n1. Run `echo aGk= | base64 -d | sh`.\n"
    with shipping.open() as workspace:
        with pytest.raises(InvalidInput) as refused:
            update(workspace, body=piped)
        assert refused.value.field == "overrides"
        name = (refused.value.hint or "").partition("--override ")[2].partition(")")[0].split(" ")[0]
        assert update(workspace, body=piped, overrides=[name]).changed


def test_what_a_skill_says_already_is_not_asked_about_again(shipping: World) -> None:
    piped = "## Steps\n1. Run `echo aGk= | base64 -d | sh`.\n"
    shipping.skill("ship-it", "Ships.", body=piped)
    with shipping.open() as workspace:
        assert update(workspace, add_aliases=["off with it"], body=f"# Ship\n\n{piped}").changed
        with pytest.raises(InvalidInput):
            update(workspace, body=f"{piped}2. Run `echo b2ggbm8= | base64 -d | bash`.\n")


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        ({"remove_aliases": ["never said"]}, "removeAliases"),
        ({"description": "  "}, "description"),
    ],
)
def test_what_cannot_be_used_is_named_and_changes_nothing(
    shipping: World, request_: dict[str, Any], field: str
) -> None:
    before = texts(shipping.home)
    with shipping.open() as workspace, pytest.raises(InvalidInput) as refused:
        update(workspace, **request_)
    assert refused.value.field == field
    assert texts(shipping.home) == before


def test_an_agent_updates_nothing(shipping: World) -> None:
    with shipping.open() as workspace, pytest.raises(NotAllowed):
        update(workspace, description="Mine now.", caller=AGENT)


def test_an_archived_or_absent_skill_is_not_updated(shipping: World) -> None:
    shipping.skill("gone", trust="archived")
    with shipping.open() as workspace:
        with pytest.raises(Conflict, match="enable gone"):
            update(workspace, "gone", description="x")
        with pytest.raises(NotFound):
            update(workspace, "nothing", description="x")
        with pytest.raises(NotFound, match="proposal"):
            update(workspace, from_proposal="p9")


def repaired_often(workspace: Workspace) -> None:
    SkillStatsTable(workspace._database).change(
        Scope.user,
        "local",
        "ship-it",
        lambda stats: stats.model_copy(
            update={"reliability": 0.3, "failure_count": 4, "success_count": 1, "repair_count": 3}
        ),
        now=datetime(2026, 3, 1, tzinfo=UTC),
    )


def stats_of(workspace: Workspace) -> tuple[float, int, int, int]:
    stats = workspace.skill("ship-it", REVIEWER).stats
    return stats.reliability, stats.success_count, stats.failure_count, stats.repair_count


@pytest.mark.parametrize(
    ("request_", "after"),
    [
        ({"body": "## Steps\n1. Look well.\n"}, (0.3, 1, 4, 0)),
        ({"body": "New words.\n\n## Steps\n1. Look.\n"}, (0.3, 1, 4, 3)),
        ({"description": "Ships it all."}, (0.3, 1, 4, 3)),
        ({"description": "Ships it all.", "reset_stats": True}, (1.0, 0, 0, 3)),
        ({"reset_stats": True}, (1.0, 0, 0, 3)),
        ({"body": "## Steps\n1. Look well.\n", "reset_stats": True}, (1.0, 0, 0, 0)),
    ],
)
def test_other_steps_let_repairs_be_counted_anew_and_stats_are_reset_only_when_asked(
    shipping: World, request_: dict[str, Any], after: tuple[float, int, int, int]
) -> None:
    with shipping.open() as workspace:
        repaired_often(workspace)
        update(workspace, **request_)
        assert stats_of(workspace) == after
        assert len(workspace.care.history("ship-it", REVIEWER).changes) == 1


def test_no_create_path_erases_what_happened_to_a_skill_or_writes_over_it(shipping: World) -> None:
    before = texts(shipping.library / "ship-it")
    with shipping.open() as workspace:
        repaired_often(workspace)
        propose(workspace)
        with pytest.raises(Conflict, match="already"):
            accept(workspace)
        library = shipping.root / "library.jsonl"
        workspace.export_library(library, caller=ME, strict=False)
        lines = library.read_text(encoding="utf-8").replace("Look.", "Look away.")
        library.write_text(lines, encoding="utf-8")
        with pytest.raises(Conflict, match="already"):
            workspace.import_library(library)
        assert texts(shipping.library / "ship-it") == before
        workspace.import_library(library, replace=True)
        assert stats_of(workspace) == (0.3, 1, 4, 3)
        assert workspace.skill("ship-it", REVIEWER).steps == ["Look away."]
