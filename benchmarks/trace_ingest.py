"""How fast trace events are kept, beside a bare SQLite insert of the same rows in the same run.

    python -m benchmarks.trace_ingest [--events 1000000] [--http 100000] [--seed 1]

Batches of 1000, as JSON: read and checked (`TraceBatch`), redacted, stored (`Traces.ingest`); and the same over HTTP
through a real server. Events vary in arguments, sessions and kinds as those of agents do.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from wellworn.models.access import LOCAL_PERSON
from wellworn.models.trace import TraceBatch
from wellworn.service.settings import Settings
from wellworn.service.workspace import Workspace

BATCH = 1000
GOAL = 20_000
START = datetime(2026, 1, 1, tzinfo=UTC)
COMMANDS = [
    "npm test",
    "npm run build && npm test -- --watch=false",
    "git commit -m 'Fix the {word} of {word}'",
    "git push origin {word}-{number}",
    "pytest -q tests/test_{word}.py -k {word}",
    "docker build -t registry.local/{word}:1.{number}.0 .",
    "kubectl rollout status deploy/{word} -n prod",
    "curl -s https://api.{word}.io/v1/{word}?page={number}",
    "sed -n {number},99p src/{word}/{word}.py",
    "export API_TOKEN={word}{number} && make release",
]
SAID = ["ship this and install it locally", "no, use pnpm for {word}", "work this PR until the {word} is clean"]
WORDS = ["parser", "login", "invoice", "cache", "router", "queue", "editor", "search", "upload", "billing", "report"]


def events(count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Events as agents send them; about one in ten holds a secret."""
    rng = random.Random(seed)
    for at in range(count):
        said = rng.random() < 0.1
        text = rng.choice(SAID if said else COMMANDS)
        text = text.replace("{word}", rng.choice(WORDS)).replace("{number}", str(rng.randint(1, 200)))
        event: dict[str, Any] = {
            "id": f"e{seed}-{at}",
            "ts": (START + timedelta(seconds=at)).isoformat(),
            "sessionId": f"session-{at // 100}",
            "kind": "user_intent" if said else "command_run",
            "summary": text,
        }
        if not said:
            event["success"] = rng.random() < 0.9
            event["data"] = {"command": text, "exitCode": int(not event["success"]), "cwd": f"/srv/{at // 100 % 50}"}
        yield event


def batches(count: int, seed: int) -> Iterator[bytes]:
    """Bodies of `POST /traces`."""
    some: list[dict[str, Any]] = []
    for event in events(count, seed):
        some.append(event)
        if len(some) == BATCH:
            yield json.dumps({"events": some}).encode()
            some = []
    if some:
        yield json.dumps({"events": some}).encode()


def ingest_rate(folder: Path, count: int, seed: int) -> tuple[float, float]:
    """Events a second, and a second of processor time, from JSON to the disk; making the events is not counted."""
    seconds = busy = 0.0
    settings = Settings(data_dir=folder / "data", home=folder / "home", encoder="hashing:64")
    with Workspace.open(settings) as workspace:
        for body in batches(count, seed):
            begun, begun_busy = time.perf_counter(), time.process_time()
            batch = TraceBatch.model_validate_json(body, strict=True)
            workspace.traces.ingest(batch.events, LOCAL_PERSON)
            seconds += time.perf_counter() - begun
            busy += time.process_time() - begun_busy
        kept = sum(one.events for one in workspace.traces.counts())
    assert kept == count
    return count / seconds, count / busy


def bare_rate(folder: Path, stored: Path) -> float:
    """Rows a second of a plain `executemany` of the rows that were stored, into a table of the same shape."""
    source = sqlite3.connect(stored)
    (table,) = source.execute("SELECT sql FROM sqlite_master WHERE name = 'traces'").fetchone()
    indexes = [
        sql for (sql,) in source.execute("SELECT sql FROM sqlite_master WHERE tbl_name = 'traces' AND type = 'index'")
    ]
    target = sqlite3.connect(folder / "bare.db", isolation_level=None)
    target.execute("PRAGMA journal_mode = WAL")
    target.execute("PRAGMA synchronous = FULL")
    for sql in (table, *filter(None, indexes)):
        target.execute(sql)
    rows = source.execute("SELECT * FROM traces ORDER BY seq")
    width, count, seconds = len(rows.description), 0, 0.0
    insert = f"INSERT INTO traces VALUES ({', '.join('?' * width)})"
    while some := rows.fetchmany(BATCH):
        begun = time.perf_counter()
        target.execute("BEGIN IMMEDIATE")
        target.executemany(insert, some)
        target.execute("COMMIT")
        seconds += time.perf_counter() - begun
        count += len(some)
    source.close()
    target.close()
    return count / seconds


def http_rate(folder: Path, count: int, seed: int) -> float:
    """Events a second through a real server, from one client."""
    import httpx
    from tests.service.http.serving import served

    settings = Settings(data_dir=folder / "data", home=folder / "home", encoder="hashing:64")
    bodies = list(batches(count, seed))
    with served(folder / "data", lambda _: Workspace.open(settings, background=True)) as running:
        begun = time.perf_counter()
        for body in bodies:
            answer: httpx.Response = running.post("/traces", body)
            assert answer.status_code == 200, answer.text
        return count / (time.perf_counter() - begun)


def main() -> None:
    """Print the rates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--http", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rate, by_processor = ingest_rate(folder / "one", given.events, given.seed)
        stored = folder / "one" / "data" / "wellworn.db"
        bare = bare_rate(folder, stored)
        print(f"through Traces.ingest: {rate:,.0f} events/s (goal {GOAL:,}), {given.events:,} events")
        print(f"by processor time (others may be using the machine): {by_processor:,.0f} events/s")
        print(f"bare SQLite, the same rows: {bare:,.0f} rows/s; ratio {rate / bare:.2f}")
        print(f"database: {stored.stat().st_size / given.events:.0f} bytes an event")
        if given.http:
            print(f"over HTTP, one client: {http_rate(folder / 'two', given.http, given.seed):,.0f} events/s")


if __name__ == "__main__":
    main()
