"""What the user says again and again: the same correction, the same fact, the same checklist before a merge."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from wellworn.lifecycle.miner.digest import RowKind
from wellworn.lifecycle.miner.following import clusters
from wellworn.lifecycle.miner.patterns import Occurrence, Pattern, is_repeated
from wellworn.lifecycle.miner.timeline import Timeline
from wellworn.models.proposal import Signal

_CHECKLISTS_ALIKE = 0.5
_SHARED_WORDS, _SHARED = 2, 0.6
_MOST_COMPARED = 3_000


def find_sayings(timeline: Timeline) -> tuple[list[Pattern], list[Pattern]]:
    """Return what asks for something (repeated instructions and checklists), and repeated facts: without steps."""
    rules: list[Pattern] = []
    facts: list[Pattern] = []
    for pattern, asks in _of_kind(timeline, RowKind.correction, Signal.repeated_correction):
        (rules if asks else facts).append(pattern)
    checklists = [one for one, _ in _of_kind(timeline, RowKind.checklist, Signal.manual_checklist)]
    return [*rules, *checklists], facts


def _of_kind(timeline: Timeline, kind: int, signal: Signal) -> list[tuple[Pattern, bool]]:
    """Return the repeated sayings, each with whether it asks for something: more say what to do than how it is."""
    said: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row in timeline.rows_of(kind).tolist():
        said[timeline.label_of(row), timeline.name(int(timeline.digest.detail[row])) or ""].append(row)
    groups = _checklists(said) if kind == RowKind.checklist else _rules(said)
    found: list[tuple[Pattern, bool]] = []
    for texts in groups:
        rows = sorted(row for text in texts for row in said[text])
        occurrences = tuple(_occurrence(timeline, row) for row in rows)
        if is_repeated(occurrences):
            name = max(texts, key=lambda text: (_asks(text), len(said[text]), text))
            asking = sum(len(said[text]) for text in texts if _asks(text))
            telling = sum(len(said[text]) for text in texts if text[1].startswith("fact "))
            pattern = Pattern(signal, (name[1] or name[0],), occurrences, len(occurrences))
            found.append((pattern, asking > telling))
    return found


Saying = tuple[str, str]  # its words, and the rule that was read in them


def _asks(text: Saying) -> bool:
    return bool(text[1]) and not text[1].startswith("fact ")


def _checklists(said: Mapping[Saying, Sequence[int]]) -> list[list[Saying]]:
    heads = clusters(Counter({text[0]: len(rows) for text, rows in said.items()}), _CHECKLISTS_ALIKE)
    groups: dict[str, list[Saying]] = defaultdict(list)
    for text in sorted(said):
        groups[heads[text[0]]].append(text)
    return [groups[head] for head in sorted(groups)]


def _rules(said: Mapping[Saying, Sequence[int]]) -> list[list[Saying]]:
    """Group corrections that mean one rule, or share most of the words of the shorter one; the most frequent first."""
    groups: list[list[Saying]] = []
    by_word: dict[str, set[int]] = defaultdict(set)
    for text in sorted(said, key=lambda text: (-len(said[text]), text))[:_MOST_COMPARED]:
        near = sorted({at for word in text[0].split() for at in by_word[word]})
        home = next((at for at in near if any(_mean_one(text, other) for other in groups[at])), len(groups))
        if home == len(groups):
            groups.append([])
        groups[home].append(text)
        for word in text[0].split():
            by_word[word].add(home)
    return groups


def _mean_one(one: Saying, other: Saying) -> bool:
    words, others = set(one[0].split()), set(other[0].split())
    shared = len(words & others)
    if _one_rule(one[1], other[1]):
        return True
    return shared >= _SHARED_WORDS and shared >= _SHARED * min(len(words), len(others))


def _one_rule(one: str, other: str) -> bool:
    """Say whether two rules are one: what one leaves unsaid ("use a", "never b") the other may say ("use a not b")."""
    if not one or not other:
        return False
    (use, rejected), (used, avoided) = _parts(one), _parts(other)
    return (
        one == other or (bool(use) and use == used) or (not (use and used) and bool(rejected) and rejected == avoided)
    )


def _parts(rule: str) -> tuple[str, str]:
    """Return what a rule asks for, and what it rejects."""
    if rule.startswith("never "):
        return "", rule.removeprefix("never ")
    wanted, _, rejected = rule.removeprefix("use ").partition(" not ")
    return (wanted, rejected) if rule.startswith("use ") else ("", "")


def _occurrence(timeline: Timeline, row: int) -> Occurrence:
    ts = int(timeline.digest.ts[row])
    return Occurrence(timeline.session_of(row), timeline.repo_of(row), ts, ts, (row,), (row,), None)
