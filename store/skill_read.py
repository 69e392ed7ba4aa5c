"""Reading one skill: its SKILL.md, the manifest.yaml beside it, and what follows from both.

Nothing in a skill's files raises: what can be used is used, and every doubt becomes a diagnostic with file and line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wellworn.models.errors import StoreError
from wellworn.models.skill import Diagnostic, Risk, Scope, Skill, Trust
from wellworn.store.derive import derive_fields, first_paragraph, steps_of
from wellworn.store.front_matter import split_lines
from wellworn.store.manifest_file import (
    SidecarFields,
    merge,
    note_lost,
    note_unsafe,
    read_fields,
    repeated_differently,
)
from wellworn.store.safe_paths import is_inside
from wellworn.store.safety_fields import Unreadable, read_allowed_tools, read_gates, read_risk
from wellworn.store.slugs import id_of
from wellworn.store.text_file import Notes, decode_text, is_text, read_bounded
from wellworn.store.yaml_block import folded, read_block
from wellworn.store.yaml_read import YamlMap, typed

SKILL_FILE = "SKILL.md"
MANIFEST_FILE = "manifest.yaml"
_SKILL_NAMES = frozenset({"skill.md"})
_MANIFEST_NAMES = frozenset({"manifest.yaml", "manifest.yml"})
_OUR_MANIFEST = re.compile(
    r"^[\"']?(id|description|aliases|triggers|examples|negatives|requires[-_]?approval|recipe[-_]?id)[\"']?\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_FOREIGN_MANIFEST = re.compile(r"^apiVersion\s*:", re.MULTILINE)  # Kubernetes
_NAME_MAX = 64
_DESCRIPTION_MAX = 1024
_BODY_MAX_LINES = 500
_BODY_MAX_TOKENS = 5000
_CHARS_PER_TOKEN = 4  # the usual estimate for English text
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class ParsedSkillFile:
    """A SKILL.md by itself.

    frontmatter: values by the key as written; unquoted scalars are text until `yaml_read.typed` is asked.
    name, description, when_to_use: None when not given. allowed_tools: None when not restricted.
    risk, requires_approval: as given by a tool that writes them here. unsafe: a safety field could not be read.
    """

    frontmatter: YamlMap
    name: str | None
    description: str | None
    when_to_use: str | None
    body: str
    body_line: int
    allowed_tools: tuple[str, ...] | None
    risk: Risk | None
    requires_approval: list[str] | None
    model_invocable: bool
    unsafe: bool
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class SkillPaths:
    """The files of one skill directory, as their names are spelled there; None when missing."""

    skill_md: Path | None
    manifest: Path | None


def find_files(directory: Path) -> SkillPaths:
    """Find SKILL.md and manifest.yaml, in any capitals. Raises StoreError for a folder that is not there."""
    try:
        with os.scandir(directory) as entries:
            names = sorted(entry.name for entry in entries)
    except OSError as error:
        raise StoreError(f"The skill folder {directory} cannot be read: {error.strerror}.") from error
    return SkillPaths(
        _pick(directory, names, SKILL_FILE, _SKILL_NAMES), _pick(directory, names, MANIFEST_FILE, _MANIFEST_NAMES)
    )


def looks_like_skill(directory: Path, names: list[str]) -> bool:
    """Say whether a directory with these entries is a skill: a SKILL.md, or a manifest.yaml that reads like ours."""
    if any(name.lower() in _SKILL_NAMES for name in names):
        return True
    manifest = _pick(directory, names, MANIFEST_FILE, _MANIFEST_NAMES)
    if manifest is None or not manifest.is_file():
        return False
    notes = Notes(str(manifest), [])
    data = read_bounded(manifest, notes)
    text = decode_text(data or b"", notes)
    return _OUR_MANIFEST.search(text) is not None and _FOREIGN_MANIFEST.search(text) is None


def _pick(directory: Path, names: list[str], exact: str, tolerated: frozenset[str]) -> Path | None:
    if exact in names:
        return directory / exact
    return next((directory / name for name in names if name.lower() in tolerated), None)


@dataclass(frozen=True, slots=True)
class SkillBytes:
    """The content of a skill's files as found; `skill_md` and `manifest` are None when missing or not readable.

    `unsafe`: a file is there but could not be read, so that what it restricts is unknown.
    """

    skill_md_path: Path | None = None
    manifest_path: Path | None = None
    skill_md: bytes | None = None
    manifest: bytes | None = None
    unsafe: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()


def read_skill_directory(directory: Path, *, scope: Scope, owner: str, root: Path | None = None) -> Skill:
    """Read the skill in `directory` as one of `scope` and `owner`.

    A file that leads outside `root` (default: the directory) is not followed. Raises StoreError only when the folder
    itself cannot be read.
    """
    return skill_from_bytes(directory, read_files(directory, root or directory), scope=scope, owner=owner)


def read_files(directory: Path, root: Path) -> SkillBytes:
    """Read a skill's files; one that cannot be read is a diagnostic. Raises StoreError as `find_files` does."""
    paths = find_files(directory)
    diagnostics: list[Diagnostic] = []
    skill_md = _read_bytes(paths.skill_md, root, diagnostics)
    manifest = _read_bytes(paths.manifest, root, diagnostics)
    missed = (paths.skill_md is not None and skill_md is None) or (paths.manifest is not None and manifest is None)
    return SkillBytes(paths.skill_md, paths.manifest, skill_md, manifest, missed, tuple(diagnostics))


