"""The figures of `feedback_replay.py` as a section of the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Figures = Mapping[str, Any]
Replay = Mapping[str, Any]
SHOWN = (("top1", "top 1", True), ("auroc", "AUROC", False), ("ece", "ECE", False), ("brier", "Brier", False),
         ("precision", ">= 0.85: right", True), ("coverage", ">= 0.85: share of in scope", True))  # fmt: skip


def section(figures: Figures) -> list[str]:
    """Return the lines of the section. figures: what `benchmarks.feedback_replay --json` wrote."""
    about = figures["about"]
    lines = [
        "## Learning from feedback",
        "",
        f"wellworn {about['wellworn']}, encoder `{about['encoder']}`, seeds {', '.join(map(str, about['seeds']))}; "
        f"measured on {figures['date']} by `python -m benchmarks.feedback_replay`. A simulated local person judges "
        "answers through the code behind `POST /feedback`; a given share of the verdicts is mistaken. Three "
        "utterances an intent; feedback from train splits, reports about test messages that nobody judged. `calibrate` "
        "comes last, on the same feedback. Mean over the seeds (lowest to highest).",
        "",
    ]
    groups: dict[tuple[str, float], list[Replay]] = {}
    for replay in figures["replays"]:
        groups.setdefault((replay["case"], replay["error_rate"]), []).append(replay)
    for (case, rate), replays in groups.items():
        lines += [f"### {case}, {rate:.0%} of the verdicts mistaken", "", *_replay_table(replays), ""]
    if figures["attacks"]:
        lines += _attacks(figures["attacks"])
    return lines


def _replay_table(replays: Sequence[Replay]) -> list[str]:
    rows = []
    for place, point in enumerate(replays[0]["points"]):
        measured = [replay["points"][place] for replay in replays if place < len(replay["points"])]
        rows.append([f"{point['feedbacks']:,} messages", *_cells(measured)])
    calibrated = [replay["calibrate"] for replay in replays]
    kept = sum(one["kept"] for one in calibrated)
    rows.append([f"after `calibrate` (kept {kept} of {len(calibrated)} times)", *_cells(calibrated)])
    taught = [sum(replay["taught"].values()) for replay in replays]
    verdicts = [replay["verdicts"] for replay in replays]
    return [
        *_table(["after feedback on", *(title for _, title, _ in SHOWN)], rows),
        "",
        f"{_spread(verdicts, '{:,.0f}')} verdicts taught {_spread(taught, '{:,.0f}')} utterances.",
    ]


def _cells(measured: Sequence[Figures]) -> list[str]:
    cells = []
    for name, _, percent in SHOWN:
        values = [one[name] for one in measured if one[name] is not None]
        scale = 100.0 if percent else 1.0
        cells.append(_spread([scale * value for value in values], "{:.1f} %" if percent else "{:.3f}"))
    return cells


def _spread(values: Sequence[float], form: str) -> str:
    if not values:
        return "-"
    mean = form.format(sum(values) / len(values))
    low, high = form.format(min(values)), form.format(max(values))
    return mean if low == high else f"{mean} ({low} to {high})"


def _attacks(attacks: Sequence[Figures]) -> list[str]:
    lines = [
        "### Hostile feedback",
        "",
        "On BANKING77's intents, after 500 honest verdicts of a person: one agent's key (unless a row says otherwise) "
        "gives 2,000 wrong verdicts about one victim. In force: what remains of them as lessons on the victim "
        "(learned, negative) and on other skills. After removal: what `forget` of all that the keys taught leaves.",
        "",
    ]
    names = list(dict.fromkeys(attack["attack"] for attack in attacks))
    rows = []
    for name in names:
        runs = [attack for attack in attacks if attack["attack"] == name]
        parts = [[100.0 * run["figures"][part] for run in runs] for part in ("victim", "neighbours", "others")]
        worst = max((run["figures"]["worst"] for run in runs), key=lambda one: one["confidence"])
        wrong = f'{worst["confidence"]:.2f}: {worst["answered"]} for "{_cut(worst["message"])}"'
        rows.append([name or "none (before)", _in_force(runs), *(_spread(part, "{:.1f} %") for part in parts), wrong])
    header = ["attack", "lessons in force", "victim top 1", "its 5 neighbours", "others", "most confident wrong answer"]
    lines += [*_table(header, rows), ""]
    removed = [one["afterRemoval"] for one in attacks if "afterRemoval" in one]
    if removed:
        same = min(one["sameAnswers"] for one in removed)
        change = max(one["largestChange"] for one in removed)
        lines += [f"After removal {100 * same:.1f} % of the answers at least are those of before; "
                  f"the largest change of a confidence is {change:.4f}.", ""]  # fmt: skip
    calibrated = [one for one in attacks if one.get("calibrate")]
    if calibrated:
        lines += ["`calibrate` after the attack, on honest and hostile verdicts together:", ""]
        rows = [
            [one["attack"] or "none", str(one["seed"]), str(one["calibrate"]["messages"]),
             "yes" if one["calibrate"]["kept"] else "no", f"{one['figures']['ece']:.3f}",
             f"{one['calibrate']['ece']:.3f}"]
            for one in calibrated
        ]  # fmt: skip
        lines += [*_table(["attack", "seed", "messages fitted on", "kept", "ECE before", "ECE after"], rows), ""]
    return lines


def _in_force(runs: Sequence[Figures]) -> str:
    found = [run["inForce"] for run in runs if "inForce" in run]
    if not found:
        return "-"
    parts = [_spread([one[part] for one in found], "{:.0f}") for part in ("learned", "negative", "elsewhere")]
    return f"{parts[0]}, {parts[1]}; {parts[2]}"


def _cut(text: str) -> str:
    flat = " ".join(text.split()).replace("|", "/")
    return flat if len(flat) <= 60 else f"{flat[:57]}..."


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *rows)]
