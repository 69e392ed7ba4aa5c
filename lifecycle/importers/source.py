"""From a file's bytes to its lines and values, bounded: nothing here raises for what a file contains."""

from __future__ import annotations

import codecs
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn

LINE_MAX = 16_000_000
"""Bytes of one line; pictures inside a transcript take a few million."""
WHOLE_MAX = 64_000_000
"""Bytes of a file that can only be read as a whole."""
HEAD = 65_536
_BINARY_SHARE = 0.1
_BOMS_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """What could not be imported. line: counted from 1; None when it concerns the whole file."""

    file: str
    line: int | None
    why: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line, without its line end. raw: None when it is longer than `LINE_MAX`."""

    number: int
    raw: bytes | None


@dataclass(frozen=True, slots=True)
class Source:
    """One file that is being imported.

    modified: when the file was last written, UTC; stands in where the format keeps no times. now: the present, UTC.
    session, repo: what the caller says for all its events, or None to take what the file says.
    """

    file: str
    stream: io.BufferedReader
    modified: datetime
    now: datetime
    session: str | None = None
    repo: str | None = None

    def skipped(self, why: str, line: int | None = None) -> SkippedLine:
        """Return a note on something in this file that cannot be imported."""
        return SkippedLine(self.file, line, why)

    def lines(self) -> Iterator[Line]:
        """Yield the lines as UTF-8, without a byte order mark; UTF-16 with a mark is understood."""
        start = self.stream.peek(4)
        if start.startswith(_BOMS_16):
            return _wide_lines(self.stream)
        if start.startswith(codecs.BOM_UTF8):
            self.stream.read(len(codecs.BOM_UTF8))
        return _lines(self.stream)

    def objects(self) -> Iterator[tuple[Line, dict[str, Any]] | SkippedLine]:
        """Yield the JSON object of each line; blank lines are passed over, others that are no object are noted."""
        for line in self.lines():
            if line.raw is None:
                yield self.skipped(f"longer than {LINE_MAX // 1_000_000} MB", line.number)
                continue
            if not line.raw.strip(b" \t\r\n\0"):
                continue
            value, why = parse_json(line.raw)
            if isinstance(value, dict):
                yield line, value
            else:
                yield self.skipped(why or "not a JSON object", line.number)

    def whole(self) -> tuple[Any, str | None]:
        """Return the JSON value of the whole file and None, or None and why there is none."""
        raw = self.stream.read(WHOLE_MAX + 1)
        if len(raw) > WHOLE_MAX:
            return None, f"larger than {WHOLE_MAX // 1_000_000} MB"
        return parse_json(raw)


def _lines(stream: io.BufferedReader) -> Iterator[Line]:
    number = 0
    while raw := stream.readline(LINE_MAX + 1):
        number += 1
        if len(raw) > LINE_MAX and not raw.endswith(b"\n"):
            while (rest := stream.readline(LINE_MAX)) and not rest.endswith(b"\n"):
                pass
            yield Line(number, None)
        else:
            yield Line(number, raw.rstrip(b"\r\n"))


def _wide_lines(stream: io.BufferedReader) -> Iterator[Line]:
    wide = io.TextIOWrapper(stream, encoding="utf-16", errors="replace", newline="\n")
    number = 0
    try:
        while text := wide.readline(LINE_MAX):
            number += 1
            if len(text) == LINE_MAX and not text.endswith("\n"):
                while (rest := wide.readline(LINE_MAX)) and not rest.endswith("\n"):
                    pass
                yield Line(number, None)
            else:
                yield Line(number, text.rstrip("\r\n").encode("utf-8", "replace"))
    finally:
        wide.detach()


def parse_json(raw: bytes) -> tuple[Any, str | None]:
    """Return the value of `raw` and None, or None and why it is not JSON. Bytes that are not UTF-8 are replaced."""
    text = raw.decode("utf-16" if raw.startswith(_BOMS_16) else "utf-8-sig", "replace")
    try:
        value = json.loads(text, parse_constant=_no_constant)
        return (_storable(value) if "\\u" in text else value), None
    except json.JSONDecodeError as error:
        return None, f"not JSON: {error.msg.lower()} at character {error.pos + 1}"
    except ValueError as error:
        return None, f"not JSON: {error}"
    except RecursionError:
        return None, "nested too deeply"


def _storable(value: Any) -> Any:
    """Return `value` without halves of surrogate pairs, which JSON can escape and UTF-8 cannot hold."""
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def looks_binary(head: bytes) -> bool:
    """Say whether a file that begins so is no text; a run of NULs at its end, as a power failure leaves, is borne."""
    written = head.rstrip(b"\0")
    return not head.startswith(_BOMS_16) and (not written or written.count(0) > len(written) * _BINARY_SHARE)


def text_of(value: object) -> str:
    """Return `value` if it is text, else an empty one."""
    return value if isinstance(value, str) else ""


def dict_of(value: object) -> dict[str, Any]:
    """Return `value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    """Return `value` if it is a list, else an empty one."""
    return value if isinstance(value, list) else []
