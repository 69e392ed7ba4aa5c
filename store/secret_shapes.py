"""Secrets that are known by the shape of the value alone: keys of providers, web tokens, long random runs.

The patterns of detect-secrets are used beside our own. Every pattern is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module

MARK = "[redacted {}]"
_BODY = "-A-Za-z0-9_"
_OWN = (
    # models
    rf"sk-[{_BODY}]{{20,}}|gsk_[A-Za-z0-9]{{30,}}|xai-[{_BODY}]{{30,}}|pplx-[{_BODY}]{{30,}}|nvapi-[{_BODY}]{{30,}}",
    rf"r8_[A-Za-z0-9]{{30,}}|hf_[A-Za-z0-9]{{20,}}|api_org_[A-Za-z0-9]{{20,}}|lsv2_(?:pt|sk)_[{_BODY}]{{20,}}",
    rf"tvly-[{_BODY}]{{16,}}|ctx7sk-[{_BODY}]{{16,}}|co_api_[{_BODY}]{{16,}}",
    # code and packages
    r"gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|npm_[A-Za-z0-9]{20,}|rubygems_[a-f0-9]{30,}",
    rf"gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-[{_BODY}]{{16,}}|GR1348941[{_BODY}]{{10,}}|pypi-[{_BODY}]{{30,}}",
    rf"cio[A-Za-z0-9]{{32}}|oy2[a-z0-9]{{43}}|sgp_[a-f0-9_]{{30,}}|dckr_[a-z]{{3}}_[{_BODY}]{{16,}}|bkua_[a-f0-9]{{30,}}",
    rf"ATATT3[{_BODY}=]{{30,}}|ATCTT3[{_BODY}=]{{30,}}|ATBB[A-Za-z0-9]{{20,}}|CCIPAT_[{_BODY}]{{20,}}|PMAK-[a-f0-9-]{{30,}}",
    # clouds
    r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{12,}|LTAI[A-Za-z0-9]{12,}|AKID[A-Za-z0-9]{13,}",
    rf"AIza[{_BODY}]{{25,}}|ya29\.[{_BODY}.]{{20,}}|GOCSPX-[{_BODY}]{{20,}}|do[orp]_v1_[a-f0-9]{{20,}}",
    rf"dapi[a-f0-9]{{30,}}(?:-\d)?|pscale_(?:tkn|pw|oauth)_[{_BODY}.]{{20,}}|tskey-[a-z]+-[{_BODY}]{{16,}}",
    rf"(?:hvs|hvb|hvr)\.[{_BODY}]{{20,}}|dp\.(?:pt|st|ct|sa|scim|audit)\.[{_BODY}.]{{16,}}|fo1_[{_BODY}]{{20,}}",
    rf"fm[12][ar]?_[{_BODY}+/=]{{20,}}|sbp_[a-f0-9]{{20,}}|sb_(?:secret|publishable)_[{_BODY}]{{16,}}|nfp_[{_BODY}]{{30,}}",
    rf"pul-[a-f0-9]{{30,}}|[A-Za-z0-9]{{14}}\.atlasv1\.[{_BODY}]{{30,}}|rnd_[A-Za-z0-9]{{20,}}|vc[pkrai]_[A-Za-z0-9]{{20,}}",
    # messages and money
    rf"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{{10,}}|xapp-[A-Za-z0-9-]{{16,}}|SG\.[{_BODY}]{{16,}}\.[{_BODY}]{{16,}}",
    r"(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,}|sq0[a-z]{3}-[A-Za-z0-9_-]{16,}",
    r"key-[a-f0-9]{32}|[a-f0-9]{32}-us\d{1,2}|(?:AC|SK)[a-f0-9]{32}|EAA[A-Za-z0-9_-]{50,}|\d{8,10}:[A-Za-z0-9_-]{35}",
    # work and watching
    r"shp(?:at|ca|pa|ss|tka)_[A-Za-z0-9]{20,}|lin_(?:api|oauth)_[A-Za-z0-9]{20,}|(?:secret|ntn)_[A-Za-z0-9]{30,}",
    rf"NR(?:AK|JS|II|RA|AA|SP)-[{_BODY}]{{16,}}|[a-f0-9]{{30,40}}NRAL|sntry[su]_[{_BODY}+/=]{{20,}}|ph[cx]_[A-Za-z0-9]{{30,}}",
    rf"glsa_[A-Za-z0-9_]{{20,}}|glc_[A-Za-z0-9+/=]{{20,}}|figd_[{_BODY}]{{20,}}|dt0[a-z]\d\d\.[A-Z0-9]{{20,}}\.[A-Z0-9]{{20,}}",
    r"pat[A-Za-z0-9]{14}\.[a-f0-9]{40,}|pat-(?:na|eu)\d-[a-f0-9-]{30,}|ops_eyJ[A-Za-z0-9_-]{20,}",
    # ours, and what people hold
    rf"ww_[{_BODY}]{{20,}}|AGE-SECRET-KEY-1[A-Z0-9]{{20,}}",
)
_PREFIXED = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(_OWN)})")
_LETTERS_ONLY = ("hf_", "api_org_")
_WEB_TOKEN = re.compile(r"(?<![A-Za-z0-9_=-])eyJ[A-Za-z0-9_-]{12,}(?:\.[A-Za-z0-9_-]*){0,4}")
_PLUGINS = (
    "artifactory",
    "aws",
    "azure_storage_key",
    "cloudant",
    "discord",
    "github_token",
    "gitlab_token",
    "ibm_cloud_iam",
    "ibm_cos_hmac",
    "mailchimp",
    "pypi_token",
    "sendgrid",
    "slack",
    "softlayer",
    "square_oauth",
    "stripe",
    "telegram_token",
    "twilio",
)
"""Of detect-secrets. Left out: jwt, npm, openai, basic_auth, private_key (not linear, or without the value; ours stand
for them), keyword, ip_public and high_entropy_strings (they take ordinary commands for secrets)."""
_NAMED_PLUGINS = frozenset({"cloudant", "ibm_cloud_iam", "ibm_cos_hmac", "softlayer"})
"""Their patterns need a word such as `key` before the value."""
_RUN = re.compile(r"[A-Za-z0-9_+/=.~:-]{16,}")
_SHORT = re.compile(r"xox[a-z]-[0-9]|\bAKC[A-Za-z0-9]|\bAP[0-9A-F][A-Za-z0-9]{8}")
_TOKEN_PIECE = re.compile(r"(?<![A-Za-z0-9])(?=[A-Za-z]{0,60}[0-9])[A-Za-z0-9]{10,}|[0-9]{8}:")
_MIXED = re.compile(r"(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])")
_SHORTEST_NAMED = 24
"""Of what the plugins find that need a name before the value."""
_BROKEN_UP = (
    *(
        "sk-",
        "xai-",
        "pplx-",
        "nvapi-",
        "lsv2_",
        "tvly-",
        "ctx7",
        "co_api_",
        "gl",
        "GR1",
        "pypi-",
        "dckr_",
        "ATA",
        "ATC",
    ),
    *(
        "CCIPAT",
        "AIza",
        "ya29",
        "GOCSPX",
        "pscale",
        "tskey",
        "hv",
        "dp.",
        "fo1_",
        "fm",
        "sb_",
        "nfp_",
        "atlasv1",
        "SG.",
    ),
    *("sq0", "EAA", "NR", "sntry", "figd", "ww_", "xapp", "pat", "PMAK", "glimt"),
)
"""How the keys begin whose letters may be broken up by hyphens."""
_DIGIT = re.compile(r"[0-9]")
_LONG = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{32,}={0,2}")
_HARMLESS_RUN = re.compile(
    r"sha(?:1|224|256|384|512)[-:_]|(?:0x)?[0-9a-f]{7,}$|(?!AC)(?:0x)?[0-9A-F]{7,}$|[0-9]+$|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
)
_PIECE = re.compile(r"[A-Za-z0-9]+")
_PLAIN_PIECE = re.compile(r"[a-z]+$|[A-Z]+$|[0-9a-f]+$|[0-9A-F]+$|[A-Z]?[a-z]+[0-9]{0,4}$")
_CHANGE = re.compile(r"(?<=[a-z])[A-Z0-9]|(?<=[A-Z])[a-z0-9]|(?<=[0-9])[A-Za-z]")
_FEWEST_RANDOM, _CHANGES_A_LETTER = 24, 0.42


def has_token(text: str) -> bool:
    """Say, fast, whether `text` may hold a secret of these shapes; what it denies is never taken out."""
    if _DIGIT.search(text) is not None:
        runs = [run for run in _RUN.findall(text) if _DIGIT.search(run)]
        for run in runs:
            if _TOKEN_PIECE.search(run) and not _HARMLESS_RUN.match(run):
                return True
            if _MIXED.match(run) and any(start in text for start in _BROKEN_UP):
                return True
        if any(len(run) >= _SHORTEST_NAMED for run in runs) and _is_named(text.lower()):
            return True
    if "hf_" in text or "api_org_" in text or "eyJ" in text:
        return True
    if "hooks.slack" in text:
        return True
    return ("xox" in text or "AKC" in text or "AP" in text) and _SHORT.search(text) is not None


def redact_tokens(text: str) -> str:
    """Take out every secret that is known by its shape."""
    text = _WEB_TOKEN.sub(MARK.format("token"), text)
    text = _PREFIXED.sub(_prefixed, text)
    named = _is_named(text.lower())
    for name, pattern in _library():
        if named or name not in _NAMED_PLUGINS:
            text = pattern.sub(_found(name), text)
    return _LONG.sub(_if_random, text)


def _is_named(low: str) -> bool:
    return "key" in low or "pass" in low or "pwd" in low or "token" in low or "soap" in low


def looks_random(value: str, *, fewest: int = _FEWEST_RANDOM) -> bool:
    """Say whether letters and digits change as often as in a random text, in what is neither word, number nor hash."""
    if _HARMLESS_RUN.match(value):
        return False
    kept = [piece for piece in _PIECE.findall(value) if not _PLAIN_PIECE.match(piece)]
    length = sum(map(len, kept))
    if length < fewest:
        return False
    joined = "".join(kept)
    changes = sum(len(_CHANGE.findall(piece)) for piece in kept)
    mixed = any(c.islower() for c in joined) and any(c.isupper() for c in joined) and any(c.isdigit() for c in joined)
    return mixed and changes >= _CHANGES_A_LETTER * length


def _prefixed(match: re.Match[str]) -> str:
    found = match.group()
    if _DIGIT.search(found) or found.startswith(_LETTERS_ONLY):
        return MARK.format("key")
    return found


def _if_random(match: re.Match[str]) -> str:
    return MARK.format("token") if looks_random(match.group()) else match.group()


def _found(name: str) -> Callable[[re.Match[str]], str]:
    def replace(match: re.Match[str]) -> str:
        whole = match.group()
        if not _DIGIT.search(whole) or (name == "discord" and not looks_random(whole)):
            return whole
        if match.re.groups == 1 and match[1] is not None and len(match[1]) > 8:
            return whole.replace(match[1], MARK.format("secret"))
        before = whole[: len(whole) - len(whole.lstrip(' \t\n\r=:"'))]
        after = whole[len(whole.rstrip(' \t\n\r"')) :]
        return before + MARK.format("key") + after

    return replace


@cache
def _library() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Its plugins load `requests`, 0.2 s, so they are imported at the first text that may hold a token."""
    return tuple((name, pattern) for name in _PLUGINS for pattern in _denylist(name))


def _denylist(name: str) -> Iterator[re.Pattern[str]]:
    module = import_module(f"detect_secrets.plugins.{name}")
    for thing in vars(module).values():
        if isinstance(thing, type) and thing.__module__ == module.__name__:
            yield from getattr(thing, "denylist", ())
