"""How a proposal looks on a terminal: what it is, why, what it would write, and how to decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from wellworn.service.cli.output import counted, printable, text_width, wrapped

if TYPE_CHECKING:
    from wellworn.models.proposal import PatternCandidate, Proposal, SuggestAnswer

_LABEL = 15
_QUESTIONS = (
    ("evidence", "Evidence"),
    ("friction", "Removes"),
    ("similar", "Similar to"),
    ("scope", "Scope"),
    ("without_approval", "Runs freely"),
    ("requires_approval", "Asks first"),
)
_COLOURS = {"low": "green", "medium": "yellow", "high": "red"}
_BODY_LINES = 40


def say(lines: Sequence[str]) -> None:
    """Print lines."""
    for line in lines:
        click.echo(line)


def full_view(proposal: Proposal) -> Iterator[str]:
    """Yield the lines of a proposal's own screen."""
    width = text_width()
    yield from _head(proposal, width)
    yield from _section("Why")
    yield from _facts(proposal, width)
    yield from _answers(proposal, width)
    yield from _phrases(proposal, width)
    yield from _steps(proposal, width)
    yield from _writing(proposal, width)
    for note in proposal.notes:
        yield from wrapped(note, width, "  Note: ")
    yield from _deciding(proposal, width)


def short_view(proposal: Proposal) -> Iterator[str]:
    """Yield the lines of a proposal among others: what it is, why, its answers in brief, how to decide."""
    width = text_width()
    yield from _head(proposal, width)
    yield from wrapped(proposal.candidate.reason, width, "  ")
    yield from _answers(proposal, width)
    yield ""
    yield click.style(f"  wellworn skills accept {proposal.id}{_confirm(proposal)}", fg="green")
    yield click.style(f"  wellworn skills proposal {proposal.id}", dim=True) + "   to see all of it"


def suggestions_view(answer: SuggestAnswer, *, everything: bool) -> Iterator[str]:
    """Yield what a look for repeated friction found."""
    width = text_width()
    for proposal in answer.proposals:
        yield from short_view(proposal)
        yield ""
    yield _found(answer)
    for title, found in (("Worth writing down", answer.docs), ("Ignored", answer.ignored)):
        if found and (everything or found is answer.docs):
            yield from _section(title)
            for candidate in found:
                yield from _candidate(candidate, width)
    if answer.refused:
        yield from _section("Refused")
        for refused in answer.refused:
            yield from _candidate(refused.candidate, width)
            yield from wrapped("Not answered: " + " ".join(refused.unanswered), width, "    ")
    if answer.ignored and not everything:
        yield f"{counted(len(answer.ignored), 'pattern')} ignored; --all shows why."
    for note in answer.notes:
        yield from wrapped(note, width, "Note: ")


def _found(answer: SuggestAnswer) -> str:
    looked = f"{counted(answer.events, 'event')} in {counted(answer.sessions, 'session')}"
    what = counted(len(answer.proposals), "proposal") if answer.proposals else "Nothing to propose"
    return f"{what} ({looked}, {answer.new_events} of them new)."


def _candidate(candidate: PatternCandidate, width: int) -> list[str]:
    title = wrapped(f"{candidate.title} ({candidate.confidence:.2f})", width, "  - ", "    ")
    return [*title, *wrapped(candidate.reason, width, "    ")]


def _head(proposal: Proposal, width: int) -> Iterator[str]:
    manifest, candidate = proposal.manifest, proposal.candidate
    name = proposal.updates or manifest.id
    kind = "an update" if proposal.updates else "a recipe" if proposal.recipe else "a skill"
    sure = f"{candidate.confidence:.0%} sure"
    scope = "" if proposal.updates else f", {manifest.scope} scope"
    risk = click.style(f"{manifest.risk} risk", fg=_COLOURS.get(manifest.risk.value))
    yield f"{click.style(printable(name), bold=True, fg='cyan')}  {kind}{scope}, {risk}, {sure}"
    yield click.style(f"  {proposal.id}", dim=True) + f"  {_standing(proposal)}"
    yield from wrapped(manifest.description or candidate.title, width, "  ")


def _standing(proposal: Proposal) -> str:
    if proposal.decided_at is None:
        return f"{proposal.status}, from {proposal.created_at:%Y-%m-%d}"
    who = f" by {printable(proposal.decided_by)}" if proposal.decided_by else ""
    return f"{proposal.status} on {proposal.decided_at:%Y-%m-%d}{who}"


def _section(title: str) -> Iterator[str]:
    yield ""
    yield click.style(title, bold=True)


def _facts(proposal: Proposal, width: int) -> Iterator[str]:
    candidate = proposal.candidate
    seen = f"Seen {counted(candidate.occurrences, 'time')} in {counted(candidate.sessions, 'session')}"
    days = f" on {counted(candidate.days, 'day')}" if candidate.days else ""
    rate = "" if candidate.success_rate is None else f"; {_share(candidate.success_rate)} of them worked"
    told = "" if candidate.reason.startswith("Seen ") else f"{seen}{days}{rate}. "
    yield from wrapped(f"{told}{candidate.reason}", width, "  ")
    for signal in candidate.repeated_signals:
        yield from wrapped(signal, width, "  - ", "    ")
    where = [part for part in (proposal.repo, proposal.session_id and f"session {proposal.session_id}") if part]
    if where:
        yield from wrapped("In " + ", ".join(where) + ".", width, "  ")
    events = candidate.evidence_event_ids
    if events and candidate.signal != "finished_task":  # that rests on a task or turn, as its evidence says
        rests = f"Rests on {counted(len(events), 'event')}; `wellworn trace show {events[0]}` opens one."
        yield from wrapped(rests, width, "  ")


