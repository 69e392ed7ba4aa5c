"""Writing one skill's files: whole or not at all, and nothing but what changed.

SKILL.md keeps to the Agent Skills format (only its own keys); what is ours goes into manifest.yaml beside it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from wellworn.models.errors import Conflict, InvalidInput, NotFound, StoreError
from wellworn.models.ids import check_skill_id
from wellworn.models.skill import Scope, Skill, SkillManifest
from wellworn.store.files import is_leftover, sync_folder, temporary_name, write_together, write_whole
from wellworn.store.front_matter import split_lines
from wellworn.store.safe_paths import inside
from wellworn.store.skill_read import MANIFEST_FILE, SKILL_FILE, SkillBytes, SkillPaths, find_files, read_files
from wellworn.store.skill_read import skill_from_bytes as read_bytes
from wellworn.store.swap import swap_files
from wellworn.store.text_file import Encoding, Notes, raw_lines
from wellworn.store.yaml_write import REMOVED, dump_entry, edit_block

_FOLLOWING = frozenset({"id", "scope", "description", "triggers", "negatives"})  # may follow from the text
_FOLDER_DECIDES = frozenset({"id", "scope"})
_CHECK_PERMISSIONS = "Check the folder's permissions and free space; nothing was changed."


def write_skill(
    root: Path,
    manifest: SkillManifest,
    body: str | None,
    *,
    name: str | None = None,
    allowed_tools: tuple[str, ...] | None = None,
    directory: Path | None = None,
    sync: bool = True,
    clean: bool = True,
) -> Path:
    """Write a skill to `root/<id>` (or to an existing `directory` inside `root`) and return its folder.

    body, name, allowed_tools: None leaves what is there. A new name that is not the id becomes an alias. A new folder
    appears complete or not at all; in an existing one only files whose content changes are replaced, each whole (both
    at once where the folder holds nothing else and the system can), and their comments, unknown keys, order, encoding
    and line ends stay. `sync`: force it to the disk before returning; `clean`: first remove what killed processes left
    half-written in `root`.

    Raises InvalidId or InvalidInput for an id or path that leaves `root` or text that is none, Conflict when existing
    files are too broken to be changed safely (they stay as they are), StoreError when the disk refuses.
    """
    check_skill_id(manifest.id)
    target = _place(root, manifest.id, directory)
    _check_text(manifest, body, name)
    wanted = manifest.model_copy(update={"description": " ".join(manifest.description.split())})
    if clean:
        remove_leftovers(root)
    if target.is_dir() and any(target.iterdir()):
        _update(target, wanted, body, name, allowed_tools, sync=sync)
    else:
        _create(target, _with_alias(wanted, name), body or "", allowed_tools, sync=sync)
    return target


def remove_skill(root: Path, skill_id: str, *, directory: Path | None = None) -> None:
    """Delete a skill's folder at once: a reader sees all of it or nothing.

    Raises InvalidId, InvalidInput for a path outside `root`, NotFound when no skill is there, StoreError.
    """
    check_skill_id(skill_id)
    target = _place(root, skill_id, directory)
    if not target.is_dir() or find_files(target) == SkillPaths(None, None):
        raise NotFound(f"There is no skill {skill_id!r} in {root}.", hint="`wellworn skills list` shows what is there.")
    trash = target.with_name(temporary_name(target.name))
    try:
        target.rename(trash)
        sync_folder(target.parent)
    except OSError as error:
        raise StoreError(f"{target} cannot be removed: {error.strerror}.", hint="Check its permissions.") from error
    shutil.rmtree(trash, ignore_errors=True)


def remove_leftovers(root: Path) -> None:
    """Delete what killed processes left half-written in `root`; nobody ever reads it."""
    try:
        with os.scandir(root) as entries:
            leftovers = [Path(entry.path) for entry in entries if is_leftover(entry.name)]
    except OSError:  # not there yet, or not readable: the write itself will say so
        return
    for path in leftovers:
        shutil.rmtree(path, ignore_errors=True)


def _place(root: Path, skill_id: str, directory: Path | None) -> Path:
    if directory is None:
        return inside(root, skill_id)
    place = inside(root, os.path.relpath(directory, root))
    if place == root.resolve():
        raise InvalidInput(f"{directory} is the library itself, not a skill in it.", field="directory")
    return place


def _check_text(manifest: SkillManifest, body: str | None, name: str | None) -> None:
    try:
        (manifest.model_dump_json() + (body or "") + (name or "")).encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInput(f"The skill {manifest.id!r} holds characters that are no text.", field="body") from error


def _with_alias(manifest: SkillManifest, name: str | None) -> SkillManifest:
    if not name or name == manifest.id or name in manifest.aliases:
        return manifest
    return manifest.model_copy(update={"aliases": [*manifest.aliases, name]})


def _create(
    target: Path, manifest: SkillManifest, body: str, allowed_tools: tuple[str, ...] | None, *, sync: bool
) -> None:
    files = compose(target, manifest, body, allowed_tools)
    temporary = target.with_name(temporary_name(target.name))
    try:
        temporary.mkdir(parents=True)
        write_whole(temporary / SKILL_FILE, files.skill_md or b"", sync=sync)
        write_whole(temporary / MANIFEST_FILE, files.manifest or b"", sync=sync)
        temporary.rename(target)
        if sync:
            sync_folder(target.parent)
    except OSError as error:
        shutil.rmtree(temporary, ignore_errors=True)
        raise StoreError(f"{target} cannot be written: {error.strerror}.", hint=_CHECK_PERMISSIONS) from error


def compose(target: Path, manifest: SkillManifest, body: str, allowed_tools: tuple[str, ...] | None) -> SkillBytes:
    """Return the bytes of a new skill's two files; manifest.yaml holds what does not follow from SKILL.md."""
    front = [*dump_entry("name", manifest.id), *dump_entry("description", manifest.description)]
    if allowed_tools is not None:
        front += dump_entry("allowed-tools", _tools_text(allowed_tools))
    text = "\n".join(["---", *front, "---", "", *_body_lines(body)]).rstrip("\n") + "\n"
    files = SkillBytes(target / SKILL_FILE, target / MANIFEST_FILE, text.encode("utf-8"), None)
    derived = read_bytes(target, files, scope=manifest.scope, owner="").manifest
    plain = _plain(manifest)
    lines = [line for key in ("id", "kind", "scope") for line in dump_entry(key, plain[key])]
    unsaid = {
        field.alias or name
        for name, field in SkillManifest.model_fields.items()
        if name not in manifest.model_fields_set
    }
    for key, value in _differences(derived, manifest, skip={"kind", *unsaid}).items():
        lines += dump_entry(key, value) if value is not REMOVED else []
    return replace(files, manifest=("\n".join(lines) + "\n").encode("utf-8"))


