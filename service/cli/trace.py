"""`wellworn trace`: what was observed; the miner proposes skills from it."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellworn.models.errors import InvalidInput
from wellworn.service.cli.door import settings_of
from wellworn.service.cli.output import counted, current_folder, print_json, print_table
from wellworn.service.cli.traces_door import open_traces

if TYPE_CHECKING:
    from wellworn.models.trace import TraceEvent

# As models.trace.TraceKind and lifecycle.importers.FORMATS, which are not built for `--help`.
KINDS = (
    "user_intent",
    "command_run",
    "file_diff",
    "test_result",
    "review_result",
    "advisor_decision",
    "forge_step",
    "approval_gate",
)
FORMATS = ("auto", "claude-code", "wellworn", "bash", "zsh", "fish", "swe-agent", "mini-swe-agent", "pi")
_SKIPPED_SHOWN = 20
_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_kind = click.Choice(KINDS)


@click.group()
def trace() -> None:
    """What happened: add, list, show, import and prune events. Secrets are taken out before anything is kept.

    \b
    Example:
      wellworn trace import ~/.bash_history
    """


@trace.command()
@click.argument("kind", type=_kind)
@click.argument("summary")
@click.option("--session", default="cli", show_default=True, help="The session that it belongs to.")
@click.option("--repo", help="Its repository: id, origin or folder. Default: the one of the current folder.")
@click.option("--success/--failure", default=None, help="How it ended, if that is known.")
@click.option("--tag", "tags", multiple=True, help="A tag (may be repeated).")
@click.option("--data", "facts", metavar="KEY=VALUE", multiple=True, help="A small fact (may be repeated).")
@click.option("--ts", help="When it happened, ISO 8601. Default: now.")
@click.option("--id", "trace_id", help="Its id; adding one twice changes nothing. Default: a new one.")
@_as_json
@click.pass_context
def add(
    ctx: click.Context,
    kind: str,
    summary: str,
    session: str,
    repo: str | None,
    success: bool | None,
    tags: tuple[str, ...],
    facts: tuple[str, ...],
    ts: str | None,
    trace_id: str | None,
    as_json: bool,
) -> None:
    """Keep one event.

    \b
    Examples:
      wellworn trace add command_run "npm test" --failure --data exitCode=1
      wellworn trace add user_intent "ship this and install it locally" --session s1
    """
    event = _event(
        {
            "id": trace_id,
            "ts": ts,
            "sessionId": session,
            "repo": _repo(repo),
            "kind": kind,
            "summary": summary,
            "tags": list(tags),
            "success": success,
            "data": _data(facts, repo),
        }
    )
    with open_traces(ctx) as door:
        answer = door.add([event])
    if as_json:
        print_json({"id": event.id, **answer.model_dump(by_alias=True)})
    elif answer.duplicates:
        click.echo(f"{event.id} is kept already; nothing was changed.")
    else:
        click.echo(f"Kept as {event.id}." + (" Secrets were taken out." if answer.redacted else ""))


def _event(fields: dict[str, Any]) -> TraceEvent:
    from datetime import UTC, datetime  # noqa: PLC0415

    from pydantic import ValidationError  # noqa: PLC0415

    from wellworn.models.ids import new_id  # noqa: PLC0415
    from wellworn.models.trace import SentEvent  # noqa: PLC0415
    from wellworn.service.problems import validation_error  # noqa: PLC0415

    given = {**fields, "id": fields["id"] or new_id(), "ts": fields["ts"] or datetime.now(UTC)}
    try:
        return SentEvent.model_validate(given)
    except ValidationError as error:
        raise validation_error(error, where="The event") from None


def _repo(repo: str | None) -> str | None:
    return str(Path(repo).resolve()) if repo is not None and Path(repo).is_dir() else repo


def _data(facts: tuple[str, ...], repo: str | None) -> dict[str, Any]:
    folder = current_folder() if repo is None else None
    data: dict[str, Any] = {"cwd": folder} if folder is not None else {}
    for fact in facts:
        name, given, value = fact.partition("=")
        if not given or not name:
            raise InvalidInput(f"{fact[:80]!r} is not KEY=VALUE.", hint="Write e.g. --data exitCode=1.", field="data")
        data[name] = _value(value)
    return data


def _value(text: str) -> Any:
    """Numbers and true, false, null are such; everything else is text."""
    import json  # noqa: PLC0415

    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if value is None or isinstance(value, (bool, int, float)) else text


@trace.command("list")
@click.option("--session", help="Of this session.")
@click.option("--repo", help="Of this repository.")
@click.option("--kind", type=_kind, help="Of this kind.")
@click.option("--tag", help="With this tag.")
@click.option("--since", help="From this date or time on, ISO 8601.")
@click.option("--until", help="Before this date or time.")
@click.option("--success/--failure", default=None, help="That succeeded, or failed.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help="Show at most this many.")
@click.option("--cursor", help="Go on after the page that gave this cursor.")
@_as_json
@click.pass_context
def list_(
    ctx: click.Context,
    session: str | None,
    repo: str | None,
    kind: str | None,
    tag: str | None,
    since: str | None,
    until: str | None,
    success: bool | None,
    limit: int,
    cursor: str | None,
    as_json: bool,
) -> None:
    """List events, the latest first.

    \b
    Examples:
      wellworn trace list --session s1
      wellworn trace list --kind command_run --failure --since 2026-03-01 --json
    """
    wanted = {"sessionId": session, "repo": _repo(repo), "kind": kind, "tag": tag, "since": since, "until": until}
    wanted["success"] = None if success is None else str(success).lower()
    with open_traces(ctx) as door:
        page = door.page(limit=limit, cursor=cursor, **wanted)
    if as_json:
        print_json(page)
        return
    if not page.events:
        click.echo("No such event is kept. `wellworn trace import` brings in what you have.")
        return
    print_table(["time", "session", "kind", "ended", "id", "summary"], [_row(event) for event in page.events])
    if page.next is not None:
        click.echo(f"More with --cursor {page.next}")


def _row(event: TraceEvent) -> list[str]:
    when = f"{event.ts:%Y-%m-%d %H:%M:%S}" if event.ts else ""
    return [when, event.session_id or "", event.kind, _ended(event.success), event.id or "", event.summary]


def _ended(success: bool | None) -> str:
    return "" if success is None else "well" if success else "badly"


@trace.command()
@click.argument("trace_id", metavar="ID")
@_as_json
@click.pass_context
def show(ctx: click.Context, trace_id: str, as_json: bool) -> None:
    """Show one event as it is kept.

    \b
    Example:
      wellworn trace show 01JABC...
    """
    with open_traces(ctx) as door:
        event = door.get(trace_id)
    if as_json:
        print_json(event)
        return
    when = event.ts.isoformat() if event.ts else ""
    lines = [
        ("Event", f"{event.id} ({event.kind})"),
        ("Time", when),
        ("Session", event.session_id),
        ("Repository", event.repo),
        ("Summary", event.summary),
        ("Ended", _ended(event.success)),
        ("Risk", event.risk),
        ("Tags", ", ".join(event.tags)),
        *((name, str(value)) for name, value in event.data.items()),
    ]
    for label, value in lines:
        if value:
            click.echo(f"{label + ':':<14}{value}")


@trace.command("import")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@click.option("--format", "form", type=click.Choice(FORMATS), default="auto", show_default=True, help="What they are.")
@click.option("--repo", help="Put this repository on all events.")
@click.option("--session", help="Put this session on all events.")
@click.option("--dry-run", is_flag=True, help="Only say what would be imported.")
@_as_json
@click.pass_context
def import_(
    ctx: click.Context,
    paths: tuple[Path, ...],
    form: str,
    repo: str | None,
    session: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Bring in transcripts of agents, shell history, trajectories or our own JSONL; of a folder, all files in it.

    What cannot be read is skipped and told with its line; importing again adds nothing.

    \b
    Examples:
      wellworn trace import ~/.claude/projects/shop
      wellworn trace import ~/.zsh_history --session shell --dry-run
    """
    from wellworn.service.cli.output import progress_bar  # noqa: PLC0415
    from wellworn.service.importing import import_paths  # noqa: PLC0415

    kept_repo, format_ = _repo(repo), None if form == "auto" else form
    with ExitStack() as opened:
        show_progress = opened.enter_context(progress_bar(quiet=as_json))
        keep = None if dry_run else opened.enter_context(open_traces(ctx)).add
        report = import_paths(paths, keep, format=format_, repo=kept_repo, session=session, progress=show_progress)
    if as_json:
        print_json(report)
        return
    verb = "Would import" if dry_run else "Imported"
    click.echo(f"{verb} {counted(report.imported, 'event')} from {counted(report.files, 'file')}.")
    if report.duplicates:
        click.echo(f"Kept already: {counted(report.duplicates, 'event')}.")
    if report.redacted:
        click.echo(f"Secrets, names or addresses were taken out of {counted(report.redacted, 'event')}.")
    for one in report.skipped[:_SKIPPED_SHOWN]:
        click.echo(f"Skipped {one.path}: {one.why}", err=True)
    if len(report.skipped) > _SKIPPED_SHOWN:
        click.echo(f"... and {len(report.skipped) - _SKIPPED_SHOWN} more; --json lists all.", err=True)


