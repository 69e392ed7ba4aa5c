"""The key under which the vector of a text is kept."""

from __future__ import annotations

import unicodedata
from hashlib import blake2b

HASH_BYTES = 16


def text_hash(text: str) -> bytes:
    """Return 16 bytes (BLAKE2b) of `text` in NFC with its white space folded: equal texts share one vector."""
    folded = " ".join((text if text.isascii() else unicodedata.normalize("NFC", text)).split())
    return blake2b(folded.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()


def storable(text: str) -> str:
    r"""Return `text` with lone surrogates spelled out (`\udcff`), which SQLite cannot hold; other text is unchanged."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text
