"""English stop words and a light stemmer: plurals, -ing, -ed, -ment, -ion and a final e."""

from __future__ import annotations

_STOP_WORDS = """
    a about above after again against ain all also am an and any are aren as at be because been before being below
    between both but by can could couldn d did didn do does doesn doing don down during each few for from further
    get give got had hadn has hasn have haven having he her here hers herself him himself his how i if in into is
    isn it its itself just let like ll m may me might more most must my myself need needs no nor not now of off on
    once one only or other our ours ourselves out over own please re really s same shall she should shouldn so some
    still such t than thanks that the their theirs them themselves then there these they this those through to too
    under until up us use used uses using ve very via want wants was wasn we well were weren what when where whether
    which while who whom why will with within without won would wouldn yes yet you your yours yourself
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

_VOWELS = frozenset("aeiouy")
_ES_AFTER = ("x", "ch", "sh", "ss", "z")
_KEEP_DOUBLE = frozenset("lsz")


def stem(word: str) -> str:
    """Return the stem of a lower-case word; one that is not plain ASCII letters is returned as it is.

    It only has to bring the forms of a word together ("release", "releasing", "released"), not to be a word.
    """
    if len(word) <= 3 or not (word.isascii() and word.isalpha()):
        return word
    word = _without_ending(_without_plural(word))
    if len(word) >= 9 and word.endswith("ment"):
        word = word[:-4]
    elif len(word) >= 7 and word.endswith(("sion", "tion")):
        word = word[:-3]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def _without_plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith("es") and word[:-2].endswith(_ES_AFTER):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _without_ending(word: str) -> str:
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) >= 3 and not _VOWELS.isdisjoint(base):
            return base[:-1] if base[-1] == base[-2] and base[-1] not in _KEEP_DOUBLE else base
    return word
