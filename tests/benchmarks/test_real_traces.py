"""The benchmark of real records: what it reads, compares and refuses."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from benchmarks.real_traces import agreement, main, read_all, table_events
from tests.lifecycle.importers.makers import NOW, line, ran

from wellworn.models.trace import TraceKind

ROW: dict[str, Any] = {
    "source": "pi_mono", "session": "a", "step": 0, "tool": "bash", "command": "make", "ok": True, "output_tail": "",
    "ts": "2025-06-14T11:00:00Z", "user_request": "build it",
}  # fmt: skip


def test_the_table_gives_each_request_once_and_its_commands_and_edits() -> None:
    edited = {**ROW, "step": 1, "tool": "edit", "command": "edit /a.py", "ok": None}
    rows = [ROW, edited, {**ROW, "source": "swe_agent"}, {**ROW, "step": 2, "tool": "read"}]
    asked, run, edit = table_events(rows, NOW)
    assert (asked.kind, asked.summary) == (TraceKind.user_intent, "build it")
    assert (run.data["command"], run.success) == ("make", True)
    assert (edit.kind, edit.data["file"], edit.success) == (TraceKind.file_diff, "/a.py", None)


def test_a_row_without_a_time_has_that_of_its_session_and_an_exit_code_in_its_output_counts() -> None:
    row = {**ROW, "source": "specstory", "session": "2026-01-16_16-48-38Z-x.md", "step": 2, "ts": None,
           "user_request": None, "output_tail": "Exit code 127\nno make"}  # fmt: skip
    (event,) = table_events([row], NOW)
    assert event.ts == datetime(2026, 1, 16, 16, 48, 40, tzinfo=UTC)
    assert (event.success, event.data["exitCode"]) == (False, 127)


def test_everything_is_imported_compared_kept_once_and_mined(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = tmp_path / "traces" / "raw" / "claude"
    raw.mkdir(parents=True)
    (raw / "a.jsonl").write_text("\n".join(map(json.dumps, [line("user", "go"), *ran("make"), 4])), encoding="utf-8")
    row = {**ROW, "source": "claude_code_log", "session": "s1", "ok": False}
    (tmp_path / "traces" / "commands.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    tallies, events = read_all(tmp_path / "traces", NOW)
    assert dict(tallies["claude-code"].skipped) == {"not a JSON object": 1}
    assert dict(agreement([row], events)) == {"table False, importer True": 1}
    assert main(["--data", str(tmp_path)]) == 0
    assert "kept 2 of 2 events; 0 more at the second import" in capsys.readouterr().out
