"""From the bytes of a file that a person wrote to text: encodings, byte order marks, line ends, bounded size."""

from __future__ import annotations

import codecs
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from wellworn.models.skill import Diagnostic, Severity

MAX_BYTES = 2_000_000
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 512
_FAULTS_TOLERATED, _FAULT_SHARE = 8, 0.1
"""A legacy encoding has a few bytes in a hundred that are no UTF-8; a program or a picture has half."""
_LINE_END = re.compile(r"\r\n|\r|\n")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")


@dataclass(slots=True)
class Notes:
    """Collects the diagnostics of one file."""

    file: str
    items: list[Diagnostic]

    def add(self, severity: Severity, code: str, message: str, line: int | None = None) -> None:
        """Record one thing that was seen; `line` counts from 1."""
        self.items.append(Diagnostic(severity=severity, code=code, message=message, file=self.file, line=line))

    def info(self, code: str, message: str, line: int | None = None) -> None:
        """Record something that changed nothing for the worse."""
        self.add(Severity.info, code, message, line)

    def warning(self, code: str, message: str, line: int | None = None) -> None:
        """Record something that was mended or ignored."""
        self.add(Severity.warning, code, message, line)

    def error(self, code: str, message: str, line: int | None = None) -> None:
        """Record something that could not be used."""
        self.add(Severity.error, code, message, line)


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a file's bytes stand for text, so that it can be written back in the same way."""

    codec: str = "utf-8"
    bom: bytes = b""
    newline: str = "\n"

    def encode(self, text: str) -> bytes:
        """Return the bytes of `text`, whose line ends are written as they stand."""
        return self.bom + text.encode(self.codec, errors="surrogateescape" if self.codec == "utf-8" else "strict")


def detect_encoding(data: bytes) -> Encoding:
    """Find the encoding by its byte order mark, else by where the NUL bytes of UTF-16 stand, else UTF-8."""
    for bom, codec in _BOMS:
        if data.startswith(bom):
            return Encoding(codec, bom, _newline_of(data[len(bom) :], codec))
    sample = data[: _SAMPLE - _SAMPLE % 2]
    pairs = len(sample) // 2
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    codec = "utf-8"
    if pairs and odd > 0.4 * pairs and even < 0.1 * pairs:
        codec = "utf-16-le"
    elif pairs and even > 0.4 * pairs and odd < 0.1 * pairs:
        codec = "utf-16-be"
    return Encoding(codec, b"", _newline_of(data, codec))


def _newline_of(data: bytes, codec: str) -> str:
    start = data[: 4 * _SAMPLE].decode(codec, errors="replace")
    found = _LINE_END.search(start)
    return found.group() if found else "\n"


def decode_text(data: bytes, notes: Notes) -> str:
    """Return the text with `\\n` line ends; bytes that are no text become U+FFFD, with a diagnostic naming the line."""
    encoding = detect_encoding(data)
    raw = data[len(encoding.bom) :]
    try:
        text = raw.decode(encoding.codec)
    except UnicodeDecodeError as error:
        line = 1 + len(_LINE_END.findall(raw[: error.start].decode(encoding.codec, errors="replace")))
        notes.warning(
            "encoding", f"some bytes are not valid {encoding.codec}; they were replaced. Save it as UTF-8.", line
        )
        text = raw.decode(encoding.codec, errors="replace")
    if "\r" in text:
        text = _LINE_END.sub("\n", text)
    bad = _CONTROLS.search(text)
    if bad:
        line = 1 + text.count("\n", 0, bad.start())
        notes.warning("control-character", "control characters were replaced.", line)
        text = _CONTROLS.sub("\ufffd", text)
    return text.removeprefix("\ufeff")


def is_text(data: bytes) -> bool:
    """Say whether the bytes are a text with at most a few faults; decided by their beginning."""
    encoding = detect_encoding(data)
    beginning = data[len(encoding.bom) : 8 * _SAMPLE].decode(encoding.codec, errors="replace")
    faults = beginning.count("\ufffd") + len(_CONTROLS.findall(beginning))
    return faults <= _FAULTS_TOLERATED + len(beginning) * _FAULT_SHARE


def raw_lines(data: bytes) -> tuple[list[str], Encoding]:
    """Return the lines with their own line ends, losslessly, for editing; join and `encode` give the bytes back."""
    encoding = detect_encoding(data)
    raw = data[len(encoding.bom) :]
    errors = "surrogateescape" if encoding.codec == "utf-8" else "strict"
    text = raw.decode(encoding.codec, errors=errors)
    lines: list[str] = []
    start = 0
    for end in _LINE_END.finditer(text):
        lines.append(text[start : end.end()])
        start = end.end()
    if start < len(text):
        lines.append(text[start:])
    return lines, encoding


def read_bounded(path: Path, notes: Notes, limit: int = MAX_BYTES) -> bytes | None:
    """Return at most `limit` bytes of a regular file, or None with an error diagnostic; never blocks on a pipe."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        notes.error("unreadable", f"it cannot be read ({error.strerror}); check its permissions.")
        return None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            notes.error("not-a-file", "it is not a regular file; replace it with one.")
            return None
        data = _read_up_to(handle, limit + 1)
    except OSError as error:
        notes.error("unreadable", f"it cannot be read ({error.strerror}).")
        return None
    finally:
        os.close(handle)
    if len(data) > limit:
        notes.warning("too-large", f"it is larger than {limit:,} bytes; only the first part is used.")
        return data[:limit]
    return data


def _read_up_to(handle: int, limit: int) -> bytes:
    parts: list[bytes] = []
    left = limit
    while left and (part := os.read(handle, min(left, 1 << 16))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
