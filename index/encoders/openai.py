"""Encodes by asking a server that answers `POST <base>/embeddings` as OpenAI's does.

vLLM, Text Embeddings Inference, Ollama, llama.cpp and others do, so a fleet can share one encoder engine.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx
import numpy as np

from wellworn.index.encoder import FloatArray
from wellworn.index.encoders.texts import prefix
from wellworn.models.errors import EncoderUnavailable, InvalidInput

MAX_INPUTS = 128  # texts in one request; servers allow 32 to 2,048, most at least this many
_MAX_CHARS = 2_000  # about 500 tokens of English: many served models refuse more than 512
_BLANK = "."  # stands for an empty text, which OpenAI's server refuses
_TIMEOUT = httpx.Timeout(30.0, connect=5.0)
_RETRIED = frozenset({429, 500, 502, 503, 504})
_PAUSES = (0.2, 0.8)  # seconds before the second and the third attempt
_LONGEST_PAUSE = 5.0  # however long the server asks us to wait

# Their mutual similarities tell one model from another (see `_fingerprint`).
_PROBES = ("ship the new version", "publish the release", "why did the test fail?", "a bowl of tomato soup")


class OpenAIEncoder:
    """A client of one model on one server. Thread-safe."""

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        sleep: Callable[[float], None] = time.sleep,
        timeout: httpx.Timeout = _TIMEOUT,
    ) -> None:
        """Ask the server once, to learn the dimension.

        base_url: up to and with `/v1`. sleep: waits between attempts, in seconds.
        Raises EncoderUnavailable when the server does not answer as it should.
        """
        self._url = f"{base_url.rstrip('/')}/embeddings"
        self._name = f"openai:{base_url}#{model}"
        self._model = model
        self._sleep = sleep
        headers = {"authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.Client(headers=headers, timeout=timeout)
        self._dim: int | None = None
        try:
            probes = self._ask(_PROBES)
        except EncoderUnavailable:
            self.close()
            raise
        self._dim = probes.shape[1]
        self._fingerprint = _fingerprint(model, probes)

    @property
    def name(self) -> str:
        return self._name

    @property
    def dim(self) -> int:
        return self._dim or 0

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def close(self) -> None:
        """Close the connections; the encoder cannot be used afterwards."""
        self._client.close()

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Return float32[len(texts), dim] with unit rows, from as many requests as it takes (128 texts in each).

        Only the first 2,000 characters of a text are sent. Raises EncoderUnavailable when the server fails three times
        or gives something that cannot be used.
        """
        rows = np.empty((len(texts), self.dim), dtype=np.float32)
        for start in range(0, len(texts), MAX_INPUTS):
            rows[start : start + MAX_INPUTS] = self._ask(texts[start : start + MAX_INPUTS])
        return rows

    def _ask(self, texts: Sequence[str]) -> FloatArray:
        inputs = [prefix(text, _MAX_CHARS) if text.strip() else _BLANK for text in texts]
        response = self._post({"model": self._model, "input": inputs, "encoding_format": "float"})
        try:
            return read_vectors(response.json(), len(inputs), self._dim)
        except ValueError as error:
            raise EncoderUnavailable(
                f"The embeddings server at {self._url} gave an answer that cannot be used: {error}.",
                hint="Check that it serves an OpenAI-compatible /v1/embeddings and that the model is still the same.",
            ) from error

    def _post(self, body: dict[str, Any]) -> httpx.Response:
        for pause in (*_PAUSES, None):
            try:
                response = self._client.post(self._url, json=body)
            except httpx.TransportError as error:
                if pause is None:
                    raise self._unreachable(error) from error
                self._sleep(pause)
                continue
            if response.is_success:
                return response
            if pause is None or response.status_code not in _RETRIED:
                break
            self._sleep(_asked_pause(response, pause))
        raise self._refused(response)

    def _unreachable(self, error: httpx.TransportError) -> EncoderUnavailable:
        what = "did not answer in time" if isinstance(error, httpx.TimeoutException) else "cannot be reached"
        return EncoderUnavailable(
            f"The embeddings server at {self._url} {what}.",
            hint="Start it or correct the address in the encoder setting.",
        )

    def _refused(self, response: httpx.Response) -> EncoderUnavailable:
        hint = {
            401: "Set the encoder's API key.",
            403: "Set an API key that may use this model.",
            404: f"Check the address and that the server knows the model {self._model!r}.",
            429: "It is over its rate limit or quota; try again later.",
        }.get(response.status_code, "See the server's own log.")
        said = _server_message(response)
        return EncoderUnavailable(
            f"The embeddings server at {self._url} answered {response.status_code}{f' ({said})' if said else ''}.",
            hint=hint,
        )


