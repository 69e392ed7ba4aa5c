"""From a pattern and its evidence to a candidate and, where it deserves one, the draft of a skill or recipe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from wellworn.lifecycle.miner.confidence import confidence
from wellworn.lifecycle.miner.patterns import Pattern
from wellworn.lifecycle.proposing.commands import general_commands
from wellworn.lifecycle.proposing.evidence import Evidence
from wellworn.lifecycle.proposing.gate import RISK_OF_TEXT, answers, friction_of
from wellworn.lifecycle.proposing.glosses import gloss
from wellworn.lifecycle.proposing.judging import Ruling, rule, rule_once, suggested_scope
from wellworn.lifecycle.proposing.once import Work, evidence_of
from wellworn.lifecycle.proposing.recipes import JudgedCommand, gates_of, judge, recipe_of, risk_of, slug, told
from wellworn.lifecycle.proposing.similar import InstalledSkill, Likeness, Resolve, find_similar
from wellworn.lifecycle.proposing.words import Said, Talk, Wording, bare, clean, id_words, wording_of
from wellworn.models.ids import ID_MAX_LENGTH
from wellworn.models.proposal import CandidateKind, PatternCandidate, QualityGate, Signal, SkillAdditions
from wellworn.models.recipe import ForgeInput, ForgeRecipe
from wellworn.models.skill import Provenance, Scope, SkillKind, SkillManifest, Trust

_TITLE_MAX = 80
_STALE_DAYS = {Scope.repo: 90, Scope.user: 180, Scope.session: None}
_MOST_ADDED = 8


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a draft is made against: the user's other messages, what is installed, how messages resolve, the time."""

    elsewhere: Talk
    installed: Sequence[InstalledSkill]
    resolve: Resolve
    now: datetime


@dataclass(frozen=True, slots=True)
class Draft:
    """A candidate, and what would be written for it. manifest is None for `doc` and `ignore`.

    updates: the installed skill that `additions` would extend instead. notes: for the person who decides.
    """

    candidate: PatternCandidate
    gate: QualityGate | None = None
    manifest: SkillManifest | None = None
    body: str = ""
    recipe: ForgeRecipe | None = None
    similar: tuple[Likeness, ...] = ()
    updates: str | None = None
    additions: SkillAdditions | None = None
    repo: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Material:
    """Everything that was read out of the evidence."""

    evidence: Evidence
    wording: Wording
    commands: tuple[JudgedCommand, ...]
    inputs: tuple[ForgeInput, ...]
    sure: float
    scope: Scope
    repo: str | None
    scope_reason: str

    @property
    def pattern(self) -> Pattern:
        return self.evidence.pattern


def draft(evidence: Evidence, around: Surroundings, candidate_id: str) -> Draft:
    """Judge a pattern, and draft what it deserves. Nothing here is installed or even stored."""
    material = _material(evidence, around)
    ruling = rule(material.pattern, material.commands, material.sure)
    if ruling.kind is CandidateKind.ignore:
        return Draft(_candidate(candidate_id, material, ruling), repo=material.repo)
    similar = find_similar(
        _command_keys(material), material.wording.examples, around.installed, around.resolve, material.repo
    )
    if similar and similar[0].duplicate:
        return _update(candidate_id, material, ruling, similar, len(around.installed))
    return _new(candidate_id, material, ruling, similar, around)


def draft_once(work: Work, around: Surroundings, candidate_id: str, scope: Scope | None = None) -> Draft:
    """Draft a skill from one finished piece of work that somebody wants kept. Nothing here is installed or stored.

    A draft without a manifest is none: its candidate's reason says why. scope: in the place of the suggested one.
    """
    material = _material(evidence_of(work), around)
    if scope is not None:
        repo = material.repo if scope is Scope.repo else None
        told = material.scope_reason if scope is material.scope else f"{scope}: it was asked for"
        material = replace(material, scope=scope, repo=repo, scope_reason=told)
    ruling = rule_once(material.pattern, material.commands)
    if ruling.kind is CandidateKind.ignore:
        return Draft(_candidate(candidate_id, material, ruling), repo=material.repo)
    similar = find_similar(
        _command_keys(material), material.wording.examples, around.installed, around.resolve, material.repo
    )
    if similar and similar[0].duplicate:
        return _update(candidate_id, material, ruling, similar, len(around.installed))
    return _new(candidate_id, material, ruling, similar, around)


def draft_fact(evidence: Evidence, around: Surroundings, candidate_id: str) -> Draft:
    """Return the candidate of something that was told again and again, without anything to do about it."""
    material = _material(evidence, around)
    said = max(map(clean, _corrections(evidence)), key=len, default=material.pattern.keys[0])
    ruling = Ruling(CandidateKind.doc, f'Worth writing down where agents read it: "{said}"')
    return Draft(_candidate(candidate_id, material, ruling, title=said), repo=material.repo)


