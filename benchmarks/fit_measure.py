"""How well parameters do on the evaluation tasks: each task is measured once, then scored with any parameters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.accuracy_sets import TASKS, Row, Task
from benchmarks.fit_library import MemoryLibrary, Vectors, make_skill
from wellworn.models.skill import Skill
from wellworn.resolver.evaluation.metrics import auroc, expected_calibration_error
from wellworn.resolver.parameters import Parameters
from wellworn.resolver.ranking import Measured
from wellworn.resolver.scoring import score

ANSWERED_AT = 0.60
_FIELDS = ("description", "examples", "aliases", "triggers", "negatives")


@dataclass(frozen=True, slots=True)
class Judged:
    """A message of a task: what was measured, its mood's penalty, refs of the skills meant, ref of a near miss."""

    measured: Measured | None
    penalty: float
    meant: frozenset[int]
    not_meant: int | None


def measure_task(name: str, seed: int, data: Path, vectors: Vectors) -> list[Judged]:
    """Measure all messages of a task of `accuracy_sets`, each group in its own library."""
    task: Task = TASKS[name].make(data, seed)
    libraries: dict[Any, list[Row]] = defaultdict(list)
    for row in task.library:
        libraries[row.get("group")].append(row)
    judged: list[Judged] = []
    for group, rows in libraries.items():
        messages = [row for row in task.messages if row.get("group") == group]
        if messages:
            judged += _judge(MemoryLibrary([_skill(row) for row in rows], vectors), messages)
    return judged


def _skill(row: Row) -> Skill:
    return make_skill(row["id"], {key: row[key] for key in _FIELDS if key in row}, row.get("body") or "")


def _judge(library: MemoryLibrary, messages: Sequence[Row]) -> Iterator[Judged]:
    measured = library.measure([row["message"] for row in messages])
    for row, (reading, found) in zip(messages, measured, strict=True):
        expected = row.get("expected")
        ids = [] if expected is None else [expected] if isinstance(expected, str) else expected
        meant = frozenset(library.ref_of[name] for name in ids)
        yield Judged(found, reading.penalty, meant, library.ref_of.get(row.get("notSkill", "")))


def figures(judged: Sequence[Judged], parameters: Parameters) -> dict[str, float]:
    """Return the figures of one task, shares from 0 to 1 (see `wellworn eval` for what each means)."""
    right, five, sure, inside, avoided = [], [], [], [], []
    for one in judged:
        confidences, refs = _ranked(one, parameters)
        best = float(confidences[0]) if len(refs) else 0.0
        if one.not_meant is not None:
            avoided.append(not (len(refs) and refs[0] == one.not_meant and best >= ANSWERED_AT))
            if not one.meant:
                continue
        inside.append(bool(one.meant))
        sure.append(best)
        right.append(bool(len(refs)) and refs[0] in one.meant)
        five.append(bool(one.meant.intersection(refs[:5])))
    return _summary(np.array(right), np.array(five), np.array(sure), np.array(inside), avoided)


def _ranked(one: Judged, parameters: Parameters) -> tuple[Sequence[float], list[int]]:
    if one.measured is None:
        return [], []
    scores = score(one.measured.features, one.penalty, parameters)
    order = np.argsort(-scores.scores, kind="stable")
    return scores.confidences[order].tolist(), one.measured.refs[order].tolist()


def _summary(right: Any, five: Any, sure: Any, inside: Any, avoided: Sequence[bool]) -> dict[str, float]:
    confident = sure >= 0.85
    found: Mapping[str, float] = {
        "top1": float(right[inside].mean()),
        "top5": float(five[inside].mean()),
        "ece": float(expected_calibration_error(sure, right) or 0.0),
        "precisionAt85": float(right[confident].mean()) if confident.any() else 1.0,
        "coverageAt85": float((confident & inside).sum() / inside.sum()),
    }
    more: dict[str, float] = {}
    if not inside.all():
        more["auroc"] = float(auroc(sure[inside], sure[~inside]) or 0.0)
    if avoided:
        more["avoided"] = float(np.mean(avoided))
    return {name: round(value, 4) for name, value in {**found, **more}.items()}
