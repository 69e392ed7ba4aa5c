"""`wellworn skills list|show|explain`; the commands that decide are in `proposals` and `trust`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from wellworn.models.errors import NotFound
from wellworn.service.cli import learn, proposals, repair, trust, versions
from wellworn.service.cli.door import Door, open_door
from wellworn.service.cli.options import as_json_option as _as_json
from wellworn.service.cli.options import place_of
from wellworn.service.cli.options import repo_option as _repo
from wellworn.service.cli.output import counted, numbered, print_json, print_table, printable

if TYPE_CHECKING:
    from wellworn.models.proposal import SkillChange
    from wellworn.models.skill import SkillView

_PROPOSAL = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")
"""Proposals have ULIDs, which no skill's id can be."""


@click.group()
def skills() -> None:
    """Skills: look at them, decide about what is proposed, and how far each is trusted.

    \b
    Examples:
      wellworn skills list
      wellworn skills suggest
    """


for _command in (*proposals.COMMANDS, *learn.COMMANDS, *trust.COMMANDS, *repair.COMMANDS, *versions.COMMANDS):
    skills.add_command(_command)


@skills.command("list")
@click.option("--search", help="Only skills with this text in their id, name or description.")
@click.option("--offset", type=click.IntRange(0), default=0, show_default=True, help="Skip this many.")
@click.option("--limit", type=click.IntRange(1, 1000), default=100, show_default=True, help="Show at most this many.")
@_repo
@_as_json
@click.pass_context
def list_(ctx: click.Context, search: str | None, offset: int, limit: int, repo: str | None, as_json: bool) -> None:
    """List the skills that can be seen from here.

    \b
    Examples:
      wellworn skills list
      wellworn skills list --search release --json
    """
    with open_door(ctx, quiet=as_json) as door:
        page = door.skills(repo=place_of(repo), search=search, offset=offset, limit=limit)
    if as_json:
        print_json(page)
        return
    if not page.skills:
        click.echo(_nothing_found(search, page.total))
        return
    print_table(
        ["id", "scope", "trust", "reliability", "used", "description"], [_row(s) for s in page.skills], right=(3, 4)
    )
    last = page.next_offset
    click.echo(f"{len(page.skills)} of {page.total}" + (f"; more with --offset {last}" if last is not None else ""))


def _row(skill: SkillView) -> list[str]:
    trust = skill.manifest.trust.value if skill.invocable else "unreadable"
    marks = " (flagged)" if skill.flagged else ""
    shadowed = f"shadowed by {skill.shadowed_by}; " if skill.shadowed_by else ""
    text = shadowed + " ".join(skill.manifest.description.split())
    return [skill.id, skill.scope, trust, f"{skill.stats.reliability:.2f}{marks}", str(skill.stats.usage_count), text]


def _nothing_found(search: str | None, total: int) -> str:
    if total:
        there = "is only 1" if total == 1 else f"are only {total}"
        return f"Nothing is left to show: there {there}; give a smaller --offset."
    if search:
        return f"No skill has {search!r} in its id, name or description."
    return (
        "There is no skill yet. Put SKILL.md folders under ~/.wellworn/skills or .claude/skills, name a folder with "
        "`wellworn sources add DIR`, or bring a library in with `wellworn import FILE.jsonl`."
    )


@skills.command()
@click.argument("skill_id", metavar="ID")
@click.option("--body", is_flag=True, help="Also print the text of its SKILL.md.")
@_repo
@_as_json
@click.pass_context
def show(ctx: click.Context, skill_id: str, body: bool, repo: str | None, as_json: bool) -> None:
    """Show one skill: ID, or ID@SCOPE for one that is shadowed. A proposal's ID shows that.

    \b
    Examples:
      wellworn skills show release-local
      wellworn skills show release-local@user --json
    """
    with open_door(ctx, quiet=as_json) as door:
        if _PROPOSAL.fullmatch(skill_id):
            proposals.show_proposal(door.proposal(skill_id), as_json=as_json)
            return
        skill = door.skill(skill_id, repo=place_of(repo))
        changes = [] if as_json else door.history(f"{skill.id}@{skill.scope}", repo=place_of(repo)).changes
    if as_json:
        print_json(skill)
        return
    for label, value in [*_lines(skill), ("Last change", _last(changes))]:
        if value:
            click.echo(f"{label + ':':<14}{value}")
    for line in numbered("Steps", skill.steps):
        click.echo(line)
    for diagnostic in skill.diagnostics:
        click.echo(f"  {diagnostic}")
    if body and skill.body:
        click.echo(f"\n{skill.body}")


