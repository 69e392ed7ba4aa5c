"""What the words of an event say: content words, the shape of an error, a warning, a review, a checklist."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from wellworn.index.lexical import folded
from wellworn.index.stemming import STOP_WORDS, stem

_WORD = re.compile(r"[^\W\d_][\w'+#-]*[\w+#]|[^\W\d_]")
_VALUE = re.compile(
    r"https?://\S+|(?:[~.]?/)?[\w@.-]+(?:/[\w@.-]+)+|\b[\w-]+\.(?:py|[jt]sx?|go|rs|java|rb|json|ya?ml|toml|lock|md)\b"
    r"|\b[0-9a-f]{7,40}\b|\b\w*\d\w*\b|\[redacted [^\]]*\]",
    re.IGNORECASE,
)
_WORDS_KEPT = 12


@lru_cache(maxsize=8192)
def content_words(text: str) -> tuple[str, ...]:
    """Return the stems of a text's words without stop words, in order, each once."""
    words = (word.strip("'-") for word in _WORD.findall(folded(text).lower()))
    return tuple(dict.fromkeys(stem(word) for word in words if word and word not in STOP_WORDS))


def likeness(one: Sequence[str], other: Sequence[str]) -> float:
    """Return how much two lists of words share (Jaccard index), 0..1."""
    first, second = set(one), set(other)
    together = len(first | second)
    return len(first & second) / together if together else 0.0


@lru_cache(maxsize=8192)
def without_values(text: str) -> str:
    """Return a text without what differs from case to case: numbers, paths, file names, hashes, addresses."""
    return " ".join(_VALUE.sub(" ", text).split())


def _signature(text: str) -> str:
    return " ".join(content_words(without_values(text))[:_WORDS_KEPT])


_ERROR_LINE = re.compile(r"error|exception|fail|fatal|cannot|can't|could not|not found|denied|missing|refused", re.I)


def error_signature(text: str) -> str | None:
    """Return the shape of an error: the words of its most telling line; None when there are none."""
    lines = [line for line in text.splitlines() if line.strip()]
    telling = next((line for line in reversed(lines) if _ERROR_LINE.search(line)), lines[-1] if lines else "")
    return _signature(telling) or None


_ADVISOR = re.compile(r"^\W*(?:advisor|advice|warning|warn|note|caution|light|strict)\b\W*", re.IGNORECASE)


def advice_signature(text: str) -> str:
    """Return the shape of an advisor's word: what it is about, whatever the case at hand."""
    rest = text
    while (found := _ADVISOR.match(rest)) is not None:
        rest = rest[found.end() :]
    return _signature(rest) or "advice"


_CONCERNS = re.compile(r"\b([1-9]\d*)\s+(?:high|medium|critical|blocking|major|serious)", re.IGNORECASE)
_CLEAN = re.compile(
    r"\b(?:no|0|zero)\s+(?:remaining\s+|more\s+|open\s+)?(?:high|medium|serious|blocking|critical|concerns?|issues?|findings?)"
    r"|\bapproved?\b|\blgtm\b|\bclean\b|\blooks good\b|\ball (?:addressed|resolved)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\bconcerns?\b|changes? requested|\bissues?\b|\bfindings?\b|\bcomments?\b|\bhigh\b|\bmedium\b", re.I
)


def review_state(text: str) -> bool | None:
    """Return True when a review found nothing that matters, False when it did, None when its words do not say."""
    if _CONCERNS.search(text):
        return False
    if _CLEAN.search(text):
        return True
    return False if _OPEN.search(text) else None


_REVIEWERS = ("codex", "coderabbit", "copilot", "claude", "advisor", "greptile", "cursor", "sonar", "bugbot", "gemini")


def reviewer(summary: str, tags: Sequence[str]) -> str:
    """Return who reviewed, as far as the event names one; else `review`."""
    text = f"{summary} {' '.join(tags)}".lower()
    return next((name for name in _REVIEWERS if name in text), "review")


_BEFORE = re.compile(
    r"\b(?:before|prior to)\s+(?:(?:we|you|i|the|any|each|every|this|that|it|pr|a)\s+){0,3}"
    r"(?:merg|releas|ship|deploy|tag|publish|push|cut|go|land)\w*|\bcheck\s?list\b|\bpre-?(?:merge|release|flight)\b",
    re.IGNORECASE,
)
_ITEMS = re.compile(r"\n\s*(?:[-*\u2022]|\d+[.)])\s+|[,;]\s+|\band\b|\bthen\b", re.IGNORECASE)
_ITEMS_NEEDED = 3


def checklist_key(text: str) -> str | None:
    """Return the words of a checklist that a message gives ("before merging: tests, changelog, docs"); else None."""
    if not _BEFORE.search(text):
        return None
    items = [item for item in _ITEMS.split(text) if content_words(item)]
    return " ".join(sorted(content_words(without_values(text)))) if len(items) >= _ITEMS_NEEDED else None


_ACK_WORDS = """
    ok okay yes yep yeah sure thanks thank continue go ahead proceed do it great good nice perfect cool done fine next
    right correct please now on keep going awesome lgtm no stop wait again more same y k ty hmm hm ah oh alright looks
    work works working resume carry well got gotcha sounds that's thats that this the all you and so i it's its is was
    much very let's lets
"""
_ACKS = frozenset(_ACK_WORDS.split())
_LETTERS = re.compile(r"[^\W\d_]")


def says_nothing(text: str) -> bool:
    """Say whether a message is only an acknowledgement ("ok, go on"): it does not tell what is wanted."""
    words = re.findall(r"[\w']+", text.lower())
    return not _LETTERS.search(text) or all(word in _ACKS for word in words)


_MOMENT = re.compile(
    r"\b(?:i|we)\s+meant\b|\bwhat\s+(?:i|we)\s+(?:meant|asked|wanted)\b|\b(?:the|that|this)\s+(?:\S+\s+)?ones?\b"
    r"|\bthe\s+other\b|\bthis\s+time\b|\bfor\s+now\b|\bas\s+it\s+(?:is|was)\b"
    r"|\bnot\s+(?:that|this)\s+(?:file|folder|branch|page|function|class|test|line|commit|pr|ticket|issue|repo)\b",
    re.IGNORECASE,
)
_CORRECTING_WORDS = """
    wrong told said say remember again instead stop run make mak need must should go alway never not no that this it
    meant mean rememb actual rather keep prefer time here there plea
"""
_CORRECTING = frozenset(_CORRECTING_WORDS.split())


def standing_words(text: str) -> tuple[str, ...]:
    """Return what a correction is about; empty when it is about the moment only ("no, the other one")."""
    if _MOMENT.search(text):
        return ()
    words = content_words(without_values(text))
    return tuple(word for word in words if word not in _CORRECTING and "'" not in word)


_HINT = re.compile(
    r"\b(?:not|no|don'?t|never|always|instead|must|should|only|again|rather|remember|use|goes? through|via|forgot)\b",
    re.IGNORECASE,
)
_HINT_WORDS = 25


def may_correct(text: str) -> bool:
    """Say whether a message may be a correction in other words: one counts only beside corrections that are plain."""
    return len(text.split()) <= _HINT_WORDS and not text.rstrip().endswith("?") and bool(_HINT.search(text))
