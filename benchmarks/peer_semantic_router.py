"""semantic-router on the same library, messages and vectors as wellworn, in an environment of its own.

    python benchmarks/peer_semantic_router.py FOLDER > answer.json

FOLDER holds what `accuracy.py` writes: `library.jsonl` and `messages.jsonl` as `wellworn eval` reads them, `fit.jsonl`
(labelled messages that are in neither, for the peer's `fit`) and `vectors.npz` (`texts` and their `vectors`, made by
wellworn's encoder, so that both see the same). Needs semantic-router and numpy only (`peer-requirements.txt`).

Every configuration below is scored, and the one with the best top-1 *on the messages themselves* is answered in full:
its choice costs the peer nothing, which favours it. That one is then calibrated by the peer's own `fit`. Its router,
aggregations and hybrid encoder are the package's own; only the nearest-neighbour search is done for all messages at
once, and a control holds every answer of a sample against the package's own index.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import PrivateAttr
from semantic_router import Route
from semantic_router.encoders import DenseEncoder
from semantic_router.encoders.tfidf import TfidfEncoder
from semantic_router.index.hybrid_local import HybridLocalIndex
from semantic_router.index.local import LocalIndex
from semantic_router.routers import IndexedRouter

EVERY = 10**9
KEPT = 10
CONTROLS = 100
CONTROL_SHARE = 0.95
FIT_METHODS = ("platt", "isotonic")
# What the package's router looks up by name when it is made; here one router serves all.
AGGREGATIONS: dict[str, Callable[[list[float]], float]] = {"mean": lambda v: float(np.mean(v)), "max": max, "sum": sum}


@dataclass(frozen=True)
class Configuration:
    """aggregation over the `top_k` nearest utterances (EVERY: all); alpha: the dense share, 1 without TF-IDF."""

    aggregation: str
    top_k: int
    alpha: float = 1.0
    names: bool = False

    def shown(self) -> dict[str, Any]:
        return {
            "aggregation": self.aggregation,
            "topK": "all" if self.top_k == EVERY else self.top_k,
            "alpha": self.alpha,
            "namesAsUtterances": self.names,
        }


# `max` ranks alike for every top_k, and `mean` over 1 is `max`. Defaults of the package: top_k 5, mean, alpha 0.7.
SETTINGS = (("max", EVERY), ("mean", 5), ("mean", EVERY), ("sum", 3), ("sum", 5), ("sum", 10))
HYBRID_SETTINGS = (("max", EVERY), ("sum", 5))
ALPHAS = (0.7, 0.85, 0.95)


def configurations(*, hybrid: bool, named: bool) -> list[list[Configuration]]:
    """Return all configurations, those together that share one index."""
    groups = []
    for names in (False, True) if named else (False,):
        groups.append([Configuration(aggregation, k, names=names) for aggregation, k in SETTINGS])
        for alpha in ALPHAS if hybrid else ():
            groups.append([Configuration(aggregation, k, alpha, names) for aggregation, k in HYBRID_SETTINGS])
    return groups


class GivenVectors(DenseEncoder):  # type: ignore[misc, unused-ignore]
    """Looks vectors up that wellworn's encoder made."""

    _vectors: dict[str, np.ndarray] = PrivateAttr(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> GivenVectors:
        with np.load(path, allow_pickle=False) as data:
            encoder = cls(name="given")
            encoder._vectors = dict(zip(data["texts"].tolist(), data["vectors"].astype(np.float64), strict=True))
        return encoder

    def __call__(self, docs: list[str]) -> list[np.ndarray]:
        return [self._vectors[text] for text in docs]

    async def acall(self, docs: list[str]) -> list[np.ndarray]:
        return self(docs)


class Hits:
    """All utterances of an index in the order of their similarity to each message, ready to be cut to `top_k`."""

    def __init__(self) -> None:
        self.names = np.array([], dtype=str)
        self.found: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}

    def prepare(self, routes: np.ndarray, keys: Sequence[bytes], similarities: np.ndarray) -> None:
        """routes: of each utterance; similarities: [messages, utterances]."""
        self.names, numbers = np.unique(routes, return_inverse=True)
        for key, row in zip(keys, similarities, strict=True):
            order = np.argsort(row, kind="stable")
            self.found[key] = row[order], numbers[order].astype(np.int32)

    def cut(self, vector: np.ndarray, top_k: int) -> tuple[np.ndarray, list[str]]:
        scores, numbers = self.found[vector.tobytes()]
        return scores[-top_k:], self.names[numbers[-top_k:]].tolist()


