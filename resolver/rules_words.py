"""The words that the rules know: closed classes of English, and what developers do.

The action words are the only open-class words. They stand for doing something to a repository or a service that one
would not want done by mistake; banking, weather or music words are left out on purpose, so that everyday requests are
not read as talk.
"""

from __future__ import annotations


def words_of(text: str) -> frozenset[str]:
    """The words of a line, as a set."""
    return frozenset(text.split())


_DOUBLED = words_of("tag ship run rerun commit submit drop stop set cut get put scan plan pin split strip debug")
_IRREGULAR = {
    "run": ("ran", "run"),
    "build": ("built",),
    "rebuild": ("rebuilt",),
    "rerun": ("reran", "rerun"),
    "cut": ("cut",),
    "split": ("split",),
    "write": ("wrote", "written"),
    "rewrite": ("rewrote", "rewritten"),
    "send": ("sent",),
    "overwrite": ("overwrote", "overwritten"),
}


def _forms(verb: str) -> tuple[str, tuple[str, ...]]:
    """The -ing form and the past forms of a base verb."""
    if verb in _DOUBLED:
        stem = verb + verb[-1]
    elif verb.endswith("e"):
        stem = verb[:-1]
    else:
        stem = verb
    past = verb[:-1] + "ied" if verb.endswith("y") and verb[-2] not in "aeiou" else stem + "ed"
    return stem + "ing", _IRREGULAR.get(verb, (past,))


ACTIONS = words_of(
    "tag push publish commit deploy redeploy release merge rebase squash lint build rebuild compile ship bump "
    "roll rollback revert run rerun test retest install upgrade migrate format refactor upload submit sign amend "
    "cherry-pick backport force-push restart scan sync split cut execute trigger patch overwrite document"
)
"""Base verbs of work on software: their past and -ing forms mark a statement about work, their negation a
prohibition."""

# Actions that may be left out of a piece of work ("ship it without ...ing"); wider, for the object is next to the verb.
OMITTED = ACTIONS | words_of(
    "use open close create delete remove drop send post email notify announce update change edit touch modify add "
    "write rewrite review approve push start stop download clean wipe reset rename move copy comment reply "
    "message ping mock cache log verify check validate"
)

GERUNDS: dict[str, str] = {_forms(verb)[0]: verb for verb in ACTIONS}
PASTS: dict[str, str] = {past: verb for verb in ACTIONS for past in _forms(verb)[1]}
OMITTED_GERUNDS: dict[str, str] = {_forms(verb)[0]: verb for verb in OMITTED}
CLEAR_PASTS = frozenset(PASTS) - {"run", "rerun", "cut", "split"}
"""Past forms that cannot also be the base form."""

# What work leaves behind and what it is done to; they make a sentence one about development.
ARTEFACTS = words_of(
    "release releases deploy deploys deployment deployments build builds pr prs branch branches commit commits "
    "tests suite ci cd pipeline pipelines tag tags changelog migration migrations hotfix rollout rollback merge "
    "repo repository lint linter staging prod production sprint phase refactor refactoring standup retro "
    "retrospective codebase smoke backport rebase publish publishing npm pypi docker kubernetes k8s cluster "
    "container workflow workflows hook hooks skill skills typecheck e2e"
)
OMITTED_NOUNS = ARTEFACTS | words_of(
    "test docs documentation readme notes version review email announcement notification comments push "
    "version-bump backup mocks coverage type-check formatting linting testing tagging signing screenshots"
)
META = frozenset({"skill", "skills"})
"""Always talk about a saved skill; the weak ones below only together with an action or artefact."""
WEAK_META = words_of(
    "recipe recipes workflow workflows hook hooks playbook runbook routine automation pipeline job script command macro"
)

