"""Words, grams, and their packing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.index.makers import make_skill

from wellworn.index.lexical import (
    exact_key,
    grams_of,
    identifier_words,
    pack_text,
    query_terms,
    term_of,
    unpack_texts,
    words_of,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("releases", "release"), ("releasing", "release"), ("released", "release"), ("committing", "commit"),
        ("copies", "copy"), ("copied", "copy"), ("deployment", "deploy"), ("validation", "validate"),
        ("boxes", "box"), ("classes", "class"), ("tests", "test"),
    ],
)  # fmt: skip
def test_forms_of_a_word_share_a_term(one: str, other: str) -> None:
    assert term_of(one) == term_of(other)


@pytest.mark.parametrize(("one", "other"), [("status", "statu"), ("bus", "bu"), ("bring", "br"), ("need", "ne")])
def test_words_that_only_look_inflected_are_left_alone(one: str, other: str) -> None:
    assert term_of(one) != term_of(other)


def test_identifiers_are_split_and_kept_whole() -> None:
    assert list(words_of("GitHub pullRequest the_snake-case")) == [
        "github", "git", "hub", "pullrequest", "pull", "request", "snake", "case",
    ]  # fmt: skip


def test_stop_words_are_not_words() -> None:
    assert list(words_of("What is this and how do I use it?")) == []


def test_chinese_is_cut_into_bigrams_so_that_parts_of_a_sentence_meet() -> None:
    shared = set(query_terms("请帮我提交代码").hashes.tolist()) & set(query_terms("提交代码").hashes.tolist())
    assert len(shared) == 3


def test_hindi_words_stay_whole() -> None:
    assert list(words_of("हिन्दी भाषा")) == ["हिन्दी", "भाषा"]


def test_accents_and_case_do_not_matter() -> None:
    assert query_terms("RÉSUMÉ").hashes.tolist() == query_terms("resume").hashes.tolist()


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Install-Smoke!", "install smoke"),
        ("  ship   it ", "ship it"),
        ("提交-代码", "提交 代码"),
        ("C++", "c++"),
        ("...", ""),
    ],
)
def test_exact_keys_ignore_punctuation_case_and_space(text: str, key: str) -> None:
    assert exact_key(text) == key


def test_an_identifier_becomes_words() -> None:
    assert identifier_words("prReview_loop-x") == "pr review loop x"


def test_a_misspelt_word_shares_most_grams() -> None:
    right, wrong = grams_of("commit and push"), grams_of("comit and psuh")
    assert len(np.intersect1d(right, wrong)) > len(right) / 2


def test_no_gram_spans_two_words() -> None:
    assert grams_of("ab cd").tolist() == sorted({*grams_of("ab").tolist(), *grams_of("cd").tolist()})


def test_query_words_are_counted_under_one_term() -> None:
    terms = query_terms("test tests testing deploy")
    assert sorted(zip(terms.words, terms.counts.tolist(), strict=True)) == [("deploy", 1), ("test", 3)]


def test_packed_skills_unpack_to_their_words_and_grams() -> None:
    skill = make_skill("ship-it", description="Ship the package", body="publish the package", examples=["send"])
    columns = unpack_texts([None, pack_text(skill), b"junk", pack_text(make_skill("other"))])
    assert columns.unreadable == (0, 2)
    counts = {
        term: (whole, short)
        for slot, term, whole, short in zip(
            columns.slots.tolist(), columns.terms.tolist(), columns.whole.tolist(), columns.short.tolist(), strict=True
        )
        if slot == 1
    }
    assert counts[term_of("package")] == (2, 1)
    assert counts[term_of("publish")] == (1, 0)
    assert counts[term_of("send")] == (1, 0)
    grams = columns.grams[columns.gram_starts[1] : columns.gram_starts[2]]
    assert set(grams_of("package").tolist()) <= set(grams.tolist())


@given(st.lists(st.one_of(st.none(), st.binary(max_size=40)), max_size=8))
def test_no_blob_breaks_unpacking(blobs: list[bytes | None]) -> None:
    columns = unpack_texts(blobs)
    assert len(columns.gram_starts) == len(blobs) + 1


@given(st.lists(st.text(max_size=200), min_size=1, max_size=5))
def test_any_texts_survive_packing(texts: list[str]) -> None:
    skills = [make_skill("a", description=text, body=text) for text in texts]
    columns = unpack_texts([pack_text(skill) for skill in skills])
    for slot, text in enumerate(texts):
        terms = set(columns.terms[columns.slots == slot].tolist())
        assert set(query_terms(text).hashes.tolist()) <= terms


@given(st.text(max_size=300))
def test_grams_are_distinct_and_sorted(text: str) -> None:
    grams = grams_of(text)
    assert (np.diff(grams.astype(np.int64)) > 0).all()
