"""From trace events to a digest: the few columns that the detectors look at, packed so that no event is read twice.

An event gives one row or, for a line of several commands, several.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from wellworn.lifecycle.miner.phrases import (
    advice_signature,
    checklist_key,
    error_signature,
    may_correct,
    review_state,
    reviewer,
    says_nothing,
    standing_words,
)
from wellworn.lifecycle.recognise import correction_rule, is_correction, test_runner
from wellworn.lifecycle.shell.steps import steps_of
from wellworn.models.trace import CORRECTION_TAG, TraceKind

DIGEST_VERSION = 1
Int64 = NDArray[np.int64]
Int32 = NDArray[np.int32]
Int8 = NDArray[np.int8]


class RowKind:
    """What a row of a digest says. Its label: a step's key, a file's name, the words of a correction or warning, who
    reviewed.

    Plain numbers: they are compared millions of times.
    """

    command: Final = 0
    edit: Final = 1
    intent: Final = 2
    correction: Final = 3
    checklist: Final = 4
    review: Final = 5
    advice: Final = 6
    gate: Final = 7
    hint: Final = 8  # what may be a correction, and is a message like any other
    other: Final = 9  # nothing that a detector looks at; kept so that events can be counted


class Observed(Protocol):
    """A stored trace event, as the store hands it out."""

    @property
    def seq(self) -> int: ...
    @property
    def ts(self) -> datetime: ...
    @property
    def session_id(self) -> str: ...
    @property
    def repo(self) -> str | None: ...
    @property
    def kind(self) -> TraceKind: ...
    @property
    def summary(self) -> str: ...
    @property
    def tags(self) -> Sequence[str]: ...
    @property
    def success(self) -> bool | None: ...
    @property
    def data(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Digest:
    """Rows in the order of arrival, as columns of one length.

    seq: the event's number. ts: milliseconds since 1970. kind: of RowKind. success: 1, 0, or -1 for not known.
    label, detail, session, repo: places in `names` (-1: none). detail: of what failed the shape of its error, of a
    correction its rule.
    """

    names: tuple[str, ...]
    seq: Int64
    ts: Int64
    kind: Int8
    success: Int8
    label: Int32
    detail: Int32
    session: Int32
    repo: Int32

    def __len__(self) -> int:
        return len(self.seq)


class _Names:
    def __init__(self) -> None:
        self.places: dict[str, int] = {}

    def place(self, name: str | None) -> int:
        return -1 if name is None else self.places.setdefault(name, len(self.places))


@dataclass(slots=True)
class _Columns:
    names: _Names = field(default_factory=_Names)
    rows: list[tuple[int, int, int, int, int, int, int, int]] = field(default_factory=list)

    def digest(self) -> Digest:
        table = np.array(self.rows, dtype=np.int64).reshape(-1, 8)
        kind, success = (table[:, at].astype(np.int8) for at in (2, 3))
        label, detail, session, repo = (table[:, at].astype(np.int32) for at in (4, 5, 6, 7))
        seq, ts = table[:, 0].copy(), table[:, 1].copy()
        return Digest(tuple(self.names.places), seq, ts, kind, success, label, detail, session, repo)


def digest_events(events: Iterable[Observed]) -> Digest:
    """Return the digest of events, which come in the order of their numbers."""
    columns = _Columns()
    place = columns.names.place
    for event in events:
        ts = int(event.ts.timestamp() * 1000)
        session, repo = place(event.session_id), place(event.repo)
        columns.rows += [
            (event.seq, ts, kind, success, place(label), place(detail), session, repo)
            for kind, success, label, detail in _rows(event) or _NOTHING
        ]
    return columns.digest()


Row = tuple[int, int, str | None, str | None]
_NOTHING: tuple[Row, ...] = ((RowKind.other, -1, None, None),)


def _rows(event: Observed) -> list[Row]:
    match event.kind:
        case TraceKind.command_run | TraceKind.test_result | TraceKind.forge_step:
            return _command_rows(event)
        case TraceKind.user_intent:
            return [] if says_nothing(event.summary) else [_intent_row(event)]
        case TraceKind.file_diff:
            return [(RowKind.edit, _flag(event.success), _file_name(event), None)]
        case TraceKind.review_result:
            clean = event.success if event.success is not None else review_state(event.summary)
            return [(RowKind.review, _flag(clean), reviewer(event.summary, event.tags), None)]
        case TraceKind.advisor_decision:
            return [(RowKind.advice, _flag(event.success), advice_signature(event.summary), None)]
        case TraceKind.approval_gate:
            return [(RowKind.gate, _flag(event.success), event.summary[:80], None)]


def _flag(success: bool | None) -> int:
    return -1 if success is None else int(success)


def _command_rows(event: Observed) -> list[Row]:
    command = command_of(event.kind, event.summary, event.data)
    succeeded = success_of(event)
    if command is None:
        name = test_name(event.summary)
        if name is None:
            return []
        return [(RowKind.command, _flag(succeeded), name, _error(event, succeeded))]
    keys = _keys(command)
    # Of a line that failed it is not known which part did; the last is the likeliest, the others ran.
    rows: list[Row] = [(RowKind.command, 1 if succeeded else -1, key, None) for key in keys[:-1]]
    if keys:
        rows.append((RowKind.command, _flag(succeeded), keys[-1], _error(event, succeeded)))
    return rows


@lru_cache(maxsize=16_384)
def _keys(command: str) -> tuple[str, ...]:
    return tuple(step.key for step in steps_of(command) if not step.noise)


_PROMPT = re.compile(r"^\s*(?:\$|>|%|#)\s+")
_RAN = re.compile(r"^(?:ran|run|running|executed|exec)\s*:?\s+(?=\S)", re.IGNORECASE)
_RESULT = re.compile(
    r"\s*(?:->|=>|\N{RIGHTWARDS ARROW}|--|:)?\s*\(?"
    r"\b(?:exit(?:ed)?(?:\s+(?:code|status))?(?:\s+with)?\s*[:=]?\s*(?P<code>-?\d+)"
    r"|(?P<word>ok|passed|succeeded|success|failed|failure))\)?\s*$",
    re.IGNORECASE,
)
_GOOD = frozenset({"ok", "passed", "succeeded", "success"})


def command_of(kind: TraceKind, summary: str, data: dict[str, Any]) -> str | None:
    """Return the command line that an event tells of: `data.command`, else the summary without its trimmings.

    A test result that only counts ("pytest: 3 failed") tells of no command line.
    """
    given = data.get("command")
    if isinstance(given, str) and given.strip():
        return given
    if kind is TraceKind.test_result:
        return None
    return _bare(summary)[0] or None


@lru_cache(maxsize=4096)
def _bare(summary: str) -> tuple[str, bool | None]:
    """Return a summary's command, and whether the summary says that it succeeded."""
    text = _RAN.sub("", _PROMPT.sub("", summary.strip()))
    found = _RESULT.search(text)
    succeeded: bool | None = None
    if found is not None and found.start() > 0 and _is_result(found):
        code, word = found["code"], found["word"]
        succeeded = code == "0" if code is not None else word.lower() in _GOOD
        text = text[: found.start()]
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == "`":
        text = text[1:-1]
    return text, succeeded