def _tools_text(tools: Iterable[str]) -> str:
    return " ".join(tools)


def _body_lines(body: str) -> list[str]:
    """Return a body's lines without blank ones at either end, as reading gives them back."""
    lines = body.replace("\r\n", "\n").replace("\r", "\n").rstrip().split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    return lines


def _plain(manifest: SkillManifest) -> dict[str, Any]:
    return manifest.model_dump(mode="json", by_alias=True)


def _differences(old: SkillManifest, new: SkillManifest, skip: Iterable[str] = ()) -> dict[str, Any]:
    """Return what must be written, by wire name, to make `old` into `new`; REMOVED for what goes."""
    before, after = _plain(old), _plain(new)
    changes: dict[str, Any] = {}
    for key in (*after, *(key for key in before if key not in after)):
        if key not in _FOLDER_DECIDES and key not in skip and before.get(key) != after.get(key):
            changes[key] = _without_nulls(after[key]) if after.get(key) is not None else REMOVED
    return changes


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item not in (None, [])}
    return value


def _update(
    target: Path,
    wanted: SkillManifest,
    body: str | None,
    name: str | None,
    allowed_tools: tuple[str, ...] | None,
    *,
    sync: bool,
) -> None:
    files = read_files(target, target)
    current = read_bytes(target, files, scope=wanted.scope, owner="")
    if name != current.name:
        wanted = _with_alias(wanted, name)
    body_changes = body is not None and "\n".join(_body_lines(body)) != current.body
    tools_change = allowed_tools is not None and allowed_tools != current.allowed_tools
    changes = _differences(current.manifest, wanted)
    if not (changes or body_changes or tools_change):
        return
    if files.unsafe:
        raise Conflict(f"{target} cannot be read in full, so it is not changed.", hint="Mend its files by hand first.")
    front: dict[str, Any] = {"allowed-tools": _tools_text(allowed_tools or ())} if tools_change else {}
    try:
        edited = _edited(target, files, changes, front, body if body_changes else None)
    except UnicodeError as error:
        raise Conflict(f"A file in {target} is not valid text.", hint="Save it as UTF-8 first.") from error
    aim = replace(
        current,
        manifest=wanted,
        body=current.body if body is None else "\n".join(_body_lines(body)),
        allowed_tools=current.allowed_tools if allowed_tools is None else allowed_tools,
    )
    _check_edit(target, edited, current, aim, changes)
    changed = []
    if edited.manifest is not None and edited.manifest != files.manifest:
        changed.append((edited.manifest_path or target / MANIFEST_FILE, edited.manifest))
    if edited.skill_md is not None and edited.skill_md != files.skill_md:
        changed.append((edited.skill_md_path or target / SKILL_FILE, edited.skill_md))
    if len(changed) == 1 or (changed and not swap_files(target, {p.name: data for p, data in changed}, sync=sync)):
        write_together(changed, sync=sync)


