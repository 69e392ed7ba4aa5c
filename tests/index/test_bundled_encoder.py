"""The bundled model: it understands, it is steady, and it refuses to run damaged."""

from __future__ import annotations

import json
import shutil
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wellworn.index.encoders import open_encoder
from wellworn.index.encoders.onnx import BUNDLED_FOLDER, OnnxEncoder, batches
from wellworn.models.errors import EncoderUnavailable

MESSAGES = [
    "ship it and install locally",
    "please publish the new version to the registry",
    "",
    "why did the last build fail on the release branch?",
    "リリースノートを書いてください",
    "word " * 200,
    "rebase",
]


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    return OnnxEncoder(BUNDLED_FOLDER, name="bundled")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(BUNDLED_FOLDER, tmp_path / "model"))


@pytest.mark.parametrize(
    ("text", "paraphrase", "unrelated"),
    [
        ("publish a new version of the package", "release the library to the registry", "add a test for the parser"),
        ("why did the tests fail?", "find the reason for the failing test run", "translate the readme into French"),
        ("what is my account balance", "how much money do I have in the bank", "book a flight to Rome"),
    ],
)
def test_a_paraphrase_is_closer_than_an_unrelated_text(
    encoder: OnnxEncoder, text: str, paraphrase: str, unrelated: str
) -> None:
    rows = encoder.encode([text, paraphrase, unrelated])
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2


def test_known_pairs_have_the_similarity_of_the_model_before_it_was_quantised(encoder: OnnxEncoder) -> None:
    """Expected: the trained model in sentence-transformers, fp32."""
    rows = encoder.encode(["The cat sits outside", "The dog plays in the garden", "A man is playing guitar"])
    assert rows[0] @ rows[1] == pytest.approx(0.335, abs=0.03)
    assert rows[0] @ rows[2] == pytest.approx(0.061, abs=0.03)


def test_the_default_specification_is_the_bundled_model() -> None:
    opened = open_encoder()
    assert (opened.name, opened.dim) == ("bundled", 384)


def test_encoding_twice_gives_the_same_bytes(encoder: OnnxEncoder) -> None:
    np.testing.assert_array_equal(encoder.encode(MESSAGES), encoder.encode(MESSAGES))


def test_a_text_has_the_same_vector_alone_and_in_a_batch(encoder: OnnxEncoder) -> None:
    together = encoder.encode(MESSAGES)
    alone = np.concatenate([encoder.encode([message]) for message in MESSAGES])
    assert (together * alone).sum(axis=1).min() > 0.99999


def test_rows_come_back_in_the_order_of_the_texts(encoder: OnnxEncoder) -> None:
    texts = [f"{'very ' * (number * 7 % 40)}number {number}" for number in range(40)]
    similar = encoder.encode(texts) @ encoder.encode(texts[::-1])[::-1].T
    np.testing.assert_array_equal(similar.argmax(axis=1), np.arange(40))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(alphabet=st.characters(), max_size=80), max_size=4))
def test_any_text_gives_a_unit_row(encoder: OnnxEncoder, texts: list[str]) -> None:
    rows = encoder.encode(texts)
    assert rows.shape == (len(texts), 384)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)


@pytest.mark.parametrize("text", ["x" * 50_000, "word " * 10_000, " " * 50_000, "語" * 50_000, "{}();\n\t" * 7_000])
def test_a_text_of_50_kb_costs_no_more_than_a_page(encoder: OnnxEncoder, text: str) -> None:
    encoder.encode([text])
    started = time.process_time()
    rows = encoder.encode([text])
    assert time.process_time() - started < 2.0  # untruncated, the model alone would take minutes
    assert np.linalg.norm(rows[0]) == pytest.approx(1.0, abs=1e-5)


def test_threads_may_encode_at_the_same_time(encoder: OnnxEncoder) -> None:
    expected = encoder.encode(MESSAGES)
    results: list[bool] = []

    def work() -> None:
        results.extend(np.array_equal(encoder.encode(MESSAGES), expected) for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 20


def test_the_fingerprint_is_the_same_for_the_same_files(encoder: OnnxEncoder, folder: Path) -> None:
    assert OnnxEncoder(folder, name="copy").fingerprint == encoder.fingerprint


def test_the_fingerprint_changes_with_the_longest_input(encoder: OnnxEncoder, folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"max_tokens": 64}), encoding="utf-8")
    assert OnnxEncoder(folder, name="copy").fingerprint != encoder.fingerprint


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_file_with_one_flipped_bit_is_refused_by_name(folder: Path, name: str) -> None:
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(EncoderUnavailable, match=rf"{name} is damaged.*Install wellworn again"):
        OnnxEncoder(folder, name="damaged")


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "config.json"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(EncoderUnavailable, match=rf"{name} cannot be read: No such file"):
        OnnxEncoder(folder, name="incomplete")


@pytest.mark.parametrize("content", ["", "[]", "{", '{"name": "x", "dim": "wide", "max_tokens": 1, "sha256": {}}'])
def test_a_configuration_that_is_not_one_is_refused(folder: Path, content: str) -> None:
    (folder / "config.json").write_text(content, encoding="utf-8")
    with pytest.raises(EncoderUnavailable, match=r"config\.json is damaged"):
        OnnxEncoder(folder, name="damaged")


@given(st.lists(st.integers(min_value=2, max_value=256), max_size=200))
def test_batches_hold_every_position_once_within_their_limits(lengths: list[int]) -> None:
    made = list(batches(lengths))
    assert sorted(position for batch in made for position in batch) == list(range(len(lengths)))
    for batch in made:
        assert len(batch) <= 16
        assert len(batch) * max(lengths[position] for position in batch) <= 1_024
