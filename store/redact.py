"""Takes secrets out of text by the shape of the value, before anything is stored; then the text may be cut.

The bare word "password" is not a secret; `password=hunter2secret` is. Patterns are linear in the text's length.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_KEYWORD = r"(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|access[_-]?key|auth|credential|private[_-]?key|pwd)"
_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "private key",
        re.compile(r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,30}-----|\Z)", re.S),
    ),
    ("token", re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?")),
    ("key", re.compile(r"\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]+[-_])*[A-Za-z0-9_-]{16,}")),
    ("key", re.compile(r"\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}")),
    ("key", re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}|\bya29\.[A-Za-z0-9_-]{20,}")),
    ("key", re.compile(r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bnpm_[A-Za-z0-9]{30,}|\bpypi-[A-Za-z0-9_-]{40,}")),
    ("key", re.compile(r"\bhf_[A-Za-z0-9]{20,}|\bww_[arm]_[A-Za-z0-9_-]{20,}")),
    ("credentials", re.compile(r"(?<=://)[^\s/@:]{1,200}:[^\s/@]{1,200}(?=@)")),
    ("token", re.compile(r"(?<=\bBearer )[A-Za-z0-9._~+/=-]{12,}", re.I)),
    (
        "secret",
        re.compile(rf"(?<![A-Za-z])(?i:{_KEYWORD})[\"']?\s{{0,3}}[=:]\s{{0,3}}[\"']?(?P<value>[^\s\"',;]{{6,}})"),
    ),
    ("e-mail", re.compile(r"\b[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}\b")),
)
_HOME = re.compile(r"(?<![\w.])/(?:home|Users)/[^\s/:\"']{1,64}")
_RUN = r"[A-Za-z0-9+/_-]"
_MIXED_RUN = re.compile(rf"\b(?={_RUN}{{0,200}}\d)(?={_RUN}{{0,200}}[A-Z]){_RUN}{{32,200}}={{0,2}}")
_MIN_DISTINCT = 16


def redact(text: str) -> str:
    """Return `text` with every secret of a known shape replaced by `[redacted ...]`, and home folders by `~`."""
    for name, pattern in _SHAPES:
        text = pattern.sub(_replacement(name), text)
    text = _MIXED_RUN.sub(_if_random, text)
    return _HOME.sub("~", text)


def _replacement(name: str) -> Callable[[re.Match[str]], str]:
    def replace(match: re.Match[str]) -> str:
        value = match.groupdict().get("value")
        whole = match.group()
        return whole.replace(value, f"[redacted {name}]") if value else f"[redacted {name}]"

    return replace


def _if_random(match: re.Match[str]) -> str:
    """A long run of mixed characters is a secret unless it is a path or repeats itself."""
    run = match.group()
    is_path = run.count("/") > 1
    return run if is_path or len(set(run)) < _MIN_DISTINCT else "[redacted token]"
