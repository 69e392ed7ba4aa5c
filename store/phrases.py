"""When a skill wants to be used and when not, from the way its description says so.

Authors write "Use when ...", "Triggers on 'ship it'", "Do not use for ...". The rules here read sentence by sentence: a
cue opens a clause that runs to the end of its sentence; the clause is split at its list separators; quoted phrases are
taken as they stand because they are what a user would say.
"""

from __future__ import annotations

import re

MAX_TRIGGERS = 24
MAX_NEGATIVES = 12
MAX_PHRASE = 200
MIN_PHRASE = 3

_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)]*\s+(?=[^a-z\s])|(?<=[。！？])|\n+|\s+[•·]\s+")
_ABBREVIATION = re.compile(r"\b(e\.g|i\.e|etc|vs|incl|approx|cf)\.(?=\s)", re.IGNORECASE)
_DOT = "\u2024"  # stands for an abbreviation's full stop while sentences are cut
_MAY_HOLD_CUE = re.compile(
    r"us(?:e|ing)\b|trigger|activat|invok|load|apply|applies|\bwhen|not\b|never|avoid|skip|[当用合]", re.I
)
_FILLER = (
    r"(?:\s+(?:this|it|that|the|skill|agent|tool|command|workflow|also|only|ever|automatically|proactively|always))*"
)
_USE = r"(?:used?|activate[sd]?|invoked?|loads?|apply|applies)"
_TRIGGER = r"trigger(?:s|ed)?"
_NEGATIVE_CUE = re.compile(
    rf"""\b(?:do\s+not|don['’]t|not\s+to\s+be|(?:should|must)\s+not\s+be|shouldn['’]t\s+be|never|avoid)
        \s+(?:{_USE}|{_TRIGGER}|using){_FILLER}\s*(?:\s(?:for|when|whenever|if|to|on|with|as|in|by)\b\s*:?|:)
    |(?<!\bor\s)(?<!\bif\s)\b(?:is\s+)?not\s+(?:meant\s+|intended\s+|suitable\s+|appropriate\s+|designed\s+)?
        (?:for|when)\b\s*:?
    |\bskip{_FILLER}\s+(?:when|for|if)\b
    |(?:不要|请勿|不应|不)(?:使用于|适用于|用于|适合)""",
    re.IGNORECASE | re.VERBOSE,
)
_TRIGGER_CUE = re.compile(
    rf"""\b{_USE}{_FILLER}\s+(?:when(?:ever)?|for|if|upon)\b\s*:?
    |\b{_TRIGGER}{_FILLER}\s+(?:when(?:ever)?|for|if|upon|on|by|with)\b\s*:?
    |\b(?:use|activate|invoke|load)(?:\s+this(?:\s+skill)?)?\s+to\b
    |\b(?:triggers?(?:\s+(?:terms|phrases|words|keywords|include))?|common\s+phrases|keywords|when|use\s+cases|when\s+to\s+use)
        \s*[:–—-]\s
    |\bwhen(?:ever)?\s+(?:(?:the|a)\s+)?users?\b
    |当(?=.{{2,80}}[时時])|(?:适用于|用于|使用场景[：:]|适用场景[：:]|触发词[：:])""",
    re.IGNORECASE | re.VERBOSE,
)
_QUOTED = re.compile(
    r"[\"“]([^\"“”]{2,120}?)[\"”]|(?<!\w)['‘]([^'‘’]{2,120}?)['’](?!\w)|[「『]([^「」『』]{1,120})[」』]"
)
_LEAD = re.compile(
    r"""(?:
        (?:and|or|also|when(?:ever)?|if|for|to|on|by|with|about|of|like|such\s+as|including|involving
            |phrases|keywords|requests|mentions?\s+of)\b[\s,:]*
        |(?:the\s+|a\s+)?users?\s+(?:\w+ly\s+)?(?:is|are|asks?|wants?|needs?|says?|mentions?|requests?|has|types|invokes
            |seeks|would\s+like)\b(?:\s+(?:help\s+with|help|assistance\s+with)\b)?\s*:?
        |(?:you|they|claude)\s+(?:need|want|are\s+asked)\s+(?:to|for)\b\s*
        |(?:explicitly\s+)?(?:asked|asks?|wants?|needs?|says?|mentions?|requests?|needing|wanting)\s+(?:to|for|about)\b\s*
        |(?:asks|wants|needs|says|mentions|requests)\b\s*
        |e\.g\.|i\.e\.
        |当?用户(?:需要|想要|要求|提到|说)?
    )\s*""",
    re.IGNORECASE | re.VERBOSE,
)
_ASIDE = re.compile(r"\s*[(（]([^()（）]*)[)）]")
_ELSEWHERE = re.compile(r"(?:use|see|that|those|route|load|prefer|try|→)\b", re.IGNORECASE)
_REDIRECT = re.compile(
    r"\s*(?:[—–;.]|\s-\s|,\s*(?=use\s|prefer\s))\s*(?:instead|use|prefer|see|those|that|for\s+th\w+)\b.*$",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"\s*(?:[,;、，；|]|\s/\s)\s*(?:(?:and/or|or|and)\s+)?")
