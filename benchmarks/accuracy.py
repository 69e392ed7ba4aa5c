"""Measure accuracy and calibration on labelled data sets, beside semantic-router on the same vectors.

    python -m benchmarks.accuracy --data FOLDER --out results.json [--peer-python .peer/bin/python]
    python -m benchmarks.report results.json

FOLDER holds the public data sets (see `accuracy_sets.py` for their layout). Every task is written as the two files of
`wellworn eval` and evaluated by the same code. The peer runs in its own environment (`peer-requirements.txt`); its
answers come back and go through the same figures. Results are written after each task, so a long run can be watched.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.accuracy_sets import TASKS, Row, Task
from wellworn import __version__
from wellworn.index.encoder import Encoder, FloatArray
from wellworn.models.resolution import Decision
from wellworn.resolver.evaluation.answer import Control, EvaluationAnswer, Indexing
from wellworn.resolver.evaluation.messages import Message
from wellworn.resolver.evaluation.outcome import ANSWERED_AT, EvaluatedMessage, Outcome
from wellworn.resolver.evaluation.summary import summarise

PEER_SCRIPT = Path(__file__).with_name("peer_semantic_router.py")
SEEDS = (0, 1, 2)


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")


def write_task(task: Task, folder: Path) -> None:
    """Write `library.jsonl`, `messages.jsonl` and `fit.jsonl`."""
    write_rows(folder / "library.jsonl", task.library)
    write_rows(folder / "messages.jsonl", task.messages)
    write_rows(folder / "fit.jsonl", task.fit)


class Vectors:
    """An encoder that encodes each text once in the whole run."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._known: dict[str, FloatArray] = {}

    def of(self, texts: Sequence[str]) -> FloatArray:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._encoder.encode(new), strict=True))
        return np.array([self._known[text] for text in texts], dtype=np.float32)


def task_texts(task: Task) -> list[str]:
    """Return every text that the peer may need a vector of, each once."""
    texts: dict[str, None] = {}
    for line in task.library:
        own = (line.get(name) or () for name in ("aliases", "triggers", "examples"))
        texts.update(dict.fromkeys(text for many in own for text in many))
        texts.update(dict.fromkeys((line.get("description") or "", line["id"].replace("-", " "))))
    texts.update(dict.fromkeys(row["message"] for row in (*task.messages, *task.fit)))
    texts.pop("", None)
    return list(texts)


def run_wellworn(folder: Path, encoder: str, parameters: Path | None) -> EvaluationAnswer:
    from wellworn.service.evaluation import evaluate

    return evaluate(folder / "library.jsonl", folder / "messages.jsonl", encoder=encoder, parameters=parameters)


def run_peer(folder: Path, task: Task, vectors: Vectors, python: Path) -> dict[str, Any]:
    """Return what `peer_semantic_router.py` prints. Raises CalledProcessError when it fails."""
    texts = task_texts(task)
    np.savez(folder / "vectors.npz", texts=np.array(texts), vectors=vectors.of(texts))
    done = subprocess.run([python, PEER_SCRIPT, folder], stdout=subprocess.PIPE, check=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def as_expected(value: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return a message line's `expected` as a tuple."""
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def peer_answers(peer: Mapping[str, Any], task: Task) -> Iterator[tuple[str, EvaluationAnswer]]:
    """Yield (variant, figures): raw scores, and confidences after each method of the peer's `fit`."""
    ids: Sequence[str] = peer["ids"]
    control = Control(n=sum(c["n"] for c in peer["controls"]), found=sum(c["found"] for c in peer["controls"]))
    for variant, part in peer["answers"].items():
        outcomes = []
        for row, ranked in zip(task.messages, part["ranked"], strict=True):
            named = [(ids[i], confidence) for i, confidence in ranked]
            decision = Decision.confirm if named and named[0][1] >= ANSWERED_AT else Decision.none
            message = Message(row["message"], as_expected(row["expected"]), row.get("notSkill"))
            outcomes.append(Outcome(message, EvaluatedMessage(named, decision, 0.0)))
        yield variant, summarise(outcomes, indexing=Indexing(utterances=0, seconds=0.0), control=control)


class Plan(NamedTuple):
    """One task with one seed."""

    name: str
    seed: int


def plans(names: Sequence[str], seeds: Sequence[int]) -> list[Plan]:
    return [Plan(name, seed) for name in names for seed in (seeds if TASKS[name].seeded else seeds[:1])]


def measure(plan: Plan, options: argparse.Namespace, vectors: Vectors | None) -> Iterator[dict[str, Any]]:
    """Yield one result for each system (and each variant of the peer)."""
    task = TASKS[plan.name].make(options.data, plan.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_task(task, folder)
        if not options.peer_only:
            answer = run_wellworn(folder, options.encoder, options.parameters)
            yield {"task": plan.name, "seed": plan.seed, "system": "wellworn", "answer": as_wire(answer)}
        if vectors is not None and TASKS[plan.name].peer:
            peer = run_peer(folder, task, vectors, options.peer_python)
            about = {key: peer[key] for key in ("version", "best", "configurations", "controls")}
            for variant, answer in peer_answers(peer, task):
                yield {
                    "task": plan.name,
                    "seed": plan.seed,
                    "system": "semantic-router",
                    "variant": variant,
                    "answer": as_wire(answer),
                    "peer": about,
                }


def as_wire(answer: EvaluationAnswer) -> dict[str, Any]:
    return answer.model_dump(mode="json", by_alias=True)


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure accuracy on labelled data sets, beside semantic-router.")
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--out", type=Path, required=True, help="JSON file of the results, for benchmarks.report")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS))
    parser.add_argument("--only", nargs="+", choices=list(TASKS), default=list(TASKS), metavar="TASK")
    parser.add_argument("--encoder", default="bundled")
    parser.add_argument("--parameters", type=Path, help="a parameter file instead of the one that ships")
    parser.add_argument("--peer-python", type=Path, help="Python of an environment with peer-requirements.txt")
    parser.add_argument("--peer-only", action="store_true", help="measure the peer alone")
    options = parser.parse_args(arguments)
    if options.peer_only and options.peer_python is None:
        parser.error("--peer-only needs --peer-python")
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the plans one after the other and write the results after each."""
    options = _arguments(arguments)
    vectors: Vectors | None = None
    if options.peer_python is not None:
        from wellworn.index.encoders import open_encoder

        vectors = Vectors(open_encoder(options.encoder))
    results: list[dict[str, Any]] = []
    for plan in plans(options.only, options.seeds):
        print(f"{plan.name}, seed {plan.seed}", file=sys.stderr, flush=True)
        results += measure(plan, options, vectors)
        about = {"wellworn": __version__, "encoder": options.encoder, "seeds": options.seeds}
        report = {"about": about, "date": f"{datetime.now(UTC):%Y-%m-%d}", "results": results}
        options.out.write_text(json.dumps(report, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
