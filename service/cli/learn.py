"""`wellworn skills learn`: propose a skill from one task that went well."""

from __future__ import annotations

import click

from wellworn.service.cli.door import open_door
from wellworn.service.cli.options import as_json_option
from wellworn.service.cli.output import print_json


@click.command()
@click.argument("task_id", metavar="TASK")
@as_json_option
@click.pass_context
def learn(ctx: click.Context, task_id: str, as_json: bool) -> None:
    """Propose a skill from one TASK that ended in success. Nothing is installed before a person accepts it.

    The task must show that it went well, have three steps at least that do something, be mostly about more than one
    project, and be nothing that a skill here does already.

    \b
    Example:
      wellworn skills learn 01J9Z3T6Q4W8X2Y5R7N1M0K9HC
    """
    from wellworn.service.cli.proposal_view import full_view, say  # noqa: PLC0415

    with open_door(ctx, quiet=as_json) as door:
        found = door.learn(task_id)
    if as_json:
        print_json(found)
    else:
        say(list(full_view(found)))


COMMANDS = (learn,)
