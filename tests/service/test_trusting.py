"""Trust is changed by people on evidence, counts at once, and is remembered."""

from __future__ import annotations

import shutil
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.service.curating import AGENT, RECIPE, REVIEWER, accept, propose, texts, trust_of, worked
from tests.service.worlds import SHIP, World, ask

from wellworn.models.curation import TrustAnswer, TrustRequest
from wellworn.models.errors import Conflict, InvalidInput, NotAllowed, NotFound, StoreError
from wellworn.models.proposal import SkillChange
from wellworn.models.resolution import Decision, Invocation
from wellworn.models.skill import Scope, Trust
from wellworn.service.care import AUDIT
from wellworn.service.workspace import Workspace
from wellworn.store.skill_changes import ChangeRow, SkillChangeTable

STEPS = "## Steps\n1. Run `git status`.\n2. Push the tag with `git push`.\n"


def change(workspace: Workspace, verb: str, ref: str = "release-local", **request: Any) -> TrustAnswer:
    repo = request.pop("repo", None)
    caller = request.pop("caller", REVIEWER)
    return workspace.care.change_trust(verb, ref, TrustRequest(**request), caller, repo=repo)


@pytest.fixture
def shipping(world: World) -> World:
    """A world with a skill that is meant by SHIP, and others beside it."""
    world.usual()
    world.skill("release-local", "Cuts a release.", aliases=[SHIP], body=STEPS)
    return world


def decisions(workspace: Workspace) -> tuple[Decision, Decision]:
    """What is decided about SHIP: called for explicitly, and ambient."""
    return ask(workspace, SHIP, invocation=Invocation.explicit).decision, ask(workspace, SHIP).decision


@pytest.mark.parametrize(
    ("trust", "explicit", "ambient"),
    [
        (Trust.draft, Decision.none, Decision.none),
        (Trust.suggested, Decision.none, Decision.none),
        (Trust.installed, Decision.proceed, Decision.confirm),
        (Trust.trusted, Decision.proceed, Decision.confirm),
        (Trust.automatic, Decision.proceed, Decision.proceed),
        (Trust.disabled, Decision.none, Decision.none),
        (Trust.archived, Decision.none, Decision.none),
    ],
)
def test_each_level_is_resolved_as_it_says(
    shipping: World, trust: Trust, explicit: Decision, ambient: Decision
) -> None:
    shipping.skill("release-local", "Cuts a release.", aliases=[SHIP], body=STEPS, trust=trust.value)
    with shipping.open() as workspace:
        assert decisions(workspace) == (explicit, ambient)
        if ambient is Decision.proceed:
            assert ask(workspace, SHIP).safe_steps == ["Run git status."]


def test_a_proven_skill_is_promoted_step_by_step_and_answers_so_at_once(shipping: World) -> None:
    with shipping.open() as workspace:
        worked(workspace, "release-local", 20, 0.95)
        assert decisions(workspace)[1] is Decision.confirm
        assert change(workspace, "promote").skill.manifest.trust is Trust.trusted
        assert change(workspace, "promote", to=Trust.automatic).skill.manifest.trust is Trust.automatic
        assert decisions(workspace) == (Decision.proceed, Decision.proceed)
        assert change(workspace, "demote", to=Trust.installed, reason="too eager").change.reason == "too eager"
        assert decisions(workspace)[1] is Decision.confirm
        changes = workspace.care.history("release-local", REVIEWER).changes
    assert [(one.action, one.from_trust, one.to_trust) for one in changes] == [
        ("demote", "automatic", "installed"),
        ("promote", "trusted", "automatic"),
        ("promote", "installed", "trusted"),
    ]
    assert changes[-1].evidence == "20 successes, reliability 0.95"


def test_missing_evidence_is_all_told_and_nothing_is_changed(shipping: World) -> None:
    before = texts(shipping.home)
    with shipping.open() as workspace:
        worked(workspace, "release-local", 2, 0.5)
        with pytest.raises(Conflict) as refused:
            change(workspace, "promote")
        assert workspace.care.history("release-local", REVIEWER).changes == []
    assert "2 of the 5" in refused.value.message
    assert "0.50" in refused.value.message
    assert texts(shipping.home) == before


