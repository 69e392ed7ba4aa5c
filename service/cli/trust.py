"""`wellworn skills promote|demote|disable|enable|archive|delete|update|history|end-session`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from wellworn.service.cli.door import Door, open_door
from wellworn.service.cli.options import as_json_option, place_of, repo_option
from wellworn.service.cli.output import print_json, print_table, printable

if TYPE_CHECKING:
    from wellworn.models.curation import TrustAnswer, UpdateAnswer, UpdateRequest
    from wellworn.models.skill import SkillView

_LEVELS = click.Choice(["draft", "suggested", "installed", "trusted", "automatic"])
_to = click.option("--to", type=_LEVELS, help="The level. Default: the next one.")
_reason = click.option("--reason", help="Why, in your words; it is kept.")
_skill = click.argument("ref", metavar="ID[@SCOPE]")


def _change(
    ctx: click.Context, verb: str, ref: str, *, to: str | None, reason: str | None, repo: str | None, as_json: bool
) -> None:
    from wellworn.models.curation import TrustRequest  # noqa: PLC0415

    given = {name: value for name, value in (("to", to), ("reason", reason)) if value is not None}
    with open_door(ctx, quiet=as_json) as door:
        answer = door.change_trust(verb, ref, _valid(TrustRequest, given), repo=place_of(repo))
    if as_json:
        print_json(answer)
    else:
        _tell(answer)


def _tell(answer: TrustAnswer) -> None:
    change = answer.change
    click.echo(f"{change.skill_id}@{change.scope} is {change.to_trust} now; it was {change.from_trust}.")
    if change.to_trust in ("disabled", "archived"):
        click.echo(f"It matches nothing; `wellworn skills enable {change.skill_id}` brings it back.")
    for note in answer.notes:
        click.echo(f"Note: {note}")


def _valid(kind: Any, given: dict[str, Any]) -> Any:
    from pydantic import ValidationError  # noqa: PLC0415

    from wellworn.service.problems import validation_error  # noqa: PLC0415

    try:
        return kind.model_validate(given)
    except ValidationError as error:
        raise validation_error(error, where="The decision") from None


@click.command()
@_skill
@_to
@_reason
@repo_option
@as_json_option
@click.pass_context
def promote(ctx: click.Context, ref: str, to: str | None, reason: str | None, repo: str | None, as_json: bool) -> None:
    """Trust a skill more: one level up, when what it has done so far speaks for it.

    installed becomes trusted after 5 successes at a reliability of 0.70; trusted becomes automatic after 20 at 0.90,
    when it is of no high risk and every step that would run without asking is local or only reads.

    \b
    Examples:
      wellworn skills promote release-local
      wellworn skills promote release-local --to automatic --reason "never failed"
    """
    _change(ctx, "promote", ref, to=to, reason=reason, repo=repo, as_json=as_json)


@click.command()
@_skill
@_to
@_reason
@repo_option
@as_json_option
@click.pass_context
def demote(ctx: click.Context, ref: str, to: str | None, reason: str | None, repo: str | None, as_json: bool) -> None:
    """Trust a skill less: one level down, or to the level that you name.

    \b
    Examples:
      wellworn skills demote release-local
      wellworn skills demote release-local --to installed
    """
    _change(ctx, "demote", ref, to=to, reason=reason, repo=repo, as_json=as_json)


def _plain(name: str, verb: str, text: str) -> click.Command:
    @click.command(name, help=f"{text}\n\n\b\nExample:\n  wellworn skills {name} release-local")
    @_skill
    @_reason
    @repo_option
    @as_json_option
    @click.pass_context
    def command(ctx: click.Context, ref: str, reason: str | None, repo: str | None, as_json: bool) -> None:
        _change(ctx, verb, ref, to=None, reason=reason, repo=repo, as_json=as_json)

    return command


disable = _plain("disable", "disable", "Set a skill aside: it matches nothing until you enable it again.")
enable = _plain("enable", "enable", "Bring a disabled or archived skill back, to the level that it had.")
archive = _plain("archive", "archive", "Put a skill away: it matches nothing; its files and history stay.")
delete = _plain("delete", "archive", "Archive a skill; no file is removed, and `enable` brings it back.")


@click.command()
@_skill
@repo_option
@as_json_option
@click.pass_context
def history(ctx: click.Context, ref: str, repo: str | None, as_json: bool) -> None:
    """Show what was decided about a skill, newest first.

    \b
    Example:
      wellworn skills history release-local
    """
    with open_door(ctx, quiet=as_json) as door:
        found = door.history(ref, repo=place_of(repo))
    if as_json:
        print_json(found)
        return
    if not found.changes:
        click.echo(f"Nothing was decided about {ref} yet.")
        return
    rows = [
        [
            f"{one.ts:%Y-%m-%d %H:%M}",
            one.action,
            one.by,
            f"{one.from_trust or '-'} -> {one.to_trust}" if one.to_trust else "",
            "; ".join(part for part in (one.reason, one.evidence, one.proposal_id) if part),
        ]
        for one in found.changes
    ]
    print_table(["when", "what", "by", "trust", "why"], [[printable(cell) for cell in row] for row in rows])


@click.command()
@_skill
@click.option("--from", "from_proposal", metavar="PROPOSAL", help="Add what a proposal found; it is accepted by that.")
@click.option("--alias", multiple=True, metavar="TEXT", help="Add an alias: matched exactly.")
@click.option("--example", multiple=True, metavar="TEXT", help="Add an example of what people say.")
@click.option("--trigger", multiple=True, metavar="TEXT", help="Add a situation in which it is meant.")
@click.option("--remove-alias", multiple=True, metavar="TEXT", help="Remove an alias.")
@click.option("--remove-example", multiple=True, metavar="TEXT", help="Remove an example.")
@click.option("--remove-trigger", multiple=True, metavar="TEXT", help="Remove a trigger.")
@click.option("--description", metavar="TEXT", help="A new description.")
@click.option("--edit", is_flag=True, help="Change its text in $VISUAL or $EDITOR.")
@click.option("--reset-stats", is_flag=True, help="Reliability and counts begin anew.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--override", multiple=True, metavar="NAME", help="Allow a finding of the security scan by its name.")
@_reason
@repo_option
@as_json_option
@click.pass_context
def update(
    ctx: click.Context, /, ref: str, edit: bool, yes: bool, repo: str | None, as_json: bool, **given: Any
) -> None:
    """Change a skill's text: the difference is shown first; nothing else of its files changes.

    \b
    Examples:
      wellworn skills update release-local --alias "get it out of the door"
      wellworn skills update release-local --from 01J9Z3T6Q4W8X2Y5R7N1M0K9HB
      wellworn skills update release-local --edit
    """
    from wellworn.models.curation import UpdateRequest  # noqa: PLC0415

    place = place_of(repo)
    with open_door(ctx, quiet=as_json) as door:
        fields = _fields(given)
        if edit:
            edits = _edited(door.skill(ref, repo=place))
            if edits is None:
                ctx.exit(1)
            fields |= edits
        if not fields.keys() - {"overrides", "reason"}:
            raise click.UsageError("Say what to change, such as --alias TEXT, --from PROPOSAL or --edit.")
        request = _valid(UpdateRequest, fields)
        ask = not (yes or as_json or edit) and sys.stdin.isatty()
        answer = _shown(door, ref, request, place, ask=ask, quiet=as_json)
    if as_json:
        print_json(answer)
    elif answer.change is not None:
        click.echo(f"{answer.skill.id}@{answer.skill.scope} is changed, and answers so from now on.")
    else:
        click.echo("Nothing was changed.")


def _shown(door: Door, ref: str, request: UpdateRequest, repo: str | None, *, ask: bool, quiet: bool) -> UpdateAnswer:
    """Show the difference, ask where there is somebody to ask, and make it of the very files that were shown."""
    shown = door.update(ref, request.model_copy(update={"dry_run": True}), repo=repo)
    if not quiet and shown.diff:
        from wellworn.service.cli.editing import show_diff  # noqa: PLC0415

        show_diff(shown.diff)
    if not shown.changed and request.from_proposal is None and not request.reset_stats:
        return shown
    if ask and not click.confirm("Change it so?", default=False, err=True):
        return shown
    return door.update(ref, request.model_copy(update={"expected_hash": shown.hash}), repo=repo)


def _fields(given: dict[str, Any]) -> dict[str, Any]:
    fields = {
        "from_proposal": given["from_proposal"],
        "description": given["description"],
        "reason": given["reason"],
        "reset_stats": given["reset_stats"] or None,
        "overrides": list(given["override"]),
    }
    for one, many in (("alias", "aliases"), ("example", "examples"), ("trigger", "triggers")):
        fields[f"add_{many}"] = list(given[one])
        fields[f"remove_{many}"] = list(given[f"remove_{one}"])
    return {name: value for name, value in fields.items() if value not in (None, [])}


def _edited(skill: SkillView) -> dict[str, Any] | None:
    from wellworn.models.errors import InvalidInput  # noqa: PLC0415
    from wellworn.service.cli.editing import SkillText, edit  # noqa: PLC0415

    manifest = skill.manifest
    before = SkillText(
        id=skill.id,
        description=" ".join(manifest.description.split()),
        aliases=tuple(manifest.aliases),
        examples=tuple(manifest.examples),
        triggers=tuple(manifest.triggers),
        body=skill.body or "",
    )
    after = edit(before, "change")
    if after is None:
        return None
    if after.id != skill.id:
        raise InvalidInput("A skill keeps its id; its folder is named so.", hint="Rename the folder.", field="id")
    fields: dict[str, Any] = {}
    for name in ("aliases", "examples", "triggers"):
        old, new = getattr(before, name), getattr(after, name)
        fields[f"add_{name}"] = [one for one in new if one not in old]
        fields[f"remove_{name}"] = [one for one in old if one not in new]
    if after.description != before.description:
        fields["description"] = after.description
    if after.body != before.body.strip("\n"):
        fields["body"] = after.body
    return fields


@click.command("end-session")
@click.argument("session_id", metavar="ID")
@as_json_option
@click.pass_context
def end_session(ctx: click.Context, session_id: str, as_json: bool) -> None:
    """End a session: the skills that it had for itself answer no more. Their proposals can be accepted again.

    \b
    Example:
      wellworn skills end-session fix-login
    """
    with open_door(ctx, quiet=as_json) as door:
        ended = door.end_session(session_id)
    if as_json:
        print_json(ended)
    elif ended.skills:
        click.echo(f"Ended, and with it: {', '.join(ended.skills)}.")
    else:
        click.echo("Ended; it had no skills of its own.")


COMMANDS = (update, promote, demote, disable, enable, archive, delete, history, end_session)
