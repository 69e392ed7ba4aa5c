"""Any order of turns, choices, settings and restarts: counted exactly, and written only where a person allowed it."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.service.test_reviewing import AGENT, Scripted, draft, setting, turn
from tests.service.worlds import ME, World

from wellworn.lifecycle.review.reviewer import ReviewTask
from wellworn.models.errors import NotAllowed
from wellworn.models.turn import AccountChange, TurnAnswer, TurnEnding, TurnOrigin
from wellworn.service.workspace import Workspace

MOSTLY = st.sampled_from([True, True, True, False])
WANTED = 2
"""Each review wants to write so many."""


def act(task: ReviewTask) -> None:
    for part in ("first", "other"):
        task.write(draft(f"{task.turn.id}-{part}", steps=(f"make {task.turn.id}", f"make {part}")))


class Learning(RuleBasedStateMachine):
    """What is expected is told by a few numbers; every answer is compared with them."""

    def __init__(self) -> None:
        super().__init__()
        self._stack = ExitStack()
        self._world = World(Path(self._stack.enter_context(tempfile.TemporaryDirectory())))
        self._opened = ExitStack()
        self._workspace = self._open()
        self.opted_in = self.direct = False
        self.least, self.every, self.ops = 5, 20, 2
        self.counted = self.proposals = self.skills = 0
        self.answers: dict[int, TurnAnswer] = {}

    def _open(self) -> Workspace:
        workspace = self._opened.enter_context(self._world.open())
        workspace.reviewing.register_reviewer(Scripted(act))
        return workspace

    @initialize(opted_in=MOSTLY, direct=st.booleans())
    def begin(self, opted_in: bool, direct: bool) -> None:
        self.choose(opted_in, direct)

    @rule(opted_in=MOSTLY, direct=st.booleans())
    def choose(self, opted_in: bool, direct: bool) -> None:
        found = self._workspace.reviewing.change_account("me", AccountChange(opted_in=opted_in, direct=direct), ME)
        self.opted_in, self.direct = opted_in, direct
        assert (found.opted_in, found.direct) == (opted_in, direct)

    @rule()
    def an_agent_chooses(self) -> None:
        with pytest.raises(NotAllowed):
            self._workspace.reviewing.change_account("me", AccountChange(opted_in=True, direct=True), AGENT)

    @rule(least=st.integers(1, 6), every=st.integers(1, 20), ops=st.sampled_from([2, 1, 3, 0]))
    def set(self, least: int, every: int, ops: int) -> None:
        self.least, self.every, self.ops = least, every, ops
        for name, value in (("min_tool_calls", least), ("every_tool_calls", every), ("max_ops", ops)):
            setting(self._workspace, f"review.{name}", value)

    @rule()
    def restart(self) -> None:
        self._opened.close()
        self._workspace = self._open()

    @rule(proven=st.integers(6, 8))
    def post_what_counts(self, proven: int) -> None:
        self.post(proven, TurnOrigin.cli, TurnEnding.completed, None)

    @precondition(lambda self: self.answers)
    @rule(chosen=st.integers(0, 1000))
    def post_again(self, chosen: int) -> None:
        number = chosen % len(self.answers)
        assert self._workspace.reviewing.post_turn(turn(number, 8), AGENT) == self.answers[number]

    @rule(
        proven=st.integers(0, 8),
        origin=st.sampled_from([TurnOrigin.cli] * 4 + list(TurnOrigin)),
        ending=st.sampled_from([TurnEnding.completed] * 6 + list(TurnEnding)),
        budget=st.sampled_from([None, None, 0, 1]),
    )
    def post(self, proven: int, origin: TurnOrigin, ending: TurnEnding, budget: int | None) -> None:
        number = len(self.answers)
        given = turn(number, proven, origin=origin, ending=ending, budget=budget)
        answer = self._workspace.reviewing.post_turn(given, AGENT)
        self._workspace.reviewing.wait()
        self.answers[number] = answer
        allowed = self.ops if budget is None else min(self.ops, budget)
        assert answer.rule == self._against(origin, ending, proven, allowed)
        if answer.rule is None:
            self._counts(number, answer, proven, min(allowed, WANTED))

    def _against(self, origin: TurnOrigin, ending: TurnEnding, proven: int, allowed: int) -> str | None:
        asked = {
            "opted-in": self.opted_in,
            "origin": origin in (TurnOrigin.web, TurnOrigin.cli),
            "ending": ending is TurnEnding.completed,
            "min-tool-calls": proven >= self.least,
            "budget": allowed > 0,
        }
        return next((name for name, holds in asked.items() if not holds), None)

    def _counts(self, number: int, answer: TurnAnswer, proven: int, writes: int) -> None:
        total = self.counted + proven
        self.counted = 0 if total >= self.every else total
        assert (answer.armed, answer.counted) == (total >= self.every, self.counted)
        review = self._workspace.reviewing.turn(f"turn-{number}", AGENT).review
        assert (review is not None) == answer.armed
        if review is not None:
            assert (review.status, review.operations) == ("done", writes)
            self.proposals += writes
            self.skills += writes if self.direct else 0

    @invariant()
    def nothing_else_was_written(self) -> None:
        workspace = self._workspace
        assert workspace.curation.proposals(ME).total == self.proposals
        assert workspace.skills(ME).total == self.skills
        assert workspace.reviewing.learning("me", AGENT).counted == self.counted

    def teardown(self) -> None:
        self._opened.close()
        self._stack.close()


TestLearning = Learning.TestCase
TestLearning.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
