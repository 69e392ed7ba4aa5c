"""The command line of a fresh world."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.service.cli.commands import Commands
from tests.service.worlds import World


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world whose folder is the current one, outside any repository."""
    monkeypatch.chdir(tmp_path)
    return World(tmp_path)


@pytest.fixture
def cli(world: World) -> Commands:
    """Commands in that world."""
    return Commands(world)
