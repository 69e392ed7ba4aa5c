"""Two worker processes on one data folder."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from tests.index.makers import NOW, found, make_skill, make_source, open_data, open_live, put

from wellworn.index.writes import remove_skills, upsert_skills
from wellworn.store.database import Database

STEP_SECONDS = 1.0

WORKER = """
import sys
from pathlib import Path
from wellworn.index.encoders.hashing import HashingEncoder
from wellworn.index.live import LiveIndex
from wellworn.models.skill import Scope
from wellworn.store.database import Database

folder = Path(sys.argv[1])
with Database(folder / "wellworn.db") as db, LiveIndex(db, folder / "vectors", HashingEncoder(64)) as live:
    live.start()
    print("ready", flush=True)
    for line in sys.stdin:
        snapshot = live.snapshot
        view = snapshot.view([(Scope.user, "local")])
        hits = view.search(snapshot.encoder.encode([line.strip()])[0], 1)
        print(view.card(hits[0].ref).id if hits else "-", view.vectors, flush=True)
"""


class Worker:
    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.read()

    def read(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def ask(self, message: str) -> str:
        assert self.process.stdin is not None
        self.process.stdin.write(message + "\n")
        self.process.stdin.flush()
        return self.read().split()[0]

    def answers_within(self, message: str, expected: str, seconds: float = STEP_SECONDS) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.ask(message) == expected:
                return True
            time.sleep(0.02)
        return False

    def stop(self) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        code = self.process.wait(timeout=20)
        self.process.stdout.close()
        return code


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[tuple[Database, list[Worker]]]:
    with open_data(tmp_path, make_source(Path("/skills"))) as db:
        put(db, make_skill("first", aliases=["sweep the floor"]))
        workers = [Worker(tmp_path), Worker(tmp_path)]
        yield db, workers
        assert [worker.stop() for worker in workers] == [0, 0]


def test_workers_see_writes_of_another_process_within_a_second(shared: tuple[Database, list[Worker]]) -> None:
    db, workers = shared
    with open_live(db) as live:
        upsert_skills(db, live, "home", [make_skill("second", aliases=["water the plants"])], now=NOW)
        assert all(worker.answers_within("water the plants", "second") for worker in workers)
        keys = put(db, make_skill("second", aliases=["water the plants"]), stamp="2")
        remove_skills(db, live, keys, now=NOW)
        assert all(worker.answers_within("water the plants", "first") for worker in workers)


def test_a_write_without_vectors_is_embedded_by_the_workers(shared: tuple[Database, list[Worker]]) -> None:
    db, workers = shared
    put(db, *[make_skill(f"many-{n}", aliases=[f"numbered thing {n}", f"item {n}"]) for n in range(200)])
    assert all(worker.answers_within("numbered thing 170", "many-170", seconds=10) for worker in workers)


def test_a_worker_that_is_killed_does_not_stop_the_others(tmp_path: Path) -> None:
    with open_data(tmp_path, make_source(Path("/skills"))) as db:
        victim, survivor = Worker(tmp_path), Worker(tmp_path)
        put(db, *[make_skill(f"many-{n}", aliases=[f"numbered thing {n} {m}" for m in range(10)]) for n in range(150)])
        victim.process.kill()
        victim.process.wait()
        assert survivor.answers_within("numbered thing 140 3", "many-140", seconds=15)
        for stream in (victim.process.stdin, victim.process.stdout):
            assert stream is not None
            stream.close()
        assert survivor.stop() == 0
        with open_live(db) as live:
            live.fill()
            assert found(live, "numbered thing 3 4", k=1) == ["many-3"]


REINDEXER = """
import sys, time
from pathlib import Path
from wellworn.index.encoders.hashing import HashingEncoder
from wellworn.index.live import LiveIndex
from wellworn.store.database import Database

class Slow(HashingEncoder):
    def encode(self, texts):
        time.sleep(0.02)
        return super().encode(texts)

folder = Path(sys.argv[1])
with Database(folder / "wellworn.db") as db, LiveIndex(db, folder / "vectors", Slow(64)) as live:
    print("ready", flush=True)
    print(live.reindex(sync=False).embedded, flush=True)
"""


@pytest.mark.slow
def test_a_reindex_that_is_killed_again_and_again_completes_without_repair(tmp_path: Path) -> None:
    random = Random(1)
    with open_data(tmp_path, make_source(Path("/skills"))) as db:
        put(db, *[make_skill(f"many-{n}", aliases=[f"numbered thing {n} {m}" for m in range(20)]) for n in range(400)])
        for _ in range(12):
            command = [sys.executable, "-c", REINDEXER, str(tmp_path)]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
                assert process.stdout is not None
                process.stdout.readline()
                time.sleep(random.uniform(0, 0.4))
                process.kill()
        with open_live(db) as live:
            report = live.reindex(sync=False)
            assert report.embedded + report.reused == 400 * 22
            assert report.reused > 0
            assert live.status().problems == ()
            assert found(live, "numbered thing 321 7", k=1) == ["many-321"]
