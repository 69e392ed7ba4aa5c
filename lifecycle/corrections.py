"""Whether a person's message corrects what was just done: fixed words of several languages, no model. All pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST = 1500
_LOOKED_AT = 320
_LINES = 15
_MARKS = str.maketrans({"’": "'", "‘": "'", "´": "'", "`": "", "“": '"', "”": '"', "—": ",", "–": ","})


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{part})" for part in parts))


_OPENING = re.compile(
    r"(?:(?:ok(?:ay)?|k|e?h+m+|um+|uh+|oh|ah|well|hey|hi|sorry|wait|hold on|claude|argh+|ugh+|man|(?:my"
    r" )?dude|bro|please"
    r"|pls|plz|yes|yeah|yep|sure|but|and|so|look|listen|come on|seriously|omg|omfg|ffs|sigh|nice|great|good|thanks"
    r"|thank you|cool|damn|wtf|fuck|fucking hell|bitte|also|ja|aber|por favor|s'il te plaît)\b[\s,.!:;-]*)+"
)
_FINE = (
    r"(?:all |quite |just |very |really )*"
    r"(?:fine|ok(?:ay)?|good|correct|right|perfect|great|nice|it|all|enough|cool|awesome)"
)
_HARMLESS = _any(
    rf"no(?:pe)?[,.!]? (?:problem|worries|rush|hurry|thanks|thank you|thx|idea|doubt|issues?|(?:that|this"
    rf"|it)(?:'?s| is) {_FINE})",
    r"no(?:pe)?[,.!]? (?:need to|changes? (?:needed|required|necessary)|(?:please )?(?:go ahead|continue"
    r"|carry on|all good)\b)",
    r"no(?:pe)?[,.!]? (?:i'?m (?:good|fine|done|happy)|one\b|matter|big deal|wonder|more questions|further"
    r"|comment|offen[cs]e)",
    r"no(?:pe)?[,.!]? (?:longer|way to|gracias|obrigad|merci|danke|errors?\b.{0,20}$|tests? (?:fail|yet|are|found))",
    r"not a (?:big|huge|problem|fan|blocker|priority)",
    r"not (?:a |too |so |that |half )?(?:bad|sure|yet|now|really|too|necessarily|at all|urgent|important|only"
    r"|much|many)\b",
    rf"(?:that|this|it)(?:'?s| is| was) (?:not (?:a )?(?:bad|necessary|urgent|important)|{_FINE}\b(?! for))",
    r"never ?mind|nothing\b|none\b|do not (?:worry|know)\b|don'?t (?:worry|bother|know|think|see|understand"
    r"|have|care)\b",
    r"don'?t (?:mind|get (?:it|me)|remember|you)\b|remind me\b",
    r"you (?:were|are|'re) (?:absolutely |quite |so )?(?:right|correct|great|awesome|welcome)|you should be able",
    r"i said (?:yes|ok|that'?s fine|hello|hi|thank)|no it (?:works|is)\b|do not \w+ \w+ is\b",
)
_QUESTION = re.compile(
    r"(?!(?:can|could|would|will) you (?:please )?(?:not|stop)\b)"
    r"(?:how|can|could|do|does|did|is|are|was|should|shall|what|what's|which|where|when|who|would|will|may|have|has|any"
    r"|isn'?t|aren'?t|why (?:does|is|do we|isn't|doesn't|can't|was|the))\b[^?\n]*\?"
)
_VERB = (
    r"(?:use|run|call|prefer|take|put|pick|choose|go with|stick (?:to|with)|write|import|install|try|make"
    r"|name|set|read"
    r"|open|edit|change|keep|push|commit|deploy|target|point|do|start|switch to|work|add|check|leave|move|rename|look"
    r"|test|build|format|lint|squash|rebase|merge|pull|fetch|bump|tag|update|ask|tell|show|create|delete|remove|reply"
    r"|answer|explain|follow|include|quote|pin|wrap|return|log|review|verify|validate|sign|generate"
    r"|regenerate|restart)"
)
_TAKE = (
    r"(?:use|run|prefer|take|pick|choose|go with|stick (?:to|with)|try|call (?:it|this|that)|name (?:it|this|that)"
    r"|put (?:it|this|that|them)|make (?:it|this|that)|set (?:it|this)|install|import|target|open|edit|deploy"
    r"|push|commit"
    r"|switch to|point (?:it|this)|do|start|work on|check out|checkout|read|look at|write (?:it|this|them))"
)
_NO = _any(
    r"(?:no+|nope|nah|wrong|incorrect|not quite)[,.!:;-]+\s*(?=\S)",
    r"(?:nope|nah) \S|(?:no+[, ]+){2,}\S",
    r"(?:no+ )+(?:don'?t|not|that|this|it|i|you|we|the|thats|its|other|in|on|with|to|a)\b",
    rf"(?:no+ )+{_VERB}\b",
    r"no(?: \w+){0,2} \w+s\b(?! (?:are|were|is|left|found|needed|required|yet|to|fail|pass|so)\b)",
    r"no more \w+",
)
_WRONG = _any(
    r"(?:no no|wrong|incorrect|the opposite|(?:the )?other way a?round|other \w+)[.!]*$",
    r"wrong \w+",
    r"(?:the )?(?:opposite|other way a?round)\b",
    r"not (?:that|this|those|these|the|like that|like this|what|how|in|on|with|from|here|to|into|a|an|my|our"
    r"|every)\b",
    r"not \S+(?: \S+)?[,;:!] \S+",
    r"(?:that|this|it|which)\S?(?:'?s| is| was)? (?:still )?(?:just )?(?:the )?(?:wrong|incorrect|false)\b",
    r"(?:that|this|it)\S?(?:'?s| is| was) (?:still )?not (?:right|it|what|how|the|correct|where|my|our|true"
    r"|needed)\b",
    r"(?:that|this|it) (?:isn'?t|wasn'?t|ain'?t|doesn'?t look|didn'?t) (?:right|it|what|how|the|correct|where"
    r"|true|answer)",
    r"(?:that|this)(?:'?s| is| was) the (?:old|other|staging|production|prod|wrong|generated|legacy"
    r"|deprecated|dev)\b",
    r"that \w+ is (?:for the old|old|wrong|deprecated|outdated|gone|not)\b",
    r"the (?:correct|right|proper) \w+(?: \w+)? (?:is|would be)\b",
    r"(?:the|our|that|it|this|[\w.-]+)[\w' -]{0,40}? is actually\b",
    r"(?:it|that|this|the \w+(?: \w+)?) (?:should|must|needs to|has to|is supposed to) (?:be|have|go|use|live"
    r"|stay)\b.*\bnot\b",
    r"(?:it|that|this) (?:should|must|has to|needs to) (?:be|have|go|use|live|stay)\b(?! (?:good|fine|ok"
    r"|enough|possible))",
    r"must (?:be|not)\b|(?:the|our) \w+(?: \w+)? (?:goes?|belongs?|lives?|is|are) [^.?!\n]{1,40}, not\b",
    r"""(?:it'?s|it is|its|that'?s)(?: called)? [\w./@:"'-]+(?: [\w./@:"'-]+){0,3},? not ["\w]+""",
    r"(?:[^.?!\n]{0,80}\W)?i meant\b",
)
_YOU = _any(
    r"you(?:'re| are| were) (?:(?:now |still |all )*wrong|not supposed|supposed to|missing|misunderst|using"
    r" \S+ again)",
    r"you(?:'re| are|'ve| have)? \w+(?:ing|ed) the wrong\b|why (?:is|are|was) [^?]{1,60}\bagain\b",
    r"[^.?!\n]{1,80}(?:, again|\b(?:missing|wrong|broken|there) again)(?:[.!,]|$)",
    r"you(?:'re| are| did| just)? ?\w*(?:ing|ed)\b[^.?!\n]{0,80}\bagain\b",
    r"you (?:forgot|missed|didn'?t|did not|should(?:n'?t| not)? (?!i\b|be able)|weren'?t|keep|kept|skipped"
    r"|misunderstood|ignored)\b",
    r"you (?:must|broke|removed|deleted|overwrote|fucked|messed|screwed|always forget|never|still (?:have"
    r"|haven|did|use)|hav\w{0,2}'?n?'?t)\b",
    r"you (?:used|ran|did|put|changed|edited|pushed|committed|named|wrote|picked|took|chose|added)"
    r" [^.?!\n]{0,60}(?:again|wrong|should|has to|not|but|instead)\b",
    r"you (?:have|need) to .*\b(?:first|not|instead|before)\b",
    r"(?:as )?i(?:'ve| have)? (?:already |just |clearly |explicitly |literally |never )*(?:said|told (?:you"
    r"|u)|specified)\b",
    r"i (?:(?:already|just|clearly|explicitly) )*asked (?:you )?(?:for|to|not)\b|i wanted (?:the|you|a)\b|i"
    r" was talking about\b",
    r"i mean(?:,| the| not)\b|i'?d (?:rather|prefer)\b|i would (?:rather|prefer)\b|i want \S+(?: \S+)?, not\b",
    r"i (?:did not|didn'?t|don'?t|do not|never) (?:ask|want|say|mean|tell|like)",
    r"again[:,!]|once (?:more|again)[:,]",
    r"how (?:many times|often) (?:do|must|have|did)",
    r"(?:didn'?t|did) i (?:not )?(?:tell|say|ask)",
    r"why (?:did|are|do|would|were|have|on earth)(?: \w+)? you\b",
    r"(?:could|can|would|will) you (?:please )?(?:not|stop) \w+",
)
_RULES = _any(
    rf"(?:rather )?{_TAKE}\b[^.?!\n]{{1,60}}?\b(?:instead\b|rather than\b|over (?!to\b|the\b|there|here))",
    rf"{_TAKE}\b(?: [^\s,.?!]+){{1,4}},? (?:and )?not (?!found|logged|working)\S+",
    rf"{_TAKE}\b[^.?!\n]{{1,60}}, (?:and )?(?:not|never|no) \S+",
    r"(?:you )?(?:can'?t|cannot|mustn'?t|must not|should never|should not) \w+",
    r"""(?!if|when|so|and|but|or|why)[\w./@:"'-]+(?: [\w./@:"'-]+){0,3}, (?:and )?not .{1,40}$""",
    r"[\w./@:-]+ not (?!sure|bad|yet|now|working|found|here|there|really|too|good|in|at|possible"
    r"|allowed)[\w./@:-]+[.!]*$",
    r"(?!replace|rename|turn)[\w./@:-]+(?: [\w./@:-]+)?,? (?:instead of|rather than) [\w./@:-]+[.!]*$",
    r"(?:don'?t|dont|do not|never|quit|avoid) (?:ever |again |just )?\w+",
    r"stop (?:that|this|it|\w+ing)\b",
    rf"always (?:\w+ly )?{_VERB}\b|only {_VERB}\b",
    r"(?:from now on|going forward|in (?:the )?future|next time|every time|from here on)\b",
    r"remember(?: to|,|:| that| we| not)\b",
    r"(?:revert|undo|roll back|restore|drop|put back) (?:that|this|it|those|these|your|what you)\b(?! (?:file"
    r"|commit|\w+ commit))",
    r"(?:you can |can you |please )?(?:undo|revert) (?:that|this|it)\b[.! ]*(?:please)?[.!]*$",
    r"(?:put|change|roll|move|turn|set|switch) (?:it|that|this|them|those) (?:back|to|into)\b",
    r"(?:leave|keep) [^.?!\n]{1,40}\b(?:alone|as (?:it|they|is|was)|untouched|unchanged|the way)\b",
    r"we(?:'re)? (?:only |always |still )?(?:use|using|run|call|deploy|prefer|agreed|decided|settled)\b(?!.*,"
    r" (?:can|could|how|what)\b)",
    r"we(?:'re| are)? (?:don'?t|do not|never|no longer|aren'?t|not) \w+",
    rf"(?:rather|better) {_VERB}\b|scratch that|try again[,:] |without (?:the|any|all)\b|only (?:the|in|on) \w+",
    r"(?:please )?follow (?:the|our) [\w -]{0,30}(?:convention|style|guideline|rules?)",
    r"(?:use|try|take) (?:the )?(?:other|right|correct|proper|actual) \w+",
    rf"(?:{_VERB}|commit|merge) [^.?!\n]{{1,60}}, not (?:after|before|in|on|into|from|to|with|the)\b",
    r"(?:stop|no) \w+ing\b",
)
_GOOD = r"(?!.{0,25}\b(?:good|fine|great|works?|ok|perfect|nice|right)\b)"
_ACTUALLY = _any(
    rf"actually[, ]+(?:no|not|use|don'?t|keep|make it|call it|put|revert|undo|leave|skip|scratch|drop)\b{_GOOD}",
    rf"actually[, ]+(?:let'?s (?:use|keep|go|not)|i (?:meant|want)|we (?:use|don'?t|need|want|should))\b{_GOOD}",
    rf"actually[, ]+(?:it (?:should|is|lives)|it'?s|that'?s (?:not|wrong|the wrong))\b{_GOOD}",
    rf"actually[, ]+(?:the|our) [\w-]+(?: [\w-]+)? (?:is|are|lives?|should|uses?|runs?)\b{_GOOD}",
)
_GERMAN = _any(
    r"(?:nein|nee|nö)[,.!: ]+(?!danke|kein problem|passt|alles|das passt|ist (?:gut|ok))\S",
    r"falsch\b|das (?:ist|war|stimmt) (?:falsch|nicht|so nicht|der falsche|die falsche|das falsche)",
    r"nicht (?!schlecht|nötig|schlimm|sicher|wichtig|ganz sicher)\S+",
    r"(?:ich )?(?:habe|hatte) (?:ich )?(?:doch )?(?:\w+ )?gesagt|ich (?:hab|habe|hatte) (?:doch |dir )*gesagt"
    r"|ich meinte",
    r"(?:benutz|benutze|nimm|verwende|nutze) \S+ (?:statt|anstatt|und nicht|nicht)|hör auf|(?:bitte"
    r" )?nie(?:mals)? \w+",
    r"du hast (?:\w+ )*vergessen|immer (?:zuerst|erst)|(?:bitte )?kein(?:e|en)? \w+ (?:mehr|verwenden|benutzen|hier)",
)
_ROMANCE = _any(
    r"non[,.!: ]+(?!merci|c'est (?:bon|parfait|bien)|pas de probl)\S",
    r"pas (?!de probl|mal|besoin|grave|encore|sûr)\S+",
    r"c'est faux|ce n'est pas|c'est pas|mauvais|mauvaise|j'ai dit|je t'ai dit|je voulais dire",
    r"n(?:e |')\w+(?:-\w+)? (?:pas|jamais|plus)\b|utilise \S+ (?:au lieu|plutôt|pas)|tu as oublié|arrête de"
    r"|toujours \w+er\b",
    r"no[,:.!]+ (?:usa|es|eso|el|la|lo|quiero|quería|ese|esa|así|debes|tienes|hay que|no|ahí|en)\b|eso no\b|así no\b",
    r"no (?:es (?:eso|así|lo que|ese|esa)|uses|hagas|toques|borres|pongas)|(?:ya )?te dije|usa \S+ en"
    r" (?:lugar|vez)|está mal",
    r"incorrecto|(?:te )?olvidaste|nunca \w+|siempre \w+|deja de|não[,:] (?!obrigad|tem problema|faz mal)\S"
    r"|errado|isso não",
    r"não (?:é (?:isso|assim)|use|usa|faça|mexa|toque)|us[ae] \S+ em vez|(?:eu|já) disse|você esqueceu"
    r"|esqueceste|pare de",
)
_EAST = _any(
    r"不对|不是|错了|错误|别(?!担心|急|客气)|不要(?!紧|担心)|我说的是|我说过|应该用|改用|用错|你忘了|永远不要|以后",
    r"不用 ?(?!了|谢|担心|客气)\S+",
    r"違う|違います|ちがう|それは違|いや[、,]|いいえ[、,](?!大丈夫)|そうじゃな|そうではな|間違|使わないで|やめて|しないで",
    r".{0,40}(?:じゃなくて|ではなく|と言った|って言った|使わないで|しないでください|而不是|不是.{1,12}[，,]? ?是)",
)
_FOUND = (_NO, _WRONG, _YOU, _RULES, _ACTUALLY, _GERMAN, _ROMANCE, _EAST)