def _material(evidence: Evidence, around: Surroundings) -> _Material:
    pattern = evidence.pattern
    is_saying = not any(evidence.commands)
    commands, inputs = ([], []) if is_saying else general_commands(evidence)
    scope, repo, reason = suggested_scope(pattern)
    return _Material(
        evidence,
        _wording(evidence, around.elsewhere),
        tuple(judge(commands)),
        tuple(inputs),
        confidence(pattern, around.now),
        scope,
        repo,
        reason,
    )


def _wording(evidence: Evidence, elsewhere: Talk) -> Wording:
    """Return what people call it. A correction or checklist is itself what they said, and what they had asked for
    before it is what it should be thought of at."""
    before = [Said(texts, at_once) for texts, at_once in zip(evidence.said, evidence.at_once, strict=True)]
    if any(evidence.commands):
        return wording_of(before, elsewhere)
    own = wording_of([Said((text,), at_once=True) for text in _corrections(evidence)], elsewhere)
    asked = wording_of([Said(one.texts) for one in before], elsewhere)
    examples = tuple(dict.fromkeys((*own.examples, *asked.examples)))
    return Wording(own.aliases, examples, own.best)


def _corrections(evidence: Evidence) -> list[str]:
    by_id = {event.id: event for event in evidence.events.values()}
    texts = [by_id[one].summary for one in evidence.event_ids if one in by_id]
    return texts[-len(evidence.occurrences) :] if len(texts) >= len(evidence.occurrences) else texts


def _command_keys(material: _Material) -> list[str]:
    return [one.command.key for one in material.commands]


# -- the candidate -----------------------------------------------------------------------------------------------------


def _candidate(number: str, material: _Material, ruling: Ruling, title: str | None = None) -> PatternCandidate:
    pattern = material.pattern
    steps = [one.command.text for one in material.commands] or list(pattern.keys)
    return PatternCandidate(
        id=number,
        title=(title or _title(material))[:_TITLE_MAX],
        kind=ruling.kind,
        confidence=round(material.sure, 4),
        evidence_event_ids=list(material.evidence.event_ids),
        repeated_signals=_signals(pattern),
        friction_removed=friction_of(pattern, len(material.commands)),
        suggested_scope=material.scope,
        risk=risk_of(material.commands) if material.commands else RISK_OF_TEXT,
        reason=ruling.reason,
        signal=pattern.signal,
        steps=steps,
        occurrences=pattern.support,
        sessions=pattern.sessions,
        days=pattern.days,
        success_rate=pattern.success_rate,
    )


def _signals(pattern: Pattern) -> list[str]:
    words = {
        Signal.command_sequence: "the same commands in a row",
        Signal.release_ritual: "the same release or install ritual",
        Signal.review_loop: "the same review loop",
        Signal.failure_recovery: "the same failure, put right in the same way",
        Signal.repeated_correction: "the same correction by the user",
        Signal.advisor_warning: "the same warning, resolved in the same way",
        Signal.manual_checklist: "the same checklist before a merge or release",
        Signal.finished_task: "one piece of work that went well",
    }
    cause = f" ({pattern.cause})" if pattern.cause else ""
    return [f"{words[pattern.signal]}{cause}: {' > '.join(pattern.keys)}"[:500]]


def _title(material: _Material) -> str:
    pattern = material.pattern
    if pattern.signal is Signal.failure_recovery:
        return f"When {pattern.keys[-1]} fails: {gloss(pattern.keys[0])}"
    best = material.wording.best
    if best:
        text = bare(best) or best
        return text[:1].upper() + text[1:]
    return _capital(", ".join(dict.fromkeys(gloss(key) for key in pattern.keys)))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# -- something new -----------------------------------------------------------------------------------------------------


def _new(number: str, material: _Material, ruling: Ruling, similar: Sequence[Likeness], around: Surroundings) -> Draft:
    candidate = _candidate(number, material, ruling)
    skill_id = _free_id(material, {one.id for one in around.installed})
    description = _description(material)
    is_recipe = ruling.kind is CandidateKind.forge_recipe and bool(material.commands)
    recipe = None
    if is_recipe:
        recipe = recipe_of(
            skill_id,
            description,
            material.commands,
            material.inputs,
            signal=material.pattern.signal,
            cause=material.pattern.cause,
        )
    manifest = SkillManifest(
        id=skill_id,
        kind=SkillKind.forge_recipe if is_recipe else SkillKind.prompt_skill,
        scope=material.scope,
        description=description,
        aliases=list(material.wording.aliases),
        triggers=_triggers(material),
        examples=list(material.wording.examples),
        risk=candidate.risk,
        trust=Trust.suggested,
        requires_approval=gates_of(material.commands),
        recipe_id=skill_id if is_recipe else None,
        provenance=Provenance.agent,
        stale_after_days=_STALE_DAYS[material.scope],
    )
    return Draft(
        candidate,
        _answers(material, similar, len(around.installed)),
        manifest,
        _body(material, candidate, recipe),
        recipe,
        tuple(similar),
        repo=material.repo,
    )


def _answers(material: _Material, similar: Sequence[Likeness], installed: int) -> QualityGate:
    steps = len(material.commands)
    return answers(
        material.pattern,
        material.commands,
        event_ids=material.evidence.event_ids,
        friction=friction_of(material.pattern, steps),
        likenesses=similar,
        installed=installed,
        scope_reason=material.scope_reason,
        only_text=not material.commands,
    )


