"""Replay feedback as people would give it, and measure accuracy and calibration before, between and after.

    python -m benchmarks.feedback_replay --data FOLDER [--seeds 0 1 2] [--json feedback.json]

FOLDER holds the public data sets (see `accuracy_sets.py`); without --data it is what WELLWORN_DATA names, or
`../shared/data` beside the checkout. Every message is resolved, judged by a simulated person (wrong about a given share
of them) and learned through the code behind `POST /feedback`, in a real data folder; `feedback_cases.py` says which
messages. Reports are about messages that nobody gave feedback on. Then the attacks of `feedback_attack.py`.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.accuracy_sets import Row
from benchmarks.feedback_attack import run_attacks
from benchmarks.feedback_cases import CASES, Case
from benchmarks.feedback_world import (
    PERSON,
    ROUND,
    World,
    ask,
    honest_words,
    mistaken_words,
    report_outcomes,
    say,
    temporary_world,
    train,
)
from benchmarks.fit import CHECKOUT, default_data
from benchmarks.fit_library import CachedEncoder, Vectors
from wellworn import __version__
from wellworn.index.encoders import open_encoder
from wellworn.models.resolution import FeedbackAnswer
from wellworn.resolver.evaluation.outcome import Outcome
from wellworn.resolver.evaluation.summary import (
    calibration_figures,
    confident_figures,
    in_scope_figures,
    out_of_scope_figures,
)
from wellworn.service.workspace import Workspace

POINTS = (200, 500, 1000)
ERROR_RATES = (0.0, 0.05, 0.2)
POINTS_OF = 0.05
"""The share of mistakes at which every point is measured; at the others the first and the last."""
SEEDS = (0, 1, 2)


class Plan(NamedTuple):
    """One library, seed and share of mistaken verdicts."""

    case: str
    seed: int
    error_rate: float


def figures_of(outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    """Return what is reported of asked messages."""
    calibration, confident = calibration_figures(outcomes), confident_figures(outcomes)
    return {
        "top1": in_scope_figures(outcomes).top1,
        "auroc": out_of_scope_figures(outcomes).auroc,
        "ece": calibration.ece,
        "brier": calibration.brier,
        "precision": confident.precision,
        "coverage": confident.coverage,
    }


def give_round(
    workspace: Workspace, rows: Sequence[Row], error_rate: float, chance: random.Random
) -> Iterator[FeedbackAnswer]:
    """Answer the messages, then let the person judge the answers in order; yield what was learned from each."""
    train(workspace)
    answers = [ask(workspace, row["message"]) for row in rows]
    for row, answer in zip(rows, answers, strict=True):
        words = mistaken_words if chance.random() < error_rate else honest_words
        said = words(answer, row, chance)
        if said is not None:
            yield say(workspace, answer, said, PERSON)


def replay(world: World, case: Case, plan: Plan) -> dict[str, Any]:
    """Return the figures at each point, before and after `calibrate`."""
    chance, given, taught, refused = random.Random(plan.seed), 0, Counter[str](), 0
    with world.open() as workspace:
        points = [{"feedbacks": 0, **figures_of(report_outcomes(workspace, case.report))}]
        for start in range(0, len(case.feedback), ROUND):
            for answer in give_round(workspace, case.feedback[start : start + ROUND], plan.error_rate, chance):
                given += 1
                taught.update(one.field for one in answer.taught)
                refused += len(answer.notes)
            asked = min(start + ROUND, len(case.feedback))
            if asked == len(case.feedback) or (plan.error_rate == POINTS_OF and _passes(start, asked)):
                points.append({"feedbacks": asked, **figures_of(report_outcomes(workspace, case.report))})
        report = workspace.calibrate()
        after = figures_of(report_outcomes(workspace, case.report))
        calibration = workspace.settings.calibration_path
        numbers = json.loads(calibration.read_text(encoding="utf-8")) if report.kept else {}
    return {
        "points": points,
        "verdicts": given,
        "taught": dict(taught),
        "notes": refused,
        "calibrate": {
            **after,
            "kept": report.kept,
            "messages": report.messages,
            "scale": numbers.get("scale"),
            "outsideShift": numbers.get("outsideShift"),
        },
    }


def _passes(before: int, after: int) -> bool:
    return any(before < point <= after for point in POINTS)


def run(plan: Plan, options: argparse.Namespace) -> dict[str, Any]:
    """Run one plan in a throw-away data folder."""
    case = CASES[plan.case](options.data, plan.seed)
    with temporary_world(case.library, cached_encoder(options), options.parameters) as world:
        return {**plan._asdict(), **replay(world, case, plan)}


def cached_encoder(options: argparse.Namespace) -> CachedEncoder:
    return CachedEncoder(Vectors(open_encoder(options.encoder), options.cache))


def plans(options: argparse.Namespace) -> list[Plan]:
    rates = sorted(options.error_rates, key=lambda rate: rate != POINTS_OF)
    return [Plan(name, seed, rate) for seed in options.seeds for rate in rates for name in options.only]


def say_plan(result: Mapping[str, Any]) -> None:
    first, last = result["points"][0], result["points"][-1]
    measured = [name for name in ("top1", "auroc", "ece") if first[name] is not None]  # no AUROC where all is in scope
    shown = " ".join(f"{name} {first[name]:.3f}>{last[name]:.3f}" for name in measured)
    print(
        f"{result['case']}, seed {result['seed']}, {result['error_rate']:.0%} mistaken: {shown}",
        file=sys.stderr,
        flush=True,
    )


def arguments_of(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.feedback_replay", description="Replay feedback and measure.")
    parser.add_argument("--data", type=Path, default=default_data())
    parser.add_argument("--json", type=Path, help="file of the figures, for benchmarks.report --feedback")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS))
    parser.add_argument("--only", nargs="+", choices=list(CASES), default=list(CASES), metavar="CASE")
    parser.add_argument("--error-rates", type=float, nargs="+", default=list(ERROR_RATES))
    parser.add_argument("--encoder", default="bundled")
    parser.add_argument("--parameters", type=Path, help="a parameter file instead of the one that ships")
    parser.add_argument("--cache", type=Path, default=CHECKOUT / ".cache" / "feedback", help="folder for vectors")
    parser.add_argument("--no-attacks", action="store_true", help="replay only")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the plans and write their figures."""
    options = arguments_of(arguments)
    about = {"wellworn": __version__, "encoder": options.encoder, "seeds": options.seeds}
    found: dict[str, Any] = {"about": about, "date": f"{datetime.now(UTC):%Y-%m-%d}", "replays": [], "attacks": []}
    todo = plans(options)
    with ProcessPoolExecutor(max(1, options.jobs - 1), mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(run, plan, options) for plan in todo]
        for attack in attacks(options):
            found["attacks"].append(attack)
            collect(waiting, found)
            write(found, options.json)
        for replayed in as_completed(waiting):
            replayed.result()
            collect(waiting, found)
            write(found, options.json)
    write(found, options.json)
    if options.json is None:
        print(json.dumps(found, indent=1))


def attacks(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Run all attacks, one victim a seed."""
    if not options.no_attacks:
        encoder = cached_encoder(options)
        for seed in options.seeds:
            for found in run_attacks(options.data, seed, encoder, options.parameters):
                victim = found["figures"]["victim"]
                print(f"attack, seed {seed}: {found['attack']}: victim {victim:.3f}", file=sys.stderr, flush=True)
                yield found


def collect(waiting: Sequence[Future[dict[str, Any]]], found: dict[str, Any]) -> None:
    """Take over the replays that are done, in the order in which they were planned."""
    done = [one.result() for one in waiting if one.done()]
    for result in done:
        if result not in found["replays"]:
            say_plan(result)
    found["replays"] = done


def write(found: Mapping[str, Any], path: Path | None) -> None:
    """Write what was found so far, so that a long run can be watched."""
    if path is not None:
        path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
