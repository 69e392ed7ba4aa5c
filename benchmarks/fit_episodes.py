"""Episodes: a library of some kind and size, and messages about it of which some mean nothing in it.

Messages about real skills are what their authors quote, what they give as requests, and what they say a skill is for.

Across episodes: 1 to 30 utterances a skill, description only, description and body, triggers or none, mixes; 8 to 500
skills, of one collection (which compete) or of many; a head or none. One message in seven is misspelt. A fifth means no
skill: requests for skills that were held out (near misses, a third of them for real skills and half for intents), and
messages about other things. For real skills half of the latter share a word with a skill's name or description ("what's
the status of my flight?", beside a skill `status`): in a small library no word is common enough to weigh little by
itself.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.accuracy_sets import with_typos
from benchmarks.fit_data import PROMPTS_MAX, FitData, WildSkill, without_quote
from benchmarks.fit_library import MemoryLibrary, Vectors, distinct_ids, make_skill
from wellworn.index.lexical import words_of
from wellworn.models.skill import Skill
from wellworn.resolver.features import Features

MESSAGES = 300
NEAR_SHARE = {"skills-md": 0.3}
NEAR_USUALLY = 0.5
"""Of the messages that mean no skill. Real collections overlap: a request for a skill that was held out is often
served by another one, so that calling it meaningless is wrong now and then."""
TYPO_SHARE = 0.15
OUTSIDE = 4
"""One message that means nothing to four that mean a skill."""
JOINED_SHARE = 0.5
USES_A_SKILL = 4
FRAMES = ("{}", "{}", "help me with {}", "we are {}", "I need help {}, where do I start?", "Please look into this: {}")
MISTAKABLE_SHARE = 0.5
NONE, MISSED = -1, -2


@dataclass(frozen=True, slots=True)
class Episode:
    """messages: features of the candidates, and which of them is meant (NONE: none; MISSED: one that was not found)."""

    source: str
    style: str
    skills: int
    messages: Sequence[tuple[Features, int]]


Labelled = tuple[str, str | None]
Maker = Callable[[FitData, Vectors, random.Random], Episode]


def plan(*, uses: bool = True) -> list[tuple[str, Maker]]:
    """Return (data source, maker) for every episode, in a fixed order. uses: make messages of those of real skills."""
    sizes = {
        "clinc150": ((1, (20, 100)), (3, (20, 60, 110)), (5, (60, 120)), (10, (20, 80, 120, 145)),
                     (30, (40, 110)), (0, (70,))),
        "banking77": ((1, (15, 50)), (3, (15, 60)), (5, (40, 65)), (10, (15, 45, 58, 70)), (30, (30, 60)), (0, (50,))),
        "tldr": ((1, (30,)), (3, (100, 200)), (5, (100,))),
    }  # fmt: skip
    makers: list[tuple[str, Maker]] = []
    for source, rows in sizes.items():
        for many, libraries in rows:
            for skills in libraries:
                for trained in (True, False):
                    makers.append((source, partial(_intents, source, skills=skills, many=many, trained=trained)))
    for _ in range(3):
        for style in ("d", "db", "db", "eb", "ed", "e", "mix"):
            for one, skills in ((True, 400), (True, 40), (False, 15), (False, 60), (False, 200), (False, 500)):
                makers.append(("skills-md", partial(_skills, style, size=skills, one=one, uses=uses)))
    return makers


def make_episodes(data: FitData, vectors: Vectors, seed: int) -> Iterator[Episode]:
    """Make all episodes of the plan, those about real skills a second time without messages made of their uses.

    Uses make three times as many skills tell something, and are vaguer than what people ask: with them alone
    confidences came out too low, without them the ranking was half a point worse.
    """
    for number, (_, maker) in enumerate(plan()):
        yield maker(data, vectors, random.Random(f"{seed} {number}"))
    for number, (source, maker) in enumerate(plan(uses=False)):
        if source == "skills-md":
            yield maker(data, vectors, random.Random(f"{seed} {number}"))


def _intents(
    source: str, data: FitData, vectors: Vectors, chance: random.Random, *, skills: int, many: int, trained: bool
) -> Episode:
    """many: utterances a skill; 0: a different number for each."""
    labels = [*data.intents[source]]
    chance.shuffle(labels)
    library, asked = [], []
    for label in labels[:skills]:
        texts = chance.sample(data.intents[source][label], len(data.intents[source][label]))
        count = many or chance.choice((1, 2, 3, 5, 8, 12))
        library.append(make_skill(label, {"examples": texts[:count]}))
        left = data.asked[source][label] if source in data.asked else texts[count : count + 40]
        asked += [(text, label) for text in left]
    messages = data.asked.get(source, data.intents[source])
    near = [text for label in labels[skills : skills + 200] for text in messages[label]]
    made = MemoryLibrary(distinct_ids(library), vectors, trained=trained)
    return _episode(source, f"e{many}", made, _sampled(source, asked, near, data, chance))


def _skills(
    style: str,
    data: FitData,
    vectors: Vectors,
    chance: random.Random,
    *,
    size: int,
    one: bool,
    uses: bool,
) -> Episode:
    """style: what each skill has, of d(escription), b(ody), e(xamples). one: all of one collection."""
    large = [repo for repo, skills in data.collections.items() if len(skills) >= 8]
    chosen = [chance.choice(large)] if one else [*data.collections]
    pool = [skill for repo in chosen for skill in data.collections[repo]]
    chance.shuffle(pool)
    held_out = max(1, min(size, len(pool)) // 5)
    library, asked = [], []
    for wild in pool[held_out : held_out + size]:
        own = style if style != "mix" else chance.choice(("d", "db", "db", "eb", "e"))
        skill, messages = _split(wild, own, chance, uses=uses)
        library.append(skill)
        asked += [(message, skill.id) for message in messages]
    near = [text for wild in pool[:held_out] for text in _near(wild, chance, uses=uses)]
    made = MemoryLibrary(distinct_ids(library), vectors)
    labelled = _sampled("skills-md", asked, near, data, chance, library=library)
    return _episode("skills-md", style, made, labelled)


def _near(wild: WildSkill, chance: random.Random, *, uses: bool) -> tuple[str, ...]:
    return (*wild.prompts[:3], *wild.quotes[:1], *(_uses(wild, chance)[:1] if uses else ()))


def _split(wild: WildSkill, style: str, chance: random.Random, *, uses: bool) -> tuple[Skill, list[str]]:
    """Return the skill with only what `style` says, and the messages that are kept back."""
    prompts = chance.sample(wild.prompts, min(PROMPTS_MAX, len(wild.prompts)))
    description, examples = wild.description, list[str]()
    if "e" in style:
        count = chance.choice((1, 2, 4))
        examples, prompts = prompts[:count], prompts[count:]
        examples += wild.quotes[:PROMPTS_MAX] if not prompts else ()
    if len(wild.quotes) >= 3 and chance.random() < 0.5 and "e" not in style:
        kept_back = chance.choice(wild.quotes)
        description = without_quote(description, kept_back)
        prompts.append(kept_back)
    if len(prompts) >= 2 and chance.random() < JOINED_SHARE:  # people say more than one sentence
        prompts[:2] = [f"{prompts[0].rstrip('.!?')}. {prompts[1]}"]
    if uses and ("b" in style or "d" in style):
        prompts += _uses(wild, chance)
    told = "d" in style or "b" in style or not examples
    fields: dict[str, object] = {"description": description} if told else {}
    if examples:
        fields["examples"] = examples
    if chance.random() < 0.5:
        fields |= {"triggers": [], "negatives": []}
    return make_skill(wild.id, fields, wild.body if "b" in style else ""), prompts


def _uses(wild: WildSkill, chance: random.Random) -> list[str]:
    """Return messages about what a skill is for: one use each, or two in a row, as tasks are put."""
    uses = chance.sample(wild.uses, min(USES_A_SKILL, len(wild.uses)))
    messages = list[str]()
    while uses:
        taken = [uses.pop() for _ in range(min(chance.choice((1, 1, 2)), len(uses)))]
        framed = [chance.choice(FRAMES).format(use) if use.split()[0].endswith("ing") else use for use in taken]
        messages.append(". ".join(framed))
    return messages


def _sampled(
    source: str,
    asked: Sequence[Labelled],
    near: Sequence[str],
    data: FitData,
    chance: random.Random,
    *,
    library: Sequence[Skill] = (),
) -> list[Labelled]:
    """library: real skills, whose words some of the meaningless messages shall share."""
    messages: list[Labelled] = chance.sample(asked, min(MESSAGES, len(asked)))
    outside = max(OUTSIDE, len(messages) // OUTSIDE)
    close = chance.sample(near, min(len(near), int(NEAR_SHARE.get(source, NEAR_USUALLY) * outside)))
    left = outside - len(close)
    alike = _mistakable(library, int(MISTAKABLE_SHARE * left), data, chance) if library else []
    others = _about_other_things(source, left - len(alike), data, chance)
    messages += [(text, None) for text in (*close, *alike, *others)]
    return [(with_typos(text, chance) if chance.random() < TYPO_SHARE else text, meant) for text, meant in messages]


def _mistakable(library: Sequence[Skill], n: int, data: FitData, chance: random.Random) -> list[str]:
    """Return everyday messages that share a content word with a skill: its name's first, else its description's."""
    everyday = data.everyday_by_word
    found: list[str] = []
    for skill in (chance.choice(library) for _ in range(4 * n)):
        named = [word for word in words_of(skill.id) if word in everyday]
        told = [word for word in words_of(skill.manifest.description) if word in everyday]
        words = named if named and chance.random() < 0.7 else told
        if words and len(found) < n:
            found.append(chance.choice(everyday[chance.choice(words)]))
    return found


def _episode(source: str, style: str, made: MemoryLibrary, messages: Sequence[Labelled]) -> Episode:
    measured = made.measure([text for text, _ in messages])
    kept: list[tuple[Features, int]] = []
    for (_, meant), (_, found) in zip(messages, measured, strict=True):
        if found is not None:
            kept.append((found.features, _place(found.refs.tolist(), meant, made)))
    return Episode(source, style, len(made.ref_of), kept)


def _about_other_things(source: str, n: int, data: FitData, chance: random.Random) -> list[str]:
    others = [texts for name, labels in data.intents.items() if name != source for texts in labels.values()]
    pools = [data.chatter, data.chatter, *chance.sample(others, 20)]
    return [chance.choice(chance.choice(pools)) for _ in range(n)]


def _place(refs: list[int], meant: str | None, made: MemoryLibrary) -> int:
    if meant is None:
        return NONE
    ref = made.ref_of[meant]
    return refs.index(ref) if ref in refs else MISSED


def kinds_seen(episodes: Sequence[Episode]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return how many messages mean a skill of each kind."""
    kinds = [features.kinds[meant] for episode in episodes for features, meant in episode.messages if meant >= 0]
    return np.bincount(np.array(kinds, dtype=np.int64))
