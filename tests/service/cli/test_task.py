"""Tasks on the command line, in this process and through a running service."""

from __future__ import annotations

import pytest
from tests.service.cli.commands import Commands
from tests.service.worlds import SHIP, World


@pytest.fixture(autouse=True)
def _library(world: World) -> None:
    world.usual()


def begun(cli: Commands) -> str:
    found: str = cli.ok("task", "begin", SHIP, "--json").json["taskId"]
    return found


def failed(cli: Commands, times: int = 4) -> None:
    for _ in range(times):
        cli.ok("task", "end", begun(cli), "--outcome", "failure", "--skill", "release-local", "--reason", "x")


def test_a_task_is_begun_recorded_ended_and_shown(cli: Commands) -> None:
    told = cli.ok("task", "begin", SHIP).out
    assert "attempt 1" in told
    assert "Ask the user whether to use it" in told
    task_id = begun(cli)
    assert cli.ok("task", "step", task_id, "npm test", "--exit-code", "1").out == "Step 1 is recorded.\n"
    told = cli.ok("task", "end", task_id, "--outcome", "failure", "--skill", "release-local").out
    assert "Lesson: `npm test` failed with exit code 1" in told
    assert "release-local@user: reliability 0.80, 0 worked, 1 failed." in told
    shown = cli.ok("task", "show", task_id).out
    assert "1. npm test  exit 1" in shown
    assert task_id in cli.ok("task", "list").out
    assert cli.ok("task", "list", "--status", "active").out.startswith("No task is active.")


def test_an_empty_list_says_how_to_begin(cli: Commands) -> None:
    assert "wellworn task begin OBJECTIVE" in cli.ok("task", "list").out


def test_evidence_is_read_from_a_file_or_taken_as_it_is(cli: Commands, world: World) -> None:
    log = world.root / "log.txt"
    log.write_text("x" * 10_000 + "\nall tests passed\n")
    cli.ok("task", "end", begun(cli), "--outcome", "success", "--evidence", str(log))
    assert cli.ok("task", "list", "--json").json["tasks"][0]["evidence"].endswith("all tests passed")
    cli.ok("task", "end", begun(cli), "--outcome", "success", "--evidence", "the user said so")
    assert cli.ok("task", "list", "--json").json["tasks"][0]["evidence"] == "the user said so"


def test_a_secret_at_the_place_where_evidence_is_cut_is_not_kept_in_half(cli: Commands, world: World) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    log = world.root / "log.txt"
    log.write_text(f"{'x' * 9_000} {secret} {'y ' * 1_985}")
    assert secret not in log.read_text()[-4_000:]
    assert secret[-12:] in log.read_text()[-4_000:]
    cli.ok("task", "end", begun(cli), "--outcome", "success", "--evidence", str(log))
    kept = cli.ok("task", "list", "--json").json["tasks"][0]["evidence"]
    assert "a1B2c3D4e5F6" not in kept
    assert kept.endswith("y y")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00" * 9_000])
def test_evidence_that_is_no_text_is_kept_as_far_as_it_can_be(cli: Commands, world: World, content: bytes) -> None:
    (world.root / "log.bin").write_bytes(content)
    cli.ok("task", "end", begun(cli), "--outcome", "success", "--evidence", "log.bin")
    assert len(cli.ok("task", "list", "--json").json["tasks"][0]["evidence"]) in range(1, 4_001)


def test_a_flagged_match_is_reported_where_nobody_can_be_asked(cli: Commands) -> None:
    failed(cli)
    task = cli.ok("task", "begin", SHIP)
    assert "flagged" in task.out
    assert "proceed|repair|skip" in task.out
    task_id = begun(cli)
    assert cli.ok("task", "show", task_id, "--json").json["choice"] is None
    assert cli.ok("task", "choose", task_id, "skip").out.startswith("USER DECISION: do not use release-local@user")
    assert cli.ok("task", "begin", SHIP).out.splitlines()[1].startswith("USER DECISION: ")


def test_a_choice_about_an_answer_is_made_by_its_id(cli: Commands) -> None:
    failed(cli)
    answer = cli.ok("resolve", SHIP, "--json").json
    assert answer["decision"] == "review"
    assert cli.ok("choose", answer["resolutionId"], "proceed", "--json").json["choice"] == "proceed"


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        (["task", "begin", "  "], 2, "objective"),
        (["task", "step", "01UNKNOWN", "x"], 1, "There is no task '01UNKNOWN'. `wellworn task list` shows them."),
        (["task", "end", "../../etc/passwd", "--outcome", "success"], 1, "There is no task"),
        (["task", "end", "01UNKNOWN", "--outcome", "splendid"], 2, "splendid"),
        (["task", "end", "01UNKNOWN"], 2, "--outcome"),
        (["task", "show", "01UNKNOWN"], 1, "There is no task"),
        (["task", "choose", "01UNKNOWN", "skip"], 1, "There is no task"),
        (["task", "choose", "01UNKNOWN", "maybe"], 2, "maybe"),
        (["choose", "01UNKNOWN", "skip"], 1, "There is no recorded resolution"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(cli: Commands, argv: list[str], code: int, words: str) -> None:
    ran = cli(*argv)
    assert (ran.code, words in ran.err, ran.out) == (code, True, ""), ran


def test_the_same_works_through_a_running_service(cli: Commands) -> None:
    with cli.service():
        task_id = begun(cli)
        cli.ok("task", "step", task_id, "npm test", "--exit-code", "0")
        told = cli.ok("task", "end", task_id, "--outcome", "success", "--skill", "release-local").out
        assert "reliability 1.00, 1 worked" in told
        assert task_id in cli.ok("task", "list").out
        assert cli("task", "choose", task_id, "skip").code == 1
