"""The client of an embeddings server, against a real HTTP server on a local port."""

from __future__ import annotations

import json
import math
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.index.encoder import Encoder
from wellworn.index.encoders import open_encoder
from wellworn.index.encoders.hashing import HashingEncoder
from wellworn.index.encoders.openai import OpenAIEncoder, read_vectors
from wellworn.models.errors import EncoderUnavailable

Answer = tuple[int, Any, dict[str, str]]


class EmbeddingsServer(ThreadingHTTPServer):
    """Answers as OpenAI does, with the hashing encoder; `queue` holds answers to give before that."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.encoder = HashingEncoder(32)
        self.queue: list[Answer] = []
        self.change: Callable[[dict[str, Any]], Any] = lambda answer: answer
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.paths: list[str] = []

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def answer(self, body: dict[str, Any]) -> Answer:
        if self.queue:
            return self.queue.pop(0)
        rows = 3.0 * self.encoder.encode(body["input"])
        data = [{"index": index, "embedding": row.tolist()} for index, row in enumerate(rows)]
        return 200, self.change({"data": data[::-1], "model": body["model"]}), {}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: EmbeddingsServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.paths.append(self.path)
        self.server.requests.append(body)
        self.server.keys.append(self.headers.get("authorization"))
        status, answer, headers = self.server.answer(body)
        content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[EmbeddingsServer]:
    with EmbeddingsServer() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def encoder(server: EmbeddingsServer, pauses: list[float]) -> Iterator[OpenAIEncoder]:
    opened = OpenAIEncoder(f"{server.root}/v1", "tiny", api_key="secret", sleep=pauses.append)
    yield opened
    opened.close()


def test_the_specification_opens_a_server_and_learns_the_dimension(server: EmbeddingsServer) -> None:
    encoder = open_encoder(f"openai:{server.root}#tiny")
    assert isinstance(encoder, OpenAIEncoder)
    assert isinstance(encoder, Encoder)
    assert (encoder.dim, encoder.name) == (32, f"openai:{server.root}/v1#tiny")
    assert server.paths == ["/v1/embeddings"]
    assert server.keys == [None]
    encoder.close()


def test_rows_are_unit_and_in_the_order_of_the_texts(server: EmbeddingsServer, encoder: OpenAIEncoder) -> None:
    texts = [f"text {number}" for number in range(300)]
    np.testing.assert_allclose(encoder.encode(texts), server.encoder.encode(texts), atol=1e-6)
    assert [len(request["input"]) for request in server.requests[1:]] == [128, 128, 44]
    assert server.requests[1]["model"] == "tiny"
    assert set(server.keys) == {"Bearer secret"}


def test_no_texts_need_no_request(server: EmbeddingsServer, encoder: OpenAIEncoder) -> None:
    assert encoder.encode([]).shape == (0, 32)
    assert len(server.requests) == 1


def test_empty_long_and_broken_texts_are_sent_as_something_a_server_takes(
    server: EmbeddingsServer, encoder: OpenAIEncoder
) -> None:
    rows = encoder.encode(["", "  \n", "x" * 50_000, "\ud800 text"])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    assert server.requests[-1]["input"] == [".", ".", "x" * 2_000, "? text"]


def test_a_failing_server_is_asked_again(server: EmbeddingsServer, encoder: OpenAIEncoder, pauses: list[float]) -> None:
    server.queue = [(500, b"oops", {}), (429, {}, {"retry-after": "2"})]
    assert encoder.encode(["again"]).shape == (1, 32)
    assert pauses == [0.2, 2.0]


def test_a_server_that_keeps_failing_is_given_up(server: EmbeddingsServer, encoder: OpenAIEncoder) -> None:
    server.queue = [(503, b"", {"retry-after": "soon"})] * 3
    with pytest.raises(EncoderUnavailable, match="answered 503"):
        encoder.encode(["again"])
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("status", "answer", "said"),
    [
        (401, {"error": {"message": "Incorrect API key.\nSee docs."}}, r"401 \(Incorrect API key. See docs\).*API key"),
        (404, {"error": "no such model"}, r"404 \(no such model\).*knows the model 'tiny'"),
        (400, [], "answered 400"),
        (307, b"", "answered 307"),
    ],
)
def test_a_refusal_is_not_repeated_and_says_what_to_do(
    server: EmbeddingsServer, encoder: OpenAIEncoder, status: int, answer: object, said: str
) -> None:
    server.queue = [(status, answer, {})]
    with pytest.raises(EncoderUnavailable, match=said) as caught:
        encoder.encode(["text"])
    assert len(server.requests) == 2
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda answer: {"data": answer["data"][1:]}, "1 vectors for 2 texts"),
        (lambda answer: {"data": [item | {"index": 0} for item in answer["data"]]}, "indexes do not number"),
        (lambda answer: {"data": [item | {"index": True} for item in answer["data"]]}, "indexes do not number"),
        (lambda answer: {"data": [item | {"embedding": [0.0] * 32} for item in answer["data"]]}, "zero or not finite"),
        (lambda answer: {"data": [item | {"embedding": [math.nan] * 32} for item in answer["data"]]}, "not finite"),
        (lambda answer: {"data": [item | {"embedding": [1.0] * 31} for item in answer["data"]]}, "31 dimensions"),
        (lambda answer: {"data": [item | {"embedding": "AAAA"} for item in answer["data"]]}, "lists of numbers"),
        (lambda answer: {"data": [{"index": item["index"]} for item in answer["data"]]}, "numbers of one|0 dimensions"),
        (lambda answer: ["data"], "no list 'data'"),
        (lambda answer: b"<html>", "cannot be used"),
    ],
)
def test_an_answer_that_cannot_be_used_is_refused(
    server: EmbeddingsServer, encoder: OpenAIEncoder, change: Callable[[dict[str, Any]], Any], said: str
) -> None:
    server.change = change
    with pytest.raises(EncoderUnavailable, match=said):
        encoder.encode(["one", "two"])


def test_a_closed_port_is_an_error_within_moments_that_names_the_address() -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))  # bound but not listening: connections are refused
        port = reserved.getsockname()[1]
        with pytest.raises(EncoderUnavailable, match=f"127.0.0.1:{port}/v1/embeddings cannot be reached"):
            open_encoder(f"openai:http://127.0.0.1:{port}/v1#tiny")


def test_a_silent_server_is_given_up_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        with pytest.raises(EncoderUnavailable, match="did not answer in time"):
            OpenAIEncoder(url, "tiny", sleep=lambda _: None, timeout=httpx.Timeout(0.05))


def test_the_fingerprint_is_of_the_model_and_not_of_its_address(server: EmbeddingsServer) -> None:
    def fingerprint(base: str, model: str = "tiny") -> str:
        encoder = OpenAIEncoder(f"{server.root}{base}", model)
        encoder.close()
        return encoder.fingerprint

    first = fingerprint("/v1")
    assert fingerprint("/elsewhere/v1") == first
    assert fingerprint("/v1", "other") != first


def test_the_fingerprint_notices_a_model_exchanged_under_its_name(server: EmbeddingsServer) -> None:
    fingerprints = set()
    for change in (lambda answer: answer, _one_direction):
        server.change = change
        encoder = OpenAIEncoder(f"{server.root}/v1", "tiny")
        encoder.close()
        fingerprints.add(encoder.fingerprint)
    assert len(fingerprints) == 2


def _one_direction(answer: dict[str, Any]) -> dict[str, Any]:
    return {"data": [item | {"embedding": [1.0] * 32} for item in answer["data"]]}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["data", "index", "embedding"]), inner),
    max_leaves=12,
)


@given(json_values, st.integers(min_value=0, max_value=3))
def test_any_json_is_read_as_unit_rows_or_refused(answer: Any, count: int) -> None:
    try:
        rows = read_vectors(answer, count, None)
    except ValueError:
        return
    assert rows.shape[0] == count
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-4)
