"""`wellworn skills suggest|proposals|proposal|accept|reject`: from what was observed to what a person decides."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellworn.service.cli.door import Door, open_door
from wellworn.service.cli.options import as_json_option, place_of, read_since
from wellworn.service.cli.output import print_json, print_table, printable, progress_bar

if TYPE_CHECKING:
    from wellworn.models.proposal import AcceptAnswer, AcceptRequest, Proposal

_SCOPES = click.Choice(["session", "user", "repo"])
_STATUSES = click.Choice(["draft", "suggested", "accepted", "rejected", "superseded", "all"])


@click.command()
@click.option("--since", help="Only what happened since: 7d, 12h, 2w, or a date.")
@click.option("--session", help="Only this session's events.")
@click.option("--user", help="For admins: whose events. Default: your own.")
@click.option("--repo", help="Only events of this repository.")
@click.option("--all", "everything", is_flag=True, help="Also show what was ignored, and why.")
@as_json_option
@click.pass_context
def suggest(
    ctx: click.Context,
    since: str | None,
    session: str | None,
    user: str | None,
    repo: str | None,
    everything: bool,
    as_json: bool,
) -> None:
    """Look through the traces for repeated friction, and propose skills for it. Nothing is installed by this.

    \b
    Examples:
      wellworn skills suggest
      wellworn skills suggest --since 7d --repo . --all
    """
    from wellworn.models.proposal import SuggestRequest  # noqa: PLC0415
    from wellworn.service.cli.proposal_view import say, suggestions_view  # noqa: PLC0415

    request = SuggestRequest(
        since=read_since(since), session_id=session, user=user, repo=None if repo is None else place_of(repo)
    )
    with open_door(ctx, quiet=as_json) as door, progress_bar(quiet=as_json) as show:
        answer = door.suggest(request, show)
    if as_json:
        print_json(answer)
    else:
        say(list(suggestions_view(answer, everything=everything)))


@click.command()
@click.option("--status", type=_STATUSES, default="suggested", show_default=True, help="Those that stand so.")
@click.option("--repo", help="Only those that came of this repository.")
@click.option("--offset", type=click.IntRange(0), default=0, show_default=True, help="Skip this many.")
@click.option("--limit", type=click.IntRange(1, 1000), default=100, show_default=True, help="Show at most this many.")
@as_json_option
@click.pass_context
def proposals(ctx: click.Context, status: str, repo: str | None, offset: int, limit: int, as_json: bool) -> None:
    """List proposals: those that wait for you, unless another --status is asked for.

    \b
    Examples:
      wellworn skills proposals
      wellworn skills proposals --status all --json
    """
    wanted = None if status == "all" else status
    place = None if repo is None else place_of(repo)
    with open_door(ctx, quiet=as_json) as door:
        page = door.proposals(status=wanted, repo=place, offset=offset, limit=limit)
    if as_json:
        print_json(page)
        return
    if not page.proposals:
        click.echo("No proposal is there." if wanted is None else f"No proposal is {wanted}.")
        click.echo("`wellworn skills suggest` looks for what could become one.")
        return
    rows = [
        [one.id, one.status, f"{one.candidate.confidence:.2f}", one.updates or one.manifest.id, one.candidate.title]
        for one in page.proposals
    ]
    columns = ["proposal", "status", "sure", "skill", "title"]
    print_table(columns, [[printable(cell) for cell in row] for row in rows], right=(2,))
    more = "" if page.next_offset is None else f"; more with --offset {page.next_offset}"
    click.echo(f"{len(page.proposals)} of {page.total}{more}. `wellworn skills proposal ID` shows one.")


@click.command()
@click.argument("proposal_id", metavar="ID")
@as_json_option
@click.pass_context
def proposal(ctx: click.Context, proposal_id: str, as_json: bool) -> None:
    """Show one proposal in full: why, the six answers, what would be written, and how to decide.

    \b
    Example:
      wellworn skills proposal 01J9Z3T6Q4W8X2Y5R7N1M0K9HB
    """
    with open_door(ctx, quiet=as_json) as door:
        found = door.proposal(proposal_id)
    show_proposal(found, as_json=as_json)


def show_proposal(found: Proposal, *, as_json: bool) -> None:
    """Print a proposal's own screen, or its JSON."""
    from wellworn.service.cli.proposal_view import full_view, say  # noqa: PLC0415

    if as_json:
        print_json(found)
    else:
        say(list(full_view(found)))


@click.command()
@click.argument("proposal_id", metavar="ID")
@click.option("--scope", type=_SCOPES, help="Whose skill it becomes. Default: as proposed.")
@click.option("--id", "skill_id", metavar="NAME", help="Another name for the skill.")
@click.option("--edit", is_flag=True, help="Change its text in $VISUAL or $EDITOR first.")
@click.option("--confirm", metavar="NAME", help="The skill's id once more; repo scope needs it.")
@click.option("--repo", help="Repository to write to. Default: the proposal's own, else that of the current folder.")
@click.option("--session", help="Session that it is for. Default: the proposal's own.")
@click.option("--override", multiple=True, metavar="NAME", help="Allow a finding of the security scan by its name.")
@as_json_option
@click.pass_context
def accept(
    ctx: click.Context,
    proposal_id: str,
    scope: str | None,
    skill_id: str | None,
    edit: bool,
    confirm: str | None,
    repo: str | None,
    session: str | None,
    override: tuple[str, ...],
    as_json: bool,
) -> None:
    """Accept a proposal: its files are written, and the skill answers from then on.

    \b
    Examples:
      wellworn skills accept 01J9Z3T6Q4W8X2Y5R7N1M0K9HB
      wellworn skills accept 01J9Z3T6Q4W8X2Y5R7N1M0K9HB --scope repo --confirm ship-web
      wellworn skills accept 01J9Z3T6Q4W8X2Y5R7N1M0K9HB --edit --id ship-web
    """
    given: dict[str, Any] = {
        "id": skill_id,
        "scope": scope,
        "confirm": confirm,
        "session_id": session,
        "overrides": list(override),
    }
    with open_door(ctx, quiet=as_json) as door:
        found = door.proposal(proposal_id)
        if edit:
            edits = _edited(found, given)
            if edits is None:
                ctx.exit(1)
            given |= edits
        given["repo"] = _repository(found, given, repo)
        given["confirm"] = _confirmed(found, given, as_json=as_json)
        answer = _accept(door, proposal_id, given)
    if as_json:
        print_json(answer)
    else:
        _tell(answer)


