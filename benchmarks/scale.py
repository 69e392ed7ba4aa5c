"""A large library: how fast it is indexed the first time, how soon a restart is ready, how much memory it takes.

    python -m benchmarks.scale --data FOLDER [--skills 1000 25000] [--keep FOLDER] [--json FILE]

The catalogue comes in through `wellworn import` into a home of its own (with the tiny hashing encoder and a data folder
that is thrown away, so that only files are left). Then `wellworn skills list` reads them into an empty data folder, and
`wellworn reindex` embeds and indexes all of it with the bundled encoder; before and after, the bare encoder embeds a
part of the same texts in a process that has nothing else. Wall time and CPU time are told, because other work on the
machine blurs the first. Last, `wellworn serve` is started on what is there: seconds until `/readyz`, and its resident
memory after real messages.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.http_latency import Client, memory, read_messages, serving, working_folder

STARTS = 3
MESSAGES = 200
BARE_PARTS = 2
BARE_TEXTS = 6_000  # of each part
SEED = 1
_BARE = """
import json, sys, time
from wellworn.index.encoders import open_encoder
encoder = open_encoder("bundled", threads=1)
texts = json.load(sys.stdin)
encoder.encode(texts[:64])
wall, cpu = time.perf_counter(), time.process_time()
encoder.encode(texts)
print(time.perf_counter() - wall, time.process_time() - cpu)
"""


@dataclass(frozen=True)
class Spent:
    """Seconds of wall time and of CPU."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class Indexing:
    """texts: distinct ones that were embedded. bare_rate: texts a second."""

    texts: int
    import_seconds: Spent
    reading_seconds: Spent
    index_seconds: Spent
    bare_rate: Spent

    def ratio(self, *, with_reading: bool) -> Spent:
        """The rate of the first index to that of the bare encoder: of wall time and of CPU."""
        spent, reading = self.index_seconds, self.reading_seconds if with_reading else Spent(0.0, 0.0)
        return Spent(
            self.texts / (spent.wall + reading.wall) / self.bare_rate.wall,
            self.texts / (spent.cpu + reading.cpu) / self.bare_rate.cpu,
        )


@dataclass(frozen=True)
class Result:
    """One library size. indexing is None when the folder was there already."""

    skills: int
    vectors: int
    indexing: Indexing | None
    start_seconds: list[float]
    resident_mb: float
    peak_mb: float


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skills", type=int, nargs="+", default=[1000, 25_000], help="library sizes")
    parser.add_argument(
        "--data", type=Path, required=True, help="holds skill-catalog.jsonl.gz, clinc150/data_full.json"
    )
    parser.add_argument("--keep", type=Path, help="keep homes and data folders here, and use them when they are there")
    parser.add_argument("--json", type=Path, help="write the results here as well")
    options = parser.parse_args(arguments)
    messages = read_messages(options.data / "clinc150" / "data_full.json", MESSAGES)
    results = []
    with working_folder(options.keep) as folder:
        for size in options.skills:
            results.append(measure(folder / str(size), options.data / "skill-catalog.jsonl.gz", size, messages))
            print(table(results), flush=True)
    if options.json:
        options.json.write_text(json.dumps([asdict(result) for result in results], indent=1) + "\n", encoding="utf-8")
    return 0


def measure(folder: Path, catalogue: Path, size: int, messages: Sequence[str]) -> Result:
    """Index one size from nothing unless it is there, then start the service on it and look at its memory.

    What indexing cost is printed at once: it takes minutes, and something may fail afterwards.
    """
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("WELLWORN_")},
        "WELLWORN_DATA_DIR": str(folder / "data"),
        "WELLWORN_HOME": str(folder / "home"),
        "OMP_NUM_THREADS": "1",
    }
    indexing = None
    if not (folder / "filled").exists():
        indexing = index(folder, catalogue, size, environment)
        seconds = indexing.import_seconds.wall + indexing.index_seconds.wall
        (folder / "filled").write_text(str(seconds), encoding="utf-8")  # as benchmarks.http_latency knows it
        print(indexing, flush=True)
    starts = []
    for number in range(STARTS):
        with serving(environment) as (address, pid, seconds):
            starts.append(seconds)
            if number == STARTS - 1:
                Client(address).time(messages)
                resident, peak = memory(pid)
    return Result(size, stored_vectors(folder / "data"), indexing, starts, resident, peak)


