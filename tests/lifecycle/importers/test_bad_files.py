"""Whatever a file contains, importing it raises nothing: what cannot be read is noted or passed over."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.fit import default_data
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.lifecycle.importers.makers import NOW, PI_HEADER, answer, call, imported, line, pi, ran, read
from tests.lifecycle.importers.test_other_formats import EVENT, T0, TRAJECTORY

from wellworn.lifecycle.importers import FORMATS, SkippedLine, import_file
from wellworn.lifecycle.importers.source import LINE_MAX

RAW = default_data() / "traces" / "raw"
MESSAGES = [
    {"role": "user", "content": "Please solve this task: x"},
    {
        "role": "assistant",
        "content": "```bash\nmake\n```",
        "extra": {"actions": [{"command": "make"}], "timestamp": T0},
    },
    {"role": "user", "content": "<returncode>0</returncode>", "extra": {"returncode": 0}},
    {"role": "assistant", "tool_calls": [{"function": {"name": "bash", "arguments": '{"command": "make"}'}}]},
]
CALLS = [
    {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "make"}},
    {"type": "toolCall", "id": "c2", "name": "edit", "arguments": {"path": "a"}},
]
LINES: dict[str, list[Any]] = {
    "claude-code": [
        line("user", [{"type": "text", "text": "<command-name>/x</command-name>"}]),
        *ran("pytest", "Exit code 1", error=True, toolUseResult={"interrupted": False, "backgroundTaskId": "b"}),
        call("Write", file_path="a"),
        answer([{"type": "text", "text": "the user doesn't want to proceed. the user said: no"}], error=True),
        call("AskUserQuestion", questions=[{"question": "q"}]),
        answer("x"),
        {
            **line("attachment", ""),
            "attachment": {"type": "queued_command", "prompt": [{"text": "x"}], "origin": {"kind": "human"}},
        },
        call("ExitPlanMode", plan="p"),
        answer("x"),
    ],
    "wellworn": [{**EVENT, "tags": ["a"], "data": {"command": "x"}, "success": True}],
    "pi": [
        PI_HEADER,
        pi("user", 1, content="x"),
        pi("assistant", 2, content=CALLS),
        pi("toolResult", 3, toolCallId="c1", content=[{"type": "text", "text": "x"}], isError=True),
        pi("bashExecution", 5, command="x", output="y", exitCode=0, cancelled=False),
    ],
}
WHOLE: dict[str, Any] = {"swe-agent": TRAJECTORY, "mini-swe-agent": MESSAGES}
HISTORIES = {
    "bash": f"#{T0}\nmake\n#{T0 + 1}\nfor a\ndone\n".encode(),
    "zsh": f": {T0}:0;make \\\nall\n: {T0 + 1}:0;x\n".encode() + b"\x83\xa5\n",
    "fish": f"- cmd: a\\nb\n  when: {T0}\n  paths:\n    - x\n".encode(),
}
SAMPLES = {
    **{name: b"".join(json.dumps(value).encode() + b"\n" for value in lines) for name, lines in LINES.items()},
    **{name: json.dumps(value).encode() for name, value in WHOLE.items()},
    **HISTORIES,
}
in_a_folder = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=60, deadline=None
)
KINDS: list[Any] = [None, 7, "x", [], {}, ["x"]]
JUNK = st.sampled_from([*KINDS, 0, -1, 10**30, 1.5, True, "", "\ud800", "\0", [1], {"a": []}, [[]], [None]])


def consume(path: Path, **options: Any) -> list[Any]:
    """Import and check what holds for every event and note."""
    found = list(import_file(path, **{"now": NOW, **options}))
    for item in found:
        if isinstance(item, SkippedLine):
            assert item.why
            assert item.line is None or item.line >= 1
        else:
            assert item.id
            assert item.session_id
            assert item.ts is not None
            assert item.ts.tzinfo is not None
            assert len(item.model_dump_json()) < 30_000
    return found


@in_a_folder
@given(st.sampled_from(sorted(SAMPLES)), st.data())
def test_bytes_cut_or_replaced_raise_nothing(tmp_path: Path, name: str, data: st.DataObject) -> None:
    raw = bytearray(SAMPLES[name])
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(raw)))
        stop = data.draw(st.integers(start, min(len(raw), start + 30)))
        raw[start:stop] = data.draw(
            st.binary(max_size=12) | st.sampled_from([b"\n", b"\xff\xfe", b"\0" * 9, b'"', b"}{", b"[" * 50])
        )
    path = tmp_path / "x"
    path.write_bytes(raw)
    consume(path, format=name)
    consume(path)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    value = copy.copy(value)
    value[path[0]] = replaced(value[path[0]], path[1:], new)
    return value


@in_a_folder
@given(st.sampled_from(sorted([*LINES, *WHOLE])), st.data())
def test_any_value_of_any_type_anywhere_raises_nothing(tmp_path: Path, name: str, data: st.DataObject) -> None:
    value = LINES.get(name, WHOLE.get(name))
    for _ in range(data.draw(st.integers(1, 3))):
        value = replaced(value, data.draw(st.sampled_from(list(places(value)))), data.draw(JUNK))
    path = tmp_path / "x"
    lines = value if name in LINES and isinstance(value, list) else [value]
    path.write_text("".join(json.dumps(item) + "\n" for item in lines), encoding="utf-8")
    consume(path, format=name)


@pytest.mark.parametrize("name", sorted([*LINES, *WHOLE]))
def test_every_single_value_replaced_by_every_kind_of_junk_raises_nothing(tmp_path: Path, name: str) -> None:
    value = LINES.get(name, WHOLE.get(name))
    path = tmp_path / "x"
    for place in places(value):
        for junk in KINDS:
            changed = replaced(value, place, junk)
            lines = changed if name in LINES and isinstance(changed, list) else [changed]
            path.write_text("".join(json.dumps(item) + "\n" for item in lines), encoding="utf-8")
            consume(path, format=name)


@in_a_folder
@given(st.sampled_from(FORMATS), st.binary(max_size=300))
def test_any_bytes_in_any_format_raise_nothing(tmp_path: Path, name: str, raw: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(raw)
    consume(path, format=name)


@pytest.mark.parametrize("name", FORMATS)
def test_nesting_as_deep_as_you_like_is_noted(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x"
    path.write_bytes(b'{"type":"user","message":' + b"[" * 200_000 + b"\n" + SAMPLES[name])
    consume(path, format=name)


@pytest.mark.parametrize("name", FORMATS)
def test_an_empty_file_gives_nothing(tmp_path: Path, name: str) -> None:
    assert imported(tmp_path / "x", b"", format=name).skipped == []
    assert imported(tmp_path / "x", b"", format=name).events == []


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", FORMATS)
def test_other_encodings_with_a_mark_give_the_same_events(tmp_path: Path, name: str, encoding: str) -> None:
    if name == "zsh":
        return  # its bytes are not all text
    path = tmp_path / "x"
    plain = imported(path, SAMPLES[name], format=name)
    os.utime(path, (T0, T0))
    plain = read(path, format=name)
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    path.write_bytes(mark + SAMPLES[name].decode().encode(encoding))
    os.utime(path, (T0, T0))
    assert read(path, format=name).events == plain.events
    assert plain.events


@pytest.mark.parametrize("name", FORMATS)
def test_windows_line_ends_and_a_run_of_nuls_are_borne(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x"
    plain = imported(path, SAMPLES[name], format=name)
    if name not in WHOLE:
        nuls = imported(path, SAMPLES[name] + b"\0" * 20, format=name)
        assert nuls.events == plain.events
    if name != "zsh":
        windows = imported(path, SAMPLES[name].replace(b"\n", b"\r\n"), format=name)
        assert [event.id for event in windows.events] == [event.id for event in plain.events]


def test_a_folder_a_missing_file_and_a_picture_are_noted(tmp_path: Path) -> None:
    assert read(tmp_path).whys == [(None, "a folder, not a file")]
    assert read(tmp_path / "none").whys == [(None, "no such file")]
    assert imported(tmp_path / "a.jsonl", b"\x89PNG\r\n\x1a\n" + b"\0\0\0\x0d" * 500).whys == [(None, "not text")]
    assert imported(tmp_path / "a.txt", "hello").whys == [(None, "not a known format")]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert read(tmp_path / "pipe", format="bash").whys == [(None, "no such file")]


def test_a_line_that_is_too_long_is_noted_and_the_rest_imported(tmp_path: Path) -> None:
    long = json.dumps(line("user", "x" * (LINE_MAX + 10))).encode()
    good = json.dumps(line("user", "go")).encode()
    result = imported(
        tmp_path / "x.jsonl", good + b"\n" + long + b"\n" + good.replace(b"go", b"on"), format="claude-code"
    )
    assert [event.summary for event in result.events] == ["go", "on"]
    assert result.whys == [(2, "longer than 16 MB")]


def test_a_long_command_and_message_are_cut_between_words(tmp_path: Path) -> None:
    words = " ".join(f"word{number}" for number in range(5000))
    intent, run = imported(tmp_path / "x.jsonl", [line("user", words), *ran(words)]).events
    assert len(intent.summary) <= 2000
    assert len(run.data["command"]) <= 8000
    assert set(intent.summary.rstrip("…").split()) <= set(words.split())
    assert set(run.data["command"].rstrip("…").split()) <= set(words.split())


def test_a_word_without_an_end_is_cut_at_the_limit(tmp_path: Path) -> None:
    event = imported(tmp_path / "x.jsonl", ran("make", "Error: " + "x" * 500, error=True)).event
    assert event.data["error"] == "Error:…"
    assert len(imported(tmp_path / "x.jsonl", [line("user", "x" * 5000)]).event.summary) == 2000


def test_colours_and_control_characters_are_taken_out(tmp_path: Path) -> None:
    event = imported(tmp_path / "x.jsonl", [line("user", "a\x1b[31mred\x1b[0m\0b\ud800")]).event
    assert event.summary == "aredb?"


@pytest.mark.skipif(not RAW.is_dir(), reason="the public traces are not there (WELLWORN_DATA)")
def test_real_records_cut_anywhere_raise_nothing_and_give_what_comes_before(tmp_path: Path) -> None:
    files = [path for path in sorted(RAW.rglob("*")) if path.suffix in (".jsonl", ".traj", ".json")]
    assert files
    for path in files:
        raw = path.read_bytes()
        whole = [event.id for event in read(path).events]
        for number in range(1, 12):
            part = imported(tmp_path / path.name, raw[: len(raw) * number // 12])
            assert [event.id for event in part.events] == whole[: len(part.events)]
