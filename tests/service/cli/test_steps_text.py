"""The steps that a person edits as one text say what they said before, unless they were changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.models.errors import InvalidInput
from wellworn.service.cli.repair import compose_steps, parse_steps
from wellworn.store.steps_section import wanted_steps

lines = st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=30) | st.sampled_from(
    ["", "# build", "```sh", "```", "  - deeper", "1. Look.", "- Rest", "\tmake", "[x] done"]
)
texts = st.lists(st.lists(lines, min_size=1, max_size=6).map("\n".join), min_size=1, max_size=12)


@given(texts)
def test_what_nobody_changed_is_read_as_it_was(given_steps: list[str]) -> None:
    try:
        steps = list(wanted_steps(given_steps))
    except InvalidInput:
        return
    assert parse_steps(compose_steps(steps)) == steps
    assert parse_steps("# How to.\n\n" + compose_steps(steps).replace("\n", "\r\n")) == steps


@given(st.text(max_size=200))
def test_any_text_is_steps_in_the_form_in_which_they_are_read(text: str) -> None:
    steps = parse_steps(text)
    assert not steps or list(wanted_steps(steps)) == steps


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("", []),
        ("# Only a hint\n\n", []),
        ("1. Look.\n2. Push.\n", ["Look.", "Push."]),
        ("1. Look.\n\nRest.\n", ["Look.", "Rest."]),
        ("Look\ntwice.\n\nPush.", ["Look\ntwice.", "Push."]),
        ("1. Look:\n\n   ```sh\n   # all\n   make\n   ```\n2. Push.", ["Look:\n\n```sh\n# all\nmake\n```", "Push."]),
        ("1.\n2. Push.\n3.   \n", ["Push."]),
        ("- Look.\n* Push.\n9) Rest.", ["Look.", "Push.", "Rest."]),
    ],
)
def test_a_step_begins_with_a_number_or_after_a_blank_line(text: str, steps: list[str]) -> None:
    assert parse_steps(text) == steps
