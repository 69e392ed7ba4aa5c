"""What the user says again and again: the same correction, the same fact, the same checklist before a merge."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

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
    plain, hints = _said(timeline, RowKind.correction), _said(timeline, RowKind.hint)
    for texts, joined in _rules(plain, hints):
        rows = [row for text in texts for row in plain[text]]
        rows += [row for text in joined for row in hints[text]]
        asking = sum(len(plain[text]) for text in texts if _asks(text))
        telling = sum(len(plain[text]) for text in texts if text[1].startswith("fact "))
        name = max(texts, key=lambda text: (_asks(text), len(plain[text]), text))
        for pattern in _pattern(timeline, Signal.repeated_correction, name[1] or name[0], rows):
            (rules if asking > telling else facts).append(pattern)
    lists = _said(timeline, RowKind.checklist)
    checklists = [
        pattern
        for texts in _checklists(lists)
        for pattern in _pattern(
            timeline, Signal.manual_checklist, texts[0][0], [row for text in texts for row in lists[text]]
        )
    ]
    return [*rules, *checklists], facts


def _said(timeline: Timeline, kind: int) -> dict[Saying, list[int]]:
    """Return the rows of each different saying of a kind."""
    said: dict[Saying, list[int]] = defaultdict(list)
    for row in timeline.rows_of(kind).tolist():
        said[timeline.label_of(row), timeline.name(int(timeline.digest.detail[row])) or ""].append(row)
    return said


def _pattern(timeline: Timeline, signal: Signal, name: str, rows: Sequence[int]) -> Iterator[Pattern]:
    """Yield the pattern of these rows, if they are repeated."""
    occurrences = tuple(_occurrence(timeline, row) for row in sorted(rows))
    if is_repeated(occurrences):
        yield Pattern(signal, (name,), occurrences, len(occurrences))


Saying = tuple[str, str]  # its words, and the rule that was read in them


def _asks(text: Saying) -> bool:
    return bool(text[1]) and not text[1].startswith("fact ")


def _checklists(said: Mapping[Saying, Sequence[int]]) -> list[list[Saying]]:
    heads = clusters(Counter({text[0]: len(rows) for text, rows in said.items()}), _CHECKLISTS_ALIKE)
    groups: dict[str, list[Saying]] = defaultdict(list)
    for text in sorted(said):
        groups[heads[text[0]]].append(text)
    return [groups[head] for head in sorted(groups)]


def _rules(
    plain: Mapping[Saying, Sequence[int]], hints: Mapping[Saying, Sequence[int]]
) -> list[tuple[list[Saying], list[Saying]]]:
    """Group corrections that mean one rule, or share most of the words of the shorter one; the most frequent first.

    What may be a correction joins the plain ones that it is like, as long as these are a third of all.
    """
    groups: list[tuple[list[Saying], list[Saying]]] = []
    by_word: dict[str, set[int]] = defaultdict(set)

    def home_of(text: Saying) -> int | None:
        near = sorted({at for word in text[0].split() for at in by_word[word]})
        return next((at for at in near if any(_mean_one(text, other) for other in groups[at][0])), None)

    for text in sorted(plain, key=lambda text: (-len(plain[text]), text))[:_MOST_COMPARED]:
        home = home_of(text)
        if home is None:
            home = len(groups)
            groups.append(([], []))
        groups[home][0].append(text)
        for word in text[0].split():
            by_word[word].add(home)
    for text in sorted(hints, key=lambda text: (-len(hints[text]), text))[:_MOST_COMPARED]:
        home = home_of(text)
        if home is not None:
            groups[home][1].append(text)
    return [(texts, joined if _are_third(plain, texts, hints, joined) else []) for texts, joined in groups]


def _are_third(
    plain: Mapping[Saying, Sequence[int]],
    texts: Sequence[Saying],
    hints: Mapping[Saying, Sequence[int]],
    joined: Sequence[Saying],
) -> bool:
    return 2 * sum(len(plain[text]) for text in texts) >= sum(len(hints[text]) for text in joined)


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
