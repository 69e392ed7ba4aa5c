"""A real service over a real workspace, with a key of each role."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from tests.service.http.serving import JSON, Served, served
from tests.service.worlds import World

from wellworn.models.access import Role
from wellworn.service.workspace import Workspace

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Office:
    """A service over a real workspace, with a key of each role; requests are a reviewer's."""

    world: World
    served: Served
    workspace: Workspace
    secrets: dict[str, str]

    def send(self, method: str, path: str, body: Any = None, *, role: Role = Role.reviewer) -> httpx.Response:
        headers = {"authorization": f"Bearer {self.secrets[role.value]}", **JSON}
        return self.served.client.request(method, path, json=body, headers=headers)

    def resolve(self, message: str, **context: Any) -> dict[str, Any]:
        answer = self.send("POST", "/resolve", {"message": message, "context": context}, role=Role.agent)
        found: dict[str, Any] = answer.json()
        return found


@contextmanager
def open_office(root: Path) -> Iterator[Office]:
    """Serve the usual world below `root`."""
    world = World(root)
    world.usual()
    opened: list[Workspace] = []

    def open_workspace(show: Any) -> Workspace:
        opened.append(Workspace.open(world.settings(watch=False), progress=show, background=True))
        return opened[0]

    with served(root, open_workspace) as running:
        secrets = {role.value: opened[0].keys.create(role, "local", now=NOW)[1] for role in Role}
        yield Office(world, running, opened[0], secrets)