_OXFORD = re.compile(r"[,;]\s*(?:and/or|or|and)\s")
_REMARK = re.compile(r"\s+[—–-]\s+")
_CHINESE_TAIL = re.compile(r"[时時](?:使用|候)?$")
_EDGE = " \t.,;:!?。，；：—–-\"'“”‘’"


def triggers_and_negatives(description: str) -> tuple[list[str], list[str]]:
    """Return (what a user may say or be doing when it is meant, when it is not), in order, without repeats."""
    triggers: list[str] = []
    negatives: list[str] = []
    for sentence in _sentences(description):
        if not _MAY_HOLD_CUE.search(sentence):
            continue
        positive, negative = _split_negative(sentence)
        negatives += _phrases(negative)
        cue = _TRIGGER_CUE.search(positive)
        if cue:
            triggers += _phrases(positive[cue.end() :])
    return distinct(triggers, MAX_TRIGGERS), distinct(negatives, MAX_NEGATIVES)


def _sentences(text: str) -> list[str]:
    guarded = _ABBREVIATION.sub(lambda found: found.group().replace(".", _DOT), text)
    return [part.replace(_DOT, ".").strip() for part in _SENTENCE_END.split(guarded)]


def _split_negative(sentence: str) -> tuple[str, str]:
    cue = _NEGATIVE_CUE.search(sentence)
    return (sentence, "") if cue is None else (sentence[: cue.start()], sentence[cue.end() :])


def _phrases(clause: str) -> list[str]:
    """Return the quoted phrases of a clause, then what its list names besides them."""
    quoted = [next(part for part in found if part).strip(_EDGE) for found in _QUOTED.findall(clause)]
    rest = _REDIRECT.sub("", _ASIDE.sub(_aside, _QUOTED.sub(" ", clause)))
    items = _SEPARATOR.split(rest)
    if len(items) > 1 and not _OXFORD.search(rest):
        items[-1:] = re.split(r"\s+or\s+", items[-1])
    return [*quoted, *(text for item in items if _says_enough(text := _bare(item)))]


def _aside(found: re.Match[str]) -> str:
    """An aside that points elsewhere ends an item of the list; any other is dropped."""
    return "," if _ELSEWHERE.match(found[1].strip()) else ""


def _bare(item: str) -> str:
    """Strip the words that lead up to what is meant ("the user asks to", "or when") and a remark behind a dash."""
    text = _REMARK.split(item.strip(_EDGE), maxsplit=1)[0]
    while found := _NEGATIVE_CUE.match(text) or _LEAD.match(text):
        text = text[found.end() :].strip(_EDGE)
    return _CHINESE_TAIL.sub("", text)


def _says_enough(text: str) -> bool:
    """A lone common word says too little to be a trigger; two words, a name or another script may."""
    return " " in text or not text.isascii() or text != text.lower()


def distinct(phrases: list[str], limit: int) -> list[str]:
    """Return the first `limit` phrases that differ in more than case, without those too short or too long to help."""
    seen: dict[str, str] = {}
    for phrase in phrases:
        text = " ".join(phrase.split())
        enough = len(text) >= MIN_PHRASE or (len(text) > 1 and not text.isascii())
        if enough and len(text) <= MAX_PHRASE and any(c.isalnum() for c in text):
            seen.setdefault(text.casefold(), text)
    return list(seen.values())[:limit]
