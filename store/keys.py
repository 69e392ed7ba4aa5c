"""API keys. A secret is shown once, when it is made; the database keeps its SHA-256.

A plain hash is enough because a secret carries 256 random bits: there is nothing to guess, so nothing to slow down.
"""

# ruff: noqa: S608  only constant column lists are put into SQL text; values are always bound

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from wellworn.models.access import ApiKey, Caller, Role
from wellworn.models.errors import InvalidInput, NotFound
from wellworn.models.ids import new_id
from wellworn.store.database import Database
from wellworn.store.text_hash import storable
from wellworn.store.timestamps import from_text, optional_from_text, to_text

PREFIX = "ww_"
_SECRET_BYTES = 32
_SECRET_MAX = 200  # longer ones are not ours: not even hashed
_TOUCH_EVERY = timedelta(minutes=1)
_COLUMNS = "id, role, user, repos, label, created_at, last_used_at, revoked_at"


def random_secret() -> str:
    """Return 256 random bits as 43 characters."""
    return secrets.token_urlsafe(_SECRET_BYTES)


class KeyTable:
    """The keys of a data folder."""

    def __init__(self, db: Database, *, randomness: Callable[[], str] = random_secret) -> None:
        self._db = db
        self._randomness = randomness

    def create(
        self, role: Role, user: str, repos: Sequence[str] = (), label: str = "", *, now: datetime
    ) -> tuple[ApiKey, str]:
        """Make a key that speaks for `user`, limited to `repos` unless that is empty; return it and its secret.

        Raises InvalidInput for an empty user or repo.
        """
        if not user.strip() or not all(repo.strip() for repo in repos):
            raise InvalidInput("A key needs a user, and no repo may be empty.", hint="Name them.", field="user")
        secret = f"{PREFIX}{role.value[0]}{self._randomness()}"
        key = ApiKey(
            id=new_id(), role=role, user=storable(user), repos=list(repos), label=storable(label), created_at=now
        )
        with self._db.write() as connection:
            connection.execute(
                """INSERT INTO keys (id, secret_hash, role, user, repos, label, created_at)
                   VALUES (?, ?, ?, ?, ?, ?, ?)""",
                (key.id, _hash(secret), role.value, key.user, json.dumps(key.repos), key.label, to_text(now)),
            )
        return key, secret

    def verify(self, secret: str) -> Caller | None:
        """Return whom a secret speaks for; None for an unknown or revoked one. Reads only; see `touch`."""
        if not secret.startswith(PREFIX) or len(secret) > _SECRET_MAX:
            return None
        digest = _hash(secret)
        row = self._db.row(
            "SELECT secret_hash, id, role, user, repos FROM keys WHERE secret_hash = ? AND revoked_at IS NULL",
            (digest,),
        )
        if row is None or not hmac.compare_digest(row[0], digest):
            return None
        _, key_id, role, user, repos = row
        return Caller(role=Role(role), user=user, key_id=key_id, repos=tuple(json.loads(repos)))

    def touch(self, key_id: str, *, now: datetime) -> bool:
        """Note that a key was used, at most once a minute; say whether anything was written. Not for the event loop."""
        row = self._db.row("SELECT last_used_at FROM keys WHERE id = ?", (key_id,))
        if row is None or (row[0] is not None and row[0] > to_text(now - _TOUCH_EVERY)):
            return False
        with self._db.write() as connection:
            connection.execute("UPDATE keys SET last_used_at = ? WHERE id = ?", (to_text(now), key_id))
        return True

    def list(self) -> list[ApiKey]:
        """Return all keys, revoked ones included, oldest first."""
        return [_key(row) for row in self._db.rows(f"SELECT {_COLUMNS} FROM keys ORDER BY created_at, id")]

    def any_active(self) -> bool:
        """Say whether a key exists that is not revoked."""
        return bool(self._db.rows("SELECT EXISTS (SELECT 1 FROM keys WHERE revoked_at IS NULL)")[0][0])

    def revoke(self, key_id: str, *, now: datetime) -> ApiKey:
        """Revoke a key for good; revoking it twice keeps the first time. Raises NotFound for an unknown id."""
        with self._db.write() as connection:
            connection.execute(
                "UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", (to_text(now), storable(key_id))
            )
            row = connection.execute(f"SELECT {_COLUMNS} FROM keys WHERE id = ?", (storable(key_id),)).fetchone()
        if row is None:
            raise NotFound(f"There is no key {key_id[:80]!r}.", hint="`wellworn keys list` shows their ids.")
        return _key(row)


def _hash(secret: str) -> bytes:
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _key(row: tuple[Any, ...]) -> ApiKey:
    number, role, user, repos, label, created_at, last_used_at, revoked_at = row
    return ApiKey(
        id=number,
        role=Role(role),
        user=user,
        repos=json.loads(repos),
        label=label,
        created_at=from_text(created_at),
        last_used_at=optional_from_text(last_used_at),
        revoked_at=optional_from_text(revoked_at),
    )
