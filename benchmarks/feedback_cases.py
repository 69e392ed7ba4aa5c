"""What `feedback_replay.py` replays: libraries, messages that a person gives feedback on, and others to report on.

Feedback comes from train splits and reports from test splits (of the real skills: two halves by a seed), and no text is
in both. Libraries are poor on purpose, three utterances an intent, for that is where feedback has something to add.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.accuracy_sets import (
    HELD_OUT_CLASSES,
    Labelled,
    Row,
    meant,
    read_banking77,
    read_clinc150,
    sampled_library,
    skill_messages,
    unmeant,
)

UTTERANCES = 3
FEEDBACKS = 2000
OUTSIDE = 200
"""Messages that mean no skill among those of the feedback; as many as CLINC150 has beside its test split."""
REPORTED, REPORTED_OUTSIDE = 600, 150


@dataclass(frozen=True, slots=True)
class Case:
    """A library, the messages of the feedback in order, and the messages to report on (rows as of `wellworn eval`)."""

    library: Sequence[Row]
    feedback: Sequence[Row]
    report: Sequence[Row]


def clinc150(data: Path, seed: int) -> Case:
    """150 intents; what means none of them is CLINC150's own."""
    splits, chance = read_clinc150(data), random.Random(seed)
    outside = [text for split in ("oos_train", "oos_val") for text, _ in splits[split]]
    return _intents(splits["train"], splits["test"], outside, [text for text, _ in splits["oos_test"]], chance)


def banking77(data: Path, seed: int) -> Case:
    """77 intents close to each other; what means none of them is everyday talk from CLINC150."""
    splits, chance = read_clinc150(data), random.Random(seed)
    outside = [text for split in ("oos_train", "oos_val") for text, _ in splits[split]]
    train, test = read_banking77(data, "train"), read_banking77(data, "test")
    return _intents(train, test, outside, [text for text, _ in splits["oos_test"]], chance)


def banking77_near(data: Path, seed: int) -> Case:
    """58 of the intents; messages of the other 19 mean none and are close."""
    chance = random.Random(seed)
    train, test = read_banking77(data, "train"), read_banking77(data, "test")
    held_out = set(chance.sample(sorted({label for _, label in train}), HELD_OUT_CLASSES))
    inside = [[row for row in rows if row[1] not in held_out] for rows in (train, test)]
    near = [[text for text, label in rows if label in held_out] for rows in (train, test)]
    return _intents(inside[0], inside[1], near[0], near[1], chance)


def real_skills(data: Path, seed: int) -> Case:
    """The largest collection of real skills; half of its messages for feedback, half to report on."""
    task, chance = skill_messages(data, seed, largest=True), random.Random(seed)
    rows = [*task.messages]
    chance.shuffle(rows)
    half = len(rows) // 2
    return Case(task.library, _apart(rows[:half], rows[half:]), rows[half:])


CASES: Mapping[str, Callable[[Path, int], Case]] = {
    "banking77, 19 held out": banking77_near,
    "clinc150": clinc150,
    "banking77": banking77,
    "skill messages, largest": real_skills,
}


def _intents(
    train: Sequence[Labelled],
    test: Sequence[Labelled],
    outside: Sequence[str],
    outside_test: Sequence[str],
    chance: random.Random,
) -> Case:
    library, left = sampled_library(train, UTTERANCES, chance)
    report = [
        *meant(chance.sample(list(test), min(REPORTED, len(test)))),
        *unmeant(chance.sample(list(outside_test), min(REPORTED_OUTSIDE, len(outside_test)))),
    ]
    unmeant_rows = unmeant(chance.sample(list(outside), min(OUTSIDE, len(outside))))
    feedback = [*meant(chance.sample(left, min(FEEDBACKS - len(unmeant_rows), len(left)))), *unmeant_rows]
    chance.shuffle(feedback)
    return Case(library, _apart(feedback, [*report, *_as_rows(library)]), report)


def _as_rows(library: Sequence[Row]) -> list[Row]:
    return [{"message": text} for line in library for text in line["examples"]]


def _apart(feedback: Sequence[Row], others: Sequence[Row]) -> list[Row]:
    """Return the feedback without texts that occur elsewhere: the public sets hold a few twice."""
    seen = {" ".join(row["message"].split()).casefold() for row in others}
    return [row for row in feedback if " ".join(row["message"].split()).casefold() not in seen]
