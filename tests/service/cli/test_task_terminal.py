"""A person at a real terminal is asked about a flagged match; nothing is ever decided for them."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys

import pytest
from tests.service.cli.commands import Commands, environment
from tests.service.worlds import ME, SHIP, World

from wellworn.models.task import BeginRequest, Choice, EndRequest

PROMPT = b"(proceed, repair, skip): "


@pytest.fixture(autouse=True)
def _flagged(world: World) -> None:
    world.usual()
    with world.open() as workspace:
        for _ in range(4):
            task_id = workspace.tasks.begin(BeginRequest(objective=SHIP), ME).task_id
            failed = EndRequest.model_validate({"outcome": "failure", "skill": "release-local", "reason": "it broke"})
            workspace.tasks.end(task_id, failed, ME)


def at_terminal(world: World, *argv: str, typed: bytes = b"", interrupt: bool = False) -> tuple[int, str]:
    """Run a command at a terminal of its own, and answer its first question; return its code and all it showed."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "wellworn", *argv],
        env={**os.environ, **environment(world), "TERM": "dumb"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown, reads = b"", 0
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        while True:
            ready, _, _ = select.select([terminal], [], [], 2.0)
            if ready:
                try:
                    read = os.read(ours, 65_536)
                except OSError:  # its other side is closed
                    break
                if not read:
                    break
                shown, reads = shown + read, 0
                first = PROMPT in shown and PROMPT not in shown[: -len(read)]
            else:
                reads, first = reads + 1, False
                if reads > 30:
                    process.kill()
            # A signal that comes just before the read of an answer is seen only when the read ends: it is sent again.
            if PROMPT in shown and interrupt and (first or not ready):
                process.send_signal(signal.SIGINT)
            elif first:
                os.write(ours, typed)
        code = process.wait(timeout=60)
    return code, shown.decode().replace("\r\n", "\n")


def decided(world: World) -> Choice | None:
    with world.open() as workspace:
        return workspace.tasks.begin(BeginRequest(objective=SHIP), ME).choice


@pytest.mark.parametrize("choice", ["proceed", "repair", "skip"])
def test_what_they_answer_is_the_decision_that_the_agent_is_told(world: World, choice: str) -> None:
    code, shown = at_terminal(world, "task", "begin", SHIP, typed=f"{choice}\n".encode())
    assert (code, shown.count("USER DECISION: ")) == (0, 1), shown
    made = decided(world)
    assert made is not None
    assert (made.choice, made.instruction in shown) == (choice, True)


def test_an_empty_or_other_answer_is_asked_again(world: World) -> None:
    code, shown = at_terminal(world, "task", "begin", SHIP, typed=b"\nyes\nskip\n")
    assert (code, shown.encode().count(PROMPT)) == (0, 3), shown
    made = decided(world)
    assert made is not None
    assert made.choice == "skip"


@pytest.mark.parametrize("way", ["the end of input", "ctrl-c"])
def test_whoever_does_not_answer_has_decided_nothing(world: World, way: str) -> None:
    code, shown = at_terminal(world, "task", "begin", SHIP, typed=b"\x04", interrupt=way == "ctrl-c")
    assert code == 0, shown
    assert "Nothing was decided." in shown
    assert "proceed|repair|skip" in shown
    assert decided(world) is None


def test_an_answer_to_a_message_is_asked_about_in_the_same_way(world: World) -> None:
    code, shown = at_terminal(world, "resolve", SHIP, typed=b"skip\n")
    assert (code, "USER DECISION: do not use release-local@user" in shown) == (0, True), shown


@pytest.mark.parametrize("argv", [["task", "begin", SHIP, "--json"], ["resolve", SHIP, "--json"]])
def test_a_program_at_a_terminal_is_not_asked(world: World, argv: list[str]) -> None:
    code, shown = at_terminal(world, *argv)
    assert (code, PROMPT in shown.encode()) == (0, False), shown
    assert decided(world) is None


def test_what_is_decided_once_is_not_asked_again(cli: Commands, world: World) -> None:
    task_id = cli.ok("task", "begin", SHIP, "--json").json["taskId"]
    cli.ok("task", "choose", task_id, "skip")
    code, shown = at_terminal(world, "task", "begin", SHIP)
    assert (code, PROMPT in shown.encode()) == (0, False), shown
    assert "USER DECISION: do not use" in shown
