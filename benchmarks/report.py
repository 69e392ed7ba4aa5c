"""Write the results of `accuracy.py` as one Markdown report.

    python -m benchmarks.report results.json [--out benchmarks/REPORT.md]

Figures of seeded tasks are the mean over the seeds, with the lowest and highest in brackets.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.context_section import section as context_section
from benchmarks.feedback_report import section as feedback_section

Answer = Mapping[str, Any]
Result = Mapping[str, Any]
PEER, OURS = "semantic-router", "wellworn"


class Figure(NamedTuple):
    """A column: where it stands in an answer, and how it is shown."""

    title: str
    of: Callable[[Answer], float | None]
    percent: bool = False


TOP1 = Figure("top 1", lambda answer: answer["inScope"]["top1"], percent=True)
TOP5 = Figure("top 5", lambda answer: answer["inScope"]["top5"], percent=True)
AUROC = Figure("AUROC", lambda answer: answer["outOfScope"]["auroc"])
AUROC_ANY = Figure("AUROC, any", lambda answer: answer["outOfScope"].get("aurocAny"))
ECE = Figure("ECE", lambda answer: answer["calibration"]["ece"])
FIGURES = {
    "top1": TOP1,
    "top5": TOP5,
    "mrr": Figure("MRR", lambda answer: answer["inScope"]["mrr"]),
    "auroc": AUROC,
    "aurocAny": AUROC_ANY,
    "rejectedAt60": Figure("rejected at 0.60", lambda answer: answer["outOfScope"]["rejectedAt60"], percent=True),
    "avoided": Figure("near misses avoided", lambda answer: answer["nearMisses"]["avoided"], percent=True),
    "ece": ECE,
    "precision": Figure(">= 0.85: right", lambda answer: answer["confident"]["precision"], percent=True),
    "coverage": Figure(">= 0.85: share of in scope", lambda answer: answer["confident"]["coverage"], percent=True),
}


class Aim(NamedTuple):
    """What a figure of a task shall reach (`ece`: not pass)."""

    task: str
    figure: str
    value: float


AIMS = (
    Aim("clinc150", "top1", 0.92),
    Aim("clinc150", "auroc", 0.968),
    Aim("clinc150, 5 utterances", "top1", 0.89),
    Aim("clinc150, typos", "top1", 0.77),
    Aim("clinc150, 4:1", "ece", 0.03),
    Aim("clinc150, 4:1", "precision", 0.95),
    Aim("clinc150, 4:1", "coverage", 0.70),
    Aim("banking77", "top1", 0.865),
    Aim("banking77", "ece", 0.03),
    Aim("banking77, 5 utterances", "top1", 0.81),
    Aim("banking77, typos", "top1", 0.74),
    Aim("banking77, 19 held out", "top1", 0.895),
    Aim("banking77, 19 held out", "auroc", 0.90),
    Aim("banking77, 19 held out", "ece", 0.06),
    Aim("skill messages, largest", "top1", 0.70),
    Aim("skill messages, largest", "top5", 0.89),
    Aim("skill messages", "avoided", 0.75),
    Aim("skill messages", "ece", 0.08),
    Aim("metatool", "top1", 0.57),
    Aim("metatool", "top5", 0.80),
)


def shown(figure: Figure, values: Sequence[float]) -> str:
    """Return the mean, and with several seeds the lowest and highest; a dash for nothing."""
    if not values:
        return "-"
    scale, digits = (100.0, 1) if figure.percent else (1.0, 3)
    mean = f"{scale * sum(values) / len(values):.{digits}f}{' %' if figure.percent else ''}"
    if len(values) == 1:
        return mean
    return f"{mean} ({scale * min(values):.{digits}f} to {scale * max(values):.{digits}f})"


def values_of(results: Sequence[Result], task: str, system: str, figure: Figure, variant: str | None) -> list[float]:
    """Return the figure of each seed, without those that have none."""
    chosen = [r for r in results if r["task"] == task and r["system"] == system and r.get("variant") == variant]
    return [value for result in chosen if (value := figure.of(result["answer"])) is not None]


def best_fit(results: Sequence[Result], task: str) -> str:
    """Return the variant of the peer with the lowest calibration error on the task itself, which favours it."""
    errors = {}
    for variant in dict.fromkeys(r["variant"] for r in results if r["task"] == task and r["system"] == PEER):
        values = values_of(results, task, PEER, ECE, variant)
        errors[variant] = sum(values) / len(values) if values else 1.0
    return min(errors, key=lambda variant: errors[variant], default="raw")


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"|{'---|' * len(header)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def aims_table(results: Sequence[Result]) -> Iterator[str]:
    """Yield every aim beside what was measured, for wellworn and the peer."""
    rows = []
    for aim in AIMS:
        figure = FIGURES[aim.figure]
        ours = values_of(results, aim.task, OURS, figure, None)
        theirs = peer_best(results, aim)
        if ours or theirs:
            sign = "<=" if aim.figure == "ece" else ">="
            rows.append([aim.task, figure.title, f"{sign} {shown(figure, [aim.value])}", shown(figure, ours),
                         reached(aim, ours), shown(figure, theirs)])  # fmt: skip
    yield from markdown_table(["task", "figure", "aim", OURS, "reached", f"{PEER}, best"], rows)


def reached(aim: Aim, values: Sequence[float]) -> str:
    """Say whether the mean keeps the aim, and if only some seeds do."""
    if not values:
        return "-"
    kept = [value <= aim.value if aim.figure == "ece" else value >= aim.value for value in values]
    mean = sum(values) / len(values)
    if mean <= aim.value if aim.figure == "ece" else mean >= aim.value:
        return "yes" if all(kept) else "on average"
    return "no"


def figures_table(results: Sequence[Result], system: str) -> Iterator[str]:
    """Yield all figures of a system: a row a task (and, of the peer, a variant)."""
    keys = dict.fromkeys((r["task"], r.get("variant")) for r in results if r["system"] == system)
    rows = []
    for task, variant in keys:
        figures = (shown(figure, values_of(results, task, system, figure, variant)) for figure in FIGURES.values())
        rows.append([task if variant is None else f"{task}; {variant}", *figures])
    yield from markdown_table(["task", *(figure.title for figure in FIGURES.values())], rows)


def configurations_table(results: Sequence[Result], figure: str) -> Iterator[str]:
    """Yield a figure (`top1`, `auroc`) of every configuration of the peer: a row each, and a column a task."""
    by_name = peer_configurations(results, figure)
    tasks = list(dict.fromkeys(task for by_task in by_name.values() for task in by_task))
    rows = [
        [name, *(shown(FIGURES[figure], by_task.get(task, [])) for task in tasks)] for name, by_task in by_name.items()
    ]
    yield from markdown_table(["configuration", *tasks], rows)


def peer_configurations(results: Sequence[Result], figure: str) -> dict[str, dict[str, list[float]]]:
    """Return configuration -> task -> the figure of each seed."""
    found: dict[str, dict[str, list[float]]] = {}
    for result in results:
        if result["system"] == PEER and result["variant"] == "raw":
            for each in result["peer"]["configurations"]:
                if each[figure] is not None:
                    of_task = found.setdefault(configuration_name(each), {}).setdefault(result["task"], [])
                    of_task.append(each[figure])
    return found


def peer_best(results: Sequence[Result], aim: Aim) -> list[float]:
    """Return the peer's values of an aim's figure, by whichever configuration or fit is best at that figure."""
    if aim.figure in ("top1", "auroc"):
        of_task = [
            by_task[aim.task] for by_task in peer_configurations(results, aim.figure).values() if aim.task in by_task
        ]
        return max(of_task, key=lambda values: sum(values) / len(values), default=[])
    return values_of(results, aim.task, PEER, FIGURES[aim.figure], best_fit(results, aim.task))


def configuration_name(configuration: Mapping[str, Any]) -> str:
    """Return a configuration in words."""
    parts = [f"{configuration['aggregation']} over {configuration['topK']}"]
    if configuration["alpha"] < 1:
        parts.append(f"with TF-IDF, alpha {configuration['alpha']}")
    if configuration["namesAsUtterances"]:
        parts.append("names as utterances")
    return ", ".join(parts)


def report(data: Mapping[str, Any]) -> str:
    """Return the whole report."""
    results: Sequence[Result] = data["results"]
    about = data["about"]
    lines = [
        "# Accuracy and calibration",
        "",
        f"wellworn {about['wellworn']}, encoder `{about['encoder']}`, seeds {', '.join(map(str, about['seeds']))}; "
        f"measured on {data['date']}. Made by `python -m benchmarks.accuracy` and `python -m benchmarks.report`; "
        "`benchmarks/accuracy_sets.py` says what each task is. Seeded tasks: mean over the seeds (lowest to highest). "
        "Nothing that is reported here was fitted on.",
        "",
    ]
    if any(r["system"] == OURS for r in results):
        lines += ["## Aims", "", *aims_table(results), "## wellworn", "", *figures_table(results, OURS)]
    peers = [r for r in results if r["system"] == PEER]
    if peers:
        lines += [
            f"## semantic-router {peers[0]['peer']['version']}",
            "",
            "On the same vectors, libraries and messages. Of all its configurations below the one with the best top-1 "
            "on the messages themselves is taken for each task and seed, which favours it. `raw`: its scores as they "
            "are (no probabilities, and above 1 for `sum`); `platt`, `isotonic`: after its own `fit` on labelled "
            "messages that are in neither library nor test and hold out-of-scope messages of the kind tested (1,600 to "
            "1,875). In the table of aims stands its best at the very figure: for top-1 and AUROC of those "
            "below, for the others the fit with the lowest ECE.",
            "",
            *figures_table(results, PEER),
            "Top-1 of every configuration:",
            "",
            *configurations_table(results, "top1"),
            "AUROC of every configuration:",
            "",
            *configurations_table(results, "auroc"),
        ]
    return "\n".join(lines).rstrip("\n") + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Write benchmark results as Markdown.")
    parser.add_argument("results", type=Path, help="the JSON file that benchmarks.accuracy wrote")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("REPORT.md"))
    parser.add_argument("--feedback", type=Path, help="the JSON file that benchmarks.feedback_replay wrote")
    parser.add_argument("--context", type=Path, help="the JSON file that benchmarks.context wrote")
    options = parser.parse_args(arguments)
    text = report(json.loads(options.results.read_text(encoding="utf-8")))
    if options.feedback is not None:
        text += "\n" + "\n".join(feedback_section(json.loads(options.feedback.read_text(encoding="utf-8"))))
    if options.context is not None:
        text += "\n" + "\n".join(context_section(json.loads(options.context.read_text(encoding="utf-8"))))
    options.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
