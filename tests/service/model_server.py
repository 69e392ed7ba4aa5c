"""A language model's server on a local port that speaks both wire formats, and misbehaves as a test says."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-wellworn-test-0123456789abcdef"


class ModelServer(ThreadingHTTPServer):
    """Answers every question with `answer`, through the tool that it was offered.

    status: an error in the place of an answer. raw: the body to send, whatever it is. broken: close the connection
    after half of it, `hold`: answer nothing before it is set; `trickle`: a byte now and then until it is set.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer: Any = {"analysis": "It broke.", "lesson": "Do it in another way."}
        self.status = 200
        self.raw: bytes | None = None
        self.headers: dict[str, str] = {}
        self.broken = False
        self.trickle: threading.Event | None = None
        self.hold: threading.Event | None = None
        self.requests: list[dict[str, Any]] = []
        self.sent: list[dict[str, str]] = []
        self.paths: list[str] = []

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up is what some tests are about."""

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def url(self, provider: str) -> str:
        return f"{self.root}/v1" if provider == "openai" else self.root

    def body(self, path: str, request: dict[str, Any]) -> bytes:
        if self.raw is not None:
            return self.raw
        if self.status >= 300:
            return json.dumps({"error": {"type": "broken", "message": f"no, and your key is {KEY}"}}).encode()
        return json.dumps(
            _openai(self, request) if path.endswith("/completions") else _anthropic(self, request)
        ).encode()


def _openai(server: ModelServer, request: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": server.answer}
    if server.answer is not None and not isinstance(server.answer, str):
        name = request["tools"][0]["function"]["name"]
        call = {"name": name, "arguments": json.dumps(server.answer)}
        message = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "1", "type": "function", "function": call}],
        }
    return {
        "id": "one",
        "object": "chat.completion",
        "created": 1,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150},
    }


def _anthropic(server: ModelServer, request: dict[str, Any]) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": server.answer or ""}] if server.answer else []
    if server.answer is not None and not isinstance(server.answer, str):
        content = [{"type": "tool_use", "id": "1", "name": request["tools"][0]["name"], "input": server.answer}]
    return {
        "id": "one",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": content,
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 120, "output_tokens": 30},
    }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        server = self.server
        server.paths.append(self.path)
        server.requests.append(request)
        server.sent.append({name.lower(): value for name, value in self.headers.items()})
        if server.hold is not None:
            server.hold.wait(10)
        body = server.body(self.path, request)
        self.send_response(server.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        for name, value in server.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if server.broken:
            self.wfile.write(body[: len(body) // 2])
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_WR)
            self.close_connection = True
            return
        if server.trickle is not None:
            for at in range(len(body)):
                self.wfile.write(body[at : at + 1])
                server.trickle.wait(0.01)
            return
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """Serve in a thread."""
    with ModelServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            for waiting in (server.hold, server.trickle):
                if waiting is not None:
                    waiting.set()
            server.shutdown()
            thread.join()
