"""What the lifecycle asks of a language model, whichever it is; nothing depends on there being one."""

from __future__ import annotations

from typing import Protocol, TypeVar

from pydantic import BaseModel

from wellworn.models.errors import WellwornError

Answer = TypeVar("Answer", bound=BaseModel)


class AdviserFailed(WellwornError):
    """The model could not be reached, took too long, or answered what was not asked; the text says which."""


class Adviser(Protocol):
    """A configured model on behalf of one account: what it costs is recorded as that account's."""

    @property
    def name(self) -> str:
        """The model's name, as answers and records call it."""
        ...

    def ask(self, purpose: str, instructions: str, evidence: str, kind: type[Answer]) -> Answer:
        """Return an answer of the given type.

        purpose: what is recorded with the cost (`task`, `repair`, `review`, `learn`). evidence: redacted, and still
        untrusted: it is sent as data, apart from the instructions. Raises AdviserFailed, after `model_seconds` at the
        latest.
        """
        ...
