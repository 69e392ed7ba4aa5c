"""Encoders and how a setting names one: `open_encoder("bundled")`.

    bundled                                        all-MiniLM-L6-v2 trained on, int8 ONNX, in the package; the default
    sentence-transformers:NAME_OR_PATH             any sentence-transformers model, run by torch
    sentence-transformers:NAME_OR_PATH?backend=onnx   the same, run by ONNX Runtime
    openai:BASE_URL#MODEL                          any server that answers POST BASE_URL/embeddings as OpenAI's does
    hashing  hashing:DIM                           deterministic and tiny, for tests; knows words, not meaning

Modules with heavy imports are loaded only when the encoder that needs them is opened.
"""

from __future__ import annotations

from wellworn.index.encoder import Encoder
from wellworn.models.errors import InvalidInput

__all__ = ["SPECS", "open_encoder"]

SPECS = (
    "bundled",
    "sentence-transformers:NAME_OR_PATH",
    "sentence-transformers:NAME_OR_PATH?backend=onnx",
    "openai:BASE_URL#MODEL",
    "hashing",
)


def open_encoder(spec: str = "bundled", *, threads: int = 1, api_key: str | None = None) -> Encoder:
    """Open the encoder that `spec` names (see the module's table).

    threads: threads that one call of `encode` may use inside the model (local models only).
    api_key: bearer token for `openai:`; the others ignore it.
    Raises InvalidInput for a spec of the wrong shape, EncoderUnavailable when the model cannot be loaded or reached.
    """
    if threads < 1:
        raise InvalidInput(f"An encoder cannot run on {threads} threads.", hint="Give 1 or more.", field="threads")
    kind, _, rest = spec.strip().partition(":")
    if kind == "bundled" and not rest:
        return _bundled(threads)
    if kind == "sentence-transformers" and rest:
        return _sentence_transformers(rest, threads)
    if kind == "openai" and rest:
        return _openai(rest, api_key)
    if kind == "hashing":
        return _hashing(rest)
    raise InvalidInput(
        f"There is no encoder called {spec!r}.", hint=f"Choose one of: {', '.join(SPECS)}.", field="encoder"
    )


def _bundled(threads: int) -> Encoder:
    from wellworn.index.encoders.onnx import open_bundled  # noqa: PLC0415 - loads onnxruntime

    return open_bundled(threads=threads)


def _sentence_transformers(rest: str, threads: int) -> Encoder:
    from wellworn.index.encoders.sentence_transformers import open_model  # noqa: PLC0415 - loads torch

    return open_model(rest, threads=threads)


def _openai(rest: str, api_key: str | None) -> Encoder:
    from wellworn.index.encoders.openai import open_server  # noqa: PLC0415 - loads httpx

    return open_server(rest, api_key=api_key)


def _hashing(rest: str) -> Encoder:
    from wellworn.index.encoders.hashing import DEFAULT_DIM, HashingEncoder  # noqa: PLC0415 - loads numpy

    if rest and not (rest.isascii() and rest.isdigit()):
        raise InvalidInput(
            f"'hashing:{rest}' does not name a dimension.", hint="Write for example hashing:256.", field="encoder"
        )
    return HashingEncoder(int(rest[:9]) if rest else DEFAULT_DIM)
