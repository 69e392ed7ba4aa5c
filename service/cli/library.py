"""`wellworn import`, `export` and `reindex`: whole libraries in, out, and read again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellworn.service.cli.door import local_person, open_workspace, running_service, settings_of
from wellworn.service.cli.options import place_of
from wellworn.service.cli.output import counted, print_json, progress_bar

if TYPE_CHECKING:
    from wellworn.models.reports import ImportReport, ReindexReport, ShowProgress
    from wellworn.service.http.client import ServiceClient

_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_scope = click.option(
    "--scope", type=click.Choice(["user", "repo"]), default="user", show_default=True, help="Whose skills they become."
)


@click.command("import")
@click.argument("library", type=click.Path(path_type=Path))
@_scope
@click.option("--repo", help="With --scope repo: the repository's folder. Default: the one of the current folder.")
@click.option("--replace", is_flag=True, help="Replace skills that are there already; without it nothing is changed.")
@click.option("--override", multiple=True, metavar="NAME", help="Allow a finding of the security scan by its name.")
@_as_json
@click.pass_context
def import_(
    ctx: click.Context,
    library: Path,
    scope: str,
    repo: str | None,
    replace: bool,
    override: tuple[str, ...],
    as_json: bool,
) -> None:
    """Bring skills in from LIBRARY, a JSONL file with one manifest (and optionally its `body`) a line.

    The whole file is checked before anything is written. Skills in which the security scan finds what could harm are
    left out and named, and the command ends with 1; nothing is imported above `installed`.

    \b
    Examples:
      wellworn import team-skills.jsonl
      wellworn import team-skills.jsonl --scope repo --replace
    """
    from wellworn.models.skill import Scope  # noqa: PLC0415

    with open_workspace(settings_of(ctx), quiet=as_json) as workspace, progress_bar(quiet=as_json) as show:
        report = workspace.import_library(
            library, scope=Scope(scope), repo=repo, replace=replace, overrides=override, progress=show
        )
    if as_json:
        print_json(report)
    else:
        _tell_import(report)
    if report.blocked:
        ctx.exit(1)


def _tell_import(report: ImportReport) -> None:
    click.echo(f"{report.added} added, {report.replaced} replaced, {report.unchanged} unchanged in {report.folder}.")
    for note in report.notes:
        click.echo(f"Note: {note}")
    for one in report.blocked:
        allow = " ".join(f"--override {name}" for name in one.findings)
        click.echo(f"Left out: {one.id}, by the security scan; if you have looked at it: {allow}", err=True)


@click.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "format_",
    type=click.Choice(["jsonl", "skills"]),
    default="jsonl",
    show_default=True,
    help="One JSONL file, or strict Agent Skills folders that any client reads.",
)
@click.option("--repo", help="Repository whose skills count. Default: the one of the current folder.")
@_as_json
@click.pass_context
def export(ctx: click.Context, out: Path, format_: str, repo: str | None, as_json: bool) -> None:
    """Write the skills that can be seen from here to OUT.

    \b
    Examples:
      wellworn export library.jsonl
      wellworn export ./skills-out --format skills
    """
    settings = settings_of(ctx)
    with open_workspace(settings, quiet=as_json) as workspace:
        caller = local_person(settings)
        count, notes = workspace.export_library(out, caller=caller, strict=format_ == "skills", repo=place_of(repo))
    if as_json:
        print_json({"exported": count, "out": str(out), "notes": notes})
        return
    click.echo(f"{counted(count, 'skill')} written to {out}.")
    for note in notes:
        click.echo(f"Note: {note}")


@click.command()
@_as_json
@click.pass_context
def reindex(ctx: click.Context, as_json: bool) -> None:
    """Read all sources again and embed what is new. A running service does it itself, and answers meanwhile.

    \b
    Example:
      wellworn reindex
    """
    with progress_bar(quiet=as_json) as show:
        client = running_service(ctx)
        report = _reindex_here(ctx, show) if client is None else _reindex_there(client, show)
    if as_json:
        print_json(report)
        return
    click.echo(
        f"{counted(report.skills, 'skill')}, {counted(report.utterances, 'utterance')}: "
        f"{report.embedded} embedded, {report.reused} reused, in {report.seconds:.1f} s."
    )
    for skipped in report.skipped:
        click.echo(f"Skipped {skipped.path}: {skipped.why}")


def _reindex_here(ctx: click.Context, show: ShowProgress) -> ReindexReport:
    with open_workspace(settings_of(ctx), quiet=True, read=False) as workspace:
        return workspace.reindex(show)


def _reindex_there(client: ServiceClient, show: ShowProgress) -> ReindexReport:
    from wellworn.models.reports import Progress, ReindexReport  # noqa: PLC0415

    with client:
        job: dict[str, Any] = {}
        for job in client.reindex():
            if job["stage"]:
                show(Progress(job["stage"], job["done"], job["total"]))
        return ReindexReport.model_validate(job["report"])
