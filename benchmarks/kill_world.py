"""The world that `benchmarks.kill` breaks: a made-up library, real wellworn processes, and what must hold afterwards.

Every check returns sentences about what does not hold, so that an empty list is good news.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import numpy as np

from wellworn.index.encoders import open_encoder
from wellworn.store.text_hash import text_hash

VERBS = ["archive", "audit", "balance", "bundle", "calibrate", "compress", "deploy", "draft", "encrypt", "forecast"]
VERBS += ["index", "label", "merge", "migrate", "mirror", "polish", "prune", "quarantine", "restore", "translate"]
NOUNS = ["aquarium", "billing", "calendar", "dashboard", "engine", "firewall", "glossary", "harbour", "invoice"]
NOUNS += ["journal", "kiosk", "lantern", "manual", "notebook", "orchard"]
WAIT_SECONDS = 120.0
SETTLE_SECONDS = 40.0
SAMPLE_VECTORS = 60
NORM_TOLERANCE, SAME_VECTOR = 1e-3, 0.99
_KEPT = re.compile(
    r"wellworn\.db(-wal|-shm)?|serving\.lock|(service|encoder|calibration)\.json|vectors|heads"
    r"|vectors/(\.lock|[0-9a-f]+\.(turn|db(-wal|-shm)?))|heads/[^.].*"
)

Bytes = tuple[bytes, bytes]
Answer = dict[str, Any]


@dataclass
class World:
    """A home, a data folder and an encoder; `skills` are the ids of the library that it is about."""

    root: Path
    encoder: str
    count: int = 300
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def folder(self) -> Path:
        return self.root / "home" / ".wellworn" / "skills"

    @property
    def ids(self) -> list[str]:
        return [f"{verb}-{noun}" for noun in NOUNS for verb in VERBS][: self.count]

    @property
    def environment(self) -> dict[str, str]:
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("WELLWORN_")},
            "WELLWORN_DATA_DIR": str(self.data),
            "WELLWORN_HOME": str(self.root / "home"),
            "WELLWORN_ENCODER": self.encoder,
            "OMP_NUM_THREADS": "1",
        }

    def start(self, *arguments: str) -> Running:
        """Start `wellworn ...` in a process group of its own; what it prints goes to a file."""
        (self.root / "home").mkdir(parents=True, exist_ok=True)
        out = self.root / "printed.txt"
        with out.open("wb") as sink:
            process = subprocess.Popen(
                [sys.executable, "-m", "wellworn", *arguments],
                env=self.environment,
                cwd=self.root,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        return Running(process, out, time.monotonic())

    def run(self, *arguments: str) -> str:
        """Run `wellworn ...` to its end and return what it printed; its time is kept as what it usually takes."""
        running = self.start(*arguments)
        try:
            code = running.process.wait(WAIT_SECONDS)
        except BaseException:
            running.kill()
            raise
        self.seconds[arguments[0]] = running.age
        if code:
            raise Broken(f"`wellworn {' '.join(arguments[:2])}` ended with {code}: {running.printed()[-600:]}")
        return running.printed()


class Broken(Exception):
    """Something that must work after a kill did not; the text says what."""


@dataclass
class Running:
    """A started process and where its output goes."""

    process: subprocess.Popen[bytes]
    out: Path
    begun: float

    @property
    def age(self) -> float:
        return time.monotonic() - self.begun

    def printed(self) -> str:
        return self.out.read_text(encoding="utf-8", errors="replace")

    def kill(self) -> bool:
        """SIGKILL the whole group; False when the process had ended by itself."""
        early = self.process.poll() is None
        if early:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(WAIT_SECONDS)
        return early

    def kill_when(self, moment: Callable[[], bool]) -> bool:
        """Kill as soon as `moment` says so; False when the process ended before."""
        try:
            while self.process.poll() is None and not moment():
                if self.age > WAIT_SECONDS:
                    raise Broken("a command hung")
                time.sleep(0.0005)
        except BaseException:
            self.kill()  # a fault of the watcher leaves no process behind
            raise
        return self.kill()


class Client:
    """JSON over one connection."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        sent = None if body is None else json.dumps(body)
        self._connection.request(method, path, sent, {"Content-Type": "application/json"})
        with self._connection.getresponse() as response:
            return response.status, json.loads(response.read() or b"null")

    def get(self, path: str) -> Any:
        status, answer = self.ask("GET", path)
        if status != 200:
            raise Broken(f"GET {path} answered {status}: {answer}")
        return answer

    def resolve(self, message: str) -> Answer:
        status, answer = self.ask("POST", "/resolve", {"message": message})
        if status != 200:
            raise Broken(f"POST /resolve answered {status}: {answer}")
        found: Answer = answer
        return found