def index(folder: Path, catalogue: Path, size: int, environment: Mapping[str, str]) -> Indexing:
    """Bring the files in, then index them from nothing between two runs of the bare encoder."""
    library = cut_library(folder, catalogue, size)
    thrown_away = folder / "files-only"
    hashing = {**environment, "WELLWORN_DATA_DIR": str(thrown_away), "WELLWORN_ENCODER": "hashing"}
    files = timed([sys.executable, "-m", "wellworn", "import", str(library)], hashing)
    texts = stored_texts(thrown_away)
    shutil.rmtree(thrown_away)
    order = random.Random(SEED).sample(texts, len(texts))
    parts = [order[start::BARE_PARTS][:BARE_TEXTS] for start in range(BARE_PARTS)]
    before = bare(parts[0], environment)
    reading = timed([sys.executable, "-m", "wellworn", "skills", "list", "--limit", "1"], environment)
    spent = timed([sys.executable, "-m", "wellworn", "reindex"], environment)
    after = bare(parts[1], environment)
    embedded = sum(len(part) for part in parts)
    rate = Spent(embedded / (before.wall + after.wall), embedded / (before.cpu + after.cpu))
    return Indexing(
        texts=len(texts),
        import_seconds=files,
        reading_seconds=reading,
        index_seconds=spent,
        bare_rate=rate,
    )


def cut_library(folder: Path, catalogue: Path, size: int) -> Path:
    """The first `size` skills of the catalogue as a library file."""
    (folder / "home").mkdir(parents=True, exist_ok=True)
    library = folder / "library.jsonl"
    opener = gzip.open if catalogue.suffix == ".gz" else open
    with opener(catalogue, "rt", encoding="utf-8") as lines, library.open("w", encoding="utf-8") as out:
        out.writelines(itertools.islice(lines, size))
    return library


def timed(command: Sequence[str], environment: Mapping[str, str]) -> Spent:
    """Run a command to its end; its CPU time is read from the system's account of this process's children."""
    wall, cpu = time.perf_counter(), children_cpu()
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return Spent(time.perf_counter() - wall, children_cpu() - cpu)


def children_cpu() -> float:
    times = os.times()
    return times.children_user + times.children_system


def bare(texts: Sequence[str], environment: Mapping[str, str]) -> Spent:
    """Seconds that the encoder alone takes for these texts in one call."""
    done = subprocess.run(
        [sys.executable, "-c", _BARE],
        check=True,
        env=environment,
        input=json.dumps(list(texts)),
        capture_output=True,
        text=True,
    )
    wall, cpu = done.stdout.split()
    return Spent(float(wall), float(cpu))


def stored_texts(data: Path) -> list[str]:
    with closing(sqlite3.connect(data / "wellworn.db")) as connection:
        return [text for (text,) in connection.execute("SELECT DISTINCT text FROM utterances ORDER BY text")]


def stored_vectors(data: Path) -> int:
    with closing(sqlite3.connect(data / "wellworn.db")) as connection:
        count: int = connection.execute("SELECT count(*) FROM utterances").fetchone()[0]
    return count


def table(results: Sequence[Result]) -> str:
    """A Markdown table, one column a size."""
    rows = [
        ["skills", *(f"{one.skills:,}" for one in results)],
        ["utterances", *(f"{one.vectors:,}" for one in results)],
        ["import with the hashing encoder, s (CPU)", *(_spent(one.indexing, "import_seconds") for one in results)],
        ["reading the files, s (CPU)", *(_spent(one.indexing, "reading_seconds") for one in results)],
        ["first index of what was read, s (CPU)", *(_spent(one.indexing, "index_seconds") for one in results)],
        ["texts/s of the bare encoder, wall (CPU)", *(_spent(one.indexing, "bare_rate") for one in results)],
        ["first index to bare encoder, wall (CPU)", *(_ratio(one.indexing, with_reading=False) for one in results)],
        ["the same with the reading, wall (CPU)", *(_ratio(one.indexing, with_reading=True) for one in results)],
        ["start until ready, s: median (all)", *(_starts(one.start_seconds) for one in results)],
        ["resident / peak memory, MB", *(f"{one.resident_mb:.0f} / {one.peak_mb:.0f}" for one in results)],
    ]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * (len(results) + 1))
    return "\n".join(lines)


def _spent(one: Indexing | None, name: str) -> str:
    if one is None:
        return ""
    spent: Spent = getattr(one, name)
    return f"{spent.wall:.1f} ({spent.cpu:.1f})"


def _ratio(one: Indexing | None, *, with_reading: bool) -> str:
    if one is None:
        return ""
    ratio = one.ratio(with_reading=with_reading)
    return f"{ratio.wall:.0%} ({ratio.cpu:.0%})"


def _starts(seconds: Sequence[float]) -> str:
    return f"{statistics.median(seconds):.2f} ({', '.join(f'{one:.2f}' for one in seconds)})"


if __name__ == "__main__":
    sys.exit(main())
