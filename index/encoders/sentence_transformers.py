"""Encodes with any model that sentence-transformers can load, by torch or by ONNX Runtime (an optional install)."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from wellworn.index.encoder import FloatArray
from wellworn.index.encoders.texts import prefix
from wellworn.models.errors import EncoderUnavailable, InvalidInput

BACKENDS = ("torch", "onnx")

_BATCH = 32
_CHARS_A_TOKEN = 16  # ordinary text has 4 to 5: what is cut off lies far beyond the model's last token
_HUB_TIMEOUT = 5.0  # seconds to find out whether the model hub can be reached at all
_DEFAULT_OWNER = "sentence-transformers"  # of a model name without one, as the library has it
_CONFIGURATION = frozenset({".json", ".txt", ".model"})
_TORCH_WEIGHTS = frozenset({".safetensors", ".bin"})
# The ONNX backend makes its own graph from the torch weights when the model has none.
_WEIGHTS = {"torch": _TORCH_WEIGHTS, "onnx": _TORCH_WEIGHTS | {".onnx", ".onnx_data"}}


class SentenceTransformersEncoder:
    """A loaded model. Thread-safe: calls run one after another, because the library changes its tokenizer in a call."""

    def __init__(self, model: Any, *, name: str, fingerprint: str) -> None:
        self._model = model
        self._name = name
        self._fingerprint = fingerprint
        self._lock = threading.Lock()
        self._max_chars = (model.max_seq_length or 512) * _CHARS_A_TOKEN
        self._dim = int(self._encode(["dimension"]).shape[1])

    @property
    def name(self) -> str:
        return self._name

    @property
    def dim(self) -> int:
        return self._dim

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Return float32[len(texts), dim] with unit rows; raise EncoderUnavailable when the model fails."""
        if not texts:
            return np.empty((0, self._dim), dtype=np.float32)
        rows = self._encode([prefix(text, self._max_chars) for text in texts])
        if not np.isfinite(rows).all():
            raise EncoderUnavailable(f"The encoder {self._name} gave a vector that is not finite.", hint="Use another.")
        return rows

    def _encode(self, texts: list[str]) -> FloatArray:
        try:
            with self._lock:
                rows = self._model.encode(
                    texts,
                    batch_size=_BATCH,
                    normalize_embeddings=True,
                    convert_to_numpy=True,
                    show_progress_bar=False,
                )
        except Exception as error:  # models bring their own code and errors
            raise EncoderUnavailable(f"The encoder {self._name} failed: {_first_line(error)}.") from error
        return np.asarray(rows, dtype=np.float32)


def open_model(address: str, *, threads: int = 1) -> SentenceTransformersEncoder:
    """Open `NAME_OR_PATH` or `NAME_OR_PATH?backend=onnx`: a folder, else a downloaded model, else one from the hub.

    threads: for torch this is set for the whole process. Raises InvalidInput for another shape, EncoderUnavailable when
    the extra is not installed or the model is neither here nor within reach.
    """
    source, backend = parse_address(address)
    library = _library()
    folder = _folder(source)
    source = str(folder) if folder else source
    options = _options(backend, threads)
    model = _load(library, source, options, is_folder=folder is not None)
    home = folder or _downloaded_folder(source)
    return SentenceTransformersEncoder(
        model, name=f"sentence-transformers:{address}", fingerprint=_fingerprint(home, backend, model)
    )


def parse_address(address: str) -> tuple[str, str]:
    """Split `NAME_OR_PATH?backend=NAME` into source and backend (torch when none is given)."""
    source, question, option = address.partition("?")
    key, _, backend = option.partition("=")
    if not source or (question and (key != "backend" or backend not in BACKENDS)):
        raise InvalidInput(
            f"'sentence-transformers:{address}' does not name a model.",
            hint="Write sentence-transformers:NAME_OR_PATH, and ?backend=onnx after it to run it by ONNX Runtime.",
            field="encoder",
        )
    return source, backend or "torch"


