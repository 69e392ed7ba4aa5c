"""Turns that were offered for review: what was answered to each, and what became of its review.

Of a turn itself nothing is kept: neither its words nor its calls.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from wellworn.models.turn import TurnAnswer, TurnReview
from wellworn.store.database import Database
from wellworn.store.text_hash import storable
from wellworn.store.timestamps import to_text

RUNNING = "running"


class TurnTable:
    """By the user and the id that the sender gave; an id is a user's own."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def settle(
        self,
        user: str,
        turn_id: str,
        decide: Callable[[], tuple[TurnAnswer, TurnReview | None]],
        *,
        now: datetime,
        runner: str,
    ) -> TurnAnswer:
        """Return what was answered to a turn; `decide` is asked once for each, for the answer and a review it begins.

        It runs in the same transaction, so that what it counts is counted once, whoever else sends the turn meanwhile.
        runner: the process that will do the review.
        """
        with self._db.write() as connection:
            known = connection.execute(
                "SELECT answer FROM turns WHERE user = ? AND id = ?", (storable(user), storable(turn_id))
            ).fetchone()
            if known is not None:
                return TurnAnswer.model_validate_json(known[0])
            answer, review = decide()
            begun = (None, None) if review is None else (review.model_dump_json(by_alias=True), runner)
            connection.execute(
                "INSERT INTO turns (user, id, ts, answer, review, runner) VALUES (?, ?, ?, ?, ?, ?)",
                (storable(user), storable(turn_id), to_text(now), answer.model_dump_json(by_alias=True), *begun),
            )
            return answer

    def put_review(self, user: str, review: TurnReview) -> None:
        """Keep how a review stands."""
        with self._db.write() as connection:
            connection.execute(
                "UPDATE turns SET review = ? WHERE user = ? AND id = ?",
                (review.model_dump_json(by_alias=True), storable(user), storable(review.turn_id)),
            )

    def get(self, user: str | None, turn_id: str) -> tuple[TurnAnswer, TurnReview | None] | None:
        """Return a turn's answer and review (user None: the latest of anyone's), or None for one that is not known."""
        row = self._db.row(
            "SELECT answer, review FROM turns WHERE id = ? AND (? IS NULL OR user = ?) ORDER BY ts DESC LIMIT 1",
            (storable(turn_id), *[None if user is None else storable(user)] * 2),
        )
        return None if row is None else (TurnAnswer.model_validate_json(row[0]), _review(row[1]))

    def last_review(self, user: str) -> TurnReview | None:
        """Return the review that was begun last."""
        row = self._db.row(
            "SELECT review FROM turns WHERE user = ? AND review IS NOT NULL ORDER BY ts DESC, id DESC LIMIT 1",
            (storable(user),),
        )
        return None if row is None else _review(row[0])

    def running(self) -> list[tuple[str, str | None, TurnReview]]:
        """Return the reviews that were begun and of which no end is known, each with its user and its process."""
        rows = self._db.rows(
            "SELECT user, runner, review FROM turns WHERE runner IS NOT NULL AND json_extract(review, '$.status') = ?",
            (RUNNING,),
        )
        return [(user, runner, TurnReview.model_validate_json(text)) for user, runner, text in rows]

    def prune(self, before: datetime) -> int:
        """Forget turns from before a time; return how many."""
        with self._db.write() as connection:
            return connection.execute("DELETE FROM turns WHERE ts < ?", (to_text(before),)).rowcount


def _review(text: str | None) -> TurnReview | None:
    return None if text is None else TurnReview.model_validate_json(text)
