"""Skills that a message names outright: `/name`, `$name`, `@name`, "use the X skill"."""

from __future__ import annotations

import re

from wellworn.resolver.rules_tokens import Tokens
from wellworn.resolver.rules_words import words_of

_SLASH = re.compile(r"/([a-z0-9][\w-]{0,63}(?::[a-z0-9][\w-]{0,63})?)", re.IGNORECASE)
_SIGIL = re.compile(r"[$@]([a-z][\w-]{1,63})", re.IGNORECASE)
_SLUG = re.compile(r"[\w-]{2,64}")
_FOLDERS = words_of(
    "tmp usr bin etc var home opt dev root lib lib64 mnt proc sys users applications private data srv boot sbin "
    "media app src run"
)
_BEFORE_PATHS = words_of(
    "in into at from to under cd ls path folder directory mount inside within get post put delete patch endpoint "
    "route url page on of cat"
)
_CALLS = words_of(
    "use using run running invoke apply call execute start trigger follow with via launch load activate through per"
)
_KINDS = frozenset({"skill", "recipe"})
_BEFORE_NAME = words_of("the a an your my our this that named called")
_NOT_A_NAME = words_of(
    "the a an your my our this that which what some any no new right best same other another skill skills recipe "
    "to and or for it is"
)
LONGEST_NAME = 4
"""Words in front of "skill" that may be its name."""


def find_names(tokens: Tokens, dropped: frozenset[int]) -> tuple[str, ...]:
    """Names in the order in which they stand, lower-case, words joined by hyphens; `dropped` words are not looked at.

    A path (`/usr/bin`), a price (`$50`), a variable (`$HOME`), an address or a package (`@scope/name`) is not a name.
    Whether a name exists in the library is the caller's to find out.
    """
    found: list[str] = []
    words = tokens.words
    for i, word in enumerate(words):
        if i in dropped:
            continue
        first = word[0]
        if first in "/$@":
            name = _with_sigil(tokens, i)
            if name:
                found.append(name)
        elif word in _KINDS:
            found.extend(_beside_kind(tokens, i))
    return tuple(dict.fromkeys(found))


def _with_sigil(tokens: Tokens, i: int) -> str:
    written = tokens.text[tokens.starts[i] : tokens.ends[i]]
    if written[0] == "/":
        match = _SLASH.fullmatch(written)
        if not match or match[1].lower() in _FOLDERS or (i and tokens.words[i - 1] in _BEFORE_PATHS):
            return ""
        return match[1].lower()
    match = _SIGIL.fullmatch(written)
    if not match or (written[0] == "$" and match[1].isupper()):
        return ""
    return match[1].lower()


def _beside_kind(tokens: Tokens, i: int) -> list[str]:
    """The name around the word "skill" at `i`: "the skill called X", "use skill X", "use the X Y skill"."""
    words = tokens.words
    after = i + 1
    if after < len(words) and words[after] in ("named", "called"):
        after += 1
        return [words[after]] if after < len(words) and _SLUG.fullmatch(words[after]) else []
    start = i
    while start > 0 and i - start < LONGEST_NAME and _part_of_name(tokens, start - 1):
        start -= 1
    called = start > 0 and (
        words[start - 1] in _CALLS or (words[start - 1] in _BEFORE_NAME and start > 1 and words[start - 2] in _CALLS)
    )
    if called and start < i:
        return ["-".join(words[start:i])]
    if called and after < len(words) and tokens.pauses[i] < 2 and ("-" in words[after] or after in tokens.quoted):
        return [words[after]] if _SLUG.fullmatch(words[after]) else []
    return []


def _part_of_name(tokens: Tokens, i: int) -> bool:
    word = tokens.words[i]
    return tokens.pauses[i] == 0 and word not in _NOT_A_NAME and word not in _CALLS and bool(_SLUG.fullmatch(word))
