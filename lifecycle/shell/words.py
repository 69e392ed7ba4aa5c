"""Shell words as they stand in the source, and what they mean. Pure; linear in the text's length."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[^\\'\"$`<>]*", re.S)
_EXPANSION = re.compile(r"\$[A-Za-z_0-9{(@*#?$!-]")
_ANSI = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v", "0": "\0"}
_CODE = re.compile(r"x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|[0-7]{1,3}")
ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=", re.ASCII)
"""The beginning of a word that sets a variable."""


def words_of(text: str) -> frozenset[str]:
    """Return the set of the words of a text; tables are written with it."""
    return frozenset(text.split())


def unquote(raw: str) -> tuple[str, bool]:
    """Return what a word means without its quotes, and whether a part of it is known only when it runs.

    Expansions (`$x`, `$(...)`, backticks) stay as they are written. Unclosed quotes end with the word.
    """
    if _PLAIN.fullmatch(raw):
        return raw, False
    parts: list[str] = []
    dynamic, at = False, 0
    while at < len(raw):
        piece, at, unknown = _piece(raw, at)
        parts.append(piece)
        dynamic |= unknown
    return "".join(parts), dynamic


def _piece(raw: str, at: int) -> tuple[str, int, bool]:
    """Return the next part of a word, where it ends, and whether it is dynamic."""
    mark = raw[at]
    if mark == "'":
        end = raw.find("'", at + 1)
        end = len(raw) if end < 0 else end
        return raw[at + 1 : end], end + 1, False
    if mark == '"' or raw.startswith('$"', at):
        return _double_quoted(raw, at + len(mark) + (mark == "$"))
    if mark == "\\":
        following = raw[at + 1 : at + 2]
        return ("" if following == "\n" else following), at + 2, False
    if raw.startswith("$'", at):
        return _ansi(raw, at + 2)
    if mark == "`" or _EXPANSION.match(raw, at) or raw.startswith(("<(", ">("), at):
        end = _expansion_end(raw, at)
        return raw[at:end], end, True
    return mark, at + 1, False


def _double_quoted(raw: str, at: int) -> tuple[str, int, bool]:
    parts: list[str] = []
    dynamic = False
    while at < len(raw) and raw[at] != '"':
        if raw[at] == "\\" and raw[at + 1 : at + 2] in {'"', "\\", "$", "`", "\n"}:
            parts.append(raw[at + 1].replace("\n", ""))
            at += 2
        elif raw[at] == "`" or _EXPANSION.match(raw, at):
            end = _expansion_end(raw, at)
            parts.append(raw[at:end])
            at, dynamic = end, True
        else:
            parts.append(raw[at])
            at += 1
    return "".join(parts), at + 1, dynamic


def _ansi(raw: str, at: int) -> tuple[str, int, bool]:
    parts: list[str] = []
    while at < len(raw) and raw[at] != "'":
        if raw[at] != "\\":
            parts.append(raw[at])
            at += 1
            continue
        code = _CODE.match(raw, at + 1)
        if code:
            digits = code.group()
            parts.append(chr(int(digits[1:], 16) if digits[0] in "xu" else int(digits, 8) % 256))
            at = code.end()
        else:
            parts.append(_ANSI.get(raw[at + 1 : at + 2], raw[at + 1 : at + 2]))
            at += 2
    return "".join(parts), at + 1, False


_CLOSING = {"(": ")", "{": "}"}


def _expansion_end(raw: str, at: int) -> int:
    """Return where the expansion that begins at `at` ends."""
    if raw[at] == "`":
        end = raw.find("`", at + 1)
        return len(raw) if end < 0 else end + 1
    opening = raw[at + 1]
    if opening not in _CLOSING:
        name = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|.", re.S).match(raw, at + 1)
        return name.end() if name else at + 1
    depth, closing = 0, _CLOSING[opening]
    for place in range(at + 1, len(raw)):
        if raw[place] == opening:
            depth += 1
        elif raw[place] == closing:
            depth -= 1
            if depth == 0:
                return place + 1
    return len(raw)


def program_name(word: str) -> str:
    """Return a program's name without its folder, its version (`pkg@1.2`, not of a scope) and `.exe`."""
    if word.startswith("@") and word.count("/") == 1:
        scope, _, rest = word.partition("/")
        return f"{scope}/{rest.partition('@')[0]}"
    name = word.rstrip("/").rpartition("/")[2] or word
    if "@" in name[1:]:
        name = name[: name.index("@", 1)]
    return name[:-4] if name.lower().endswith(".exe") else name
