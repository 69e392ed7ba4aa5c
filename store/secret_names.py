"""Secrets that are known by what stands before them: a name in an assignment, an option of a command, a header."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum
from functools import lru_cache

from wellworn.store.secret_shapes import MARK, looks_random

Span = tuple[int, int]


class Naming(IntEnum):
    """What a name says of its value. hint: a secret if it looks like one. sure: a secret whatever it looks like."""

    nothing = 0
    hint = 1
    sure = 2


_SURE = re.compile(
    r"pass(?:word|wd|phrase|code|key|wort)?|pwd|secret|token|credentials?|jwt|mnemonic"
    r"|(?:api|access|secret|private|account|encryption|signing|master|license|subscription|service|ssh|deploy|app|client"
    r"|session|shared[_-]?access|storage|auth)[_.-]?key|authorization|_auth$|^auth$",
    re.I,
)
_HINT = re.compile(r"key|auth|cookie|dsn|signature|sig|session|cred|sas|webhook|licen[cs]e", re.I)
_STEMS = (
    *("pass", "pwd", "secret", "token", "key", "auth", "cred", "jwt", "mnemonic"),
    *("cookie", "dsn", "sig", "session", "sas", "webhook", "license", "licence"),
)
"""At least one of them is in whatever the patterns above match."""
_QUIET_TAIL = re.compile(
    r"(?:s|[0-9]{1,3}|[_.-]?(?:v?[0-9]|dev|prod|production|staging|test|ci|old|new|value|val|b64|base64|string|str|env"
    r"|data|live|main|header))?$",
    re.I,
)
_NAME = re.compile(
    r"(?<![\w.-])(?P<name>[\w.-]{2,64})(?P<close>\\?[\"'`]?\]?)(?P<sep>[ \t]{0,3}(?:=>|:=|=|:)[ \t]{0,3})(?![=:])", re.A
)
_VALUE = re.compile(
    r"(?:(?i:bearer|basic|token|apikey|bot|key)[ \t]+)?"
    r"(?P<quote>\\?[\"'`])?(?P<value>(?(quote)[^\"'`\n\\]{1,400}|[^\s\"'`,;|<>(){}\[\]\\&]{1,1000}))"
)
_OPTION = re.compile(r"--?(?P<name>[A-Za-z][\w.-]{2,60})[ \t]+(?P<quote>[\"'])?", re.A)
_ARGUMENT = re.compile(r"[^\s\"'|;&<>()-][^\s\"'|;&<>()]{0,400}")
_QUOTED = {'"': re.compile(r'[^"\n]{1,400}'), "'": re.compile(r"[^'\n]{1,400}")}
_SET = re.compile(
    r"\b(?:config(?:ure)?[ :]set|setx?|export|env[ ]add|ENV|ARG)[ \t]+(?:-[a-zA-Z]+[ \t]+)?(?P<name>[^\s=]{2,80})[ \t]+"
    r"(?P<quote>[\"'])?"
)
_TOLD = re.compile(
    r"\b(?:password|passwd|passphrase|passcode|secret|token|(?:api|access|secret)[ _-]?key)[ \t]{1,3}(?:is|was)"
    r"(?:[ \t]{1,3}|:[ \t]{0,3})"
    r"[\"'`]?(?P<value>[^\s\"'`,;|<>(){}\[\]]{6,200})",
    re.I,
)
_LISTED = re.compile(
    r"\bname[\"']?[ \t]{0,3}:[ \t]{0,3}[\"']?(?P<name>[\w.-]{2,64})[\"']?[ \t]{0,3},?\s{0,60}"
    r"[\"']?value[\"']?[ \t]{0,3}:[ \t]{0,3}"
    r"[\"']?(?P<value>[^\s\"',;{}\[\]]{4,400})",
    re.A,
)
_LITERAL = re.compile(
    r"(?:--from-literal[= ]|\bsecrets?[ ](?:set|put)[ ]|\bkv[ ]put[ ][^\s=]{1,200}[ ])['\"]?[A-Za-z0-9_.-]{1,100}="
    r"['\"]?(?P<value>[^\s\"']{3,400})"
    r"|\bsecret[ ]set[ ][A-Za-z0-9_]{1,100}[^\n|;&]{0,60}?[ ](?:-b|--body)[= ]['\"]?(?P<v2>[^\s\"']{3,400})"
)
_PIPED = re.compile(
    r"\b(?:echo|printf)[ ]{1,3}(?:-n[ ]{1,3})?"
    r"(?:\"(?P<v1>[^\"\n|]{3,200})\"|'(?P<v2>[^'\n|]{3,200})'|(?P<v3>[^\s\"'|;&-][^\s\"'|;&]{2,200}))"
    r"[ ]{0,3}\|[ ]{0,3}(?:sudo[ ]{1,3})?(?:docker[ ]login|podman[ ]login|helm[ ]registry[ ]login|gh[ ]auth|chpasswd"
    r"|passwd|cryptsetup|kinit|sudo[ ]-S|su[ ])"
)
_SCHEME = re.compile(r"\b(?:bearer|basic)[ \t]+(?P<value>[A-Za-z0-9._~+/=-]{8,2000})", re.I)
_COOKIES = re.compile(r"cookie[\"']?:[ \t]{0,3}[\"']?(?P<value>[A-Za-z0-9_.%-]{1,100}=[^\n\"'\\]{1,4000})", re.I)
_WORD_VALUE = r"(?P<value>[^\s\"'|;&-][^\s\"'|;&]{0,400})"
_GAP = r"[^\n|;&]{0,200}?[ ]"
_REGISTRIES = r"\b(?:docker|podman|skopeo|helm|buildah|nerdctl|oras|crane|az)\b"
_ACCOUNT = r"[ =]?['\"]?[^\s:\"'|;&$/]{0,100}:"
# Options of single programs: a word of the text, the option, the pattern up to the value.
_PROGRAMS: tuple[tuple[str, str, re.Pattern[str]], ...] = tuple(
    (word, option, re.compile(pattern + _WORD_VALUE))
    for word, option, pattern in (
        ("mysql", " -p", rf"mysql[a-z]{{0,12}}\b{_GAP}-p['\"]?"),
        ("mariadb", " -p", rf"mariadb[a-z-]{{0,12}}\b{_GAP}-p['\"]?"),
        ("login", " -p", rf"{_REGISTRIES}{_GAP}login{_GAP}-p[ ]?['\"]?"),
        ("ssh-keygen", " -N", rf"ssh-keygen\b(?:{_GAP}|[ ])-N[ ]?['\"]?"),
        ("sshpass", " -p", r"sshpass[ ]+-p[ ]?['\"]?"),
        ("redis-cli", " -a", rf"redis-cli\b(?:{_GAP}|[ ])-a[ ]?['\"]?"),
        ("zip", " -P", rf"zip\b(?:{_GAP}|[ ])-P[ ]?['\"]?"),
        ("7z", " -p", rf"7za?\b{_GAP}-p['\"]?"),
        ("twine", " -p", rf"twine[ ]+upload\b{_GAP}(?:-p|--password)[ ]?['\"]?"),
        ("openssl", " -k", rf"openssl\b{_GAP}-k[ ]?['\"]?"),
        ("rclone", " pass", r"rclone[ ]+config[ ]+(?:create|update|password)\b[^\n|;]{1,200}?[ ]pass[ ]+['\"]?"),
        ("machine", " password ", r"machine[ ]+\S{1,200}[ ]+login[ ]+\S{1,200}[ ]+password[ ]+['\"]?(?=\S*\d)"),
        ("sqlcmd", " -P", rf"sqlcmd\b(?:{_GAP}|[ ])-P[ ]?['\"]?"),
        ("mosquitto", " -P", rf"mosquitto_[a-z]{{1,12}}\b{_GAP}-P[ ]?['\"]?"),
        ("ldap", " -w", rf"ldap[a-z]{{1,12}}\b(?:{_GAP}|[ ])-w[ ]?['\"]?"),
        ("mongo", " -p", rf"mongo[a-z]{{0,12}}\b{_GAP}-p[ ]?['\"]?"),
        ("pass:", " -pass", r"-pass(?:in|out)?[ ]+pass:"),
        ("smbclient", " -U", rf"smbclient\b{_GAP}-U[ ]?['\"]?[^\s%|;&]{{1,100}}%"),
        ("htpasswd", " -", r"htpasswd[ ]+-[a-zA-Z]{0,5}b[a-zA-Z]{0,5}[ ]{1,5}\S{1,200}[ ]{1,5}\S{1,200}[ ]{1,5}['\"]?"),
        ("curl", " -", rf"curl\b(?:[^\n|;]{{0,600}}?[ ])?(?:-u|--user|--proxy-user|-U){_ACCOUNT}"),
        ("http", " -a", rf"\bhttps?\b[^\n|;]{{0,400}}?[ ]-a{_ACCOUNT}"),
    )
)
_PLACEHOLDER = re.compile(
    r"[$%<{*@~&#]|--|\\\$|\.\.\.|x{3,}$|\[|\("
    r"|(?:your|my|the|an?|some|this|example|dummy|fake|changeme|change|redacted|insert)(?:[-_ ]|$)"
    r"|(?:process|os|env|environ|config|settings|self|this|ctx|secrets|vars|data|args|options|params|req|request)\.",
    re.I,
)
_HARMLESS_WORDS = """
required optional string none null nil true false undefined hidden enabled disabled invalid missing expired
incorrect wrong empty unset set str int bool text input field bytes any object number boolean prompt ask stdin read
write write-all read-all inherit yes no on off ok auto default local global basic bearer oauth oauth2 apikey api my
test foo bar baz password passwd pass secret token key username user name type value failed success error denied
granted accepted rejected changed reset not is was are be has have for and or the to in of with from if when flag
option argument parameter instead file generated rotated unknown masked redacted strong weak plaintext env
environment header cookie cookies public private auth authentication authorization login function const let var new
await return async self this raw here there sha256 md5 bcrypt argon2 scrypt hmac rsa ecdsa ed25519 hs256 rs256
"""
_HARMLESS = frozenset(_HARMLESS_WORDS.split())
_MEASURE = re.compile(r"[0-9][0-9.,_]*(?:k|m|g|ms|s|min|h|d|%|px|kb|mb|gb)?$", re.I)
_PATH = re.compile(
    r"(?:[A-Za-z]:)?[.~]{0,2}[/\\][\w./\\@+-]*$"
    r"|[\w./-]+\.(?:json|ya?ml|txt|pem|key|crt|env|toml|ini|cfg|py|js|ts|go|rs|sh|md|html|php|rb|java|tsx)$"
)
_DIGIT = re.compile(r"[0-9]")
_LONGEST_HINTED = 200
"""Longer keys are known by their shape."""
_WORD = re.compile(r"[A-Za-z]+(?:[-_'][A-Za-z]+)*[.,;:!?)]*$")
_VARIABLE = re.compile(r"[A-Za-z]+(?:_[A-Za-z]+)+$")
_CODE = re.compile(r"[A-Za-z_][\w.]*[(\[]|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|[\w.]*::|[A-Z]?[a-z]+(?:[A-Z][a-z]+)+$")


@lru_cache(maxsize=4096)
def naming(name: str) -> Naming:
    """Say what a name says of its value. `max_tokens` and `compass` say nothing, `token_source` hints."""
    best = Naming.nothing
    for found in _SURE.finditer(name):
        if _is_part(name, found.start(), found.end()):
            best = max(best, Naming.sure if _QUIET_TAIL.match(name, found.end()) else Naming.hint)
    if best is Naming.nothing and any(_is_part(name, f.start(), f.end()) for f in _HINT.finditer(name)):
        return Naming.hint
    return best


def _is_part(name: str, start: int, end: int) -> bool:
    """Say whether a word is a part of a name by itself, or ends a name that is written in one: `dbpassword`."""
    before, word, after = name[start - 1 : start] if start else "", name[start:end], name[end : end + 1]
    ends = not after.isalpha() or (after in "sS" and not name[end + 1 : end + 2].isalpha())
    ends = ends or (word[-1].islower() and after.isupper())
    begins = not before.isalpha() or (word[0].isupper() and before.islower())
    return ends and (begins or len(word) >= 5)


def may_name(low: str) -> bool:
    """Say, fast, of a text in small letters whether `naming` may find something in a name in it; False is sure."""
    return any(word in low for word in _STEMS)


def redact_named(text: str) -> str:
    """Take out the value of everything whose name says that it is secret; the name stays."""
    low = text.lower()
    if "cookie" in low:
        text = _without(text, ((m.start("value"), m.end("value")) for m in _COOKIES.finditer(text)))
    if "bearer" in low or "basic " in low:
        text = _without(text, _after_schemes(text), "token")
    if may_name(low):
        text = _without_values(text)
    if "literal" in low or "secret" in low or "kv put" in low:
        text = _without(text, _picked(_LITERAL, text, ("value", "v2")))
    if "|" in text and ("echo " in text or "printf " in text):
        text = _without(text, _picked(_PIPED, text, ("v1", "v2", "v3")))
    if " -" in text or " pass" in text:
        for word, option, pattern in _PROGRAMS:
            if word in text and option in text:
                text = _without(text, _picked(pattern, text, ("value",)))
    return text


def _without_values(text: str) -> str:
    if "=" in text or ":" in text:
        text = _without(text, _assigned(text))
    if "-" in text:
        text = _without(text, _options(text))
    if any(word in text for word in ("set", "export ", "env add", "ENV ", "ARG ")):
        text = _without(text, _settings(text))
    if "value" in text:
        text = _without(text, _listed(text))
    if " is" in text or " was" in text:
        text = _without(text, _told(text))
    return text


def redact_named_value(name: str, value: str) -> str:
    """Return the value of a field of that name, redacted when the name says that it is secret."""
    says = naming(name) if value and len(name) <= 200 else Naming.nothing
    return MARK.format("secret") if says and _is_secret(value, says, written=True, quoted=True) else value


def _without(text: str, spans: Iterator[Span], kind: str = "secret") -> str:
    parts, last = [], 0
    for start, end in spans:
        if start >= last:
            parts += [text[last:start], MARK.format(kind)]
            last = end
    return "".join(parts) + text[last:] if parts else text


def _after_schemes(text: str) -> Iterator[Span]:
    for match in _SCHEME.finditer(text):
        value = match["value"]
        if any(c.isdigit() for c in value) or value.endswith("=") or _is_mixed_case(value):
            yield match.span("value")


def _is_mixed_case(value: str) -> bool:
    return len(re.findall(r"[a-z][A-Z]", value)) * 6 >= len(value)


def _assigned(text: str) -> Iterator[Span]:
    last = 0
    for match in _NAME.finditer(text):
        says = naming(match["name"]) if match.start() >= last else Naming.nothing
        value = _VALUE.match(text, match.end()) if says is not Naming.nothing else None
        if value is None:
            continue
        # `password: hunter2` is how people talk as well; `PASSWORD=...` and `"password": "..."` is how programs write.
        talk = match["sep"].strip() == ":" and not match["close"] and not value["quote"]
        quoted = bool(value["quote"])
        if _is_in_program(match, value, quoted=quoted):
            continue
        if _is_secret(value["value"], says, written=not talk, quoted=quoted):
            last = value.end("value")
            yield value.span("value")


def _is_in_program(match: re.Match[str], value: re.Match[str], *, quoted: bool) -> bool:
    """Say whether a value is a call or a variable, or stands behind what was a closing quote."""
    if quoted:
        return value["value"][0].isspace()
    after = match.string[value.end() : value.end() + 1]
    is_shell = match["sep"] == "=" and match["name"].isupper()
    called = after in ("(", "[") and not is_shell
    return called or (match["sep"] == " = " and _VARIABLE.match(value["value"]) is not None)


def _options(text: str) -> Iterator[Span]:
    for match in _OPTION.finditer(text):
        before = text[match.start() - 1 : match.start()] if match.start() else " "
        if before.isalnum() or before in "-_" or naming(match["name"]) is not Naming.sure:
            continue
        yield from _argument(text, match)


def _settings(text: str) -> Iterator[Span]:
    for match in _SET.finditer(text):
        if naming(match["name"]) is Naming.sure:
            yield from _argument(text, match)


def _listed(text: str) -> Iterator[Span]:
    """`name: DB_PASSWORD`, then `value: ...`, as in the environment of a container."""
    for match in _LISTED.finditer(text):
        if naming(match["name"]) is Naming.sure and not _is_plain(match["value"]):
            yield match.span("value")


def _told(text: str) -> Iterator[Span]:
    """`the password is hunter2`: of words alone nobody knows whether they are one."""
    for match in _TOLD.finditer(text):
        value = match["value"].rstrip(".,;:!?")
        mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
        if mixed and not (_is_plain(value) or _MEASURE.match(value) or _is_hash(value)):
            yield match.start("value"), match.start("value") + len(value)


def _is_hash(value: str) -> bool:
    return _HASH.match(value) is not None or re.match(r"v?\d+\.\d", value) is not None


def _argument(text: str, match: re.Match[str]) -> Iterator[Span]:
    """Give the span of the word (or of what stands in quotes) after an option, unless it is harmless."""
    pattern = _QUOTED[match["quote"]] if match["quote"] else _ARGUMENT
    value = pattern.match(text, match.end())
    if value is not None and not _is_plain(value.group()):
        yield value.span()


def _picked(pattern: re.Pattern[str], text: str, groups: tuple[str, ...]) -> Iterator[Span]:
    for match in pattern.finditer(text):
        for group in groups:
            if match[group] is not None and not _PLACEHOLDER.match(match[group]):
                yield match.span(group)


def _is_plain(value: str) -> bool:
    if _PLACEHOLDER.match(value) or _PATH.match(value):
        return True
    return all(word in _HARMLESS for word in re.split(r"[-_]", value.lower().rstrip(".,;:!?")))


def _is_secret(value: str, says: Naming, *, written: bool, quoted: bool) -> bool:
    """Say whether a value is one. written: as programs write (`name=value`), not as people talk (`name: value`)."""
    if says is Naming.hint and (len(value) > _LONGEST_HINTED or _DIGIT.search(value) is None):
        return False
    plain = value.strip().rstrip(".,;:!?)")
    if len(plain) < 4 or _is_plain(plain) or MARK[:9] in value or (not quoted and _is_code(plain)):
        return False
    if says is Naming.hint:
        return _is_random_enough(plain)
    if _MEASURE.match(plain) and not (written and len(plain) >= 6):
        return False
    if " " in plain:
        return written and (any(c.isdigit() for c in plain) or _is_passphrase(plain))
    return written or _WORD.match(plain) is None


def _is_code(value: str) -> bool:
    """`config.token`, `getToken(`, `authToken`: what stands for a value in a program."""
    mixed = any(c.isdigit() for c in value) and any(c.isupper() for c in value)
    return _CODE.match(value) is not None and not mixed


def _is_passphrase(value: str) -> bool:
    """Several plain words that make no sentence."""
    words = value.split()
    return len(words) >= 3 and all(word.isalpha() and word.islower() and word not in _HARMLESS for word in words)


_HASH = re.compile(r"sha\d{1,3}[-:]|(?:0x)?[0-9a-f-]{16,}$")
_ALTERNATING = re.compile(r"[0-9][A-Za-z]+.*[0-9]|[A-Za-z][0-9]+[A-Za-z]")
_HEX = re.compile(r"[0-9a-f]+$")


def _is_random_enough(value: str) -> bool:
    """For names that only hint: long, with digits among letters, and neither a word, a version nor a hash.

    32 hexadecimal digits are taken for a key: that is how many of them are made.
    """
    if len(value) < 16 or (_HASH.match(value) and len(value) != 32):
        return False
    pieces = [value] if len(value) == 32 and _HEX.match(value) else re.split(r"[-_./:+=~]", value)
    return any(map(_is_random_piece, pieces)) or looks_random(value, fewest=16)


def _is_random_piece(piece: str) -> bool:
    if len(piece) < 12 or (len(piece) != 32 and _HEX.match(piece)):
        return False
    return _ALTERNATING.search(piece) is not None