@contextmanager
def serving(world: World) -> Iterator[tuple[Running, str]]:
    """`wellworn serve --port 0` until it is ready with nothing left to embed; killed at the end if it still runs."""
    running = world.start("serve", "--port", "0")
    try:
        yield running, _ready(running)
    finally:
        if running.process.poll() is None:
            running.process.terminate()
            try:
                running.process.wait(10)
            except subprocess.TimeoutExpired:
                running.kill()


def _ready(running: Running) -> str:
    while running.age < WAIT_SECONDS and running.process.poll() is None:
        found = re.search(r"http://[\w.:\[\]]+", running.printed())
        if found and _has_everything(found.group()):
            return found.group()
        time.sleep(0.02)
    raise Broken(f"the service did not become ready: {running.printed()[-600:]}")


def _has_everything(address: str) -> bool:
    try:
        with Client(address) as client:
            return client.ask("GET", "/readyz")[0] == 200 and not client.get("/admin/index")["pending"]
    except OSError:
        return False


# -- the library -------------------------------------------------------------------------------------------------------


def library_lines(world: World, version: int, changed: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """One line a skill; what is not in `changed` (None: all are) is as in version 0. Descriptions and bodies differ."""
    return [_line(skill_id, version if changed is None or skill_id in changed else 0) for skill_id in world.ids]


def _line(skill_id: str, version: int) -> dict[str, Any]:
    verb, noun = skill_id.split("-")
    steps = "\n".join(f"{number}. Step {number} of revision {version}: {verb} part {number}." for number in range(1, 9))
    return {
        "id": skill_id,
        "kind": "prompt_skill",
        "scope": "user",
        "description": f"Use when somebody wants to {verb} the {noun} (revision {version}).",
        "triggers": [trigger(skill_id), f"revision {version} of the {noun} work"],
        "body": f"# {verb.title()} the {noun}\n\n## Steps\n\n{steps}\n",
    }


def trigger(skill_id: str) -> str:
    """The message that means this skill."""
    verb, noun = skill_id.split("-")
    return f"please {verb} the {noun} for me"


def write_library(path: Path, lines: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def strange_message(random_: random.Random) -> str:
    """A message that no skill's text resembles: what it means can only have been taught."""
    return " ".join("".join(random_.choice("bdfgklmnprstvz") + random_.choice("aeiou") for _ in "123") for _ in "12345")


# -- checks ------------------------------------------------------------------------------------------------------------


def contents(folder: Path) -> dict[str, Bytes]:
    """The files of every visible skill folder; a missing file is empty bytes."""
    if not folder.is_dir():
        return {}
    return {
        one.name: (_bytes(one / "SKILL.md"), _bytes(one / "manifest.yaml"))
        for one in sorted(folder.iterdir())
        if not one.name.startswith(".")
    }


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def half_written(now: Mapping[str, Bytes], *wholes: Mapping[str, Bytes]) -> list[str]:
    """Skills whose two files are not those of one of the `wholes`."""
    return [
        f"{skill_id} is half-written: {'no' if not any(one.get(skill_id) for one in wholes) else 'neither'} state"
        for skill_id, files in now.items()
        if files not in [one.get(skill_id) for one in wholes]
    ]


def leftovers(world: World) -> list[str]:
    """Files that nobody will ever read, in the skill folders and in the data folder."""
    hidden = [path for path in world.folder.rglob("*") if path.name.startswith(".")]
    strange = [path for path in world.data.rglob("*") if not _KEPT.fullmatch(path.relative_to(world.data).as_posix())]
    return [f"{path.relative_to(world.root)} was left over" for path in (*hidden, *strange)]


def damaged_databases(world: World) -> list[str]:
    """What SQLite finds wrong in the database and in the files of vectors."""
    found = []
    for path in (world.data / "wellworn.db", *sorted((world.data / "vectors").glob("*.db"))):
        with _opened(path) as connection:
            for check in ("integrity_check", "foreign_key_check"):
                rows = [row for row in connection.execute(f"PRAGMA {check}").fetchall() if row != ("ok",)]
                found += [f"{path.name}: {check}: {row}" for row in rows[:3]]
    return found


def wrong_vectors(world: World, random_: random.Random) -> list[str]:
    """Stored vectors that are no unit vectors or not those of their text, and texts that have none."""
    with _opened(world.data / "wellworn.db") as connection:
        derived = "SELECT u.text FROM utterances AS u JOIN skills AS s ON s.key = u.skill_key WHERE s.effective = 1"
        texts = {text for (text,) in connection.execute(f"{derived} UNION SELECT text FROM taught")}
    by_hash = {text_hash(text): text for text in texts}
    encoder = open_encoder(world.encoder)
    rows: dict[bytes, Any] = {}
    for path in (world.data / "vectors").glob(f"{encoder.fingerprint[:32]}.db"):
        with _opened(path) as connection:
            rows = {
                digest: np.frombuffer(blob, dtype="<f4")
                for digest, blob in connection.execute("SELECT hash, vector FROM vectors")
            }
    found = [f"no vector for {by_hash[digest]!r}" for digest in by_hash.keys() - rows.keys()][:3]
    found += [f"a vector of length {np.linalg.norm(row):.3f}" for row in rows.values() if not _unit(row)][:3]
    known = [digest for digest in by_hash if digest in rows]
    sample = known if world.encoder == "hashing" else random_.sample(known, min(SAMPLE_VECTORS, len(known)))
    fresh = encoder.encode([by_hash[digest] for digest in sample])
    wrong = [by_hash[one] for one, row in zip(sample, fresh, strict=True) if float(rows[one] @ row) < SAME_VECTOR]
    return found + [f"the vector of {text!r} is another text's" for text in wrong[:3]]


def _unit(row: Any) -> bool:
    return bool(abs(float(np.linalg.norm(row)) - 1) < NORM_TOLERANCE)


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(path, timeout=30)
    try:
        yield connection
    finally:
        connection.close()


def rows_of(world: World, query: str) -> list[tuple[Any, ...]]:
    """Ask the database."""
    with _opened(world.data / "wellworn.db") as connection:
        return connection.execute(query).fetchall()


def service_problems(world: World, client: Client, random_: random.Random) -> list[str]:
    """The skills on the disk are those that are listed, the index is sound, and known messages find their skills.

    A service that was started again looks through its libraries behind its answers, and gets some seconds for it.
    """
    until = time.monotonic() + SETTLE_SECONDS
    while (found := _problems_now(world, client, random_)) and time.monotonic() < until:
        time.sleep(0.2)
    return found


def _problems_now(world: World, client: Client, random_: random.Random) -> list[str]:
    listed = {skill["id"]: skill["manifest"]["description"] for skill in client.get("/skills?limit=1000")["skills"]}
    on_disk = contents(world.folder)
    found = [f"{skill_id} is on the disk but not listed" for skill_id in on_disk.keys() - listed.keys()][:3]
    found += [f"{skill_id} is listed but not on the disk" for skill_id in listed.keys() - on_disk.keys()][:3]
    found += [
        f"{skill_id} is listed as it was"
        for skill_id, text in listed.items()
        if skill_id in on_disk and text.encode() not in on_disk[skill_id][0]
    ][:3]
    index = client.get("/admin/index")
    found += [f"the index says: {problem}" for problem in index["problems"]]
    for skill_id in random_.sample(sorted(on_disk), min(5, len(on_disk))):
        if (answered := best(client.resolve(trigger(skill_id)))) != skill_id:
            found.append(f"{trigger(skill_id)!r} finds {answered}")
    return found


def best(answer: Answer) -> str | None:
    """The skill that an answer puts first, matched or nearest."""
    nearest = answer["alternatives"]
    return answer["skillId"] or (nearest[0]["skillId"] if nearest else None)
