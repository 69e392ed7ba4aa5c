"""`wellworn task begin|step|end|choose|list|show` and `wellworn choose`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellworn.service.cli.door import open_door
from wellworn.service.cli.options import as_json_option
from wellworn.service.cli.output import print_json, print_table, printable

if TYPE_CHECKING:
    from wellworn.models.resolution import FlaggedReport
    from wellworn.models.task import BeginAnswer, Choice, ChoiceRequest, EndAnswer, Task

CHOICES = ("proceed", "repair", "skip")
_READ_BYTES = 64_000
_choice = click.argument("choice", type=click.Choice(CHOICES))
_note = click.option("--note", help="Why, in your words; it is kept.")


@click.group()
def task() -> None:
    """Work that an agent reports: what it was for, its steps, and how it ended.

    What a failure taught is kept, counts for the skill that was used, and is told again at the next attempt.

    \b
    Examples:
      wellworn task begin "ship this and install it locally"
      wellworn task step 01J9Z3... "npm test" --exit-code 1
      wellworn task end 01J9Z3... --outcome failure --skill release-local
    """


@task.command()
@click.argument("objective")
@click.option(
    "--context", "context_file", type=click.Path(path_type=Path), help="JSON file with the context ('-': stdin)."
)
@click.option("--repo", help="Repository: its id, root folder or origin. Default: the one of the current folder.")
@as_json_option
@click.pass_context
def begin(ctx: click.Context, objective: str, context_file: Path | None, repo: str | None, as_json: bool) -> None:
    """Begin a task, or go on with the active one of the same OBJECTIVE, and say what to do.

    \b
    Examples:
      wellworn task begin "ship this and install it locally"
      wellworn task begin "ship this and install it locally" --json
    """
    from wellworn.models.task import BeginRequest  # noqa: PLC0415
    from wellworn.service.cli.resolve import context_here  # noqa: PLC0415

    request = _valid(BeginRequest, {"objective": objective, "context": context_here(repo, context_file)})
    with open_door(ctx, quiet=as_json) as door:
        answer = door.begin_task(request)
        if as_json:
            print_json(answer)
            return
        _tell_begun(answer)
        if answer.resolution.flagged is not None and answer.choice is None:
            ask_choice(answer.resolution.flagged, lambda request: door.choose_for_task(answer.task_id, request))


def _tell_begun(answer: BeginAnswer) -> None:
    again = " (resumed)" if answer.resumed else ""
    click.echo(f"Task {answer.task_id}, attempt {answer.attempt}{again}.")
    click.echo(printable(answer.instruction))


@task.command()
@click.argument("task_id", metavar="ID")
@click.argument("command")
@click.option("--exit-code", type=int, help="How it ended.")
@click.option("--summary", help="What it said, in a line or two; not its whole output.")
@as_json_option
@click.pass_context
def step(
    ctx: click.Context, task_id: str, command: str, exit_code: int | None, summary: str | None, as_json: bool
) -> None:
    """Record a step of a task: what was run, and how it ended.

    \b
    Example:
      wellworn task step 01J9Z3... "npm run build" --exit-code 1 --summary "cannot find module left-pad"
    """
    from wellworn.models.task import StepRequest  # noqa: PLC0415

    request = _valid(StepRequest, _given(command=command, exit_code=exit_code, summary=summary))
    with open_door(ctx, quiet=as_json) as door:
        recorded = door.task_step(task_id, request)
    if as_json:
        print_json(recorded)
    else:
        click.echo(f"Step {recorded.number} is recorded.")


@task.command()
@click.argument("task_id", metavar="ID")
@click.option("--outcome", type=click.Choice(["success", "failure", "partial"]), required=True, help="How it ended.")
@click.option("--skill", metavar="ID[@SCOPE]", help="The skill that was used, or none. Default: the match.")
@click.option("--reason", help="Why it ended so.")
@click.option("--evidence", metavar="FILE_OR_TEXT", help="What shows it; of a file its last lines are read.")
@as_json_option
@click.pass_context
def end(
    ctx: click.Context,
    task_id: str,
    outcome: str,
    skill: str | None,
    reason: str | None,
    evidence: str | None,
    as_json: bool,
) -> None:
    """End a task. What it shows counts for the skill that was used; a failure leaves a lesson.

    \b
    Examples:
      wellworn task end 01J9Z3... --outcome success --skill release-local --evidence "the user tried it"
      wellworn task end 01J9Z3... --outcome failure --skill release-local --reason "the build broke"
    """
    from wellworn.models.task import EndRequest  # noqa: PLC0415

    shown = None if evidence is None else _evidence(evidence)
    request = _valid(EndRequest, _given(outcome=outcome, skill=skill, reason=reason, evidence=shown))
    with open_door(ctx, quiet=as_json) as door:
        answer = door.end_task(task_id, request)
    if as_json:
        print_json(answer)
    else:
        _tell_ended(answer)


def _tell_ended(answer: EndAnswer) -> None:
    click.echo(f"Task {answer.task.id} ended: {answer.task.outcome}.")
    if answer.reflection is not None:
        click.echo(f"Lesson: {printable(answer.reflection.lesson)}")
        if answer.reflection.problem:
            click.echo(f"Note: the model could not be asked: {printable(answer.reflection.problem)}")
    if answer.skill is not None and answer.stats is not None:
        stats = answer.stats
        click.echo(
            f"{answer.skill}: reliability {stats.reliability:.2f}, {stats.success_count} worked, "
            f"{stats.failure_count} failed."
        )
    for note in answer.notes:
        click.echo(f"Note: {printable(note)}")
    if answer.flagged is not None and answer.skill is not None:
        click.echo(
            f"{answer.skill} is flagged: from now on a person is asked first. "
            f"`wellworn skills repair {answer.skill.id}` proposes how to mend it."
        )


@task.command("list")
@click.option("--status", type=click.Choice(["active", "ended"]), help="Only these.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help="Most to show.")
@click.option("--offset", type=click.IntRange(0, 1_000_000_000), default=0, help="How many to pass over.")
@as_json_option
@click.pass_context
def list_(ctx: click.Context, status: str | None, limit: int, offset: int, as_json: bool) -> None:
    """List tasks, the newest first.

    \b
    Example:
      wellworn task list --status active
    """
    with open_door(ctx, quiet=as_json) as door:
        page = door.tasks(status=status, offset=offset, limit=limit)
    if as_json:
        print_json(page)
        return
    if not page.tasks:
        narrowed = f"No task is {status}." if status is not None else "There are no tasks yet."
        click.echo(f"{narrowed} `wellworn task begin OBJECTIVE` begins one.")
        return
    rows = [
        [
            one.id,
            f"{one.created_at:%Y-%m-%d %H:%M}",
            str(one.outcome or one.status),
            str(one.attempt),
            str(one.step_count),
            str(one.used_skill or one.skill or ""),
            printable(one.objective),
        ]
        for one in page.tasks
    ]
    print_table(["id", "begun", "state", "attempt", "steps", "skill", "objective"], rows)
    if page.next_offset is not None:
        click.echo(f"{len(page.tasks)} of {page.total}; --offset {page.next_offset} shows more.")


@task.command()
@click.argument("task_id", metavar="ID")
@as_json_option
@click.pass_context
def show(ctx: click.Context, task_id: str, as_json: bool) -> None:
    """Show a task with its steps, how it ended and what it taught.

    \b
    Example:
      wellworn task show 01J9Z3T6Q4W8X2Y5R7N1M0K9HB
    """
    with open_door(ctx, quiet=as_json) as door:
        found = door.task(task_id)
    if as_json:
        print_json(found)
    else:
        for line in _task_lines(found):
            click.echo(printable(line))


def _task_lines(found: Task) -> list[str]:
    facts = [
        ("Task", found.id),
        ("Objective", found.objective),
        ("State", f"{found.outcome or found.status}, attempt {found.attempt}, begun {found.created_at:%Y-%m-%d %H:%M}"),
        ("Matched", "" if found.skill is None else f"{found.skill} ({found.decision})"),
        ("Used", "" if found.used_skill is None else str(found.used_skill)),
        ("Choice", "" if found.choice is None else found.choice.instruction),
        ("Reason", found.reason or ""),
        ("Evidence", found.evidence or ""),
        ("Cause", "" if found.cause is None else f"{found.cause}: nobody is blamed"),
        ("Analysis", "" if found.reflection is None else found.reflection.analysis),
        ("Lesson", "" if found.reflection is None else f"{found.reflection.lesson} (by {found.reflection.by})"),
    ]
    lines = [f"{name + ':':<11} {value}" for name, value in facts if value]
    for one in found.steps:
        ended = "" if one.exit_code is None else f"  exit {one.exit_code}"
        lines.append(f"  {one.number}. {one.command}{ended}{f'  ({one.summary})' if one.summary else ''}")
    return lines


@task.command("choose")
@click.argument("task_id", metavar="ID")
@_choice
@_note
@as_json_option
@click.pass_context
def choose_for_task(ctx: click.Context, task_id: str, choice: str, note: str | None, as_json: bool) -> None:
    """Decide about the flagged skill that a task's objective matched.

    proceed: use it as it is. repair: mend its steps first. skip: do the task without it.

    \b
    Example:
      wellworn task choose 01J9Z3T6Q4W8X2Y5R7N1M0K9HB skip
    """
    from wellworn.models.task import ChoiceRequest  # noqa: PLC0415

    request = _valid(ChoiceRequest, _given(choice=choice, note=note))
    with open_door(ctx, quiet=as_json) as door:
        _tell_choice(door.choose_for_task(task_id, request), as_json=as_json)


@click.command()
@click.argument("resolution_id", metavar="RESOLUTION")
@_choice
@_note
@as_json_option
@click.pass_context
def choose(ctx: click.Context, resolution_id: str, choice: str, note: str | None, as_json: bool) -> None:
    """Decide about a flagged skill that an answer named: proceed, repair or skip.

    \b
    Example:
      wellworn choose 01J9Z3T6Q4W8X2Y5R7N1M0K9HB proceed
    """
    from wellworn.models.task import ChoiceRequest  # noqa: PLC0415

    request = _valid(ChoiceRequest, _given(choice=choice, note=note))
    with open_door(ctx, quiet=as_json) as door:
        _tell_choice(door.choose(resolution_id, request), as_json=as_json)


def _tell_choice(choice: Choice, *, as_json: bool) -> None:
    if as_json:
        print_json(choice)
    else:
        click.echo(choice.instruction)


def ask_choice(flagged: FlaggedReport, decide: Callable[[ChoiceRequest], Choice]) -> None:
    """Ask the person at the terminal what to do about a flagged skill; where there is nobody, nothing is decided."""
    from wellworn.models.task import ChoiceRequest, FlagChoice  # noqa: PLC0415

    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    try:
        chosen = click.prompt("proceed, repair or skip?", type=click.Choice(flagged.choices), err=True)
    except click.Abort:
        click.echo("\nNothing was decided.", err=True)
        return
    click.echo(decide(ChoiceRequest(choice=FlagChoice(chosen))).instruction)


def _evidence(given: str) -> str:
    """Return the end of a file of that name, else the text itself.

    More is read than is kept, and redacted before it is cut: half a secret would not be known as one.
    """
    from wellworn.models.task import EVIDENCE_MAX  # noqa: PLC0415
    from wellworn.store.redact import redact  # noqa: PLC0415

    try:
        path = Path(given)
        if len(given) < 4096 and path.is_file():
            with path.open("rb") as file:
                file.seek(max(0, path.stat().st_size - _READ_BYTES))
                text = file.read(_READ_BYTES).decode("utf-8", errors="replace")
            return redact(text).strip()[-EVIDENCE_MAX:] or f"{path.name} is empty"
    except (OSError, ValueError):  # no name of a file that can be read: then it is a text
        return given
    return given


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _valid(kind: Any, given: dict[str, Any]) -> Any:
    from pydantic import ValidationError  # noqa: PLC0415

    from wellworn.service.problems import validation_error  # noqa: PLC0415

    try:
        return kind.model_validate(given)
    except ValidationError as error:
        raise validation_error(error, where="The task") from None
