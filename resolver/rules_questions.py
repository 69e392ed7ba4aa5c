"""Questions about a skill, about what work did, or who did it when; not questions that stand for a request.

"How do I deploy?" and "why was my transfer declined?" ask for help. "Why did the release skill run yesterday?" and
"what does publishing do?" ask for an answer, and nothing should be run. Certainties are graded by how little else the
words could mean.
"""

from __future__ import annotations

from collections.abc import Callable

from wellworn.resolver.rules_words import (
    ACTIONS,
    ARTEFACTS,
    CLEAR_PASTS,
    GERUNDS,
    META,
    PASTS,
    PROBLEMS,
    TIMES,
    WEAK_META,
    words_of,
)

Words = tuple[str, ...]

_DID = words_of("did does do is was has have were are had")
_PAST_DID = words_of("did was were has have had")
_OWN = words_of("my i'm i've me mine")
_RAN = words_of(
    "run ran running fire fired trigger triggered start started execute executed activate activated load loaded "
    "match matched "
    "choose chose chosen pick picked invoke invoked resolve resolved used use skip skipped kick suggested "
    "suggest work worked "
    "works do done called fail failed apply applied stop stopped"
)
_ANYONE = words_of("you we they he she anyone someone somebody anybody everyone it i")
_WHO = words_of(
    "approved owns wrote maintains started triggered reviewed signed broke added created owned accepted changed "
    "installed "
    "disabled enabled requested authorised authorized ran"
)
_LAST = words_of("last latest previous past recent next first")
_OURS = words_of("the this that our all")
_STATES = words_of(
    "done out live finished complete completed merged published deployed released tagged shipped pushed installed"
)
_GONE = _STATES | _RAN | words_of("go gone went finish pass passed succeed")
_DONE_TO_SOFTWARE = CLEAR_PASTS - {"shipped", "reverted", "submitted", "stopped"}
_TRAILING = words_of("exactly here for actually again yesterday today now")
_KEPT = words_of("docs documentation documented defined configured live stored lives kept source")
_CONTRACTED = {
    "what's": ("what", "is"),
    "who's": ("who", "is"),
    "where's": ("where", "is"),
    "when's": ("when", "is"),
    "how's": ("how", "is"),
}
_EMPHASIS = words_of("exactly actually really honestly even earth hell heck")
_FITTING = words_of("time safe ok okay fine wise early late smart sensible alright")
_EVER = words_of("ever usually always normally still")
_MINE = words_of("should am did didn't")
_OF_ME = words_of("did happens would if")
_MADE = words_of("triggered caused made started invoked activated fired launched")
_WONDER = (
    ("do", "you", "know"),
    ("any", "idea"),
    ("i", "wonder"),
    ("i'm", "wondering"),
    ("i", "was", "wondering"),
    ("curious",),
    ("can", "you", "tell", "me"),
    ("could", "you", "tell", "me"),
    ("tell", "me"),
    ("can", "you", "explain"),
    ("could", "you", "explain"),
    ("explain", "to", "me"),
    ("remind", "me"),
    ("i", "want", "to", "know"),
    ("i'd", "like", "to", "know"),
    ("question",),
    ("just", "curious"),
)
_WONDER_HEADS = frozenset(opening[0] for opening in _WONDER)


def question_about(words: Words) -> float:
    """The certainty, 0..1, that a clause (without its leading fillers) asks about work or about a skill; 0 for "no"."""
    words = tuple(word for word in _without_wondering(words) if word not in _EMPHASIS)
    if len(words) < 3 or words[0] not in _QUESTIONS or "should" in words[1:]:
        return 0.0
    if not META & set(words) and (
        _OWN & set(words) or ("i" in words and not (words[0] in _MINE or words[1] in _OF_ME))
    ):
        return 0.0
    return _QUESTIONS[words[0]](words, set(words))


def _without_wondering(words: Words) -> Words:
    """ "do you know why ...", "tell me what ...", with "what's" taken apart."""
    for opening in _WONDER if words and words[0] in _WONDER_HEADS else ():
        rest = words[len(opening) :]
        if words[: len(opening)] == opening and rest and (rest[0] in _QUESTIONS or rest[0] in _CONTRACTED):
            words = rest
            break
    return (*_CONTRACTED[words[0]], *words[1:]) if words and words[0] in _CONTRACTED else words


def _of_skill(present: set[str]) -> bool:
    """Speaks of a saved skill, by that word, or by a weaker one beside a word of development."""
    return bool(META & present) or bool(WEAK_META & present and present & (ACTIONS | (ARTEFACTS - WEAK_META)))


def _of_work(words: Words) -> bool:
    return any(word in ARTEFACTS or word in GERUNDS or word in PASTS or word in ACTIONS for word in words)


