"""manifest.yaml: its fields one by one, so that a bad one costs itself and not the skill."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from wellworn.models.skill import Scope, SkillManifest, Trust, When
from wellworn.store.safety_fields import Unreadable, read_gates, read_risk
from wellworn.store.text_file import Notes
from wellworn.store.yaml_block import Block, folded
from wellworn.store.yaml_read import YamlMap, typed

_FIELDS = {folded(name): name for name in SkillManifest.model_fields}
_TEXT_LISTS = frozenset({"aliases", "triggers", "examples", "negatives"})
_TEXTS = frozenset({"id", "description", "recipe_id", "kind", "scope", "trust", "provenance"})


@dataclass(slots=True)
class SidecarFields:
    """What manifest.yaml says. `values` by Python field name, `extra` as written, `unsafe`: a safety field failed."""

    values: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    unsafe: bool = False


def read_fields(block: Block, notes: Notes) -> SidecarFields:
    """Sort the keys of a manifest.yaml block into known fields, safety fields and unknown ones."""
    result = SidecarFields()
    for key, value in block.values.items():
        name = _FIELDS.get(folded(key))
        line = block.values.lines[key]
        if name is None:
            result.extra[key] = typed(value)
            continue
        if name in result.values:
            notes.warning("repeated-key", f"`{key}` stands here again under another spelling; this one counts.", line)
        result.lines[name] = line
        if name in {"risk", "requires_approval"}:
            _read_safety(result, name, key, block.values, notes)
        elif (coerced := _coerce(name, value)) is not None:
            result.values[name] = coerced
            problem = _when_problem(coerced) if name == "when" else None
            if problem is not None:
                note_unsafe(key, problem, line, notes)
                result.unsafe = True
                del result.values[name]
    if block.lost_safety is not None:
        note_lost(block.lost_safety, notes)
        result.unsafe = True
    return result


def note_lost(line: int, notes: Notes) -> None:
    """Say that something which looks like a safety field could not be read."""
    notes.error(
        "safety-field",
        "a line that may restrict this skill (allowed-tools, requiresApproval or risk) could not be read, so the skill "
        "is not invocable; mend the YAML here.",
        line,
    )


def note_unsafe(key: str, problem: str, line: int, notes: Notes) -> None:
    """Say that a safety field could not be understood."""
    notes.error("safety-field", f"`{key}` cannot be understood, so the skill is not invocable: {problem}.", line)


def repeated_differently(key: str, values: YamlMap) -> bool:
    """Say whether a key stands twice with two different values."""
    return key in values.repeated and values.repeated[key][1] != values[key]


def _read_safety(result: SidecarFields, name: str, key: str, values: YamlMap, notes: Notes) -> None:
    try:
        if repeated_differently(key, values) or name in result.values:
            raise Unreadable("it stands twice; keep one")
        result.values[name] = read_risk(values[key]) if name == "risk" else read_gates(values[key])
    except Unreadable as problem:
        note_unsafe(key, str(problem), values.lines[key], notes)
        result.unsafe = True


def _coerce(name: str, value: Any) -> Any:
    """Shape a value for its field: text stays as written, one text is a list of one. None means not there."""
    if typed(value) is None:
        return None
    if name in _TEXT_LISTS:
        items = value if isinstance(value, list) else [value]
        return [str(item) if isinstance(item, str) else item for item in items if typed(item) is not None]
    if name in _TEXTS:
        return " ".join(value.split()) if isinstance(value, str) else value
    if name == "when" and isinstance(value, dict):
        return {key: typed(item) if folded(key) == "openpr" else _texts(item) for key, item in value.items()}
    return typed(value)


def _when_problem(value: Any) -> str | None:
    """Return why `when` cannot be judged: a fact that must hold and that nobody understands must not be left out."""
    try:
        facts = When.model_validate(value)
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"])
        return f"`{where}` has a value of the wrong type" if where else "it must be a mapping of facts"
    unknown = sorted(facts.model_extra or {})
    return f"`{unknown[0]}` is not a fact that it can ask for" if unknown else None


def _texts(value: Any) -> Any:
    if isinstance(value, list):
        return [_texts(item) for item in value]
    return str(value) if isinstance(value, str) else typed(value)


def merge(
    derived: dict[str, Any], sidecar: SidecarFields, *, skill_id: str, scope: Scope, notes: Notes
) -> SkillManifest:
    """Lay the sidecar's fields over the derived ones; the directory decides the id, the source decides the scope.

    A field of the wrong type is dropped with a diagnostic and its derived value stands, except `trust`: what was meant
    to hold a skill back must not install it, so an unknown trust is `disabled`.
    """
    _note_overruled(sidecar, skill_id, scope, notes)
    values = {**sidecar.extra, **derived, **sidecar.values, "id": skill_id, "scope": scope}
    try:
        return SkillManifest.model_validate(values)
    except ValidationError as error:
        for name in _invalid_fields(error, sidecar, notes):
            values.pop(name, None)
            if name == "trust":
                values[name] = Trust.disabled
            elif name in derived:
                values[name] = derived[name]
        return SkillManifest.model_validate(values)


def _note_overruled(sidecar: SidecarFields, skill_id: str, scope: Scope, notes: Notes) -> None:
    written = sidecar.values.get("id")
    if written is not None and written != skill_id:
        message = f"`id` says {str(written)[:80]!r}, but the folder makes it {skill_id!r}; the folder wins."
        notes.warning("id-mismatch", message, sidecar.lines["id"])
    told = sidecar.values.get("scope")
    if told is not None and told != scope:
        message = f"`scope` says {str(told)[:80]!r}, but this folder is read as {scope.value!r}, which wins."
        notes.warning("scope-mismatch", message, sidecar.lines["scope"])


def _invalid_fields(error: ValidationError, sidecar: SidecarFields, notes: Notes) -> list[str]:
    """Note each field that failed, once, and return their names."""
    names: list[str] = []
    for problem in error.errors(include_url=False, include_context=False):
        name = _FIELDS[folded(str(problem["loc"][0]))]
        if name not in names:
            names.append(name)
            place = ".".join(str(part) for part in problem["loc"])
            message = f"`{place}` is not usable and was ignored: {problem['msg']}."
            notes.error("invalid-field", message, sidecar.lines.get(name))
    return names