def _is_result(found: re.Match[str]) -> bool:
    """`echo ok` is a command; `npm test -> ok` says how one ended."""
    return found["code"] is not None or bool(re.match(r"\s*(?:->|=>|\N{RIGHTWARDS ARROW}|--|:|\()", found.group()))


def success_of(event: Observed) -> bool | None:
    """Return whether it succeeded, from the field, the exit code, or the words of the summary; None: not known."""
    if event.success is not None:
        return event.success
    code = event.data.get("exitCode", event.data.get("exit_code"))
    if isinstance(code, int) and not isinstance(code, bool):
        return code == 0
    return _bare(event.summary)[1]


_TEST_NAME = re.compile(r"^\s*([\w./@-]+(?:\s+[\w:./@-]+){0,2})\s*(?::|\N{EN DASH}|-|->|\()")


def test_name(summary: str) -> str | None:
    """Return the key of the test run that "pytest: 3 failed, 120 passed" tells of; None when it names no runner."""
    found = _TEST_NAME.match(summary)
    words = found[1] if found else " ".join(summary.split()[:2])
    for count in (3, 2, 1):
        text = " ".join(words.split()[:count])
        if text and test_runner(text):
            steps = steps_of(text)
            return steps[0].key if steps else text
    return "tests" if re.search(r"\b(?:tests?|specs?)\b", summary, re.IGNORECASE) else None


