"""Segments and partitions against a brute-force model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tests.index.makers import DISABLED, ENCODER, USER, make_card, make_columns, make_skill

from wellworn.index.encoder import FloatArray
from wellworn.index.lexical import grams_of, query_terms
from wellworn.index.partition import Part, Partition, make_part, merged_segment, swapped
from wellworn.index.rows import RowFilter, approximate_index, search_approximate, search_exact
from wellworn.index.segment import Segment, build_segment, columns_of, joined
from wellworn.index.snapshot import IndexSnapshot
from wellworn.index.utterances import utterances_of
from wellworn.index.view import View
from wellworn.models.skill import Scope, Skill, SkillStats, UtteranceField

WORDS = ("commit", "push", "release", "review", "deploy", "rollback", "test", "format", "merge", "tag")
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
QUERIES = ENCODER.encode([f"{one} {other}" for one, other in zip(WORDS, WORDS[3:] + WORDS[:3], strict=True)])


class PartitionAgainstModel(RuleBasedStateMachine):
    """Random upserts, removals and merges; the model is a dictionary and a plain matrix product."""

    @initialize()
    def begin(self) -> None:
        self.partition = Partition(*USER)
        self.model: dict[int, Skill] = {}
        self.merging: tuple[tuple[Part, ...], Segment] | None = None

    @rule(keys=st.lists(st.integers(0, 12), min_size=1, max_size=4, unique=True), texts=st.lists(TEXTS, max_size=3),
          negative=TEXTS, usable=st.booleans())  # fmt: skip
    def upsert(self, keys: list[int], texts: list[str], negative: str, usable: bool) -> None:
        more: dict[str, Any] = {} if usable else {"trust": DISABLED}
        skills = [
            (key, make_skill(f"skill-{key}", aliases=texts, negatives=[negative], description=" ".join(texts), **more))
            for key in keys
        ]
        self.partition = self.partition.upserted(make_columns(skills))
        self.model.update(skills)

    @rule(keys=st.lists(st.integers(0, 12), min_size=1, max_size=5))
    def remove(self, keys: list[int]) -> None:
        self.partition = self.partition.removed(keys)
        for key in keys:
            self.model.pop(key, None)

    @rule(key=st.integers(0, 12))
    def restate(self, key: int) -> None:
        if key in self.model:
            card = make_card(self.model[key], key)
            self.partition = self.partition.restated([card])

    @rule()
    def begin_merge(self) -> None:
        if self.partition.parts:
            self.merging = (self.partition.parts, merged_segment(self.partition.parts))

    @rule()
    def end_merge(self) -> None:
        """Other rules may have run since the merge began."""
        if self.merging is not None:
            old, segment = self.merging
            self.partition, self.merging = swapped(self.partition, old, segment), None

    @invariant()
    def search_equals_brute_force(self) -> None:
        view = View([self.partition])
        live = {key: skill for key, skill in self.model.items() if skill.manifest.trust is not DISABLED}
        rows = [
            (skill.id, one.text)
            for skill in live.values()
            for one in utterances_of(skill)
            if one.field is not UtteranceField.negative
        ]
        matrix = ENCODER.encode([text for _, text in rows])
        for query in QUERIES[:3]:
            hits = view.search(query, 5)
            expected = np.sort(matrix @ query)[::-1][:5]
            assert np.allclose([hit.cosine for hit in hits], expected, atol=1e-5)
            pairs = {
                (skill_id, round(float(cosine), 4)) for (skill_id, _), cosine in zip(rows, matrix @ query, strict=True)
            }
            assert {(view.card(hit.ref).id, round(hit.cosine, 4)) for hit in hits} <= pairs

    @invariant()
    def lookups_know_exactly_the_live_skills(self) -> None:
        view = View([self.partition])
        assert view.size == len(self.model)
        for key in range(13):
            refs = view.by_id(f"skill-{key}")
            assert [view.card(ref).key for ref in refs] == ([key] if key in self.model else [])
            usable = key in self.model and self.model[key].manifest.trust is not DISABLED
            assert len(view.exact(f"skill {key}")) == usable

    @invariant()
    def lexical_scores_are_those_of_live_skills(self) -> None:
        view = View([self.partition])
        lexical = view.lexical(query_terms("commit release"))
        for ref in lexical.top(20).tolist():
            skill = self.model[view.card(ref).key]
            assert {word for word, _ in lexical.words(ref)} == {
                word for word in ("commit", "release") if any(word in one.text for one in utterances_of(skill)[:-1])
            }
            assert 0 < lexical.whole[ref] < 1.0001


TestPartitionAgainstModel = PartitionAgainstModel.TestCase
TestPartitionAgainstModel.settings = settings(max_examples=40, stateful_step_count=15, deadline=None)


def some_partition(
    count: int, prefix: str = "skill", start: int = 0, owner: str = "local", scope: Scope = Scope.user
) -> Partition:
    skills = [(start + n, make_skill(f"{prefix}-{start + n}", owner=owner, scope=scope)) for n in range(count)]
    return Partition(scope, owner).upserted(make_columns(skills))


def test_an_upsert_of_one_among_many_leaves_the_large_segment_alone() -> None:
    partition = some_partition(400)
    changed = partition.upserted(make_columns([(7, make_skill("skill-7", description="new"))]))
    assert changed.parts[0].segment is partition.parts[0].segment
    assert len(changed.parts[1].segment) == 1


def test_changes_to_few_skills_share_one_small_segment() -> None:
    partition = some_partition(400)
    for key in range(20):
        partition = partition.upserted(make_columns([(key, make_skill(f"skill-{key}", description="new"))]))
    assert [part.live for part in partition.parts] == [380, 20]


def test_many_dead_slots_ask_for_a_merge() -> None:
    partition = some_partition(400)
    assert partition.merge_plan() == ()
    partition = partition.removed(range(100))
    assert partition.merge_plan() == partition.parts
    fresh = swapped(partition, partition.parts, merged_segment(partition.parts))
    assert [len(part.segment) for part in fresh.parts] == [300]


def test_small_segments_are_merged_without_the_large_one() -> None:
    partition = some_partition(4_500)
    for number in range(4):
        start = 5_000 + number * 1_000
        partition = partition.upserted(make_columns([(start + n, make_skill(f"s-{start + n}")) for n in range(130)]))
        partition = partition.upserted(
            make_columns([(start + 500 + n, make_skill(f"x-{start + n}")) for n in range(127)])
        )
    assert len(partition.parts) > 4
    assert partition.merge_plan() == partition.parts[1:]


def test_an_old_partition_is_untouched_by_changes() -> None:
    partition = some_partition(5)
    partition.removed([0, 1])
    partition.upserted(make_columns([(2, make_skill("skill-2", description="other"))]))
    assert View([partition]).size == 5


def test_newer_stats_show_on_the_card_without_a_new_version() -> None:
    partition = some_partition(3)
    card = partition.parts[0].cards[1]
    newer = make_card(make_skill(card.id), card.key)
    restated = partition.restated([newer])
    assert restated.version == partition.version
    assert restated.parts[0].cards[1] is newer
    assert isinstance(newer.stats, SkillStats)


def test_columns_of_a_segment_build_the_same_segment_again() -> None:
    segment = build_segment(make_columns([(n, make_skill(f"skill-{n}", negatives=["never"])) for n in range(6)]))
    part = make_part(segment)
    again = build_segment(columns_of(segment, segment.cards, part.alive))
    assert np.array_equal(again.rows.matrix, segment.rows.matrix)
    assert again.rows.texts == segment.rows.texts
    assert np.array_equal(again.postings.slots, segment.postings.slots)
    assert np.allclose(again.postings.whole_scales, segment.postings.whole_scales)
    assert np.array_equal(again.grams.grams, segment.grams.grams)


def test_joined_columns_hold_the_skills_of_all_parts() -> None:
    parts = [make_columns([(n, make_skill(f"skill-{n}"))]) for n in range(3)]
    whole = build_segment(joined(parts))
    once = build_segment(make_columns([(n, make_skill(f"skill-{n}")) for n in range(3)]))
    assert np.array_equal(whole.rows.matrix, once.rows.matrix)
    assert np.array_equal(whole.grams.grams, once.grams.grams)


@pytest.fixture(scope="module")
def vectors() -> FloatArray:
    random = np.random.default_rng(0)
    centres = random.standard_normal((200, 32))
    points = centres[random.integers(200, size=12_000)] + 0.5 * random.standard_normal((12_000, 32))
    unit: FloatArray = (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)
    return unit


@pytest.fixture(scope="module")
def approximate(vectors: FloatArray) -> Any:
    return approximate_index(vectors)


def test_the_approximate_search_finds_nearly_all_and_scores_exactly(vectors: FloatArray, approximate: Any) -> None:
    recall = []
    for query in vectors[::100]:
        exact, _ = search_exact(vectors @ query, 20, None)
        found, scores = search_approximate(approximate, vectors, query, 20, None)
        assert np.allclose(scores, vectors[found] @ query, atol=1e-6)
        recall.append(len(np.intersect1d(exact, found)) / 20)
    assert np.mean(recall) >= 0.97


def test_filtered_rows_are_never_found(vectors: FloatArray, approximate: Any) -> None:
    allowed = np.zeros(len(vectors), dtype=bool)
    allowed[::7] = True
    row_filter = RowFilter(allowed)
    for query in vectors[:20]:
        exact, _ = search_exact(vectors @ query, 20, allowed)
        near, _ = search_approximate(approximate, vectors, query, 20, row_filter)
        assert len(exact) == len(near) == 20
        assert allowed[exact].all()
        assert allowed[near].all()


def test_an_empty_matrix_finds_nothing() -> None:
    rows, scores = search_exact(np.empty(0, dtype=np.float32), 3, None)
    assert len(rows) == len(scores) == 0


def test_a_view_never_shows_a_partition_that_was_not_asked_for() -> None:
    mine = some_partition(5)
    theirs = some_partition(5, prefix="secret", start=100, owner="other")
    repo = some_partition(3, prefix="repo", start=200, owner="host/a", scope=Scope.repo)
    snapshot = IndexSnapshot(ENCODER, partitions={(p.scope, p.owner): p for p in (mine, theirs, repo)})
    view = snapshot.view([(Scope.repo, "host/a"), USER, (Scope.user, "nobody"), USER])
    assert view.size == 8
    ids = {view.card(hit.ref).id for query in QUERIES for hit in view.search(query, 100)}
    assert not any(name.startswith("secret") for name in ids)
    assert view.exact("secret 100") == view.by_id("secret-100") == []
    secret = view.lexical(query_terms("secret"))
    assert len(secret.top(10)) == 0
    assert secret.known == 0
    assert len(view.char_scores(np.arange(view.slots), grams_of("secret")).contained) == view.slots


OWNERS = [(scope, owner) for scope in (Scope.session, Scope.repo, Scope.user) for owner in ("a", "b", "c")]


@settings(max_examples=30, deadline=None)
@given(held=st.sets(st.sampled_from(OWNERS)), asked=st.lists(st.sampled_from(OWNERS)), message=TEXTS)
def test_a_view_holds_skills_of_the_owners_asked_for_and_no_other(
    held: set[tuple[Scope, str]], asked: list[tuple[Scope, str]], message: str
) -> None:
    def partition(scope: Scope, owner: str) -> Partition:
        skills = [(n, make_skill(f"skill-{n}", scope=scope, owner=owner, aliases=[message])) for n in range(2)]
        return Partition(scope, owner).upserted(make_columns(skills))

    view = IndexSnapshot(ENCODER, partitions={key: partition(*key) for key in held}).view(asked)
    refs = {hit.ref for hit in view.search(ENCODER.encode([message])[0], 100)}
    refs |= {*view.by_id("skill-0"), *view.exact("skill 1"), *view.lexical(query_terms(message)).top(100).tolist()}
    assert {(view.card(ref).scope, view.card(ref).owner) for ref in refs} == held & set(asked)
    assert view.size == 2 * len(held & set(asked))
