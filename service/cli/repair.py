"""`wellworn skills repair|repairs`: new steps for a flagged skill, shown as a difference, decided by a person."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from wellworn.service.cli.door import Door, open_door
from wellworn.service.cli.options import as_json_option, place_of, repo_option
from wellworn.service.cli.output import print_json, print_table, printable

if TYPE_CHECKING:
    from wellworn.models.repair import Repair, RepairAnswer

_DECISIONS = ("accept", "edit", "cancel")
_HINT = "# A number begins a step; what else belongs to it is indented. Lines that begin with # are left out.\n\n"
_BEGINS = re.compile(r"(?:\d+[.)]|[-*+])(?:\s+|$)")


@click.command()
@click.argument("ref", metavar="ID[@SCOPE]")
@click.option("--commit", is_flag=True, help="Commit the files after an accept, where they lie in a git work tree.")
@click.option("--override", multiple=True, metavar="NAME", help="Allow a finding of the security scan by its name.")
@repo_option
@as_json_option
@click.pass_context
def repair(
    ctx: click.Context, ref: str, commit: bool, override: tuple[str, ...], repo: str | None, as_json: bool
) -> None:
    """Propose new steps for a flagged skill from what its failures taught, and let you accept, edit or cancel them.

    Nothing is written before you accept; then only the steps change, and the skill starts anew with a reliability of
    0.6. Where there is no terminal to ask at, the setting `auto_repair` decides (off: it is only reported).

    \b
    Examples:
      wellworn skills repair release-local
      wellworn skills repair release-local --commit
    """
    from wellworn.models.repair import RepairRequest  # noqa: PLC0415

    person = not as_json and sys.stdin.isatty() and sys.stdout.isatty()
    with open_door(ctx, quiet=as_json) as door:
        answer = door.propose_repair(ref, RepairRequest(headless=not person), repo=place_of(repo))
        if as_json:
            print_json(answer)
        elif not person:
            _tell(answer)
        else:
            _decide(ctx, door, answer, commit=commit, overrides=override)


def _decide(ctx: click.Context, door: Door, answer: RepairAnswer, *, commit: bool, overrides: tuple[str, ...]) -> None:
    """Show the difference and ask, until it is accepted or cancelled; whatever ends this otherwise cancels."""
    from wellworn.models.repair import RepairAccept  # noqa: PLC0415

    current = answer.repair
    _introduce(answer)
    try:
        while True:
            _show(current)
            chosen = click.prompt("What now?", type=click.Choice(_DECISIONS), default="cancel", err=True)
            if chosen == "edit":
                current = _edited(door, current)
                continue
            if chosen == "cancel":
                break
            wanted = commit or (current.in_git and click.confirm("Commit it as well?", default=False, err=True))
            _tell(door.accept_repair(current.id, RepairAccept(commit=wanted, overrides=list(overrides))))
            return
    except click.Abort:
        click.echo(err=True)
    _tell(door.cancel_repair(current.id))
    ctx.exit(1)


def _introduce(answer: RepairAnswer) -> None:
    skill, stats = answer.repair.skill, answer.stats
    if stats is not None:
        click.echo(
            f"{skill} is flagged: reliability {stats.reliability:.2f}, {stats.success_count} worked, "
            f"{stats.failure_count} failed, repaired {stats.repair_count} of 3 times."
        )


def _show(repair: Repair) -> None:
    from wellworn.service.cli.editing import show_diff  # noqa: PLC0415

    show_diff(repair.diff)
    for (lesson, step), times in Counter((one.lesson, one.answered_by) for one in repair.lessons).items():
        again = f" ({times} times)" if times > 1 else ""
        click.echo(printable(f"Lesson: {lesson}{again}"))
        click.echo(printable("  not answered" if step is None else f"  answered by: {step}"))
    if repair.by != "steps":
        click.echo(f"Proposed by {printable(repair.by)}.")
    for note in repair.notes:
        click.echo(f"Note: {printable(note)}")


def _edited(door: Door, repair: Repair) -> Repair:
    """Let a person edit the steps; what cannot be used, or was not changed, leaves them as they are."""
    from wellworn.models.errors import WellwornError  # noqa: PLC0415
    from wellworn.models.repair import RepairEdit  # noqa: PLC0415
    from wellworn.service.problems import validation_error  # noqa: PLC0415

    try:
        text = click.edit(_HINT + compose_steps(repair.new_steps), extension=".md", require_save=False)
    except click.ClickException as error:  # no editor, or one that failed
        click.echo(f"{error.format_message().rstrip('.')}. Set VISUAL or EDITOR; nothing was changed.", err=True)
        return repair
    steps = parse_steps(text or "")
    if not steps or steps == repair.new_steps:
        click.echo("Nothing was edited, so nothing was changed.", err=True)
        return repair
    from pydantic import ValidationError  # noqa: PLC0415

    try:
        return door.edit_repair(repair.id, RepairEdit(steps=steps)).repair
    except ValidationError as error:
        click.echo(str(validation_error(error, where="The edited text")), err=True)
    except WellwornError as error:
        click.echo(str(error), err=True)
    return repair


def compose_steps(steps: Sequence[str]) -> str:
    """Return steps as the text to be edited: numbered, what follows their first lines indented."""
    texts = []
    for number, step in enumerate(steps, 1):
        first, *rest = step.split("\n")
        lead = f"{number}. "
        texts.append("\n".join([lead + first, *(" " * len(lead) + line if line else "" for line in rest)]))
    return "\n\n".join(texts) + "\n"


def parse_steps(text: str) -> list[str]:
    """Return the steps of an edited text, in the form in which they are read; also a paragraph without a number is one.

    Empty ones are left out.
    """
    from wellworn.store.steps_section import plain_step  # noqa: PLC0415

    steps: list[list[str]] = []
    after_blank = True
    for line in text.replace("\r\n", "\n").split("\n"):
        if line.startswith("#"):
            continue
        begins = _BEGINS.match(line)
        if begins or not steps or (after_blank and line[:1].strip()):
            steps.append([line[begins.end() :] if begins else line])
        else:
            steps[-1].append(line)
        after_blank = not line.strip()
    return [step for lines in steps if (step := plain_step("\n".join(lines)))]


def _tell(answer: RepairAnswer) -> None:
    repair = answer.repair
    if repair.status == "accepted" and answer.stats is not None:
        click.echo(
            f"{repair.skill} is repaired ({repair.approval}); its reliability is {answer.stats.reliability:.2f} now."
        )
    elif repair.status == "cancelled":
        click.echo(f"Cancelled; {repair.skill} and its lessons are as they were.")
    if answer.instruction is not None:
        click.echo(printable(answer.instruction))
    for note in answer.notes:
        click.echo(f"Note: {printable(note)}")


@click.command("repairs")
@click.option("--status", type=click.Choice(["proposed", "accepted", "cancelled", "superseded"]), help="Only these.")
@as_json_option
@click.pass_context
def repairs(ctx: click.Context, status: str | None, as_json: bool) -> None:
    """List the repairs that were proposed, the newest first, and what became of them.

    \b
    Example:
      wellworn skills repairs --status accepted
    """
    from wellworn.models.repair import RepairList  # noqa: PLC0415

    with open_door(ctx, quiet=as_json) as door:
        found = door.repairs(status=status)
    if as_json:
        print_json(RepairList(repairs=found))
    elif not found:
        click.echo("There are none. `wellworn skills repair ID` proposes one for a flagged skill.")
    else:
        rows = [
            [
                one.id,
                f"{one.created_at:%Y-%m-%d %H:%M}",
                str(one.skill),
                str(one.approval or one.status),
                one.decided_by or "",
                f"{sum(lesson.answered_by is not None for lesson in one.lessons)} of {len(one.lessons)}",
            ]
            for one in found
        ]
        print_table(["repair", "proposed", "skill", "state", "by", "lessons answered"], rows)


COMMANDS = (repair, repairs)
