"""What every encoder does to a text before its model sees it."""

from __future__ import annotations

# White space may fill a long text; this many times the kept characters are looked through before it is collapsed.
_SCAN_FACTOR = 4


def prefix(text: str, chars: int) -> str:
    """Return at most `chars` characters of `text` that are valid UTF-8; a shorter text comes back as it is.

    In a longer one white space is collapsed first, so that indentation does not use up the room. The cost does not
    grow with the text. A lone surrogate (JSON allows it) becomes "?".
    """
    if len(text) > chars:
        text = " ".join(text.lstrip()[: chars * _SCAN_FACTOR].split())[:chars]
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")
