"""What a person's decision makes of a proposal or a skill: the new text, and whether it may be written. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from wellworn.models.curation import UpdateRequest
from wellworn.models.errors import InvalidInput
from wellworn.models.proposal import AcceptRequest, Proposal, ScanFinding, SkillAdditions
from wellworn.models.recipe import ForgeRecipe
from wellworn.models.skill import Provenance, Scope, SkillKind, SkillManifest, Trust
from wellworn.store.markdown import append_steps, plain_text, steps_of

PHRASE_MAX = 500
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to be written. edited: a person changed something of what was proposed or was there."""

    manifest: SkillManifest
    body: str
    recipe: ForgeRecipe | None = None
    edited: bool = False

    @property
    def id(self) -> str:
        return self.manifest.id

    @property
    def scope(self) -> Scope:
        return self.manifest.scope


def draft_of(proposal: Proposal, request: AcceptRequest) -> Draft:
    """Return the skill that an accept would write: as proposed, with the person's edits, never above `installed`.

    Raises InvalidInput naming the field of an edit that cannot be used.
    """
    if request.steps is not None:
        raise InvalidInput("`steps` goes with a proposal that updates a skill.", hint="Edit `body`.", field="steps")
    proposed = proposal.manifest
    skill_id, scope = request.id or proposed.id, request.scope or proposed.scope
    recipe = _renamed(request.recipe or proposal.recipe, proposed.id, skill_id)
    body = proposal.body if request.body is None else request.body
    fields = {
        "description": _description(proposed.description if request.description is None else request.description),
        "aliases": _phrases(proposed.aliases if request.aliases is None else request.aliases, "aliases"),
        "triggers": _phrases(proposed.triggers if request.triggers is None else request.triggers, "triggers"),
        "examples": _phrases(proposed.examples if request.examples is None else request.examples, "examples"),
    }
    asked = (request.recipe, proposal.recipe)
    edited = (
        any(value != getattr(proposed, name) for name, value in fields.items())
        or body.strip() != proposal.body.strip()
        or (asked[0] is not None and asked[0] != asked[1])
    )
    manifest = proposed.model_copy(
        update={
            **fields,
            "id": skill_id,
            "scope": scope,
            "kind": SkillKind.forge_recipe if recipe else proposed.kind,
            "recipe_id": recipe.id if recipe else proposed.recipe_id,
            "trust": Trust.installed,
            "provenance": Provenance.human if edited else Provenance.agent,
        }
    )
    return Draft(manifest, body, recipe, edited)


def _renamed(recipe: ForgeRecipe | None, proposed_id: str, skill_id: str) -> ForgeRecipe | None:
    """A recipe that bears its skill's name bears the new one as well."""
    if recipe is None or recipe.id != proposed_id:
        return recipe
    return recipe.model_copy(update={"id": skill_id})


def check_confirmed(draft: Draft, confirm: str | None) -> None:
    """Repo scope needs the id again. Raises InvalidInput that says what to give."""
    if draft.scope is not Scope.repo or confirm == draft.id:
        return
    what = "has to be confirmed" if confirm is None else f"was confirmed with {confirm[:_SHOWN]!r}"
    raise InvalidInput(
        f"A skill of repo scope is shared with everybody who works in the repository; {draft.id} {what}.",
        hint=f"Give the id once more: `confirm` (--confirm {draft.id}).",
        field="confirm",
    )


def additions_of(proposal: Proposal, request: AcceptRequest | None = None) -> SkillAdditions:
    """Return what an update adds: as proposed, with the person's edits; of a proposal for a new skill, its phrases.

    Raises InvalidInput for an edit that an update cannot have.
    """
    added = proposal.additions
    if added is None:
        of = proposal.manifest
        added = SkillAdditions(
            aliases=of.aliases,
            triggers=of.triggers,
            examples=of.examples,
            steps=list(steps_of(proposal.body)),
            requires_approval=of.requires_approval,
        )
    if request is None:
        return added
    for field in ("description", "body", "recipe"):
        if getattr(request, field) is not None:
            raise InvalidInput(
                f"This proposal adds to a skill that is there, so `{field}` cannot be given.",
                hint="Change aliases, triggers, examples or steps; the rest with `wellworn skills update`.",
                field=field,
            )
    edits = {name: getattr(request, name) for name in ("aliases", "triggers", "examples", "steps")}
    return added.model_copy(update={name: value for name, value in edits.items() if value is not None})


