"""What a flood of wrong feedback can do to one skill: attacks through the code behind `POST /feedback`, and its bound.

A person has taught a library of BANKING77's intents (three utterances each) with 500 honest verdicts. Then keys that
mean harm give 2,000 wrong ones about one victim: that other skills' messages should have been the victim's ("steal"),
and that its own messages were not its own ("silence"). Neighbours are the five skills nearest to the victim by the mean
of their utterances; theirs are the first messages that are stolen. Reports are about test messages.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.accuracy_sets import Row, meant, read_banking77
from benchmarks.feedback_cases import banking77
from benchmarks.feedback_world import (
    PERSON,
    Words,
    World,
    ask,
    expected_of,
    honest_words,
    mistaken_words,
    report_outcomes,
    say,
    temporary_world,
    train,
)
from benchmarks.fit_library import CachedEncoder
from wellworn.lifecycle.feedback import BOUNDS, Bounds
from wellworn.models.access import Caller, Role
from wellworn.models.resolution import IntentResolution
from wellworn.models.skill import UtteranceField
from wellworn.resolver.evaluation.outcome import Outcome
from wellworn.resolver.evaluation.summary import calibration_figures, in_scope_figures
from wellworn.service.workspace import Workspace

HONEST, FLOOD, NEIGHBOURS, OTHERS_REPORTED = 500, 2000, 5, 150
ROUND = 500
"""Messages that are answered before they are judged; with few rounds the trained head is fitted anew less often."""
UNBOUNDED = Bounds(*[10**9] * 6)
"""What the counts alone keep away: everything else is judged as ever."""

Say = Callable[[IntentResolution, Row, random.Random], Words | None]


@dataclass(frozen=True, slots=True)
class Scene:
    """The victim, its neighbours, messages to attack with (train split) and to report on (test split)."""

    library: Sequence[Row]
    honest: Sequence[Row]
    victim: str
    neighbours: frozenset[str]
    own: Sequence[Row]
    others: Sequence[Row]
    report: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Attack:
    """A way to misuse feedback. keys: how many; role: of them."""

    name: str
    messages: Callable[[Scene], Sequence[Row]]
    words: Callable[[str], Say]
    keys: int = 1
    role: Role = Role.agent
    bounds: Bounds = BOUNDS


def steal(victim: str) -> Say:
    """Say of every answer that the victim was meant."""

    def words(answer: IntentResolution, _row: Row, _chance: random.Random) -> Words | None:
        return {"verdict": "right"} if answer.skill_id == victim else {"verdict": "should_be", "skillId": victim}

    return words


def steal_and_silence(victim: str) -> Say:
    """Say that the victim was meant by others' messages, and not by its own."""

    def words(answer: IntentResolution, row: Row, chance: random.Random) -> Words | None:
        if victim not in expected_of(row):
            return steal(victim)(answer, row, chance)
        return {"verdict": "wrong"} if answer.skill_id == victim else None

    return words


def anything(_victim: str) -> Say:
    """Be wrong about whatever is asked."""
    return mistaken_words


