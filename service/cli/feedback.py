"""`wellworn feedback`: a person's word on a resolution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wellworn.models.errors import InvalidInput
from wellworn.service.cli.door import open_door
from wellworn.service.cli.options import place_of
from wellworn.service.cli.output import print_json, print_table

if TYPE_CHECKING:
    from wellworn.models.resolution import FeedbackRequest

_SHOULD_BE = "should-be"
_VERDICTS = ("right", "wrong", _SHOULD_BE)
NONE = "none"


@click.command()
@click.argument("resolution_id", required=False)
@click.argument("verdict", type=click.Choice(_VERDICTS), required=False)
@click.argument("skill_id", required=False)
@click.option("--note", help="Why, in your words.")
@click.option("--list", "list_for", metavar="SKILL_ID", help="Show what a skill was taught by feedback.")
@click.option("--forget", metavar="TAUGHT_ID", help="Remove one thing that was taught.")
@click.option("--list-key", metavar="KEY_ID", help="Show all that one key's feedback taught; `local` is you.")
@click.option("--forget-key", metavar="KEY_ID", help="Remove all that one key's feedback taught.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def feedback(
    ctx: click.Context,
    resolution_id: str | None,
    verdict: str | None,
    skill_id: str | None,
    note: str | None,
    list_for: str | None,
    forget: str | None,
    list_key: str | None,
    forget_key: str | None,
    as_json: bool,
) -> None:
    """Say that a resolution was right or wrong, or which skill (or `none`) it should have been.

    \b
    Examples:
      wellworn feedback 01JABC... right
      wellworn feedback 01JABC... should-be release-local
      wellworn feedback 01JABC... should-be none
      wellworn feedback --list release-local
      wellworn feedback --forget 01JXYZ...
      wellworn feedback --forget-key 01JKEY...
    """
    _refuse_two_at_once(
        {
            "a verdict": resolution_id,
            "--list": list_for,
            "--forget": forget,
            "--list-key": list_key,
            "--forget-key": forget_key,
        }
    )
    with open_door(ctx, quiet=as_json) as door:
        if list_for is not None:
            taught = door.taught(list_for, repo=place_of(None))
        elif forget is not None:
            taught = [door.forget(forget)]
        elif list_key is not None:
            taught = door.taught_by_key(list_key)
        elif forget_key is not None:
            taught = door.forget_key(forget_key)
        else:
            answer = door.feedback(_request(resolution_id, verdict, skill_id, note))
            if as_json:
                print_json(answer)
                return
            taught = answer.taught
            click.echo(f"Recorded as {answer.feedback_id}.")
            for line in answer.notes:
                click.echo(f"Note: {line}")
    if as_json:
        print_json(taught)
    elif taught:
        if forget is not None or forget_key is not None:
            click.echo("Forgotten:")
        rows = [[t.id, t.skill_id, t.field, t.key_id or "local", t.text] for t in taught]
        print_table(["id", "skill", "field", "key", "text"], rows)
    elif list_for is not None:
        click.echo(f"{list_for} was taught nothing by feedback.")
    elif list_key is not None or forget_key is not None:
        click.echo(f"The key {list_key or forget_key} taught nothing that is in force.")


def _refuse_two_at_once(ways: dict[str, str | None]) -> None:
    given = [name for name, value in ways.items() if value is not None]
    if len(given) > 1:
        raise click.UsageError(f"Give {given[0]} or {given[1]}, not both.")


def _request(resolution_id: str | None, verdict: str | None, skill_id: str | None, note: str | None) -> FeedbackRequest:
    if resolution_id is None or verdict is None:
        raise click.UsageError(
            "Give a resolution's id and a verdict: wellworn feedback ID right|wrong|should-be SKILL_ID."
        )
    if verdict == _SHOULD_BE and skill_id is None:
        raise InvalidInput("should-be needs the id of the skill that was meant, or `none`.", field="skillId")
    if verdict != _SHOULD_BE and skill_id is not None:
        raise InvalidInput(f"{verdict} takes no skill id; did you mean should-be {skill_id}?", field="skillId")
    return _checked(
        {"resolutionId": resolution_id, "verdict": verdict.replace("-", "_"), "note": note}
        | ({"skillId": None if skill_id == NONE else skill_id} if verdict == _SHOULD_BE else {})
    )


def _checked(fields: dict[str, str | None]) -> FeedbackRequest:
    from pydantic import ValidationError  # noqa: PLC0415

    from wellworn.models.resolution import FeedbackRequest  # noqa: PLC0415
    from wellworn.service.problems import validation_error  # noqa: PLC0415

    try:
        return FeedbackRequest.model_validate(fields)
    except ValidationError as error:
        raise validation_error(error, where="The verdict") from None
