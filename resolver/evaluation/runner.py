"""Ask every labelled message, group by group, and keep what came back.

The runner knows nothing of indexes or services: `open_group` hands it a function that resolves within one group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from wellworn.models.errors import Unavailable
from wellworn.models.resolution import Context
from wellworn.models.skill import MATCHABLE_TRUST, SkillManifest
from wellworn.resolver.evaluation.answer import Control, EvaluationAnswer, Indexing
from wellworn.resolver.evaluation.messages import LibraryEntry, Message
from wellworn.resolver.evaluation.outcome import EvaluatedMessage, Outcome
from wellworn.resolver.evaluation.summary import summarise

CONTROLS_A_GROUP = 20
CONTROL_RANK = 5
CONTROL_SHARE = 0.5
_CONTROL_CHARS = 2000

Progress = Callable[[int, int, str | None], None]
"""(messages done, of how many, the group in hand)"""


class ResolveFunction(Protocol):
    """Resolves one message within a group. Raises only WellwornError; whatever it raises ends the run."""

    def __call__(self, message: str, context: Context, explicit: bool) -> EvaluatedMessage: ...


@dataclass(frozen=True, slots=True)
class GroupIndex:
    """A group's skills, ready to be asked. utterances, seconds: what indexing them came to."""

    resolve: ResolveFunction
    utterances: int
    seconds: float


OpenGroup = Callable[[str | None], AbstractContextManager[GroupIndex]]
"""Index the skills of a group (None: the whole library) for as long as the context is open."""


@dataclass(frozen=True, slots=True)
class EvaluationRun:
    """The figures, and the outcomes behind them in the order of the messages."""

    answer: EvaluationAnswer
    outcomes: tuple[Outcome, ...]


def run_evaluation(
    messages: Sequence[Message],
    library: Sequence[LibraryEntry],
    open_group: OpenGroup,
    *,
    explicit: bool = False,
    progress: Progress | None = None,
    seed: int = 0,
) -> EvaluationRun:
    """Resolve every message and return all figures.

    explicit: ask as if a person had called for a skill, instead of an agent asking about every message.
    seed: of the control's sample and of the bootstrap.
    Raises Unavailable when the positive control fails: then the figures would measure the harness, not the resolver.
    """
    outcomes: dict[int, Outcome] = {}
    utterances, seconds, asked, found = 0, 0.0, 0, 0
    for group in dict.fromkeys(message.group for message in messages):
        with open_group(group) as index:
            utterances, seconds = utterances + index.utterances, seconds + index.seconds
            control = _run_control(index.resolve, control_cases(library, group, seed=seed), group)
            asked, found = asked + control.n, found + control.found
            for position, outcome in _ask(messages, group, index.resolve, explicit):
                outcomes[position] = outcome
                if progress is not None:
                    progress(len(outcomes), len(messages), group)
    ordered = tuple(outcomes[position] for position in range(len(messages)))
    indexing = Indexing(utterances=utterances, seconds=seconds)
    answer = summarise(ordered, indexing=indexing, control=Control(n=asked, found=found), seed=seed)
    return EvaluationRun(answer, ordered)


def _ask(
    messages: Sequence[Message], group: str | None, resolve: ResolveFunction, explicit: bool
) -> Iterator[tuple[int, Outcome]]:
    for position, message in enumerate(messages):
        if message.group == group:
            yield position, Outcome(message, resolve(message.text, message.context, explicit))


@dataclass(frozen=True, slots=True)
class ControlCase:
    """A skill and words of its own that must bring it back."""

    skill_id: str
    text: str


def control_cases(library: Sequence[LibraryEntry], group: str | None, *, seed: int = 0) -> list[ControlCase]:
    """Return up to 20 skills of the group that may match, drawn with `seed`, each with words of its own."""
    within = [entry.manifest for entry in library if group is None or entry.group == group]
    manifests = [manifest for manifest in within if manifest.trust in MATCHABLE_TRUST]
    if len(manifests) > CONTROLS_A_GROUP:
        drawn = np.random.default_rng(seed).choice(len(manifests), CONTROLS_A_GROUP, replace=False)
        manifests = [manifests[i] for i in sorted(drawn)]
    return [ControlCase(manifest.id, own_words(manifest)) for manifest in manifests]


def own_words(manifest: SkillManifest) -> str:
    """Return the first of: alias, example, description, trigger, the id's words."""
    candidates = (*manifest.aliases, *manifest.examples, manifest.description, *manifest.triggers)
    words = next((text for text in candidates if text.strip()), manifest.id.replace("-", " "))
    return words[:_CONTROL_CHARS]


def _run_control(resolve: ResolveFunction, cases: Sequence[ControlCase], group: str | None) -> Control:
    found = sum(_comes_back(resolve, case) for case in cases)
    if found < CONTROL_SHARE * len(cases) or not cases:
        where = "" if group is None else f" of group {group!r}"
        raise Unavailable(
            f"The positive control failed: {found} of {len(cases)} skills{where} came back when asked for by their own "
            "words, so the figures would mean nothing.",
            hint="Check that the library's skills may match (trust, invocable) and that the encoder answers.",
        )
    return Control(n=len(cases), found=found)


def _comes_back(resolve: ResolveFunction, case: ControlCase) -> bool:
    ranked = resolve(case.text, Context(), True).ranked
    return case.skill_id in [skill_id for skill_id, _ in ranked[:CONTROL_RANK]]