def open_server(address: str, *, api_key: str | None = None) -> OpenAIEncoder:
    """Open `BASE_URL#MODEL`; a base without a path gets `/v1`. Raises InvalidInput when it has another shape."""
    base, _, model = address.partition("#")
    try:
        parts = urlsplit(base)
        usable = parts.scheme in {"http", "https"} and parts.hostname and model and not parts.query
        has_credentials = parts.username is not None or parts.password is not None
    except ValueError:
        usable = has_credentials = False
    if has_credentials:
        raise InvalidInput(
            "The embeddings server's address holds a user name or password.",
            hint="Leave it out and set the encoder's API key instead.",
            field="encoder",
        )
    if not usable:
        raise InvalidInput(
            f"'openai:{address}' does not name a server and a model.",
            hint="Write for example openai:http://127.0.0.1:8000/v1#nomic-embed-text.",
            field="encoder",
        )
    return OpenAIEncoder(base if parts.path.strip("/") else f"{base.rstrip('/')}/v1", model, api_key=api_key)


def read_vectors(answer: Any, count: int, dim: int | None) -> FloatArray:
    """Return the answer's vectors as float32[count, dim] with unit rows, ordered by their `index`.

    dim: the dimension they must have, None for any. Raises ValueError saying what is wrong.
    """
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        raise ValueError("it has no list 'data'")
    if len(data) != count:
        raise ValueError(f"{len(data)} vectors for {count} texts")
    positions = [item.get("index", place) for place, item in enumerate(data)]
    if not all(type(position) is int for position in positions) or sorted(positions) != list(range(count)):
        raise ValueError("its indexes do not number the texts")
    try:
        rows = np.array([item.get("embedding") for item in data], dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ValueError("its vectors are not lists of numbers of one length") from error
    if rows.ndim != 2 or (dim is not None and rows.shape[1] != dim):
        raise ValueError(f"its vectors have {rows.shape[-1] if rows.ndim == 2 else 0} dimensions")
    ordered = np.empty_like(rows)
    ordered[positions] = rows
    return _unit(ordered)


def _unit(rows: FloatArray) -> FloatArray:
    wide = rows.astype(np.float64)  # squares of large float32 values would overflow
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    if not np.isfinite(norms).all() or not norms.all():
        raise ValueError("a vector is zero or not finite")
    rows = (wide / norms).astype(np.float32)
    return rows


def _fingerprint(model: str, probes: FloatArray) -> str:
    """Digest of the model's name, the dimension and the probes' mutual cosines to one decimal.

    The cosines notice a server whose model was exchanged under the same name; they are rounded because servers answer
    a little differently each time. The address is left out: the same model elsewhere gives the same vectors.
    """
    cosines = np.round((probes @ probes.T)[np.triu_indices(len(probes), k=1)], 1) + 0.0  # + 0.0 turns -0.0 into 0.0
    facts = f"openai-1:{model}:{probes.shape[1]}:{_MAX_CHARS}:{','.join(f'{value:.1f}' for value in cosines)}"
    return hashlib.sha256(facts.encode("utf-8", "replace")).hexdigest()


def _asked_pause(response: httpx.Response, otherwise: float) -> float:
    asked = response.headers.get("retry-after", "")
    return min(float(asked), _LONGEST_PAUSE) if asked.isascii() and asked.isdigit() else otherwise


def _server_message(response: httpx.Response) -> str:
    """The message in an OpenAI-style error, in one line of at most 200 characters; empty when there is none."""
    try:
        error = response.json().get("error")
    except (ValueError, AttributeError):
        return ""
    message = error.get("message") if isinstance(error, dict) else error
    return " ".join(message.split())[:200].rstrip(".") if isinstance(message, str) else ""
