"""Libraries of real skills with siblings that only the context tells apart, and ambiguous messages about them; seeded.

A family is two or three real skills whose names share a word (the topic) but come from anywhere. Each gets what tells
it apart, by the family's kind of fact:

    branch, PR, CI, outcome, paths   a trigger of its own ("once a build has gone red"); the fact is stated otherwise
    goal, work                       nothing: the goal, or what was asked a moment ago, is a request that its file held
    branch name                      nothing: the branch is called like it
    session                          nothing: it was used in this session
    when                             predicates; those of the others do not hold where its own do

Messages: `vague` ("carry on"), `topical` ("help me with terraform"), and `clear`, a request that its file held, which
context is not needed for and must not spoil. Requests that serve as messages or facts are cut out of what is indexed.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import context_phrases as words
from benchmarks.accuracy_sets import slug
from benchmarks.context_phrases import Wire, half
from benchmarks.fit_data import without_quote
from benchmarks.fit_library import distinct_ids, make_skill
from wellworn.models.skill import Skill

MADE = ("goal", "work", "branch name", "session", "when")
KINDS = (*words.STATED, *MADE)
STYLES = ("vague", "topical", "clear")
CONDITIONS = ("none", "right", "wrong", "irrelevant", "noisy")
SIBLINGS = 3
BODY_CHARS = 1_200
"""Of each body; the whole of thousands would take longer to encode than everything else that is measured."""
TRACES = 20
_RECENT = 5
_MESSAGES = {"vague": 1, "topical": 2, "clear": 1}
_REQUEST = re.compile(r"^[ \t]*(?:[-*>]|\d+\.)[ \t]*`?[\"“]([^\"“”\n]{12,200})[\"”].*$", re.MULTILINE)
_QUOTED = re.compile(r"[\"“]([^\"“”\n]{10,160})[\"”]")
_PLACEHOLDER = re.compile(r"\[[^\]]{2,}\]|[{}<>]|https?:|…|\.\.\.")


@dataclass(frozen=True, slots=True)
class Wild:
    """A SKILL.md; `requests` are cut out of description and body."""

    id: str
    description: str
    body: str
    requests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stated:
    """A context as an agent states it. used: id of a skill that this session used."""

    facts: Wire = field(default_factory=dict)
    used: str | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One message under every condition. right: the only context with which the skill can be told from siblings."""

    kind: str
    style: str
    message: str
    skill: str
    contexts: Mapping[str, Stated]


@dataclass(frozen=True, slots=True)
class WhenCase:
    """A skill called by its name where its predicates hold, where they do not, and where nothing is stated."""

    message: str
    skill: str
    contexts: Mapping[str, Stated]


@dataclass(frozen=True, slots=True)
class ContextLibrary:
    """size: number of skills."""

    size: int
    skills: Sequence[Skill]
    cases: Sequence[Case]
    whens: Sequence[WhenCase]


