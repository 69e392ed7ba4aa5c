"""One text that a person edits in place of a skill's files, and what it says when it comes back."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from wellworn.models.errors import InvalidInput

if TYPE_CHECKING:
    from wellworn.models.recipe import ForgeRecipe

_LISTS = ("aliases", "examples", "triggers")
_FENCE = "---"
_RECIPE_MARK = "# ======== recipe (keep this line; what follows is forge/{id}.yaml) ========"
_RECIPE_START = "# ======== recipe (keep this line"


@dataclass(frozen=True, slots=True)
class SkillText:
    """What can be edited of a skill. recipe: its YAML, or None when it has none."""

    id: str
    description: str
    aliases: tuple[str, ...]
    examples: tuple[str, ...]
    triggers: tuple[str, ...]
    body: str
    recipe: str | None = None


def compose(skill: SkillText) -> str:
    """Return the text to be edited."""
    from wellworn.store.yaml_write import dump_entry  # noqa: PLC0415  only who edits loads the YAML writers

    front = [*dump_entry("id", skill.id), *dump_entry("description", skill.description)]
    for name in _LISTS:
        front += dump_entry(name, list(getattr(skill, name)))
    text = "\n".join([_FENCE, *front, _FENCE, "", skill.body.strip("\n"), ""])
    if skill.recipe is None:
        return text
    return f"{text}\n{_RECIPE_MARK.format(id=skill.id)}\n{skill.recipe.rstrip()}\n"


def parse(text: str) -> SkillText:
    """Return what an edited text says. Raises InvalidInput naming the line or the field."""
    lines = text.replace("\r\n", "\n").split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    ends = [number for number, line in enumerate(lines) if line.strip() == _FENCE]
    if len(ends) < 2 or ends[0] != 0:
        raise InvalidInput(
            "The text must begin with its fields between two lines of ---.", hint="Edit it again.", field="edit"
        )
    fields = _fields("\n".join(lines[1 : ends[1]]))
    rest = lines[ends[1] + 1 :]
    mark = next((number for number, line in enumerate(rest) if line.startswith(_RECIPE_START)), None)
    recipe = None if mark is None else "\n".join(rest[mark + 1 :])
    return SkillText(**fields, body="\n".join(rest[:mark]).strip("\n"), recipe=recipe)


def _fields(text: str) -> dict[str, Any]:
    from wellworn.store.yaml_read import YamlMap, YamlProblem, read_yaml  # noqa: PLC0415

    try:
        values = read_yaml(text, 2)
    except YamlProblem as problem:
        raise InvalidInput(
            f"Line {problem.line} of the edited text is not valid YAML: {problem.message}.", field="edit"
        ) from None
    if not isinstance(values, YamlMap):
        raise InvalidInput("The fields between the lines of --- must be `key: value` lines.", field="edit")
    unknown = next((key for key in values if key not in ("id", "description", *_LISTS)), None)
    if unknown is not None:
        raise InvalidInput(
            f"Line {values.lines[unknown]} of the text has a field that cannot be edited here: {unknown[:80]!r}.",
            hint="Edit id, description, aliases, examples, triggers and the text below.",
            field="edit",
        )
    fields: dict[str, Any] = {name: _text(values, name) for name in ("id", "description")}
    return fields | {name: _texts(values, name) for name in _LISTS}


def _text(values: Any, name: str) -> str:
    value = values.get(name, "")
    if not isinstance(value, str):
        raise InvalidInput(f"`{name}` must be one text.", field=name)
    return " ".join(value.split())


def _texts(values: Any, name: str) -> tuple[str, ...]:
    value = values.get(name)
    items: Sequence[Any] = [] if value is None or value == "" else value if isinstance(value, list) else [value]
    if not all(isinstance(item, str) for item in items):
        raise InvalidInput(f"`{name}` must be a list of texts.", field=name)
    return tuple(str(item) for item in items)


def edit(skill: SkillText, ask: str) -> SkillText | None:
    """Let a person edit a skill in $VISUAL or $EDITOR, show what they changed, and ask; None: leave it as it is.

    ask: what the answer yes does, such as `accept`. An unchanged or empty text changes nothing. Raises InvalidInput.
    """
    from wellworn.lifecycle.accepting import difference  # noqa: PLC0415

    _check_channel()
    before = compose(skill)
    text = before
    while True:
        edited = click.edit(text, extension=".md", require_save=False)
        if edited is None or not edited.strip() or edited.strip() == before.strip():
            click.echo("Nothing was edited, so nothing was changed.", err=True)
            return None
        try:
            read = parse(edited)
            show_diff(difference({"before": before}, {"before": edited}))
            choices = [ask, "edit", "cancel"]
        except InvalidInput as error:
            click.echo(str(error), err=True)
            read, choices = None, ["edit", "cancel"]
        chosen = click.prompt("What now?", type=click.Choice(choices), default="cancel", err=True)
        if chosen == ask and read is not None:
            return read
        if chosen != "edit":
            click.echo("Cancelled; nothing was changed.", err=True)
            return None
        text = edited


def _check_channel() -> None:
    """Without a terminal an editor of the system's own choice would wait for somebody who is not there."""
    if not sys.stdin.isatty() and not (os.environ.get("VISUAL") or os.environ.get("EDITOR")):
        raise InvalidInput("There is no terminal to edit at.", hint="Set VISUAL or EDITOR, or leave --edit out.")


def show_diff(diff: str) -> None:
    """Print a unified diff in colours, where there are any."""
    from wellworn.service.cli.output import printable  # noqa: PLC0415

    colours = {"+": "green", "-": "red", "@": "cyan"}
    for line in diff.split("\n"):
        bold = line.startswith(("+++", "---"))
        click.secho(printable(line), fg=None if bold else colours.get(line[:1]), bold=bold)


def recipe_yaml(recipe: ForgeRecipe | None) -> str | None:
    """Return a recipe as the YAML to be edited."""
    from wellworn.store.recipe_file import recipe_bytes  # noqa: PLC0415

    return None if recipe is None else recipe_bytes(recipe).decode()


def read_recipe_yaml(text: str) -> ForgeRecipe:
    """Return what an edited recipe says. Raises InvalidInput naming line and field."""
    from wellworn.store.recipe_file import parse_recipe  # noqa: PLC0415

    return parse_recipe(text, "the recipe")