def _acted(words: Words) -> bool:
    return any(word in ACTIONS or word in PASTS for word in words)


def _why(words: Words, present: set[str]) -> float:
    if words[1] in _OURS and META & present and _RAN & present:
        return 0.8  # "do you know why the release skill ran?"
    if words[1] == "on":  # what "why on earth" leaves
        words = words[:1] + words[2:]
    if words[2:3] and words[2] in ("you", "they", "we") and _does_now(words):
        return 0.6
    if len(words) < 3 or words[1] not in _DID or "not" in words[2:4]:
        return 0.0
    if _of_skill(present) and _RAN & present:
        return 0.9
    return 0.8 if words[1] in _PAST_DID and _acted(words[2:]) and PROBLEMS.isdisjoint(present) else 0.0


def _does_now(words: Words) -> bool:
    """ "(why) are you pushing", "(why) would you merge that"."""
    going = words[1] in ("are", "were") and words[3:4] != () and words[3] in GERUNDS
    return going or (words[1] == "would" and words[3:4] != () and words[3] in ACTIONS)


def _what(words: Words, present: set[str]) -> float:
    told = words
    while len(told) > 3 and (told[-1] in _TRAILING or (told[-1] in TIMES and told[-2] in ("last", "this"))):
        told = told[:-1] if told[-1] in _TRAILING else told[:-2]
    if told[-1] == "do" and (words[1] in ("does", "did", "do") or META & present):
        return _what_it_does(told, present)
    if META & present:
        explained = told[-1] in ("does", "do", "means") and len(told) <= 10
        named = words[1] in ("is", "was") and len(words) <= 8 and (told[-1] in META or words[-1] in ("for", "about"))
        if explained or named or _skill_does(words):
            return 0.7
    return _what_happened(words, told, present) if PROBLEMS.isdisjoint(present) else 0.0


def _what_happened(words: Words, told: Words, present: set[str]) -> float:
    """ "what happens if I publish?", "what triggered the deploy?", "what went into the last release?"."""
    if words[1] in _MADE and (META | ARTEFACTS) & present:
        return 0.8
    if words[1] in ("did", "have", "has") and words[2] in _ANYONE and (told[-1] in ACTIONS or told[-1] in CLEAR_PASTS):
        return 0.5
    if words[1] == "if" and words[2] in _ANYONE:
        return 0.5 if _acted(words[3:4]) else 0.0
    if words[1] in ("is", "are") and words[2:4] in (("the", "difference"), ("the", "differences")):
        return 0.5 if _of_work(words[4:]) else 0.0
    if words[1] in ("happens", "happened") or "happen" in present:
        acted = any(words[i] in _ANYONE and _acted(words[i + 1 : i + 2]) for i in range(2, len(words) - 1))
        return 0.6 if acted or (ARTEFACTS | META) & present else 0.0
    inside = {"in", "into", "part"} & present and _LAST & present and ARTEFACTS & present
    return 0.6 if words[1] in ("was", "is", "went", "were") and inside else 0.0


def _skill_does(words: Words) -> bool:
    """ "what commands does the release skill run?", but not "what skill does the job?"."""
    asked = next((i for i in range(1, min(5, len(words))) if words[i] in ("does", "did")), 0)
    return asked > 0 and META.isdisjoint(words[:asked])


def _what_it_does(told: Words, present: set[str]) -> float:
    if not 3 < len(told) <= 10 or told[-2] == "to" or (told[2] in ("you", "we", "i") and not _of_work(told[3:])):
        return 0.0
    return 0.85 if _of_skill(present) or _of_work(told[2:]) else 0.5


def _when(words: Words, present: set[str]) -> float:
    if words[1] in ("did", "was", "were", "will", "has") and _of_work(words):
        return 0.75
    known = ARTEFACTS & present and (_LAST | _RAN) & present
    return 0.6 if words[1] in ("is", "does", "do") and known else 0.0


def _who(words: Words, present: set[str]) -> float:
    if words[2] == "you":
        return 0.7 if words[1] in ("told", "asked") and _acted(words[3:]) else 0.0
    if words[1] in CLEAR_PASTS:
        return 0.8
    known = _of_work(words[2:]) or _of_skill(present)
    if words[1] in ("is", "was", "has", "did") and known:
        responsible = "responsible" in present or any(
            word in PASTS or word in GERUNDS or word in ACTIONS for word in words
        )
        return 0.7 * responsible
    return 0.8 if words[1] in _WHO and known else 0.0


def _where(words: Words, present: set[str]) -> float:
    return 0.6 if _KEPT & present and _of_skill(present) else 0.0


