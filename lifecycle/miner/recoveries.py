"""The same failure, and every time the same way out of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wellworn.lifecycle.miner.digest import RowKind
from wellworn.lifecycle.miner.following import Case, Rates, clusters, rates_of, usual_answer, with_steps
from wellworn.lifecycle.miner.patterns import MIN_SUPPORT, Occurrence, Pattern, is_repeated
from wellworn.lifecycle.miner.timeline import BREAK_MS, Timeline
from wellworn.models.proposal import Signal

_LOOK_AHEAD = 12
_ERRORS_ALIKE = 0.6
_SUCCESSES_READ = 500
_WORK = (RowKind.command, RowKind.edit)


@dataclass(frozen=True, slots=True)
class _Failure:
    step: int
    error: str
    case: Case


def find_recoveries(timeline: Timeline) -> list[Pattern]:
    """Return, for each step that fails in the same way again and again, what brings it back to work."""
    rates = rates_of(timeline)
    by_step: dict[int, list[_Failure]] = defaultdict(list)
    for failure in _failures(timeline):
        by_step[failure.step].append(failure)
    found: list[Pattern] = []
    for step in sorted(by_step):
        if len(by_step[step]) >= MIN_SUPPORT:
            found += _of_step(timeline, step, by_step[step], rates)
    return found


@dataclass(frozen=True, slots=True)
class _Step:
    """A step that fails. anyway: how often each other step follows it where it works."""

    key: int
    rates: Rates
    anyway: Mapping[int, float]


def _of_step(timeline: Timeline, key: int, failures: Sequence[_Failure], rates: Rates) -> Iterator[Pattern]:
    """First error by error (an error of its own has a way out of its own), then whatever is left together."""
    step = _Step(key, rates, _after_success(timeline, key))
    heads = clusters(Counter(one.error for one in failures if one.error), _ERRORS_ALIKE)
    groups: dict[str, list[_Failure]] = defaultdict(list)
    for one in failures:
        groups[heads.get(one.error, "")].append(one)
    left = groups.pop("", [])
    for error in sorted(groups, key=lambda error: (-len(groups[error]), error)):
        pattern = _pattern(timeline, step, error, [one.case for one in groups[error]])
        if pattern is not None:
            yield pattern
        else:
            left += groups[error]
    pattern = _pattern(timeline, step, None, [one.case for one in left])
    if pattern is not None:
        yield pattern


def _after_success(timeline: Timeline, step: int) -> dict[int, float]:
    """Return how often each step follows this one where it worked (Laplace's rule)."""
    digest = timeline.digest
    worked = np.flatnonzero((digest.label == step) & (digest.kind == RowKind.command) & (digest.success != 0))
    worked = worked[:: max(1, len(worked) // _SUCCESSES_READ)]
    hits: Counter[int] = Counter()
    for row in worked.tolist():
        hits.update({timeline.rows.label[other] for other in _following(timeline, row)})
    return {key: (count + 1) / (len(worked) + 2) for key, count in hits.items()}


def _following(timeline: Timeline, row: int) -> list[int]:
    """Return the commands and edits after a row up to the next run of its step."""
    rows = timeline.rows
    step, session = rows.label[row], rows.session[row]
    found: list[int] = []
    for later in range(row + 1, min(len(timeline), row + 3 * _LOOK_AHEAD)):
        if rows.session[later] != session or rows.label[later] == step or len(found) >= _LOOK_AHEAD:
            break
        if rows.kind[later] in _WORK:
            found.append(later)
    return found


def _pattern(timeline: Timeline, step: _Step, error: str | None, cases: Sequence[Case]) -> Pattern | None:
    keys = usual_answer(timeline, [case for case in cases if case.ended], step.rates, step.anyway)
    if not keys:
        return None
    names = timeline.digest.names
    occurrences = tuple(
        Occurrence(
            names[case.session],
            timeline.repo_of(case.rows[0]),
            int(timeline.digest.ts[case.rows[0]]),
            int(timeline.digest.ts[case.rows[-1]]),
            case.rows,
            (*rows, case.rows[-1]),
            case.ended,
        )
        for case, rows in with_steps(timeline, cases, keys)
    )
    if not is_repeated(occurrences):
        return None
    failing = names[step.key]
    cause = failing if error is None else f"{failing}: {error}"
    steps = (*(names[key] for key in keys), failing)
    began = len(cases) if error is not None else len(occurrences)
    return Pattern(Signal.failure_recovery, steps, occurrences, began, cause=cause)


def _failures(timeline: Timeline) -> Iterator[_Failure]:
    """Yield each time that a step failed, with what was done until it worked again or was given up."""
    rows = timeline.rows
    for start, end in timeline.spans():
        busy: dict[int, int] = {}  # a failing step is one failure until it works or is forgotten
        for row in range(start, end):
            if rows.kind[row] == RowKind.command and rows.success[row] == 0 and busy.get(rows.label[row], -1) < row:
                failure, last = _failure(timeline, row, end)
                busy[rows.label[row]] = last
                yield failure


def _failure(timeline: Timeline, row: int, end: int) -> tuple[_Failure, int]:
    rows = timeline.rows
    step, last = rows.label[row], row
    seen, work = [row], list[int]()
    ended: bool | None = None
    for later in range(row + 1, end):
        if len(work) >= _LOOK_AHEAD or rows.ts[later] - rows.ts[last] > BREAK_MS:
            break
        if rows.kind[later] not in _WORK:
            continue
        last = later
        seen.append(later)
        if rows.label[later] == step:
            ended = rows.success[later] == 1
            if ended:
                break
        elif rows.success[later] != 0:
            work.append(later)
    if ended is not True:
        seen, ended = [row, *work], False if ended is False else None
    detail = timeline.name(int(timeline.digest.detail[row])) or ""
    return _Failure(step, detail, Case(rows.session[row], tuple(seen), tuple(work), ended)), last
