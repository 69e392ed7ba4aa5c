"""Who may do what: roles and API keys."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pydantic import Field

from wellworn.models.wire import Wire


class Role(StrEnum):
    """agent: resolve, trace, task, propose, ask to run. reviewer: also decide. admin: also reindex, keys, settings."""

    agent = "agent"
    reviewer = "reviewer"
    admin = "admin"


ROLE_RANK = {Role.agent: 0, Role.reviewer: 1, Role.admin: 2}
LOCAL_USER = "local"


class ApiKey(Wire):
    """A key without its secret. `user`: whom it speaks for; `repos`: all that it sees, unless empty."""

    id: str
    role: Role
    user: str
    repos: list[str] = Field(default_factory=list)
    label: str = ""
    created_at: datetime
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is asking. `key_id` is None for the local person on loopback."""

    role: Role
    user: str
    key_id: str | None = None
    repos: tuple[str, ...] = ()

    def covers(self, needed: Role) -> bool:
        """Say whether this caller's role includes `needed`."""
        return ROLE_RANK[self.role] >= ROLE_RANK[needed]


LOCAL_PERSON = Caller(role=Role.admin, user=LOCAL_USER)
