"""What a person allowed to be learned from their turns, and how far the count to their next review has come."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from wellworn.store.database import Database
from wellworn.store.text_hash import storable
from wellworn.store.timestamps import to_text


@dataclass(frozen=True, slots=True)
class AccountRow:
    """counted: proven calls of eligible turns since the last review. changed_at: when its person last chose anew."""

    user: str
    opted_in: bool = False
    direct: bool = False
    counted: int = 0
    changed_at: str | None = None


class AccountTable:
    """Accounts by user; one that nobody has changed yet has the defaults: nothing is learned."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, user: str) -> AccountRow:
        """Return an account; in the caller's transaction if there is one."""
        row = self._db.row(
            "SELECT opted_in, direct, counted, changed_at FROM accounts WHERE user = ?", (storable(user),)
        )
        return AccountRow(user) if row is None else AccountRow(user, row[0] == 1, row[1] == 1, row[2], row[3])

    def change(self, user: str, *, opted_in: bool | None, direct: bool | None, by: str, now: datetime) -> AccountRow:
        """Change what is given (None leaves it); return the account as it is then."""
        with self._db.write() as connection:
            account = self.get(user)
            wanted = (
                account.opted_in if opted_in is None else opted_in,
                account.direct if direct is None else direct,
            )
            connection.execute(
                """INSERT INTO accounts (user, opted_in, direct, counted, changed_at, changed_by)
                   VALUES (?, ?, ?, 0, ?, ?)
                   ON CONFLICT (user) DO UPDATE SET opted_in = excluded.opted_in, direct = excluded.direct,
                       changed_at = excluded.changed_at, changed_by = excluded.changed_by""",
                (storable(user), *map(int, wanted), to_text(now), storable(by)),
            )
            return self.get(user)

    def count(self, user: str, counted: int) -> None:
        """Keep a new count, in the caller's transaction."""
        with self._db.write() as connection:
            connection.execute(
                """INSERT INTO accounts (user, counted) VALUES (?, ?)
                   ON CONFLICT (user) DO UPDATE SET counted = excluded.counted""",
                (storable(user), counted),
            )