def _read_bytes(path: Path | None, root: Path, diagnostics: list[Diagnostic]) -> bytes | None:
    if path is None:
        return None
    notes = Notes(str(path), diagnostics)
    if path.is_symlink() and not is_inside(root, path):
        notes.error("outside", f"it leads outside {root} and was not followed; put the file itself here.")
        return None
    data = read_bounded(path, notes)
    if data is None or is_text(data):
        return data
    notes.error("not-text", "it is not a text file; replace it with one.")
    return None


def skill_from_bytes(directory: Path, files: SkillBytes, *, scope: Scope, owner: str) -> Skill:
    """Make a skill of the content of its files; pure, nothing is read from the disk."""
    file = str(files.skill_md_path or directory / SKILL_FILE)
    parsed = parse_skill_md(files.skill_md or b"", file)
    sidecar_notes = Notes(str(files.manifest_path or directory / MANIFEST_FILE), [])
    sidecar = SidecarFields() if files.manifest is None else parse_manifest(files.manifest, sidecar_notes)
    notes = Notes(file, [*files.diagnostics, *parsed.diagnostics])
    unsafe = files.unsafe or parsed.unsafe or sidecar.unsafe
    if files.skill_md_path is None and files.manifest_path is None:
        notes.error("no-skill", f"there is neither {SKILL_FILE} nor {MANIFEST_FILE} in this folder.")
        unsafe = True
    directory_name = directory.name or directory.resolve().name
    if files.skill_md is not None:
        _check_format(parsed, directory_name, notes, described="description" in sidecar.values)
    name = parsed.name or directory_name
    skill_id = id_of(directory_name, name)
    derived = _derived(parsed, skill_id, name, sidecar, notes)
    manifest = merge(derived, sidecar, skill_id=skill_id, scope=scope, notes=sidecar_notes)
    return Skill(
        manifest=manifest,
        name=name,
        body=parsed.body,
        owner=owner,
        directory=directory,
        invocable=not unsafe,
        allowed_tools=parsed.allowed_tools,
        steps=steps_of(parsed.body),
        diagnostics=(*notes.items, *sidecar_notes.items),
    )


def parse_manifest(data: bytes, notes: Notes) -> SidecarFields:
    """Read the bytes of a manifest.yaml; problems go to `notes`."""
    lines = decode_text(data, notes).split("\n")
    block = read_block(lines, 1, notes)
    if not block.values and block.lost_safety is None and any(d.code == "yaml" for d in notes.items):
        block.lost_safety = 1  # nothing of it could be read: whatever it restricted is lost
    return read_fields(block, notes)


def parse_skill_md(data: bytes, file: str) -> ParsedSkillFile:
    """Read the bytes of a SKILL.md; `file` is what its diagnostics call it."""
    notes = Notes(file, [])
    lines = decode_text(data, notes).split("\n")
    parts = split_lines(lines, notes)
    block = read_block(lines[parts.start : parts.end], parts.start + 1, notes)
    if block.lost_safety is not None:
        note_lost(block.lost_safety, notes)
    safety = _Safety(block.values, notes, unsafe=block.lost_safety is not None)
    body_lines = lines[parts.body :]
    skipped = next((i for i, line in enumerate(body_lines) if line.strip()), 0)
    body = "\n".join(body_lines[skipped:]).rstrip()
    fields = {folded(key): value for key, value in block.values.items()}
    return ParsedSkillFile(
        frontmatter=block.values,
        name=_text(fields, "name", block.values, notes),
        description=_text(fields, "description", block.values, notes),
        when_to_use=_text(fields, "whentouse", block.values, notes),
        body=body,
        body_line=parts.body + skipped + 1,
        allowed_tools=safety.read("allowedtools", read_allowed_tools),
        risk=safety.read("risk", lambda value: read_risk(value, foreign=True)),
        requires_approval=safety.read("requiresapproval", read_gates),
        model_invocable=typed(fields.get("disablemodelinvocation")) is not True,
        unsafe=safety.unsafe,
        diagnostics=tuple(notes.items),
    )


