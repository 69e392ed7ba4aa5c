"""`wellworn sources`: the folders that skills are read from."""

from __future__ import annotations

from pathlib import Path

import click

from wellworn.service.cli.door import open_workspace, settings_of
from wellworn.service.cli.output import counted, print_json, print_table, progress_bar

NO_SOURCE = (
    "No folder with skills was found. Put SKILL.md folders under ~/.wellworn/skills or .claude/skills, or name a "
    "folder with `wellworn sources add DIR`."
)
_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def sources() -> None:
    """Folders that skills are read from: list, add, remove, vouch.

    \b
    Example:
      wellworn sources list
    """


@sources.command("list")
@_as_json
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """List the folders, with how many skills each brought.

    \b
    Example:
      wellworn sources list --json
    """
    with open_workspace(settings_of(ctx), quiet=as_json) as workspace:
        found = workspace.sources()
    if as_json:
        print_json(found)
        return
    if not found:
        click.echo(NO_SOURCE)
        return
    rows = [[s.id, s.scope, s.owner, str(s.skills), "yes" if s.vouched else "no", s.path] for s in found]
    print_table(["id", "scope", "owner", "skills", "vouched", "folder"], rows, right=(3,))


@sources.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--repo", is_flag=True, help="FOLDER is a repository: read the skill folders inside it, as repo scope.")
@_as_json
@click.pass_context
def add(ctx: click.Context, folder: Path, repo: bool, as_json: bool) -> None:
    """Read skills from FOLDER from now on. Adding a repository vouches for it.

    \b
    Examples:
      wellworn sources add ~/team/skills
      wellworn sources add --repo ~/src/project
    """
    with open_workspace(settings_of(ctx), quiet=as_json) as workspace, progress_bar(quiet=as_json) as show:
        added = workspace.add_source(folder, repo=repo, progress=show)
    if as_json:
        print_json(added)
        return
    for source in added:
        click.echo(f"{source.id}: {counted(source.skills, 'skill')} from {source.path}.")


@sources.command()
@click.argument("source_id", metavar="ID")
@click.pass_context
def remove(ctx: click.Context, source_id: str) -> None:
    """Stop reading a folder. Its files stay; what was learned about its skills is kept.

    \b
    Example:
      wellworn sources remove path:/home/me/team/skills
    """
    with open_workspace(settings_of(ctx)) as workspace:
        removed = workspace.remove_source(source_id)
    click.echo(f"No longer reading {removed.path}.")


@sources.command()
@click.argument("source_id", metavar="ID")
@click.option("--withdraw", is_flag=True, help="Take the word back.")
@click.pass_context
def vouch(ctx: click.Context, source_id: str, withdraw: bool) -> None:
    """Vouch for a repository's skills; until then they never get past a confirmation.

    \b
    Example:
      wellworn sources vouch repo:github.com/me/project:.claude/skills
    """
    with open_workspace(settings_of(ctx)) as workspace:
        source = workspace.vouch(source_id, vouched=not withdraw)
    click.echo(f"{source.path} is {'no longer ' if withdraw else ''}vouched for.")
