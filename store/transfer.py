"""Libraries as one file: JSON Lines in and out, and export to plain Agent Skills folders.

A line is a manifest with, optionally, `name`, `body`, `allowedTools` and `group`. Reading checks the whole file before
anything is returned, so that a caller that writes has seen every line.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TextIO

from pydantic import ValidationError

from wellworn.models.errors import Conflict, InvalidInput
from wellworn.models.skill import Scope, Skill, SkillManifest, Trust
from wellworn.store.derive import derive_fields, steps_of
from wellworn.store.export_notes import notes_on
from wellworn.store.files import write_whole
from wellworn.store.safe_paths import inside
from wellworn.store.safety_fields import Unreadable, read_allowed_tools
from wellworn.store.skill_read import ParsedSkillFile, parse_skill_md, read_skill_directory, skill_from_bytes
from wellworn.store.skill_write import compose, remove_leftovers, write_skill
from wellworn.store.text_file import MAX_BYTES

MAX_LINE_CHARS = 4_000_000
_OWN_KEYS = ("name", "body", "allowedTools", "group")
_KNOWN = frozenset(
    [*_OWN_KEYS, *SkillManifest.model_fields, *(field.alias for field in SkillManifest.model_fields.values())]
)
_DESCRIPTION_MAX = 1024
_DESCRIPTION_USABLE = 100_000
_FRONT_MATTER_REST = 1_000  # the id, the names of the keys and the line ends
_REASONS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class LibraryLine:
    """One skill of a library file. `line_number` counts from 1; `allowed_tools` None: not restricted."""

    line_number: int
    manifest: SkillManifest
    name: str
    body: str | None = None
    group: str | None = None
    allowed_tools: tuple[str, ...] | None = None

    def to_skill(self, *, scope: Scope, owner: str, directory: Path) -> Skill:
        """Return the line as a skill that lies nowhere but is said to lie in `directory`."""
        return Skill(
            manifest=self.manifest.model_copy(update={"scope": scope}),
            name=self.name,
            body=self.body or "",
            owner=owner,
            directory=directory,
            allowed_tools=self.allowed_tools,
            steps=steps_of(self.body or ""),
        )


@dataclass(frozen=True, slots=True)
class Library:
    """The lines of a library file.

    ignored: the keys that wellworn knows nothing about (they are kept). warnings: what a person should be told.
    """

    path: Path
    lines: tuple[LibraryLine, ...]
    ignored: frozenset[str] = frozenset()
    warnings: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[LibraryLine]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)


def read_library(path: Path, *, unique: bool = False) -> Library:
    """Read a `.jsonl` or `.jsonl.gz` library whole. Blank lines are allowed.

    An id that stands twice in a group (or in a file without groups) counts once: the first line stands and a warning
    names both. With `unique` that is an error too. Raises InvalidInput naming file, line and field for the first line
    that cannot be used.
    """
    lines: list[LibraryLine] = []
    ignored: set[str] = set()
    warnings: list[str] = []
    seen: dict[tuple[str | None, str], int] = {}
    for number, text in _numbered_lines(path):
        place = f"{path}:{number}"
        raw = _parse_object(text, place)
        line = _parse_line(raw, number, place)
        ignored.update(key for key in raw if key not in _KNOWN)
        first = seen.setdefault((line.group, line.manifest.id), number)
        if first == number:
            lines.append(line)
            continue
        message = f"{place}: the id {line.manifest.id!r} stands already on line {first}"
        if unique:
            raise InvalidInput(f"{message}.", hint="Give each skill of a group its own id.", field="id")
        warnings.append(f"{message}; this line was ignored.")
    if not lines:
        raise InvalidInput(f"{path} holds no skills.", hint='Write one {"id": ..., "description": ...} a line.')
    if ignored:
        warnings.append(f"{path}: unknown fields are kept but not used: {', '.join(sorted(ignored))}.")
    return Library(path, tuple(lines), frozenset(ignored), tuple(warnings))


def _numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    number = 0
    try:
        with _open_text(path) as file:
            while text := file.readline(MAX_LINE_CHARS + 1):
                number += 1
                if len(text) > MAX_LINE_CHARS:
                    raise InvalidInput(f"{path}:{number}: the line is longer than {MAX_LINE_CHARS:,} characters.")
                if text.strip():
                    yield number, text
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path}: after line {number} it is not UTF-8 text.", hint="Save it as UTF-8.") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InvalidInput(f"{path} is not a complete gzip file.", hint="Fetch or write it again.") from error
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be read: {error.strerror or error}.", hint="Give a readable file."
        ) from error


def _open_text(path: Path) -> IO[str]:
    if not path.is_file():
        problem = "is not a regular file" if path.exists() else "does not exist"
        raise InvalidInput(f"{path} {problem}.", hint="Give a .jsonl or .jsonl.gz file.", field="path")
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="\n")
    return path.open(encoding="utf-8-sig", newline="\n")


def _parse_object(text: str, place: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"{place}: it is not JSON: {error}.", hint="Write one JSON object a line.") from error
    except RecursionError as error:
        raise InvalidInput(f"{place}: it is nested too deeply.", hint="Write one flat JSON object a line.") from error
    if not isinstance(value, dict):
        raise InvalidInput(f"{place}: it is not a JSON object.", hint="Write one JSON object a line.")
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{place}: it holds half of a surrogate pair, which is no text.") from error
    return value


def _parse_line(raw: dict[str, Any], number: int, place: str) -> LibraryLine:
    for key in ("name", "body", "group"):
        if not isinstance(raw.get(key), str | None):
            raise InvalidInput(f"{place}: `{key}` must be text.", field=key)
    body, inner = _split_body(raw.get("body"), place)
    tools = _tools(raw["allowedTools"], place) if raw.get("allowedTools") is not None else inner.allowed_tools
    manifest = _manifest({key: value for key, value in raw.items() if key not in _OWN_KEYS}, inner, raw, place)
    name = raw.get("name") or inner.name or manifest.id
    line = LibraryLine(number, manifest, name, body, raw.get("group"), tools)
    _check_sizes(line, place)
    return line


def _check_sizes(line: LibraryLine, place: str) -> None:
    """Refuse what would be cut when the SKILL.md that is written of it is read."""
    description = line.manifest.description
    if len(description) > _DESCRIPTION_USABLE:
        raise InvalidInput(
            f"{place}: `description` has {len(description):,} characters of at most {_DESCRIPTION_USABLE:,}.",
            hint="Say in a sentence or two what it does; the rest belongs into `body`.",
            field="description",
        )
    # escaped as JSON a text is at least as long as in YAML
    front = len(json.dumps(description)) + len(" ".join(line.allowed_tools or ())) + _FRONT_MATTER_REST
    size = len((line.body or "").encode("utf-8"))
    if size + front > MAX_BYTES:
        raise InvalidInput(
            f"{place}: `body` has {size:,} bytes; a SKILL.md is read up to {MAX_BYTES:,}.",
            hint="Move detail into files beside it.",
            field="body",
        )


def _split_body(body: str | None, place: str) -> tuple[str | None, ParsedSkillFile]:
    """Return the body and what a front matter in it says (some libraries hold whole SKILL.md files)."""
    if body is None or not body.lstrip("\ufeff \t\r\n").startswith("---"):
        return body, parse_skill_md(b"", place)
    parsed = parse_skill_md(body.encode("utf-8"), place)
    if parsed.unsafe:
        raise InvalidInput(
            f"{place}: the front matter in `body` restricts the skill in a way that cannot be read.",
            hint="Mend `allowed-tools`, `requiresApproval` or `risk` there.",
            field="body",
        )
    return (parsed.body, parsed) if parsed.name or parsed.description else (body, parse_skill_md(b"", place))


def _tools(value: Any, place: str) -> tuple[str, ...]:
    try:
        return read_allowed_tools(value)
    except Unreadable as problem:
        raise InvalidInput(f"{place}: `allowedTools` cannot be understood: {problem}.", field="allowedTools") from None


def _manifest(fields: dict[str, Any], inner: ParsedSkillFile, raw: dict[str, Any], place: str) -> SkillManifest:
    """Validate the manifest's fields; what the line leaves out follows from its description, as in a SKILL.md."""
    try:
        given = SkillManifest.model_validate(fields)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_context=False)[0]
        field = ".".join(str(part) for part in problem["loc"])
        raise InvalidInput(
            f"{place}: `{field}` is not usable: {problem['msg'].removeprefix('Value error, ')}.", field=field
        ) from error
    description = " ".join((given.description or inner.description or "").split())
    name = raw.get("name") or inner.name or given.id
    derived = derive_fields(given.id, name, description, inner.when_to_use)
    derived |= {"risk": inner.risk} if inner.risk is not None else {}
    derived |= {"requires_approval": inner.requires_approval} if inner.requires_approval is not None else {}
    update = {key: value for key, value in derived.items() if key not in given.model_fields_set}
    if name != given.id and name not in given.aliases and "aliases" in given.model_fields_set:
        update["aliases"] = [*given.aliases, name]
    return given.model_copy(update={**update, "description": description})


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export did. `skipped`: (id, why) of skills that would have lost a restriction on the way.

    notes: sentences on what of the written skills it does not hold, such as scripts beside a SKILL.md.
    """

    written: int
    skipped: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


def write_library(skills: Iterable[Skill], out: Path | TextIO, *, strict: bool = False) -> Exported:
    """Write one JSON line a skill to a file (whole or not at all; `.gz` compresses) or an open stream.

    A skill that is not invocable is skipped, because its unreadable restriction could not be exported. With `strict`,
    raises InvalidInput, writing nothing, when a skill breaks the Agent Skills format.
    """
    chosen, skipped = _exportable(skills, strict=strict)
    text = "".join(json.dumps(_line_of(skill), ensure_ascii=False) + "\n" for skill in chosen)
    if not isinstance(out, Path):
        out.write(text)
        return Exported(len(chosen), skipped, notes_on(chosen))
    data = text.encode("utf-8")
    if out.suffix == ".gz":
        packed = io.BytesIO()
        with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as file:
            file.write(data)
        data = packed.getvalue()
    write_whole(out, data)
    return Exported(len(chosen), skipped, notes_on(chosen))


def _exportable(skills: Iterable[Skill], *, strict: bool) -> tuple[list[Skill], tuple[tuple[str, str], ...]]:
    chosen: list[Skill] = []
    skipped: list[tuple[str, str]] = []
    broken: list[str] = []
    for skill in skills:
        if not skill.invocable:
            skipped.append((skill.id, "a field that restricts it cannot be read; mend its files first"))
            continue
        chosen.append(skill)
        if strict and (reason := strict_problem(skill)):
            broken.append(f"{skill.id}: {reason}")
    if broken:
        more = f" (and {len(broken) - _REASONS_SHOWN} more)" if len(broken) > _REASONS_SHOWN else ""
        raise InvalidInput(
            f"Not exported, because the Agent Skills format forbids it: {'; '.join(broken[:_REASONS_SHOWN])}{more}.",
            hint="Mend these skills, or export without the strict format.",
        )
    return chosen, tuple(skipped)


def strict_problem(skill: Skill) -> str | None:
    """Return why the Agent Skills format does not allow this skill, or None."""
    length = len(skill.manifest.description)
    if length == 0:
        return "it has no description"
    if length > _DESCRIPTION_MAX:
        return f"its description has {length:,} characters of at most {_DESCRIPTION_MAX:,}"
    return None


def _line_of(skill: Skill) -> dict[str, Any]:
    line = skill.manifest.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=True)
    for key in ("kind", "scope"):
        line[key] = getattr(skill.manifest, key).value
    derived = derive_fields(skill.id, skill.name, skill.manifest.description, None)
    for key in ("triggers", "negatives"):
        if derived[key] and not getattr(skill.manifest, key):
            line[key] = []  # said to be none: reading must not derive them again
    if skill.name != skill.id:
        line["name"] = skill.name
    if skill.allowed_tools is not None:
        line["allowedTools"] = list(skill.allowed_tools)
    if skill.body:
        line["body"] = skill.body
    return line


def export_skill_directories(skills: Iterable[Skill], out: Path) -> Exported:
    """Write each skill as `out/<id>/` in the strict Agent Skills format, our own fields in manifest.yaml beside it.

    Everything is checked first. Raises InvalidInput when a skill breaks the format or an id repeats, Conflict when
    `out` already holds a folder of that name; then nothing is written.
    """
    chosen, skipped = _exportable(skills, strict=True)
    ids = [skill.id for skill in chosen]
    if twice := _first_twice(ids):
        raise InvalidInput(f"Two of the skills to export have the id {twice!r}.", hint="Export one scope at a time.")
    _refuse_existing(out, ids)
    for skill in chosen:
        write_skill(out, skill.manifest, skill.body, name=skill.name, allowed_tools=skill.allowed_tools)
    return Exported(len(chosen), skipped, notes_on(chosen))


def _first_twice(ids: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for skill_id in ids:
        if skill_id in seen:
            return skill_id
        seen.add(skill_id)
    return None


def _refuse_existing(root: Path, ids: Iterable[str]) -> None:
    if taken := next((skill_id for skill_id in ids if inside(root, skill_id).exists()), None):
        raise Conflict(f"{root / taken} exists already.", hint="Choose an empty folder, or remove it first.")


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: how many folders were written, and how many were there already with the same content."""

    written: int
    unchanged: int


