"""Recipes as files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.models.errors import InvalidId, InvalidInput, NotFound, StoreError
from wellworn.models.recipe import ForgeInput, ForgePhase, ForgeRecipe, GateStep, ShellStep, StopPolicy
from wellworn.store.recipe_file import forge_folder, parse_recipe, read_recipe, recipe_bytes, write_recipe

TEXT = """\
# how we ship
id: ship-it
description: Ships it.
team: core          # ours, unknown to wellworn
inputs:
  - name: version
phases:
  - id: check
    steps:
      - kind: shell
        id: test
        command: npm test
  - id: publish
    steps:
      - {kind: gate, id: ask, requires: git_push}
      - kind: shell
        id: push
        command: git push origin v{{ version }}
stopPolicy:
  maxRounds: 3
"""


def recipe(**fields: object) -> ForgeRecipe:
    step = ShellStep(id="test", command="npm test")
    base = {"id": "ship-it", "description": "Ships it.", "phases": [ForgePhase(id="check", steps=[step])]}
    return ForgeRecipe.model_validate({**base, **fields})


def test_a_recipe_is_read_with_its_unknown_fields(tmp_path: Path) -> None:
    (tmp_path / "ship-it.yaml").write_text(TEXT, encoding="utf-8")
    found = read_recipe(tmp_path, "ship-it")
    assert [step.kind for phase in found.phases for step in phase.steps] == ["shell", "gate", "shell"]
    assert found.stop_policy.max_rounds == 3
    assert found.model_extra == {"team": "core"}


def test_a_recipe_is_written_so_that_it_is_read_as_it_was(tmp_path: Path) -> None:
    phases = [ForgePhase(id="go", steps=[ShellStep(id="a", command="one\ntwo: [x]"), GateStep(id="b", requires="y")])]
    whole = recipe(
        inputs=[ForgeInput(name="version", required=False)], phases=phases, stop_policy=StopPolicy(max_rounds=2), team=1
    )
    path = write_recipe(tmp_path / "forge", whole)
    assert path == tmp_path / "forge" / "ship-it.yaml"
    assert read_recipe(tmp_path / "forge", "ship-it") == whole


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_any_command_survives_writing_and_reading(command: str) -> None:
    whole = recipe(
        phases=[{"id": "go", "steps": [{"kind": "shell", "id": "a", "command": f"x{command}".split("{")[0]}]}]
    )
    assert parse_recipe(recipe_bytes(whole).decode(), "here") == whole


@pytest.mark.parametrize("command", ["true", "1.10", "no", "2026-01-01"])
def test_a_command_is_text_however_it_looks(command: str) -> None:
    found = parse_recipe(TEXT.replace("npm test", command), "here")
    assert found.phases[0].steps[0] == ShellStep(id="test", command=command)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("command: npm test", "command: ''", ["here:12:", "phases.0.steps.0.command"]),
        ("kind: gate", "kind: gat", ["here:15:", "phases.1.steps.0"]),
        ("maxRounds: 3", "maxRounds: 1000", ["here:20:", "stopPolicy.maxRounds"]),
        ("version }}", "verion }}", ["step push", "verion"]),
        ("id: publish", "id: check", ["the phase check is there twice"]),
        ("id: ship-it", "id: Ship", ["here:2:", "`id`"]),
        ("description: Ships it.", "", ["`description`", "required"]),
        ("phases:", "phases: [", ["not valid YAML"]),
    ],
)
def test_a_mistake_is_told_with_file_line_and_field(old: str, new: str, words: list[str]) -> None:
    with pytest.raises(InvalidInput) as error:
        parse_recipe(TEXT.replace(old, new, 1), "here")
    for word in words:
        assert word in str(error.value)


def test_what_is_no_mapping_is_refused() -> None:
    with pytest.raises(InvalidInput, match="not a mapping"):
        parse_recipe("- a\n- b\n", "here")


def test_the_files_name_is_the_id(tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text(TEXT, encoding="utf-8")
    with pytest.raises(InvalidInput, match="'ship-it'"):
        read_recipe(tmp_path, "other")


def test_a_recipe_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        read_recipe(tmp_path, "ship-it")


@pytest.mark.parametrize("bad", ["../ship-it", "/etc/passwd", "Ship", "a--b", ""])
def test_an_id_that_is_none_is_refused_before_a_path_is_built(tmp_path: Path, bad: str) -> None:
    with pytest.raises(InvalidId):
        read_recipe(tmp_path, bad)


def test_a_link_that_leads_outside_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "forge").mkdir()
    (tmp_path / "forge" / "ship-it.yaml").symlink_to(tmp_path / "secret.yaml")
    (tmp_path / "secret.yaml").write_text(TEXT, encoding="utf-8")
    with pytest.raises(InvalidInput, match="outside"):
        read_recipe(tmp_path / "forge", "ship-it")
    with pytest.raises(InvalidInput, match="outside"):
        write_recipe(tmp_path / "forge", recipe())


def test_a_pipe_in_its_place_is_refused_without_waiting(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "ship-it.yaml")
    with pytest.raises(InvalidInput, match="not a regular file"):
        read_recipe(tmp_path, "ship-it")


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "forge").write_text("a file", encoding="utf-8")
    with pytest.raises(StoreError):
        write_recipe(tmp_path / "forge", recipe())


def test_recipes_lie_beside_their_skills(tmp_path: Path) -> None:
    assert forge_folder(tmp_path / ".wellworn" / "skills") == tmp_path / ".wellworn" / "forge"
