from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.service.http.office import Office, open_office


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    """A running service with a key of each role."""
    with open_office(tmp_path) as running:
        yield running
