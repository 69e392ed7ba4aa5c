"""Whether a clause asks for something, asks about something, or merely states it.

Both are told from work on software only, and only when nothing in the clause asks for help: a request that is taken for talk
costs more than talk that is taken for a request, because similarity and the ask band still stand behind this layer.
Every function takes the words of one clause without its leading fillers and gives a certainty in 0..1, 0 for "no".
"""

from __future__ import annotations

from wellworn.resolver.rules_words import (
    ACTIONS,
    ADVERBS,
    ARTEFACTS,
    BE,
    CLEAR_PASTS,
    CUES,
    GERUNDS,
    GREETING_HEADS,
    GREETINGS,
    META,
    PASTS,
    PEOPLE,
    PROBLEMS,
    TIMES,
    VERBS,
    WEAK_META,
    words_of,
)

Words = tuple[str, ...]

_DID = words_of("did does do is was has have were are had")
_OWN = words_of("my i i'm i've me mine")
_RAN = words_of(
    "run ran running fire fired trigger triggered start started execute executed activate activated load loaded "
    "match matched choose chose chosen pick picked invoke invoked resolve resolved used use skip skipped kick "
    "suggested suggest work worked works do done called fail failed apply applied"
)
_ANYONE = words_of("you we they he she anyone someone somebody anybody everyone it")
_WHO = words_of(
    "approved owns wrote maintains started triggered reviewed signed broke added created owned accepted changed "
    "installed disabled enabled requested authorised authorized"
)
_WONDER = (
    ("do", "you", "know"), ("any", "idea"), ("i", "wonder"), ("i'm", "wondering"), ("i", "was", "wondering"), ("just", "curious"), ("curious",),
    ("can", "you", "tell", "me"), ("could", "you", "tell", "me"), ("tell", "me"), ("can", "you", "explain"), ("could", "you", "explain"),
    ("can", "you", "remind", "me"), ("remind", "me"), ("i", "want", "to", "know"), ("i'd", "like", "to", "know"), ("question",),
)  # fmt: skip
_CONTRACTED = {
    "what's": ("what", "is"),
    "who's": ("who", "is"),
    "where's": ("where", "is"),
    "when's": ("when", "is"),
    "how's": ("how", "is"),
    "why's": ("why", "is"),
}
_LAST = words_of("last latest previous past recent next first")
_STATES = words_of(
    "done out live finished complete completed merged published deployed released tagged shipped pushed installed"
)
_WENT = words_of(
    "went finished completed passed succeeded ran worked happened shipped landed took was were had has did got works"
)
_TALK = words_of(
    "talked talking discussed discussing mentioned said spoke decided agreed learned heard chatted chatting "
    "planned planning"
)
_DID_WORK = frozenset("finished completed started did had used went worked paired")
_LATER = words_of("myself ourselves later tomorrow soon tonight monday tuesday wednesday thursday friday")
_ARTICLES = words_of("the our that this last yesterday's today's their")


def greeting(words: Words) -> bool:
    """Small talk with nothing else in it: "hi there", "thanks a lot", "good morning"."""
    if not words or len(words) > 8:
        return False
    opens = words[0] in GREETING_HEADS or words[:2] in (
        ("thank", "you"),
        ("many", "thanks"),
        ("see", "you"),
        ("take", "care"),
    )
    opens = opens or (
        words[0] == "good" and len(words) > 1 and words[1] in ("morning", "afternoon", "evening", "night", "day")
    )
    return opens and all(word in GREETINGS for word in words)


def question_about(words: Words) -> float:
    """Asks about a skill, what work did, or who did it when; not a question that stands for a request."""
    words = _without_wondering(words)
    if len(words) < 3:
        return 0.0
    reader = _QUESTIONS.get(words[0])
    if reader is None or "should" in words or (_OWN & set(words) and not META & set(words)):
        return 0.0
    return reader(words)


def _without_wondering(words: Words) -> Words:
    for opening in _WONDER:
        if (
            words[: len(opening)] == opening
            and words[len(opening) : len(opening) + 1]
            and words[len(opening)] in _QUESTIONS
        ):
            words = words[len(opening) :]
            break
    return (*_CONTRACTED[words[0]], *words[1:]) if words and words[0] in _CONTRACTED else words


def _meta(words: Words) -> bool:
    """Speaks of a saved skill, by that word, or by a weaker one beside a word of development."""
    present = set(words)
    return bool(META & present) or bool(
        WEAK_META & present and (present & ACTIONS or present & (ARTEFACTS - WEAK_META))
    )


def _dev(words: Words) -> bool:
    return any(word in ARTEFACTS or word in GERUNDS or word in CLEAR_PASTS for word in words) or bool(
        ACTIONS.intersection(words)
    )


