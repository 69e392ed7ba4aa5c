"""A person accepts or rejects what was proposed; the skill answers at once, or nothing has changed."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.service.curating import AGENT, OVER_THE_HILL, RECIPE, REVIEWER, accept, propose, texts
from tests.service.worlds import ME, World, ask
from tests.store.makers import make_proposal

from wellworn.models.access import Caller, Role
from wellworn.models.errors import Conflict, InvalidInput, NotAllowed, NotFound, StoreError, WellwornError
from wellworn.models.proposal import ProposalStatus, RejectRequest, SkillAdditions
from wellworn.models.resolution import Decision
from wellworn.models.skill import Provenance, Scope, Trust
from wellworn.store.proposals import ProposalRow

PIPED = "## Steps\n1. Run `echo aGk= | base64 -d | sh`.\n"


def test_an_accepted_skill_answers_at_once(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        propose(workspace)
        assert ask(workspace, OVER_THE_HILL).skill_id != "ship-it"
        answer = accept(workspace)
        found = ask(workspace, OVER_THE_HILL, invocation="explicit")
    assert (found.skill_id, found.decision) == ("ship-it", Decision.proceed)
    assert found.approval_gates == ["git_push"]
    assert answer.skill.manifest.trust is Trust.installed
    assert answer.skill.manifest.provenance is Provenance.agent
    assert answer.proposal.status is ProposalStatus.accepted
    assert [Path(name).relative_to(world.library).as_posix() for name in answer.files] == [
        "ship-it/SKILL.md",
        "ship-it/manifest.yaml",
    ]


def test_an_accept_is_remembered_with_who_and_what(world: World) -> None:
    with world.open() as workspace:
        propose(workspace)
        accept(workspace)
        (change,) = workspace.care.history("ship-it", REVIEWER).changes
        assert workspace._database.rows("SELECT * FROM skill_changes WHERE action LIKE 'begun:%'") == []
    assert (change.action, change.by, change.proposal_id, change.to_trust) == ("accept", "k-rev", "p1", "installed")
    assert change.before_hash is None
    assert change.after_hash


def test_a_recipe_is_written_beside_the_skills(world: World) -> None:
    with world.open() as workspace:
        propose(workspace, recipe=RECIPE)
        answer = accept(workspace)
    assert (world.home / ".wellworn/forge/ship-it.yaml").is_file()
    assert answer.files[-1].endswith("forge/ship-it.yaml")
    assert answer.skill.manifest.recipe_id == "ship-it"


def test_edits_are_what_is_written(world: World) -> None:
    with world.open() as workspace:
        propose(workspace)
        answer = accept(workspace, id="send-it", aliases=["send it on its way"], body="## Steps\n1. Look.\n")
        assert ask(workspace, "send it on its way").skill_id == "send-it"
    assert answer.skill.manifest.provenance is Provenance.human
    assert answer.skill.steps == ["Look."]


def test_a_repo_skill_is_written_into_the_repo_and_vouched_for(world: World) -> None:
    root = world.repo("shop", "git@github.com:acme/shop.git")
    with world.open() as workspace:
        propose(workspace, scope=Scope.repo)
        answer = accept(workspace, repo=str(root), confirm="ship-it")
        found = ask(workspace, OVER_THE_HILL, context={"cwd": str(root)}, invocation="explicit")
        assert ask(workspace, OVER_THE_HILL).skill_id is None
    assert (root / ".wellworn/skills/ship-it/SKILL.md").is_file()
    assert (found.decision, found.scope) == (Decision.proceed, Scope.repo)
    assert answer.notes == []


def test_a_repo_that_the_evidence_names_needs_no_naming(world: World) -> None:
    root = world.repo("shop", "git@github.com:acme/shop.git")
    with world.open() as workspace:
        workspace.add_source(root, repo=True)
        propose(workspace, scope=Scope.repo, repo="github.com/acme/shop")
        accept(workspace, confirm="ship-it")
    assert (root / ".wellworn/skills/ship-it/SKILL.md").is_file()


def test_accepting_into_a_repo_does_not_vouch_for_what_others_put_there(world: World) -> None:
    root = world.repo("shop")
    world.skill("strange", aliases=["do strange things"], at=root / ".wellworn/skills")
    with world.open() as workspace:
        propose(workspace, scope=Scope.repo)
        answer = accept(workspace, repo=str(root), confirm="ship-it")
        strange = ask(workspace, "do strange things", context={"cwd": str(root)}, invocation="explicit")
    assert strange.decision is Decision.confirm
    assert "vouch" in answer.notes[0]


@pytest.mark.parametrize(
    ("request_", "error", "field", "words"),
    [
        ({"scope": "repo"}, InvalidInput, "repo", "--repo FOLDER"),
        ({"scope": "repo", "repo": "github.com/no/where"}, NotFound, "repo", "sources add --repo"),
        ({"scope": "repo", "repo": "SHOP"}, InvalidInput, "confirm", "--confirm ship-it"),
        ({"scope": "repo", "repo": "SHOP", "confirm": "ship"}, InvalidInput, "confirm", "'ship'"),
        ({"scope": "session"}, InvalidInput, "sessionId", "--session ID"),
        ({"body": PIPED}, InvalidInput, "overrides", "--override"),
        ({"description": " "}, InvalidInput, "description", "description"),
        ({"body": "zero\u0000byte"}, InvalidInput, "body", "cannot be written"),
    ],
)
def test_what_cannot_be_accepted_changes_nothing_and_a_retry_works(
    world: World, request_: dict[str, Any], error: type[WellwornError], field: str, words: str
) -> None:
    root = world.repo("shop")
    given: dict[str, Any] = {name: str(root) if value == "SHOP" else value for name, value in request_.items()}
    with world.open() as workspace:
        propose(workspace)
        with pytest.raises(error) as refused:
            accept(workspace, **given)
        assert refused.value.field == field
        assert words in str(refused.value)
        assert not (world.home / ".wellworn").exists()
        assert not (root / ".wellworn").exists()
        assert workspace.curation.proposal("p1", REVIEWER).status is ProposalStatus.suggested
        assert workspace._database.rows("SELECT id FROM skill_changes") == []
        assert accept(workspace).skill.id == "ship-it"


def test_a_finding_is_allowed_by_name_and_that_is_remembered(world: World) -> None:
    with world.open() as workspace:
        propose(workspace, body=PIPED)
        with pytest.raises(InvalidInput) as refused:
            accept(workspace)
        name = re.findall(r"--override ([\w-]+)", str(refused.value))[0]
        answer = accept(workspace, overrides=[name])
        (change,) = workspace.care.history("ship-it", REVIEWER).changes
    assert [one.name for one in answer.findings]
    assert change.evidence == f"allowed: {name}"


def test_an_agent_can_neither_accept_nor_reject(world: World) -> None:
    with world.open() as workspace:
        propose(workspace)
        with pytest.raises(NotAllowed):
            accept(workspace, caller=AGENT)
        with pytest.raises(NotAllowed):
            workspace.curation.reject("p1", RejectRequest(), AGENT)
        assert workspace.curation.proposal("p1", AGENT).status is ProposalStatus.suggested


def test_a_proposal_is_decided_once(world: World) -> None:
    with world.open() as workspace:
        propose(workspace)
        workspace.curation.reject("p1", RejectRequest(reason="too rare"), REVIEWER)
        with pytest.raises(Conflict, match=r"already rejected on .* by k-rev"):
            accept(workspace)
        with pytest.raises(Conflict, match="already rejected"):
            workspace.curation.reject("p1", RejectRequest(), REVIEWER)
        assert workspace.curation.proposal("p1", REVIEWER).decision_reason == "too rare"


def test_a_proposal_that_leaves_questions_open_cannot_be_accepted(world: World) -> None:
    with world.open() as workspace:
        proposal = make_proposal()
        gate = proposal.gate.model_copy(update={"friction": " "})
        propose(workspace)
        workspace.curation.table.put(ProposalRow("local", proposal.model_copy(update={"gate": gate}), "x", 1))
        with pytest.raises(Conflict, match="What friction"):
            accept(workspace)


def test_an_id_that_is_taken_is_pointed_at_update(world: World) -> None:
    world.skill("ship-it", "Mine.")
    before = texts(world.library)
    with world.open() as workspace:
        propose(workspace)
        with pytest.raises(Conflict, match="skills update ship-it --from p1") as refused:
            accept(workspace)
        assert "--id NAME" in str(refused.value)
        assert texts(world.library) == before
        assert accept(workspace, id="ship-it-too").skill.id == "ship-it-too"


def test_an_id_that_is_archived_is_pointed_at_enable(world: World) -> None:
    world.skill("ship-it", "Mine.", trust="archived")
    with world.open() as workspace:
        propose(workspace)
        with pytest.raises(Conflict, match="skills enable ship-it"):
            accept(workspace)


def test_an_id_in_a_foreign_folder_of_the_same_scope_is_taken_as_well(world: World) -> None:
    world.skill("ship-it", "Mine.", at=world.home / ".claude/skills")
    with world.open() as workspace:
        propose(workspace)
        with pytest.raises(Conflict, match="in user scope already"):
            accept(workspace)


def test_a_folder_that_holds_no_skill_is_not_written_into(world: World) -> None:
    (world.library / "ship-it").mkdir(parents=True)
    (world.library / "ship-it" / "notes.txt").write_text("mine", encoding="utf-8")
    with world.open() as workspace:
        propose(workspace)
        with pytest.raises(Conflict, match="is there already"):
            accept(workspace)
    assert texts(world.library) == {"ship-it/notes.txt": "mine"}


def test_a_recipe_that_is_somebodys_is_not_overwritten(world: World) -> None:
    forge = world.home / ".wellworn/forge"
    forge.mkdir(parents=True)
    (forge / "ship-it.yaml").write_text("mine: true\n", encoding="utf-8")
    with world.open() as workspace:
        propose(workspace, recipe=RECIPE)
        with pytest.raises(Conflict, match="recipe"):
            accept(workspace)
    assert texts(world.home / ".wellworn") == {"forge/ship-it.yaml": "mine: true\n"}


def test_the_same_id_in_another_scope_is_told(world: World) -> None:
    world.skill("ship-it", "Mine.")
    with world.open() as workspace:
        propose(workspace, session_id="s1")
        answer = accept(workspace, scope="session")
    assert "user scope as well" in answer.notes[0]
    assert "ship-it@user" in answer.notes[0]


def test_a_link_in_the_library_leads_nobody_outside(world: World) -> None:
    world.library.mkdir(parents=True)
    outside = world.root / "outside"
    outside.mkdir()
    (world.library / "ship-it").symlink_to(outside)
    with world.open() as workspace:
        propose(workspace)
        with pytest.raises(InvalidInput, match="outside"):
            accept(workspace)
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("folder", [".wellworn", ".wellworn/skills", ".wellworn/forge"])
def test_a_link_that_came_with_a_repo_leads_nothing_out_of_it(world: World, folder: str) -> None:
    root = world.repo("shop")
    outside = world.root / "outside"
    outside.mkdir()
    (root / folder).parent.mkdir(exist_ok=True)
    (root / folder).symlink_to(outside)
    with world.open() as workspace:
        propose(workspace, scope=Scope.repo, recipe=RECIPE)
        with pytest.raises(InvalidInput, match="outside"):
            accept(workspace, repo=str(root), confirm="ship-it")
    assert list(outside.iterdir()) == []


def test_a_folder_that_cannot_be_written_changes_nothing(world: World) -> None:
    (world.home / ".wellworn").mkdir(parents=True)
    (world.home / ".wellworn/skills").write_text("a file in the way", encoding="utf-8")
    with world.open() as workspace:
        propose(workspace, recipe=RECIPE)
        with pytest.raises(StoreError):
            accept(workspace)
        assert not (world.home / ".wellworn/forge/ship-it.yaml").exists()
        assert workspace.curation.proposal("p1", REVIEWER).status is ProposalStatus.suggested
        assert workspace._database.rows("SELECT id FROM skill_changes") == []
        (world.home / ".wellworn/skills").unlink()
        assert accept(workspace).skill.id == "ship-it"


def test_a_repo_is_not_vouched_for_by_an_accept_that_failed(world: World) -> None:
    root = world.repo("shop")
    (root / ".wellworn").write_text("a file in the way", encoding="utf-8")
    with world.open() as workspace:
        propose(workspace, scope=Scope.repo)
        with pytest.raises(StoreError):
            accept(workspace, repo=str(root), confirm="ship-it")
        rows = workspace._database.rows("SELECT vouched FROM sources WHERE scope = 'repo'")
    assert set(rows) == {(0,)}


def test_a_session_is_not_begun_by_an_accept_that_failed(world: World) -> None:
    with world.open() as workspace:
        propose(workspace)
        (world.data / "sessions").write_text("a file in the way", encoding="utf-8")
        with pytest.raises(StoreError):
            accept(workspace, scope="session", session_id="s1")
        assert workspace._database.rows("SELECT id FROM sources WHERE scope = 'session'") == []


def test_of_two_people_who_accept_at_once_one_wins(world: World) -> None:
    with world.open() as workspace:
        propose(workspace)
        ready = threading.Barrier(6)
        outcomes: list[str] = []

        def decide(number: int) -> None:
            ready.wait(10)
            try:
                outcomes.append(accept(workspace, id=f"ship-{number % 2}").skill.id)
            except Conflict:
                outcomes.append("refused")

        threads = [threading.Thread(target=decide, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert sorted(outcomes)[:5] == ["refused"] * 5
        assert len(list(world.library.iterdir())) == 1
        assert workspace.skills(ME).total == 1


def test_an_update_adds_to_the_skill_and_keeps_the_rest(world: World) -> None:
    folder = world.skill("ship-it", "Mine.", aliases=["ship it"], body="# Mine\n\n## Steps\n1. Look.\n\n## Notes\nx\n")
    (folder / "manifest.yaml").write_text("# my words\nid: ship-it\naliases: [ship it]\nowner: me\n", encoding="utf-8")
    added = SkillAdditions(aliases=[OVER_THE_HILL], steps=["Tell them."], requires_approval=["git_push"])
    with world.open() as workspace:
        propose(workspace, updates="ship-it@user", additions=added)
        accept(workspace)
        found = ask(workspace, OVER_THE_HILL)
        (change,) = workspace.care.history("ship-it", REVIEWER).changes
    assert (found.skill_id, found.approval_gates) == ("ship-it", ["git_push"])
    written = texts(folder)
    assert "1. Look.\n2. Tell them.\n\n## Notes\nx" in written["SKILL.md"]
    assert written["manifest.yaml"].startswith("# my words\nid: ship-it\n")
    assert "owner: me" in written["manifest.yaml"]
    assert change.before_hash != change.after_hash
    assert (change.action, change.proposal_id) == ("update", "p1")


def test_an_update_of_a_skill_that_is_gone_is_refused(world: World) -> None:
    with world.open() as workspace:
        propose(workspace, updates="ship-it@user", additions=SkillAdditions(aliases=["x"]))
        with pytest.raises(Conflict, match="not there any more"):
            accept(workspace)


def test_an_update_of_an_archived_skill_is_refused(world: World) -> None:
    world.skill("ship-it", "Mine.", trust="archived")
    with world.open() as workspace:
        propose(workspace, updates="ship-it@user", additions=SkillAdditions(aliases=["x"]))
        with pytest.raises(Conflict, match="archived"):
            accept(workspace)


def test_an_update_cannot_be_given_another_name_or_scope(world: World) -> None:
    world.skill("ship-it", "Mine.")
    with world.open() as workspace:
        propose(workspace, updates="ship-it@user", additions=SkillAdditions(aliases=["x"]))
        requests: list[dict[str, Any]] = [{"id": "other"}, {"scope": "session"}]
        for request in requests:
            with pytest.raises(InvalidInput) as refused:
                accept(workspace, **request)
            assert refused.value.field == next(iter(request))


def test_others_see_and_decide_none_of_my_proposals(world: World) -> None:
    eve = Caller(role=Role.reviewer, user="eve", key_id="k2")
    limited = Caller(role=Role.reviewer, user="local", key_id="k3", repos=("github.com/acme/other",))
    with world.open() as workspace:
        propose(workspace, repo="github.com/acme/shop")
        for caller in (eve, limited):
            assert workspace.curation.proposals(caller).total == 0
            with pytest.raises(NotFound) as hidden:
                accept(workspace, caller=caller)
            with pytest.raises(NotFound) as absent:
                accept(workspace, "p2", caller=caller)
            assert str(hidden.value).replace("p1", "X") == str(absent.value).replace("p2", "X")
        assert workspace.curation.proposals(ME).total == 1


def test_another_users_skill_goes_to_that_user(world: World) -> None:
    ann = Caller(role=Role.reviewer, user="ann", key_id="k4")
    with world.open() as workspace:
        propose(workspace, user="ann")
        accept(workspace, caller=ann)
        assert ask(workspace, OVER_THE_HILL, caller=ann).skill_id == "ship-it"
        assert ask(workspace, OVER_THE_HILL, caller=ME).skill_id is None
    assert not (world.home / ".wellworn").exists()
    with world.open() as workspace:
        assert ask(workspace, OVER_THE_HILL, caller=ann).skill_id == "ship-it"


def test_proposals_are_narrowed_to_a_repo_that_need_not_be_known_here(world: World) -> None:
    with world.open() as workspace:
        propose(workspace, "p1", repo="github.com/acme/shop")
        propose(workspace, "p2")
        for name in ("github.com/acme/shop", "git@github.com:acme/shop.git"):
            page = workspace.curation.proposals(REVIEWER, repo=name)
            assert [one.id for one in page.proposals] == ["p1"]
        assert workspace.curation.proposals(REVIEWER, repo="no/where").total == 0


def test_pages_of_proposals_lead_on(world: World) -> None:
    with world.open() as workspace:
        for number in range(3):
            propose(workspace, f"p{number}")
        page = workspace.curation.proposals(REVIEWER, limit=2)
        assert (len(page.proposals), page.total, page.next_offset) == (2, 3, 2)
        assert workspace.curation.proposals(REVIEWER, offset=2, limit=2).next_offset is None
        assert workspace.curation.proposals(REVIEWER, status=ProposalStatus.rejected).total == 0


_words = st.text(max_size=30)
_edits = st.fixed_dictionaries(
    {},
    optional={
        "description": _words,
        "aliases": st.lists(_words, max_size=3),
        "triggers": st.lists(_words, max_size=3),
        "examples": st.lists(_words, max_size=3),
        "body": st.text(max_size=80) | st.just("---\nrisk: low\n---\n\n## Steps\n1. Look.\n"),
    },
)


@settings(max_examples=25, deadline=None)
@given(edits=_edits)
def test_any_edit_is_refused_or_read_back_as_it_was_given(edits: dict[str, Any]) -> None:
    with TemporaryDirectory() as folder:
        world = World(Path(folder))
        with world.open() as workspace:
            propose(workspace)
            try:
                skill = accept(workspace, **edits).skill
            except InvalidInput:
                assert not (world.home / ".wellworn").exists()
                return
            read = workspace.skill("ship-it", REVIEWER)
        assert skill.invocable
        for field in ("aliases", "triggers", "examples"):
            if field in edits:
                given_ = [" ".join(one.split()) for one in edits[field]]
                assert getattr(skill.manifest, field) == [one for one in dict.fromkeys(given_) if one]
        if "body" in edits:
            assert (read.body or "").split() == edits["body"].split()


def test_a_file_in_the_place_of_the_recipes_folder_is_told_and_nothing_is_left(world: World) -> None:
    (world.home / ".wellworn").mkdir(parents=True)
    (world.home / ".wellworn" / "forge").write_text("a file")
    with world.open() as workspace:
        propose(workspace, recipe=RECIPE)
        with pytest.raises(StoreError, match="cannot be written"):
            accept(workspace)
        assert not (world.library / "ship-it").exists()
        assert workspace.curation.proposal("p1", REVIEWER).status is ProposalStatus.suggested