class _Safety:
    """Reads the safety fields of a front matter, at its top level and under `metadata`."""

    def __init__(self, values: YamlMap, notes: Notes, *, unsafe: bool) -> None:
        metadata = next((value for key, value in values.items() if folded(key) == "metadata"), None)
        self.maps = [values, metadata] if isinstance(metadata, YamlMap) else [values]
        self.notes = notes
        self.unsafe = unsafe

    def read(self, name: str, reader: Any) -> Any:
        found = [(mapping, key) for mapping in self.maps for key in mapping if folded(key) == name]
        if not found:
            return None
        mapping, key = found[0]
        try:
            if any(repeated_differently(k, m) or m[k] != mapping[key] for m, k in found):
                raise Unreadable("it stands twice with different values; keep one")
            return reader(mapping[key])
        except Unreadable as problem:
            note_unsafe(key, str(problem), mapping.lines[key], self.notes)
            self.unsafe = True
            return None


def _text(fields: Mapping[str, Any], name: str, values: YamlMap, notes: Notes) -> str | None:
    """Return a text field with its white space folded, or None when it is missing, empty or not text."""
    value = fields.get(name)
    if isinstance(value, str):
        folded_text = " ".join(value.split())
        return folded_text if folded_text and typed(value) is not None else None
    if name in fields:
        line = next(values.lines[key] for key in values if folded(key) == name)
        notes.warning("not-text", f"`{name}` must be one text, not a list or mapping; it was ignored.", line)
    return None


def _derived(parsed: ParsedSkillFile, skill_id: str, name: str, sidecar: SidecarFields, notes: Notes) -> dict[str, Any]:
    """Return the manifest fields that follow from SKILL.md, and note where manifest.yaml overrules its safety."""
    fields = derive_fields(skill_id, name, parsed.description or first_paragraph(parsed.body), parsed.when_to_use)
    for field, key, value in (
        ("risk", "risk", parsed.risk),
        ("requires_approval", "requiresApproval", parsed.requires_approval),
    ):
        if value is not None:
            fields[field] = value
            if sidecar.values.get(field, value) != value:
                notes.warning("overruled", f"`{key}` differs between SKILL.md and manifest.yaml; manifest.yaml counts.")
    if not parsed.model_invocable:
        fields["trust"] = Trust.disabled
        if "trust" not in sidecar.values:
            message = (
                "`disable-model-invocation` keeps this skill from being matched; to let wellworn match it, write "
                "`trust: installed` in manifest.yaml."
            )
            notes.info("model-invocation", message, _line_of(parsed, "disablemodelinvocation"))
    return fields


def _line_of(parsed: ParsedSkillFile, name: str) -> int | None:
    values = parsed.frontmatter
    return next((values.lines[key] for key in values if folded(key) == name), None)


def _check_format(parsed: ParsedSkillFile, directory_name: str, notes: Notes, *, described: bool) -> None:
    """Note where a SKILL.md departs from the Agent Skills format."""
    if parsed.name is None:
        notes.warning("no-name", f"it has no `name`; the folder's name {directory_name[:_SHOWN]!r} is used.", 1)
    elif parsed.name != directory_name:
        message = f"`name` is {parsed.name[:_SHOWN]!r}, but the folder is {directory_name[:_SHOWN]!r}; make them equal."
        notes.warning("name-mismatch", message, _line_of(parsed, "name"))
    elif len(parsed.name) > _NAME_MAX:
        notes.warning("name-too-long", f"`name` is longer than {_NAME_MAX} characters.", _line_of(parsed, "name"))
    if parsed.description is None and not described:
        notes.warning("no-description", "it has no `description`; its first paragraph is used.", 1)
    elif parsed.description is not None and len(parsed.description) > _DESCRIPTION_MAX:
        message = f"`description` has {len(parsed.description):,} characters; the format allows {_DESCRIPTION_MAX:,}."
        notes.warning("description-too-long", message, _line_of(parsed, "description"))
    _check_body(parsed, notes)


def _check_body(parsed: ParsedSkillFile, notes: Notes) -> None:
    lines = parsed.body.count("\n") + 1
    tokens = len(parsed.body) // _CHARS_PER_TOKEN
    if lines > _BODY_MAX_LINES or tokens > _BODY_MAX_TOKENS:
        message = (
            f"the body has {lines:,} lines and about {tokens:,} tokens; above {_BODY_MAX_LINES} lines or "
            f"{_BODY_MAX_TOKENS:,} tokens an agent's context suffers. Move detail into references/."
        )
        notes.warning("body-too-long", message, parsed.body_line)
