"""An evaluation as tables for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from wellworn.resolver.evaluation.answer import CalibrationBin, EvaluationAnswer, Interval
from wellworn.resolver.evaluation.compare import Difference

if TYPE_CHECKING:  # rich is imported only when something is printed
    from rich.console import Console
    from rich.table import Table

SHOWN_CONFUSIONS = 10
_BAR = 20
_EXAMPLE = 60
_LOWER_IS_BETTER = ("ece", "brier")


def print_report(answer: EvaluationAnswer, console: Console) -> None:
    """Print everything that `wellworn eval --json` holds."""
    for table in (_figures(answer), _decisions(answer), _calibration(answer), _confusions(answer)):
        if table.row_count:
            console.print(table)


def print_comparison(differences: Sequence[Difference], console: Console, *, first: str, second: str) -> None:
    """Print two runs side by side. first, second: what to call them, e.g. the encoders' names."""
    table = _table(
        f"{second} against {first}, paired on the same messages", "figure", first, second, "difference", "95 %"
    )
    table.add_column("verdict", justify="left")
    for each in differences:
        table.add_row(
            each.figure,
            f"{each.first:.4f}",
            f"{each.second:.4f}",
            f"{each.difference:+.4f}",
            f"{each.low:+.4f} to {each.high:+.4f}",
            _verdict(each),
        )
    console.print(table)


def _verdict(each: Difference) -> str:
    if not each.significant:
        return "within chance"
    return "better" if (each.difference > 0) != (each.figure in _LOWER_IS_BETTER) else "worse"


def _table(title: str, *columns: str) -> Table:
    from rich.table import Table  # noqa: PLC0415 - start-up time of commands that print nothing

    table = Table(title=title, title_justify="left", title_style="bold", header_style="dim")
    for position, column in enumerate(columns):
        table.add_column(column, justify="left" if position == 0 else "right", overflow="fold")
    return table


def percent(value: float | None) -> str:
    """Return a share as `92.3 %`, or a dash when there is none."""
    return "-" if value is None else f"{100 * value:.1f} %"


def number(value: float | None, digits: int = 3) -> str:
    """Return a number with fixed digits, or a dash when there is none."""
    return "-" if value is None else f"{value:.{digits}f}"


def _within(interval: Interval | None, *, shares: bool) -> str:
    if interval is None:
        return ""
    low, high = interval
    return f"{percent(low)} to {percent(high)}" if shares else f"{low:.3f} to {high:.3f}"


def _figures(answer: EvaluationAnswer) -> Table:
    table = _table("Figures", "", "value", "95 %")
    for row in _figure_rows(answer):
        table.add_row(*row)
    return table


def _figure_rows(answer: EvaluationAnswer) -> Iterable[tuple[str, str, str]]:
    meant, unmeant, near = answer.in_scope, answer.out_of_scope, answer.near_misses
    if meant.n:
        yield f"in scope ({meant.n} messages): top 1", percent(meant.top1), _within(answer.intervals.top1, shares=True)
        yield "  top 3", percent(meant.top3), ""
        yield "  top 5", percent(meant.top5), ""
        yield "  MRR, nDCG@10", f"{number(meant.mrr)}, {number(meant.ndcg10)}", ""
    if unmeant.n:
        name = f"out of scope ({unmeant.n} messages): AUROC"
        yield name, number(unmeant.auroc), _within(answer.intervals.auroc, shares=False)
        yield "  AUROC by the confidence in any skill", number(unmeant.auroc_any), ""
        yield "  below 0.60", percent(unmeant.rejected_at_60), ""
        yield "  passing where 95 % in scope pass", percent(unmeant.fpr_at_95), ""
    if near.n:
        yield (
            f"near misses ({near.n} messages): avoided",
            percent(near.avoided),
            _within(answer.intervals.avoided, shares=True),
        )
    calibration, sure = answer.calibration, answer.confident
    yield "calibration error (ECE)", number(calibration.ece), _within(answer.intervals.ece, shares=False)
    yield "Brier score", number(calibration.brier), ""
    yield f"at confidence >= 0.85 ({sure.n} messages): right", percent(sure.precision), ""
    yield "  share of in scope", percent(sure.coverage), ""
    latency = answer.latency_ms
    times = ", ".join(number(value, 1) for value in (latency.p50, latency.p95, latency.p99))
    yield "milliseconds a message (p50, p95, p99)", times, ""
    yield "indexed", f"{answer.indexing.utterances} utterances in {answer.indexing.seconds:.1f} s", ""
    yield "positive control", f"{answer.control.found} of {answer.control.n} found", ""


def _decisions(answer: EvaluationAnswer) -> Table:
    table = _table("Decisions", "decision", "messages", "right")
    for decision, figures in answer.decisions.items():
        table.add_row(decision.value, str(figures.n), percent(figures.precision))
    return table


def _calibration(answer: EvaluationAnswer) -> Table:
    table = _table("What a confidence meant", "confidence", "messages", "said", "right")
    table.add_column("right (#), said (|)", justify="left", no_wrap=True)
    for each in answer.calibration.bins:
        if each.n:
            table.add_row(
                f"{each.low:.2f} to {each.high:.2f}",
                str(each.n),
                number(each.confidence, 2),
                number(each.correct, 2),
                _bar(each),
            )
    return table


def _bar(each: CalibrationBin) -> str:
    filled = round((each.correct or 0.0) * _BAR)
    cells = ["#"] * filled + ["."] * (_BAR - filled)
    cells[min(int((each.confidence or 0.0) * _BAR), _BAR - 1)] = "|"
    return "".join(cells)


def _confusions(answer: EvaluationAnswer) -> Table:
    from rich.text import Text  # noqa: PLC0415 - as above

    table = _table("Confused most often", "meant", "answered")
    table.add_column("times", justify="right")
    table.add_column("for example", justify="left", overflow="ellipsis", no_wrap=True, max_width=_EXAMPLE)
    for each in answer.confusions[:SHOWN_CONFUSIONS]:
        # Text, not markup: a message may hold square brackets.
        example = Text(" ".join(each.example.split()))
        table.add_row(each.expected or "(none)", each.answered or "(none)", str(each.n), example)
    return table
