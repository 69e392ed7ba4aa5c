"""What was proposed against what was planted: a matching of one to one, and what else a good proposal has.

A pattern is found by a proposal whose evidence holds at least 60 % of the events of at least half of its occurrences,
while at least 60 % of that evidence belongs to the pattern. Everything else that is proposed is false, also a second
proposal for the same pattern. Found by the wrong kind, or as an update of a skill that it is not about, is not found.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.mining_decoys import Decoy
from benchmarks.mining_patterns import Pattern
from benchmarks.mining_world import Planted, World
from wellworn.models.proposal import CandidateKind, PatternCandidate, Proposal, SuggestAnswer
from wellworn.models.recipe import GateStep, ShellStep

COVERED, HALF, PURE = 0.6, 0.5, 0.6
_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much a proposal is about something planted. seen: share of occurrences that are covered. pure: see above."""

    seen: float
    pure: float

    @property
    def hits(self) -> bool:
        return self.seen >= HALF and self.pure >= PURE


@dataclass(frozen=True, slots=True)
class Quality:
    """Of a proposal that found its pattern. inputs and gates are None where the pattern asks for none."""

    signal: bool
    scope: str
    kind: str
    words: bool
    inputs: bool | None
    gates: bool | None


@dataclass(slots=True)
class Score:
    """found: pattern to proposal. wrong: false proposals and why. allowed: updates of the skill that was repeated."""

    kinds: dict[str, str]
    found: dict[str, str] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)
    allowed: list[str] = field(default_factory=list)
    quality: dict[str, Quality] = field(default_factory=dict)

    @property
    def recall(self) -> float:
        return len(self.found) / len(self.kinds) if self.kinds else 1.0

    @property
    def precision(self) -> float:
        made = len(self.found) + len(self.wrong)
        return len(self.found) / made if made else 1.0

    @property
    def missed(self) -> list[str]:
        return [name for name in self.kinds if name not in self.found]

    def by_kind(self) -> Counter[str]:
        """Return `kind found` and `kind planted` with their numbers."""
        planted = Counter(f"{kind} planted" for kind in self.kinds.values())
        return planted + Counter(f"{self.kinds[name]} found" for name in self.found)


def overlap(evidence: Sequence[str], planted: Planted) -> Overlap:
    """Compare the ids of a proposal's evidence with what was planted."""
    ids = set(evidence)
    covered = sum(len(ids.intersection(one)) >= COVERED * len(one) for one in planted.occurrences)
    seen = covered / len(planted.occurrences) if planted.occurrences else 0.0
    return Overlap(seen, len(ids & planted.belonging) / len(ids) if ids else 0.0)


def score(world: World, answer: SuggestAnswer) -> Score:
    """Judge an answer; the surest proposals choose their pattern first."""
    made = Score({name: one.one.kind for name, one in world.patterns.items()})
    for proposal in sorted(answer.proposals, key=lambda one: (-one.candidate.confidence, one.id)):
        name = nearest(proposal.candidate, world.patterns)
        if proposal.updates is not None and _repeats_a_skill(proposal, world):
            made.allowed.append(proposal.id)
        elif why := _wrong(proposal, name, made, world):
            made.wrong[proposal.id] = why
        elif name is not None:
            made.found[name] = proposal.id
            made.quality[name] = quality(proposal, world.patterns[name])
    return made


def nearest(candidate: PatternCandidate, among: dict[str, Planted]) -> str | None:
    """Return what a candidate hits, the most of it first."""
    hits = {name: overlap(candidate.evidence_event_ids, one) for name, one in among.items()}
    good = {name: one for name, one in hits.items() if one.hits}
    return max(good, key=lambda name: (good[name].pure, good[name].seen)) if good else None


def _repeats_a_skill(proposal: Proposal, world: World) -> bool:
    skills = {name: one for name, one in world.decoys.items() if isinstance(one.one, Decoy) and one.one.skill}
    name = nearest(proposal.candidate, skills)
    return name is not None and f"name: {(proposal.updates or '').partition('@')[0]}\n" in _decoy(skills[name]).skill


def _decoy(planted: Planted) -> Decoy:
    assert isinstance(planted.one, Decoy)
    return planted.one


def _wrong(proposal: Proposal, name: str | None, made: Score, world: World) -> str:
    if name is None:
        return about(proposal.candidate, world)
    if name in made.found:
        return f"a second one for {name}"
    if proposal.updates is not None:
        return f"{name} as an update of {proposal.updates}"
    if proposal.candidate.kind not in {CandidateKind.skill, CandidateKind.forge_recipe}:
        return f"{name} as {proposal.candidate.kind}"
    return ""


def about(candidate: PatternCandidate, world: World) -> str:
    """Say what the evidence of a candidate that hits no pattern is mostly about."""
    parts = {
        name: overlap(candidate.evidence_event_ids, one) for name, one in {**world.patterns, **world.decoys}.items()
    }
    name = max(parts, key=lambda one: parts[one].pure, default=None)
    if name is None or parts[name].pure < 0.3:
        return "everyday work"
    kind = "part of" if name in world.patterns else "the decoy"
    return f"{kind} {name} (seen {parts[name].seen:.2f}, pure {parts[name].pure:.2f})"


# -- what else a good proposal has -----------------------------------------------------------------------------------


def quality(proposal: Proposal, planted: Planted) -> Quality:
    """Look at what a person would accept."""
    one = planted.one
    assert isinstance(one, Pattern)
    return Quality(
        signal=proposal.candidate.signal is one.signal,
        scope=proposal.candidate.suggested_scope.value,
        kind=proposal.candidate.kind.value,
        words=_users_words(proposal, planted.said),
        inputs=_inputs(proposal, one.inputs, planted) if one.inputs else None,
        gates=_gated(proposal, one.dangers) if one.dangers else None,
    )


def _users_words(proposal: Proposal, said: Sequence[str]) -> bool:
    """Whether an example or alias has at least half of its words from one thing that users said before the ritual."""
    spoken = [set(_WORD.findall(text.lower())) for text in said]
    texts = [set(_WORD.findall(text.lower())) for text in (*proposal.manifest.examples, *proposal.manifest.aliases)]
    return any(len(words & text) * 2 >= len(words) > 1 for words in texts for text in spoken)


def _steps(proposal: Proposal) -> list[str]:
    if proposal.recipe is None:
        return [*proposal.candidate.steps]
    return [step.command for phase in proposal.recipe.phases for step in phase.steps if isinstance(step, ShellStep)]


def _inputs(proposal: Proposal, names: Sequence[str], planted: Planted) -> bool:
    """Whether no value of one occurrence stands in a step, and a recipe asks for as many as there must be."""
    text = "\n".join(_steps(proposal))
    literal = any(
        re.search(rf"(?<![\w.]){re.escape(values[name])}(?![\w.])", text) for name in names for values in planted.values
    )
    asked = len(proposal.recipe.inputs) if proposal.recipe is not None else len(names)
    return not literal and asked >= len(names)


def _gated(proposal: Proposal, dangers: Sequence[str]) -> bool:
    """Whether approval is required; in a recipe, a gate must stand before each dangerous command."""
    if not proposal.manifest.requires_approval:
        return False
    if proposal.recipe is None:
        return True
    gated = 0
    for step in (step for phase in proposal.recipe.phases for step in phase.steps):
        if isinstance(step, GateStep):
            gated += 1
        elif isinstance(step, ShellStep) and any(part in step.command for part in dangers):
            if not gated:
                return False
            gated -= 1
    return True
