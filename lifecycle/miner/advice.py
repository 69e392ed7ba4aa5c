"""The same warning of the advisor, resolved the same way every time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from wellworn.lifecycle.miner.digest import RowKind
from wellworn.lifecycle.miner.following import Case, clusters, rates_of, usual_answer, with_steps
from wellworn.lifecycle.miner.patterns import Occurrence, Pattern, is_repeated
from wellworn.lifecycle.miner.timeline import BREAK_MS, Timeline
from wellworn.models.proposal import Signal

_LOOK_AHEAD = 6
_ALIKE = 0.5


def find_advice(timeline: Timeline) -> list[Pattern]:
    """Return the warnings that are always answered by the same steps."""
    rates = rates_of(timeline)
    names = timeline.digest.names
    said: dict[str, list[Case]] = defaultdict(list)
    for warning, case in _warnings(timeline):
        said[warning].append(case)
    heads = clusters(Counter({warning: len(cases) for warning, cases in said.items()}), _ALIKE)
    groups: dict[str, list[Case]] = defaultdict(list)
    for warning in sorted(said):
        groups[heads[warning]] += said[warning]
    found: list[Pattern] = []
    for warning in sorted(groups):
        cases = groups[warning]
        keys = usual_answer(timeline, cases, rates)
        if not keys:
            continue
        occurrences = tuple(_occurrence(timeline, case, rows) for case, rows in with_steps(timeline, cases, keys))
        if is_repeated(occurrences):
            steps = tuple(names[key] for key in keys)
            found.append(Pattern(Signal.advisor_warning, steps, occurrences, len(cases), cause=warning))
    return found


def _occurrence(timeline: Timeline, case: Case, rows: tuple[int, ...]) -> Occurrence:
    digest = timeline.digest
    used = [row for row in rows if row >= 0]
    flags = [int(digest.success[row]) for row in used]
    success = False if 0 in flags else True if 1 in flags else None
    return Occurrence(
        digest.names[case.session],
        timeline.repo_of(case.rows[0]),
        int(digest.ts[case.rows[0]]),
        int(digest.ts[max(used)]),
        (case.rows[0], *sorted(used)),
        rows,
        success,
    )


def _warnings(timeline: Timeline) -> Iterator[tuple[str, Case]]:
    """Yield each warning with the commands and edits that came right after it."""
    rows = timeline.rows
    for start in timeline.rows_of(RowKind.advice).tolist():
        session, last = rows.session[start], start
        work: list[int] = []
        for row in range(start + 1, min(len(timeline), start + 4 * _LOOK_AHEAD)):
            ends = rows.session[row] != session or rows.ts[row] - rows.ts[last] > BREAK_MS
            if ends or rows.kind[row] == RowKind.advice or len(work) >= _LOOK_AHEAD:
                break
            if rows.kind[row] in (RowKind.command, RowKind.edit):
                work.append(row)
                last = row
        yield timeline.label_of(start), Case(session, (start, *work), tuple(work), None)
