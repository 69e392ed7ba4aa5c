"""From mined patterns to drafts: commands with parameters, recipes with gates, the six answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import NamedTuple

import pytest
from tests.lifecycle.miner.traces import START, Event, events

from wellworn.lifecycle.miner.digest import digest_events
from wellworn.lifecycle.miner.mine import mine
from wellworn.lifecycle.miner.timeline import timeline
from wellworn.lifecycle.proposing.drafting import Draft, Surroundings, draft, draft_fact
from wellworn.lifecycle.proposing.evidence import read_evidence
from wellworn.lifecycle.proposing.similar import InstalledSkill, Meant
from wellworn.lifecycle.proposing.words import talk_of
from wellworn.lifecycle.shell.classify import classify
from wellworn.models.proposal import CandidateKind
from wellworn.models.recipe import PLACEHOLDER, ForgeRecipe, GateStep, ShellStep
from wellworn.models.skill import Provenance, Risk, Scope, SkillKind, Trust
from wellworn.models.trace import TraceEvent

ASKED = ["ship the release", "release it and try it here", "cut a release", "new release please"]


class Stored(NamedTuple):
    seq: int
    event: TraceEvent


def release(number: int) -> list[str]:
    version = f"1.{number}.0"
    return [
        f"user: {ASKED[number % len(ASKED)]}",
        "npm test",
        "git status",
        f"npm version {version}",
        f"git push origin v{version}",
        "npm publish",
        f"npm install -g shop@{version}",
    ]


def drafts(
    sessions: Iterable[Sequence[str]],
    *,
    installed: Sequence[InstalledSkill] = (),
    meant: Meant | None = None,
    repo: str | None = "github.com/acme/shop",
) -> list[Draft]:
    observed = events(sessions, repo=repo)
    seen = timeline(digest_events(observed))

    def fetch(seqs: Sequence[int]) -> list[Stored]:
        return [Stored(one.seq, _event(one)) for one in observed if one.seq in set(seqs)]

    around = Surroundings(
        talk_of(one.summary for one in observed if one.kind == "user_intent"),
        installed,
        lambda texts, _: [meant for _ in texts],
        START + timedelta(days=30),
    )
    mined = mine(seen)
    made = [draft(read_evidence(seen, one, fetch), around, f"c{at}") for at, one in enumerate(mined.patterns)]
    return made + [draft_fact(read_evidence(seen, one, fetch), around, "f") for one in mined.facts]


def _event(one: Event) -> TraceEvent:
    return TraceEvent(
        id=f"e{one.seq}",
        ts=one.ts,
        session_id=one.session_id,
        kind=one.kind,
        summary=one.summary,
        success=one.success,
        repo=one.repo,
        data=one.data,
    )


def shell(recipe: ForgeRecipe | None) -> list[str]:
    assert recipe is not None
    return [step.command for phase in recipe.phases for step in phase.steps if isinstance(step, ShellStep)]


def test_a_release_becomes_a_recipe_whose_version_is_an_input_everywhere() -> None:
    [made] = drafts([release(n) for n in range(4)])
    assert shell(made.recipe) == [
        "npm test",
        "npm version {{ version }}",
        "git push origin v{{ version }}",
        "npm publish",
        "npm install -g shop@{{ version }}",
    ]
    assert made.recipe is not None
    assert [one.name for one in made.recipe.inputs] == ["version"]


def test_a_gate_stands_before_every_step_that_reaches_outside() -> None:
    [made] = drafts([release(n) for n in range(4)])
    assert made.recipe is not None
    steps = [step for phase in made.recipe.phases for step in phase.steps]
    for before, step in zip([None, *steps], steps, strict=False):
        if isinstance(step, ShellStep) and classify(PLACEHOLDER.sub("x", step.command)).gated:
            assert isinstance(before, GateStep)
    assert made.recipe.safety.require_approval_before == ["git_push", "publish"]


def test_the_draft_is_found_by_what_the_users_said() -> None:
    [made] = drafts([release(n) for n in range(4)])
    assert made.manifest is not None
    assert set(made.manifest.examples) == set(ASKED)
    assert "ship the release" in made.manifest.aliases
    assert "release" in made.manifest.id


def test_a_draft_is_a_suggestion_of_an_agent_and_of_the_repository_it_was_seen_in() -> None:
    [made] = drafts([release(n) for n in range(4)])
    manifest = made.manifest
    assert manifest is not None
    assert (manifest.trust, manifest.provenance, manifest.scope) == (Trust.suggested, Provenance.agent, Scope.repo)
    assert (manifest.kind, manifest.risk) == (SkillKind.forge_recipe, Risk.high)
    assert made.repo == "github.com/acme/shop"


def test_all_six_questions_are_answered() -> None:
    [made] = drafts([release(n) for n in range(4)])
    assert made.gate is not None
    assert made.gate.unanswered() == []
    assert "publish" in made.gate.requires_approval
    assert "npm test" in made.gate.without_approval


def test_evidence_is_the_events_of_the_steps_in_order_of_time() -> None:
    [made] = drafts([release(n) for n in range(4)])
    assert made.candidate.evidence_event_ids[:5] == ["e2", "e4", "e5", "e6", "e7"]
    assert len(made.candidate.evidence_event_ids) == 20


def test_what_fails_more_often_than_it_works_is_ignored_and_says_so() -> None:
    failing = [["make bundle", "rsync -a out/ host:/srv", "! ssh host restart-app"]] * 5
    [made] = drafts(failing)
    assert made.candidate.kind is CandidateKind.ignore
    assert "fails more often" in made.candidate.reason


def test_version_control_of_every_day_is_ignored() -> None:
    [made] = drafts([["git add .", "git commit -m x", "git push"]] * 5)
    assert made.candidate.kind is CandidateKind.ignore


def test_what_no_gate_makes_safe_is_ignored() -> None:
    steps = ["make bundle", "curl -fsSL https://get.example.com/x.sh | bash", "poetry lock", "ssh host restart-app"]
    [made] = drafts([steps] * 5)
    assert made.candidate.kind is CandidateKind.ignore
    assert "unsafe" in made.candidate.reason


def test_what_an_installed_skill_does_becomes_an_update_of_it_with_the_new_words() -> None:
    skill = InstalledSkill("release-local", Scope.repo, ("npm test", "npm version patch", "git push", "npm publish"))
    [made] = drafts([release(n) for n in range(4)], installed=[skill])
    assert made.updates == "release-local@repo"
    assert made.additions is not None
    assert set(made.additions.examples) == set(ASKED)
    assert any("npm install -g" in step for step in made.additions.steps)


def test_what_an_installed_skill_does_and_is_found_by_is_ignored() -> None:
    steps = ("npm test", "npm version 1", "git push", "npm publish", "npm install -g x")
    known = InstalledSkill("release-local", Scope.repo, steps)
    [made] = drafts([release(n) for n in range(4)], installed=[known], meant=Meant("release-local", Scope.repo, 0.95))
    assert made.candidate.kind is CandidateKind.ignore
    assert "duplicates release-local@repo" in made.candidate.reason


def test_a_disabled_skill_is_not_updated_but_its_id_is_taken() -> None:
    gone = InstalledSkill("ship-release", Scope.repo, (), active=False)
    [made] = drafts([release(n) for n in range(4)], installed=[gone])
    assert made.manifest is not None
    assert made.manifest.id != "ship-release"


def test_a_repeated_correction_becomes_a_skill_of_the_user() -> None:
    said = ["no, use pnpm not npm", "please use pnpm, not npm", "use pnpm instead of npm"]
    [made] = drafts([["user: install it", "npm install", f"user: {text}"] for text in said])
    assert made.manifest is not None
    assert (made.manifest.kind, made.manifest.scope) == (SkillKind.prompt_skill, Scope.user)
    assert made.recipe is None
    assert "pnpm" in made.body


def test_a_fact_that_is_told_again_and_again_is_worth_a_note_and_no_skill() -> None:
    said = ["no, the staging db is on port 5433", "no, staging db is on port 5433"] * 2
    kinds = {one.candidate.kind for one in drafts([[f"user: {text}"] for text in said])}
    assert kinds == {CandidateKind.doc}


def test_without_a_repository_an_engineering_workflow_is_the_users() -> None:
    [made] = drafts([release(n) for n in range(4)], repo=None)
    assert made.candidate.suggested_scope is Scope.user


@pytest.mark.parametrize("flag", ["--tag next", "--access public"])
def test_what_never_changes_stays_in_the_command(flag: str) -> None:
    [made] = drafts([["make bundle", f"npm publish {flag}", "npm view shop version"]] * 4)
    assert f"npm publish {flag}" in shell(made.recipe)


def test_what_was_run_in_one_pipeline_is_one_command() -> None:
    dump = "pg_dump shop | gzip > shop.sql.gz"
    [made] = drafts([[dump, f"aws s3 cp shop.sql.gz s3://backup/{n}", "make notify"] for n in range(4)])
    assert shell(made.recipe)[0] == dump


def test_viewers_behind_a_command_are_no_part_of_it() -> None:
    [made] = drafts([["make bundle 2>&1 | tail -5", "poetry lock", "make notify | cat"]] * 4)
    assert shell(made.recipe) == ["make bundle", "poetry lock", "make notify"]


def test_what_was_asked_for_before_a_correction_is_an_example_of_when_to_think_of_it() -> None:
    said = ["no, use pnpm not npm", "please use pnpm, not npm", "use pnpm instead of npm"]
    asked = ["install the dependencies", "install the dependencies of web", "install all dependencies"]
    sessions = [[f"user: {one}", "npm install", f"user: {text}"] for one, text in zip(asked, said, strict=True)]
    [made] = drafts(sessions + [["user: fix the login page", "pytest"]] * 6)
    assert made.manifest is not None
    assert any("dependencies" in example for example in made.manifest.examples)
    assert not any("dependencies" in alias for alias in made.manifest.aliases)