def added_to(manifest: SkillManifest, body: str, additions: SkillAdditions) -> Draft:
    """Return a skill with the additions; what it has already is not added again, and nothing else changes."""
    known = {plain_text(step).casefold() for step in steps_of(body)}
    steps = [step for step in additions.steps if plain_text(step).casefold() not in known]
    changed = manifest.model_copy(
        update={
            "aliases": _with(manifest.aliases, _phrases(additions.aliases, "aliases")),
            "triggers": _with(manifest.triggers, _phrases(additions.triggers, "triggers")),
            "examples": _with(manifest.examples, _phrases(additions.examples, "examples")),
            "requires_approval": _with(manifest.requires_approval, additions.requires_approval),
        }
    )
    return Draft(changed, append_steps(body, steps))


def updated(manifest: SkillManifest, body: str, request: UpdateRequest) -> Draft:
    """Return a skill with a person's changes; any of them makes its text a person's.

    Raises InvalidInput naming the field for something to be removed that is not there, or text that cannot be used.
    """
    fields: dict[str, object] = {
        name: _without(
            _with(getattr(manifest, name), _phrases(getattr(request, f"add_{name}"), f"add{name.capitalize()}")),
            getattr(request, f"remove_{name}"),
            name,
        )
        for name in ("aliases", "triggers", "examples")
    }
    if request.description is not None:
        fields["description"] = _description(request.description)
    changed = manifest.model_copy(update=fields)
    text = body if request.body is None else request.body
    if changed == manifest and text.strip() == body.strip():
        return Draft(manifest, body)
    return Draft(changed.model_copy(update={"provenance": Provenance.human}), text, edited=True)


def _with(there: Sequence[str], more: Iterable[str]) -> list[str]:
    folded = {" ".join(one.split()).casefold() for one in there}
    result = list(there)
    for one in more:
        if (key := " ".join(one.split()).casefold()) not in folded:
            folded.add(key)
            result.append(one)
    return result


def _without(there: Sequence[str], gone: Iterable[str], name: str) -> list[str]:
    result = list(there)
    for one in gone:
        wanted = " ".join(one.split()).casefold()
        found = next((text for text in result if " ".join(text.split()).casefold() == wanted), None)
        if found is None:
            has = "; ".join(there) or "none"
            raise InvalidInput(
                f"It has no {name} like {one[:_SHOWN]!r}.",
                hint=f"It has: {has[:400]}.",
                field=f"remove{name.capitalize()}",
            )
        result.remove(found)
    return result


def _phrases(texts: Iterable[str], field: str) -> list[str]:
    """Fold white space and drop what is empty or there twice. Raises InvalidInput for one that is too long."""
    result: list[str] = []
    for text in texts:
        phrase = " ".join(text.split())
        if len(phrase) > PHRASE_MAX:
            raise InvalidInput(
                f"`{field}` has a text of {len(phrase):,} characters; at most {PHRASE_MAX} are allowed.",
                hint="Say it in a sentence.",
                field=field,
            )
        if phrase and phrase not in result:
            result.append(phrase)
    return result


def _description(text: str) -> str:
    folded = " ".join(text.split())
    if not folded:
        raise InvalidInput("A skill needs a description.", hint="Say in a sentence what it does.", field="description")
    return folded


def difference(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Return a unified diff of files by name; empty when nothing differs."""
    parts: list[str] = []
    for name in dict.fromkeys([*before, *after]):
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        lines = difflib.unified_diff(
            (old or "").splitlines(),
            (new or "").splitlines(),
            "/dev/null" if old is None else name,
            "/dev/null" if new is None else name,
            lineterm="",
        )
        parts.extend(lines)
    return "\n".join(parts)


def refuse_findings(blocking: Sequence[ScanFinding]) -> None:
    """Raise InvalidInput that lists each high finding and how to allow it; nothing for none."""
    if not blocking:
        return
    listed = "; ".join(
        f"{one.name} ({one.where}{'' if one.line is None else f':{one.line}'}: {one.message.rstrip('.')})"
        for one in blocking
    )
    names = list(dict.fromkeys(one.name for one in blocking))
    raise InvalidInput(
        f"The security scan found what could harm who follows this skill: {listed}.",
        hint=f"Take it out, or allow it by name: `overrides` ({' '.join(f'--override {name}' for name in names)}).",
        field="overrides",
    )
