"""`wellworn learning` and `wellworn turn`: what is learned from completed turns, and whether a person lets it be."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

import click

from wellworn.service.cli.door import open_door
from wellworn.service.cli.options import as_json_option
from wellworn.service.cli.output import print_json, printable

if TYPE_CHECKING:
    from wellworn.models.turn import AccountLearning, TurnReview

_account = click.option("--account", metavar="USER", help="For admins: whose. Default: your own.")


@click.group(invoke_without_command=True)
@_account
@as_json_option
@click.pass_context
def learning(ctx: click.Context, account: str | None, as_json: bool) -> None:
    """Show whether completed turns of yours are looked at for skills worth keeping, or let them be.

    It is off until you turn it on. Then every now and then (`review.every_tool_calls`) a turn that you began yourself
    and that was completed is reviewed behind everything else, and what is worth it waits as a proposal.

    \b
    Examples:
      wellworn learning
      wellworn learning on
      wellworn learning on --direct
      wellworn learning off
    """
    if ctx.invoked_subcommand is not None:
        return
    with open_door(ctx, quiet=as_json) as door:
        found = door.learning(account)
    if as_json:
        print_json(found)
    else:
        _tell(found)


@learning.command()
@click.option("--direct/--no-direct", default=None, help="Write skills of your own at once, in the place of proposals.")
@_account
@as_json_option
@click.pass_context
def on(ctx: click.Context, direct: bool | None, account: str | None, as_json: bool) -> None:
    """Let completed turns be reviewed.

    With --direct a review may install skills in your own scope (never above `installed`, never over what a person
    wrote or edited); without it everything waits for you as a proposal.

    \b
    Example:
      wellworn learning on
    """
    _change(ctx, account, as_json, opted_in=True, direct=direct)


@learning.command()
@_account
@as_json_option
@click.pass_context
def off(ctx: click.Context, account: str | None, as_json: bool) -> None:
    """Let no turn be reviewed any more; a review that is running writes nothing.

    \b
    Example:
      wellworn learning off
    """
    _change(ctx, account, as_json, opted_in=False, direct=None)


def _change(ctx: click.Context, account: str | None, as_json: bool, *, opted_in: bool, direct: bool | None) -> None:
    from wellworn.models.turn import AccountChange  # noqa: PLC0415

    given = {"opted_in": opted_in} | ({} if direct is None else {"direct": direct})
    with open_door(ctx, quiet=as_json) as door:
        found = door.change_account(account, AccountChange.model_validate(given))
    if as_json:
        print_json(found)
    else:
        _tell(found)


def _tell(found: AccountLearning) -> None:
    if found.available:
        kind = "writes skills of its own" if found.direct else "waits as a proposal"
        click.echo(f"On for {printable(found.account)}: what a review finds {kind}.")
        click.echo(
            f"{found.counted} of {found.every_tool_calls} proven calls are counted towards the next review; a turn "
            f"counts from {found.min_tool_calls} on, and a review writes {found.max_ops} times at most."
        )
    else:
        click.echo(f"Not available for {printable(found.account)} ({found.rule}): {found.why}")
    if found.last_review is not None:
        click.echo(_review_line(found.last_review))


def _review_line(review: TurnReview) -> str:
    problem = f" {printable(review.problem)}" if review.problem else ""
    written = f" It wrote {', '.join(review.proposals)}." if review.proposals else " It wrote nothing."
    return f"Review of turn {printable(review.turn_id)} by {review.reviewer}: {review.status}.{problem}{written}"


@click.group()
def turn() -> None:
    """Offer completed turns for review, as agents do, and see what became of them.

    \b
    Examples:
      wellworn turn post turn.json
      wellworn turn show 01J9Z3T6Q4W8X2Y5R7N1M0K9HC
    """


@turn.command("post")
@click.argument("file", type=click.File("rb"))
@as_json_option
@click.pass_context
def post(ctx: click.Context, file: IO[bytes], as_json: bool) -> None:
    """Offer the turn in FILE (JSON; `-` is standard input) for review.

    \b
    Example:
      wellworn turn post turn.json
    """
    from pydantic import ValidationError  # noqa: PLC0415

    from wellworn.models.turn import Turn  # noqa: PLC0415
    from wellworn.service.problems import validation_error  # noqa: PLC0415

    try:
        given = Turn.model_validate_json(file.read())
    except ValidationError as error:
        raise validation_error(error, where="The turn") from None
    with open_door(ctx, quiet=as_json) as door:
        answer = door.post_turn(given)
    if as_json:
        print_json(answer)
    elif answer.armed:
        click.echo(f"It counts, and a review was begun; `wellworn turn show {printable(answer.id)}` tells of it.")
    elif answer.eligible:
        click.echo(f"It counts: {answer.counted} proven calls so far.")
    else:
        click.echo(f"It does not count ({answer.rule}); `wellworn learning` says more.")


@turn.command("show")
@click.argument("turn_id", metavar="ID")
@as_json_option
@click.pass_context
def show(ctx: click.Context, turn_id: str, as_json: bool) -> None:
    """Show what was answered to a turn, and what became of its review.

    \b
    Example:
      wellworn turn show 01J9Z3T6Q4W8X2Y5R7N1M0K9HC
    """
    with open_door(ctx, quiet=as_json) as door:
        found = door.turn(turn_id)
    if as_json:
        print_json(found)
    elif found.review is not None:
        click.echo(_review_line(found.review))
    else:
        counts = "It counted" if found.answer.eligible else f"It did not count ({found.answer.rule})"
        click.echo(f"{counts}; no review was begun with it.")
