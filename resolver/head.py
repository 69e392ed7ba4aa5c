"""The trained head."""

from __future__ import annotations

from pathlib import Path

from wellworn.index.view import View


class HeadCache:
    """Keeps trained heads by partition."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def of(self, view: View, fingerprint: str) -> None:
        """Return the head of a view, or None while there is none."""

    def close(self) -> None:
        """Stop."""
