"""Our own JSONL, pi sessions, shell history and trajectories."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.lifecycle.importers.makers import DAY, PI_HEADER, imported, pi, read

from wellworn.lifecycle.importers import FORMATS, detect_format, import_file
from wellworn.lifecycle.importers.fish_history import unescaped
from wellworn.lifecycle.importers.shell_history import NO_TIMES
from wellworn.lifecycle.importers.zsh_history import unmetafied
from wellworn.models.errors import InvalidInput
from wellworn.models.trace import TraceKind

EVENT = {"id": "e1", "ts": f"{DAY}00Z", "sessionId": "s", "kind": "user_intent", "summary": "go"}
T0 = 1_780_000_000


def test_our_own_events_come_through_as_they_are(tmp_path: Path) -> None:
    given = {**EVENT, "tags": ["a"], "success": True, "repo": "h/a/b", "data": {"command": "make", "exitCode": 0}}
    event = imported(tmp_path / "x.jsonl", [given]).event
    assert event.model_dump(by_alias=True, exclude_none=True) == {
        **given,
        "ts": event.ts,
        "kind": TraceKind.user_intent,
    }
    assert event.ts == datetime(2026, 11, 29, 10, tzinfo=UTC)


def test_lines_of_our_own_that_are_not_exact_are_noted_with_their_field(tmp_path: Path) -> None:
    changes: list[dict[str, Any]] = [
        {}, {"kind": "nonsense"}, {"colour": 1}, {"ts": None}, {"sessionId": " "}, {"summary": "x" * 3000},
        {"ts": "2031-01-01T00:00:00Z"},
    ]  # fmt: skip
    lines = [{**EVENT, **change} for change in changes]
    result = imported(tmp_path / "x.jsonl", lines)
    assert result.event.id == "e1"
    assert [(skip.line, skip.why.split(":")[0]) for skip in result.skipped] == [
        (2, "kind"), (3, "colour"), (4, "ts"), (5, "sessionId"), (6, "summary"), (7, "ts"),
    ]  # fmt: skip


def test_an_event_of_our_own_without_an_id_gets_one_that_stays(tmp_path: Path) -> None:
    bare = {key: value for key, value in EVENT.items() if key != "id"}
    first = imported(tmp_path / "x.jsonl", [bare, bare])
    again = imported(tmp_path / "y.jsonl", [bare, bare, bare])
    assert [event.id for event in first.events] == [event.id for event in again.events[:2]]
    assert len({event.id for event in again.events}) == 3


def test_a_pi_session_gives_intents_commands_edits_and_what_the_person_ran(tmp_path: Path) -> None:
    calls = [
        {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "npm run check"}},
        {"type": "toolCall", "id": "c2", "name": "edit", "arguments": {"path": "a.ts", "oldText": "x", "newText": "y"}},
        {"type": "toolCall", "id": "c3", "name": "read", "arguments": {"path": "a.ts"}},
    ]
    failed = [{"type": "text", "text": "a.ts(1,1): error TS1\n\nCommand exited with code 2"}]
    lines = [
        PI_HEADER,
        {"type": "model_change", "timestamp": f"{DAY}00Z"},
        pi("user", 1, content=[{"type": "text", "text": "check it"}]),
        pi("assistant", 2, content=calls),
        pi("toolResult", 3, toolCallId="c1", toolName="bash", content=failed, isError=True),
        pi("toolResult", 4, toolCallId="c2", toolName="edit", content=[{"type": "text", "text": "ok"}], isError=False),
        pi("bashExecution", 5, command="git push", output="", exitCode=0, cancelled=False),
    ]
    asked, check, edit, push = imported(tmp_path / "s.jsonl", lines).events
    assert (asked.summary, asked.session_id, asked.data) == ("check it", "p1", {"cwd": "/work/app"})
    assert (check.success, check.data["exitCode"], check.data["error"]) == (False, 2, "a.ts(1,1): error TS1")
    assert (edit.kind, edit.summary, edit.success) == (TraceKind.file_diff, "edit a.ts", True)
    assert (push.data["command"], push.success, push.tags) == ("git push", True, ["by-user"])


def test_the_copy_of_the_past_in_a_branched_pi_session_has_the_same_ids(tmp_path: Path) -> None:
    calls = [{"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "make"}}]
    lines = [
        pi("user", 1, content="go"),
        pi("assistant", 2, content=calls),
        pi("toolResult", 3, toolCallId="c1", content=[]),
    ]
    first = imported(tmp_path / "a.jsonl", [PI_HEADER, *lines]).events
    branch = imported(tmp_path / "b.jsonl", [{**PI_HEADER, "id": "p2"}, *lines, pi("user", 9, content="on")]).events
    assert [event.id for event in branch[:2]] == [event.id for event in first]
    assert len(branch) == 3


def test_a_pi_message_without_a_session_before_it_is_noted(tmp_path: Path) -> None:
    result = imported(tmp_path / "s.jsonl", [pi("user", 1, content="x")], format="pi")
    assert result.whys == [(1, "no session line before it")]
    assert imported(tmp_path / "s.jsonl", [pi("user", 1, content="x")], format="pi", session="s").event.summary == "x"


def test_bash_history_with_times(tmp_path: Path) -> None:
    text = f"#{T0}\nmake\n#{T0 + 60}\nfor x in a b; do\n  echo $x\ndone\n#{T0 + 4000}\nmake test\n"
    events = imported(tmp_path / ".bash_history", text).events
    assert [event.summary for event in events] == ["make", "for x in a b; do\n  echo $x\ndone", "make test"]
    assert [event.kind.value for event in events] == ["command_run", "command_run", "test_result"]
    assert {event.success for event in events} == {None}
    assert events[0].session_id == events[1].session_id != events[2].session_id
    assert events[0].ts == datetime.fromtimestamp(T0, UTC)


def test_bash_history_without_times_is_noted_once(tmp_path: Path) -> None:
    result = imported(tmp_path / ".bash_history", "make\nls\n" * 50)
    assert (result.events, result.whys) == ([], [(1, NO_TIMES)])
    late = imported(tmp_path / ".bash_history", f"make\nls\n#{T0}\ngit push\n")
    assert (late.event.summary, late.whys) == ("git push", [(1, NO_TIMES)])


def as_zsh_writes(raw: bytes) -> bytes:
    return b"".join(bytes([0x83, byte ^ 0x20] if byte == 0 or 0x83 <= byte <= 0xA2 else [byte]) for byte in raw)


def test_zsh_history_with_long_lines_and_metafied_bytes(tmp_path: Path) -> None:
    written = "echo 'grüße 日本'".encode()
    metafied = as_zsh_writes(written)
    assert metafied != written
    raw = b": %d:0;make \\\n  all\n: %d:3;%s\nno time\n: %d:0;echo a\\\\\n" % (T0, T0 + 1, metafied, T0 + 2)
    result = imported(tmp_path / ".zsh_history", raw)
    assert [event.summary for event in result.events] == ["make \n  all", "echo 'grüße 日本'", "echo a\\\\"]
    assert result.whys == [(4, NO_TIMES)]


@given(st.binary(max_size=50))
def test_unmetafying_undoes_what_zsh_writes(raw: bytes) -> None:
    metafied = as_zsh_writes(raw)
    assert unmetafied(metafied) == raw


def test_fish_history(tmp_path: Path) -> None:
    text = (
        f"- cmd: git commit -m a\\nb\n  when: {T0}\n  paths:\n    - a.py\n"
        f"- cmd: echo a\\\\nb\n  when: {T0 + 5}\n- cmd: lost\n- cmd: make\n  when: {T0 + 9}\n"
    )
    result = imported(tmp_path / "fish_history", text)
    assert [event.summary for event in result.events] == ["git commit -m a\nb", "echo a\\nb", "make"]
    assert result.whys == [(7, NO_TIMES)]
    assert unescaped("a\\\\\\n") == "a\\"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_history_that_lost_its_head_and_grew_gives_the_old_ids(tmp_path: Path, shell: str) -> None:
    shapes = {
        "bash": "#{when}\n{command}\n",
        "zsh": ": {when}:0;{command}\n",
        "fish": "- cmd: {command}\n  when: {when}\n",
    }
    lines = [shapes[shell].format(when=T0 + number // 2, command=f"make {number % 3}") for number in range(20)]
    whole = imported(tmp_path / "h", "".join(lines[:15]), format=shell).events
    later = imported(tmp_path / "h", "".join(lines[4:]), format=shell).events
    assert len({event.id for event in whole}) == 15
    assert [event.id for event in later[:11]] == [event.id for event in whole[4:]]


def test_a_session_of_a_history_keeps_its_name_when_the_file_grows(tmp_path: Path) -> None:
    first = imported(tmp_path / "h", f"#{T0}\na\n#{T0 + 600}\nb\n", format="bash").events
    grown = imported(
        tmp_path / "h", f"#{T0}\na\n#{T0 + 600}\nb\n#{T0 + 1200}\nc\n#{T0 + 9000}\nd\n", format="bash"
    ).events
    assert grown[:2] == first
    assert [event.session_id for event in grown[2:]] == [
        first[0].session_id,
        f"bash-{datetime.fromtimestamp(T0 + 9000, UTC):%Y%m%dT%H%M%SZ}",
    ]


ISSUE = "Here it is:\nISSUE:\nit crashes\n\nINSTRUCTIONS:\nSolve\n(Current directory: /r)\nbash-$"
TRAJECTORY = {
    "history": [
        {"role": "system", "content": "You are"},
        {"role": "user", "content": "a demonstration", "is_demo": True},
        {"role": "user", "content": ISSUE},
    ],
    "trajectory": [
        {"action": "open a.py\n", "observation": "", "response": "", "state": '{"working_dir": "/r", "open_file": ""}'},
        {"action": "edit 1:1\nx\nend_of_edit", "observation": "File updated.",
         "state": {"working_dir": "/r", "open_file": "/r/a.py"}},
        {"action": "python a.py", "observation": "Traceback (most recent call last):\nValueError: no", "state": "{"},
        {"action": "pytest", "observation": "3 passed", "state": None},
        {"action": "submit", "observation": ""},
    ],
}  # fmt: skip


def test_a_trajectory_gives_its_problem_and_steps_with_guessed_times(tmp_path: Path) -> None:
    path = tmp_path / "r__r-1.traj"
    path.write_text(json.dumps(TRAJECTORY), encoding="utf-8")
    os.utime(path, (T0, T0))
    problem, edit, run, tests = read(path).events
    assert (problem.summary, problem.tags) == ("it crashes", ["time-guessed", "problem-statement"])
    assert (edit.kind, edit.success, edit.data["file"], edit.data["cwd"]) == (
        TraceKind.file_diff,
        True,
        "/r/a.py",
        "/r",
    )
    assert (run.success, run.data["error"]) == (False, "ValueError: no")
    assert (tests.kind, tests.success) == (TraceKind.test_result, True)
    times = [event.ts for event in (problem, edit, run, tests) if event.ts]
    assert times == sorted(times)
    assert times[-1] <= datetime.fromtimestamp(T0, UTC)
    assert {event.session_id for event in (problem, edit, run, tests)} == {problem.session_id}
    assert str(problem.session_id).startswith("r__r-1-")


def test_two_runs_of_one_problem_are_two_sessions(tmp_path: Path) -> None:
    other = {**TRAJECTORY, "trajectory": [{"action": "ls", "observation": "", "response": "I begin otherwise"}]}
    one = imported(tmp_path / "a.traj", json.dumps(TRAJECTORY)).events
    two = imported(tmp_path / "a.traj", json.dumps(other)).events
    assert one[0].session_id != two[0].session_id


def test_mini_swe_agent_runs_have_exit_statuses(tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": "```bash\nnot this\n```"},
        {
            "role": "user",
            "content": "Please solve this issue: it crashes\n\nYou can execute bash commands and edit files",
        },
        {"role": "assistant", "content": "look\n\n```mswea_bash_command\nmake test\n```"},
        {"role": "user", "content": "<returncode>2</returncode>\n<output>\nmake: *** [test] Error 1\n</output>"},
        {"role": "assistant", "content": "", "extra": {"actions": [{"command": "make fix"}]}, "timestamp": T0},
        {"role": "tool", "content": "done", "extra": {"returncode": 0}},
        {"role": "assistant", "content": "```bash\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n```"},
    ]
    for content in (messages, {"messages": messages, "info": {}}):
        task, failed, fixed = imported(tmp_path / "x.traj.json", json.dumps(content)).events
        assert task.summary == "it crashes"
        assert (failed.kind, failed.success, failed.data["exitCode"]) == (TraceKind.test_result, False, 2)
        assert (fixed.data["command"], fixed.success, fixed.ts) == ("make fix", True, datetime.fromtimestamp(T0, UTC))
        assert (fixed.tags, failed.tags) == ([], ["time-guessed"])


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("a.jsonl", json.dumps(EVENT), "wellworn"),
        ("a.jsonl", json.dumps(PI_HEADER), "pi"),
        ("a.jsonl", '{"type":"user","sessionId":"s","message":{"content":"x"}}', "claude-code"),
        ("a.jsonl", '{"type":"summary","summary":"x","leafUuid":"y"}', "claude-code"),
        ("a.jsonl", '{"sessionId":"s","parentUuid":null,"type":"user","message":"' + "x" * 99_999, "claude-code"),
        ("history", f"#{T0}\nls\n", "bash"),
        (".bash_history", "ls\n", "bash"),
        ("history", f": {T0}:0;ls\n", "zsh"),
        ("history", f"- cmd: ls\n  when: {T0}\n", "fish"),
        ("x.json", json.dumps(TRAJECTORY), "swe-agent"),
        ("x.json", '[{"role": "system", "content": ""}]', "mini-swe-agent"),
        ("x.traj", "", "swe-agent"),
        ("x.traj.json", "", "mini-swe-agent"),
        ("notes.txt", "hello there", None),
        ("a.json", '{"a": 1}', None),
        ("a.jsonl", "", None),
    ],
)
def test_the_format_is_found_by_name_and_content(tmp_path: Path, name: str, content: str, found: str | None) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert detect_format(tmp_path / name) == found


def test_an_unknown_format_is_refused_at_once_and_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="claude-code, wellworn") as caught:
        import_file(tmp_path / "x", format="csv", now=datetime.now(UTC))
    assert caught.value.field == "format"
    assert len(FORMATS) == 8


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 10_000), st.text("ab \\\n#:;é😀", min_size=1, max_size=12)), max_size=8))
def test_fish_commands_survive_being_written_and_read(tmp_path: Path, typed: list[tuple[int, str]]) -> None:
    escaped = [(T0 + when, command.replace("\\", "\\\\").replace("\n", "\\n")) for when, command in typed]
    text = "".join(f"- cmd: {command}\n  when: {when}\n" for when, command in escaped)
    events = imported(tmp_path / "fish_history", text).events
    assert [event.data["command"] for event in events] == [command.strip() for _, command in typed if command.strip()]
