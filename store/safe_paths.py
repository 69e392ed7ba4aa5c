"""Paths that cannot leave their root."""

from __future__ import annotations

from pathlib import Path

from wellworn.models.errors import InvalidInput


def inside(root: Path, *parts: str) -> Path:
    """Return `root/parts...` with every symbolic link resolved.

    Raises InvalidInput when a part is absolute, holds a NUL, or when the result lies outside `root`.
    """
    if any("\0" in part for part in parts):
        raise InvalidInput("A path may not contain a NUL character.", field="path")
    try:
        base = root.resolve()
        full = base.joinpath(*parts).resolve()
    except (OSError, RuntimeError) as error:  # a loop of links, or a name that the file system refuses
        raise InvalidInput(f"{'/'.join(parts)!r} is not a usable path: {error}.", field="path") from error
    if not full.is_relative_to(base):
        raise InvalidInput(
            f"{'/'.join(parts)!r} leads outside {root}.", hint="Use a path below that folder.", field="path"
        )
    return full


def is_inside(root: Path, path: Path) -> bool:
    """Say whether `path`, links resolved, lies in `root` (a broken or looping link does not)."""
    try:
        return path.resolve(strict=True).is_relative_to(root.resolve())
    except (OSError, RuntimeError):
        return False
