"""From a name in any script to a valid skill id."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from wellworn.models.ids import ID_MAX_LENGTH, is_skill_id

_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i"})
_HASH_CHARS = 8


def slug_of(text: str) -> str | None:
    """Return `text` as lower-case ASCII words joined by hyphens, or None when letters or digits would be lost.

    Longer than 64 characters: cut at a word's end, and a hash of the whole is added so that two of them stay apart.
    """
    folded = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    bare = "".join(c for c in folded if not unicodedata.combining(c))
    if any(c.isalnum() and not c.isascii() for c in bare):
        return None
    slug = re.sub(r"[^a-z0-9]+", "-", bare).strip("-")
    if not slug:
        return None
    return slug if len(slug) <= ID_MAX_LENGTH else _shortened(slug)


def _shortened(slug: str) -> str:
    room = ID_MAX_LENGTH - _HASH_CHARS - 1
    head = slug[:room]
    if slug[room] != "-" and "-" in head:
        head = head.rsplit("-", 1)[0]
    return f"{head.strip('-')}-{_hash(slug)}"


def id_of(directory_name: str, name: str) -> str:
    """Return the directory's name if it is an id, else a slug of it or of the name, else `skill-<hash>`."""
    if is_skill_id(directory_name):
        return directory_name
    return slug_of(directory_name) or slug_of(name) or f"skill-{_hash(name or directory_name)}"


def _hash(text: str) -> str:
    normal = unicodedata.normalize("NFC", text)
    return hashlib.sha256(normal.encode("utf-8", errors="replace")).hexdigest()[:_HASH_CHARS]