def read_wild(data: Path) -> list[Wild]:
    """Read the SKILL.md files, the first of each id."""
    with gzip.open(data / "skills" / "skills-md.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    found: dict[str, Wild] = {}
    for row in rows:
        skill_id = slug(row["name"])[:64].strip("-")
        if skill_id and row["description"]:
            found.setdefault(skill_id, wild(skill_id, row["description"], row["body"]))
    return list(found.values())


def wild(skill_id: str, description: str, body: str) -> Wild:
    """Return a skill with the requests that its text quotes taken out of it."""
    quoted = [*_QUOTED.findall(description), *_REQUEST.findall(body)]
    requests = [q.strip() for q in dict.fromkeys(quoted) if len(q.split()) >= 3 and not _PLACEHOLDER.search(q)]
    for request in requests:
        description, body = without_quote(description, request), body.replace(request, "")
    return Wild(skill_id, description, _REQUEST.sub("", body)[:BODY_CHARS], tuple(requests))


def topics(pool: Sequence[Wild]) -> dict[str, list[Wild]]:
    """Return word -> skills whose id has it, for words that 2 to 40 skills share, without the skills named only so."""
    found: dict[str, list[Wild]] = defaultdict(list)
    for one in pool:
        for word in dict.fromkeys(one.id.split("-")):
            if len(word) > 3 and word != one.id:
                found[word].append(one)
    return {word: skills for word, skills in sorted(found.items()) if 2 <= len(skills) <= 40}


def make_library(
    pool: Sequence[Wild], size: int, families: int, seed: int, *, paraphrases: str = "reported", first_kind: int = 0
) -> ContextLibrary:
    """Return a library of `size` skills with at most `families` families, their kinds in turn from `first_kind` on."""
    chance = random.Random(f"context {seed} {size} {first_kind}")
    waiting = list(topics(pool).items())
    chance.shuffle(waiting)
    taken: set[str] = set()
    made, named = list[_Family](), set[str]()
    for number in range(families):
        kind = KINDS[(first_kind + number) % len(KINDS)]
        found = _siblings(waiting, taken, named, kind, chance)
        if found is not None and len(taken) + len(found[1]) <= size:
            topic, members = found
            taken |= {one.id for one in members}
            named.add(topic)
            made.append(_family(kind, topic, members, paraphrases, chance))
    rest = [one for one in pool if one.id not in taken and not named & set(one.id.split("-"))]
    filled = chance.sample(rest, min(len(rest), size - len(taken)))
    others = [make_skill(one.id, {"description": one.description}, "" if n % 4 else one.body)
              for n, one in enumerate(filled)]  # fmt: skip
    skills = distinct_ids([*(skill for family in made for skill in family.skills), *others])
    cases = [case for family in made for case in _cases(family, others, paraphrases, chance)]
    whens = [case for family in made if family.kind == "when" for case in _when_cases(family)]
    return ContextLibrary(len(skills), skills, cases, whens)


def _siblings(
    waiting: Sequence[tuple[str, Sequence[Wild]]], taken: set[str], named: set[str], kind: str, chance: random.Random
) -> tuple[str, list[Wild]] | None:
    """Return a topic that was not used and two or three skills of it; goal and work want those with requests."""
    for topic, skills in waiting:
        if topic in named:
            continue
        free = [one for one in skills if one.id not in taken and not named & set(one.id.split("-"))]
        fit = [one for one in free if one.requests] if kind in ("goal", "work") else free
        if len(fit) >= 2:
            return topic, chance.sample(fit, min(SIBLINGS, len(fit)))
    return None


@dataclass(frozen=True, slots=True)
class _Family:
    """facts: of each member, several ways to state what tells it apart."""

    kind: str
    topic: str
    members: Sequence[Wild]
    skills: Sequence[Skill]
    facts: Sequence[Sequence[Stated]]


def _family(kind: str, topic: str, members: Sequence[Wild], paraphrases: str, chance: random.Random) -> _Family:
    fields: list[dict[str, object]] = [{"description": one.description} for one in members]
    facts: list[list[Stated]] = []
    if kind in words.STATED:
        values = chance.sample(list(words.STATED[kind]), len(members))
        for one, value in zip(fields, values, strict=True):
            one["triggers"] = half(value.triggers, paraphrases)
            facts.append([Stated(fact) for fact in half(value.facts, paraphrases)])
    elif kind == "when":
        predicates = chance.sample(list(chance.choice(words.WHEN)), len(members))
        for one, (when, holding) in zip(fields, predicates, strict=True):
            one["when"] = dict(when)
            facts.append([Stated(fact) for fact in holding])
    else:
        facts = [_made_facts(kind, one, chance) for one in members]
    skills = [make_skill(one.id, own, one.body) for one, own in zip(members, fields, strict=True)]
    return _Family(kind, topic, members, skills, facts)


def _made_facts(kind: str, one: Wild, chance: random.Random) -> list[Stated]:
    if kind == "goal":
        return [Stated({"activeGoal": text}) for text in one.requests]
    if kind == "work":
        return [Stated({"recentTraces": [{"kind": "user_intent", "summary": text}]}) for text in one.requests]
    if kind == "branch name":
        return [Stated({"branch": chance.choice(words.BRANCH_NAMES).format(name=one.id)})]
    return [Stated(used=one.id)]


def _cases(family: _Family, others: Sequence[Skill], paraphrases: str, chance: random.Random) -> Iterator[Case]:
    for place, one in enumerate(family.members):
        for style in STYLES:
            for message in _messages(style, family, one, chance):
                facts = [fact for fact in family.facts[place] if message not in _texts(fact)]
                if not facts:
                    continue
                right = chance.choice(facts)
                siblings = [fact for at, many in enumerate(family.facts) if at != place for fact in many]
                wrong = chance.choice([fact for fact in siblings if fact != right])
                neutral = neutral_facts(chance, used=chance.choice(others).id if others else None)
                contexts = dict(zip(CONDITIONS, (Stated(), right, wrong, neutral, noisy(right, chance)), strict=True))
                yield Case(family.kind, style, message, one.id, contexts)


def _messages(style: str, family: _Family, one: Wild, chance: random.Random) -> list[str]:
    count = _MESSAGES[style]
    if style == "vague":
        return chance.sample(words.VAGUE, count)
    if style == "topical":
        return [template.format(topic=family.topic) for template in chance.sample(words.TOPICAL, count)]
    return chance.sample(one.requests, min(count, len(one.requests)))


def _texts(stated: Stated) -> set[str]:
    traces = stated.facts.get("recentTraces") or ()
    return {stated.facts.get("activeGoal", ""), *(trace["summary"] for trace in traces)}


def neutral_facts(chance: random.Random, *, used: str | None = None) -> Stated:
    """Return facts that tell no skill from another: names of nothing, files that no trigger is about, idle traces."""
    return Stated(
        {
            "branch": chance.choice(words.NEUTRAL_BRANCHES),
            "openPr": {"title": chance.choice(words.NEUTRAL_PRS)},
            "activeGoal": chance.choice(words.NEUTRAL_GOALS),
            "changedPaths": chance.sample(words.NEUTRAL_PATHS, 2),
            "recentTraces": [_neutral_trace(chance) for _ in range(_RECENT)],
        },
        used=used,
    )


def noisy(right: Stated, chance: random.Random) -> Stated:
    """Return the right facts among neutral ones and 20 traces, of which a right one is among the last five.

    Before a right outcome of tests stands the opposite one: it was so, and is no more.
    """
    traces = [_neutral_trace(chance) for _ in range(TRACES)]
    told = right.facts.get("recentTraces")
    if told:
        place = TRACES - 1 - chance.randrange(_RECENT)
        traces[place] = dict(told[0])
        if told[0]["kind"] == "test_result":
            before = {"kind": "test_result", "summary": "the same tests", "success": not told[0]["success"]}
            traces[max(place - 1, 0)] = before
    facts: dict[str, Any] = {**neutral_facts(chance).facts, **right.facts, "recentTraces": traces}
    return Stated(facts, right.used)


def _neutral_trace(chance: random.Random) -> dict[str, Any]:
    kind, summary = chance.choice(words.NEUTRAL_TRACES)
    return {"kind": kind, "summary": summary}


def _when_cases(family: _Family) -> Iterator[WhenCase]:
    for place, one in enumerate(family.members):
        elsewhere = family.facts[(place + 1) % len(family.members)]
        for holding in family.facts[place]:
            for failing in elsewhere:
                contexts = {"holds": holding, "fails": failing, "unknown": Stated()}
                yield WhenCase(one.id.replace("-", " "), one.id, contexts)
