"""Negation in German, French, Spanish, Portuguese, Italian and Dutch, of what developers do and nothing else.

The commonest forms only: "nicht veröffentlichen", "ne publie pas", "no publiques", "não publique", "non pubblicare",
"niet publiceren", "kein Release heute", "sans pousser". A statement ("ich kann nicht pushen", "no puedo publicar") is
left alone. In doubt nothing is ruled out, as in English.
"""

from __future__ import annotations

from wellworn.resolver.rules_exclusions import CERTAIN, LONGEST_OBJECT, Negated
from wellworn.resolver.rules_tokens import NONE, Tokens
from wellworn.resolver.rules_words import ACTIONS, AUXILIARIES, GERUNDS, PASTS, SUBJECTS, words_of

_BEFORE_VERB = words_of("no nunca não nao jamais non mai nicht niemals nie niet nooit ne pas n'")
_AFTER_VERB = words_of("pas jamais nicht niet nie niemals nooit")
_VERB_LAST = words_of("nicht nie niemals niet nooit")
_NO_THING = words_of(
    "nichts niets kein keine keinen keinerlei geen aucun aucune ningún ningun ninguna nenhum nenhuma nessun nessuna"
)
_WITHOUT = words_of("ohne sans sin sem senza zonder")
_NEGATORS = (_BEFORE_VERB | _AFTER_VERB | _NO_THING | _WITHOUT) - {"no"}
_NO = frozenset({"no"})

_BUT = words_of("aber sondern mais pero mas ma maar")
_AND = words_of("und et y e en dann puis luego depois poi dan")
_FILLERS = words_of(
    "bitte auch noch heute jetzt lieber alsjeblieft s'il te vous plaît plait svp por favor per favore aún aun todavía "
    "todavia ainda ancora encore nog ook und et y e en mais pero mas ma aber maar doch mal surtout please ok hey di"
)
_LINKS = words_of(
    "zu te de me le la lo los se es das den die het de da hacer faire fare fazer noch mehr il un une el a"
)
_STATED = words_of(
    "kann können könnte konnte könnt wird wurde würde hat habe haben ist sind ich er sie es peut peux peuvent puedo "
    "puede pude posso pode può kan kon kunnen wordt werd ik j'ai je ha he ho warum wieso pourquoi porque perché waarom"
)
"""A clause with one of these tells of a trouble or a fact."""

_STEMS = words_of(
    "publi pubblic publizier veröffentlich publice deploy déploy déploi deploi despl implant implement ausroll "
    "ausliefer uitroll push pusch pouss empuj sub enviar envi pus merg merge mescl fusion unir zusammenführ "
    "samenvoeg commit komit tag tagg etiquet étiquet releas lanz lanç rilasc release livr ship rebas squash install "
    "desinstal instal lösch borr elimin supprim apag cancell verwijder ausführ starte uitvoer voer ejecut execut "
    "exécut esegu haga faça fare faire hagas fais faites faz doe"
)
_STEMS_BY_HEAD = {head: tuple(s for s in _STEMS if s[:2] == head) for head in {stem[:2] for stem in _STEMS}}
_ENDINGS = words_of(
    "e en n et st t es a as an ar er ir o er ons ez ent é re ues ue uen uer uem quen que ques quem ga gas gan gues "
    "gue guen gar eer eert eren i amo ate iamo are ere ire emos amos r ren ieren iere iert ier s y ie ies oie oies "
    "ten car cando quemos oyer oyez oyons ieguen iegues iegue ga go ce ces cen cia iar ie iez ier iquen ique iques "
    "iar icare icate ica hi"
)
_ENGLISH = ACTIONS | GERUNDS.keys() | PASTS.keys() | AUXILIARIES | SUBJECTS


def may_negate(tokens: Tokens) -> bool:
    """Whether one of the words negates in one of the languages ("no" is read in Spanish only before its verbs)."""
    return not _NEGATORS.isdisjoint(tokens.words) or (
        "no" in tokens.words and any(_foreign_verb(after) for after in _after_no(tokens))
    )


