"""What is measured of candidates: each column says what it should, and nothing where nothing is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from tests.index.makers import make_card, make_columns, make_skill
from tests.resolver.inquiries import NOW, make_inquiry, make_view

from wellworn.index.partition import Partition
from wellworn.index.view import View
from wellworn.models.skill import Scope, Skill, SkillStats
from wellworn.resolver.features import BOUNDED, FITTED, Features, Kind
from wellworn.resolver.head import Heads, head_of
from wellworn.resolver.inquiry import Inquiry
from wellworn.resolver.ranking import Measured, measure_inquiry

SHIP = make_skill(
    "ship-it",
    aliases=["send it out"],
    examples=["publish the package"],
    triggers=["the branch has an open pr"],
    description="Release a version.",
    negatives=["send it out to the printer"],
)
REVIEW = make_skill("review-pr", description="Read a pull request.", body="# Steps\nLook over the diff with care.")
BARE = make_skill("brew-tea", description="")


def measured(view: View, inquiry: Inquiry, heads: Heads | None = None) -> Measured:
    found = measure_inquiry(view, inquiry, heads or Heads(), now=NOW)
    assert found is not None
    return found


def column(view: View, found: Measured, name: str) -> dict[str, float]:
    table = found.features.fitted if name in FITTED else found.features.bounded
    at = (FITTED if name in FITTED else BOUNDED).index(name)
    return {view.card(ref).id: float(row[at]) for ref, row in zip(found.refs.tolist(), table, strict=True)}


def of(name: str, inquiry: Inquiry, *skills: Skill, heads: Heads | None = None) -> dict[str, float]:
    view = make_view(*(skills or (SHIP, REVIEW, BARE)))
    return column(view, measured(view, inquiry, heads), name)


@pytest.mark.parametrize(
    ("name", "text", "skill"),
    [
        ("nearestExample", "publish the package", "ship-it"),
        ("name", "brew tea", "brew-tea"),
        ("description", "Read a pull request.", "review-pr"),
        ("bodyBest", "Look over the diff with care.", "review-pr"),
        ("wholeText", "look over the diff", "review-pr"),
        ("shortText", "release a version", "ship-it"),
        ("characters", "brews teas", "brew-tea"),
    ],
)
def test_a_column_is_highest_for_the_skill_that_says_so(name: str, text: str, skill: str) -> None:
    found = of(name, make_inquiry(text))
    assert max(found, key=lambda one: found[one]) == skill
    assert found[skill] > 0.3


def test_a_skill_without_a_field_has_zero_there() -> None:
    assert of("bodyBest", make_inquiry("anything"))["ship-it"] == 0.0
    assert of("nearestExample", make_inquiry("publish the package"))["review-pr"] == 0.0


def test_without_a_head_its_column_is_zero() -> None:
    assert set(of("head", make_inquiry("publish the package")).values()) == {0.0}


def test_all_numbers_are_finite() -> None:
    view = make_view(SHIP, REVIEW, BARE)
    features = measured(view, make_inquiry("do something quite different")).features
    assert np.isfinite(features.fitted).all()
    assert np.isfinite(features.bounded).all()


def kind(skill: Skill, *others: Skill, trained: bool = True) -> Kind:
    view = make_view(skill, *others, make_skill("zz-other", examples=["a", "b b", "c c"]))
    found = measured(view, make_inquiry(skill.id.replace("-", " ")), head_of(view) if trained else Heads())
    at = [view.card(ref).id for ref in found.refs.tolist()].index(skill.id)
    return Kind(int(found.features.kinds[at]))


def test_the_kind_says_what_a_skill_has() -> None:
    many = ["one way", "another way", "a third way", "a fourth way"]
    bare: dict[str, Any] = {"description": ""}
    assert kind(make_skill("x-few", examples=many[:1], **bare)) is Kind.few_examples
    assert kind(make_skill("x-many", examples=many, **bare)) is Kind.some_examples
    assert kind(make_skill("x-described")) is Kind.description
    assert kind(make_skill("x-body", body="Some text of its own.")) is Kind.body
    assert kind(make_skill("x-both", examples=many)) is Kind.examples_description
    assert kind(make_skill("x-all", examples=many, body="Some text of its own.")) is Kind.examples_body
    assert kind(make_skill("x-many", examples=many, **bare), trained=False) is Kind.examples_untrained


def test_an_exact_alias_name_or_id_is_exact() -> None:
    for text in ("send it out", "Ship it!", "ship-it"):
        assert of("exact", make_inquiry(text)) | {"ship-it": 1.0} == of("exact", make_inquiry(text)), text


def test_a_message_that_merely_contains_an_alias_is_not_exact() -> None:
    assert set(of("exact", make_inquiry("please send it out now")).values()) == {0.0}


def test_a_slash_name_is_named() -> None:
    assert of("named", make_inquiry("/review-pr with care"))["review-pr"] == 1.0


def test_a_message_like_a_negative_speaks_against_the_skill() -> None:
    assert of("negative", make_inquiry("send it out to the printer"))["ship-it"] > 0.9
    assert of("negative", make_inquiry("send it out"))["ship-it"] == 0.0
    assert of("negative", make_inquiry("publish the package"))["ship-it"] == 0.0


def test_a_skill_without_negatives_has_nothing_against_it() -> None:
    assert of("negative", make_inquiry("send it out to the printer"))["review-pr"] == 0.0


def test_what_is_ruled_out_counts_for_the_skill_that_does_it() -> None:
    inquiry = make_inquiry("look over the diff", excluded=["publish the package"])
    found = of("excluded", inquiry)
    assert found["ship-it"] > 0.9
    assert found["review-pr"] < 0.2


def test_a_stated_fact_counts_for_skills_with_such_a_trigger() -> None:
    found = of("triggerFact", make_inquiry("go on", statements=["the branch has an open pr"]))
    assert found["ship-it"] > 0.9
    assert found["review-pr"] == 0.0


def test_goal_and_traces_are_compared_with_the_skills_own_words() -> None:
    assert of("goal", make_inquiry("go on", goal="read a pull request"))["review-pr"] > 0.8
    assert of("recentTraces", make_inquiry("go on", traces=["publish the package"]))["ship-it"] > 0.8


def test_a_branch_that_has_the_skills_name_counts() -> None:
    found = of("branchWords", make_inquiry("go on", branch="feature/brew_tea_2"))
    assert found == {"ship-it": 0.0, "review-pr": 0.0, "brew-tea": 1.0}


def test_a_missing_context_is_exactly_nothing() -> None:
    features = measured(make_view(REVIEW, BARE), make_inquiry("go on with it")).features
    stated = [BOUNDED.index(name) for name in BOUNDED if name != "nothingAlike"]  # which is of the text
    assert not features.bounded[:, stated].any()


def test_a_skill_with_nothing_like_the_message_is_told_apart() -> None:
    found = of("nothingAlike", make_inquiry("read a pull request"))
    assert found["review-pr"] == 0.0
    assert of("nothingAlike", make_inquiry("qqqq wwww"))["brew-tea"] > 0.0


def with_stats(stats: SkillStats) -> View:
    columns = make_columns([(1, SHIP), (2, REVIEW)])
    cards = tuple(replace(card, stats=stats) if card.key == 1 else card for card in columns.cards)
    return View([Partition(Scope.user, "local").upserted(replace(columns, cards=cards))])


def history(stats: SkillStats, name: str) -> float:
    view = with_stats(stats)
    return column(view, measured(view, make_inquiry("go on with it")), name)["ship-it"]


def test_recent_use_counts_and_fades_and_no_use_never_lowers() -> None:
    assert history(SkillStats(), "recentlyUsed") == 0.0
    assert history(SkillStats(usage_count=3, last_used_at=NOW), "recentlyUsed") == pytest.approx(1.0)
    before = SkillStats(usage_count=3, last_used_at=NOW - timedelta(days=30))
    assert history(before, "recentlyUsed") == pytest.approx(0.5)


def test_a_use_in_the_future_is_a_use_now() -> None:
    ahead = SkillStats(usage_count=1, last_used_at=NOW + timedelta(days=3))
    assert history(ahead, "recentlyUsed") == pytest.approx(1.0)


def test_failures_count_against_a_skill_and_successes_forgive_them() -> None:
    assert history(SkillStats(success_count=9), "reliability") == 0.0
    bad = history(SkillStats(failure_count=6), "reliability")
    assert -1.0 <= bad < -0.3
    assert history(SkillStats(failure_count=6, success_count=60), "reliability") > bad


def test_a_skill_used_in_this_session_counts() -> None:
    found = of("sameSession", make_inquiry("go on", session_keys=frozenset({2})))
    assert found == {"ship-it": 0.0, "review-pr": 1.0, "brew-tea": 0.0}


def test_narrower_scopes_count_a_little() -> None:
    skill = make_skill("ship-it", scope=Scope.repo, owner="r")
    view = View([Partition(Scope.repo, "r").upserted(make_columns([(1, skill)]))])
    assert column(view, measured(view, make_inquiry("ship it")), "narrowScope") == {"ship-it": 0.5}


def test_nothing_is_measured_where_there_is_nothing() -> None:
    assert measure_inquiry(View([]), make_inquiry("ship it"), Heads(), now=NOW) is None


def names(found: Measured, view: View) -> Sequence[str]:
    return [view.card(ref).id for ref in found.refs.tolist()]


def test_candidates_are_bounded_and_begin_with_exact_names() -> None:
    view = make_view(*(make_skill(f"fill-{n}", description=f"Send it out {n}.") for n in range(200)), SHIP)
    found = measured(view, make_inquiry("send it out"))
    assert names(found, view)[0] == "ship-it"
    assert len(found.refs) == len(set(found.refs.tolist())) <= 40


def test_disabled_skills_are_no_candidates_even_when_named() -> None:
    off = make_skill("ship-it", aliases=["send it out"], trust="disabled")
    view = make_view(off, REVIEW)
    assert "ship-it" not in names(measured(view, make_inquiry("/ship-it send it out")), view)


def test_features_know_the_sizes_of_library_and_message() -> None:
    view = make_view(SHIP, REVIEW, BARE)
    features: Features = measured(view, make_inquiry("one two three")).features
    assert (features.size, features.words) == (3, 3)
    assert make_card(SHIP, 1).id == "ship-it"
