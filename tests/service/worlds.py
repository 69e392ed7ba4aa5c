"""A home, repositories and a data folder on a real disk, for tests of the whole workspace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from wellworn.models.access import Caller, Role
from wellworn.models.resolution import Context, IntentResolution, ResolveRequest
from wellworn.service.settings import Settings
from wellworn.service.workspace import Workspace

ME = Caller(role=Role.admin, user="local")
SHIP = "ship it to the shelf"
"""An alias of the skill `release-local` that `World.usual` makes; aliases are matched exactly, whatever the encoder."""


@dataclass(frozen=True)
class World:
    """Everything below one temporary folder."""

    root: Path

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def library(self) -> Path:
        return self.home / ".wellworn" / "skills"

    def settings(self, **changes: Any) -> Settings:
        return Settings(**{"data_dir": self.data, "home": self.home, "encoder": "hashing:64", **changes})

    def skill(
        self, skill_id: str, description: str = "", *, at: Path | None = None, body: str = "", **manifest: Any
    ) -> Path:
        """Write <at>/<id>/SKILL.md, and manifest.yaml when fields are given; return the folder."""
        folder = (at or self.library) / skill_id
        folder.mkdir(parents=True, exist_ok=True)
        text = f"---\nname: {skill_id}\ndescription: {description or f'About {skill_id}.'}\n---\n{body}\n"
        (folder / "SKILL.md").write_text(text, encoding="utf-8")
        if manifest:
            fields = yaml.safe_dump({"id": skill_id, **manifest}, allow_unicode=True)
            (folder / "manifest.yaml").write_text(fields, encoding="utf-8")
        return folder

    def usual(self) -> None:
        """Three skills of the home, each with an alias that means it and nothing else."""
        self.skill("release-local", "Cuts a release.", aliases=[SHIP], body="## Steps\n1. Look.\n2. Push the tag.\n")
        self.skill("water-plants", "Waters the plants.", aliases=["give the ferns a drink"])
        self.skill("tune-piano", "Tunes the piano.", aliases=["make the keys sing"])

    def repo(self, name: str, origin: str | None = None) -> Path:
        """Make an empty git work tree and return its root."""
        root = self.root / name
        (root / ".git").mkdir(parents=True)
        (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        config = f'[remote "origin"]\n\turl = {origin}\n' if origin else ""
        (root / ".git" / "config").write_text(config, encoding="utf-8")
        return root

    @contextmanager
    def open(self, *, background: bool = False, discover: bool = True, **changes: Any) -> Iterator[Workspace]:
        """A workspace with the tiny encoder, unless the settings say otherwise."""
        with Workspace.open(self.settings(**changes), background=background, discover=discover) as workspace:
            yield workspace


def ask(
    workspace: Workspace,
    message: str,
    *,
    caller: Caller = ME,
    context: dict[str, Any] | None = None,
    **request: Any,
) -> IntentResolution:
    """Resolve one message."""
    asked = ResolveRequest(message=message, context=Context.model_validate(context or {}), **request)
    return workspace.resolve(asked, caller)


def best(answer: IntentResolution) -> str | None:
    """The skill that was answered, else the nearest."""
    if answer.skill_id is not None:
        return answer.skill_id
    return answer.alternatives[0].skill_id if answer.alternatives else None


def ids(answer: IntentResolution) -> set[str]:
    """Every skill that the answer names."""
    named = {one.skill_id for one in answer.alternatives}
    return named | ({answer.skill_id} if answer.skill_id else set())
