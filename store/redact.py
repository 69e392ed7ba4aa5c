"""Takes secrets out of text by the shape of the value, before anything is stored; then the text may be cut.

The bare word "password" is not a secret; `password=hunter2secret` is. Ordinary text costs a few microseconds: each
group of patterns runs only when a cheap look says that it may find something, which is never wrong when it says no.
"""

from __future__ import annotations

import re
from typing import Any

from wellworn.store.secret_names import redact_named, redact_named_value
from wellworn.store.secret_shapes import MARK, has_token, looks_random, redact_tokens

__all__ = ["redact", "redact_field", "redact_value"]

_MOST_ROUNDS = 8
_KEY_BLOCK = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]{0,40}-----|\Z)"
    r"|PuTTY-User-Key-File-\d.*\Z",
    re.S,
)
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_LETTERS = re.compile(r"[A-Za-z0-9+/=\s\\]")
_ACCOUNT = re.compile(r"(?<=://)(?P<user>[^\s/@:\"'<>`]{0,200}):(?P<value>[^\s/\"'<>`]{1,400})(?=@[^\s/@])")
_NO_PASSWORD = re.compile(r"\$|\{|%\(|\*+$|\[|x+$")
_TOKEN_ACCOUNT = re.compile(r"(?<=://)[A-Za-z0-9_.~-]{16,400}(?=@)")
_MAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])(?P<user>[A-Za-z0-9._%+-]{1,64})"
    r"@(?P<host>[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,7}\.[A-Za-z]{2,24})\b"
)
_NO_MAIL_USERS = frozenset({"git", "hg", "org-git"})
_ENDINGS = """
png jpg jpeg gif svg webp ico js mjs cjs ts tsx jsx css scss html json yaml yml toml md txt py rb go rs java kt c h cpp
sh sql xml zip gz tgz tar whl jar exe dll so
"""
_FILE_ENDINGS = frozenset(_ENDINGS.split())
_HOME = re.compile(r"/(?:home|Users)/[^\s/:\"'\\`,;<>|&()]{1,64}")
_OTHER_HOME = re.compile(
    r"(?<![\w.])(?:(?:/mnt)?/[a-z]|[A-Za-z]:(?:\\{1,4}|/))(?:/|(?<=[\\/]))Users(?:\\{1,4}|/)[^\s/:\"'\\`,;<>|&()]{1,64}"
    r"|(?<=/)-(?:home|Users)-[A-Za-z0-9._]{1,64}"
)


def redact(text: str) -> str:
    """Return `text` with every secret of a known shape replaced by `[redacted ...]`, and home folders by `~`.

    Doing it again changes nothing.
    """
    for _ in range(_MOST_ROUNDS):
        redacted = _once(text)
        if redacted == text:
            break
        text = redacted
    return text


def redact_field(name: str, value: str) -> str:
    """Like `redact` for the value of a field, whose name may say that it is secret whatever it looks like."""
    return redact(redact_named_value(name, value))


def redact_value(value: Any) -> Any:
    """Return nested data with every text in it redacted, names of fields too."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {
            redact(str(name)): redact_field(str(name), one) if isinstance(one, str) else redact_value(one)
            for name, one in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [redact_value(one) for one in value]
    return value


def _once(text: str) -> str:
    if "PRIVATE KEY" in text or "PuTTY" in text:
        text = _without_key_ends(_KEY_BLOCK.sub(MARK.format("private key"), text))
    if "://" in text and "@" in text:
        text = _TOKEN_ACCOUNT.sub(_token_account, _ACCOUNT.sub(_account, text))
    if has_token(text):
        text = redact_tokens(text)
    if "=" in text or ":" in text or " " in text:
        text = redact_named(text)
    if "@" in text:
        text = _MAIL.sub(_mail, text)
    return _without_homes(text)


def _without_homes(text: str) -> str:
    if "Users" in text or "/-" in text:
        text = _OTHER_HOME.sub("~", text)
    if "/home/" in text or "/Users/" in text:
        text = _HOME.sub(_home, text)
    return text


def _home(match: re.Match[str]) -> str:
    """Not within a longer path or an address: `/srv/home/x`, `https://a.org/home/x`."""
    before = match.string[match.start() - 1] if match.start() else " "
    return match.group() if before.isalnum() or before in "_." else "~"


def _without_key_ends(text: str) -> str:
    """Take out the rest of a private key whose beginning was cut off."""
    while (end := _KEY_END.search(text)) is not None:
        start = end.start()
        while start > 0 and _KEY_LETTERS.match(text, start - 1):
            start -= 1
        text = text[:start] + MARK.format("private key") + text[end.end() :]
    return text


def _account(match: re.Match[str]) -> str:
    value = match["value"]
    if match["user"].startswith("[^") or (_NO_PASSWORD.match(value) and not re.search(r"[a-z0-9]{12,}", value)):
        return match.group()
    return MARK.format("credentials")


def _token_account(match: re.Match[str]) -> str:
    found = match.group()
    return (
        MARK.format("credentials") if looks_random(found, fewest=16) or (found.isalnum() and _mixed(found)) else found
    )


def _mixed(text: str) -> bool:
    return any(c.isdigit() for c in text) and any(c.isalpha() for c in text)


def _mail(match: re.Match[str]) -> str:
    host = match["host"]
    ending = host.rpartition(".")[2].lower()
    harmless = match["user"] in _NO_MAIL_USERS or ending in _FILE_ENDINGS or re.match(r"v?\d+\.\d", host)
    return match.group() if harmless else MARK.format("e-mail")
