"""A real server on a free port, in a thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from wellworn.service.http import server as serving
from wellworn.service.http.app import Service, create_app
from wellworn.service.settings import Settings

JSON = {"content-type": "application/json"}
TOKEN = "local_for-tests"


@dataclass
class Served:
    """A running service and a client of it."""

    app: Service
    client: httpx.Client
    address: str

    def post(self, path: str, body: bytes | dict[str, Any], **headers: str) -> httpx.Response:
        sent = {"json": body} if isinstance(body, dict) else {"content": body}
        return self.client.post(path, headers={**JSON, **headers}, **sent)

    def until_ready(self) -> None:
        wait_until(lambda: self.client.get("/readyz").status_code == 200)


@contextmanager
def served(
    folder: Path, open_workspace: Callable[[Callable[[Any], None]], Any], *, ready: bool = True, **settings: Any
) -> Iterator[Served]:
    """Serve what `open_workspace` opens."""
    chosen = Settings(**{"data_dir": folder, "home": folder / "home", "port": 0, **settings})
    app = create_app(chosen, open_workspace, token=TOKEN)
    with serving._listening(chosen) as sock:
        server = uvicorn.Server(serving._config(app))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]})
        thread.start()
        address = f"http://127.0.0.1:{sock.getsockname()[1]}"
        with httpx.Client(base_url=address, timeout=20) as client:
            try:
                wait_until(lambda: server.started)
                running = Served(app, client, address)
                if ready:
                    running.until_ready()
                yield running
            finally:
                client.close()
                server.should_exit = True
                thread.join(10)


def wait_until(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "waited too long"
        time.sleep(0.005)


def problem(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """Check the shape that every error has, and return it."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    found: dict[str, Any] = response.json()
    assert found["type"] == f"urn:wellworn:problem:{code}"
    assert found["status"] == status
    assert found["title"]
    assert found["detail"].endswith(".")
    assert set(found) <= {"type", "title", "status", "detail", "field", "hint", "errorId"}
    return found
