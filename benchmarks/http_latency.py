"""How much `POST /resolve` costs over the bare encoder, and what more clients bring; with memory and cold start.

    python -m benchmarks.http_latency --data FOLDER --skills 1000 25000

For every size: a data folder of its own is filled from the catalogue, the real server process is started, and blocks of
the same messages go in turn to the server (one client) and to the bare encoder (one more process), so that whatever
else the machine does meets both. Then one client and 16 clients take turns. Prints a table, and JSON with --json.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import os
import re
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

BLOCK = 20  # messages before the other side has its turn
CLIENTS = 16
SECONDS = 4.0  # of one throughput round
ROUNDS = 3
OPEN_SECONDS = 3600.0

_BARE = """
import json, sys, time
from wellworn.index.encoders import open_encoder
encoder = open_encoder("bundled", threads=1)
encoder.encode(["warm up"])
print("ready", flush=True)
for line in sys.stdin:
    times = []
    for message in json.loads(line):
        begun = time.perf_counter()
        encoder.encode([message])
        times.append(time.perf_counter() - begun)
    print(json.dumps(times), flush=True)
"""


@dataclass(frozen=True)
class Result:
    """Milliseconds, seconds, MB and requests a second of one library size."""

    skills: int
    messages: int
    bare_p50: float
    bare_p95: float
    http_p50: float
    http_p95: float
    http_p99: float
    ratio_p50: float
    one_client: float
    many_clients: float
    gain: float
    first_index_seconds: float
    cold_start_seconds: float
    resident_mb: float
    peak_mb: float


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skills", type=int, nargs="+", default=[1000, 25_000], help="library sizes")
    parser.add_argument(
        "--data", type=Path, required=True, help="holds skill-catalog.jsonl.gz, clinc150/data_full.json"
    )
    parser.add_argument("--messages", type=Path, help="other messages: JSONL with `message`")
    parser.add_argument("--count", type=int, default=400, help="messages of the latency part")
    parser.add_argument("--keep", type=Path, help="keep data folders here, and use them when they are there")
    parser.add_argument("--json", type=Path, help="write the results here as well")
    options = parser.parse_args(arguments)
    messages = read_messages(options.messages or options.data / "clinc150" / "data_full.json", options.count)
    results = []
    with working_folder(options.keep) as folder:
        for size in options.skills:
            results.append(measure(folder / str(size), options.data / "skill-catalog.jsonl.gz", size, messages))
            print(table(results), flush=True)
    if options.json:
        options.json.write_text(json.dumps([asdict(result) for result in results], indent=1) + "\n", encoding="utf-8")
    return 0


def measure(folder: Path, catalogue: Path, size: int, messages: Sequence[str]) -> Result:
    """Fill, start and measure one size."""
    environment = {
        **os.environ,
        "WELLWORN_DATA_DIR": str(folder / "data"),
        "WELLWORN_HOME": str(folder / "home"),
        "OMP_NUM_THREADS": "1",
    }
    index_seconds = fill(folder, catalogue, size, environment)
    with serving(environment) as (address, pid, cold), bare_encoder(environment) as bare:
        client = Client(address)
        for message in messages[:10]:
            client.ask(message)
        http, encoder = in_turn(client, bare, messages)
        one, many = throughput(address, messages)
        resident, peak = memory(pid)
    return Result(
        skills=size,
        messages=len(messages),
        bare_p50=percentile(encoder, 50),
        bare_p95=percentile(encoder, 95),
        http_p50=percentile(http, 50),
        http_p95=percentile(http, 95),
        http_p99=percentile(http, 99),
        ratio_p50=percentile(http, 50) / percentile(encoder, 50),
        one_client=one,
        many_clients=many,
        gain=many / one,
        first_index_seconds=index_seconds,
        cold_start_seconds=cold,
        resident_mb=resident,
        peak_mb=peak,
    )


def fill(folder: Path, catalogue: Path, size: int, environment: dict[str, str]) -> float:
    """Import the first `size` skills unless the folder is filled already; return seconds (0.0 when it was)."""
    if (folder / "filled").exists():
        return float((folder / "filled").read_text(encoding="utf-8"))
    (folder / "home").mkdir(parents=True, exist_ok=True)
    library = folder / "library.jsonl"
    opener = gzip.open if catalogue.suffix == ".gz" else open
    with opener(catalogue, "rt", encoding="utf-8") as lines, library.open("w", encoding="utf-8") as out:
        out.writelines(itertools.islice(lines, size))
    begun = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "wellworn", "import", str(library)],
        check=True,
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    seconds = time.perf_counter() - begun
    (folder / "filled").write_text(str(seconds), encoding="utf-8")
    return seconds


@contextmanager
def serving(environment: dict[str, str]) -> Iterator[tuple[str, int, float]]:
    """Start the server process; yield its address, its pid and the seconds until it was ready."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "wellworn", "serve", "--port", "0"], env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        address = read_address(process)
        while not is_ready(address):
            if process.poll() is not None or time.perf_counter() - begun > OPEN_SECONDS:
                raise SystemExit("The service did not become ready.")
            time.sleep(0.01)
        yield address, process.pid, time.perf_counter() - begun
    finally:
        process.terminate()
        process.wait(10)


