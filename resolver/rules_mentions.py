"""Statements about work on software, and small talk: nobody is asked for anything.

Conservative on purpose: a clause with a word of asking or of trouble is never a mere statement, and neither is one
that does not speak of development ("I lost my card" asks for help). Certainties are graded by how plainly the past is
told.
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
    PROBLEMS,
    TIMES,
    VERBS,
    words_of,
)

Words = tuple[str, ...]

_PERSONS = words_of(
    "we they he she someone somebody you i i've we've they've he's she's we're they're we'll i'll they'll i'm"
)
_HAVE = words_of("have had has been")
_OWN = words_of("my me mine")
_ARTICLES = words_of("the our that this last yesterday's today's their all both my")
_WENT = words_of(
    "went finished completed passed succeeded ran worked happened shipped landed took was were had has got"
)
_STATES = words_of(
    "done over out live finished complete completed merged published deployed released tagged shipped pushed installed"
)
_TALK = words_of(
    "talked talking discussed discussing mentioned said spoke decided agreed learned heard chatted chatting "
    "planned planning"
)
_DID_WORK = words_of("finished completed started did had used went worked paired got")
_PLACES = words_of("in at on still between almost halfway mid through")
_LATER = words_of("myself ourselves later tomorrow soon tonight monday tuesday wednesday thursday friday")
_TOLD = (("fyi",), ("for", "your", "information"), ("heads", "up"), ("you", "know"))
_IT_SEEMS = (
    ("looks", "like"),
    ("seems", "like"),
    ("it", "seems"),
    ("i", "think"),
    ("i", "believe"),
    ("i", "guess"),
    ("apparently",),
    ("turns", "out"),
    ("it", "turns", "out"),
)
_SETTINGS = words_of("in during after before while at on since as when")
_ITS = words_of("it this that everything")
_DONE = CLEAR_PASTS - words_of("shipped reverted submitted stopped scanned signed")
_WHAT_WAS_DONE = words_of("it this that them everything and to")
_LEADING_ON = words_of("and so to then ahead now")
_NOBODY = words_of("nobody nothing none it that this something")
_WITH_TOOL = words_of("used using ran tried")
_AMBIGUOUS_PASTS = words_of("run cut split rerun")


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
    day = words[0] == "good" and len(words) > 1 and words[1] in ("morning", "afternoon", "evening", "night", "day")
    return (opens or day) and all(word in GREETINGS for word in words)


def mention(words: Words) -> float:
    """The certainty, 0..1, that a clause merely states something about work; 0 for "no"."""
    told = next((opening for opening in _TOLD if words[: len(opening)] == opening), ())
    given = words[len(told) : -2 if words[-2:] == ("right", "now") else None]
    words = _after_setting(_after_times(given))
    present = set(words)
    if words and words[0] in CLEAR_PASTS and len(words) <= 4 and not (CUES | PROBLEMS) & present:
        return _done_bare(words)
    if len(given) < 3 or len(words) < 2 or (CUES | PROBLEMS) & present or _asks_inside(words):
        return 0.0
    if words[0] in _PERSONS and not told:
        return _person(words, present)
    if told or (words[0] in ("thanks", "thank") and "for" in words[:3]):
        return 0.75 if _of_work(words) and words[0] not in VERBS else 0.0
    orders = words[0] in VERBS and words[1] not in BE and words[1] not in _WENT
    return 0.0 if orders else _thing(words, present)


def _done_bare(words: Words) -> float:
    """ "pushed.", "merged it, thanks", "tagged and released"."""
    if len(words) == 1:
        return 0.5 if words[0] in _DONE else 0.0
    return 0.65 if words[1] in _WHAT_WAS_DONE else 0.0


def _asks_inside(words: Words) -> bool:
    """ "CI passed so go ahead and merge", "we are ready to ship": an order hangs on the statement."""
    return any(
        words[i] in _LEADING_ON
        and (words[i + 1] in VERBS or words[i + 1] in ACTIONS)
        and not (words[i] == "to" and words[i - 1] in ("going", "about"))
        for i in range(len(words) - 1)
    )


def _after_setting(words: Words) -> Words:
    """Without "in the sprint review", "while" and "it looks like" in front of who did what."""
    for opening in _IT_SEEMS:
        if words[: len(opening)] == opening:
            return words[len(opening) :]
    if words[:1] and words[0] in _SETTINGS:
        for i in range(1, min(8, len(words))):
            if words[i] in _PERSONS and _of_work(words[1:i]) | (i == 1):
                return words[i:]
    return words


def _of_work(words: Words) -> bool:
    return any(word in ARTEFACTS or word in GERUNDS or word in CLEAR_PASTS or word in ACTIONS for word in words)


def _after_times(words: Words) -> Words:
    """Without "yesterday", "last week" and "earlier today" in front."""
    i = 0
    while i < len(words) - 1:
        timed = words[i] in ("this", "last") and words[i + 1] in TIMES
        plain = words[i] in ADVERBS | TIMES and words[i] != "last" and words[i + 1] not in CLEAR_PASTS
        if not (timed or plain):
            break
        i += 1
    return words[i:]


def _person(words: Words, present: set[str]) -> float:
    """ "I pushed the branch", "they have merged it", "we were in the red phase", "I'll deploy it myself"."""
    i = 1
    while i + 1 < len(words) and (words[i] in ADVERBS or _auxiliary(words, i)):
        i += 1
    rest = words[i:]
    if not rest or rest[:2] == ("ran", "out") or (_OWN & set(rest) and not (ARTEFACTS | META) & present):
        return 0.0
    perfect = bool(_HAVE & set(words[1:i])) or words[0].endswith("'ve")
    if (
        (rest[0] in CLEAR_PASTS and rest[0] != "ran")
        or (rest[0] == "ran" and _of_work(rest[1:]))
        or (perfect and rest[0] in _AMBIGUOUS_PASTS)
    ):
        return 0.75 - 0.1 * words[0].startswith("i") + 0.1 * bool(TIMES & present)
    return _was(rest) if rest[0] in ("were", "was") else _did_or_will(words, rest, present)


def _did_or_will(words: Words, rest: Words, present: set[str]) -> float:
    """ "we are done with the release", "we had a retro about it", "I'll deploy it myself"."""
    if rest[0] in _WITH_TOOL and any("-" in word for word in rest[1:4]):
        return 0.65  # "I used release-local yesterday", "I've been using pr-review-loop"
    if rest[0] == "are" and _STATES & set(rest[1:3]) and _of_work(rest[1:]):
        return 0.5
    if rest[0] == "have" and META & set(rest[1:]):
        return 0.6
    if ((words[0] == "they're" or "been" in words[1:4]) and rest[0] in GERUNDS) or (
        rest[0] in _TALK | _DID_WORK and _of_work(rest[1:])
    ):
        return 0.65
    future = rest[0] in ("will", "going") or words[0].endswith("'ll")
    return 0.6 if future and _LATER & present and any(word in ACTIONS for word in rest) else 0.0


def _auxiliary(words: Words, i: int) -> bool:
    """ "have merged", "had already been", but not "had a retro"."""
    return words[i] in _HAVE and (
        words[i + 1] in PASTS
        or words[i + 1] in GERUNDS
        or words[i + 1] in ADVERBS
        or words[i + 1] in _WITH_TOOL
        or words[i + 1] in _HAVE | _DID_WORK | BE
    )


def _was(rest: Words) -> float:
    """ "were in the red phase", "were deploying", "were talking about the release"."""
    if len(rest) < 2:
        return 0.0
    if rest[1] == "about":
        return 0.6 if rest[3:4] and rest[3] in ACTIONS else 0.0
    placed = rest[1] in _PLACES | _TALK and _of_work(rest[2:])
    return 0.75 if placed or rest[1] in GERUNDS else 0.0


def _thing(words: Words, present: set[str]) -> float:
    """ "the release went out", "the PR has been merged", "bob pushed the branch", "just merged it"."""
    if words[0] in ADVERBS and words[1] in CLEAR_PASTS:
        return 0.7
    if words[0] in _ITS and words[1] in ("was", "got", "has", "is") and _DONE & set(words[2:5]):
        return 0.65
    thing = words[0] in _ARTICLES or words[0] in ARTEFACTS
    if not thing:
        if words[1] == "is" and words[2:3] and words[2] in GERUNDS and words[0] not in _NOBODY and not _OWN & present:
            return 0.6  # "bob is deploying"
        somebody = words[0].isalpha() and words[1] in CLEAR_PASTS and words[0] not in ADVERBS
        return 0.6 if somebody and _of_work(words[2:]) else 0.0
    for i in range(1, min(8, len(words))):
        if words[i] in _WENT or words[i] in ("is", "are") or words[i] in CLEAR_PASTS:
            return _thing_did(words, present, i)
    return 0.0


def _thing_did(words: Words, present: set[str], i: int) -> float:
    subject = set(words[:i])
    after = set(words[i + 1 : i + 4])
    if words[i] == "has" and not after & (_DONE | _WENT | _STATES | {"gone", "run"}):
        return 0.0  # "the pipeline has a problem", "has been red"
    if words[i] in ("was", "were", "has", "got") and after & _DONE:
        return 0.65
    if not (ARTEFACTS | META | GERUNDS.keys() | ACTIONS) & subject:
        # "the team shipped it last night", "my colleague merged the branch"
        return 0.6 if words[i] in CLEAR_PASTS and (TIMES & present or _of_work(words[i + 1 :])) else 0.0
    if words[i] in ("is", "are"):
        return 0.5 if _STATES & set(words[i + 1 : i + 4]) else 0.0
    if words[i] in CLEAR_PASTS and words[i] in PASTS and words[i] not in _WENT:
        return 0.65
    return 0.75 if TIMES & present or META & subject else 0.65
