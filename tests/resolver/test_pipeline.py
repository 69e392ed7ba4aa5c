"""The steps between a request and its answer, over a real index with the tiny encoder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.index.makers import NOW, make_skill, make_source, open_data, open_live, put

from wellworn.index.live import LiveIndex
from wellworn.models.resolution import Context, Decision, IntentResolution, ResolveRequest
from wellworn.models.skill import Scope, Skill, Trust
from wellworn.resolver.calibration import logsumexp, softmax_with_outside
from wellworn.resolver.pipeline import Resolver
from wellworn.resolver.precedence import scope_references, without_scopes

USER, REPO = (Scope.user, "local"), (Scope.repo, "host.org/a/b")
SHIP = "send it to the shelf"


class World:
    """An index of a user's and a repo's skills, and a resolver over it."""

    def __init__(self, folder: Path) -> None:
        sources = make_source(folder), make_source(folder, "repo", scope=Scope.repo, owner=REPO[1])
        self.db = open_data(folder, *sources)
        self.live: LiveIndex = open_live(self.db)
        self.resolver = Resolver.open(self.live.snapshot.encoder, folder / "heads")

    def put(self, *skills: Skill, source: str = "home") -> list[int]:
        keys = put(self.db, *skills, source_id=source)
        self.live.refresh()
        return keys

    def texts(self, message: str, **context: Any) -> tuple[str, ...]:
        request = ResolveRequest(message=message, context=Context(**context))
        return self.resolver.prepare(request, self.live.snapshot, [USER]).texts

    def ask(self, message: str, owners: Any = (USER,), **context: Any) -> IntentResolution:
        request = ResolveRequest(message=message, context=Context(**context), explain=True)
        question = self.resolver.prepare(request, self.live.snapshot, owners)
        return self.resolver.answer(question, question.encode(), resolution_id="r1", now=NOW)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.resolver.close()
    world.live.close()
    world.db.close()


def ship(**fields: Any) -> Skill:
    return make_skill("release-local", **{"description": "Cuts a release.", "aliases": [SHIP], **fields})


def repo_ship(**fields: Any) -> Skill:
    return ship(scope=Scope.repo, owner=REPO[1], root=Path("/repo"), **fields)


def test_reading_a_request_names_what_must_be_encoded_message_first(world: World) -> None:
    assert world.texts("deploy it") == ("deploy it",)
    assert world.texts("deploy it", branch="main", active_goal="ship")[0] == "deploy it"
    assert world.texts("") == ()
    assert world.texts("  \n ", branch="main") == ()


def test_facts_of_the_context_are_encoded_once(world: World) -> None:
    world.put(ship())
    stated: dict[str, Any] = {"branch": "main", "active_goal": "ship the thing"}
    assert len(world.texts("deploy it", **stated)) > 1
    world.ask("deploy it", **stated)
    assert world.texts("deploy it", **stated) == ("deploy it",)


def test_what_is_ruled_out_is_encoded_apart_from_what_is_asked(world: World) -> None:
    texts = world.texts("run the tests but don't publish the package")
    assert "publish" not in texts[0]
    assert any("publish" in text for text in texts[1:])


def test_an_answer_says_which_generation_it_comes_from(world: World) -> None:
    before = world.ask("anything").generation
    world.put(ship())
    assert world.ask("anything").generation > before


def test_a_skill_used_in_this_session_is_remembered_for_this_session_only(world: World) -> None:
    key = world.put(ship())[0]
    mine, other = ((Scope.session, f"local:{name}") for name in ("s1", "s2"))
    world.resolver.sessions.note([mine, USER], key)
    assert world.resolver.sessions.keys([mine, USER]) == {key}
    assert world.resolver.sessions.keys([other, USER]) == frozenset()
    assert world.resolver.sessions.keys([USER]) == frozenset()


def test_of_one_id_in_two_scopes_the_narrower_answers_undivided(world: World) -> None:
    world.put(ship())
    alone = world.ask(SHIP)
    world.put(repo_ship(), source="repo")
    both = world.ask(SHIP, (REPO, USER))
    assert (both.skill_id, both.scope) == ("release-local", Scope.repo)
    assert both.confidence > 0.9 * alone.confidence
    assert "release-local@user is shadowed by the repo skill of that id." in both.notes


def test_a_reference_with_its_scope_reaches_the_wider_one(world: World) -> None:
    world.put(ship())
    world.put(repo_ship(), source="repo")
    named = world.ask("release-local@user", (REPO, USER))
    assert (named.skill_id, named.scope) == ("release-local", Scope.user)
    assert world.ask("release-local@repo", (REPO, USER)).scope is Scope.repo
    assert world.ask("release-local@session", (REPO, USER)).scope is Scope.repo


def test_precedence_follows_every_change(world: World) -> None:
    world.put(ship())
    world.put(repo_ship(), source="repo")
    assert world.ask(SHIP, (REPO, USER)).scope is Scope.repo
    world.put(repo_ship(trust=Trust.disabled), source="repo")
    assert world.ask(SHIP, (REPO, USER)).scope is Scope.user
    world.put(repo_ship(), source="repo")
    assert world.ask(SHIP, (REPO, USER)).scope is Scope.repo


def test_owners_without_skills_or_none_at_all_answer_none(world: World) -> None:
    world.put(ship())
    for owners in ((), ((Scope.user, "nobody"),), (REPO,)):
        answer = world.ask(SHIP, owners)
        assert (answer.decision, answer.alternatives, answer.confidence) == (Decision.none, [], 0.0)


@given(st.text(max_size=200))
def test_any_text_can_be_searched_for_references(text: str) -> None:
    assert all(isinstance(scope, Scope) for scope in scope_references(text).values())
    assert not scope_references(without_scopes(text))


def test_a_reference_is_an_id_with_a_scope_behind_it() -> None:
    assert scope_references("use deploy@user, not Lint-All@REPO") == {"deploy": Scope.user, "lint-all": Scope.repo}
    assert scope_references("deploy@user. Mail me@user.org, see x@repo-host and y@users") == {"deploy": Scope.user}
    assert without_scopes("use deploy@user now") == "use deploy now"


@given(st.lists(st.floats(-500, 500), min_size=1, max_size=8), st.floats(-500, 500))
def test_shares_are_a_distribution_and_lump_together(scores: list[float], outside: float) -> None:
    values = np.array(scores)
    shares = softmax_with_outside(values, outside)
    assert 0.0 <= shares.sum() <= 1.0 + 1e-12
    lumped = softmax_with_outside(np.array([logsumexp(values)]), outside)
    assert lumped[0] == pytest.approx(shares.sum(), abs=1e-9)
