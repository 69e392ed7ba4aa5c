"""The same warning of the advisor, resolved the same way every time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from wellworn.lifecycle.miner.digest import RowKind
from wellworn.lifecycle.miner.following import Case, Rates, clusters, rates_of, usual_answer, with_steps
from wellworn.lifecycle.miner.patterns import MIN_SUPPORT, Occurrence, Pattern, is_repeated
from wellworn.lifecycle.miner.timeline import BREAK_MS, Timeline
from wellworn.models.proposal import Signal

_LOOK_AHEAD = 6
_ALIKE = 0.5
_ONLY, _SHARE_A_WORD = 0.6, 0.5


def find_advice(timeline: Timeline) -> list[Pattern]:
    """Return the warnings that are always answered by the same steps: by their words, and by their answer.

    A warning in other words each time is known by an answer that is hardly ever given without one.
    """
    rates = rates_of(timeline)
    cases = list(_warnings(timeline))
    groups = [*_by_words(cases), *_by_answer(timeline, cases, rates)]
    found: list[Pattern] = []
    for group in groups:
        keys = usual_answer(timeline, [case for _, case in group], rates)
        answered = with_steps(timeline, [case for _, case in group], keys) if keys else []
        occurrences = tuple(_occurrence(timeline, case, rows) for case, rows in answered)
        if is_repeated(occurrences):
            said = Counter(warning for warning, _ in group)
            cause = min(said, key=lambda warning: (-said[warning], warning))
            steps = tuple(timeline.digest.names[key] for key in keys)
            found.append(Pattern(Signal.advisor_warning, steps, occurrences, len(group), cause=cause))
    return found


Warned = tuple[str, Case]  # what was said, and what was done then


def _by_words(cases: Sequence[Warned]) -> list[list[Warned]]:
    heads = clusters(Counter(warning for warning, _ in cases), _ALIKE)
    groups: dict[str, list[Warned]] = defaultdict(list)
    for one in cases:
        groups[heads[one[0]]].append(one)
    return [groups[head] for head in sorted(groups)]


def _by_answer(timeline: Timeline, cases: Sequence[Warned], rates: Rates) -> list[list[Warned]]:
    """Group warnings by a step that nearly always follows one, where most of them share a word."""
    labels = timeline.rows.label
    answered: dict[int, list[Warned]] = defaultdict(list)
    for one in cases:
        for key in {labels[row] for row in one[1].work}:
            answered[key].append(one)
    groups: list[list[Warned]] = []
    for key in sorted(answered):
        group = answered[key]
        words = Counter(word for warning, _ in group for word in set(warning.split()))
        shared = max(words.values(), default=0)
        only_here = len(group) >= _ONLY * int(rates.counts[key])
        if len(group) >= MIN_SUPPORT and only_here and shared >= _SHARE_A_WORD * len(group):
            groups.append(group)
    return groups


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
