"""What the user says again and again: the same correction, the same fact, the same checklist before a merge."""

from __future__ import annotations

from collections import Counter, defaultdict

from wellworn.lifecycle.miner.digest import RowKind
from wellworn.lifecycle.miner.following import clusters
from wellworn.lifecycle.miner.patterns import Occurrence, Pattern, is_repeated
from wellworn.lifecycle.miner.timeline import Timeline
from wellworn.models.proposal import Signal

_ALIKE: dict[int, float] = {RowKind.correction: 0.6, RowKind.fact: 0.6, RowKind.checklist: 0.5}


def find_sayings(timeline: Timeline) -> list[Pattern]:
    """Return repeated corrections (instructions) and checklists."""
    return [
        *_of_kind(timeline, RowKind.correction, Signal.repeated_correction),
        *_of_kind(timeline, RowKind.checklist, Signal.manual_checklist),
    ]


def find_facts(timeline: Timeline) -> list[Pattern]:
    """Return corrections that only tell how something is: knowledge without steps."""
    return _of_kind(timeline, RowKind.fact, Signal.repeated_correction)


def _of_kind(timeline: Timeline, kind: int, signal: Signal) -> list[Pattern]:
    said: dict[str, list[int]] = defaultdict(list)
    for row in timeline.rows_of(kind).tolist():
        said[timeline.label_of(row)].append(row)
    heads = clusters(Counter({text: len(rows) for text, rows in said.items()}), _ALIKE[kind])
    groups: dict[str, list[int]] = defaultdict(list)
    for text, rows in said.items():
        groups[heads[text]] += rows
    found: list[Pattern] = []
    for text in sorted(groups):
        occurrences = tuple(_occurrence(timeline, row) for row in sorted(groups[text]))
        if is_repeated(occurrences):
            found.append(Pattern(signal, (text,), occurrences, len(occurrences)))
    return found


def _occurrence(timeline: Timeline, row: int) -> Occurrence:
    ts = int(timeline.digest.ts[row])
    return Occurrence(timeline.session_of(row), timeline.repo_of(row), ts, ts, (row,), (row,), None)