def _why(words: Words) -> float:
    if words[1] not in _DID or words[2:3] in (("not",),):
        return 0.0
    if _meta(words) and _RAN & set(words):
        return 0.9
    if PROBLEMS & set(words):
        return 0.0
    if words[1] in ("did", "was", "were", "has", "have", "had"):
        acted = any(word in ACTIONS or word in PASTS for word in words[2:])
        return 0.8 if acted else 0.0
    return 0.0


def _what(words: Words) -> float:
    tail = words
    while tail and tail[-1] in ("exactly", "here", "for", "actually", "again", "yesterday", "today", "now"):
        tail = tail[:-1]
    if words[1] in ("does", "did", "would", "do") and tail[-1] == "do" and len(tail) > 3:
        if words[2] in ("you", "we") and len(tail) == 4:
            return 0.0
        return 0.85 if _meta(words) or _dev(words[2:]) else 0.5
    if words[1] in ("happens", "happened", "would") and _dev(words):
        return 0.6 if PROBLEMS.isdisjoint(words) else 0.0
    if words[1] in ("is", "was", "are") and META & set(words) and len(words) <= 8:
        return 0.7 if tail[-1] in META or words[-1] in ("for", "about", "skill") else 0.0
    if (
        words[1] in ("was", "is", "went", "were")
        and _LAST & set(words)
        and ARTEFACTS & set(words)
        and {"in", "into", "part"} & set(words)
    ):
        return 0.6
    return 0.0


def _when(words: Words) -> float:
    if words[1] in ("did", "was", "were", "will", "has") and _dev(words):
        return 0.75
    return (
        0.6
        if words[1] in ("is", "does", "do") and ARTEFACTS & set(words) and (_LAST & set(words) or _RAN & set(words))
        else 0.0
    )


def _who(words: Words) -> float:
    if words[1] in CLEAR_PASTS or words[1] == "ran":
        return 0.8
    dev = _dev(words[2:]) or _meta(words)
    if (
        words[1] in ("is", "was", "has", "did")
        and dev
        and (any(word in PASTS or word in GERUNDS for word in words) or "responsible" in words)
    ):
        return 0.7
    return 0.8 if words[1] in _WHO and dev else 0.0


def _where(words: Words) -> float:
    kept = {
        "docs",
        "documentation",
        "documented",
        "defined",
        "configured",
        "live",
        "stored",
        "lives",
        "kept",
        "source",
    } & set(words)
    return 0.6 if kept and _meta(words) else 0.0


def _how(words: Words) -> float:
    present = set(words)
    if words[1] in ("does", "do", "did") and META & present and words[-1] in ("work", "works", "run"):
        return 0.7
    if (
        words[1] in ("did", "was", "were")
        and ARTEFACTS & present
        and (words[-1] in ("go", "work", "do") or words[1] != "did")
    ):
        return 0.7 if PROBLEMS.isdisjoint(present) else 0.0
    if (
        words[1] in ("long", "often", "many")
        and {"did", "does", "has", "do", "is", "was", "have"} & present
        and _dev(words)
    ):
        return 0.6
    return 0.0


def _yes_no(words: Words) -> float:
    """ "did you push it?", "has the release gone out?", "does the deploy skill tag?"."""
    present = set(words)
    if words[0] == "does":
        return 0.7 if META & present else 0.0
    if PROBLEMS & present:
        return 0.0
    if words[0] in ("is", "are"):
        known = words[1] in ("the", "this", "that", "our") and (ARTEFACTS | META) & present
        return (
            0.5
            if known and words[-1] in _STATES | {"yet", "already", "enabled", "disabled"} and _STATES & present
            else 0.0
        )
    if words[1] in _ANYONE:
        acted = any(word in ACTIONS or word in PASTS for word in words[2:])
        return 0.7 if acted else 0.0
    if words[1] in ("the", "this", "that", "our", "all") and (ARTEFACTS | META) & present:
        return 0.6 if {"go", "gone", "finish", "work", "pass", "passed", "succeed", *_STATES, *_RAN} & present else 0.0
    return 0.0


def _which(words: Words) -> float:
    if (
        words[1] in META | {"recipe", "workflow", "hook"}
        and len(words) > 2
        and words[2] in ("ran", "fired", "was", "did", "triggered", "got", "has", "just")
    ):
        return 0.7
    return 0.0


def _explain(words: Words) -> float:
    """ "explain what the deploy skill does", "tell me about the release skill"."""
    if len(words) > 10 or not META & set(words):
        return 0.0
    if words[-1] in ("does", "do", "works", "skill", "about", "for"):
        return 0.6
    return 0.0


