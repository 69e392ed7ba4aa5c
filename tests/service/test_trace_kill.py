"""kill -9 while events are sent: what was acknowledged is there, what was not is there whole or not at all."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from threading import Timer

import httpx
import pytest
from tests.service.cli.commands import Commands
from tests.service.http.serving import JSON, wait_until
from tests.service.worlds import World

pytestmark = pytest.mark.slow
BATCH = 200


def batches(life: int) -> Iterator[list[dict[str, str]]]:
    for number in range(100_000):
        yield [
            {
                "id": f"{life}-{number}-{at}",
                "ts": "2026-03-01T09:30:00Z",
                "sessionId": f"s{life}",
                "kind": "command_run",
                "summary": f"make {at}",
            }
            for at in range(BATCH)
        ]


def send_until_killed(cli: Commands, life: int, seconds: float) -> list[list[str]]:
    """Start a service, send batches, kill it after `seconds`; return the ids of what it acknowledged."""
    acknowledged: list[list[str]] = []
    with cli.start("serve", "--port", "0") as process:
        assert process.stdout is not None
        address = next(word for word in process.stdout.readline().split() if word.startswith("http://"))
        wait_until(lambda: httpx.get(address + "/readyz").status_code == 200, 30)
        killer = Timer(seconds, os.kill, (process.pid, signal.SIGKILL))
        killer.start()
        with httpx.Client(base_url=address, timeout=20) as client, suppress(httpx.TransportError):
            for batch in batches(life):
                answer = client.post("/traces", content=json.dumps({"events": batch}), headers=JSON)
                assert answer.status_code == 200
                acknowledged.append([event["id"] for event in batch])
        killer.join()
        process.communicate(timeout=20)
    return acknowledged


def test_a_kill_loses_no_acknowledged_batch_and_leaves_none_half_written(tmp_path: Path) -> None:
    world = World(tmp_path)
    cli = Commands(world)
    rng = random.Random(7)
    acknowledged: list[list[str]] = []
    for life in range(3):
        acknowledged += send_until_killed(cli, life, rng.uniform(0.2, 0.8))
        with closing(sqlite3.connect(world.data / "wellworn.db")) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            kept = {number for (number,) in database.execute("SELECT id FROM traces")}
        assert {number for batch in acknowledged for number in batch} <= kept
        assert len(kept) % BATCH == 0
    assert acknowledged
    again = json.dumps(
        {"id": acknowledged[0][0], "ts": "2026-03-01T09:30:00Z", "sessionId": "s0", "kind": "command_run"}
    )
    path = tmp_path / "again.jsonl"
    path.write_text(again[:-1] + ', "summary": "make 0"}\n', encoding="utf-8")
    assert cli.ok("trace", "import", str(path), "--json").json["duplicates"] == 1
