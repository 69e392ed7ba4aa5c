"""The configured model, on behalf of an account: asked for structured answers, within a deadline, its cost recorded."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, SecretStr

from wellworn.lifecycle.adviser import Adviser, AdviserFailed
from wellworn.models.errors import WellwornError
from wellworn.store.database import Database
from wellworn.store.redact import redact
from wellworn.store.runtime_settings import RuntimeSettingsTable
from wellworn.store.spend import SpendTable

if TYPE_CHECKING:
    from wellworn.service.advising_model import Asked

Answer = TypeVar("Answer", bound=BaseModel)
_EVIDENCE_CHARS = 40_000
_GRACE_SECONDS = 0.5
"""So much longer than the deadline a thread that cannot be cancelled (it looks up a name) is waited for."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """model: `openai:NAME` or `anthropic:NAME`. url: of the server, None for the provider's own."""

    model: str
    url: str | None
    key: SecretStr | None
    seconds: float


class Advisers:
    """Hands out the model as it is configured at this moment. Every method may be called from any thread."""

    def __init__(self, database: Database, key: SecretStr | None, clock: Callable[[], datetime]) -> None:
        self._key, self._clock = key if key is not None and key.get_secret_value().strip() else None, clock
        self._settings, self._spend = RuntimeSettingsTable(database), SpendTable(database)

    def of(self, account: str, origin: str | None = None) -> Adviser | None:
        """Return the model on behalf of an account, or None when none is configured.

        origin: what its cost is recorded under, in the place of the purpose of each question.
        """
        settings = self._settings.read()
        if settings.model is None:
            return None
        asked = ModelSettings(settings.model, settings.model_url, self._key, settings.model_seconds)
        return _ModelAdviser(asked, account, origin, self._spend, self._clock)


class _ModelAdviser:
    """One account's view of the model."""

    def __init__(
        self,
        settings: ModelSettings,
        account: str,
        origin: str | None,
        spend: SpendTable,
        clock: Callable[[], datetime],
    ) -> None:
        self.name = settings.model
        self._settings, self._account, self._origin = settings, account, origin
        self._spend, self._clock = spend, clock

    def ask(self, purpose: str, instructions: str, evidence: str, kind: type[Answer]) -> Answer:
        """See `Adviser.ask`."""
        asked = _in_a_thread(self._settings, instructions, redact(evidence)[:_EVIDENCE_CHARS], kind)
        try:
            self._spend.add(
                self._account,
                self._origin or purpose,
                self.name,
                ok=asked.answer is not None,
                input_tokens=asked.input_tokens,
                output_tokens=asked.output_tokens,
                now=self._clock(),
            )
        except WellwornError as error:
            raise AdviserFailed(f"What the model cost could not be recorded: {error.message}") from None
        if asked.answer is None:
            raise AdviserFailed(asked.problem or "The model gave no answer.")
        return kind.model_validate(asked.answer.model_dump())


def _in_a_thread(settings: ModelSettings, instructions: str, evidence: str, kind: type[BaseModel]) -> Asked:
    """Ask in a thread of its own: no event loop of the caller's is touched, and the deadline holds whatever happens."""
    from wellworn.service.advising_model import Asked, ask_model, load_libraries  # noqa: PLC0415

    problem = load_libraries(settings.model)  # before the time runs, which is the model's
    if problem is not None:
        return Asked(problem=problem)
    answers: queue.Queue[Asked] = queue.Queue(1)
    thread = threading.Thread(
        target=lambda: answers.put(ask_model(settings, instructions, evidence, kind)),
        name="wellworn-model",
        daemon=True,
    )
    thread.start()
    try:
        asked = answers.get(timeout=settings.seconds + _GRACE_SECONDS)
    except queue.Empty:
        return Asked(problem=f"The model took longer than {settings.seconds:g} seconds.")
    thread.join()
    return asked