def _last(changes: Sequence[SkillChange]) -> str:
    if not changes:
        return ""
    last = changes[0]
    to = f" to {last.to_trust}" if last.to_trust else ""
    why = f": {last.reason}" if last.reason else ""
    return printable(f"{last.action}{to} on {last.ts:%Y-%m-%d} by {last.by}{why}")


def _when(skill: SkillView) -> str:
    """The facts that must hold, in the words of the manifest."""
    facts = {} if skill.manifest.when is None else skill.manifest.when.model_dump(by_alias=True, exclude_defaults=True)
    shown = {name: ("yes" if value else "no") if isinstance(value, bool) else value for name, value in facts.items()}
    return "; ".join(f"{name}: {', '.join(map(str, v)) if isinstance(v, list) else v}" for name, v in shown.items())


def _lines(skill: SkillView) -> list[tuple[str, str]]:
    manifest, stats = skill.manifest, skill.stats
    return [
        ("Skill", f"{skill.id}@{skill.scope}" + (f" ({skill.name})" if skill.name != skill.id else "")),
        ("Description", " ".join(manifest.description.split())),
        ("Location", skill.location),
        ("Shadowed by", skill.shadowed_by or ""),
        (
            "Trust",
            f"{manifest.trust}, risk {_risk(skill)}, written by {_author(skill)}",
        ),
        ("Invocable", "" if skill.invocable else "no: a safety field could not be read, see below"),
        ("When", _when(skill)),
        ("Approval", ", ".join(manifest.requires_approval)),
        ("Aliases", "; ".join(manifest.aliases)),
        ("Triggers", "; ".join(manifest.triggers)),
        ("Examples", "; ".join(manifest.examples)),
        ("Not for", "; ".join(manifest.negatives)),
        (
            "Reliability",
            f"{stats.reliability:.2f}{' (flagged)' if skill.flagged else ''}, {stats.success_count} worked, "
            f"{stats.failure_count} failed, used {counted(stats.usage_count, 'time')}"
            + (f", repaired {counted(stats.repair_count, 'time')}" if stats.repair_count else ""),
        ),
        ("Lessons", " ".join(skill.lessons or [])),
        ("When", _facts(skill)),
    ]


def _facts(skill: SkillView) -> str:
    """The facts that must hold, as they are written in a manifest."""
    if skill.manifest.when is None:
        return ""
    stated = skill.manifest.when.model_dump(by_alias=True, exclude_defaults=True)
    return "; ".join(f"{name}: {', '.join(map(str, v)) if isinstance(v, list) else v}" for name, v in stated.items())


def _risk(skill: SkillView) -> str:
    """Where a risk was written that could not be read, the manifest holds a default, which nobody wrote."""
    lost = any(one.code == "safety-field" and "risk" in one.message for one in skill.diagnostics)
    return "unreadable" if lost else skill.manifest.risk.value


def _author(skill: SkillView) -> str:
    return "a person" if skill.manifest.provenance == "human" else "an agent"


@skills.command()
@click.argument("words", nargs=-1, required=True, metavar="ID_OR_WORDS...")
@_repo
@_as_json
@click.pass_context
def explain(ctx: click.Context, words: tuple[str, ...], repo: str | None, as_json: bool) -> None:
    """Explain what a message resolves to; or, for a skill's ID, what stands for it in the index.

    \b
    Examples:
      wellworn skills explain release-local
      wellworn skills explain "ship this and install it locally"
    """
    from wellworn.models.ids import is_skill_id  # noqa: PLC0415

    with open_door(ctx, quiet=as_json) as door:
        if len(words) == 1 and is_skill_id(words[0].partition("@")[0]):
            skill = _skill_or_word(door, words[0], place_of(repo))
            if skill is not None:
                _explain_skill(skill, as_json=as_json)
                return
        from wellworn.service.cli.resolve import context_here, make_request, show_answer  # noqa: PLC0415

        request = make_request(message=" ".join(words), context=context_here(repo), explain=True)
        answer = door.resolve(request)
    if as_json:
        print_json(answer)
    else:
        show_answer(answer)


def _skill_or_word(door: Door, text: str, repo: str | None) -> SkillView | None:
    """Return the skill of that id; None for a plain word that is no skill's. Raises NotFound for what must be an id."""
    try:
        return door.skill(text, repo=repo)
    except NotFound:
        if "-" in text or "@" in text:
            raise
        return None


def _explain_skill(skill: SkillView, *, as_json: bool) -> None:
    if as_json:
        print_json(skill)
        return
    click.echo(f"{skill.id}@{skill.scope} is found by:")
    print_table(
        ["field", "text"], [[str(u["field"]), " ".join(str(u["text"]).split())] for u in skill.utterances or []]
    )
    gates = ", ".join(skill.manifest.requires_approval) or "nothing that it names"
    click.echo(f"It needs approval before: {gates}.")
