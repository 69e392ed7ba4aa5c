"""How fast the index is: per-query work, changes and cold start, beside the bare exact search as the lower bound.

    python -m benchmarks.index_speed [--skills 25000] [--utterances 3] [--dim 384] [--vectors FILE.npy]

Skills are made up from a fixed vocabulary; vectors are clustered random ones unless a matrix of real ones is given
(recall means something only with those). Times of queries and changes are CPU milliseconds of one thread, so that a
busy machine does not blur them; of a cold start and of the approximate index both CPU and wall-clock seconds are told.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from wellworn.index.catalogue_sync import entry_of
from wellworn.index.encoder import FloatArray
from wellworn.index.lexical import grams_of, query_terms
from wellworn.index.live import LiveIndex
from wellworn.index.rows import search_approximate, search_exact
from wellworn.index.view import View
from wellworn.models.skill import Scope, Skill, SkillManifest
from wellworn.store.database import Database
from wellworn.store.discovery import Source
from wellworn.store.skills import SkillTable
from wellworn.store.sources import SourceTable
from wellworn.store.vectors import VectorStore, text_hash

NOW = datetime(2030, 1, 1, tzinfo=UTC)
OWNER = (Scope.user, "local")
CANDIDATES, HITS = 60, 100


class GivenVectors:
    """An encoder whose vectors were made beforehand: only the index is measured."""

    name, fingerprint = "given", "feed" * 16

    def __init__(self, queries: FloatArray) -> None:
        self.dim = queries.shape[1]
        self._queries = queries

    def encode(self, texts: Sequence[str]) -> FloatArray:
        return self._queries[np.arange(len(texts)) % len(self._queries)]


def made_up(count: int, utterances: int, random: np.random.Generator) -> list[Skill]:
    """Skills of a Zipf-like vocabulary of 20,000 words, with `utterances` texts each."""
    words = np.array([f"word{number}" for number in range(20_000)])
    weights = 1 / np.arange(2, 20_002)
    weights /= weights.sum()

    def text(length: int) -> str:
        return " ".join(random.choice(words, size=length, p=weights))

    return [
        Skill(
            manifest=SkillManifest.model_construct(
                id=f"skill-{number}", description=text(25), aliases=[text(4) for _ in range(utterances - 2)],
                triggers=[], examples=[], negatives=[], requires_approval=[], scope=Scope.user,
            ),
            name=f"skill-{number}", body="", owner="local", directory=Path(f"/skills/{number}"),
        )
        for number in range(count)
    ]  # fmt: skip


def clustered(count: int, dim: int, random: np.random.Generator) -> FloatArray:
    """Unit vectors around 2,000 centres in a 64-dimensional subspace, with noise."""
    basis = random.standard_normal((64, dim)).astype(np.float32)
    centres = random.standard_normal((2_000, 64)).astype(np.float32)
    points = centres[random.integers(2_000, size=count)] + 0.7 * random.standard_normal((count, 64)).astype(np.float32)
    matrix: FloatArray = points @ basis + 3 * random.standard_normal((count, dim)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix


def milliseconds(action: Callable[[int], object], rounds: int = 100) -> float:
    """Mean CPU time of `action(0..rounds)`, after a warm-up."""
    for number in range(5):
        action(number)
    started = time.thread_time()
    for number in range(rounds):
        action(number)
    return (time.thread_time() - started) / rounds * 1e3


class Clock:
    """CPU and wall-clock seconds since it was made."""

    def __init__(self) -> None:
        self.cpu, self.wall = time.thread_time(), time.perf_counter()

    def __str__(self) -> str:
        return f"{time.thread_time() - self.cpu:.2f} s CPU, {time.perf_counter() - self.wall:.2f} s"


def fill_store(db: Database, folder: Path, skills: Sequence[Skill], matrix: FloatArray) -> None:
    """Store skills and a vector for each of their texts."""
    source = Source("bench", Path("/skills"), *OWNER, rank=1, vouched=True)
    SourceTable(db).put(source, kind="home", now=NOW)
    entries = [entry_of(skill, "1") for skill in skills]
    for start in range(0, len(entries), 500):
        SkillTable(db).put_many("bench", entries[start : start + 500], now=NOW)
    hashes = list(dict.fromkeys(text_hash(one.text) for entry in entries for one in entry.utterances))
    with VectorStore(folder, GivenVectors.fingerprint, matrix.shape[1]) as store:
        store.put_many(hashes, matrix[np.arange(len(hashes)) % len(matrix)])


def report_queries(view: View, queries: FloatArray, messages: Sequence[str]) -> None:
    """Print the cost of each part of one query, and the recall of the search."""
    rows = view.parts[0].segment.rows
    terms, grams = [query_terms(one) for one in messages], [grams_of(one) for one in messages]
    refs = [np.unique([hit.ref for hit in view.search(query, HITS)])[:CANDIDATES] for query in queries[:100]]
    parts = {
        "search": milliseconds(lambda n: view.search(queries[n], HITS)),
        "words of all skills": milliseconds(lambda n: view.lexical(terms[n]).top(30)),
        "field cosines": milliseconds(lambda n: view.field_cosines(refs[n], queries[n])),
        "trigger cosines": milliseconds(lambda n: view.trigger_cosines(refs[n], queries[:5])),
        "characters": milliseconds(lambda n: view.char_scores(refs[n], grams[n])),
        "words and grams of the message": milliseconds(lambda n: (query_terms(messages[n]), grams_of(messages[n]))),
    }
    for name, cost in {"bare exact search": milliseconds(lambda n: search_exact(rows.matrix @ queries[n], HITS, None)),
                       **parts, "all but the bare search": sum(parts.values())}.items():  # fmt: skip
        print(f"| {name} | {cost:.3f} ms |")
    approximate = view.parts[0].segment.approximate
    if approximate is not None:
        exact = [search_exact(rows.matrix @ query, 20, None)[0] for query in queries]
        near = [search_approximate(approximate, rows.matrix, query, HITS, None)[0] for query in queries]
        shared = [len(np.intersect1d(one, other)) / 20 for one, other in zip(exact, near, strict=True)]
        print(f"| recall@20 of the search | {np.mean(shared):.3f} |")


def main() -> None:
    """Print one Markdown table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--skills", type=int, default=25_000)
    parser.add_argument("--utterances", type=int, default=3)
    parser.add_argument("--dim", type=int, default=384)
    parser.add_argument("--vectors", type=Path, help="float32[n, dim] of unit rows, as .npy")
    options = parser.parse_args()
    random = np.random.default_rng(0)
    given = (
        np.load(options.vectors)
        if options.vectors
        else clustered(options.skills * options.utterances, options.dim, random)
    )
    matrix, queries = given[:-150], given[-150:]
    skills = made_up(options.skills, options.utterances, random)
    messages = [f"please {skill.manifest.description[:80]} for me" for skill in skills[:100]]
    with tempfile.TemporaryDirectory() as place:
        with Database(Path(place) / "wellworn.db") as db:
            fill_store(db, Path(place) / "vectors", skills, matrix)
        del given, matrix
        print("| what | |\n|---|---|")
        clock = Clock()
        with (
            Database(Path(place) / "wellworn.db") as db,
            LiveIndex(db, Path(place) / "vectors", GivenVectors(queries)) as live,
        ):
            print(f"| cold start, ready to answer | {clock} |")
            clock = Clock()
            live.tidy()
            print(f"| approximate index, in the background | {clock} |")
            view = live.snapshot.view([OWNER])
            print(f"| skills, vectors | {view.size:,}, {view.vectors:,} |")
            report_queries(view, queries, messages)
            table = SkillTable(db)

            def change(number: int) -> None:
                table.put("bench", entry_of(skills[number], f"again {number}"), now=NOW)
                live.refresh()

            print(f"| change of one skill, searchable | {milliseconds(change, 50):.2f} ms |")
    print(f"| highest resident memory | {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB |")


if __name__ == "__main__":
    main()