def _free_id(material: _Material, taken: set[str]) -> str:
    words = id_words(_title(material))
    if len(words) < 2:
        words += [part for key in material.pattern.keys[:2] for part in slug(key).split("-")]
    base = "-".join(dict.fromkeys(words))[: ID_MAX_LENGTH - 4].strip("-") or "repeated-work"
    free, at = base, 2
    while free in taken:
        free, at = f"{base}-{at}", at + 1
    return free


def _description(material: _Material) -> str:
    """What it does in plain words, then what people say when they want it."""
    pattern = material.pattern
    doing = _capital(_listed(list(dict.fromkeys(gloss(one.command.key) for one in material.commands))))
    if pattern.signal is Signal.failure_recovery:
        failing = pattern.keys[-1]
        doing = f"When {failing} fails ({pattern.cause or failing}): {doing[:1].lower()}{doing[1:]}"
    elif pattern.signal is Signal.advisor_warning:
        doing = f"When the advisor warns ({pattern.cause}): {doing[:1].lower()}{doing[1:]}"
    elif pattern.signal is Signal.review_loop:
        checks = f"{doing[:1].lower()}{doing[1:]}"
        doing = f"Work through review concerns until none that matters is left: address them, {checks}, review again"
    elif not material.commands:
        doing = f"Keep to what the user asked for again and again: {material.wording.best or pattern.keys[0]}"
    asked = [f'"{text}"' for text in asks_of((material.wording.aliases or material.wording.examples)[:3])]
    asks = f" Use when the user asks to {_listed(asked, 'or')}." if asked else ""
    return f"{doing}.{asks}"[:1000]


def asks_of(texts: Sequence[str]) -> list[str]:
    """Return wordings without quotes in them, to stand in quotes."""
    return [text.replace('"', "'") for text in texts]


def _listed(parts: Sequence[str], word: str = "and") -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {word} {parts[-1]}" if parts else ""


def _triggers(material: _Material) -> list[str]:
    pattern = material.pattern
    match pattern.signal:
        case Signal.failure_recovery:
            return [f"{pattern.keys[-1]} just failed", *([f"{pattern.cause}"] if pattern.cause else [])]
        case Signal.advisor_warning:
            return [f"the advisor warns: {pattern.cause}"]
        case Signal.review_loop:
            return ["current branch has an open PR", f"the {pattern.cause} review has concerns"]
    best = material.wording.best
    return [f"user asks to {bare(best)}"] if best else []


def _body(material: _Material, candidate: PatternCandidate, recipe: ForgeRecipe | None) -> str:
    gates = gates_of(material.commands)
    parts = [f"# {candidate.title}", candidate.friction_removed]
    if material.commands:
        parts.append("## Steps\n\n" + _numbered(told(material.commands)))
    else:
        said = asks_of(material.wording.examples)
        parts.append("## What the user said\n\n" + "\n".join(f'- "{text}"' for text in said))
    if material.inputs and recipe is not None:
        parts.append("## Inputs\n\n" + "\n".join(f"- `{one.name}`: {one.description}" for one in material.inputs))
    if gates:
        parts.append("## Approval\n\nAsk a person before each of these, every time: " + ", ".join(gates) + ".")
    return "\n\n".join(parts) + "\n"


def _numbered(lines: Sequence[str]) -> str:
    return "\n".join(f"{at}. {line}" for at, line in enumerate(lines, 1))


# -- an update of what is there ----------------------------------------------------------------------------------------


def _update(number: str, material: _Material, ruling: Ruling, similar: Sequence[Likeness], installed: int) -> Draft:
    """Return what an installed skill lacks of this pattern; nothing new means there is nothing to propose."""
    known = similar[0]
    lacking = [one for one in material.commands if one.command.key in known.missing]
    unheard = [text for text in material.wording.examples if text in known.unheard]
    additions = SkillAdditions(
        aliases=[text for text in material.wording.aliases if any(bare(one) == text for one in unheard)],
        examples=unheard[:_MOST_ADDED],
        steps=told(lacking),
        requires_approval=gates_of(lacking),
    )
    if not (additions.examples or additions.steps):
        told_of = Ruling(CandidateKind.ignore, f"It duplicates {known.skill.ref}, which has its steps and words.")
        return Draft(_candidate(number, material, told_of), similar=tuple(similar), repo=material.repo)
    reason = f"It is what {known.skill.ref} does, with something that it lacks. {ruling.reason}"
    candidate = _candidate(
        number, material, Ruling(ruling.kind, reason), f"Update {known.skill.id}: {_title(material)}"
    )
    manifest = SkillManifest(id=known.skill.id, scope=known.skill.scope, description="", trust=Trust.suggested)
    return Draft(
        candidate,
        _answers(material, similar, installed),
        manifest,
        similar=tuple(similar),
        updates=known.skill.ref,
        additions=additions,
        repo=material.repo if known.skill.scope is Scope.repo else None,
    )
