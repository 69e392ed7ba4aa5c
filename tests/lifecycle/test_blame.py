"""Failures of the environment blame nobody; failures of the work do."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.lifecycle.blame import environment_cause
from wellworn.models.task import TaskStep

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def step(exit_code: int | None, summary: str | None = None) -> TaskStep:
    success = None if exit_code is None else exit_code == 0
    return TaskStep(number=1, ts=NOW, command="run it", exit_code=exit_code, summary=summary, success=success)


def other(exit_code: int, summary: str | None = None) -> TaskStep:
    return step(exit_code, summary).model_copy(update={"command": "something else"})


@pytest.mark.parametrize(
    ("given", "cause"),
    [
        (step(127), "command not found"),
        (step(126), "permission"),
        (step(124), "time-out"),
        (step(1, "bash: pnpm: command not found"), "command not found"),
        (step(1, "sh: 1: uv: not found"), "command not found"),
        (step(1, "curl: (6) Could not resolve host: registry.example"), "network"),
        (step(1, "connect ECONNREFUSED 127.0.0.1:5432"), "network"),
        (step(1, "Connection reset by peer"), "network"),
        (step(1, "error: connection reset by peer"), "network"),
        (step(1, "npm ERR! network request timed out"), "time-out"),
        (step(1, "HTTP 429 Too Many Requests"), "rate limit"),
        (step(1, "write /tmp/x: no space left on device"), "disk full"),
        (step(1, "open /etc/hosts: permission denied"), "permission"),
        (step(1, "the push was refused by the person at the gate"), "refused by a gate"),
        (step(1, "approval denied"), "refused by a gate"),
        (step(1, "the user declined the approval"), "refused by a gate"),
        (step(1, "sh: 1: uv: not found\nmake: *** [all] Error 127"), "command not found"),
        (step(1, "it said: ./build.sh: line 3: uv: not found"), "command not found"),
        (step(1, "ash: uv: not found"), "command not found"),
        (step(1, "zsh: command not found: uv"), "command not found"),
        (step(1, "request failed with status code 429"), "rate limit"),
        (step(1, "HTTP/1.1 429"), "rate limit"),
        (step(1, "BUILD FAILED in 3s: could not resolve host: repo.example"), "network"),
        (step(1, "the gate refused it"), "refused by a gate"),
        (step(1, "The user doesn't want to proceed with this tool use"), "refused by a gate"),
        (step(1, "the deletion was not approved"), "refused by a gate"),
        (step(1, "git@host.example: Permission denied (publickey)."), "permission"),
        (step(1, "getaddrinfo ENOTFOUND registry.example"), "network"),
        (step(1, "HTTP 503 Service Unavailable"), "network"),
    ],
)
def test_the_environment_is_known_by_exit_codes_and_words(given: TaskStep, cause: str) -> None:
    assert environment_cause([given], None, None) == cause


@pytest.mark.parametrize(
    "summary",
    [
        "3 failed, 120 passed",
        "AssertionError: expected 200, got connection refused",
        "TypeError: x is not a function",
        "error TS2304: cannot find name 'foo'",
        "the function was not found in the module",
        "merge conflict in package.json",
        "FAIL test_x timed out after 5000ms",
        "error: user: not found",
        "config: key: not found",
        "error: 404: page: not found",
        "page 429 has a broken link",
        "BUILD FAILED: 3 tests failed",
        "error: src refspec main does not match any",
    ],
)
def test_a_fault_of_the_work_counts(summary: str) -> None:
    assert environment_cause([step(1, summary)], None, None) is None


def test_the_last_step_that_failed_for_good_decides() -> None:
    assert environment_cause([step(127), other(0)], None, None) == "command not found"
    assert environment_cause([step(127), other(1, "2 tests failed")], None, None) is None
    assert environment_cause([step(127), step(0), other(0)], "the wrong version", None) is None
    assert environment_cause([step(127)], "expected 3, got 4", None) is None
    assert environment_cause([step(0, "retried after: connection refused")], "wrong version", None) is None


def test_the_reason_and_the_evidence_are_listened_to_as_well() -> None:
    assert environment_cause([], "the network is unreachable", None) == "network"
    assert environment_cause([], None, "request timed out") == "time-out"
    assert environment_cause([], "the build was wrong", None) is None


def test_of_a_log_only_its_end_is_listened_to() -> None:
    noise = "warning: connection refused, trying the next mirror\n" + "fetched a package\n" * 30
    assert environment_cause([step(1)], None, f"{noise}error: the manifest names no entry point") is None
    assert environment_cause([step(1)], None, f"{noise}error: could not resolve host: registry.example") == "network"


@given(st.text(max_size=300), st.text(max_size=300), st.integers(-(2**31), 2**31))
def test_no_text_raises(summary: str, reason: str, code: int) -> None:
    environment_cause([step(code, summary)], reason, None)
