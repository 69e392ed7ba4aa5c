"""The bundled encoder: a sentence model as one ONNX file, run by ONNX Runtime on the CPU.

A model folder holds `model.onnx` (token ids and mask in, unit vectors out), `tokenizer.json` and `config.json` with
the dimension, the longest input and the SHA-256 of the other two. `benchmarks/export_encoder.py` makes one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from wellworn.index.encoder import FloatArray
from wellworn.index.encoders.texts import prefix
from wellworn.models.errors import EncoderUnavailable

BUNDLED_FOLDER = Path(__file__).resolve().parent / "minilm"

MODEL_FILE, TOKENIZER_FILE, CONFIG_FILE = "model.onnx", "tokenizer.json", "config.json"
_REINSTALL = "Install wellworn again to restore it."

# Throughput was the same from 16 rows on; memory grows with rows x tokens, and attention with rows x tokens squared.
_MAX_ROWS = 16
_MAX_PADDED_TOKENS = 1_024

# What lies beyond 256 tokens is never looked at, and ordinary text has 4 to 5 characters a token: this holds several
# times that many, and a text of any length costs the same.
_MAX_CHARS = 4_096


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """What `config.json` says that matters while running."""

    name: str
    dim: int
    max_tokens: int
    model_sha256: str
    tokenizer_sha256: str

    def fingerprint(self) -> str:
        """Hexadecimal SHA-256 of everything that decides a vector; pooling and quantisation are inside the model."""
        facts = f"onnx-1:{self.model_sha256}:{self.tokenizer_sha256}:{self.max_tokens}:{_MAX_CHARS}"
        return hashlib.sha256(facts.encode("ascii")).hexdigest()


class OnnxEncoder:
    """Encodes with the model in a folder. Thread-safe: calls from several threads run side by side."""

    def __init__(self, folder: Path, *, name: str, threads: int = 1) -> None:
        """Load and verify the folder's files; `threads` is how many one call may use.

        Raises EncoderUnavailable, naming the file, when one is missing, damaged or not loadable.
        """
        self._name = name
        self._config = read_config(folder / CONFIG_FILE)
        self._fingerprint = self._config.fingerprint()
        _verify(folder / TOKENIZER_FILE, self._config.tokenizer_sha256)
        _verify(folder / MODEL_FILE, self._config.model_sha256)
        self._tokenizer = _load_tokenizer(folder / TOKENIZER_FILE, self._config.max_tokens)
        self._session = _load_session(folder / MODEL_FILE, threads)

    @property
    def name(self) -> str:
        return self._name

    @property
    def dim(self) -> int:
        return self._config.dim

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Return float32[len(texts), dim] with unit rows, in the order of `texts`.

        A text's row does not depend on the others beyond rounding. Raises EncoderUnavailable when the model fails.
        """
        if len(texts) == 1:
            ids = np.array([self._tokenizer.encode(prefix(texts[0], _MAX_CHARS)).ids], dtype=np.int64)
            return self._run(ids, np.ones_like(ids))
        encodings = [self._tokenizer.encode(prefix(text, _MAX_CHARS)) for text in texts]
        rows = np.empty((len(texts), self.dim), dtype=np.float32)
        for batch in batches([len(encoding.ids) for encoding in encodings]):
            rows[batch] = self._run(*_padded([encodings[position] for position in batch]))
        return rows

    def _run(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> FloatArray:
        try:
            rows: FloatArray = self._session.run(["embedding"], {"input_ids": ids, "attention_mask": mask})[0]
        except Exception as error:  # the runtime's errors have no common base of their own
            raise EncoderUnavailable(f"The bundled encoder failed: {_first_line(error)}.") from error
        if not np.isfinite(rows).all():
            raise EncoderUnavailable("The bundled encoder gave a vector that is not finite.", hint=_REINSTALL)
        return rows


def open_bundled(*, threads: int = 1) -> OnnxEncoder:
    """Open the model that lies inside the package."""
    return OnnxEncoder(BUNDLED_FOLDER, name="bundled", threads=threads)


def read_config(path: Path) -> ModelConfig:
    """Read a model folder's `config.json`; raise EncoderUnavailable when it is missing or not one."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        sums = data["sha256"]
        return ModelConfig(
            name=str(data["name"]),
            dim=int(data["dim"]),
            max_tokens=int(data["max_tokens"]),
            model_sha256=str(sums[MODEL_FILE]),
            tokenizer_sha256=str(sums[TOKENIZER_FILE]),
        )
    except OSError as error:
        raise _unreadable(path, error) from error
    except (ValueError, KeyError, TypeError) as error:
        raise EncoderUnavailable(f"The encoder's file {path} is damaged.", hint=_REINSTALL) from error


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield positions in batches of similar length, each within the limits on rows and on padded tokens."""
    batch: list[int] = []
    for position in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) == _MAX_ROWS or (len(batch) + 1) * lengths[position] > _MAX_PADDED_TOKENS):
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


def _padded(encodings: Sequence[Encoding]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    longest = max(len(encoding.ids) for encoding in encodings)
    ids = np.zeros((len(encodings), longest), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, encoding in enumerate(encodings):
        ids[row, : len(encoding.ids)] = encoding.ids
        mask[row, : len(encoding.ids)] = 1
    return ids, mask


def _verify(path: Path, expected: str) -> None:
    try:
        with path.open("rb") as file:
            actual = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise _unreadable(path, error) from error
    if actual != expected:
        raise EncoderUnavailable(f"The encoder's file {path} is damaged: its checksum is wrong.", hint=_REINSTALL)


def _load_tokenizer(path: Path, max_tokens: int) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare Exception
        raise EncoderUnavailable(f"The tokenizer {path} cannot be loaded: {_first_line(error)}.") from error
    tokenizer.enable_truncation(max_tokens)
    tokenizer.no_padding()
    return tokenizer


def _load_session(path: Path, threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    # The arena stays on: without it peak memory was twice as high (326 against 185 MB) and nothing was faster.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # idle threads must not burn a core
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime's errors have no common base of their own
        raise EncoderUnavailable(f"The model {path} cannot be loaded: {_first_line(error)}.") from error


def _unreadable(path: Path, error: OSError) -> EncoderUnavailable:
    return EncoderUnavailable(f"The encoder's file {path} cannot be read: {error.strerror}.", hint=_REINSTALL)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
