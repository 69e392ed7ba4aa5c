"""Guesses a message's language, only to say that an encoder may not know it: by script, then by common words."""

from __future__ import annotations

LOOK_AT = 400
"""Characters and words that are looked at."""
OTHER_SCRIPT_SHARE = 0.3
"""From this share of the letters on, another script names the message (code and names in Latin letters often stand
beside)."""

# First code point of each range and what it is called; a range ends where the next begins. "" is Latin or not a letter.
_RANGES: tuple[tuple[int, str], ...] = (
    (0x370, "greek"),
    (0x400, "cyrillic"),
    (0x530, "armenian"),
    (0x590, "hebrew"),
    (0x600, "arabic"),
    (0x780, "other"),
    (0x900, "devanagari"),
    (0x980, "indic"),
    (0xE00, "thai"),
    (0xE80, "other"),
    (0x10A0, "georgian"),
    (0x1100, "hangul"),
    (0x1200, "other"),
    (0x1D00, ""),
    (0x2E80, "cjk"),
    (0xA000, "other"),
    (0xAC00, "hangul"),
    (0xD7B0, ""),
    (0xF900, "cjk"),
    (0xFB00, ""),
    (0xFB50, "arabic"),
    (0xFE00, ""),
    (0x20000, "cjk"),
)

# Frequent words that no other language of the table, and no English sentence, is likely to contain.
_COMMON = {
    "de": "ich du wir nicht und ist das der den dem ein eine einen einem mit für auf bitte kannst könntest wie "
    "was mein meine meinen "
    "mir mich dich uns auch noch nach zum zur bei aus wenn dann oder aber führe mach mache zeige erstelle "
    "schreibe prüfe über",
    "fr": "je tu nous vous ils elle le les des une est pas ne dans avec sur ce cette mon ma mes ton votre moi "
    "puis peux pouvez peut "
    "quel quelle comment pourquoi où qui que lance fais faire montre écris crée vérifie plaît puis merci aux du et",
    "es": "yo tú el los las una unos es en con por para pero mi mis tu su puedes puede podrías quiero cómo cuál "
    "qué dónde está "
    "favor haz muestra escribe ejecuta crea revisa gracias y del al lo esto hacer",
    "pt": "eu você nós o os as um uma é não em com por para meu minha meus seu pode poderia quero como qual onde "
    "está isso faça "
    "mostre escreva execute crie verifique obrigado obrigada e da do dos das ao fazer",
    "it": "io il gli lo una è non di con per ma mio mia miei tuo puoi può potresti voglio come quale dove questo "
    "questa fai "
    "mostra scrivi esegui crea controlla grazie che della del dei nel sono fare",
    "nl": "ik jij je wij het een niet en van met voor op maar mijn jouw kun kan wil hoe wat welke waar deze dit "
    "alsjeblieft maak "
    "toon schrijf voer naar ook nog bij uit als dan zijn",
}
_ENGLISH_WORDS = (
    "the a an i you we they he she it is are was were be to of in on at for with from my your our this that "
    "these those and or but not do does did can could will would should have has had me us please what how why "
    "when where who which if as by so just"
)
_ENGLISH = frozenset(_ENGLISH_WORDS.split())


def _languages_by_word() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for language, words in _COMMON.items():
        for word in dict.fromkeys(words.split()):
            found[word] = (*found.get(word, ()), language)
    return found


_BY_WORD = _languages_by_word()


def guess_language(text: str, words: tuple[str, ...]) -> str | None:
    """A script, one of `de fr es pt it nl`, or None for English or too little to go by."""
    if not text.isascii():
        script = _script(text[:LOOK_AT])
        if script:
            return script
    return _latin(words[:LOOK_AT])


def _script(text: str) -> str:
    letters = 0
    seen: dict[str, int] = {}
    for character in text:
        if not character.isalpha():
            continue
        letters += 1
        if character > "\u036f":
            name = _range_name(ord(character))
            seen[name] = seen.get(name, 0) + 1
    seen.pop("", None)
    if not seen:
        return ""
    name = max(seen, key=lambda script: seen[script])
    return name if seen[name] >= OTHER_SCRIPT_SHARE * letters else ""


def _range_name(point: int) -> str:
    name = ""
    for first, script in _RANGES:
        if point < first:
            break
        name = script
    return name


def _latin(words: tuple[str, ...]) -> str | None:
    """The language with the most common words: two at least, and more than English has."""
    distinct = set(words)
    known = distinct & _BY_WORD.keys()
    if len(known) < 2:
        return None
    scores: dict[str, float] = {}
    for word in known:
        # A word that several languages share says less about each.
        for language in _BY_WORD[word]:
            scores[language] = scores.get(language, 0.0) + 1.0 / len(_BY_WORD[word])
    best = max(scores, key=lambda language: scores[language])
    english = len(distinct & _ENGLISH)
    return best if scores[best] >= 1.5 and scores[best] > english else None
