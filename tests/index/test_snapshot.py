"""What the resolver asks of a view."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.index.makers import DISABLED, ENCODER, USER, make_columns, make_skill

from wellworn.index.encoder import FloatArray
from wellworn.index.lexical import exact_key, grams_of, query_terms
from wellworn.index.partition import Partition
from wellworn.index.segment import FIELD_CODES
from wellworn.index.snapshot import IndexSnapshot
from wellworn.index.view import View
from wellworn.models.skill import Scope, UtteranceField

COMMIT_PUSH = make_skill(
    "commit-push", aliases=["ship it"], description="Commit the work and push it", negatives=["commit a crime"]
)
RELEASE = make_skill("release", description="Publish a version", body="# Steps\nTag the version and upload the wheel")
REVIEW = make_skill("review-pr", description="Read a pull request", triggers=["a review is wanted", "checks failed"])
OLD = make_skill("old-way", description="Commit the work by hand", aliases=["ship it"], trust=DISABLED)


@pytest.fixture(scope="module")
def view() -> View:
    """Two segments, so that refs and rows are mapped through their bases."""
    partition = Partition(*USER).upserted(make_columns([(1, COMMIT_PUSH)]))
    large = Partition(*USER).upserted(make_columns([(100 + n, make_skill(f"filler-{n}")) for n in range(260)]))
    return View(
        [
            Partition(
                *USER,
                parts=(*partition.parts, *large.upserted(make_columns([(2, RELEASE), (3, REVIEW), (4, OLD)])).parts),
            )
        ]
    )


def ref_of(view: View, skill_id: str) -> int:
    (ref,) = view.by_id(skill_id)
    return ref


def vector(text: str) -> FloatArray:
    row: FloatArray = ENCODER.encode([text])[0]
    return row


def test_the_nearest_utterance_comes_first_with_its_text(view: View) -> None:
    best = view.search(vector("ship it"), 3)[0]
    assert (view.card(best.ref).id, best.field, view.text(best.row)) == ("commit-push", UtteranceField.alias, "ship it")
    assert best.cosine == pytest.approx(1.0, abs=1e-5)


def test_negatives_are_not_found_by_the_search(view: View) -> None:
    assert UtteranceField.negative not in {hit.field for hit in view.search(vector("commit a crime"), 1_000)}


def test_disabled_skills_are_found_by_id_only(view: View) -> None:
    assert view.card(ref_of(view, "old-way")).trust is DISABLED
    assert [view.card(ref).id for ref in view.exact("ship it")] == ["commit-push"]
    assert "old-way" not in {view.card(hit.ref).id for hit in view.search(vector("Commit the work by hand"), 1_000)}
    assert ref_of(view, "old-way") not in view.lexical(query_terms("commit by hand")).top(100).tolist()


def test_a_query_that_is_not_finite_finds_nothing(view: View) -> None:
    assert view.search(np.full(64, np.nan, dtype=np.float32), 5) == []


def test_an_empty_view_finds_nothing() -> None:
    empty = IndexSnapshot(ENCODER).view([USER])
    assert empty.size == 0
    assert empty.search(vector("ship it"), 5) == []
    assert empty.lexical(query_terms("ship it")).top(5).tolist() == []
    assert empty.exact("ship it") == []
    assert len(empty.field_cosines(np.empty(0, dtype=np.int64), vector("ship it")).best) == 0


def test_names_ids_and_aliases_are_found_exactly(view: View) -> None:
    for text in ("Ship It!", "commit push", "commit-push"):
        assert [view.card(ref).id for ref in view.exact(exact_key(text))] == ["commit-push"]


def test_field_cosines_equal_a_plain_product(view: View) -> None:
    refs = np.array([ref_of(view, "release"), ref_of(view, "commit-push"), ref_of(view, "old-way")])
    query = vector("Commit the work")
    result = view.field_cosines(refs, query)
    description, body, negative = (FIELD_CODES[UtteranceField(name)] for name in ("description", "body", "negative"))
    assert result.best[1, description] == pytest.approx(float(vector("Commit the work and push it") @ query), abs=1e-5)
    assert result.best[1, negative] == pytest.approx(float(vector("commit a crime") @ query), abs=1e-5)
    assert view.text(int(result.best_row[1, negative])) == "commit a crime"
    assert np.isnan(result.best[1, body])
    assert not np.isnan(result.best[0, body])
    assert view.text(int(result.best_row[0, body])) is None
    assert np.isnan(result.best[2]).all()
    assert (result.best_row[2] == -1).all()


@pytest.mark.parametrize("many", range(1, 7))
def test_the_centre_is_the_mean_of_all_texts_of_a_field(many: int) -> None:
    aliases = ["commit", "commit now", "commit all", "eat lunch", "water plants", "sing"][:many]
    view = View([Partition(*USER).upserted(make_columns([(1, make_skill("one", aliases=aliases))]))])
    query, mean = vector("commit"), ENCODER.encode(aliases).mean(axis=0)
    found = view.field_cosines(np.array([0]), query).centre[0, FIELD_CODES[UtteranceField.alias]]
    assert found == pytest.approx(float(mean @ query / np.linalg.norm(mean)), abs=1e-5)


def test_the_top_mean_is_over_the_three_nearest() -> None:
    aliases = ["commit", "commit now", "commit all", "eat lunch"]
    view = View([Partition(*USER).upserted(make_columns([(1, make_skill("one", aliases=aliases))]))])
    query = vector("commit")
    cosines = np.sort(ENCODER.encode(aliases) @ query)[::-1]
    column = FIELD_CODES[UtteranceField.alias]
    result = view.field_cosines(np.array([0]), query)
    assert result.best[0, column] == pytest.approx(float(cosines[0]), abs=1e-5)
    assert result.top[0, column] == pytest.approx(float(cosines[:3].mean()), abs=1e-5)


def test_triggers_are_scored_against_each_fact(view: View) -> None:
    refs = np.array([ref_of(view, "review-pr"), ref_of(view, "release")])
    facts = ENCODER.encode(["checks failed", "the sun shines"])
    scores = view.trigger_cosines(refs, facts)
    assert scores.shape == (2, 2)
    assert scores[0, 0] == pytest.approx(1.0, abs=1e-5)
    assert scores[0, 1] < 0.9
    assert np.isnan(scores[1]).all()


def test_a_word_of_the_body_finds_its_skill(view: View) -> None:
    lexical = view.lexical(query_terms("upload the wheels please"))
    best = int(lexical.top(3)[0])
    assert view.card(best).id == "release"
    assert [word for word, _ in lexical.words(best)] == ["upload", "wheels"]
    assert lexical.short[best] == 0
    assert lexical.known == pytest.approx(1.0)


def test_words_that_every_skill_has_weigh_little() -> None:
    skills = [
        (n, make_skill(f"skill-{n}", description=f"queue {word}")) for n, word in enumerate(["alpha", "beta", "gamma"])
    ]
    view = View([Partition(*USER).upserted(make_columns(skills))])
    lexical = view.lexical(query_terms("queue beta"))
    assert lexical.whole[1] > 3 * lexical.whole[0]


def test_unknown_words_lower_the_cosine_and_show_in_known(view: View) -> None:
    some = view.lexical(query_terms("wheel"))
    more = view.lexical(query_terms("wheel xylophone"))
    ref = ref_of(view, "release")
    assert more.whole[ref] < some.whole[ref]
    assert 0 < more.known < 1
    assert more.whole[ref] / np.sqrt(more.known) == pytest.approx(some.whole[ref], rel=1e-4)


def test_misspelt_words_still_score(view: View) -> None:
    refs = np.array([ref_of(view, "commit-push"), ref_of(view, "review-pr")])
    scores = view.char_scores(refs, grams_of("comit and psuh"))
    assert scores.contained[0] > 2 * scores.contained[1]
    assert scores.cosine[0] > scores.cosine[1]
    assert (scores.contained <= 1.0001).all()
    assert (scores.cosine <= 1.0001).all()


def test_utterances_for_training_are_those_of_live_skills(view: View) -> None:
    total = sum(len(refs) for refs, _, _ in view.utterances())
    assert total == view.vectors
    ids = {view.card(int(ref)).id for refs, _, _ in view.utterances() for ref in refs}
    assert "release" in ids
    assert "old-way" not in ids


def test_partitions_keep_the_order_in_which_they_were_asked_for() -> None:
    repo = Partition(Scope.repo, "r").upserted(make_columns([(1, make_skill("same", scope=Scope.repo, owner="r"))]))
    user = Partition(*USER).upserted(make_columns([(2, make_skill("same"))]))
    snapshot = IndexSnapshot(ENCODER, partitions={USER: user, (Scope.repo, "r"): repo})
    view = snapshot.view([(Scope.repo, "r"), USER])
    assert [view.card(ref).scope for ref in view.by_id("same")] == [Scope.repo, Scope.user]


def test_common_words_of_a_large_library_are_not_looked_up() -> None:
    skills = [(n, make_skill(f"s{n}", description="shared" if n else "shared rare")) for n in range(2_100)]
    view = View([Partition(*USER).upserted(make_columns(skills))])
    lexical = view.lexical(query_terms("shared rare"))
    assert lexical.top(10).tolist() == [0]


def test_threads_that_share_a_view_get_the_answers_to_their_own_queries(view: View) -> None:
    queries = [vector(text) for text in ("ship it", "publish a version", "read a pull request", "filler 7")]
    refs = view.refs()
    expected = [View([*_partitions(view)]).field_cosines(refs, query).best for query in queries]

    def ask(number: int) -> bool:
        query = queries[number % len(queries)]
        nearest = view.nearest(query, 5)
        found = view.field_cosines(refs, query).best
        return bool(nearest) and np.allclose(found, expected[number % len(queries)], atol=1e-6, equal_nan=True)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(400)))


def _partitions(view: View) -> list[Partition]:
    return [Partition(*USER, parts=view.parts)]
