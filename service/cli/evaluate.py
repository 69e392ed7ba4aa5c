"""`wellworn eval` and `wellworn calibrate`: measuring the resolver, and refitting its confidence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wellworn.models.errors import InvalidInput
from wellworn.service.cli.door import open_workspace, settings_of
from wellworn.service.cli.output import console, print_json, progress_bar

if TYPE_CHECKING:
    from wellworn.resolver.evaluation.runner import EvaluationRun, Progress
    from wellworn.service.evaluation import Labelled

_BELOW_LIMIT = 3


@click.command("eval")
@click.option("--library", type=click.Path(path_type=Path), required=True, help="JSONL library, or a folder of skills.")
@click.option("--messages", type=click.Path(path_type=Path), required=True, help="JSONL file of labelled messages.")
@click.option("--encoder", help="Encoder to use [default: the configured one].")
@click.option("--parameters", type=click.Path(path_type=Path), help="Parameter file to use instead of the fitted one.")
@click.option("--explicit", is_flag=True, help="Ask as a person who calls for a skill.")
@click.option("--plot", type=click.Path(path_type=Path), help="Write reliability, coverage and confusions to this PNG.")
@click.option(
    "--compare",
    metavar="ENCODER_OR_FILE",
    help="Evaluate a second time with another encoder, or parameter file (.json), on the same messages.",
)
@click.option("--fail-under", metavar="LIMITS", help="Exit 3 unless all hold, e.g. top1=0.9,ece=0.05.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.pass_context
def evaluate(
    ctx: click.Context,
    library: Path,
    messages: Path,
    encoder: str | None,
    parameters: Path | None,
    explicit: bool,
    plot: Path | None,
    compare: str | None,
    fail_under: str | None,
    as_json: bool,
) -> int:
    """Measure the resolver on labelled messages.

    A library line is a manifest with, optionally, `body` and `group`. A message line is
    {"message": ..., "expected": "skill-id" | null | ["any", "of"], "notSkill"?, "context"?, "group"?}.

    \b
    Examples:
      wellworn eval --library skills.jsonl --messages labelled.jsonl
      wellworn eval --library ./skills --messages labelled.jsonl --plot out.png --fail-under top1=0.9
    """
    from wellworn.resolver.evaluation.limits import check_limits, parse_limits  # noqa: PLC0415  heavy, and so below
    from wellworn.service.evaluation import read_labelled  # noqa: PLC0415

    if compare is not None and _is_file(compare) and not Path(compare).is_file():
        raise InvalidInput(
            f"There is no parameter file {compare}.", hint="Name a file, or an encoder.", field="compare"
        )
    limits = parse_limits(fail_under) if fail_under else []
    settings = settings_of(ctx, encoder=encoder, parameters=parameters)
    labelled = read_labelled(library, messages)
    for warning in labelled.warnings:
        click.echo(f"Note: {warning}", err=True)
    first = _run(labelled, settings.encoder, settings.parameters, explicit=explicit, quiet=as_json)
    if plot is not None:
        from wellworn.resolver.evaluation.plot import write_plot  # noqa: PLC0415

        write_plot(first, plot)
    if as_json:
        print_json(first.answer)
    else:
        _show(first, plot)
    if compare is not None:
        _compare(labelled, first, settings.encoder, settings.parameters, compare, explicit=explicit, as_json=as_json)
    failures = check_limits(first.answer, limits)
    for failure in failures:
        click.echo(failure, err=True)
    return _BELOW_LIMIT if failures else 0


def _run(labelled: Labelled, encoder: str, parameters: Path | None, *, explicit: bool, quiet: bool) -> EvaluationRun:
    from wellworn.index.encoders import open_encoder  # noqa: PLC0415
    from wellworn.models.reports import Progress as Step  # noqa: PLC0415
    from wellworn.service.evaluation import run  # noqa: PLC0415

    with progress_bar(quiet=quiet) as show:
        progress: Progress = lambda done, total, group: show(Step("Resolving", done, total, group or ""))  # noqa: E731
        return run(labelled, open_encoder(encoder), parameters=parameters, explicit=explicit, progress=progress)


def _show(run: EvaluationRun, plot: Path | None) -> None:
    from wellworn.resolver.evaluation.report import print_report  # noqa: PLC0415

    print_report(run.answer, console())
    if plot is not None:
        click.echo(f"Plot written to {plot}.")


def _is_file(other: str) -> bool:
    return other.endswith(".json")


def _compare(
    labelled: Labelled,
    first: EvaluationRun,
    encoder: str,
    parameters: Path | None,
    other: str,
    *,
    explicit: bool,
    as_json: bool,
) -> None:
    from wellworn.resolver.evaluation.compare import compare  # noqa: PLC0415
    from wellworn.resolver.evaluation.report import print_comparison  # noqa: PLC0415

    is_file = _is_file(other)
    second = _run(
        labelled,
        encoder if is_file else other,
        Path(other) if is_file else parameters,
        explicit=explicit,
        quiet=as_json,
    )
    names = (str(parameters or "fitted"), other) if is_file else (encoder, other)
    print_comparison(compare(first.outcomes, second.outcomes), console(stderr=as_json), first=names[0], second=names[1])


@click.command()
@click.option("--reset", is_flag=True, help="Go back to the parameters that wellworn ships.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.pass_context
def calibrate(ctx: click.Context, reset: bool, as_json: bool) -> None:
    """Refit the confidence on your own feedback; kept only when it is better on messages that were held out.

    \b
    Example:
      wellworn calibrate
    """
    with open_workspace(settings_of(ctx), quiet=as_json) as workspace, progress_bar(quiet=as_json) as show:
        report = workspace.calibrate(reset=reset, progress=show)
    if as_json:
        print_json(report)
    else:
        click.echo(report.note)
