"""What `accuracy.py` measures: libraries and labelled messages, made from public data sets with a fixed seed.

`fit` are messages of neither library nor test, for systems that are fitted on a user's own data (the peer's `fit`).
Nothing here is ever used to fit wellworn's own parameters.
"""

from __future__ import annotations

import csv
import json
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]
Labelled = tuple[str, str]
UTTERANCES = 10
FIT_MESSAGES = 1500
HELD_OUT_CLASSES = 19
CHARACTERS_A_TYPO = 15
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Task:
    """One library with its messages, as rows of the files that `wellworn eval` reads."""

    library: Sequence[Row]
    messages: Sequence[Row]
    fit: Sequence[Row] = field(default=())


def slug(label: str) -> str:
    """Return a skill id for an intent's name."""
    return re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")


def meant(rows: Iterable[Labelled]) -> list[Row]:
    return [{"message": text, "expected": slug(label)} for text, label in rows]


def unmeant(texts: Iterable[str]) -> list[Row]:
    return [{"message": text, "expected": None} for text in texts]


def sampled_library(
    train: Sequence[Labelled], per_class: int, chance: random.Random
) -> tuple[list[Row], list[Labelled]]:
    """Return `per_class` utterances a class as `examples`, and the rows that were not taken."""
    by_class: dict[str, list[str]] = {}
    for text, label in train:
        by_class.setdefault(label, []).append(text)
    library: list[Row] = []
    taken: set[Labelled] = set()
    for label in sorted(by_class):
        examples = chance.sample(by_class[label], per_class)
        library.append({"id": slug(label), "examples": examples})
        taken.update((text, label) for text in examples)
    return library, [row for row in train if row not in taken]


def unseen(fit: Sequence[Row], library: Sequence[Row], messages: Sequence[Row]) -> list[Row]:
    """Return the rows whose text is in neither library nor messages: the public sets hold a few texts twice."""
    seen = {text for line in library for text in line["examples"]} | {row["message"] for row in messages}
    return [row for row in fit if row["message"] not in seen]


def with_typos(text: str, chance: random.Random) -> str:
    """Return the text with one typo per 15 characters: a letter left out, doubled, replaced or swapped."""
    characters = list(text)
    for _ in range(round(len(text) / CHARACTERS_A_TYPO)):
        letters = [i for i, character in enumerate(characters) if character.isalpha()]
        if not letters:
            break
        place = chance.choice(letters)
        kind = chance.choice(("leave out", "double", "replace", "swap"))
        if kind == "leave out":
            del characters[place]
        elif kind == "double":
            characters.insert(place, characters[place])
        elif kind == "replace":
            characters[place] = chance.choice(_LETTERS)
        elif place + 1 < len(characters):
            characters[place], characters[place + 1] = characters[place + 1], characters[place]
    return "".join(characters)


def _typos(messages: Sequence[Row], chance: random.Random) -> list[Row]:
    return [{**row, "message": with_typos(row["message"], chance)} for row in messages]


def read_clinc150(data: Path) -> Mapping[str, list[Labelled]]:
    """Return split -> rows (train, val, test, oos_train, oos_val, oos_test)."""
    splits = json.loads((data / "clinc150" / "data_full.json").read_text(encoding="utf-8"))
    return {split: [(text, label) for text, label in rows] for split, rows in splits.items()}


def read_banking77(data: Path, split: str) -> list[Labelled]:
    with (data / "banking77" / f"{split}.csv").open(encoding="utf-8", newline="") as file:
        return [(row["text"], row["category"]) for row in csv.DictReader(file)]


def read_rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def clinc150(data: Path, seed: int, *, utterances: int = UTTERANCES, typos: bool = False, in_scope: int = 0) -> Task:
    """All 4,500 messages in scope (or `in_scope` of them) and the 1,000 out of scope."""
    splits, chance = read_clinc150(data), random.Random(seed)
    library, _ = sampled_library(splits["train"], utterances, chance)
    fit = [*meant(chance.sample(splits["val"], FIT_MESSAGES)), *unmeant(text for text, _ in splits["oos_val"])]
    test = chance.sample(splits["test"], in_scope) if in_scope else splits["test"]
    messages = [*meant(test), *unmeant(text for text, _ in splits["oos_test"])]
    return Task(library, _typos(messages, chance) if typos else messages, unseen(fit, library, messages))


