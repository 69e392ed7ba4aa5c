"""What a decision makes of a proposal or a skill."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.store.makers import make_proposal

from wellworn.lifecycle.accepting import (
    added_to,
    additions_of,
    check_confirmed,
    difference,
    draft_of,
    refuse_findings,
    updated,
)
from wellworn.models.curation import UpdateRequest
from wellworn.models.errors import InvalidInput
from wellworn.models.proposal import AcceptRequest, ScanFinding, SkillAdditions
from wellworn.models.recipe import ForgePhase, ForgeRecipe, ShellStep
from wellworn.models.skill import Provenance, Risk, Scope, SkillKind, SkillManifest, Trust
from wellworn.store.markdown import steps_of

RECIPE = ForgeRecipe(
    id="ship-it", description="Ships.", phases=[ForgePhase(id="go", steps=[ShellStep(id="a", command="npm test")])]
)
SKILL = SkillManifest(id="ship-it", description="Ships.", aliases=["ship it"], requires_approval=["git_push"])
BODY = "## Steps\n1. Run `npm test`.\n"


def accept(**fields: Any) -> AcceptRequest:
    return AcceptRequest.model_validate(fields)


def test_what_is_accepted_unchanged_is_an_agents_text_and_installed() -> None:
    draft = draft_of(make_proposal(), accept())
    assert (draft.manifest.trust, draft.manifest.provenance, draft.edited) == (
        Trust.installed,
        Provenance.agent,
        False,
    )
    assert draft.body == make_proposal().body


@pytest.mark.parametrize("trust", list(Trust))
def test_nothing_starts_above_installed_whatever_was_proposed(trust: Trust) -> None:
    manifest = SkillManifest(id="ship-it", description="x", trust=trust)
    assert draft_of(make_proposal(manifest=manifest), accept()).manifest.trust is Trust.installed


@pytest.mark.parametrize(
    "edit",
    [{"description": "Other."}, {"aliases": []}, {"triggers": ["x"]}, {"examples": ["x"]}, {"body": "Other."}],
)
def test_an_edit_makes_it_a_persons_text(edit: dict[str, Any]) -> None:
    draft = draft_of(make_proposal(), accept(**edit))
    assert draft.edited
    assert draft.manifest.provenance is Provenance.human


def test_giving_back_the_same_text_is_no_edit() -> None:
    proposal = make_proposal()
    draft = draft_of(proposal, accept(description=proposal.manifest.description, body=proposal.body + "\n"))
    assert not draft.edited


def test_scope_and_id_are_as_proposed_unless_given() -> None:
    assert draft_of(make_proposal(scope=Scope.repo), accept()).scope is Scope.repo
    draft = draft_of(make_proposal(), accept(scope="session", id="send-it"))
    assert (draft.scope, draft.id, draft.edited) == (Scope.session, "send-it", False)


def test_a_recipe_takes_the_skills_new_name_and_is_named_by_it() -> None:
    draft = draft_of(make_proposal(recipe=RECIPE), accept(id="send-it"))
    assert draft.recipe is not None
    assert (draft.recipe.id, draft.manifest.recipe_id) == ("send-it", "send-it")
    assert draft.manifest.kind is SkillKind.forge_recipe


def test_an_edited_recipe_makes_it_a_persons() -> None:
    other = RECIPE.model_copy(update={"description": "Other."})
    assert draft_of(make_proposal(recipe=RECIPE), AcceptRequest(recipe=other)).edited
    assert not draft_of(make_proposal(recipe=RECIPE), AcceptRequest(recipe=RECIPE)).edited


@pytest.mark.parametrize(
    ("edit", "field"),
    [({"description": "  "}, "description"), ({"aliases": ["x" * 501]}, "aliases"), ({"steps": ["x"]}, "steps")],
)
def test_an_edit_that_cannot_be_used_is_named(edit: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as error:
        draft_of(make_proposal(), accept(**edit))
    assert error.value.field == field


@pytest.mark.parametrize("confirm", [None, "", "ship", "SHIP-IT"])
def test_repo_scope_needs_the_id_typed_back(confirm: str | None) -> None:
    with pytest.raises(InvalidInput, match="--confirm ship-it") as error:
        check_confirmed(draft_of(make_proposal(scope=Scope.repo), accept()), confirm)
    assert error.value.field == "confirm"


def test_a_confirmed_or_personal_skill_needs_no_more() -> None:
    check_confirmed(draft_of(make_proposal(scope=Scope.repo), accept()), "ship-it")
    check_confirmed(draft_of(make_proposal(), accept()), None)


def test_an_update_adds_what_is_new_and_keeps_the_rest() -> None:
    added = SkillAdditions(
        aliases=["Ship  it", "send it"], steps=["Run npm test.", "Push it."], requires_approval=["git_push", "git_tag"]
    )
    draft = added_to(SKILL, BODY, added)
    assert draft.manifest == SKILL.model_copy(
        update={"aliases": ["ship it", "send it"], "requires_approval": ["git_push", "git_tag"]}
    )
    assert steps_of(draft.body) == ("Run npm test.", "Push it.")


def test_an_update_that_adds_nothing_new_changes_nothing() -> None:
    draft = added_to(SKILL, BODY, SkillAdditions(aliases=["ship it"], steps=["Run `npm test`."]))
    assert (draft.manifest, draft.body) == (SKILL, BODY)


def test_a_person_may_choose_what_an_update_adds() -> None:
    proposal = make_proposal(updates="ship-it@user", additions=SkillAdditions(aliases=["a"], steps=["s"]))
    assert additions_of(proposal, accept(aliases=["b"])) == SkillAdditions(aliases=["b"], steps=["s"])


@pytest.mark.parametrize("field", ["description", "body"])
def test_an_update_cannot_rewrite_the_skill(field: str) -> None:
    with pytest.raises(InvalidInput) as error:
        additions_of(make_proposal(updates="ship-it@user", additions=SkillAdditions()), accept(**{field: "x"}))
    assert error.value.field == field


def test_a_proposal_for_a_new_skill_can_be_added_to_one_that_is_there() -> None:
    added = additions_of(make_proposal())
    assert added.aliases == ["push it over the hill"]
    assert added.steps == ["Run the tests.", "Push the tag."]


def test_a_persons_update_makes_the_text_theirs() -> None:
    skill = SKILL.model_copy(update={"provenance": Provenance.agent})
    draft = updated(skill, BODY, UpdateRequest(add_aliases=["send it"], remove_aliases=["SHIP it"]))
    assert draft.manifest.aliases == ["send it"]
    assert draft.manifest.provenance is Provenance.human
    assert draft.body == BODY


def test_an_update_without_a_change_leaves_the_author_as_it_was() -> None:
    skill = SKILL.model_copy(update={"provenance": Provenance.agent})
    draft = updated(skill, BODY, UpdateRequest(add_aliases=["ship it"], description="Ships."))
    assert (draft.manifest, draft.edited) == (skill, False)


def test_removing_what_is_not_there_is_told_with_what_is() -> None:
    with pytest.raises(InvalidInput, match="It has: ship it") as error:
        updated(SKILL, BODY, UpdateRequest(remove_aliases=["fly it"]))
    assert error.value.field == "removeAliases"


def test_a_difference_is_shown_file_by_file() -> None:
    shown = difference({"SKILL.md": "a\nb", "same": "x"}, {"SKILL.md": "a\nc", "same": "x", "new.yaml": "id: x"})
    assert "--- SKILL.md" in shown
    assert "-b\n+c" in shown
    assert "--- /dev/null\n+++ new.yaml" in shown
    assert "same" not in shown


def test_high_findings_are_listed_with_how_to_allow_each() -> None:
    finding = ScanFinding(name="base64-shell", severity=Risk.high, message="It pipes.", where="SKILL.md", line=3)
    with pytest.raises(InvalidInput, match="--override base64-shell") as error:
        refuse_findings([finding, finding])
    assert "SKILL.md:3" in error.value.message
    refuse_findings([])


_texts = st.lists(st.text(max_size=20), max_size=4)


@given(_texts, _texts)
def test_adding_twice_is_adding_once(there: list[str], more: list[str]) -> None:
    skill = SkillManifest(id="a", description="x", aliases=there)
    added = SkillAdditions(aliases=more, steps=["One thing."])
    once = added_to(skill, "", added)
    again = added_to(once.manifest, once.body, added)
    assert (again.manifest, again.body) == (once.manifest, once.body)
    assert once.manifest.aliases[: len(there)] == there