def test_a_command_that_would_run_without_asking_keeps_a_skill_from_automatic(shipping: World) -> None:
    steps = "## Steps\n1. Run `frobnicate everything`.\n2. Push the tag.\n"
    shipping.skill("release-local", "Cuts a release.", body=steps, trust="trusted")
    with shipping.open() as workspace:
        worked(workspace, "release-local", 20)
        with pytest.raises(Conflict, match="frobnicate everything"):
            change(workspace, "promote")


@pytest.mark.parametrize("body", ["Just do it.", "## Steps\n1. Push the tag.\n"])
def test_a_skill_whose_unattended_steps_nobody_can_tell_is_never_automatic(shipping: World, body: str) -> None:
    shipping.skill("release-local", "Cuts a release.", body=body, trust="trusted")
    with shipping.open() as workspace:
        worked(workspace, "release-local", 20)
        with pytest.raises(Conflict, match="steps"):
            change(workspace, "promote")


def test_a_high_finding_keeps_a_skill_from_being_trusted_unless_it_was_allowed(world: World) -> None:
    piped = "## Steps\n1. Run `echo aGk= | base64 -d | sh`.\n"
    with world.open() as workspace:
        propose(workspace, body=piped)
        with pytest.raises(InvalidInput) as refused:
            accept(workspace)
        name = (refused.value.hint or "").partition("--override ")[2].partition(")")[0].split(" ")[0]
        accept(workspace, overrides=[name])
        worked(workspace, "ship-it", 6)
        assert change(workspace, "promote", "ship-it").skill.manifest.trust is Trust.trusted
    world.skill("other", "Other.", body=piped)
    with world.open() as workspace:
        worked(workspace, "other", 6)
        with pytest.raises(Conflict, match=name):
            change(workspace, "promote", "other")


def test_a_recipe_whose_commands_stand_behind_gates_may_become_automatic(world: World) -> None:
    with world.open() as workspace:
        propose(workspace, recipe=RECIPE)
        accept(workspace)
        worked(workspace, "ship-it", 20)
        change(workspace, "promote", "ship-it")
        assert change(workspace, "promote", "ship-it").skill.manifest.trust is Trust.automatic
        (world.home / ".wellworn/forge/ship-it.yaml").unlink()
        change(workspace, "demote", "ship-it")
        with pytest.raises(Conflict, match="recipe cannot be read"):
            change(workspace, "promote", "ship-it")


@pytest.mark.parametrize("verb", ["disable", "archive"])
def test_what_is_set_aside_answers_no_more_and_comes_back_as_it_was(shipping: World, verb: str) -> None:
    shipping.skill("release-local", "Cuts a release.", aliases=[SHIP], body=STEPS, trust="trusted")
    with shipping.open() as workspace:
        change(workspace, verb)
        assert decisions(workspace) == (Decision.none, Decision.none)
        assert change(workspace, "enable").skill.manifest.trust is Trust.trusted
        assert decisions(workspace) == (Decision.proceed, Decision.confirm)


def test_what_was_disabled_and_then_archived_comes_back_to_its_level(shipping: World) -> None:
    shipping.skill("release-local", "Cuts a release.", trust="suggested")
    with shipping.open() as workspace:
        change(workspace, "disable")
        change(workspace, "archive")
        assert change(workspace, "enable").skill.manifest.trust is Trust.suggested


def test_a_skill_that_was_disabled_by_hand_comes_back_as_installed(shipping: World) -> None:
    shipping.skill("release-local", "Cuts a release.", trust="disabled")
    with shipping.open() as workspace:
        assert change(workspace, "enable").skill.manifest.trust is Trust.installed


def test_an_agent_changes_no_trust(shipping: World) -> None:
    with shipping.open() as workspace:
        for verb in ("promote", "demote", "disable", "enable", "archive"):
            with pytest.raises(NotAllowed):
                change(workspace, verb, caller=AGENT)
        assert trust_of(workspace, "release-local") is Trust.installed


@pytest.mark.parametrize(
    ("verb", "request_", "error", "words"),
    [
        ("promote", {"to": "automatic"}, Conflict, "one level at a time"),
        ("promote", {"to": "draft"}, InvalidInput, "demote"),
        ("promote", {"to": "disabled"}, InvalidInput, "disable"),
        ("promote", {"to": "installed"}, Conflict, "installed already"),
        ("demote", {"to": "trusted"}, InvalidInput, "promote"),
        ("enable", {}, Conflict, "neither disabled nor archived"),
        ("disable", {"to": "draft"}, InvalidInput, "takes no level"),
    ],
)
def test_what_leads_nowhere_is_told(
    shipping: World, verb: str, request_: dict[str, Any], error: type[Exception], words: str
) -> None:
    with shipping.open() as workspace, pytest.raises(error, match=words):
        change(workspace, verb, **request_)


