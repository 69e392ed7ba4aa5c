"""The trained head: what it learns, when it declines, and how it is kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.index.makers import ENCODER, USER, make_columns, make_skill
from tests.resolver.inquiries import make_view

from wellworn.index.partition import Partition
from wellworn.index.view import View
from wellworn.models.skill import Skill
from wellworn.resolver import head_model
from wellworn.resolver.head import HeadCache, Heads, head_of, lessons_of, pack_head, unpack_head
from wellworn.resolver.head_model import CHAR_DIM, Head, char_features, fit_head

FINGERPRINT = "ab12"
SHIP = ["ship it", "publish the package", "push a release out"]
REVIEW = ["review the pull request", "read my changes", "look over the diff"]


@cache
def fitted() -> Head:
    texts = [*SHIP, *REVIEW]
    head = fit_head(ENCODER.encode(texts), texts, np.array([7, 7, 7, 3, 3, 3]))
    assert head is not None
    return head


def sureness(head: Head, text: str) -> dict[int, float]:
    sure = head.log_probabilities(ENCODER.encode([text])[0], char_features(text))
    return dict(zip(head.keys.tolist(), np.exp(sure).tolist(), strict=True))


def test_a_head_prefers_the_skill_whose_utterances_are_like_the_message() -> None:
    assert sureness(fitted(), "publish a package")[7] > 0.6
    assert sureness(fitted(), "review the changes")[3] > 0.6


def test_probabilities_over_the_skills_add_up_to_one() -> None:
    assert sum(sureness(fitted(), "anything at all").values()) == pytest.approx(1.0, abs=1e-5)


def test_a_misspelt_message_is_still_recognised_by_its_characters() -> None:
    assert sureness(fitted(), "publsih teh pakcage")[7] > 0.6


def test_one_skill_alone_needs_no_head() -> None:
    assert fit_head(ENCODER.encode(SHIP), SHIP, np.array([7, 7, 7])) is None


def test_a_library_too_large_for_a_head_has_none() -> None:
    many = head_model.SKILLS_MAX + 1
    texts = [f"do thing {n}" for n in range(many)]
    assert fit_head(np.zeros((many, 8), dtype=np.float32), texts, np.arange(many)) is None


def test_a_skill_with_very_many_utterances_is_learned_from_a_bounded_part() -> None:
    texts = [f"ship number {n}" for n in range(100)] + REVIEW
    head = fit_head(ENCODER.encode(texts), texts, np.array([7] * 100 + [3] * 3))
    assert head is not None
    assert head.counts.tolist() == [3, head_model.UTTERANCES_A_SKILL]


def test_fitting_twice_gives_the_same_head() -> None:
    assert np.array_equal(fitted().weights, fitted.__wrapped__().weights)


@given(st.text(max_size=600))
def test_character_features_of_any_text_are_a_unit_vector_or_zero(text: str) -> None:
    features = char_features(text)
    assert features.shape == (CHAR_DIM,)
    assert np.isfinite(features).all()
    assert float(np.linalg.norm(features)) == pytest.approx(1.0, abs=1e-4) or not features.any()


def test_character_features_ignore_case_punctuation_and_accents() -> None:
    assert np.array_equal(char_features("Café, open!"), char_features("cafe open"))


def test_a_packed_head_comes_back_as_it_was() -> None:
    head = fitted()
    back = unpack_head(pack_head(head, b"s" * 32), b"s" * 32)
    assert back is not None
    assert np.array_equal(back.weights, head.weights)
    assert back.keys.tolist() == head.keys.tolist()


def test_a_head_fitted_to_other_utterances_is_not_used() -> None:
    assert unpack_head(pack_head(fitted(), b"s" * 32), b"t" * 32) is None


@given(st.data())
def test_no_damage_of_a_kept_head_goes_unnoticed(data: st.DataObject) -> None:
    packed = bytearray(pack_head(fitted(), b"s" * 32))
    packed[data.draw(st.integers(0, len(packed) - 1))] ^= data.draw(st.integers(1, 255))
    assert unpack_head(bytes(packed), b"s" * 32) is None


@pytest.mark.parametrize("cut", [0, 1, 20, 60, 200])
def test_a_head_cut_short_is_not_used(cut: int) -> None:
    assert unpack_head(pack_head(fitted(), b"s" * 32)[:cut], b"s" * 32) is None


def library(*skills: tuple[str, list[str]]) -> list[Skill]:
    return [make_skill(name, examples=texts) for name, texts in skills]


def values(heads: Heads, view: View, text: str) -> dict[str, float]:
    refs = view.refs().tolist()
    look = heads.look(text, ENCODER.encode([text])[0])
    sure = look.of([view.card(ref).key for ref in refs]).log_probabilities
    return {view.card(ref).id: float(one) for ref, one in zip(refs, sure, strict=True)}


def test_skills_without_examples_are_unknown_to_the_head() -> None:
    view = make_view(*library(("ship-it", SHIP), ("review-pr", REVIEW)), make_skill("lonely", description="Quiet."))
    found = values(head_of(view), view, "ship it")
    assert np.isnan(found["lonely"])
    assert found["ship-it"] > found["review-pr"]


def test_the_most_probable_skills_come_first() -> None:
    view = make_view(*library(("ship-it", SHIP), ("review-pr", REVIEW)))
    look = head_of(view).look("review the diff", ENCODER.encode(["review the diff"])[0])
    assert [view.card(ref).id for ref in look.best(5)] == ["review-pr", "ship-it"]


def test_a_removed_skill_is_never_named_by_an_old_head() -> None:
    partition = Partition(*USER).upserted(
        make_columns([*enumerate(library(("ship-it", SHIP), ("review-pr", REVIEW)), 1)])
    )
    heads = head_of(View([partition]))
    (member,) = heads.members
    after = View([partition.removed([1])])
    old = Heads(((member[0], tuple(zip(after.bases, after.parts, strict=False))),))
    look = old.look("ship it", ENCODER.encode(["ship it"])[0])
    assert [after.card(ref).id for ref in look.best(5)] == ["review-pr"]


def test_a_small_library_has_its_head_at_once(tmp_path: Path) -> None:
    view = make_view(*library(("ship-it", SHIP), ("review-pr", REVIEW)))
    cache = HeadCache(tmp_path / "heads")
    assert len(cache.of(view, FINGERPRINT).members) == 1
    cache.close()


def large_view() -> View:
    return make_view(*library(*((f"skill-{n}", [f"do the thing {n}", f"please run number {n}"]) for n in range(160))))


def eventually(check: Callable[[], bool]) -> bool:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if check():
            return True
        time.sleep(0.02)
    return False


def test_a_large_library_is_answered_without_a_head_until_it_is_fitted(tmp_path: Path) -> None:
    view, cache = large_view(), HeadCache(tmp_path / "heads")
    assert cache.of(view, FINGERPRINT).members == ()
    assert eventually(lambda: len(cache.of(view, FINGERPRINT).members) == 1)
    cache.close()


def test_a_kept_head_is_found_by_the_next_process(tmp_path: Path) -> None:
    view = large_view()
    first = HeadCache(tmp_path / "heads")
    first.fit(view, FINGERPRINT)
    (kept,) = (tmp_path / "heads").iterdir()
    stamp = kept.stat().st_mtime_ns
    second = HeadCache(tmp_path / "heads")
    second.fit(view, FINGERPRINT)
    assert kept.stat().st_mtime_ns == stamp
    assert len(second.of(view, FINGERPRINT).members) == 1


def test_a_damaged_kept_head_is_fitted_again(tmp_path: Path) -> None:
    view = large_view()
    HeadCache(tmp_path / "heads").fit(view, FINGERPRINT)
    (kept,) = (tmp_path / "heads").iterdir()
    kept.write_bytes(kept.read_bytes()[:-9])
    cache = HeadCache(tmp_path / "heads")
    cache.fit(view, FINGERPRINT)
    assert len(cache.of(view, FINGERPRINT).members) == 1
    assert len(kept.read_bytes()) > 1000


def test_an_unwritable_folder_costs_the_copy_and_not_the_head(tmp_path: Path) -> None:
    (tmp_path / "heads").write_text("in the way", encoding="utf-8")
    view = make_view(*library(("ship-it", SHIP), ("review-pr", REVIEW)))
    assert len(HeadCache(tmp_path / "heads").of(view, FINGERPRINT).members) == 1


def test_changed_utterances_are_learned_and_the_old_head_serves_until_then(tmp_path: Path) -> None:
    partition = Partition(*USER).upserted(
        make_columns([*enumerate(library(("ship-it", SHIP), ("review-pr", REVIEW)), 1)])
    )
    cache = HeadCache(tmp_path / "heads")
    before = View([partition])
    cache.fit(before, FINGERPRINT)
    (added,) = library(("brew-tea", ["make some tea", "put the kettle on"]))
    after = View([partition.upserted(make_columns([(9, added)]))])
    assert len(cache.of(after, FINGERPRINT).members) == 1
    assert eventually(lambda: not np.isnan(values(cache.of(after, FINGERPRINT), after, "tea")["brew-tea"]))
    cache.close()


def test_lessons_are_the_examples_and_the_names_of_skills_that_have_examples() -> None:
    view = make_view(*library(("ship-it", ["out with it"])), make_skill("lonely", description="Quiet."))
    lessons = lessons_of(view.parts)
    assert sorted(lessons.texts) == ["out with it", "ship it"]
    assert set(lessons.keys.tolist()) == {1}
