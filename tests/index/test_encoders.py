"""What every encoder promises, and how a specification opens one."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wellworn.index.encoder import Encoder
from wellworn.index.encoders import open_encoder
from wellworn.index.encoders.hashing import HashingEncoder
from wellworn.index.encoders.texts import prefix
from wellworn.models.errors import EncoderUnavailable, InvalidInput

any_text = st.text(alphabet=st.characters(), max_size=200)  # lone surrogates included


@given(st.lists(any_text, max_size=5))
def test_hashing_gives_a_unit_row_for_any_text(texts: list[str]) -> None:
    rows = HashingEncoder(64).encode(texts)
    assert rows.shape == (len(texts), 64)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)


def test_hashing_finds_shared_words_and_word_parts() -> None:
    rows = HashingEncoder().encode(["release the package", "releases of packages", "tomato soup"])
    similar = rows @ rows.T
    assert similar[0, 1] > similar[0, 2] + 0.1


def test_hashing_gives_a_text_the_same_vector_in_any_company() -> None:
    encoder = HashingEncoder()
    np.testing.assert_array_equal(encoder.encode(["a b", "c"])[0], encoder.encode(["a b"])[0])


def test_hashing_fingerprints_differ_by_dimension_only() -> None:
    assert HashingEncoder(64).fingerprint == HashingEncoder(64).fingerprint
    assert HashingEncoder(64).fingerprint != HashingEncoder(128).fingerprint


@pytest.mark.parametrize(("spec", "dim"), [("hashing", 256), ("hashing:64", 64), (" hashing ", 256)])
def test_a_specification_opens_the_encoder_it_names(spec: str, dim: int) -> None:
    encoder = open_encoder(spec)
    assert isinstance(encoder, Encoder)
    assert encoder.dim == dim
    assert encoder.name == spec.strip()


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "nonsense",
        "bundled:other",
        "hashing:many",
        "hashing:0",
        "hashing:99999999999999999999",
        "sentence-transformers:",
        "sentence-transformers:name?backend=abacus",
        "sentence-transformers:name?revision=1",
        "openai:",
        "openai:http://127.0.0.1:1/v1",
        "openai:ftp://127.0.0.1/v1#model",
        "openai:http://[broken/v1#model",
    ],
)
def test_a_specification_of_the_wrong_shape_is_refused_with_a_sentence(spec: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        open_encoder(spec)
    assert str(caught.value).endswith(".")
    assert caught.value.hint


def test_an_unknown_kind_names_the_ones_that_exist() -> None:
    with pytest.raises(InvalidInput, match=r"no encoder called 'word2vec'.*bundled"):
        open_encoder("word2vec")


def test_a_password_in_the_address_is_refused_without_repeating_it() -> None:
    with pytest.raises(InvalidInput) as caught:
        open_encoder("openai:http://me:hunter2@127.0.0.1/v1#model")
    assert "hunter2" not in str(caught.value)


def test_no_threads_at_all_is_refused() -> None:
    with pytest.raises(InvalidInput, match="0 threads"):
        open_encoder("hashing", threads=0)


@pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is not None, reason="sentence-transformers is installed"
)
def test_without_the_extra_the_error_says_what_to_install() -> None:
    with pytest.raises(EncoderUnavailable, match=r"pip install 'wellworn\[sentence-transformers\]'"):
        open_encoder("sentence-transformers:any-model")


@given(any_text, st.integers(min_value=1, max_value=50))
@settings(max_examples=200)
def test_a_prefix_is_valid_text_no_longer_than_asked(text: str, chars: int) -> None:
    short = prefix(text, chars)
    assert len(short) <= chars
    short.encode("utf-8")
    if len(text) <= chars and text.isprintable() and text.isascii():
        assert short == text


def test_a_prefix_is_not_used_up_by_indentation() -> None:
    assert prefix(" " * 1_000 + "\n\n".join(["first", "second"]) + " " * 1_000, 12) == "first second"