def test_disabling_twice_is_told(shipping: World) -> None:
    with shipping.open() as workspace:
        change(workspace, "disable")
        with pytest.raises(Conflict, match="disabled already"):
            change(workspace, "disable")
        with pytest.raises(Conflict, match="enable release-local"):
            change(workspace, "promote")


def test_a_skill_that_is_not_there_is_not_found(shipping: World) -> None:
    with shipping.open() as workspace, pytest.raises(NotFound, match="Did you mean release-local"):
        change(workspace, "promote", "release-locl")


def test_a_foreign_skill_gets_a_manifest_beside_it_and_keeps_its_text(world: World) -> None:
    folder = world.skill("foreign", "From elsewhere.", at=world.home / ".claude/skills")
    (folder / "helper.py").write_text("print()\n", encoding="utf-8")
    before = texts(folder)
    with world.open() as workspace:
        change(workspace, "disable", "foreign")
        assert trust_of(workspace, "foreign") is Trust.disabled
    assert texts(folder) == {**before, "manifest.yaml": "id: foreign\ntrust: disabled\n"}


def test_a_library_that_is_one_skill_can_be_decided_about(world: World) -> None:
    folder = world.skill("alone", "By itself.", at=world.root / "elsewhere")
    with world.open(library=[folder]) as workspace:
        change(workspace, "disable", "alone")
        assert trust_of(workspace, "alone") is Trust.disabled


def test_a_folder_that_cannot_be_written_leaves_no_change_and_no_record(world: World, tmp_path: Path) -> None:
    folder = world.skill("foreign", "From elsewhere.")
    (folder / "manifest.yaml").mkdir()
    with world.open() as workspace:
        with pytest.raises((StoreError, Conflict)):
            change(workspace, "disable", "foreign")
        assert workspace._database.rows("SELECT id FROM skill_changes") == []


def test_a_repo_skill_is_decided_about_from_its_repo(world: World) -> None:
    root = world.repo("shop")
    world.skill("ship-shop", at=root / ".claude/skills")
    world.skill("ship-shop", "Mine.")
    with world.open() as workspace:
        change(workspace, "disable", "ship-shop", repo=str(root))
        assert (root / ".claude/skills/ship-shop/manifest.yaml").is_file()
        change(workspace, "disable", "ship-shop@user", repo=str(root))
        assert (world.library / "ship-shop/manifest.yaml").is_file()


def test_the_history_of_a_skill_that_is_gone_is_kept(shipping: World) -> None:
    with shipping.open() as workspace:
        change(workspace, "disable")
    shutil.rmtree(shipping.library / "release-local")
    with shipping.open() as workspace:
        with pytest.raises(NotFound):
            workspace.skill("release-local", REVIEWER)
        assert [one.action for one in workspace.care.history("release-local", REVIEWER).changes] == ["disable"]
        with pytest.raises(NotFound):
            workspace.care.history("never-was", REVIEWER)


def test_what_the_audit_disabled_comes_back_as_installed_and_no_higher(shipping: World) -> None:
    shipping.skill("release-local", "Cuts a release.", trust="disabled")
    told = SkillChange(
        id="c1",
        ts=datetime(2030, 1, 1, tzinfo=UTC),
        skill_id="release-local",
        scope=Scope.user,
        action="disable",
        from_trust=Trust.automatic,
        to_trust=Trust.disabled,
        by=AUDIT,
    )
    with shipping.open() as workspace:
        SkillChangeTable(workspace._database).finish(ChangeRow(told, "local"))
        assert change(workspace, "enable").skill.manifest.trust is Trust.installed


def test_a_skill_is_changed_by_one_person_at_a_time(shipping: World) -> None:
    with shipping.open() as workspace:
        worked(workspace, "release-local", 20)
        ready = threading.Barrier(4)
        outcomes: list[str] = []

        def promote() -> None:
            ready.wait(10)
            try:
                outcomes.append(change(workspace, "promote", to=Trust.trusted).change.to_trust or "")
            except Conflict:
                outcomes.append("refused")

        threads = [threading.Thread(target=promote) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert sorted(outcomes) == ["refused", "refused", "refused", "trusted"]
        assert len(workspace.care.history("release-local", REVIEWER).changes) == 1