_QUESTIONS = {
    "why": _why, "what": _what, "when": _when, "who": _who, "where": _where, "how": _how, "which": _which,
    "did": _yes_no, "has": _yes_no, "have": _yes_no, "had": _yes_no, "was": _yes_no, "were": _yes_no, "is": _yes_no, "are": _yes_no, "does": _yes_no,
    "explain": _explain, "describe": _explain, "about": _explain,
}  # fmt: skip


def mention(words: Words) -> float:
    """States what was done, or what someone else will do, in work on software; nobody is asked for anything."""
    words = _after_times(words)
    if len(words) < 3 or (CUES | PROBLEMS) & set(words):
        return 0.0
    if words[0] == "fyi":
        return max(0.8 * bool(_dev(words[1:])), mention(words[1:]))
    if words[0] == "for" and words[1] == "your":
        return 0.0
    if words[0] in PEOPLE or words[0] in (
        "i",
        "i've",
        "we've",
        "they've",
        "we're",
        "they're",
        "we'll",
        "i'll",
        "they'll",
        "he's",
        "she's",
    ):
        return _person(words)
    if words[0] in ("thanks", "thank") and "for" in words[:3] and _dev(words):
        return 0.7
    if words[0] in VERBS and words[1] not in BE:
        return 0.0
    return _thing(words)


def _after_times(words: Words) -> Words:
    """Without "yesterday", "last week", "earlier today" and "btw" in front."""
    i = 0
    while i < len(words) - 1 and (
        words[i] in ADVERBS or words[i] in TIMES or words[i] in ("btw", "this") or words[i] == "last"
    ):
        if words[i] == "this" and words[i + 1] not in TIMES:
            break
        if words[i] == "last" and words[i + 1] not in TIMES:
            break
        if words[i] == "just" and words[i + 1] in CLEAR_PASTS:
            break
        i += 1
    return words[i:]


def _person(words: Words) -> float:
    rest = words[1:]
    contracted = "'" in words[0]
    while rest and (rest[0] in ADVERBS or rest[0] in ("have", "had", "has", "been", "be")):
        rest = rest[1:]
    if not rest:
        return 0.0
    own = 0.1 if words[0].startswith("i") else 0.0
    verb = rest[0]
    if verb in CLEAR_PASTS or (
        verb in ("ran", "run", "cut") and (verb == "ran" or contracted or len(rest) < len(words) - 1)
    ):
        return 0.75 - own + 0.1 * bool(TIMES & set(words))
    if verb in _TALK and _dev(rest):
        return 0.7
    if verb in ("were", "was") or words[0] in ("we're", "they're"):
        return _was(rest if verb in ("were", "was") else words)
    if verb in _DID_WORK and _dev(rest[1:]):
        return 0.6
    future = verb in ("will", "going") or words[0].endswith("'ll")
    acts = [word for word in rest if word in ACTIONS]
    return 0.6 if future and acts and _LATER & set(rest) else 0.0


def _was(rest: Words) -> float:
    """ "we were in the red phase", "they were deploying"."""
    if len(rest) < 2:
        return 0.0
    if rest[1] in _TALK and _dev(rest):
        return 0.7
    places = {"in", "at", "on", "still", "between", "almost", "halfway", "mid"}
    if rest[1] in places and _dev(rest):
        return 0.75 if rest[0] in ("were", "was") else 0.0
    return 0.75 if rest[1] in GERUNDS and rest[0] in ("were", "was") else 0.0


def _thing(words: Words) -> float:
    """ "the release went out", "the PR has been merged", "bob pushed the branch", "just merged it"."""
    if words[0] in ("just", "already") and words[1] in CLEAR_PASTS:
        return 0.7
    subject_is_thing = words[0] in _ARTICLES or words[0] in ARTEFACTS
    for i in range(1, min(7, len(words))):
        word = words[i]
        if subject_is_thing and i > 0 and word in _WENT | {"is", "are"}:
            return _thing_did(words, i)
        if word in CLEAR_PASTS and (i == 1 or subject_is_thing):
            named = (
                i == 1 and words[0].isalpha() and not subject_is_thing and _dev(words[2:]) and words[0] not in ADVERBS
            )
            return 0.6 if named or (subject_is_thing and _dev(words[:i])) else 0.0
    return 0.0


def _thing_did(words: Words, i: int) -> float:
    subject, rest = words[:i], words[i + 1 :]
    if not (ARTEFACTS | META) & set(subject) and not GERUNDS.keys() & set(subject):
        return 0.0
    if words[i] in ("is", "are"):
        return 0.5 if rest and (set(rest[:3]) & _STATES) else 0.0
    if words[i] in ("works", "did", "got"):
        return 0.0
    return 0.75 if TIMES & set(words) or META & set(subject) else 0.65
