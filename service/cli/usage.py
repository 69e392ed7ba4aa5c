"""`wellworn usage`: what was asked of models, and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wellworn.service.cli.door import open_door
from wellworn.service.cli.options import as_json_option, read_since
from wellworn.service.cli.output import print_json, print_table, printable

if TYPE_CHECKING:
    from wellworn.models.turn import UsageReport


@click.command()
@click.option("--since", help="Only what was asked since: 7d, 12h, 2w, or a date.")
@click.option("--account", metavar="USER", help="For admins: whose. Default: everybody's.")
@as_json_option
@click.pass_context
def usage(ctx: click.Context, since: str | None, account: str | None, as_json: bool) -> None:
    """Show how often models were asked, and the tokens that it took: by account, purpose and model.

    \b
    Examples:
      wellworn usage
      wellworn usage --since 7d --json
    """
    moment = read_since(since)
    with open_door(ctx, quiet=as_json) as door:
        report = door.usage(since=moment, account=account)
    if as_json:
        print_json(report)
    else:
        _tell(report)


def _tell(report: UsageReport) -> None:
    when = "" if report.since is None else f" since {report.since:%Y-%m-%d %H:%M}"
    if not report.spend:
        click.echo(f"No model was asked{when}; nothing was spent.")
        return
    rows = [
        (
            printable(one.account),
            printable(one.origin),
            f"{one.requests:,}",
            f"{one.failed:,}",
            f"{one.input_tokens:,}",
            f"{one.output_tokens:,}",
            printable(one.model),
        )
        for one in report.spend
    ]
    print_table(("account", "for", "asked", "failed", "tokens in", "tokens out", "model"), rows, right=(2, 3, 4, 5))
    sums = [sum(getattr(one, name) for one in report.spend) for name in ("requests", "input_tokens", "output_tokens")]
    click.echo(f"In all{when}: asked {sums[0]:,} times, {sums[1]:,} tokens in, {sums[2]:,} tokens out.")
