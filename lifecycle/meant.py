"""The rule that a correction means, so that the same one is known when it is said again in other words. All pure.

Three kinds of rule: use A (not B), always do A, never do A; and facts, which say what is where and ask for nothing.
Words that carry no meaning of their own are left out, the others are brought to one form each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from wellworn.lifecycle.corrections import correcting_part, plainly

_WORDS_MAX = 7
_LOOKED_AT = 240
_SHORT = 120
"""In a longer text, what stands somewhere inside is seldom the rule."""
_BEFORE = re.compile(
    r"(?:no+|nope|nah|wrong|incorrect|again|once (?:more|again)|from now on|going forward|in (?:the )?future"
    r"|next time|actually"
    r"|every time|hmm|scratch that|stop|not quite|that'?s (?:wrong|not right|not it)|seriously|i repeat|look"
    r"|remember(?=[,:])"
    r"|how (?:many times|often) (?:do|must|have) i (?:have to )?(?:say|said|told you|tell you)(?: this| it)?"
    r"|(?:as )?i(?:'ve| have)? (?:already |just |clearly |explicitly )*(?:said|told you|asked you"
    r"|mentioned)(?: before| already)?"
    r"|didn'?t i (?:say|tell you)|please|(?:in|for) this (?:project|repo|repository))"
    r"(?:[,.:;!?-]+\s*|\s+(?=(?:use|don'?t|never|always|no)\b)|\s+(?:that|to) )"
)


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PART = r"[^\s,;:!?]*[^\s,;:!?.]"
_THING = rf"{_PART}(?: (?!(?:not|and|but|instead|rather|over|we|use|here|please|so|because)\b){_PART}){{0,3}}"
_USE = (
    r"(?:we(?:'re| are)? (?:only |always |still )?(?:use|using|run)|use|using|prefer|pick|choose|take|try|go"
    r" with|stick (?:to|with)"
    r"|switch to|call|import|install|run|i(?:'d| would)? (?:want|wanted|prefer|rather use|meant|like)"
    r"|(?:it|that|this) (?:should|must|has to) be)"
)
_BE = rf"(?:{_USE}|(?:it|that|this)(?:'?s| is))"
_DONT = (
    r"(?:do not|don'?t|dont|never|stop|avoid|quit|no more|no|(?:you |we )?(?:can'?t|cannot|must not|mustn'?t"
    r"|should not|shouldn'?t"
    r"|should never|must never)|we (?:never|do not|don'?t|no longer)|not)(?: ever| again| just| please)?"
)
_USING = r"(?:use|using|run|running|take|install|installing|call|calling|import|importing|try|want)"
_SWAPS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:{_USE} )?(?:the )?(?P<a>{_THING}),? (?:instead of|rather than|over|in place of) (?:{_USING} )?(?:the"
        rf" )?(?P<b>{_THING})",
        rf"instead of (?:{_USING} )?(?:the )?(?P<b>{_THING}),? (?:please )?(?:{_USE} )?(?:the )?(?P<a>{_THING})",
        rf"(?:{_DONT}|why (?:did|are|do|would) you(?: still| always)?) {_USING} (?:the"
        rf" )?(?P<b>{_THING})[,;:.!?-]* (?:please |but |just )?{_USE} (?:the )?(?P<a>{_THING})",
        rf"no (?P<b>{_THING})[,;:.!-]+ (?:please )?use (?:the )?(?P<a>{_THING})",
        rf"not (?:the )?(?P<b>{_THING})[,;:.!-]+ (?:but |please |just )?(?:{_USE} )?(?:the )?(?P<a>{_THING})",
        rf"replace (?:the )?(?P<b>{_THING}) (?:with|by) (?:the )?(?P<a>{_THING})",
        rf"(?:{_BE} )?(?:the )?(?P<a>{_THING})(?: here| please| instead)*,? (?:and |but )?(?:please )?(?:not|never"
        rf"|{_DONT} {_USING}) (?:{_USING} )?(?:the )?(?P<b>{_THING})",
    )
)
_NEVER = re.compile(
    r"(?:why (?:did|are|do|would) you (?:always |still |keep )?"
    rf"|(?!not (?:that|this|those|these|the)\b){_DONT} )(?P<what>.+)"
)
_PASSIVE = re.compile(r"(?P<what>.+?) (?:must|should|may|can)(?: not|n't| never) be (?P<how>.+)")
_FORGET = re.compile(r"(?:do not|don'?t|dont|never) forget (?:to|the|about)? ?(?P<what>.+)")
_ALWAYS = re.compile(
    r"(?:always|you (?:always )?(?:forgot|forget|skipped|didn'?t|did not)(?: to)?|you(?: really)?"
    r" (?:should|must|need to|have to)(?!n't| not| never)"
    r"(?: always)?(?: have)?|you (?:were|are|'re) supposed to|make sure (?:to|that you|you)(?: always)?"
    r"|remember (?:to|that you)"
    r"|be sure to|to|we always) (?P<what>.+)"
)
_FIRST = re.compile(
    r"(?P<what>.+ (?:first|before .+|after .+|every time|each time|beforehand|prior to .+))$"
    r"|(?P<late>(?:before|after|prior to) .+)"
)
_JUST_USE = re.compile(rf"{_USE} (?:the )?(?P<a>.+)")
_FACT = re.compile(
    r"(?P<who>(?!(?:you|i|we|there|what|why|if|when|use|run|please)\b)[^,.;!?]{2,60}?)(?:'s| is| are| was|"
    r" lives?| sits?| listens?| runs?| stays?| resides?"
    r"| belongs?| comes?| has| have| contains?| points?)(?: actually| really| now| located| stored| kept)*"
    r" (?P<where>(?!not (?:right|it|what|how|the)\b|wrong|right|broken|fine|good)[^.;!?]{1,80})"
)
_PRONOUNS = frozenset({"that", "this", "it", "which", "those", "these"})
_PLACED = re.compile(
    r"(?:in|on|at|under|inside|behind|from|called|named|owned by|its own|the|a|an|not|port|version|now|v?\d"
    r"|[\w-]*[./:_-]\w)"
)
_ASKS = re.compile(
    r"\b(?:use|run|always|never|don'?t|do not|must|should|instead|please|stop|make sure|need to|have to|forgot)\b"
)
_TOKEN = re.compile(r"[\w@./:+#-]*\w\+*|--?\w[\w-]*")
_EMPTY = _set(
    "though s t ve re ll fucking fuckoing damn shit bloody goddamn were the a an and or of to for in on at by with "
    "from into onto your our my his her their its this that these those it is are be was been we you i us me "
    "they them he she please just really here there ever again instead directly straight only also any all "
    "every each time now then so because since always never not don't do does did doing done have has had will "
    "would should could can must may need needs want next first still already ok okay thanks thx pls plz "
    "project repo repository codebase as if when whenever use using used run running runs ran execute "
    "executing executed perform add adding adds added write writing writes put putting include including make "
    "sure you're we're branch prior through via but about back good anymore more code new right correct proper "
    "own let let's get keep side way actually both very too file files later before after creating create "
)
_ALIKE = (
    "lint linter linting", "format formatter fmt formatting", "docs doc documentation", "db database", "prod"
    " production",
    "staging stage", "folder directory dir", "configuration config", "migrate migration", "typescript ts",
    "javascript js", "postgres postgresql", "kubernetes k8s", "dependency deps", "message msg",
    "edit modify change touch update alter", "delete remove erase", "test suite unittest spec", "deploy ship"
    " deployment",
    "hand manually manual yourself",
)  # fmt: skip
_MEANINGLESS = frozenset(("statement", "thing", "command", "tool", "ones"))
_WHOLE = frozenset(("https", "postgres", "kubernetes", "docs", "staging", "redis", "js", "ts", "css", "aws", "gcs"))
_PLACING = frozenset(("liv", "sit", "listen", "stay", "resid", "locat", "stor", "kept", "call", "nam"))
"""Stems of words that say only that something is somewhere."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What a correction asks for. verb: use, always, never or fact; what, rejected: their words in one form each."""

    verb: str
    what: tuple[str, ...]
    rejected: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The rule as text, the same for the same rule: "use pnpm not npm", "never main push"."""
        return " ".join((self.verb, *self.what, *(("not", *self.rejected) if self.rejected else ())))


def correction_rule(text: str) -> str | None:
    """Return the rule that a correction means as a key to group by, or None when it names none ("not that one")."""
    rule = rule_of(text)
    return rule.key if rule else None


def same_rule(one: Rule, other: Rule) -> bool:
    """Say whether two rules may be one: what one leaves unsaid, what is rejected, may be said by the other."""
    if one == other:
        return True
    if one.verb == other.verb == "use":
        return one.what == other.what and not (one.rejected and other.rejected)
    use, never = (one, other) if one.verb == "use" else (other, one)
    return use.verb == "use" and never.verb == "never" and bool(use.rejected) and use.rejected == never.what


@lru_cache(maxsize=2048)
def rule_of(text: str) -> Rule | None:
    """Return the rule that a correction means, or None."""
    said = _bare(text)
    if is_fact(text):
        return _rule("fact", said)
    return _swap(said) or _habit(said) or _just_use(said)


def is_fact(text: str) -> bool:
    """Say whether a correction only states what is so ("the API lives in packages/api") and asks for nothing."""
    said = _bare(text)
    found = _FACT.match(said)
    if found is None or _ASKS.search(said):
        return False
    who = found["who"].strip()
    if who.split()[0] in _PRONOUNS and len(who.split()) == 1:
        return (
            re.search(r"\b(?:called|named|lives?|located|stored)\b|(?:'s| is) (?:in|on|at|under|inside)\b", said)
            is not None
        )
    return _PLACED.match(found["where"]) is not None


def _bare(text: str) -> str:
    """Return what is said without "no,", "I told you to" and other words about saying it."""
    said = (correcting_part(text) or plainly(text))[:_LOOKED_AT]
    while (found := _BEFORE.match(said)) and found.end() < len(said):
        said = plainly(said[found.end() :])
    return said.strip(" .!?,;:")


def _swap(said: str) -> Rule | None:
    if _PASSIVE.match(said):
        return None
    for pattern in _SWAPS:
        found = pattern.match(said) or (pattern.search(said) if len(said) <= _SHORT else None)
        if found:
            what, rejected = _words(found["a"]), _words(found["b"])
            if what and rejected and what != rejected:
                return Rule("use", what, rejected)
    return None


def _habit(said: str) -> Rule | None:
    if passive := _PASSIVE.match(said):
        return _rule("never", f"{passive['what']} {passive['how']}")
    for pattern, verb in ((_FORGET, "always"), (_ALWAYS, "always"), (_NEVER, "never"), (_FIRST, "always")):
        found = pattern.match(said)
        if found:
            rule = _rule(verb, next(text for text in found.groups() if text))
            if rule:
                return rule
    return None


def _just_use(said: str) -> Rule | None:
    found = _JUST_USE.match(said)
    words = _words(re.split(r"[.;:!?](?:\s|$)|, ", found["a"])[0]) if found else ()
    return Rule("use", words) if words else None


def _rule(verb: str, text: str) -> Rule | None:
    words = _words(re.split(r"[.;!?](?:\s|$)|, (?:we|it|that|this|use|because|so|otherwise|ok)\b", text)[0])
    if verb == "fact":
        words = tuple(word for word in words if word not in _PLACING)
    return Rule(verb, tuple(sorted(set(words)))[:_WORDS_MAX]) if words else None


def _words(text: str) -> tuple[str, ...]:
    """Return the words of `text` that mean something, each in one form."""
    kept: list[str] = []
    for token in _TOKEN.findall(text.replace("force-push", "force push")):
        word = token.strip(".:'\"")
        if not word or word in _EMPTY:
            continue
        stem = _stem(word)
        if stem not in _MEANINGLESS:
            kept.append(_FORMS.get(stem, stem))
    return tuple(kept[:_WORDS_MAX])


def _stem(word: str) -> str:
    """Return an English word without its ending; names with digits or marks in them stay as they are."""
    if not word.isalpha() or len(word) < 4 or word in _WHOLE:
        return word
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-3] + "y" if word.endswith("ies") else word[:-1]
        word = word.removesuffix("e") if word.endswith(("she", "che", "sse", "xe")) else word
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2:
            doubled = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "sl"
            word = stem[:-1] if doubled else stem
            break
    return word.removesuffix("e") if len(word) > 3 else word


_FORMS = {_stem(word): group.split()[0] for group in _ALIKE for word in group.split()}