def _after_no(tokens: Tokens) -> list[str]:
    words = tokens.words
    return [words[i + 1] for i in range(len(words) - 1) if words[i] == "no"]


def foreign_starts(tokens: Tokens) -> frozenset[int]:
    """Where a clause begins in these languages: after each pause, at "aber", at "und" before a verb, at "sans"."""
    words = tokens.words
    starts: set[int] = set()
    for i in range(1, len(words)):
        if words[i] in _BUT or (words[i] in _WITHOUT and _verb_near(words, i + 1, len(words)) >= 0):
            starts.add(i)
            continue
        joined = words[i] in _AND and i + 1 < len(words) and (_acts(words[i + 1]) or words[i + 1] in _BEFORE_VERB)
        opens = words[i] in _FILLERS or words[i] in _BEFORE_VERB or words[i] in _NO_THING or _acts(words[i])
        if joined or (opens and tokens.pauses[i - 1] != NONE):
            starts.add(i)
    return frozenset(starts)


def foreign_negation(tokens: Tokens, first: int, last: int) -> Negated | None:
    """The prohibition that a clause is in one of the languages, or None."""
    words = tokens.words
    if last - 1 in tokens.asked or not _STATED.isdisjoint(words[first:last]):
        return None
    begin = first
    while begin < last and words[begin] in _FILLERS:
        begin += 1
    span = _negated_span(words, begin, last)
    if span is None:
        return None
    start, end = span
    end = min(end, start + LONGEST_OBJECT)
    while end - 1 > start and words[end - 1] in _FILLERS:
        end -= 1
    return Negated(first, last, ((start, end),), CERTAIN)


def _negated_span(words: tuple[str, ...], begin: int, last: int) -> tuple[int, int] | None:
    if begin >= last:
        return None
    head = words[begin]
    if head in _WITHOUT or head in _NO_THING:
        place = _verb_near(words, begin + 1, last)
    elif head in _BEFORE_VERB:
        place = begin + 1
        while place < last and words[place] in _BEFORE_VERB:
            place += 1
        known = place < last and (_foreign_verb(words[place]) if head == "no" else _acts(words[place]))
        if not known:
            place = begin + 1 if head in _VERB_LAST and _acts(words[last - 1]) else -1
    elif head.startswith("n'") and _acts(head[2:]) and not _AFTER_VERB.isdisjoint(words[begin:last]):
        place = begin
    else:
        return _negated_after(words, begin, last)
    return (place, last) if place >= 0 else None


def _negated_after(words: tuple[str, ...], begin: int, last: int) -> tuple[int, int] | None:
    """ "deploy het niet", "publie pas le paquet", "das Paket nicht veröffentlichen"."""
    for i in range(begin + 1, last):
        if words[i] in _AFTER_VERB:
            if _acts(words[begin]):
                return (begin, i) if i + 1 >= last or words[i + 1] in _FILLERS else (begin, last)
            return (i + 1, last) if i + 1 < last and _acts(words[i + 1]) else None
    return None


def _verb_near(words: tuple[str, ...], i: int, last: int) -> int:
    """The place of what is done to software at `i` or behind a few small words; -1 when there is none."""
    for place in range(i, min(i + 3, last)):
        if _acts(words[place]):
            return i + (words[i] in ("zu", "te", "de"))
        if words[place] not in _LINKS:
            break
    return -1


def _acts(word: str) -> bool:
    return word in ACTIONS or _foreign_verb(word)


def _foreign_verb(word: str) -> bool:
    """A form of one of the verbs that is no English word."""
    if word in _ENGLISH:
        return False
    for stem in _STEMS_BY_HEAD.get(word[:2], ()):
        if word.startswith(stem) and (word[len(stem) :] in _ENDINGS or word == stem):
            return True
    return False