class PreparedIndex(LocalIndex):  # type: ignore[misc, unused-ignore]
    _hits: Hits = PrivateAttr(default_factory=Hits)

    def query(self, vector: Any, top_k: int = 5, route_filter: Any = None, sparse_vector: Any = None) -> Any:
        return self._hits.cut(vector, top_k)


class PreparedHybridIndex(HybridLocalIndex):  # type: ignore[misc, unused-ignore]
    _hits: Hits = PrivateAttr(default_factory=Hits)

    def query(self, vector: Any, top_k: int = 5, route_filter: Any = None, sparse_vector: Any = None) -> Any:
        return self._hits.cut(vector, top_k)


def read_lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def utterances(line: dict[str, Any], *, names: bool) -> list[str]:
    """Return all short texts of a library line, each once."""
    texts = [*line.get("aliases", ()), *line.get("triggers", ()), *line.get("examples", ())]
    texts += [line["description"]] if line.get("description") else []
    texts += [line["id"].replace("-", " ")] if names or not texts else []
    return list(dict.fromkeys(texts))


def routes_of(library: Sequence[dict[str, Any]], *, names: bool) -> list[Route]:
    return [Route(name=line["id"], utterances=utterances(line, names=names)) for line in library]


def dense_table(rows: Sequence[dict[int, float]], width: int) -> np.ndarray:
    table = np.zeros((len(rows), width))
    for row, words in zip(table, rows, strict=True):
        row[list(words)] = list(words.values())
    return table