def _accept(door: Door, proposal_id: str, given: dict[str, Any]) -> AcceptAnswer:
    return door.accept(proposal_id, _request({name: value for name, value in given.items() if value is not None}))


def _request(given: dict[str, Any]) -> AcceptRequest:
    from pydantic import ValidationError  # noqa: PLC0415

    from wellworn.models.proposal import AcceptRequest  # noqa: PLC0415
    from wellworn.service.problems import validation_error  # noqa: PLC0415

    try:
        return AcceptRequest.model_validate(given)
    except ValidationError as error:
        raise validation_error(error, where="The decision") from None


def _edited(found: Proposal, given: dict[str, Any]) -> dict[str, Any] | None:
    """Let the person edit what is proposed; None when they left it."""
    from wellworn.service.cli.editing import SkillText, edit, read_recipe_yaml, recipe_yaml  # noqa: PLC0415

    of = found.additions or found.manifest
    steps = "" if found.additions is None else "\n".join(f"- {step}" for step in found.additions.steps)
    skill = SkillText(
        id=found.updates or given["id"] or found.manifest.id,
        description=found.manifest.description,
        aliases=tuple(of.aliases),
        examples=tuple(of.examples),
        triggers=tuple(of.triggers),
        body=found.body if found.additions is None else steps,
        recipe=recipe_yaml(found.recipe),
    )
    text = edit(skill, "accept")
    if text is None:
        return None
    lists = {"aliases": list(text.aliases), "examples": list(text.examples), "triggers": list(text.triggers)}
    if found.updates is not None:
        return {**lists, "steps": [line.strip().removeprefix("- ") for line in text.body.split("\n") if line.strip()]}
    edits = {**lists, "id": text.id, "description": text.description, "body": text.body}
    return edits if text.recipe is None else {**edits, "recipe": read_recipe_yaml(text.recipe)}


def _scope_of(found: Proposal, given: dict[str, Any]) -> str:
    if found.updates is not None:
        return found.updates.partition("@")[2]
    return given["scope"] or found.manifest.scope.value


def _repository(found: Proposal, given: dict[str, Any], repo: str | None) -> str | None:
    if repo is not None:
        return place_of(repo)
    here = _repo_here() if _scope_of(found, given) == "repo" else None
    return place_of(None) if here is not None and found.repo in (None, here) else None


def _repo_here() -> str | None:
    """Return the id of the repository of the current folder; None when it lies in none."""
    from wellworn.store.discovery import find_repo, repo_id  # noqa: PLC0415

    try:
        place = find_repo(Path.cwd())
    except FileNotFoundError:
        return None
    return None if place is None else repo_id(place.root, place.origin)


def _confirmed(found: Proposal, given: dict[str, Any], *, as_json: bool) -> str | None:
    """At a terminal the id is asked for; elsewhere --confirm must have given it."""
    if given["confirm"] is not None or as_json or _scope_of(found, given) != "repo" or not sys.stdin.isatty():
        confirm: str | None = given["confirm"]
        return confirm
    name = (found.updates or "").partition("@")[0] or given["id"] or found.manifest.id
    click.echo("This is written into the repository, for everybody who works in it.", err=True)
    typed: str = click.prompt(f"Type {name} to confirm", err=True)
    return typed.strip()


def _tell(answer: AcceptAnswer) -> None:
    skill = answer.skill
    changed = f"{skill.id}@{skill.scope}"
    done = f"{changed} was updated." if answer.proposal.updates else f"{changed} is installed and answers from now on."
    click.echo(click.style(done, fg="green"))
    for name in answer.files:
        click.echo(f"  {printable(name)}")
    for finding in answer.findings:
        told = f"{finding.severity}: {finding.name} in {finding.where}: {finding.message}"
        click.echo(f"Security: {printable(told)}")
    for note in answer.notes:
        click.echo(f"Note: {note}")
    said = next(iter([*skill.manifest.examples, *skill.manifest.aliases]), None)
    if said is not None:
        click.echo(f'Try: wellworn resolve "{printable(said)}"')


@click.command()
@click.argument("proposal_id", metavar="ID")
@click.option("--reason", help="Why not, in your words; it is kept.")
@as_json_option
@click.pass_context
def reject(ctx: click.Context, proposal_id: str, reason: str | None, as_json: bool) -> None:
    """Reject a proposal: the same is not proposed again, unless its evidence doubles.

    \b
    Example:
      wellworn skills reject 01J9Z3T6Q4W8X2Y5R7N1M0K9HB --reason "too rare to matter"
    """
    from wellworn.models.proposal import RejectRequest  # noqa: PLC0415

    with open_door(ctx, quiet=as_json) as door:
        found = door.reject(proposal_id, RejectRequest(reason=reason))
    if as_json:
        print_json(found)
    else:
        click.echo(f"{found.id} is rejected; it stays quiet unless its evidence doubles.")


COMMANDS = (suggest, proposals, proposal, accept, reject)
