"""A million events: how fast they are kept, how long `suggest` takes over them, and how long when little is new.

    python -m benchmarks.mining_scale [--events 1000000] [--keep FOLDER] [--json FILE]

The events are those of `mining_world`, of a new seed every 20,000, sent in batches of 1,000 through
`Workspace.traces.ingest`; the same batches go into a bare table by `executemany` in the same run, a transaction each.
`suggest` runs in a process of its own, which tells its seconds and its peak of resident memory; then 1,000 more
events are sent, and it runs again in another process.
"""

from __future__ import annotations

import argparse
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

from benchmarks.mining import PERSON
from benchmarks.mining_patterns import DEVELOPMENT
from benchmarks.mining_world import NOW, Plan, make_world
from wellworn.models.proposal import SuggestRequest
from wellworn.models.trace import TRACE_BATCH_MAX, TraceEvent
from wellworn.service.settings import Settings
from wellworn.service.workspace import Workspace

EACH = 20_000
FIRST_SEED, LATER_SEED = 1_000, 9_999
_DAYS_APART = 18
"""From one seed's ninety days to the next's: some eleven sessions a day in all."""
_TABLE = """CREATE TABLE bare (id TEXT PRIMARY KEY, ts TEXT, session TEXT, repo TEXT, kind TEXT, summary TEXT,
    tags TEXT, success INTEGER, risk TEXT, data TEXT); CREATE INDEX by_session ON bare (session, ts)"""


def batches(total: int) -> Iterator[list[TraceEvent]]:
    """Yield the events of as many worlds as are needed, in batches."""
    worlds = -(-total // EACH)
    for at in range(worlds):
        size = min(EACH, total - at * EACH)
        end = NOW - timedelta(days=_DAYS_APART * (worlds - 1 - at))
        plan = Plan(sessions=max(12, size // 100), events=size, end=end)
        events = make_world(FIRST_SEED + at, DEVELOPMENT, plan).events
        for start in range(0, size, TRACE_BATCH_MAX):
            yield events[start : start + TRACE_BATCH_MAX]


def workspace_in(folder: Path) -> Workspace:
    """Open the workspace with its clock at the end of the traces; it must be closed."""
    settings = Settings(data_dir=folder / "data", home=folder / "home", watch=False)
    return Workspace.open(settings, read=False, discover=False, clock=lambda: NOW)


def ingest(folder: Path, total: int) -> dict[str, float]:
    """Send the events, and put the same ones into a bare table; return both rates (events a second) and their ratio."""
    ours = bare = 0.0
    kept = 0
    with workspace_in(folder) as workspace, closing(sqlite3.connect(folder / "bare.db")) as table:
        table.execute("PRAGMA journal_mode=WAL")
        table.execute("PRAGMA synchronous=NORMAL")
        table.executescript(_TABLE)
        for batch in batches(total):
            started = time.perf_counter()
            kept += workspace.traces.ingest(batch, PERSON).accepted
            ours += time.perf_counter() - started
            rows = [_row(event) for event in batch]
            started = time.perf_counter()
            with table:
                table.executemany("INSERT INTO bare VALUES (?,?,?,?,?,?,?,?,?,?)", rows)
            bare += time.perf_counter() - started
    assert kept == total, f"{kept} of {total} events were kept"
    return {"events": kept, "eventsPerSecond": kept / ours, "barePerSecond": kept / bare, "slower": ours / bare}


def _row(event: TraceEvent) -> tuple[Any, ...]:
    return (
        event.id, str(event.ts), event.session_id, event.repo, event.kind.value, event.summary, json.dumps(event.tags),
        event.success, event.risk, json.dumps(event.data),
    )  # fmt: skip


def peak() -> float:
    """Return the peak of this process's resident memory in MB.

    `getrusage` may count what the parent had when this process was started; where Linux tells better, it is asked.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text(encoding="ascii").partition("VmHWM:")[2].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def suggest_here(folder: Path) -> dict[str, float]:
    """Suggest in this process; return seconds, the peak of resident memory in MB and what was read and found."""
    with workspace_in(folder) as workspace:
        before = peak()
        started, cpu = time.perf_counter(), time.process_time()
        answer = workspace.suggest(SuggestRequest(), PERSON)
        seconds, spent = time.perf_counter() - started, time.process_time() - cpu
    return {
        "seconds": seconds, "cpuSeconds": spent, "peakMB": peak(),
        "openedMB": before, "events": answer.events, "newEvents": answer.new_events, "proposals": len(answer.proposals),
        "ignored": len(answer.ignored), "docs": len(answer.docs),
    }  # fmt: skip


def suggest(folder: Path) -> dict[str, float]:
    """Suggest in a new process."""
    command = [sys.executable, "-m", "benchmarks.mining_scale", "--suggest-in", str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def measure(folder: Path, total: int) -> dict[str, dict[str, float]]:
    """Measure all of it in `folder`."""
    made = {"ingest": ingest(folder, total)}
    print("ingest", made["ingest"], flush=True)
    made["suggest"] = suggest(folder)
    print("suggest", made["suggest"], flush=True)
    later = make_world(LATER_SEED, DEVELOPMENT, Plan(sessions=12, events=TRACE_BATCH_MAX, decoys=False)).events
    with workspace_in(folder) as workspace:
        workspace.traces.ingest(later[:TRACE_BATCH_MAX], PERSON)
    made["suggestAgain"] = suggest(folder)
    print("again", made["suggestAgain"], flush=True)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print; see the module's text."""
    parser = argparse.ArgumentParser(prog="benchmarks.mining_scale", description="Keep and mine a million events.")
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--keep", type=Path, help="an empty folder to work in, which stays")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--suggest-in", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.suggest_in is not None:
        print(json.dumps(suggest_here(options.suggest_in)))
        return 0
    with tempfile.TemporaryDirectory(prefix="wellworn-mining-scale-") as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        figures = measure(folder, options.events)
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