_LATER = (_WRONG, _YOU, _RULES, _NO)
_WISH = re.compile(r"(?:it|that|this|they|the \w+) (?:should|must|needs? to|has to|have to) (?!.*\bnot\b)")
"""Behind a request this says more of what is asked for."""
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\s*\n\s*")
_SENTENCES = 4
_TALK = 300
"""Characters up to which a message is talk, whose later sentences are looked at too."""
_QUOTED = re.compile(r"```|^\s*>|^\s*[-*+\d]+[.)]? |\t", re.M)


def plainly(text: str) -> str:
    """Return the beginning of a message in lower case, in one line, without "ok, but", "please" and the like."""
    start = " ".join(text[:_LOOKED_AT].translate(_MARKS).lower().split())
    opening = _OPENING.match(start)
    return start[opening.end() :] if opening else start


def is_correction(text: str) -> bool:
    """Say whether a person's message corrects what was just done ("no, use pnpm", "not that one").

    Instructions of the kind "never push to main" and "always run the linter first" count; questions, plain requests
    and long pasted texts do not.
    """
    return correcting_part(text) is not None


def correcting_part(text: str) -> str | None:
    """Return a message from the sentence on that corrects, as `plainly` puts it; None when none does."""
    if len(text) > LONGEST or text.count("\n") > _LINES:
        return None
    if _corrects(said := plainly(text), _FOUND):
        return said
    if len(text) > _TALK or _QUOTED.search(text):
        return None
    sentences = [part for part in _SENTENCE.split(text) if part.strip()][:_SENTENCES]
    for number, sentence in enumerate(sentences[1:], 1):
        later = plainly(sentence)
        if not _WISH.match(later) and _corrects(later, _LATER):
            return plainly(" ".join(sentences[number:]))
    return None


def _corrects(said: str, patterns: Sequence[re.Pattern[str]]) -> bool:
    if not said or _HARMLESS.match(said) or _QUESTION.fullmatch(said):
        return False
    return any(pattern.match(said) for pattern in patterns)