def _edited(
    target: Path, files: SkillBytes, changes: Mapping[str, Any], front: dict[str, Any], body: str | None
) -> SkillBytes:
    """Return the files with the changes in the place where each belongs."""
    ours = dict(changes)
    if "description" in ours and files.skill_md is not None:
        front = {"description": ours["description"], **front}
        if files.manifest is None or not _has_key(files.manifest, "description"):
            del ours["description"]
    skill_md, manifest = files.skill_md, files.manifest
    if front or body is not None:
        skill_md = _edit_skill_md(files.skill_md or b"", front, body)
    if ours:
        start = manifest if manifest is not None else f"id: {target.name}\n".encode()
        manifest = _edit_manifest(start, ours)
    return SkillBytes(
        files.skill_md_path or (target / SKILL_FILE if skill_md is not None else None),
        files.manifest_path or (target / MANIFEST_FILE if manifest is not None else None),
        skill_md,
        manifest,
    )


def edited_manifest(target: Path, files: SkillBytes, fields: Mapping[str, Any]) -> bytes:
    """Return the manifest.yaml of files with other fields (wire name -> value); it need not be there before.

    Raises Conflict when the loader would not read exactly that from it.
    """
    start = files.manifest if files.manifest is not None else f"id: {target.name}\n".encode()
    try:
        edited = _edit_manifest(start, fields)
    except UnicodeError as error:
        raise Conflict(f"A file in {target} is not valid text.", hint="Save it as UTF-8 first.") from error
    current = read_bytes(target, files, scope=Scope.user, owner="")
    aim = SkillManifest.model_validate({**_plain(current.manifest), **fields})
    after = replace(files, manifest_path=files.manifest_path or target / MANIFEST_FILE, manifest=edited)
    _check_edit(target, after, current, replace(current, manifest=aim), fields)
    return edited


def _has_key(data: bytes, key: str) -> bool:
    lines, _ = raw_lines(data)
    return any(line.lower().startswith((f"{key}:", f'"{key}":')) for line in lines)


def _edit_manifest(data: bytes, changes: Mapping[str, Any]) -> bytes:
    lines, encoding = raw_lines(data)
    return encoding.encode("".join(_edit_lines(lines, changes, encoding)))


def _edit_lines(lines: list[str], changes: Mapping[str, Any], encoding: Encoding) -> list[str]:
    """Edit a block of raw lines; lines that stay keep their own line ends."""
    bare = [line.rstrip("\r\n") for line in lines]
    edited = edit_block(bare, changes)
    kept = _kept_ends(bare, edited)
    return [lines[kept[place]] if place in kept else line + encoding.newline for place, line in enumerate(edited)]


def _kept_ends(old: list[str], new: list[str]) -> dict[int, int]:
    """Map lines of `new` to the same lines of `old`, from both ends inwards."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    kept = {place: place for place in range(start)}
    back = 1
    while back <= min(len(old), len(new)) - start and old[-back] == new[-back]:
        kept[len(new) - back] = len(old) - back
        back += 1
    return kept


def _edit_skill_md(data: bytes, front: Mapping[str, Any], body: str | None) -> bytes:
    lines, encoding = raw_lines(data)
    end = encoding.newline
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += end
    bare = [line.rstrip("\r\n") for line in lines]
    parts = split_lines(bare, Notes("", []))
    head, block, rest = lines[: parts.start], lines[parts.start : parts.end], lines[parts.end :]
    after = parts.body - parts.end
    if front:
        block = _edit_lines(block, front, encoding)
        if not parts.fenced:
            opening = [] if head and head[-1].strip() == "---" else ["---" + end]
            head, rest, after = [*head, *opening], ["---" + end, *rest[after:]], 1
    if body is not None:
        blank = next((i for i in range(after, len(rest)) if rest[i].strip()), len(rest))
        had_text = blank < len(rest)
        gap = rest[after:blank] or ([end] if block and not had_text else [])
        rest = [*rest[:after], *gap, *(line + end for line in _body_lines(body))]
    return encoding.encode("".join([*head, *block, *rest]))


def _check_edit(target: Path, files: SkillBytes, before: Skill, wanted: Skill, changes: Mapping[str, Any]) -> None:
    """Read the edited bytes back: anything but what was wanted is refused before a file is touched."""
    after = read_bytes(target, files, scope=wanted.scope, owner="")
    old, new, aim = _plain(before.manifest), _plain(after.manifest), _plain(wanted.manifest)
    fields_right = all(
        new.get(key) == (aim.get(key) if key in changes else old.get(key))
        for key in {*old, *new, *aim}
        if key in changes or key not in _FOLLOWING
    )
    worse = _broken(after) > _broken(before)
    if worse or not fields_right or after.body != wanted.body or after.allowed_tools != wanted.allowed_tools:
        raise Conflict(
            f"The files in {target} are written in a way that cannot be changed safely.", hint="Edit them by hand."
        )


def _broken(skill: Skill) -> int:
    return sum(diagnostic.code in {"yaml", "safety-field", "repeated-key"} for diagnostic in skill.diagnostics)
