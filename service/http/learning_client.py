"""The part of the client that is about turns, and what a person lets be learned from them."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from pydantic import BaseModel

from wellworn.models.turn import AccountChange, AccountLearning, Turn, TurnAnswer, TurnView


class LearningClient:
    """Mixed into ServiceClient, which asks."""

    def post_turn(self, turn: Turn) -> TurnAnswer:
        return TurnAnswer.model_validate(self._send_body("POST", "/turns", turn))

    def turn(self, turn_id: str) -> TurnView:
        return TurnView.model_validate(self.get(f"/turns/{quote(turn_id, safe='')}"))

    def learning(self, account: str | None) -> AccountLearning:
        return AccountLearning.model_validate(self.get(f"/accounts/{self._account(account)}/learning"))

    def change_account(self, account: str | None, change: AccountChange) -> AccountLearning:
        path = f"/accounts/{self._account(account)}/learning"
        return AccountLearning.model_validate(self._send_body("PATCH", path, change))

    def _account(self, account: str | None) -> str:
        return quote(account or "me", safe="")

    def get(self, path: str, **query: object) -> Any:
        raise NotImplementedError

    def _send_body(self, method: str, path: str, body: BaseModel, *, seconds: float | None = None) -> Any:
        raise NotImplementedError
