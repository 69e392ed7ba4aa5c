"""What a slow reviewer costs whoever posts turns, and whether its deadline and the counts hold.

    python -m benchmarks.turns [--turns 1000] [--clients 16] [--json FILE]

A service runs in this process, on loopback; clients in another process post completed turns of a person, all at once.
Blocks take turns: in one the person has opted in, and every other turn begins a review by a reviewer that sleeps longer
than its deadline and tries to write then; in the other they have not. Told are the callers' p50 and p99 of both and
their ratio, how long after its deadline a review was recorded as over, what was written after it (nothing, or deadlines
do not hold), and whether every call was counted exactly once.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from wellworn.lifecycle.proposing.drafting import Surroundings, draft_once
from wellworn.lifecycle.proposing.words import talk_of
from wellworn.lifecycle.review.builtin import work_of
from wellworn.lifecycle.review.reviewer import ReviewStopped, ReviewTask
from wellworn.models.access import LOCAL_USER, Caller, Role
from wellworn.models.skill import Scope
from wellworn.models.turn import AccountChange
from wellworn.service.http.app import create_app
from wellworn.service.settings import Settings
from wellworn.service.workspace import Workspace

PERSON = Caller(role=Role.admin, user=LOCAL_USER)
CALLS, EVERY, DEADLINE, SLEEP = 7, 10, 0.05, 0.2
BLOCKS = 8
_CLIENTS = """
import json, sys, threading, time
import httpx
address, clients = sys.argv[1], int(sys.argv[2])
connections = [httpx.Client(base_url=address, timeout=30) for _ in range(clients)]
for one in connections:
    one.get("/healthz")
print("ready", flush=True)
for line in sys.stdin:
    turns, times, lock = json.loads(line), [], threading.Lock()
    def work(connection):
        while True:
            with lock:
                if not turns:
                    return
                turn = turns.pop()
            begun = time.perf_counter()
            connection.post("/turns", json=turn).raise_for_status()
            times.append(time.perf_counter() - begun)
    threads = [threading.Thread(target=work, args=(one,)) for one in connections]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    print(json.dumps(times), flush=True)
"""


@dataclass
class SlowReviewer:
    """Sleeps on when it should stop, and tries to write then. begun: when each review began, by its turn."""

    name: str = "slow"
    needs_model: bool = False
    begun: dict[str, datetime] = field(default_factory=dict)
    written: int = 0

    def review(self, task: ReviewTask) -> None:
        self.begun[task.turn.id] = datetime.now(UTC)
        draft = draft_once(work_of(task.turn, datetime.now(UTC)), _NOTHING, task.turn.id, Scope.user)
        time.sleep(task.cancel.remaining() + SLEEP)
        with suppress(ReviewStopped):
            task.write(draft)
            self.written += 1


_NOTHING = Surroundings(talk_of([]), [], lambda texts, _: [None] * len(texts), datetime.now(UTC))


@contextmanager
def service(folder: Path, reviewer: SlowReviewer) -> Iterator[tuple[Workspace, str]]:
    """A running service of an empty home, with that reviewer; yields its workspace and address."""
    settings = Settings(data_dir=folder / "data", home=folder / "home", watch=False, port=0)
    opened: list[Workspace] = []

    def open_workspace(show: Any) -> Workspace:
        opened.append(Workspace.open(settings, progress=show, background=True))
        opened[0].reviewing.register_reviewer(reviewer)
        return opened[0]

    app = create_app(settings, open_workspace)
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", access_log=False))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        while httpx.get(f"{address}/readyz").status_code != 200:
            time.sleep(0.05)
        yield opened[0], address
    finally:
        server.should_exit = True
        thread.join(20)


def measure(folder: Path, turns: int, clients: int) -> dict[str, Any]:
    """Return milliseconds and counts; raises AssertionError when a count or a deadline does not hold."""
    reviewer = SlowReviewer()
    times: dict[bool, list[float]] = {True: [], False: []}
    size = max(2, turns // BLOCKS // 2 * 2)
    with service(folder, reviewer) as (workspace, address), posting(address, clients) as post:
        workspace.runtime.change(
            {"review.every_tool_calls": EVERY, "review.deadline_s": DEADLINE, "review.min_tool_calls": 1}, PERSON
        )
        for block in range(2 * BLOCKS + 1):
            reviewed = block % 2 == 1
            workspace.reviewing.change_account("me", AccountChange(opted_in=reviewed), PERSON)
            taken = post([_turn(f"{block}-{number}") for number in range(size)])
            if block:  # the first one only warms up
                times[reviewed] += taken
        workspace.reviewing.wait()
        armed = [
            workspace.reviewing.turn(f"{block}-{number}", PERSON)
            for block in range(1, 2 * BLOCKS + 1, 2)
            for number in range(size)
        ]
        counted = workspace.reviewing.learning("me", PERSON).counted
        proposals = workspace.curation.proposals(PERSON).total
    reviews = [one.review for one in armed if one.review is not None]
    statuses = [one.status for one in reviews]
    late = [
        (one.ended_at - reviewer.begun[one.turn_id]).total_seconds() - DEADLINE
        for one in reviews
        if one.turn_id in reviewer.begun and one.ended_at is not None
    ]
    exact = len(statuses) == BLOCKS * size // 2 and counted == 0 and all(one.answer.eligible for one in armed)
    return {
        "turns": len(times[True]),
        "clients": clients,
        "withoutReview": _spread(times[False]),
        "withSlowReviewer": _spread(times[True]),
        "p50Ratio": _spread(times[True])["p50"] / _spread(times[False])["p50"],
        "p99Ratio": _spread(times[True])["p99"] / _spread(times[False])["p99"],
        "reviews": {status: statuses.count(status) for status in sorted(set(statuses))},
        "recordedAfterDeadlineMs": {"p50": 1000 * statistics.median(late), "most": 1000 * max(late)},
        "deadlinesHold": proposals == reviewer.written == 0 and set(statuses) <= {"late", "refused"},
        "countsExact": exact,
    }


@contextmanager
def posting(address: str, clients: int) -> Iterator[Any]:
    """Clients in a process of their own; yields a function that posts turns and returns the seconds of each."""
    command = [sys.executable, "-c", _CLIENTS, address, str(clients)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        stdin, stdout = process.stdin, process.stdout
        assert stdout.readline() == "ready\n"

        def post(turns: Sequence[dict[str, Any]]) -> list[float]:
            stdin.write(json.dumps(turns) + "\n")
            stdin.flush()
            found: list[float] = json.loads(stdout.readline())
            return found

        yield post
        stdin.close()


def _turn(number: str) -> dict[str, Any]:
    calls = [{"tool": "Bash", "command": f"make part-{at}", "success": True} for at in range(CALLS)]
    return {"id": number, "origin": "cli", "ending": "completed", "message": "do the thing", "calls": calls}


def _spread(seconds: Sequence[float]) -> dict[str, float]:
    cuts = statistics.quantiles(seconds, n=100)
    return {"p50": 1000 * cuts[49], "p99": 1000 * cuts[98]}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What a slow reviewer costs whoever posts turns.")
    parser.add_argument("--turns", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder), given.turns, given.clients)
    if given.json is not None:
        given.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    print(json.dumps(figures, indent=1))
    print(
        f"With a reviewer that sleeps {SLEEP + DEADLINE:.2f} s past a deadline of {DEADLINE} s, the callers' p99 is "
        f"{figures['p99Ratio']:.2f} times what it is without reviews; deadlines hold: "
        f"{figures['deadlinesHold']}, counts exact: {figures['countsExact']}."
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