def banking77(data: Path, seed: int, *, utterances: int = UTTERANCES, typos: bool = False) -> Task:
    """All 3,080 messages in scope; a quarter as many out of scope, which BANKING77 lacks, from CLINC150's."""
    splits, chance = read_clinc150(data), random.Random(seed)
    library, left = sampled_library(read_banking77(data, "train"), utterances, chance)
    test = read_banking77(data, "test")
    outside = chance.sample([text for text, _ in splits["oos_test"]], len(test) // 4)
    fit = [*meant(chance.sample(left, FIT_MESSAGES)), *unmeant(text for text, _ in splits["oos_val"])]
    messages = [*meant(test), *unmeant(outside)]
    return Task(library, _typos(messages, chance) if typos else messages, unseen(fit, library, messages))


def banking77_near(data: Path, seed: int) -> Task:
    """58 classes as the library; messages of the 19 others are out of scope and close: a quarter as many as in scope.

    The peer's fit gets near misses too (from the training split), as the people who use it so would.
    """
    chance = random.Random(seed)
    train, test = read_banking77(data, "train"), read_banking77(data, "test")
    held_out = set(chance.sample(sorted({label for _, label in train}), HELD_OUT_CLASSES))
    library, left = sampled_library([row for row in train if row[1] not in held_out], UTTERANCES, chance)
    inside = [row for row in test if row[1] not in held_out]
    outside = chance.sample([text for text, label in test if label in held_out], len(inside) // 4)
    near = chance.sample([text for text, label in train if label in held_out], FIT_MESSAGES // 4)
    fit = [*meant(chance.sample(left, FIT_MESSAGES)), *unmeant(near)]
    messages = [*meant(inside), *unmeant(outside)]
    return Task(library, messages, unseen(fit, library, messages))


def skill_messages(data: Path, _seed: int, *, largest: bool = False) -> Task:
    """Real skills with the messages that their authors wrote, each asked within its own collection (`group`)."""
    library = read_rows(data / "skill_messages" / "library.jsonl")
    messages = read_rows(data / "skill_messages" / "messages.jsonl")
    if largest:
        groups = [row["group"] for row in messages]
        group = max(set(groups), key=groups.count)
        library = [row for row in library if row["group"] == group]
        messages = [row for row in messages if row["group"] == group]
    return Task(library, messages)


def metatool(data: Path, _seed: int) -> Task:
    """199 tools with one line of description each, and questions."""
    return Task(read_rows(data / "metatool" / "library.jsonl"), read_rows(data / "metatool" / "messages.jsonl"))


@dataclass(frozen=True, slots=True)
class TaskSet:
    """How a task is made. seeded: whether it differs by seed; peer: whether the peer is measured on it as well."""

    make: Callable[[Path, int], Task]
    seeded: bool = True
    peer: bool = False


TASKS: dict[str, TaskSet] = {
    "clinc150": TaskSet(clinc150, peer=True),
    "clinc150, 4:1": TaskSet(partial(clinc150, in_scope=4000)),
    "clinc150, 5 utterances": TaskSet(partial(clinc150, utterances=5)),
    "clinc150, typos": TaskSet(partial(clinc150, typos=True)),
    "banking77": TaskSet(banking77, peer=True),
    "banking77, 5 utterances": TaskSet(partial(banking77, utterances=5)),
    "banking77, typos": TaskSet(partial(banking77, typos=True)),
    "banking77, 19 held out": TaskSet(banking77_near, peer=True),
    "skill messages": TaskSet(skill_messages, seeded=False),
    "skill messages, largest": TaskSet(partial(skill_messages, largest=True), seeded=False),
    "metatool": TaskSet(metatool, seeded=False, peer=True),
}
