"""`wellworn skills log|diff|revert`: what a skill was before, and the way back."""

from __future__ import annotations

import sys

import click

from wellworn.service.cli.door import open_door
from wellworn.service.cli.options import as_json_option, place_of, repo_option
from wellworn.service.cli.output import print_json, print_table, printable

_VERSION = click.IntRange(1, 1_000_000_000)
_skill = click.argument("ref", metavar="ID[@SCOPE]")


@click.command("log")
@_skill
@repo_option
@as_json_option
@click.pass_context
def log(ctx: click.Context, ref: str, repo: str | None, as_json: bool) -> None:
    """List the versions that a skill's files have had, the newest first, also of one that was deleted.

    \b
    Example:
      wellworn skills log release-local
    """
    with open_door(ctx, quiet=as_json) as door:
        found = door.versions(ref, repo=place_of(repo))
    if as_json:
        print_json(found)
        return
    rows = [
        [
            f"{one.number}{' *' if one.current else ''}",
            f"{one.ts:%Y-%m-%d %H:%M}",
            one.action,
            one.by,
            one.reason or "",
        ]
        for one in found.versions
    ]
    print_table(["version", "when", "what", "by", "why"], [[printable(cell) for cell in row] for row in rows])
    if any(one.current for one in found.versions):
        click.echo("*: as it is now. `wellworn skills diff` compares, `revert --to N` goes back.")


@click.command("diff")
@_skill
@click.argument("older", type=_VERSION, required=False)
@click.argument("newer", type=_VERSION, required=False)
@repo_option
@as_json_option
@click.pass_context
def diff(ctx: click.Context, ref: str, older: int | None, newer: int | None, repo: str | None, as_json: bool) -> None:
    """Show what differs between two versions; with one, from it to the files as they are; without, the last change.

    \b
    Examples:
      wellworn skills diff release-local
      wellworn skills diff release-local 2 5
    """
    from wellworn.service.cli.editing import show_diff  # noqa: PLC0415

    with open_door(ctx, quiet=as_json) as door:
        found = door.version_diff(ref, older=older, newer=newer, repo=place_of(repo))
    if as_json:
        print_json(found)
        return
    click.echo(f"Version {found.older} to {found.newer or 'the files as they are'}:", err=True)
    if found.diff:
        show_diff(found.diff)
    else:
        click.echo("They are the same.", err=True)


@click.command("revert")
@_skill
@click.option("--to", type=_VERSION, required=True, help="The version to go back to; `log` lists them.")
@click.option("--reason", help="Why, in your words; it is kept.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--override", multiple=True, metavar="NAME", help="Allow a finding of the security scan by its name.")
@repo_option
@as_json_option
@click.pass_context
def revert(
    ctx: click.Context,
    ref: str,
    to: int,
    reason: str | None,
    yes: bool,
    override: tuple[str, ...],
    repo: str | None,
    as_json: bool,
) -> None:
    """Put a skill's files back as a version had them, byte for byte; the difference is shown first. Its trust stays.

    \b
    Example:
      wellworn skills revert release-local --to 2
    """
    from wellworn.models.repair import RevertRequest  # noqa: PLC0415
    from wellworn.service.cli.editing import show_diff  # noqa: PLC0415

    place = place_of(repo)
    request = RevertRequest(to=to, reason=reason, overrides=list(override), dry_run=True)
    with open_door(ctx, quiet=as_json) as door:
        shown = door.revert(ref, request, repo=place)
        if not as_json and shown.diff:
            show_diff(shown.diff)
        ask = not (yes or as_json) and sys.stdin.isatty()
        if shown.changed and not (ask and not click.confirm("Go back to that?", default=False, err=True)):
            shown = door.revert(
                ref, request.model_copy(update={"dry_run": False, "expected_hash": shown.hash}), repo=place
            )
    if as_json:
        print_json(shown)
    elif shown.change is not None:
        click.echo(f"{shown.skill.id}@{shown.skill.scope} is as it was in version {to}.")
    else:
        click.echo("Nothing was changed.")


COMMANDS = (log, diff, revert)