PROBLEMS = words_of(
    "no lacks fail fails failed failing failure failures broke broken breaks breaking error errors crash crashes "
    "crashed "
    "crashing wrong wrongly issue issues problem problems stuck bug bugs bugged flaky hang hangs hung hanging "
    "slow missing lost stolen declined denied blocked cannot can't won't unable couldn't doesn't didn't isn't "
    "wasn't aren't haven't hasn't nothing unexpected unexpectedly accidentally accident mistake oops "
    "red-alert down leak leaked leaking timeout timed exception regression trouble refuses refused rejected weird "
    "strange"
)
"""A complaint stands for a request, so a statement with one of these is never a mere mention."""

CUES = words_of(
    "please need needs want wants wanna help helps should could can would must let's gotta how todo required "
    "require looking trying try wondering wish hope suggest recommend advise instead now gonna"
)
"""Words of asking; a clause with one is a request."""

SUBJECTS = words_of("i you we they he she it who which that these those there people users")
DETERMINERS = words_of(
    "a an the this that these those my our your their his her its it them everything all any some another each "
    "through onto every both me us him up out to for in on with into off back again via from two three new one more"
)
"""What follows a verb that has an object; after a noun that looks like a verb something else stands."""
BE = words_of("is are was were be been being")
AUXILIARIES = words_of("do does did is are was were has have had can could will would shall should may might must am")
TIMES = words_of(
    "yesterday earlier today already recently previously ago lately tonight tomorrow later soon monday tuesday "
    "wednesday thursday friday saturday sunday morning afternoon evening week month night once finally just"
)
ADVERBS = words_of(
    "already just also finally only recently both all really actually always usually often probably simply "
    "basically even still then now successfully quickly automatically manually ever again last"
)

NEGATED_DO = frozenset({"don't", "never"})

# Negated imperatives that ask for the thing: "don't forget to push".
AFFIRMED = words_of(
    "not want disturb forget hesitate fail miss worry just only simply merely skip omit ignore neglect mind be stop "
    "let know think "
    "leave lose give wait overlook panic get have see understand like care remember believe mean own feel "
    "recognize recognise"
)
CONNECTORS = words_of(
    "and but then so also now first second third next finally lastly afterwards afterward instead however well plus"
)
FILLERS = words_of(
    "please kindly absolutely definitely certainly seriously just ok okay hey hi hello um uh hmm well so "
    "actually basically maybe perhaps alright right yo "
    "yep yes yeah nah nope sure great cool nice thanks thx ty perfect awesome anyway btw hiya dear guys team folks lol "
    "oh ah good sorry simply again"
)
EMPTY_OPENERS = words_of(
    "and but then so also please kindly just ok okay hey hi hello um uh hmm well actually basically maybe perhaps "
    "alright yo thanks thx btw lol oh ah"
)
"""Of the fillers and connectors those that say nothing wherever they stand ("good" does in "good restaurants")."""
GREETINGS = words_of(
    "hi hello hey yo hiya howdy greetings thanks thank thx ty cheers bye goodbye cya morning afternoon evening "
    "night good great cool nice awesome perfect ok okay wonderful excellent lovely welcome sup there you everyone "
    "all team folks so much very a lot again guys mate friend buddy dear see later take care have day weekend one "
    "my appreciated appreciate it for your help the job work well done"
)
GREETING_HEADS = words_of(
    "hi hello hey yo hiya howdy greetings thanks thank thx ty cheers bye goodbye cya sup perfect awesome great "
    "cool nice wonderful excellent lovely"
)