class Peer:
    """One index and the router on it, whose aggregation and top_k are set anew for each configuration."""

    def __init__(
        self, encoder: GivenVectors, library: Sequence[dict[str, Any]], first: Configuration, texts: Sequence[str]
    ) -> None:
        """texts: all that will be asked."""
        self.routes, self.alpha = routes_of(library, names=first.names), first.alpha
        self.encoder, self.sparse = encoder, TfidfEncoder() if first.alpha < 1.0 else None
        self.index = PreparedHybridIndex() if self.sparse else PreparedIndex()
        self.router = self._router(index=self.index, sparse_encoder=self.sparse)
        self._prepare(list(dict.fromkeys([*texts, *(text for text, _ in self.stored())])))

    def _router(self, **options: Any) -> IndexedRouter:
        return IndexedRouter(self.encoder, self.routes, alpha=self.alpha, **options)

    def stored(self) -> list[tuple[str, str]]:
        """Return an utterance of each of up to 100 routes, and the route."""
        step = -(-len(self.routes) // CONTROLS)
        return [(route.utterances[0], route.name) for route in self.routes[::step]]

    def _prepare(self, texts: list[str]) -> None:
        # The same sums as the package's indexes, whose router scales the two parts by alpha and 1 - alpha.
        asked = np.array(self.encoder(texts)) * self.alpha
        similarities = asked @ self.index.index.T / np.linalg.norm(self.index.index, axis=1)
        if self.sparse is None:
            similarities /= np.linalg.norm(asked, axis=1)[:, None]
        else:
            words = len(self.sparse.word_index)
            stored = dense_table(self.index.sparse_index, words)
            asked_sparse = dense_table([sparse.to_dict() for sparse in self.sparse(texts)], words)
            similarities += (1 - self.alpha) * (asked_sparse @ stored.T)
        self.index._hits.prepare(self.index.routes, [row.tobytes() for row in asked], similarities)

    def configure(self, configuration: Configuration) -> None:
        self.router.aggregate = AGGREGATIONS[configuration.aggregation]
        self.router.top_k = min(configuration.top_k, len(self.index))

    async def ranked(self, texts: Sequence[str]) -> list[list[tuple[str, float]]]:
        """Return each text's best routes and their confidences, asked one by one as a service would."""
        answers = []
        for text in texts:
            choices = await self.router.acall(text, limit=None)
            answers.append([(choice.name, float(choice.confidence)) for choice in choices[:KEPT]])
        return answers

    async def positive_control(self, texts: Sequence[str]) -> dict[str, int]:
        """Ask for stored utterances; raise unless they come back, and unless the package's own index answers alike."""
        cases = self.stored()
        self.configure(Configuration("max", EVERY))
        answers = await self.ranked([text for text, _ in cases])
        found = sum(answer[0][0] == name for answer, (_, name) in zip(answers, cases, strict=True))
        if found < CONTROL_SHARE * len(cases):
            raise SystemExit(f"The positive control failed: {found} of {len(cases)} stored utterances came back.")
        own = self._router(top_k=10, aggregation="sum", sparse_encoder=TfidfEncoder() if self.sparse else None)
        self.configure(Configuration("sum", 10))
        sample = list(texts[:: max(1, len(texts) // CONTROLS)])
        for text, answer in zip(sample, await self.ranked(sample), strict=True):
            choice = await own.acall(text)
            if abs(choice.confidence - answer[0][1]) > 1e-9:
                raise SystemExit(f"The control failed: the package answers {choice!r}, the harness {answer[0]!r}.")
        return {"n": len(cases), "found": found, "sameAsPackage": len(sample)}


def share_right(answers: Sequence[Sequence[tuple[str, float]]], messages: Sequence[dict[str, Any]]) -> float:
    """Return top-1 over the messages that mean a route."""
    meant = [(answer, m["expected"]) for answer, m in zip(answers, messages, strict=True) if m["expected"]]
    right = [answer[0][0] in ([expected] if isinstance(expected, str) else expected) for answer, expected in meant]
    return float(np.mean(right))


def auroc(answers: Sequence[Sequence[tuple[str, float]]], messages: Sequence[dict[str, Any]]) -> float | None:
    """Return P(score of a message that means a route > that of one that means none), ties as half."""
    scores = [(answer[0][1], bool(m["expected"])) for answer, m in zip(answers, messages, strict=True)]
    inside, outside = np.array([s for s, is_in in scores if is_in]), np.sort([s for s, is_in in scores if not is_in])
    if not inside.size or not outside.size:
        return None
    below, not_above = (np.searchsorted(outside, inside, side=side).sum() for side in ("left", "right"))
    return float((below + not_above) / (2 * inside.size * outside.size))


async def search(
    encoder: GivenVectors, library: Sequence[dict[str, Any]], messages: Sequence[dict[str, Any]], *, hybrid: bool
) -> tuple[list[dict[str, Any]], Configuration, list[dict[str, int]]]:
    """Score all configurations; return them with top-1 and AUROC, the best by top-1, and each index's control."""
    texts = [message["message"] for message in messages]
    scored: list[dict[str, Any]] = []
    controls: list[dict[str, int]] = []
    tops: list[tuple[float, Configuration]] = []
    named = any(utterances(line, names=True) != utterances(line, names=False) for line in library)
    for group in configurations(hybrid=hybrid, named=named):
        peer = Peer(encoder, library, group[0], texts)
        controls.append(await peer.positive_control(texts))
        for configuration in group:
            started = time.perf_counter()
            peer.configure(configuration)
            answers = await peer.ranked(texts)
            tops.append((share_right(answers, messages), configuration))
            scored.append(configuration.shown() | {"top1": tops[-1][0], "auroc": auroc(answers, messages)})
            print(f"{scored[-1]} {time.perf_counter() - started:.1f} s", file=sys.stderr, flush=True)
    return scored, max(tops, key=lambda top: top[0])[1], controls


async def calibrated(
    peer: Peer, texts: Sequence[str], fit: Sequence[dict[str, Any]]
) -> dict[str, tuple[dict[str, Any] | None, list[list[tuple[str, float]]]]]:
    """Return the answers without `fit` and after each of its methods, with the peer's own report of the fit."""
    results: dict[str, tuple[dict[str, Any] | None, list[list[tuple[str, float]]]]] = {}
    results["raw"] = None, await peer.ranked(texts)
    for method in FIT_METHODS if fit else ():
        report = await peer.router.afit([line["message"] for line in fit], [line["expected"] for line in fit], method)
        shown = {"n": report.n, "accuracy": report.accuracy, "ece": report.ece}
        results[method] = shown, await peer.ranked(texts)
    return results


async def run(folder: Path, *, hybrid: bool) -> dict[str, Any]:
    encoder = GivenVectors.load(folder / "vectors.npz")
    library, messages = read_lines(folder / "library.jsonl"), read_lines(folder / "messages.jsonl")
    fit = read_lines(folder / "fit.jsonl")
    scored, best, controls = await search(encoder, library, messages, hybrid=hybrid)
    texts = [message["message"] for message in messages]
    peer = Peer(encoder, library, best, [*texts, *(line["message"] for line in fit)])
    peer.configure(best)
    number = {line["id"]: i for i, line in enumerate(library)}
    answers = {
        name: {"fit": report, "ranked": [[[number[r], round(c, 9)] for r, c in answer] for answer in ranked]}
        for name, (report, ranked) in (await calibrated(peer, texts, fit)).items()
    }
    return {
        "version": version("semantic-router"),
        "controls": controls,
        "configurations": scored,
        "best": best.shown(),
        "ids": list(number),
        "answers": answers,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Score semantic-router on a folder that accuracy.py wrote.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--dense-only", action="store_true", help="leave its TF-IDF hybrids out (quicker)")
    arguments = parser.parse_args()
    json.dump(asyncio.run(run(arguments.folder, hybrid=not arguments.dense_only)), sys.stdout)


if __name__ == "__main__":
    main()