def _how(words: Words, present: set[str]) -> float:
    if words[1] == "come":  # "how come the release skill ran?"
        known = (_of_skill(present) and _RAN & present) or any(word in CLEAR_PASTS for word in words)
        return 0.8 if known and PROBLEMS.isdisjoint(present) else 0.0
    if words[1] == "did" and META & present and _RAN & present:
        return 0.7  # "how did the release skill get triggered?"
    if words[1] in ("does", "do", "did", "the") and META & present and words[-1] in ("work", "works", "run", "runs"):
        return 0.7
    if words[1] in ("did", "was", "were") and ARTEFACTS & present and PROBLEMS.isdisjoint(present):
        return 0.7 if words[1] != "did" or words[-1] in ("go", "work", "do") else 0.0
    frequent = words[1] in ("long", "often", "many") and _DID & present and (ARTEFACTS | META) & present
    return 0.6 if frequent else 0.0


def _does(words: Words, present: set[str]) -> float:
    return 0.7 if META & present and words[1] == "the" and PROBLEMS.isdisjoint(present) else 0.0


def _is(words: Words, present: set[str]) -> float:
    """ "is the release out yet?"; the state must be the end of the question."""
    if words[1] == "it":
        return _is_it(words)
    if words[1] in ("you", "they", "we") and words[2] in GERUNDS:
        return 0.5  # "are you deploying?"
    if "the" in words[1:4] and "skill" in words[2:5] and "that" in words[3:6]:
        return 0.6  # "is X the skill that tags?"
    known = (words[1] in _OURS or words[1] in ARTEFACTS) and (ARTEFACTS | META) & present and _STATES & present
    return 0.5 if known and words[-1] in _STATES | {"yet", "already"} and PROBLEMS.isdisjoint(present) else 0.0


def _is_it(words: Words) -> float:
    """ "is it time to release?", "is it safe to deploy?"."""
    if words[2] in _DONE_TO_SOFTWARE and not set(words[3:]) - _TRAILING - {"yet", "already"}:
        return 0.5  # "is it deployed?"
    known = len(words) > 4 and words[2] in _FITTING and words[3] == "to" and words[4] in ACTIONS
    return 0.5 if known else 0.0


def _should(words: Words, present: set[str]) -> float:
    """ "should I ship it?" asks for advice."""
    return 0.5 if words[1] in ("i", "we", "you") and words[2] in ACTIONS else 0.0


def _am(words: Words, present: set[str]) -> float:
    """ "am I allowed to push to main?"."""
    return 0.5 if words[1:4] in (("i", "allowed", "to"), ("i", "supposed", "to")) and _acted(words[4:5]) else 0.0


def _do(words: Words, present: set[str]) -> float:
    """ "do we deploy on Fridays?"."""
    place = 2 + (words[2] in _EVER)
    known = words[1] in ("we", "they", "people") and place + 1 < len(words) and words[place] in ACTIONS
    return 0.5 if known and PROBLEMS.isdisjoint(present) else 0.0


def _did_i(words: Words) -> float:
    """ "didn't I tell you not to push?"."""
    return 0.6 if words[2] in ("ask", "tell") and words[3:4] == ("you",) and _acted(words[4:]) else 0.0


def _did(words: Words, present: set[str]) -> float:
    """ "did you push it?", "has the release gone out?"."""
    if words[1] == "i":
        return _did_i(words)
    if PROBLEMS & present:
        return 0.0
    if words[1] in _ANYONE:
        return 0.7 if _acted(words[2:]) else 0.0
    done = (ARTEFACTS | META) & present and _GONE & present
    # A parcel is shipped and a payment reverted as well.
    versioned = any(character.isdigit() for character in words[1])
    return 0.6 if (words[1] in _OURS or versioned) and (done or present & _DONE_TO_SOFTWARE) else 0.0


def _which(words: Words, present: set[str]) -> float:
    named = words[1] in META | {"recipe", "workflow", "hook"}
    known = named and (
        words[2] in ("ran", "fired", "was", "did", "triggered", "got", "has", "just") or words[2] in CLEAR_PASTS
    )
    return 0.7 if known else 0.0


def _explain(words: Words, present: set[str]) -> float:
    """ "explain what the deploy skill does", "describe the release skill"."""
    short = len(words) <= 10 and META & present
    return 0.6 if short and words[-1] in ("does", "do", "works", "skill", "about", "for") else 0.0


_QUESTIONS: dict[str, Callable[[Words, set[str]], float]] = {
    "why": _why,
    "what": _what,
    "when": _when,
    "who": _who,
    "where": _where,
    "how": _how,
    "which": _which,
    "did": _did,
    "has": _did,
    "have": _did,
    "had": _did,
    "was": _did,
    "were": _did,
    "is": _is,
    "are": _is,
    "does": _does,
    "explain": _explain,
    "describe": _explain,
    "about": _explain,
    "should": _should,
    "am": _am,
    "do": _do,
    "didn't": _did,
}
