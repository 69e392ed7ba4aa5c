"""`wellworn feedback`: a person's word on a resolution."""

from __future__ import annotations

import click

from wellworn.models.errors import InvalidInput
from wellworn.models.resolution import FeedbackRequest, Verdict
from wellworn.service.cli.door import open_door
from wellworn.service.cli.output import print_json, print_table

_VERDICTS = {"right": Verdict.right, "wrong": Verdict.wrong, "should-be": Verdict.should_be}
NONE = "none"


@click.command()
@click.argument("resolution_id", required=False)
@click.argument("verdict", type=click.Choice([*_VERDICTS]), required=False)
@click.argument("skill_id", required=False)
@click.option("--note", help="Why, in your words.")
@click.option("--list", "list_for", metavar="SKILL_ID", help="Show what a skill was taught by feedback.")
@click.option("--forget", metavar="TAUGHT_ID", help="Remove one thing that was taught.")
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
    """
    with open_door(ctx, quiet=as_json) as door:
        if list_for is not None:
            taught = door.taught(list_for, repo=None)
        elif forget is not None:
            taught = [door.forget(forget)]
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
        if forget is not None:
            click.echo("Forgotten:")
        print_table(["id", "skill", "field", "text"], [[t.id, t.skill_id, t.field, t.text] for t in taught])
    elif list_for is not None:
        click.echo(f"{list_for} was taught nothing by feedback.")


def _request(resolution_id: str | None, verdict: str | None, skill_id: str | None, note: str | None) -> FeedbackRequest:
    if resolution_id is None or verdict is None:
        raise click.UsageError(
            "Give a resolution's id and a verdict: wellworn feedback ID right|wrong|should-be SKILL_ID."
        )
    chosen = _VERDICTS[verdict]
    if chosen is Verdict.should_be and skill_id is None:
        raise InvalidInput("should-be needs the id of the skill that was meant, or `none`.", field="skillId")
    if chosen is not Verdict.should_be and skill_id is not None:
        raise InvalidInput(f"{verdict} takes no skill id; did you mean should-be {skill_id}?", field="skillId")
    from wellworn.models.ids import check_skill_id  # noqa: PLC0415

    meant = None if skill_id in (None, NONE) else check_skill_id(str(skill_id), field="skillId")
    return FeedbackRequest(resolution_id=resolution_id, verdict=chosen, skill_id=meant, note=note)
