"""The figures of `context.py` as a section of the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Figures = Mapping[str, Any]
CONDITIONS = ("none", "right", "wrong", "irrelevant", "noisy")
COST_MOST = 0.01
"""What context may cost at most, of top-1 and of AUROC."""
_DECISIONS = ("none", "choose", "confirm", "review", "proceed")
_COSTLY = ("wrong", "irrelevant")


def section(figures: Figures) -> list[str]:
    """Return the lines of a Markdown section. figures: what `benchmarks.context` wrote."""
    about = figures["about"]
    lines = [
        "## Context",
        "",
        f"Seeds {', '.join(map(str, about['seeds']))}; encoder `{about['encoder']}`; measured on {about['date']}. Made "
        "by `python -m benchmarks.context`; `benchmarks/context_cases.py` says how libraries and messages are made.",
        "",
    ]
    if "gain" in figures:
        lines += _gain(figures["gain"])
    if "cost" in figures:
        lines += _cost(figures["cost"], figures.get("gain"))
    return lines


def _gain(gain: Figures) -> list[str]:
    lines = [
        "Ambiguous messages about siblings that only context tells apart, in libraries of "
        f"{', '.join(gain['bySize'])} real skills. `wrong`: the facts of another sibling; `irrelevant`: facts about "
        "nothing; `noisy`: the right facts among irrelevant ones and 20 traces. `of the right one`: its mean "
        "confidence; `named`: the decision names it; `answered wrongly`: another skill at 0.60 or more.",
        "",
        *_condition_table(gain["ambiguous"]),
        "Top-1 and mean confidence of the right skill, by kind of message, size of library and kind of fact:",
        "",
    ]
    rows = []
    for part, title in (("byStyle", "message"), ("bySize", "skills"), ("byKind", "fact")):
        for name, conditions in gain[part].items():
            rows.append([f"{title}: {name}", str(conditions["none"]["n"]), *map(_pair, _each(conditions))])
    lines += _table(["", "messages", *CONDITIONS], rows)
    if gain.get("when"):
        lines += [
            "Skills with `when`, called by their name in an explicit call. Where it does not hold, none may be named; "
            "where it is unknown, none may be acted on unasked.",
            "",
            *_when_table(gain["when"]),
        ]
    return lines


def _each(conditions: Figures) -> Iterator[Figures]:
    return (conditions[name] for name in CONDITIONS)


def _pair(figures: Figures) -> str:
    return f"{percent(figures['top1'])}, {figures['right']:.2f}"


def _condition_table(conditions: Figures) -> list[str]:
    rows = []
    for name in CONDITIONS:
        one = conditions[name]
        decided = (percent(one["decisions"][decision]) for decision in _DECISIONS)
        rows.append([name, *(percent(one[key]) for key in ("top1", "top5")), f"{one['right']:.3f}",
                     percent(one["offered"]), percent(one["wrong"]), f"{one['ece']:.3f}", *decided])  # fmt: skip
    head = ["context", "top 1", "top 5", "of the right one", "named", "answered wrongly", "ECE"]
    return _table([*head, *(f"`{decision}`" for decision in _DECISIONS)], rows)


def _when_table(when: Figures) -> list[str]:
    rows = [
        [state, str(one["n"]), percent(one["offered"]), percent(one["sure"]), percent(one["proceeded"])]
        for state, one in when.items()
    ]
    return _table(["`when`", "messages", "named", "at 0.60 or more", "`proceed`"], rows)


def _cost(cost: Figures, gain: Figures | None) -> list[str]:
    """Return the table of what context costs where it is not needed."""
    tasks = {**cost, **({"clear requests about siblings": gain["clear"]} if gain else {})}
    rows = []
    for task, conditions in tasks.items():
        before = conditions["none"]
        for name, after in conditions.items():
            if name in ("none", "right", "noisy"):
                continue
            rows.append([task, name, percent(before["top1"]), percent(after["top1"]),
                         points(loss(before, after, "top1")), points(loss(before, after, "auroc")),
                         f"{before['ece']:.3f} to {after['ece']:.3f}",
                         kept(before, after) if name in _COSTLY else ""])  # fmt: skip
    return [
        "Messages that need no context. `wrong`: everything that an agent can state speaks for another skill, its own "
        "requests as goal, traces and title of the pull request; `wrong` with a kind: only that. It may cost at most "
        f"{100 * COST_MOST:.0f} point of top-1 and of AUROC.",
        "",
        *_table(["task", "context", "top 1 without", "with", "cost of top 1, points", "of AUROC, points", "ECE",
                 "kept"], rows),
    ]  # fmt: skip


def loss(before: Figures, after: Figures, figure: str) -> float | None:
    """Return how much lower a figure is with context; None where there is none."""
    if before[figure] is None or after[figure] is None:
        return None
    return float(before[figure] - after[figure])


def kept(before: Figures, after: Figures) -> str:
    """Say whether context costs no more than it may."""
    losses = [value for name in ("top1", "auroc") if (value := loss(before, after, name)) is not None]
    return "yes" if all(round(value, 6) <= COST_MOST for value in losses) else "no"


def points(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:+.1f}"


def percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """As `report.markdown_table`, which imports this module."""
    return [
        f"| {' | '.join(header)} |",
        f"|{'---|' * len(header)}",
        *(f"| {' | '.join(row)} |" for row in rows),
        "",
    ]
