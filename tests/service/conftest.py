"""A fresh world for each test of the service."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.service.worlds import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Empty: no home, no data."""
    return World(tmp_path)