def read_address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"http://[\w.:\[\]]+", line):
            return found.group()
    raise SystemExit("The service did not start.")


def is_ready(address: str) -> bool:
    try:
        return Client(address).get("/readyz") == 200
    except OSError:
        return False


@contextmanager
def bare_encoder(environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A process that has nothing but the encoder."""
    process = subprocess.Popen(
        [sys.executable, "-c", _BARE], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "ready"
        yield process
    finally:
        process.terminate()
        process.wait(10)


def in_turn(client: Client, bare: subprocess.Popen[str], messages: Sequence[str]) -> tuple[list[float], list[float]]:
    """Seconds of every message on both sides, block by block; who goes first alternates."""
    http: list[float] = []
    encoder: list[float] = []
    for number, start in enumerate(range(0, len(messages), BLOCK)):
        block = messages[start : start + BLOCK]
        turns = [lambda b=block: http.extend(client.time(b)), lambda b=block: encoder.extend(encode_times(bare, b))]
        for turn in turns if number % 2 == 0 else reversed(turns):
            turn()
    return http, encoder


def encode_times(bare: subprocess.Popen[str], messages: Sequence[str]) -> list[float]:
    assert bare.stdin is not None
    assert bare.stdout is not None
    bare.stdin.write(json.dumps(list(messages)) + "\n")
    bare.stdin.flush()
    times: list[float] = json.loads(bare.stdout.readline())
    return times


def throughput(address: str, messages: Sequence[str]) -> tuple[float, float]:
    """Requests a second of one client and of 16, the medians of rounds in turn."""
    one, many = [], []
    for _ in range(ROUNDS):
        one.append(requests_per_second(address, messages, 1))
        many.append(requests_per_second(address, messages, CLIENTS))
    return statistics.median(one), statistics.median(many)


def requests_per_second(address: str, messages: Sequence[str], clients: int) -> float:
    """`clients` connections that each send the next message as soon as the last is answered, from one light thread."""
    requests = itertools.cycle([request_bytes(address, message) for message in messages])
    answered = 0
    with selectors.DefaultSelector() as selector:
        connections = [connect(address) for _ in range(clients)]
        for connection in connections:
            selector.register(connection, selectors.EVENT_READ, (connection, bytearray()))
            connection.sendall(next(requests))
        begun = time.perf_counter()
        while (now := time.perf_counter()) - begun < SECONDS:
            for key, _ in selector.select(timeout=1.0):
                connection, received = key.data
                received += connection.recv(1 << 16)
                if (status := complete(received)) is not None:
                    assert status == 200, bytes(received[:200])
                    received.clear()
                    answered += 1
                    connection.sendall(next(requests))
        for connection in connections:
            connection.close()
    return answered / (now - begun)


class Client:
    """One kept connection, as light as can be."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._connection = connect(address)

    def ask(self, message: str) -> int:
        return self._send(request_bytes(self._address, message))

    def get(self, path: str) -> int:
        return self._send(f"GET {path} HTTP/1.1\r\nHost: {urlsplit(self._address).netloc}\r\n\r\n".encode())

    def time(self, messages: Sequence[str]) -> list[float]:
        """Seconds of each message, from sending to the last byte of the answer."""
        times = []
        for message in messages:
            request = request_bytes(self._address, message)
            begun = time.perf_counter()
            status = self._send(request)
            times.append(time.perf_counter() - begun)
            assert status == 200
        return times

    def _send(self, request: bytes) -> int:
        self._connection.sendall(request)
        received = bytearray()
        while (status := complete(received)) is None:
            if not (part := self._connection.recv(1 << 16)):
                raise OSError("the service closed the connection")
            received += part
        return status


def connect(address: str) -> socket.socket:
    parts = urlsplit(address)
    connection = socket.create_connection((parts.hostname, parts.port), timeout=60)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def request_bytes(address: str, message: str) -> bytes:
    body = json.dumps({"message": message}).encode()
    head = (
        f"POST /resolve HTTP/1.1\r\nHost: {urlsplit(address).netloc}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def complete(received: bytearray) -> int | None:
    """The status of a whole answer, or None while bytes are missing."""
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return None
    head = bytes(received[:end]).lower()
    length = re.search(rb"content-length: (\d+)", head)
    if len(received) < end + 4 + (int(length.group(1)) if length else 0):
        return None
    return int(head.split(b" ", 2)[1])


def memory(pid: int) -> tuple[float, float]:
    """Resident and peak resident memory in MB (Linux)."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    found = {name: int(kb) / 1024 for name, kb in re.findall(r"(VmRSS|VmHWM):\s+(\d+) kB", status)}
    return found["VmRSS"], found["VmHWM"]


def read_messages(path: Path, count: int) -> list[str]:
    """The test messages of CLINC150 (its JSON), or the `message` of every line of a JSONL file; evenly spread."""
    if path.suffix == ".json":
        messages = [text for text, _ in json.loads(path.read_text(encoding="utf-8"))["test"]]
    else:
        messages = [json.loads(line)["message"] for line in path.read_text(encoding="utf-8").splitlines()]
    return messages[:: max(1, len(messages) // count)][:count]


@contextmanager
def working_folder(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        yield keep.resolve()
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def percentile(seconds: Sequence[float], percent: int) -> float:
    """Milliseconds."""
    return statistics.quantiles(seconds, n=100, method="inclusive")[percent - 1] * 1000


def table(results: Sequence[Result]) -> str:
    """A Markdown table, one column a size."""
    rows: list[tuple[str, Any]] = [
        ("skills", lambda r: f"{r.skills:,}"),
        ("bare encoder p50 / p95, ms", lambda r: f"{r.bare_p50:.2f} / {r.bare_p95:.2f}"),
        ("/resolve p50 / p95 / p99, ms", lambda r: f"{r.http_p50:.2f} / {r.http_p95:.2f} / {r.http_p99:.2f}"),
        ("ratio of the p50", lambda r: f"{r.ratio_p50:.2f}"),
        ("requests/s, 1 client", lambda r: f"{r.one_client:.0f}"),
        (f"requests/s, {CLIENTS} clients", lambda r: f"{r.many_clients:.0f} ({r.gain:.2f} x)"),
        ("first import and index, s", lambda r: f"{r.first_index_seconds:.1f}"),
        ("cold start until ready, s", lambda r: f"{r.cold_start_seconds:.2f}"),
        ("resident / peak memory, MB", lambda r: f"{r.resident_mb:.0f} / {r.peak_mb:.0f}"),
    ]
    lines = ["| " + " | ".join([name, *(show(result) for result in results)]) + " |" for name, show in rows]
    lines.insert(1, "|" + "---|" * (len(results) + 1))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
