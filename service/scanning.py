"""The security scan where it decides: before a skill is accepted, updated or imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from wellworn.lifecycle.accepting import Draft, refuse_findings
from wellworn.models.errors import InvalidInput
from wellworn.models.proposal import ScanFinding, SkillChange
from wellworn.models.recipe import ForgeRecipe
from wellworn.models.reports import BlockedSkill, Progress, ShowProgress
from wellworn.models.skill import Risk, Skill, SkillManifest, Trust
from wellworn.store.text_file import Notes, decode_text, read_bounded
from wellworn.store.transfer import Library

_MOST_FILES = 1000
_SHOW_EVERY = 50
_NAMED = 5
_ALLOWED = "allowed: "
_OWN = frozenset({"skill.md", "manifest.yaml", "manifest.yml"})


def scan(
    manifest: SkillManifest,
    body: str,
    recipe: ForgeRecipe | None,
    overrides: Sequence[str] = (),
    directory: Path | None = None,
) -> tuple[list[ScanFinding], list[ScanFinding]]:
    """Return all findings, and those of them that block because nobody has allowed them by name.

    directory: the skill's folder, whose other files are read as well.
    """
    from wellworn.lifecycle.scan import blocking, scan_skill  # noqa: PLC0415  parsers, loaded where they are needed

    findings = scan_skill(manifest, body, recipe, {} if directory is None else _other_files(directory))
    return findings, blocking(findings, overrides)


def scanned(draft: Draft, overrides: Sequence[str], there: Skill | None = None) -> tuple[list[ScanFinding], str | None]:
    """Return the findings of what is to be written, and what is to be recorded of those that were allowed.

    there: the skill that it is written over; what that says already, nobody is asked about again. Raises InvalidInput
    that lists the high ones that were not allowed.
    """
    findings, blocked = scan(draft.manifest, draft.body, draft.recipe, overrides, there.directory if there else None)
    if blocked and there is not None:
        known = {_told(one) for one in scan(there.manifest, there.body, None, (), there.directory)[0]}
        blocked = [one for one in blocked if _told(one) not in known]
    refuse_findings(blocked)
    names = allowed_names(findings, overrides)
    return findings, f"{_ALLOWED}{', '.join(names)}" if names else None


def _told(finding: ScanFinding) -> tuple[str, str, str]:
    """What makes it the same finding, on whatever line it stands now."""
    return finding.name, finding.where, finding.excerpt


def sifted(
    library: Library, overrides: Sequence[str], progress: ShowProgress
) -> tuple[Library, list[BlockedSkill], list[str]]:
    """Return what of a library may be imported, what may not, and notes on what a person should know of it.

    Raises InvalidInput for an override that no finding has: it would be a misspelling.
    """
    passed, blocked, used = [], [], set[str]()
    for number, line in enumerate(library):
        findings, stops = scan(line.manifest, line.body or "", None, overrides)
        used.update(one.name for one in findings)
        if stops:
            blocked.append(BlockedSkill(id=line.manifest.id, findings=list(dict.fromkeys(one.name for one in stops))))
        else:
            passed.append(line)
        if number % _SHOW_EVERY == 0:
            progress(Progress("Scanning skills", number, len(library)))
    if unknown := [name for name in overrides if name not in used]:
        raise InvalidInput(
            f"No skill of {library.path} has a finding {unknown[0][:80]!r}.",
            hint=f"There are: {', '.join(sorted(used)) or 'none'}.",
            field="overrides",
        )
    high = [line.manifest.id for line in passed if line.manifest.trust in {Trust.trusted, Trust.automatic}]
    more = "" if len(high) <= _NAMED else f" and {len(high) - _NAMED} more"
    notes = [f"Imported as installed, whatever trust they claim: {', '.join(high[:_NAMED])}{more}."] if high else []
    return replace(library, lines=tuple(passed)), blocked, notes


def allowed_before(history: Sequence[SkillChange]) -> list[str]:
    """Return the names of the findings that a person allowed when the skill was accepted or updated."""
    told = [one.evidence for one in history if one.evidence is not None and one.evidence.startswith(_ALLOWED)]
    return [name for text in told for name in text.removeprefix(_ALLOWED).split(", ")]


def allowed_names(findings: Sequence[ScanFinding], overrides: Sequence[str]) -> list[str]:
    """Return the names of the high findings that were allowed by name."""
    names = [one.name for one in findings if one.severity is Risk.high and one.name in set(overrides)]
    return list(dict.fromkeys(names))


def _other_files(directory: Path) -> Mapping[str, str]:
    """The text of what lies beside a SKILL.md, scripts above all; links and what is no file are not followed."""
    found: dict[str, str] = {}
    for path in sorted(islice(directory.rglob("*"), _MOST_FILES)):
        if path.is_symlink() or not path.is_file() or path.name.lower() in _OWN:
            continue
        notes = Notes(str(path), [])
        data = read_bounded(path, notes)
        if data and b"\0" not in data[:1024]:
            found[path.relative_to(directory).as_posix()] = decode_text(data, notes)
    return found
