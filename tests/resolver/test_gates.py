"""What may be done without asking, and what must be approved first."""

import pytest
from tests.builders import make_card

from wellworn.models.skill import Risk
from wellworn.resolver.gates import approval_gates, safe_steps


def test_gates_are_those_that_the_manifest_names() -> None:
    assert approval_gates(make_card(requires_approval=("git_push", "publish"))) == ["git_push", "publish"]


def test_a_high_risk_skill_that_names_no_gate_is_gated_as_a_whole() -> None:
    card = make_card(risk=Risk.high, steps=("Run the tests",))
    assert approval_gates(card) == ["run"]
    assert safe_steps(card) == []


def test_safe_steps_end_before_the_first_that_a_gate_covers() -> None:
    card = make_card(
        requires_approval=("db_migrate",), steps=("Run the tests", "Migrate staging: migrate up", "Run the smoke test")
    )
    assert safe_steps(card) == ["Run the tests"]


@pytest.mark.parametrize(
    "step",
    [
        "git push origin main",
        "Merge the PR",
        "Tag the commit",
        "npm publish",
        "Delete old builds",
        "rm -rf dist",
        "Deploying",
        "Run `rsync -a dist/ web:/srv/shop`",
        "scp build.tar.gz deploy@host.example:/srv",
        "Run `ssh web restart-app`",
        "vercel --prod",
        "aws s3 sync dist s3://shop",
        "ansible-playbook site.yml",
        "sudo systemctl restart nginx",
        "pulumi up",
    ],
)
def test_a_step_that_changes_something_outside_is_not_safe_even_when_no_gate_was_named(step: str) -> None:
    assert safe_steps(make_card(steps=("Read the changelog", step))) == ["Read the changelog"]


@pytest.mark.parametrize(
    "step",
    [
        "Check that the branch is the release branch",
        "Show what would be tagged, pushed and published",
        "Read the push log",
        "Run `rsync -a dist/ backup/`",
        "Open https://docs.example.org:8080/health",
        "Look for ssh keys in the diff",
    ],
)
def test_a_step_that_only_speaks_of_such_a_change_is_safe(step: str) -> None:
    assert safe_steps(make_card(requires_approval=("git_push", "tag", "publish"), steps=(step,))) == [step]


def test_all_steps_are_safe_when_nothing_needs_approval() -> None:
    steps = ("Run the tests", "Read the log")
    assert safe_steps(make_card(steps=steps)) == list(steps)
