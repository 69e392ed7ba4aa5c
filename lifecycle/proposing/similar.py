"""Which installed skills a pattern resembles: by the commands they name, and by what its users' words resolve to."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wellworn.lifecycle.shell.steps import steps_of
from wellworn.models.proposal import SimilarSkill
from wellworn.models.skill import Scope

DUPLICATE = 0.6
"""Shares this much of its steps with an installed skill: it is that skill."""
SAID = 0.5
MENTIONED = 0.25
SURE = 0.85
_CODE = re.compile(r"```[\w-]*\n(?P<block>.*?)```|`(?P<span>[^`\n]{2,300})`", re.DOTALL)


@dataclass(frozen=True, slots=True)
class InstalledSkill:
    """What is known of an installed skill. commands: lines of its text and recipe that may be commands.

    active: False for one that is disabled or archived: its id is taken, but nothing is compared with it.
    """

    id: str
    scope: Scope
    commands: tuple[str, ...]
    active: bool = True

    @property
    def ref(self) -> str:
        return f"{self.id}@{self.scope}"


@dataclass(frozen=True, slots=True)
class Meant:
    """The skill that a message resolves to, and how surely."""

    skill_id: str
    scope: Scope
    confidence: float


Resolve = Callable[[Sequence[str], str | None], Sequence[Meant | None]]
"""From messages, and the repository that they were said in, to what each of them resolves to."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """How a pattern stands to one installed skill. steps: share of the pattern's steps that it has; words: share of
    the users' wordings that resolve to it; missing: the steps it lacks; unheard: wordings that do not find it yet."""

    skill: InstalledSkill
    steps: float
    words: float
    missing: tuple[str, ...]
    unheard: tuple[str, ...]

    @property
    def duplicate(self) -> bool:
        """The same steps; or the same words for a skill that names no other steps."""
        return self.steps >= DUPLICATE or (self.words >= SAID and (self.steps > 0 or not self.skill.commands))

    @property
    def likeness(self) -> float:
        return max(self.steps, self.words)

    @property
    def view(self) -> SimilarSkill:
        return SimilarSkill(
            skill_id=self.skill.id,
            scope=self.skill.scope,
            likeness=min(1.0, self.likeness),
            why=f"it has {self.steps:.0%} of the steps, and {self.words:.0%} of the wordings resolve to it",
        )


def commands_in(body: str) -> tuple[str, ...]:
    """Return the lines of code of a SKILL.md: blocks line by line, and code in the text."""
    lines: list[str] = []
    for found in _CODE.finditer(body):
        block = found["block"]
        lines += [found["span"]] if block is None else block.splitlines()
    return tuple(line.strip().removeprefix("$ ") for line in lines if line.strip())


def find_similar(
    keys: Sequence[str],
    wordings: Sequence[str],
    skills: Sequence[InstalledSkill],
    resolve: Resolve,
    repo: str | None,
) -> list[Likeness]:
    """Return the installed skills that resemble a pattern, the most alike first."""
    skills = [skill for skill in skills if skill.active]
    meant = resolve(wordings, repo) if wordings and skills else []
    heard: dict[tuple[str, Scope], list[float]] = defaultdict(list)
    for one in meant:
        if one is not None:
            heard[one.skill_id, one.scope].append(one.confidence)
    found: list[Likeness] = []
    for skill in skills:
        has = {step.key for line in skill.commands for step in steps_of(line)}
        steps = sum(key in has for key in keys) / len(keys) if keys else 0.0
        words = len(heard[skill.id, skill.scope]) / len(wordings) if wordings else 0.0
        if max(steps, words) >= MENTIONED:
            missing = tuple(key for key in keys if key not in has) if has else ()
            unheard = tuple(
                text
                for text, one in zip(wordings, meant, strict=False)
                if one is None or one.skill_id != skill.id or one.confidence < SURE
            )
            found.append(Likeness(skill, steps, words, missing, unheard))
    return sorted(found, key=lambda one: (-one.duplicate, -one.likeness, one.skill.ref))
