"""More steps at the end of a SKILL.md's own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.store.markdown import append_steps, steps_of

NUMBERED = "# Ship\n\n## Steps\n\n1. Look.\n2. Push:\n   ```sh\n   git push\n   ```\n\n## Notes\n\nBe kind.\n"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (NUMBERED, "3. Tell them."),
        ("## Steps\n1) Look.\n2) Push.", "3) Tell them."),
        ("## Steps\n- Look.\n- Push.\n\nThat is all.", "- Tell them."),
        ("## Steps\n1. Look.\n   - closely\n2. Push.\n   - gently\n", "3. Tell them."),
        ("## Workflow\n\n### Step 1: Look\nAt it.\n\n### Step 2: Push\nIt.\n\n## Notes\nx", "### Step 3: Tell them."),
        ("Just prose.", "1. Tell them."),
        ("", "1. Tell them."),
        ("# Ship\n\n```\n## Steps\n1. no\n```\n", "1. Tell them."),
    ],
)
def test_a_step_continues_the_way_the_author_wrote(body: str, line: str) -> None:
    more = append_steps(body, ["Tell  them."])
    assert line in more.split("\n")
    assert steps_of(more) == (*steps_of(body), "Tell them.")


def test_nothing_else_of_the_body_changes() -> None:
    more = append_steps(NUMBERED, ["Tell them.", "Rest."])
    assert more.replace("3. Tell them.\n4. Rest.\n", "") == NUMBERED.rstrip("\n")


def test_no_steps_change_nothing() -> None:
    assert append_steps(NUMBERED, ["  "]) == NUMBERED


_line = st.sampled_from(
    ["1. One.", "2. Two.", "- dot", "  - deep", "", "text", "## Steps", "# Top", "### Step 1: X", "```"]
)


@given(st.lists(_line, max_size=12).map("\n".join))
def test_every_line_of_any_body_is_kept_in_order(body: str) -> None:
    kept = [line for line in append_steps(body, ["Fresh step."]).split("\n") if line.strip()]
    left = iter(kept)
    assert all(line in left for line in body.split("\n") if line.strip())
    assert any("Fresh step." in line for line in kept)