def _library() -> Any:
    try:
        import sentence_transformers  # noqa: PLC0415 - optional, and loads torch
    except ImportError as error:
        raise EncoderUnavailable(
            "sentence-transformers is not installed.", hint="Run: pip install 'wellworn[sentence-transformers]'."
        ) from error
    return sentence_transformers


def _folder(source: str) -> Path | None:
    path = Path(source).expanduser()
    if path.is_dir():
        return path.resolve()
    if source.startswith(("/", "./", "../", "~")) or source.count("/") > 1:
        raise EncoderUnavailable(f"There is no model folder {source}.", hint="Correct the path.")
    return None


def _options(backend: str, threads: int) -> dict[str, Any]:
    if backend == "onnx":
        import onnxruntime  # noqa: PLC0415 - only for this backend

        session = onnxruntime.SessionOptions()
        session.intra_op_num_threads = threads
        return {"backend": "onnx", "model_kwargs": {"provider": "CPUExecutionProvider", "session_options": session}}
    import torch  # noqa: PLC0415 - optional and slow to load

    torch.set_num_threads(threads)
    return {"backend": "torch"}


def _load(library: Any, source: str, options: dict[str, Any], *, is_folder: bool) -> Any:
    try:
        try:
            return library.SentenceTransformer(source, local_files_only=True, **options)
        except OSError:
            if is_folder:
                raise
        _require_on_hub(source)  # the library itself would try for more than a minute
        return library.SentenceTransformer(source, **options)
    except EncoderUnavailable:
        raise
    except Exception as error:  # the library, its backends and a model's own code raise anything
        if "Optimum" in str(error):
            raise EncoderUnavailable(
                "The ONNX backend of sentence-transformers is not installed.",
                hint="Run: pip install 'sentence-transformers[onnx]', or leave ?backend=onnx out.",
            ) from error
        raise EncoderUnavailable(
            f"The model {source!r} cannot be loaded: {_first_line(error)}.",
            hint="Check that it is a sentence-transformers model.",
        ) from error


def _require_on_hub(name: str) -> None:
    """Raise EncoderUnavailable unless the model hub answers, within seconds, that it has the model."""
    from huggingface_hub import constants  # noqa: PLC0415 - comes with the extra

    advice = "Give the path of a model folder, or use the encoder 'bundled'."
    url = f"{constants.ENDPOINT}/api/models/{_full_name(name)}"
    try:
        status = httpx.get(url, timeout=_HUB_TIMEOUT, follow_redirects=True).status_code
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise EncoderUnavailable(
            f"The model {name!r} is not on this machine and the model hub cannot be reached.", hint=advice
        ) from error
    if status in {400, 401, 403, 404}:  # 401 is also what the hub answers for a name that does not exist
        raise EncoderUnavailable(f"There is no public model {name!r} here or on the model hub.", hint=advice)


def _full_name(name: str) -> str:
    return name if "/" in name else f"{_DEFAULT_OWNER}/{name}"


def _downloaded_folder(name: str) -> Path | None:
    """Where the hub's client keeps the model, or None for a model that is kept elsewhere."""
    from huggingface_hub import snapshot_download  # noqa: PLC0415 - comes with the extra

    try:
        return Path(snapshot_download(_full_name(name), local_files_only=True))
    except (OSError, ValueError):
        return None


def _fingerprint(folder: Path | None, backend: str, model: Any) -> str:
    """Digest of the files that decide a vector (weights, tokenizer, pooling, longest input) and of the backend."""
    if folder is None:
        raise EncoderUnavailable("The model's files were not found after loading it.", hint="Give its folder instead.")
    digest = hashlib.sha256(f"sentence-transformers-1:{backend}:{model.max_seq_length}".encode())
    for path in _deciding_files(folder, backend):
        digest.update(f"\0{path.relative_to(folder).as_posix()}\0".encode())
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def _deciding_files(folder: Path, backend: str) -> Iterator[Path]:
    wanted = _CONFIGURATION | _WEIGHTS[backend]
    for path in sorted(folder.rglob("*")):
        if path.suffix in wanted and path.is_file():
            yield path


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
