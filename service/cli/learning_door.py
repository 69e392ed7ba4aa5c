"""The part of the door that is about turns, and what a person lets be learned from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from wellworn.models.access import Caller
    from wellworn.models.turn import AccountChange, AccountLearning, Turn, TurnAnswer, TurnView
    from wellworn.service.workspace import Workspace


class LearningDoor(Protocol):
    """What those commands ask for, wherever it is answered. account: None is one's own."""

    def post_turn(self, turn: Turn) -> TurnAnswer: ...
    def turn(self, turn_id: str) -> TurnView: ...
    def learning(self, account: str | None) -> AccountLearning: ...
    def change_account(self, account: str | None, change: AccountChange) -> AccountLearning: ...


class LocalLearning:
    """Mixed into LocalDoor: a review that is begun here is waited for, since it would end with the command."""

    _workspace: Workspace
    _caller: Caller

    def post_turn(self, turn: Turn) -> TurnAnswer:
        answer = self._workspace.reviewing.post_turn(turn, self._caller)
        self._workspace.reviewing.wait()
        return answer

    def turn(self, turn_id: str) -> TurnView:
        return self._workspace.reviewing.turn(turn_id, self._caller)

    def learning(self, account: str | None) -> AccountLearning:
        return self._workspace.reviewing.learning(account or "me", self._caller)

    def change_account(self, account: str | None, change: AccountChange) -> AccountLearning:
        return self._workspace.reviewing.change_account(account or "me", change, self._caller)
