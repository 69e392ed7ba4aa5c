"""What was asked of models, and what it cost, by account."""

# ruff: noqa: S608  only constant conditions are put into SQL text; values are always bound

from __future__ import annotations

from datetime import datetime

from wellworn.models.ids import new_id
from wellworn.models.turn import Spend
from wellworn.store.database import Database
from wellworn.store.text_hash import storable
from wellworn.store.timestamps import to_text


class SpendTable:
    """One row for each question."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(
        self,
        account: str,
        origin: str,
        model: str,
        *,
        ok: bool,
        input_tokens: int,
        output_tokens: int,
        now: datetime,
    ) -> None:
        """Record a question, whether or not it was answered."""
        values = (storable(account), storable(origin), storable(model), int(ok), input_tokens, output_tokens)
        with self._db.write() as connection:
            connection.execute(
                "INSERT INTO spend (id, ts, account, origin, model, ok, input_tokens, output_tokens) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (new_id(), to_text(now), *values),
            )

    def summed(self, account: str | None, *, since: datetime | None = None) -> list[Spend]:
        """Return the sums by account (None: all), origin and model."""
        given = {"account = ?": None if account is None else storable(account)}
        given |= {"ts >= ?": None if since is None else to_text(since)}
        wanted = {condition: value for condition, value in given.items() if value is not None}
        rows = self._db.rows(
            f"""SELECT account, origin, model, count(*), sum(1 - ok), sum(input_tokens), sum(output_tokens) FROM spend
                WHERE {" AND ".join(wanted) or "1"} GROUP BY account, origin, model ORDER BY account, origin, model""",
            tuple(wanted.values()),
        )
        return [
            Spend(
                account=who,
                origin=origin,
                model=model,
                requests=requests,
                failed=failed,
                input_tokens=tokens_in,
                output_tokens=tokens_out,
            )
            for who, origin, model, requests, failed, tokens_in, tokens_out in rows
        ]