@trace.command()
@click.option("--older-than", type=click.IntRange(0, 36500), metavar="DAYS", help="What happened longer ago.")
@click.option("--keep", type=click.IntRange(0), metavar="N", help="All but the last N that arrived.")
@click.option("--dry-run", is_flag=True, help="Only say how many would go.")
@_as_json
@click.pass_context
def prune(ctx: click.Context, older_than: int | None, keep: int | None, dry_run: bool, as_json: bool) -> None:
    """Remove your events by age or number; what a waiting or accepted proposal rests on stays.

    \b
    Example:
      wellworn trace prune --older-than 90 --dry-run
    """
    from datetime import timedelta  # noqa: PLC0415

    from wellworn.service.cli.door import open_workspace  # noqa: PLC0415

    if older_than is None and keep is None:
        raise InvalidInput("Say what to remove: --older-than DAYS or --keep N.", field="olderThan")
    settings = settings_of(ctx)
    age = None if older_than is None else timedelta(days=older_than)
    # In this process also while a service runs: both may write to one store.
    with open_workspace(settings, quiet=True, read=False) as workspace:
        removed = workspace.traces.prune(older_than=age, keep=keep, user=settings.user, dry_run=dry_run)
    if as_json:
        print_json({"removed": 0 if dry_run else removed, "matching": removed})
    else:
        click.echo(f"{'Would remove' if dry_run else 'Removed'} {counted(removed, 'event')}.")
