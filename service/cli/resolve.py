"""`wellworn resolve`: one message, one answer."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellworn.models.errors import InvalidInput
from wellworn.service.cli.door import open_door
from wellworn.service.cli.output import current_folder, numbered, print_json

if TYPE_CHECKING:
    from wellworn.models.resolution import Context, IntentResolution, ResolveRequest


@click.command()
@click.argument("words", nargs=-1)
@click.option(
    "--context", "context_file", type=click.Path(path_type=Path), help="JSON file with the context ('-': stdin)."
)
@click.option("--repo", help="Repository: its id, root folder or origin. Default: the one of the current folder.")
@click.option(
    "--explicit", is_flag=True, help="You are calling for a skill, rather than an agent asking about a message."
)
@click.option("--top", type=click.IntRange(1, 50), default=5, show_default=True, help="Most candidates to show.")
@click.option("--explain", is_flag=True, help="Show every candidate with what weighed for and against it.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@click.pass_context
def resolve(
    ctx: click.Context,
    words: tuple[str, ...],
    context_file: Path | None,
    repo: str | None,
    explicit: bool,
    top: int,
    explain: bool,
    as_json: bool,
) -> None:
    """Say which skill a message means, and how sure that is.

    Without WORDS the message is read from standard input.

    \b
    Examples:
      wellworn resolve "work this PR until the reviewers are happy"
      wellworn resolve --explain "run the release"
      git log -1 --format=%B | wellworn resolve --json
    """
    message = _message(words, context_file)
    request = make_request(
        message=message,
        context=context_here(repo, context_file),
        invocation="explicit" if explicit else "ambient",
        topK=top,
        explain=explain,
    )
    with open_door(ctx, quiet=as_json) as door:
        answer = door.resolve(request)
        if as_json:
            print_json(answer)
            return
        show_answer(answer)
        if answer.flagged is not None:
            from wellworn.service.cli.task import ask_choice  # noqa: PLC0415

            ask_choice(answer.flagged, lambda request: door.choose(answer.resolution_id, request))


def _message(words: tuple[str, ...], context_file: Path | None) -> str:
    if words and words != ("-",):
        return " ".join(words)
    if context_file is not None and str(context_file) == "-":
        raise InvalidInput("Standard input cannot be both the message and the context.", field="context")
    if sys.stdin.isatty():
        raise click.UsageError('Give the message: wellworn resolve "what you want done".')
    return sys.stdin.buffer.read().decode("utf-8", errors="replace")


def make_request(**fields: Any) -> ResolveRequest:
    """Return the question. Raises InvalidInput naming the field."""
    from pydantic import ValidationError  # noqa: PLC0415

    from wellworn.models.resolution import ResolveRequest  # noqa: PLC0415
    from wellworn.service.problems import validation_error  # noqa: PLC0415

    try:
        return ResolveRequest.model_validate(fields)
    except ValidationError as error:
        raise validation_error(error) from None


def context_here(repo: str | None, context_file: Path | None = None) -> Context:
    """The stated context; when it names neither a repo nor a folder, the current folder counts.

    Raises InvalidInput naming the file or the field.
    """
    from pydantic import ValidationError  # noqa: PLC0415

    from wellworn.models.resolution import Context  # noqa: PLC0415
    from wellworn.service.problems import validation_error  # noqa: PLC0415

    stated = {} if context_file is None else _read_context(context_file)
    if repo is not None:
        stated["repo"] = str(Path(repo).resolve()) if Path(repo).is_dir() else repo
    if "repo" not in stated and "cwd" not in stated:
        stated |= {} if (folder := current_folder()) is None else {"cwd": folder}
    try:
        return Context.model_validate(stated)
    except ValidationError as error:
        raise validation_error(error, where=f"The context{f' in {context_file}' if context_file else ''}") from None


def _read_context(path: Path) -> dict[str, Any]:
    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8-sig")
        stated = json.loads(text)
    except OSError as error:
        raise InvalidInput(f"The context file {path} cannot be read: {error.strerror}.", field="context") from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"The context file {path} is not JSON: {error}.", field="context") from None
    if not isinstance(stated, dict):
        raise InvalidInput(f"The context file {path} must hold one JSON object.", field="context")
    return stated.get("context", stated) if set(stated) <= {"context", "message"} else stated


def show_answer(answer: IntentResolution) -> None:
    """Print a resolution for a person."""
    for line in answer_lines(answer):
        click.echo(line)
    if answer.contributions is not None:
        from wellworn.service.cli.explain import show_explanation  # noqa: PLC0415  rich, only when asked for

        show_explanation(answer.contributions)


def answer_lines(answer: IntentResolution, *, feedback: bool = True) -> list[str]:
    """A resolution as lines for a person; feedback: with the command that corrects it as the last."""
    lines = [_headline(answer), answer.reason, *numbered("Safe steps", answer.safe_steps)]
    if answer.approval_gates:
        lines.append(f"Approval required before: {', '.join(gate.rstrip('.') for gate in answer.approval_gates)}.")
    if answer.flagged is not None:
        flagged = answer.flagged
        lines.append(
            f"Flagged: reliability {flagged.reliability:.2f}, {flagged.success_count} worked, "
            f"{flagged.failure_count} failed. A person chooses: "
            f"`wellworn choose {answer.resolution_id} {'|'.join(flagged.choices)}`."
        )
        lines += [f"  Lately: {lesson}" for lesson in flagged.recent_failures]
    lines += [f"Note: {note}" for note in answer.notes]
    if answer.alternatives:
        lines.append("Others: " + ", ".join(f"{a.skill_id} {a.confidence:.2f}" for a in answer.alternatives))
    if feedback:
        lines.append(f"Was it right? wellworn feedback {answer.resolution_id} right | wrong | should-be ID")
    return lines


def _headline(answer: IntentResolution) -> str:
    what = {
        "none": "No skill is meant",
        "review": "Review before use",
        "choose": "Choose one",
        "confirm": "Confirm",
        "proceed": "Proceed",
    }[answer.decision]
    if answer.skill_id is None:
        return f"{what} (best confidence {answer.confidence:.2f})."
    return f"{what}: {answer.scope} skill {answer.skill_id} (confidence {answer.confidence:.2f})."
