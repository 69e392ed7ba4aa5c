"""A skill from one piece of work that went well, because somebody asked for it: is it worth one, and how it reads.

One success proves less than a habit does, so more is asked of it than of what the miner finds: it must be proven, long
enough, new, safe, and mostly not about one project. All that speaks against it is told at once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from wellworn.lifecycle.adviser import Adviser
from wellworn.lifecycle.drafted_words import Words, words_of
from wellworn.lifecycle.miner.patterns import Occurrence, Pattern
from wellworn.lifecycle.miner.phrases import says_nothing, without_values
from wellworn.lifecycle.miner.rituals import is_habit
from wellworn.lifecycle.peculiar import is_peculiar, with_inputs
from wellworn.lifecycle.proposing.commands import GeneralCommand, general_commands
from wellworn.lifecycle.proposing.drafting import Draft
from wellworn.lifecycle.proposing.evidence import Evidence
from wellworn.lifecycle.proposing.gate import answers
from wellworn.lifecycle.proposing.judging import unsafe
from wellworn.lifecycle.proposing.recipes import JudgedCommand, gates_of, judge, risk_of, slug, told
from wellworn.lifecycle.proposing.similar import SURE, InstalledSkill, Likeness, Meant, Resolve, find_similar
from wellworn.lifecycle.proposing.words import bare, clean, id_words
from wellworn.lifecycle.reflection import find_failure, from_steps
from wellworn.lifecycle.shell.steps import CommandStep, steps_of
from wellworn.models.ids import ID_MAX_LENGTH
from wellworn.models.proposal import CandidateKind, PatternCandidate, QualityGate, Signal
from wellworn.models.recipe import ForgeInput
from wellworn.models.resolution import Decision
from wellworn.models.skill import Provenance, Scope, SkillKind, SkillManifest, Trust
from wellworn.models.task import Outcome, Task, TaskStatus

STEPS_MIN, STEPS_MAX = 3, 60
STEP_CHARS, LINE_CHARS = 500, 2000
PROJECT_SHARE = 0.5
"""A task of which more than this share of the steps names files, addresses or names of one project is its own."""
CONFIDENCE = 0.5
"""Of one task: that it worked once says nothing yet of how often it does."""
_ALIAS_WORDS, _EXAMPLE_WORDS = 7, 25
_TITLE_MAX, _TAKEN_SHOWN = 80, 3
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_STALE_DAYS = 180
_SCOPE = "user: one task of this person shows it, and most of its steps are not about one project"


@dataclass(frozen=True, slots=True)
class Around:
    """What a task is compared with: installed skills, what messages resolve to, and the time."""

    installed: Sequence[InstalledSkill]
    resolve: Resolve
    now: datetime


@dataclass(frozen=True, slots=True)
class Verdict:
    """A draft, or all that speaks against one. keys: of the steps. instead: the skill (`id@scope`) to update.

    notes: for the person who decides.
    """

    draft: Draft | None
    reasons: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    instead: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Material:
    """What was read out of the task. asked: the objective as one short request."""

    task: Task
    pattern: Pattern
    commands: tuple[JudgedCommand, ...]
    inputs: tuple[ForgeInput, ...]
    asked: str
    skill_id: str

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(one.command.key for one in self.commands)

    @property
    def name(self) -> str:
        """What was asked, without what is another each time."""
        words = [word for word in self.asked.split() if word == without_values(word)]
        return " ".join(words) if len(words) > 1 else self.asked


def crystallize(task: Task, around: Around, candidate_id: str, adviser: Adviser | None = None) -> Verdict:
    """Judge a task, and draft a skill from it when it deserves one. The model is asked only then; it words better."""
    early = against_outcome(task)
    if early:
        return Verdict(None, tuple(early), instead=str(task.used_skill) if _was_followed(task) else None)
    done = _done(task)
    early = against_length(done)  # before they are compared with each other, which takes long for many
    if early:
        return Verdict(None, tuple(early))
    material = _material(task, done)
    similar = find_similar(material.keys, [material.asked], around.installed, _surely(around.resolve), task.repo)
    reasons = [*against_steps(material), *_against_known(material, similar, around.installed)]
    if reasons:
        return Verdict(None, tuple(reasons), material.keys, _instead(material, similar, around.installed))
    words = words_of(adviser, material.name, [one.command.text for one in material.commands])
    drafted = _draft(candidate_id, material, similar, len(around.installed), words)
    return Verdict(drafted, (), material.keys, notes=tuple(words.notes))


def _surely(resolve: Resolve) -> Resolve:
    """There is one wording only, so that it decides alone: only a sure meaning counts."""

    def meant(texts: Sequence[str], repo: str | None) -> list[Meant | None]:
        return [one if one is not None and one.confidence >= SURE else None for one in resolve(texts, repo)]

    return meant


# -- is it worth one ---------------------------------------------------------------------------------------------------


def against_outcome(task: Task) -> list[str]:
    """Say what speaks against learning from how a task ended."""
    if task.status is TaskStatus.active:
        return ["It has not ended yet."]
    if task.outcome is not Outcome.success:
        return [f"It ended in {task.outcome}; only what went well is worth keeping."]
    reasons: list[str] = []
    if not any(step.exit_code == 0 for step in task.steps):
        reasons.append("Nothing shows that it went well: no recorded step has exit code 0.")
    if _was_followed(task):
        reasons.append(f"It was done with {task.used_skill}, which is the skill for it.")
    if says_nothing(task.objective):
        reasons.append("Its objective does not say what was wanted, so nothing would find the skill again.")
    return reasons


def _was_followed(task: Task) -> bool:
    """Say whether the skill that a task counts for surely was: a match to be confirmed is only taken to have been.

    Where it was not named, its steps and words tell, as of any other skill.
    """
    return task.used_skill is not None and (task.used_skill != task.skill or task.decision is Decision.proceed)


def against_length(done: Sequence[tuple[CommandStep, str]]) -> list[str]:
    """Say what speaks against so many steps, or such long ones."""
    reasons: list[str] = []
    if len(done) > STEPS_MAX:
        reasons.append(f"It has more than {STEPS_MAX} different steps, which nobody would follow.")
    long = next((line for _, line in done if len(line) > LINE_CHARS), None)
    return [*reasons, _too_long(long)] if long is not None else reasons


def _too_long(command: str) -> str:
    shown = " ".join(command.split())[:80]
    return f"A step cannot be told in one line of {STEP_CHARS} characters: `{shown}`."


def against_steps(material: _Material) -> list[str]:
    """Say what speaks against the steps."""
    commands = material.commands
    reasons: list[str] = []
    if len(commands) < STEPS_MIN:
        reasons.append(
            f"It has {len(commands)} step(s) that worked and do something; a skill needs {STEPS_MIN} at least "
            "(looking and moving about do not count)."
        )
    long = next((one.command.text for one in commands if not _is_one_line(one.command.text)), None)
    if long is not None:
        reasons.append(_too_long(long))
    own = [one for one in commands if is_peculiar(one.command.text)]
    if len(own) > PROJECT_SHARE * len(commands):
        reasons.append(
            f"{len(own)} of its {len(commands)} steps name files, addresses or names of one project, "
            f"such as `{own[0].command.text[:80]}`."
        )
    if commands and is_habit(material.keys):
        reasons.append("It is version control of every day, which needs no skill.")
    danger = unsafe(material.pattern, commands)
    return [*reasons, danger] if danger is not None else reasons


def _is_one_line(command: str) -> bool:
    return len(command) <= STEP_CHARS and command.isprintable() and "`" not in command


def _against_known(material: _Material, similar: Sequence[Likeness], installed: Sequence[InstalledSkill]) -> list[str]:
    reasons = [f"It is what {one.skill.ref} does: {_why(one)}." for one in similar[:_TAKEN_SHOWN] if one.duplicate]
    taken = [one.ref for one in installed if one.id == material.skill_id]
    if taken:
        reasons.append(f"The id {material.skill_id} is taken: {', '.join(taken[:_TAKEN_SHOWN])}.")
    return reasons


def _why(one: Likeness) -> str:
    told = [f"it has {one.steps:.0%} of the steps"] if one.steps else []
    return " and ".join([*told, *(["the same words mean it already"] if one.words else [])])


def _instead(material: _Material, similar: Sequence[Likeness], installed: Sequence[InstalledSkill]) -> str | None:
    alike = next((one.skill.ref for one in similar if one.duplicate), None)
    return alike or next((one.ref for one in installed if one.id == material.skill_id), None)


# -- what was done -----------------------------------------------------------------------------------------------------


def _material(task: Task, done: Sequence[tuple[CommandStep, str]]) -> _Material:
    pattern = Pattern(Signal.finished_task, tuple(step.key for step, _ in done), (_occurrence(task),), 1)
    runs = tuple({0: one} for one in done)
    evidence = Evidence(pattern, pattern.occurrences, {}, ((task.objective,),), (True,), runs, (task.id,))
    general, _ = general_commands(evidence)
    commands, inputs = with_inputs(_distinct(general), [step for step, _ in done], task.objective)
    asked = asked_of(task.objective)
    return _Material(task, pattern, tuple(judge(commands)), tuple(inputs), asked, _id_of(asked, pattern.keys))


def _done(task: Task) -> list[tuple[CommandStep, str]]:
    """Return what worked and did something, with its line; of what was done again the last time counts.

    It stops at one more than there may be.
    """
    found: dict[tuple[str, str, tuple[tuple[str, str], ...]], tuple[CommandStep, str]] = {}
    for taken in task.steps:
        if len(found) > STEPS_MAX:
            break
        if taken.success is False:
            continue
        for step in steps_of(taken.command):
            if not step.noise:
                same = (step.key, step.template, step.values)
                found.pop(same, None)
                found[same] = step, taken.command
    return list(found.values())


def _distinct(commands: Sequence[GeneralCommand]) -> list[GeneralCommand]:
    return list({one.text: replace(one, required=True) for one in commands}.values())


def _occurrence(task: Task) -> Occurrence:
    times = [int(moment.timestamp() * 1000) for moment in (task.created_at, task.ended_at or task.created_at)]
    return Occurrence(task.session_id or task.id, task.repo, times[0], times[1], (), (), True)


def asked_of(objective: str) -> str:
    """Return an objective as one short request: of a long one its first sentence, without politeness."""
    first = next((part for part in _SENTENCE.split(objective) if not says_nothing(part)), objective)
    text = bare(clean(first)) or clean(first)
    return " ".join(text.split()[:_EXAMPLE_WORDS])


def _id_of(asked: str, keys: Sequence[str]) -> str:
    words = id_words(asked)
    if len(words) < 2:
        words += [part for key in keys[:2] for part in slug(key).split("-")]
    return "-".join(dict.fromkeys(words))[:ID_MAX_LENGTH].strip("-") or "finished-task"


# -- the draft ---------------------------------------------------------------------------------------------------------


def _draft(number: str, material: _Material, similar: Sequence[Likeness], installed: int, words: Words) -> Draft:
    commands, asked = material.commands, material.asked
    candidate = _candidate(number, material)
    is_alias = 2 <= len(asked.split()) <= _ALIAS_WORDS and asked == without_values(asked)
    manifest = SkillManifest(
        id=material.skill_id,
        kind=SkillKind.prompt_skill,
        scope=Scope.user,
        description=words.description,
        aliases=[asked] if is_alias else [],
        triggers=[f"user asks to {material.name}"],
        examples=list(dict.fromkeys([asked, *_whole(material.task.objective)])),
        risk=candidate.risk,
        trust=Trust.suggested,
        requires_approval=gates_of(commands),
        provenance=Provenance.agent,
        stale_after_days=_STALE_DAYS,
    )
    gate = _gate(material, similar, installed, candidate.friction_removed)
    body = _body(material, candidate, words)
    return Draft(candidate, gate, manifest, body, similar=tuple(similar), repo=material.task.repo)


def _whole(objective: str) -> list[str]:
    text = clean(objective)
    return [text] if len(text.split()) <= _EXAMPLE_WORDS and len(objective) <= len(text) + 20 else []


def _candidate(number: str, material: _Material) -> PatternCandidate:
    steps = len(material.commands)
    title = material.name[:_TITLE_MAX]
    return PatternCandidate(
        id=number,
        title=title[:1].upper() + title[1:],
        kind=CandidateKind.skill,
        confidence=CONFIDENCE,
        evidence_event_ids=[material.task.id],
        repeated_signals=[f"one finished task: {' > '.join(material.keys)}"[:500]],
        friction_removed=f"{steps} steps were found out once, and need not be found out again.",
        suggested_scope=Scope.user,
        risk=risk_of(material.commands),
        reason=f"It went well once, on {material.task.created_at:%Y-%m-%d}, and somebody asked to keep it.",
        signal=Signal.finished_task,
        steps=[one.command.text for one in material.commands],
        occurrences=1,
        sessions=1,
        days=1,
        success_rate=1.0,
    )


def _gate(material: _Material, similar: Sequence[Likeness], installed: int, friction: str) -> QualityGate:
    task = material.task
    gate = answers(
        material.pattern,
        material.commands,
        event_ids=[task.id],
        friction=friction,
        likenesses=similar,
        installed=installed,
        scope_reason=_SCOPE,
        only_text=False,
    )
    worked = sum(step.exit_code == 0 for step in task.steps)
    evidence = (
        f"one task only, {task.id} (`wellworn task show` shows it): it ended in success, {worked} of its "
        f"{len(task.steps)} steps with exit code 0"
    )
    return gate.model_copy(update={"evidence": evidence})


def _body(material: _Material, candidate: PatternCandidate, words: Words) -> str:
    gates = gates_of(material.commands)
    lines: list[str] = []
    for one, why in zip(material.commands, words.steps, strict=True):
        lines += told([one])
        lines[-1] += f" {why}" if why else ""
    numbered = "\n".join(f"{at}. {line}" for at, line in enumerate(lines, 1))
    parts = [f"# {candidate.title}", f"## Steps\n\n{numbered}"]
    if material.inputs:
        parts.append("## Inputs\n\n" + "\n".join(f"- `{one.name}`: {one.description}" for one in material.inputs))
    failure = find_failure(material.task.steps)
    if failure is not None and failure.later is not None:
        parts.append(f"## What went wrong before\n\n- {from_steps(material.task).lesson}")
    if gates:
        parts.append("## Approval\n\nAsk a person before each of these, every time: " + ", ".join(gates) + ".")
    return "\n\n".join(parts) + "\n"