def _error(event: Observed, succeeded: bool | None) -> str | None:
    if succeeded is not False:
        return None
    given = next((v for key in ("error", "stderr", "message") if isinstance(v := event.data.get(key), str)), None)
    return error_signature(given if given else event.summary if event.kind is TraceKind.test_result else "")


_FILE = re.compile(r"[\w@.~-]*(?:/[\w@.~-]+)+|[\w@-]+(?:\.[\w-]+)+")


def _file_name(event: Observed) -> str:
    given = event.data.get("file") or event.data.get("path") or event.data.get("filePath")
    found = None if isinstance(given, str) else _FILE.search(event.summary)
    text = given if isinstance(given, str) else found.group() if found else ""
    return "edit " + (text.rstrip("/").rsplit("/", 1)[-1][:80] or "a file")


_TELLING_WORDS = 2
"""A correction of one word ("no, billing") is about the moment, unless a rule can be read in it."""


def _intent_row(event: Observed) -> Row:
    text = event.summary
    plain = CORRECTION_TAG in event.tags or is_correction(text)
    if plain or may_correct(text):
        words, meant = standing_words(text), correction_rule(text)
        if len(words) >= _TELLING_WORDS or (plain and words and meant is not None):
            return RowKind.correction if plain else RowKind.hint, -1, " ".join(sorted(words)), meant
    items = checklist_key(text)
    if items is not None:
        return RowKind.checklist, -1, items, None
    return RowKind.intent, -1, "", None


# -- packing -----------------------------------------------------------------------------------------------------------

_TYPES: tuple[tuple[str, str], ...] = (
    ("seq", "<i8"),
    ("ts", "<i8"),
    ("kind", "<i1"),
    ("success", "<i1"),
    ("label", "<i4"),
    ("detail", "<i4"),
    ("session", "<i4"),
    ("repo", "<i4"),
)


def pack(digest: Digest) -> bytes:
    """Return a digest as bytes."""
    names = json.dumps(digest.names, ensure_ascii=True).encode()
    head = json.dumps({"rows": len(digest), "names": len(names)}).encode()
    columns = b"".join(getattr(digest, name).astype(kind).tobytes() for name, kind in _TYPES)
    return zlib.compress(head + b"\n" + names + columns, 1)


def unpack(data: bytes) -> Digest:
    """Return what `pack` was given. Raises ValueError for other bytes."""
    try:
        plain = zlib.decompress(data)
    except zlib.error as error:
        raise ValueError(f"not a digest: {error}") from None
    line, _, rest = plain.partition(b"\n")
    head = json.loads(line)
    names = tuple(json.loads(rest[: head["names"]]))
    at, columns = head["names"], {}
    for name, kind in _TYPES:
        size = head["rows"] * np.dtype(kind).itemsize
        columns[name] = np.frombuffer(rest[at : at + size], dtype=kind).astype(np.dtype(kind).newbyteorder("="))
        at += size
    return Digest(names, **columns)


def join(digests: Sequence[Digest]) -> Digest:
    """Return the rows of all, one after the other, over one table of names."""
    names = _Names()
    columns: dict[str, list[NDArray[Any]]] = {name: [] for name, _ in _TYPES}
    for digest in digests:
        # One more place at the end: -1 stays -1.
        places = np.array([*(names.place(name) for name in digest.names), -1], dtype=np.int32)
        for name, _ in _TYPES:
            values = getattr(digest, name)
            columns[name].append(places[values] if name in ("label", "detail", "session", "repo") else values)
    joined = {name: np.concatenate(parts) if parts else np.empty(0, kind) for (name, kind), parts in _pairs(columns)}
    return Digest(tuple(names.places), **joined)


def _pairs(columns: dict[str, list[NDArray[Any]]]) -> list[tuple[tuple[str, str], list[NDArray[Any]]]]:
    return [((name, kind), columns[name]) for name, kind in _TYPES]


def moment(milliseconds: int) -> datetime:
    """Return the time of a row."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