def _mixed(scene: Scene) -> list[Row]:
    pairs = zip(cycle(scene.own), scene.others, strict=False)
    return [row for pair in islice(pairs, FLOOD // 2) for row in pair]


ATTACKS = (
    Attack("steal and silence", _mixed, steal_and_silence),
    Attack("steal and silence, without the bounds", _mixed, steal_and_silence, bounds=UNBOUNDED),
    Attack("steal and silence, 3 keys together", _mixed, steal_and_silence, keys=3),
    Attack("steal and silence, a reviewer's key", _mixed, steal_and_silence, role=Role.reviewer),
    Attack("steal: others' messages should have been the victim", lambda scene: scene.others[:FLOOD], steal),
    Attack("silence: the victim was wrong about its own", lambda s: [*islice(cycle(s.own), FLOOD)], steal_and_silence),
    Attack("one neighbour's message, 2,000 times", lambda scene: [scene.others[0]] * FLOOD, steal),
    Attack("wrong about everything", lambda scene: scene.others[:FLOOD], anything),
)


def scene_of(data: Path, seed: int, encoder: CachedEncoder) -> Scene:
    """Choose a victim by the seed."""
    case, chance = banking77(data, seed), random.Random(f"attack {seed}")
    ids = [line["id"] for line in case.library]
    means = np.stack([encoder.encode(line["examples"]).mean(axis=0) for line in case.library])
    victim = chance.choice(ids)
    order = np.argsort(-(means @ means[ids.index(victim)]))
    near = [ids[place] for place in order if ids[place] != victim]
    neighbours = frozenset(near[:NEIGHBOURS])
    test = meant(read_banking77(data, "test"))
    close = [row for row in test if row["expected"] == victim or row["expected"] in neighbours]
    rest = [row for row in test if row["expected"] != victim and row["expected"] not in neighbours]
    honest = case.feedback[:HONEST]
    seen = {text for line in case.library for text in line["examples"]} | {row["message"] for row in honest}
    left = [row for row in meant(read_banking77(data, "train")) if row["message"] not in seen]
    chance.shuffle(left)
    return Scene(
        library=case.library,
        honest=honest,
        victim=victim,
        neighbours=neighbours,
        own=[row for row in left if row["expected"] == victim],
        others=sorted((r for r in left if r["expected"] != victim), key=lambda r: r["expected"] not in neighbours),
        report=[*close, *chance.sample(rest, OTHERS_REPORTED)],
    )


def flood(
    workspace: Workspace, rows: Sequence[Row], words: Say, callers: Sequence[Caller], chance: random.Random
) -> int:
    """Ask and judge, a round at a time; return how many verdicts were given."""
    given = 0
    turns = cycle(callers)
    for start in range(0, len(rows), ROUND):
        some = rows[start : start + ROUND]
        train(workspace)
        pairs = [*zip(some, turns, strict=False)]
        asked = [(caller, row, ask(workspace, row["message"], caller)) for row, caller in pairs]
        for caller, row, answer in asked:
            said = words(answer, row, chance)
            if said is not None:
                say(workspace, answer, said, caller)
                given += 1
    return given


def measure(workspace: Workspace, scene: Scene) -> tuple[dict[str, Any], list[Outcome]]:
    """Return top-1 of victim, neighbours and the rest, and the most confident wrong answer."""
    outcomes = report_outcomes(workspace, scene.report)

    def top1(part: Callable[[str], bool]) -> float | None:
        return in_scope_figures([one for one in outcomes if part(one.message.expected[0])]).top1

    wrong = max((one for one in outcomes if not one.correct), key=lambda one: one.confidence)
    figures = {
        "victim": top1(lambda name: name == scene.victim),
        "neighbours": top1(lambda name: name in scene.neighbours),
        "others": top1(lambda name: name != scene.victim and name not in scene.neighbours),
        "ece": calibration_figures(outcomes).ece,
        "worst": {"confidence": wrong.confidence, "message": wrong.message.text, "answered": wrong.answered},
    }
    return figures, outcomes


def run_attacks(data: Path, seed: int, encoder: CachedEncoder, parameters: Path | None) -> Iterator[dict[str, Any]]:
    """Yield the figures of each attack, and first those before any (its name is None)."""
    scene, chance = scene_of(data, seed, encoder), random.Random(seed)
    with temporary_world(scene.library, encoder, parameters) as base:
        with base.open() as workspace:
            flood(workspace, scene.honest, honest_words, [PERSON], chance)
        with base.copy("before").open() as workspace:
            before, outcomes = measure(workspace, scene)
            calibrated = _calibrated(workspace, scene)
        about = {"seed": seed, "victim": scene.victim, "neighbours": sorted(scene.neighbours)}
        yield {**about, "attack": None, "figures": before, "calibrate": calibrated}
        for number, attack in enumerate(ATTACKS):
            found = _attack(base.copy(f"attack-{number}", attack.bounds), scene, attack, outcomes, random.Random(seed))
            yield {**about, "attack": attack.name, **found}


def _attack(
    world: World, scene: Scene, attack: Attack, before: Sequence[Outcome], chance: random.Random
) -> dict[str, Any]:
    callers = [world.key(attack.role, f"attacker {number}") for number in range(attack.keys)]
    with world.open() as workspace:
        given = flood(workspace, attack.messages(scene), attack.words(scene.victim), callers, chance)
        figures, _ = measure(workspace, scene)
        lessons = [one for caller in callers for one in workspace._lessons.from_key(caller.key_id, PERSON)]
        calibrated = _calibrated(workspace, scene)
        workspace.calibrate(reset=True)
        for caller in callers:
            workspace._lessons.forget_key(caller.key_id, PERSON)
        workspace._follow()
        _, after = measure(workspace, scene)
    return {
        "verdicts": given,
        "inForce": _in_force(lessons, scene.victim),
        "figures": figures,
        "calibrate": calibrated,
        "afterRemoval": {
            "sameAnswers": sum(a.answered == b.answered for a, b in zip(after, before, strict=True)) / len(before),
            "largestChange": max(abs(a.confidence - b.confidence) for a, b in zip(after, before, strict=True)),
        },
    }


def _in_force(lessons: Sequence[Any], victim: str) -> dict[str, int]:
    own = [one.field for one in lessons if one.skill_id == victim]
    return {
        "learned": own.count(UtteranceField.learned.value),
        "negative": own.count(UtteranceField.negative.value),
        "elsewhere": len(lessons) - len(own),
    }


def _calibrated(workspace: Workspace, scene: Scene) -> dict[str, Any]:
    """Refit on everything that was said, and return what that did to the confidences."""
    report = workspace.calibrate()
    figures, _ = measure(workspace, scene)
    return {"kept": report.kept, "messages": report.messages, "ece": figures["ece"], "worst": figures["worst"]}
