"""An evaluation as one picture: what a confidence meant, coverage against precision, and the worst confusions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wellworn.models.errors import InvalidInput, Unavailable
from wellworn.resolver.evaluation import metrics
from wellworn.resolver.evaluation.answer import EvaluationAnswer
from wellworn.resolver.evaluation.outcome import ANSWERED_AT, CONFIDENT_AT, Outcome
from wellworn.resolver.evaluation.runner import EvaluationRun

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WORST_SKILLS = 12
_INK, _MUTED, _GRID = "#1f2933", "#7b8794", "#e4e7eb"
_BLUE, _ORANGE, _RED = "#2b6cb0", "#dd6b20", "#c53030"
_LABEL_CHARS = 26


def write_plot(run: EvaluationRun, path: Path, *, title: str = "wellworn eval") -> None:
    """Write a PNG of the run.

    Raises Unavailable without matplotlib, InvalidInput when the file cannot be written.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - an extra, and slow to load
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError as error:
        raise Unavailable(
            "A plot needs matplotlib, which is not installed.", hint="Run: pip install 'wellworn[plot]'"
        ) from error
    # Figure and canvas directly, not pyplot: no global state and no display.
    figure = Figure(figsize=(13.5, 10.0), dpi=120, layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    _draw(figure, run, title)
    try:
        figure.savefig(path, format="png")
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be written: {error.strerror or error}.", hint="Name a file in a folder that exists."
        ) from error


def _draw(figure: Figure, run: EvaluationRun, title: str) -> None:
    figure.suptitle(f"{title}   {_headline(run.answer)}", x=0.01, ha="left", color=_INK, fontsize=13, fontweight="bold")
    grid = figure.add_gridspec(3, 2, height_ratios=[4.2, 1.3, 6.0], width_ratios=[1.0, 1.0])
    diagram = figure.add_subplot(grid[0, 0])
    _reliability(diagram, run.answer)
    _histogram(figure.add_subplot(grid[1, 0], sharex=diagram), run.outcomes)
    _coverage(figure.add_subplot(grid[0:2, 1]), run)
    _confusion(figure.add_subplot(grid[2, :]), run.outcomes)


def _headline(answer: EvaluationAnswer) -> str:
    parts = []
    if answer.in_scope.top1 is not None:
        parts.append(f"top 1 {100 * answer.in_scope.top1:.1f} %")
    if answer.out_of_scope.auroc is not None:
        parts.append(f"out-of-scope AUROC {answer.out_of_scope.auroc:.3f}")
    if answer.calibration.ece is not None:
        parts.append(f"ECE {answer.calibration.ece:.3f}")
    return ",  ".join(parts)


def _style(axes: Axes, title: str) -> None:
    axes.set_title(title, loc="left", fontsize=11, color=_INK, pad=10)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(_MUTED)
    axes.tick_params(colors=_MUTED, labelsize=9)
    axes.set_axisbelow(True)
    axes.grid(color=_GRID, linewidth=0.8)


def _reliability(axes: Axes, answer: EvaluationAnswer) -> None:
    _style(axes, "What a confidence meant (area of a point: number of messages)")
    bins = [each for each in answer.calibration.bins if each.n]
    said = np.array([each.confidence for each in bins], dtype=np.float64)
    right = np.array([each.correct for each in bins], dtype=np.float64)
    counts = np.array([each.n for each in bins], dtype=np.float64)
    axes.plot([0, 1], [0, 1], color=_MUTED, linestyle="--", linewidth=1, label="as said")
    if bins:
        error = 1.96 * np.sqrt(np.maximum(right * (1 - right), 0.25 / counts) / counts)
        axes.errorbar(
            said, right, yerr=error, color=_BLUE, linewidth=1.4, elinewidth=1, capsize=2, label="measured, 95 %"
        )
        axes.scatter(said, right, s=18 + 260 * counts / counts.max(), color=_BLUE, alpha=0.45, linewidths=0)
    axes.set(xlim=(0, 1), ylim=(-0.02, 1.02))
    axes.set_ylabel("share right", color=_INK)
    axes.tick_params(labelbottom=False)
    axes.legend(loc="upper left", frameon=False, fontsize=9, labelcolor=_INK)


def _histogram(axes: Axes, outcomes: Sequence[Outcome]) -> None:
    _style(axes, "")
    edges = np.linspace(0, 1, 31)
    judged = [outcome for outcome in outcomes if outcome.judged]
    parts = {
        "right": (_BLUE, [o.confidence for o in judged if o.correct]),
        "wrong": (_ORANGE, [o.confidence for o in judged if o.message.in_scope and not o.correct]),
        "out of scope": (_RED, [o.confidence for o in judged if o.message.out_of_scope]),
    }
    shown = {name: part for name, part in parts.items() if part[1]}
    if shown:
        axes.hist(
            [values for _, values in shown.values()],
            bins=[float(edge) for edge in edges],
            stacked=True,
            color=[colour for colour, _ in shown.values()],
            label=list(shown),
        )
        axes.legend(loc="upper center", ncols=3, frameon=False, fontsize=8, labelcolor=_INK, bbox_to_anchor=(0.45, 1.3))
    axes.set_xlabel("confidence", color=_INK)
    axes.set_ylabel("messages", color=_INK)


