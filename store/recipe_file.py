"""A recipe on disk: `forge/<id>.yaml`, beside the folder of skills that it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from wellworn.models.errors import InvalidInput, NotFound
from wellworn.models.ids import check_skill_id
from wellworn.models.recipe import ForgeRecipe
from wellworn.store.files import write_whole
from wellworn.store.safe_paths import inside
from wellworn.store.text_file import Notes, decode_text, read_bounded
from wellworn.store.yaml_block import folded
from wellworn.store.yaml_read import YamlMap, YamlProblem, read_yaml, typed

FORGE_FOLDER = "forge"
_WIDTH = 10**9
_TEXTS = frozenset(
    {"id", "description", "command", "prompt", "requires", "recipeid", "name", "defaultstrategy", "mode", "action"}
    | {"kind", "requireapprovalbefore"}
)
"""What stands under these keys is text however it looks: `command: true` is a command."""


def forge_folder(skills: Path) -> Path:
    """Return where the recipes of a folder of skills lie: `.wellworn/forge` beside `.wellworn/skills`."""
    return skills.parent / FORGE_FOLDER


def recipe_path(folder: Path, recipe_id: str) -> Path:
    """Return the file of a recipe. Raises InvalidId, InvalidInput for one that leads outside `folder`."""
    check_skill_id(recipe_id, field="recipeId")
    return inside(folder, f"{recipe_id}.yaml")


def read_recipe(folder: Path, recipe_id: str) -> ForgeRecipe:
    """Read `folder/<recipe_id>.yaml`.

    Raises NotFound when there is none, InvalidInput naming file, line and field for one that cannot be used.
    """
    path = recipe_path(folder, recipe_id)
    if not path.exists():
        raise NotFound(f"There is no recipe {recipe_id!r} in {folder}.", hint="Recipes are forge/<id>.yaml files.")
    notes = Notes(str(path), [])
    data = read_bounded(path, notes)
    if data is None:
        raise InvalidInput(str(notes.items[0]), field="recipe")
    recipe = parse_recipe(decode_text(data, notes), str(path))
    if recipe.id != recipe_id:
        raise InvalidInput(
            f"{path}: `id` says {recipe.id!r}, but the file's name makes it {recipe_id!r}.",
            hint="Make them equal.",
            field="id",
        )
    return recipe


def parse_recipe(text: str, place: str) -> ForgeRecipe:
    """Read the text of a recipe; `place` is what errors call it. Raises InvalidInput naming place, line and field."""
    try:
        raw = read_yaml(text)
    except YamlProblem as problem:
        raise InvalidInput(
            f"{place}:{problem.line}: it is not valid YAML: {problem.message}.", hint="Mend the YAML.", field="recipe"
        ) from None
    if not isinstance(raw, YamlMap):
        raise InvalidInput(f"{place}:1: it is not a mapping of `key: value` lines.", field="recipe")
    try:
        return ForgeRecipe.model_validate(_plain(raw))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = [part for part in first["loc"] if part not in _KINDS]
        field = ".".join(str(part) for part in where)
        what = f"`{field}` is not usable: " if field else ""
        message = first["msg"].removeprefix("Value error, ")
        raise InvalidInput(
            f"{place}:{_line_of(raw, where)}: {what}{message}.", hint="Mend it there.", field=field or "recipe"
        ) from None


_KINDS = frozenset({"shell", "advisor", "codex", "github", "gate", "subrecipe"})


def recipe_bytes(recipe: ForgeRecipe) -> bytes:
    """Return a recipe as the bytes of its file, its unknown fields included."""
    plain = recipe.model_dump(mode="json", by_alias=True, exclude_none=True)
    kept = {key: value for key, value in plain.items() if value not in ([], {}, {"requireApprovalBefore": []})}
    text = yaml.dump(kept, Dumper=_Dumper, allow_unicode=True, width=_WIDTH, sort_keys=False, default_flow_style=False)
    return text.encode("utf-8")


def write_recipe(folder: Path, recipe: ForgeRecipe, *, sync: bool = True) -> Path:
    """Write a recipe whole or not at all and return its file. Raises as `recipe_path` does, StoreError."""
    path = recipe_path(folder, recipe.id)
    try:
        data = recipe_bytes(recipe)
    except UnicodeEncodeError:
        raise InvalidInput(f"The recipe {recipe.id!r} holds characters that are no text.", field="recipe") from None
    write_whole(path, data, sync=sync)
    return path


class _Dumper(yaml.SafeDumper):
    """Several lines are shown as several lines."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)


def _plain(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _plain(item, folded(name)) for name, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, key) for item in value]
    as_typed = typed(value)
    return str(value) if key in _TEXTS and as_typed is not None else as_typed


def _line_of(value: Any, where: Sequence[str | int]) -> int:
    """Return the line of the innermost part of `where` that is there."""
    line = 1
    for part in where:
        if isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
            line = min(value.lines.values(), default=line) if isinstance(value, YamlMap) else line
        elif isinstance(value, YamlMap):
            key = next((name for name in value if folded(name) == folded(str(part))), None)
            if key is None:
                return line
            line, value = value.lines[key], value[key]
        else:
            return line
    return line