# Nouns as often as verbs: after "and" they begin a request only with a determiner behind them.
_NOUNY = (
    "test build release deploy lint commit merge push review report plan design format check run update change "
    "request document search set start stop email ship log trace comment patch tag answer call book order list "
    "name note mark cost estimate rate sort look watch play benchmark profile debug refactor backup cut deploy "
    "publish mail text summary outline sketch draft map model scan sample track transfer schedule address reply "
    "respond work clear retry query benchmark"
)
_VERBS = (
    "open close create make write fix add remove delete generate send install publish explain show tell give find "
    "get put upload download upgrade rebase squash revert ping notify announce post compile analyze analyse "
    "summarize summarise translate convert describe compare investigate diagnose optimize optimise implement "
    "scaffold clean rename move copy replace apply use migrate bump prepare verify validate ensure confirm "
    "approve reject assign invite turn switch enable disable configure restart reset recommend suggest identify "
    "calculate compute extract parse read resolve rewrite simplify improve polish proofread edit help remind "
    "cancel buy pay submit sync restore roll rerun redo undo split join group rank score evaluate assess audit "
    "inspect monitor watch save store share export import archive execute trigger invoke launch render visualize "
    "visualise take bring keep leave stage stash fetch pull clone fork wrap finish land document cherry-pick "
    "tidy bisect unblock seed prune reformat redeploy retest shrink triage smoke compress resize crop upscale trim "
    "provision bootstrap refresh regenerate rebuild reindex purge archive quarantine mock stub annotate backport "
    "reproduce localize localise harden lint roll"
)
VERBS = words_of(_VERBS) | words_of(_NOUNY)
NOUNY = words_of(_NOUNY)
# Instructions about how, not another thing to do.
DETAILS = words_of(
    "use ensure keep make include save store read help get put name note mark take leave set confirm look"
)

MISSPELLED = {
    "dont": "don't",
    "do'nt": "don't",
    "dnt": "don't",
    "dony": "don't",
    "don;t": "don't",
    "doesnt": "doesn't",
    "didnt": "didn't",
    "cant": "can't",
    "wont": "won't",
    "isnt": "isn't",
    "wasnt": "wasn't",
    "arent": "aren't",
    "havent": "haven't",
    "hasnt": "hasn't",
    "shouldnt": "shouldn't",
    "couldnt": "couldn't",
    "wouldnt": "wouldn't",
    "mustnt": "mustn't",
    "neednt": "needn't",
    "lets": "let's",
    "pls": "please",
    "plz": "please",
    "plse": "please",
    "whats": "what's",
    "whos": "who's",
    "wheres": "where's",
    "hows": "how's",
    "pleas": "please",
    "plase": "please",
    "whitout": "without",
    "witout": "without",
    "wihtout": "without",
    "withot": "without",
    "withut": "without",
    "wtihout": "without",
    "nver": "never",
    "nevr": "never",
    "neevr": "never",
    "insted": "instead",
    "isntead": "instead",
    "excpet": "except",
    "exept": "except",
    "im": "i'm",
    "ive": "i've",
    "wanna": "want",
    "teh": "the",
    "thx": "thanks",
    "tnx": "thanks",
    "ty": "thanks",
    "w/o": "without",
    "&": "and",
    "adn": "and",
    "n't": "not",
    "skil": "skill",
    "skilll": "skill",
    "publsh": "publish",
    "pubish": "publish",
    "publis": "publish",
    "dpeloy": "deploy",
    "delpoy": "deploy",
    "depoly": "deploy",
    "comit": "commit",
    "commmit": "commit",
    "realease": "release",
    "relase": "release",
    "psuh": "push",
    "yesteday": "yesterday",
    "yesterdy": "yesterday",
}
_DECISIVE = words_of(
    "without should please instead except before deploy release publish rather review commit don't never"
)


def _slips() -> dict[str, str]:
    """Two neighbours swapped, or one of the inner letters of a longer word left out."""
    found: dict[str, str] = {}
    for word in _DECISIVE:
        for i in range(len(word) - 1):
            found[word[:i] + word[i + 1] + word[i] + word[i + 2 :]] = word
            if i > 0 and len(word) > 5:
                found[word[:i] + word[i + 1 :]] = word
    return {slip: word for slip, word in found.items() if slip not in _DECISIVE}


MISSPELLED = {**_slips(), **MISSPELLED}
"""Typing mistakes in the words that decide; the text that is encoded keeps what was typed."""