def _share(rate: float) -> str:
    return "all" if rate >= 1.0 else f"{rate:.0%}"


def _answers(proposal: Proposal, width: int) -> Iterator[str]:
    yield ""
    for name, label in _QUESTIONS:
        answer = str(getattr(proposal.gate, name)).strip() or "(not answered)"
        lines = wrapped(answer, width - 2, " " * _LABEL, " " * _LABEL)
        yield f"  {click.style(label.ljust(_LABEL), bold=True)}{lines[0].lstrip()}"
        for line in lines[1:]:
            yield f"  {line}"
    for similar in proposal.similar_to:
        text = f"{similar.skill_id}@{similar.scope}, {similar.likeness:.0%} alike: {similar.why}"
        yield from wrapped(text, width, " " * (_LABEL + 2))


def _phrases(proposal: Proposal, width: int) -> Iterator[str]:
    added = proposal.additions
    source = proposal.manifest if added is None else added
    said = list(dict.fromkeys([*source.aliases, *source.examples]))
    if said:
        yield from _section("Found by what was said" if added is None else "Adds what was said")
        for text in said:
            yield from wrapped(f'"{text}"', width, "  ", "   ")
    if source.triggers:
        yield from _section("And when")
        for text in source.triggers:
            yield from wrapped(text, width, "  - ", "    ")


def _steps(proposal: Proposal, width: int) -> Iterator[str]:
    from wellworn.models.recipe import GateStep, ShellStep  # noqa: PLC0415

    if proposal.recipe is not None:
        yield from _section(f"Recipe {proposal.recipe.id}")
        for phase in proposal.recipe.phases:
            yield f"  {click.style(phase.id, bold=True)}"
            for step in phase.steps:
                if isinstance(step, GateStep):
                    yield click.style(f"    -- asks before {printable(step.requires)} --", fg="yellow")
                else:
                    text = step.command if isinstance(step, ShellStep) else f"{step.kind}: {step.id}"
                    yield from wrapped(text, width, "    $ " if isinstance(step, ShellStep) else "    ", "      ")
        if proposal.recipe.inputs:
            yield from wrapped("Inputs: " + ", ".join(one.name for one in proposal.recipe.inputs), width, "  ")
        return
    steps = proposal.additions.steps if proposal.additions is not None else []
    if steps:
        yield from _section("Adds the steps")
        for number, text in enumerate(steps, 1):
            yield from wrapped(text, width, f"  {number}. ")


def _writing(proposal: Proposal, width: int) -> Iterator[str]:
    if proposal.updates is not None:
        return
    manifest = proposal.manifest
    root = {"user": "~/.wellworn", "repo": "<repository>/.wellworn"}.get(manifest.scope.value)
    yield from _section("Would write")
    if root is None:
        yield from wrapped("files in wellworn's own data folder, until the session ends", width, "  ")
    else:
        names = [f"skills/{manifest.id}/SKILL.md", f"skills/{manifest.id}/manifest.yaml"]
        names += [f"forge/{proposal.recipe.id}.yaml"] if proposal.recipe is not None else []
        for name in names:
            yield f"  {root}/{name}"
    body = printable(proposal.body).strip("\n").split("\n")
    if proposal.body.strip():
        yield ""
        for line in body[:_BODY_LINES]:
            for piece in _cut_lines(line, width - 4):
                yield click.style("  | ", dim=True) + piece
        if len(body) > _BODY_LINES:
            yield click.style(f"  | ... {len(body) - _BODY_LINES} more lines; --json has all", dim=True)


def _cut_lines(line: str, width: int) -> list[str]:
    """Code stays as it is; only what is too long goes on in the next line, indented."""
    if len(line) <= width // 2 or (line.isascii() and len(line) <= width):
        return [line]
    indent = line[: len(line) - len(line.lstrip())][: width // 2]
    return wrapped(line, width, indent, indent + "  ") if line.strip() else [""]


def _confirm(proposal: Proposal) -> str:
    scope = proposal.updates.partition("@")[2] if proposal.updates else proposal.manifest.scope.value
    name = proposal.updates.partition("@")[0] if proposal.updates else proposal.manifest.id
    return f" --confirm {name}" if scope == "repo" else ""


def _deciding(proposal: Proposal, width: int) -> Iterator[str]:
    if proposal.decided_at is not None:
        yield from _section("Decided")
        yield from wrapped(proposal.decision_reason or _standing(proposal), width, "  ")
        return
    yield from _section("Decide")
    yield click.style(f"  wellworn skills accept {proposal.id}{_confirm(proposal)}", fg="green")
    yield f"  wellworn skills accept {proposal.id} --edit"
    yield f'  wellworn skills reject {proposal.id} --reason "..."'
