"""What kind of value a word is, by its shape. Pure; patterns are linear."""

from __future__ import annotations

import re

_BUMP = frozenset({"patch", "minor", "major", "prerelease", "prepatch", "preminor", "premajor"})
_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("url", re.compile(r"[a-z][a-z0-9+.-]*://\S+|git@[\w.-]+:\S+", re.I)),
    (
        "version",
        re.compile(
            r"v?\d+\.\d+(?:\.\d+)*(?:[-+.]?(?:rc|alpha|beta|a|b|dev|post|pre|next|canary)[-.\d]*\w*)?(?:\+[\w.]+)?",
            re.I,
        ),
    ),
    ("number", re.compile(r"#?[-+]?\d+(?:\.\d+)?%?")),
    ("hash", re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}|(?:sha256:)[0-9a-f]{12,64}")),
)
_PATH = re.compile(r"(?:~|\.{1,2})?(?:/|$)|.*/|\.[\w-]", re.S)
_FILE = re.compile(r"[^\s=:]*\.[A-Za-z][A-Za-z0-9]{0,9}")
_GLOB = re.compile(r"[^\s]*[*?\[]")


def kind_of(value: str) -> str:
    """Return the placeholder's name for a value: url, host, version, number, hash, path, file, message or value."""
    if value in _BUMP:
        return "version"
    if value.isalpha() and value != "localhost":
        return "value"
    for kind, pattern in _SHAPES:
        if pattern.fullmatch(value):
            return kind
    if "\n" in value or value.count(" ") > 1:
        return "message"
    if value and " " not in value and (value in {".", ".."} or _PATH.match(value)):
        return "path"
    return "file" if _FILE.fullmatch(value) or _GLOB.match(value) else "value"


def is_value(value: str) -> bool:
    """Whether a word behind an option is surely a value, by its shape alone."""
    return kind_of(value) != "value"
