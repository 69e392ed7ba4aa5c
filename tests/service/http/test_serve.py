"""The server process: what it refuses, what it announces, and how it stops."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from tests.service.http.serving import wait_until

from wellworn.models.access import Role
from wellworn.models.errors import InvalidInput, Unavailable
from wellworn.service.http.server import serve
from wellworn.service.settings import Settings
from wellworn.store.database import Database
from wellworn.store.keys import KeyTable

SKILL = "---\nname: ship-it\ndescription: Use when the user wants to ship this and install the latest locally.\n---\n"
HALF_A_REQUEST = (
    b"POST /resolve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
)


def make_home(folder: Path) -> Path:
    skill = folder / "home" / ".wellworn" / "skills" / "ship-it"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text(SKILL, encoding="utf-8")
    return folder / "home"


def is_ready(process: subprocess.Popen[str], address: str) -> bool:
    if process.poll() is not None:
        assert process.stderr is not None
        raise AssertionError(f"It ended: {process.stderr.read()}")
    try:
        return httpx.get(address + "/readyz").status_code == 200
    except httpx.ConnectError:  # it is ending; the next look tells why
        return False


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`wellworn serve --port 0` with the tiny encoder; yields the process and its address."""
    environment = {
        **os.environ,
        "WELLWORN_DATA_DIR": str(folder / "data"),
        "WELLWORN_HOME": str(folder / "home"),
        "WELLWORN_ENCODER": "hashing",
    }
    command = [sys.executable, "-m", "wellworn", "serve", "--port", "0", *arguments]
    with subprocess.Popen(
        command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://[\w.:]+", process.stdout.readline())
            assert found is not None
            wait_until(lambda: is_ready(process, found.group()), 20)
            yield process, found.group()
        finally:
            if process.poll() is None:
                process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_quietly_within_two_seconds(tmp_path: Path, number: signal.Signals) -> None:
    make_home(tmp_path)
    with serving(tmp_path) as (process, address):
        assert (tmp_path / "data" / "service.json").exists()
        answer = httpx.post(f"{address}/resolve", json={"message": "ship this and install the latest locally"})
        assert answer.status_code == 200
        begun = time.monotonic()
        process.send_signal(number)
        _, errors = process.communicate(timeout=10)
        assert time.monotonic() - begun < 2.0
    assert process.returncode == 0
    assert errors == ""
    assert not (tmp_path / "data" / "service.json").exists()


def test_a_request_that_never_ends_does_not_keep_it_from_stopping(tmp_path: Path) -> None:
    make_home(tmp_path)
    with serving(tmp_path) as (process, address):
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as idle:
            idle.sendall(HALF_A_REQUEST)
            time.sleep(0.1)
            begun = time.monotonic()
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=10)
            assert time.monotonic() - begun < 3.0
    assert process.returncode == 0


def test_two_services_share_one_data_folder_and_the_last_is_announced(tmp_path: Path) -> None:
    make_home(tmp_path)
    with serving(tmp_path) as (_, first), serving(tmp_path) as (_, second):
        assert first != second
        place = json.loads((tmp_path / "data" / "service.json").read_text(encoding="utf-8"))
        assert place["address"] == second
        for address in (first, second):
            answer = httpx.post(f"{address}/resolve", json={"message": "ship this and install the latest locally"})
            assert answer.status_code == 200


def test_a_port_in_use_is_one_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings = Settings(data_dir=tmp_path, home=tmp_path, port=taken.getsockname()[1])
        with pytest.raises(Unavailable, match=r"cannot be used: .*--port"):
            serve(settings, lambda _: None)


def test_a_host_that_is_none_is_one_sentence(tmp_path: Path) -> None:
    Database(tmp_path / "wellworn.db").close()
    with pytest.raises(InvalidInput):
        serve(Settings(data_dir=tmp_path, home=tmp_path, port=0, host="no.such.host.invalid"), lambda _: None)


def test_beyond_loopback_it_refuses_to_serve_without_keys(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="keys create"):
        serve(Settings(data_dir=tmp_path, home=tmp_path, port=0, host="0.0.0.0"), lambda _: None)


def test_a_revoked_key_does_not_open_other_addresses(tmp_path: Path) -> None:
    database = Database(tmp_path / "wellworn.db")
    keys = KeyTable(database)
    key, _ = keys.create(Role.agent, "ada", now=datetime.now(UTC))
    keys.revoke(key.id, now=datetime.now(UTC))
    database.close()
    with pytest.raises(InvalidInput, match="keys create"):
        serve(Settings(data_dir=tmp_path, home=tmp_path, port=0, host="0.0.0.0"), lambda _: None)