def import_library(library: Library, root: Path, *, scope: Scope, replace: bool = False) -> Imported:
    """Write each line as a skill folder below `root`, each whole or not at all; nobody starts above `installed`.

    All lines are checked against `root` first. An interrupted import is finished by running it again. Raises Conflict,
    writing nothing, when a folder holds another skill of that id and `replace` is not set; InvalidInput when an id
    stands in two groups.
    """
    if twice := _first_twice(line.manifest.id for line in library):
        raise InvalidInput(
            f"{library.path}: the id {twice!r} stands in two groups.", hint="Import one group at a time."
        )
    lines = [(line, _installed(line.manifest, scope)) for line in library]
    new = [(line, manifest) for line, manifest in lines if not _is_there(root, line, manifest)]
    if not replace:
        _refuse_existing(root, (manifest.id for _, manifest in new))
    remove_leftovers(root)
    for line, manifest in new:
        write_skill(
            root, manifest, line.body, name=line.name, allowed_tools=line.allowed_tools, clean=False, sync=False
        )
    if new:
        os.sync()  # once for all of them: an import is acknowledged as a whole
    return Imported(len(new), len(lines) - len(new))


def _installed(manifest: SkillManifest, scope: Scope) -> SkillManifest:
    """A stranger's file cannot promote itself: trust above installed is a person's act."""
    trust = Trust.installed if manifest.trust in {Trust.trusted, Trust.automatic} else manifest.trust
    changed = {"scope": scope} if trust == manifest.trust else {"scope": scope, "trust": trust}
    return manifest.model_copy(update=changed)


def _is_there(root: Path, line: LibraryLine, manifest: SkillManifest) -> bool:
    """Say whether the folder holds this very skill already (the trust a person gave it since does not matter)."""
    directory = inside(root, manifest.id)
    if not directory.is_dir():
        return False
    there = read_skill_directory(directory, scope=manifest.scope, owner="")
    fresh = skill_from_bytes(
        directory, compose(directory, manifest, line.body or "", line.allowed_tools), scope=manifest.scope, owner=""
    )
    same_manifest = there.manifest.model_copy(update={"trust": manifest.trust}) == fresh.manifest
    return same_manifest and there.body == fresh.body and there.allowed_tools == fresh.allowed_tools