def _coverage(axes: Axes, run: EvaluationRun) -> None:
    _style(axes, "Coverage against precision: answering only above a confidence")
    judged = [outcome for outcome in run.outcomes if outcome.judged]
    axes.set(xlim=(0, 1), xlabel="share of messages answered")
    axes.set_ylabel("share of those right", color=_INK)
    axes.xaxis.label.set_color(_INK)
    if not judged:
        return
    thresholds, coverage, precision = metrics.coverage_and_precision(
        [outcome.confidence for outcome in judged], [outcome.correct for outcome in judged]
    )
    axes.plot(coverage, precision, color=_BLUE, linewidth=1.8)
    settled = precision[coverage >= 0.02]
    axes.set_ylim(max(0.0, float(settled.min()) - 0.06) if len(settled) else 0.0, 1.015)
    for threshold, colour in ((CONFIDENT_AT, _INK), (ANSWERED_AT, _ORANGE)):
        reached = np.flatnonzero(thresholds >= threshold)
        if len(reached):
            x, y = float(coverage[reached[-1]]), float(precision[reached[-1]])
            axes.plot([x], [y], "o", color=colour, markersize=7)
            label = f"confidence >= {threshold:.2f}: {100 * x:.0f} % answered, {100 * y:.1f} % right"
            left = x > 0.5  # the curve falls to the right: below it on the left is free, and above it on the right
            axes.annotate(
                label,
                (x, y),
                xytext=(-10, -12) if left else (10, 8),
                textcoords="offset points",
                ha="right" if left else "left",
                va="top" if left else "bottom",
                fontsize=9,
                color=colour,
            )


def _confusion(axes: Axes, outcomes: Sequence[Outcome]) -> None:
    meant, answered, table = _worst(outcomes)
    _style(axes, "The worst confusions (rows: meant; columns: answered; the diagonal is right)")
    axes.grid(False)
    if not meant:
        axes.text(0.5, 0.5, "nothing was confused", ha="center", va="center", color=_MUTED, transform=axes.transAxes)
        axes.set(xticks=[], yticks=[])
        return
    same = np.array([[row == column for column in answered] for row in meant])
    most = max(1, table[~same].max(initial=1))
    axes.imshow(np.where(same, 0, table), cmap="Oranges", aspect="auto", vmin=0, vmax=most)
    for row, column in zip(*np.nonzero(table), strict=True):
        count, right = int(table[row, column]), bool(same[row, column])
        colour = _BLUE if right else "white" if count > 0.6 * most else _INK
        weight = "normal" if right else "bold"
        axes.text(column, row, str(count), ha="center", va="center", fontsize=9, color=colour, fontweight=weight)
    axes.set_xticks(range(len(answered)), [_short(name) for name in answered], rotation=28, ha="right", fontsize=8.5)
    axes.set_yticks(range(len(meant)), [_short(name) for name in meant], fontsize=8.5)
    axes.tick_params(colors=_INK, length=0)


def _worst(outcomes: Sequence[Outcome]) -> tuple[list[str], list[str], metrics.IntArray]:
    """Return the rows, columns and counts around the pairs that were confused most often."""
    pairs: dict[tuple[str, str], int] = {}
    for outcome in outcomes:
        if outcome.message.in_scope or (outcome.message.out_of_scope and outcome.confidence >= ANSWERED_AT):
            pair = (_meant(outcome), outcome.answered or "(none)")
            pairs[pair] = pairs.get(pair, 0) + 1
    confused = sorted((pair for pair in pairs if pair[0] != pair[1]), key=lambda pair: (-pairs[pair], pair))
    worst = confused[:WORST_SKILLS]
    meant = list(dict.fromkeys(pair[0] for pair in worst))
    answered = list(dict.fromkeys((*(name for name in meant if name != "(none)"), *(pair[1] for pair in worst))))
    counts = [[pairs.get((row, column), 0) for column in answered] for row in meant]
    return meant, answered, np.array(counts, dtype=np.int64).reshape(len(meant), len(answered))


def _meant(outcome: Outcome) -> str:
    if not outcome.message.in_scope:
        return "(none)"
    return (outcome.answered or "") if outcome.correct else outcome.message.expected[0]


def _short(name: str) -> str:
    return name if len(name) <= _LABEL_CHARS else name[: _LABEL_CHARS - 1] + "…"
