"""Whether a task is worth a skill, and how the draft reads: pure, and for whatever was recorded."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wellworn.lifecycle.adviser import AdviserFailed
from wellworn.lifecycle.crystallize import STEPS_MAX, STEPS_MIN, Around, Verdict, asked_of, crystallize
from wellworn.lifecycle.drafted_words import Wording, words_of
from wellworn.lifecycle.peculiar import is_peculiar
from wellworn.lifecycle.proposing.similar import InstalledSkill
from wellworn.models.ids import check_skill_id
from wellworn.models.resolution import Decision
from wellworn.models.skill import Scope
from wellworn.models.task import Outcome, SkillRef, Task, TaskStatus, TaskStep

NOW = datetime(2026, 1, 1, tzinfo=UTC)
GOOD = [("npm ci", 0), ("npm run build", 0), ("npm test", 0)]


def task(*steps: tuple[str, int | None], objective: str = "make it shine", **more: Any) -> Task:
    recorded = [
        TaskStep(number=at, ts=NOW, command=command, exit_code=code, success=None if code is None else code == 0)
        for at, (command, code) in enumerate(steps, 1)
    ]
    fields: dict[str, Any] = {"status": TaskStatus.ended, "outcome": Outcome.success, "ended_at": NOW} | more
    return Task(id="T", objective=objective, attempt=1, created_at=NOW, user="local", steps=recorded, **fields)


def judged(one: Task, *installed: InstalledSkill) -> Verdict:
    return crystallize(one, Around(installed, lambda texts, _: [None] * len(texts), NOW), "C")


def steps(verdict: Verdict) -> list[str]:
    assert verdict.draft is not None, verdict.reasons
    return verdict.draft.candidate.steps


# -- the steps ---------------------------------------------------------------------------------------------------------


def test_what_failed_what_only_looks_and_what_was_done_again_is_left_out() -> None:
    found = judged(task(("npm test", 0), ("ls", 0), ("npm ci", 1), *GOOD))
    assert steps(found) == ["npm ci", "npm run build", "npm test"]


def test_a_step_whose_end_is_not_known_stays_where_others_are_proven() -> None:
    assert steps(judged(task(("npm ci", None), *GOOD[1:]))) == ["npm ci", "npm run build", "npm test"]


def test_the_same_program_on_other_things_is_two_steps() -> None:
    found = judged(task(("mkdir build", 0), ("mkdir dist", 0), ("npm test", 0)))
    assert steps(found) == ["mkdir build", "mkdir dist", "npm test"]


def test_a_pipeline_stays_whole() -> None:
    found = judged(task(("pg_dump shop | gzip > dist/shop.gz", 0), *GOOD))
    assert "pg_dump shop | gzip > dist/shop.gz" in steps(found)


@pytest.mark.parametrize(
    ("command", "general"),
    [
        ("npm version 2.0.1", "npm version {{ version }}"),
        ("git tag v2.0.1", "git tag v{{ version }}"),
        ("git commit -m 'Fix the thing'", "git commit -m {{ message }}"),
        ("gh pr merge 12 --squash", "gh pr merge {{ pr }} --squash"),
        ("git push origin main", "git push origin main"),
        ("pip install requests", "pip install requests"),
        ("docker build -t api:2.0.1 .", "docker build -t api:2.0.1 ."),
    ],
)
def test_what_is_another_each_time_becomes_an_input(command: str, general: str) -> None:
    assert general in steps(judged(task((command, 0), *GOOD)))


def test_a_value_that_the_request_names_becomes_an_input() -> None:
    found = judged(task(("python -m report data/2026-03.csv", 0), *GOOD, objective="report on data/2026-03.csv"))
    assert steps(found)[0] == "python -m report {{ path }}"
    assert found.draft is not None
    assert "- `path`: the path" in found.draft.body


# -- is it worth one ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"status": TaskStatus.active, "outcome": None}, "It has not ended yet."),
        ({"outcome": Outcome.failure}, "It ended in failure"),
        ({"outcome": Outcome.partial}, "It ended in partial"),
        ({"used_skill": SkillRef(id="shine", scope=Scope.user)}, "It was done with shine@user"),
        ({"objective": "go on"}, "does not say what was wanted"),
    ],
)
def test_how_it_ended_and_what_for_decides_first(more: dict[str, Any], words: str) -> None:
    found = judged(task(*GOOD, **more))
    assert found.draft is None
    assert any(words in reason for reason in found.reasons)


@pytest.mark.parametrize(("decision", "refused"), [(Decision.proceed, True), (Decision.confirm, False)])
def test_a_match_that_was_only_to_be_confirmed_is_not_surely_how_it_was_done(decision: Decision, refused: bool) -> None:
    shine = SkillRef(id="shine", scope=Scope.user)
    found = judged(task(*GOOD, skill=shine, used_skill=shine, decision=decision))
    assert (found.instead == "shine@user") is refused
    assert (found.draft is None) is refused


@pytest.mark.parametrize("number", range(STEPS_MIN + 2))
def test_fewer_than_three_meaningful_steps_are_too_few(number: int) -> None:
    some = [("npm ci", 0), ("npm run build", 0), ("npm test", 0), ("npm run lint", 0)][:number]
    assert (judged(task(("ls", 0), ("cat README.md", 0), *some)).draft is not None) == (number >= STEPS_MIN)


def test_a_skill_that_is_switched_off_still_has_its_id() -> None:
    found = judged(task(*GOOD), InstalledSkill("make-shine", Scope.user, (), active=False))
    assert found.reasons == ("The id make-shine is taken: make-shine@user.",)
    assert found.instead == "make-shine@user"


@pytest.mark.parametrize(
    ("command", "peculiar"),
    [
        ("npm ci", False),
        ("npm run build", False),
        ("pytest tests", False),
        ("python manage.py migrate", False),
        ("docker build -t {{ image }} .", False),
        ("curl http://localhost:8080/healthz", False),
        ("git push origin main", False),
        ("twine upload dist/*", False),
        ("./scripts/acme.sh", True),
        ("python tools/gen_acme.py", True),
        ("pytest tests/unit/test_acme.py", True),
        ("kubectl -n acme apply -f k8s/acme.yaml", True),
        ("curl https://api.acme.example/x", True),
        ("cp /srv/acme/x /srv/acme/y", True),
        ("cd packages/acme && npm ci", True),
        ("docker push acme/api:1", True),
    ],
)
def test_what_belongs_to_one_project(command: str, peculiar: bool) -> None:
    assert is_peculiar(command) is peculiar


def test_half_of_the_steps_may_be_about_one_project_and_no_more() -> None:
    own = [("./scripts/a.sh", 0), ("./scripts/b.sh", 0)]
    assert judged(task(*own, *GOOD[:2])).draft is not None
    assert judged(task(*own, ("./scripts/c.sh", 0), *GOOD[:2])).draft is None


# -- for whatever was recorded -----------------------------------------------------------------------------------------

_slow = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # the first text builds its tables
_words = st.sampled_from(["npm", "ci", "test", "git", "tag", "v1.2.3", "|", "&&", "'", "x/y.sh", "{{ a }}", "`", "-m"])
_lines = st.one_of(st.text(max_size=60), st.lists(_words, max_size=6).map(" ".join))
_steps = st.lists(st.tuples(_lines.filter(str.strip), st.sampled_from([0, 1, None])), max_size=12)


@_slow
@given(_steps, st.text(min_size=1, max_size=300))
def test_whatever_was_recorded_there_is_a_draft_or_a_reason(recorded: list[Any], objective: str) -> None:
    found = judged(task(*recorded, ("npm ci", 0), objective=objective))
    assert (found.draft is None) == bool(found.reasons)
    if found.draft is not None and found.draft.manifest is not None and found.draft.gate is not None:
        check_skill_id(found.draft.manifest.id)
        assert found.draft.gate.unanswered() == []
        assert "## Steps" in found.draft.body
        assert STEPS_MIN <= len(found.draft.candidate.steps) <= STEPS_MAX
        assert all(one.isprintable() or one == "\n" for one in found.draft.body)


@_slow
@given(_steps, st.text(min_size=1, max_size=300))
def test_the_same_task_gives_the_same_draft(recorded: list[Any], objective: str) -> None:
    one = task(*recorded, *GOOD, objective=objective)
    assert judged(one) == judged(one)


@_slow
@given(st.text(max_size=1000))
def test_what_was_asked_is_one_short_line(objective: str) -> None:
    asked = asked_of(objective)
    assert len(asked.split()) <= 25
    assert asked.isprintable()


class _Scripted:
    name = "scripted"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def ask(self, purpose: str, instructions: str, evidence: str, kind: type[Any]) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@_slow
@given(st.text(max_size=2000), st.lists(st.text(max_size=500), max_size=4))
def test_whatever_a_model_says_it_adds_no_line_and_no_code(description: str, told: list[str]) -> None:
    words = words_of(_Scripted(Wording(description=description, steps=told)), "shine", ["npm ci", "npm test"])
    assert len(words.steps) == 2
    assert words.description.strip()
    for text in (words.description, *words.steps):
        assert "`" not in text
        assert "\n" not in text
        assert text.isprintable()
    assert all(len(one) <= 200 for one in words.steps)


@pytest.mark.parametrize("broken", [AdviserFailed("It broke."), RuntimeError("no"), KeyError("x")])
def test_a_model_that_breaks_leaves_a_note_and_the_plain_words(broken: Exception) -> None:
    words = words_of(_Scripted(broken), "shine", ["npm ci"])
    assert words.description == 'Install the dependencies. Use when the user asks to "shine".'
    assert words.notes[0].startswith("Worded without a model: ")


def test_hundreds_of_long_steps_are_refused_before_they_are_compared() -> None:
    many = [(f"npm run y{at} | " + " | ".join(f"sed s/x{one}/y/" for one in range(200)), 0) for at in range(500)]
    found = judged(task(*many))
    assert found.reasons[0] == "It has more than 60 different steps, which nobody would follow."
    assert found.keys == ()
