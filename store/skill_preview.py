"""What a change of a skill would make of its files, without touching them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wellworn.models.skill import SkillManifest
from wellworn.store.skill_state import state_hash, state_of
from wellworn.store.skill_write import write_skill
from wellworn.store.text_file import Notes, decode_text

Texts = dict[str, str]


def preview(directory: Path, manifest: SkillManifest, body: str | None) -> tuple[Texts, Texts]:
    """Return the text of the skill's files by name, as they are and as `write_skill` would leave them.

    Raises what it raises.
    """
    with _written(directory, manifest, body) as copy:
        return _texts(directory), _texts(copy)


def hash_after(directory: Path, manifest: SkillManifest, body: str | None) -> str | None:
    """Return the hash (`state_hash`) of the skill's files as `write_skill` would leave them. Raises what it raises."""
    with _written(directory, manifest, body) as copy:
        return state_hash(state_of(copy))


@contextmanager
def _written(directory: Path, manifest: SkillManifest, body: str | None) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="wellworn-") as temporary:
        copy = Path(temporary) / directory.name
        copy.mkdir()
        for path, data in _files(directory):
            (copy / path.name).write_bytes(data)
        write_skill(Path(temporary), manifest, body, directory=copy, sync=False, clean=False)
        yield copy


def _files(directory: Path) -> list[tuple[Path, bytes]]:
    state = state_of(directory)
    pairs = ((state.skill_md_path, state.skill_md), (state.manifest_path, state.manifest))
    return [(path, data) for path, data in pairs if path is not None and data is not None]


def _texts(directory: Path) -> Texts:
    return {path.name: decode_text(data, Notes(str(path), [])) for path, data in _files(directory)}
