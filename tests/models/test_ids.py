"""Ids are checked before a path is ever built, and new ones are unique and sort by time."""

import os
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from wellworn.models.errors import InvalidId
from wellworn.models.ids import ID_MAX_LENGTH, ID_PATTERN, check_skill_id, is_skill_id, new_id
from wellworn.models.skill import SkillManifest

BAD = [
    "",
    "-a",
    "a-",
    "a--b",
    "A",
    "a_b",
    "a.b",
    "a/b",
    "../a",
    "a\n",
    "a ",
    "\u00e9",
    "a\u0661",
    "\uff41",
    "x" * 65,
    "a\0",
]


@pytest.mark.parametrize("text", ["a", "7", "ship-it", "a-1-b", "x" * 64])
def test_lower_case_words_joined_by_single_hyphens_are_ids(text: str) -> None:
    assert check_skill_id(text) == text


@pytest.mark.parametrize("text", BAD)
def test_anything_else_is_refused_with_the_field_named(text: str) -> None:
    with pytest.raises(InvalidId) as error:
        check_skill_id(text, field="skillId")
    assert error.value.field == "skillId"
    assert len(str(error.value)) < 300


@pytest.mark.parametrize("text", BAD)
def test_a_manifest_cannot_hold_a_bad_id(text: str) -> None:
    with pytest.raises(ValidationError):
        SkillManifest(id=text)


@given(st.text(alphabet="ab1-A_./\n", max_size=70) | st.text(max_size=70))
def test_the_check_agrees_with_the_published_pattern(text: str) -> None:
    matches = re.fullmatch(ID_PATTERN.removeprefix("^").removesuffix("$"), text) is not None
    assert is_skill_id(text) == (matches and len(text) <= ID_MAX_LENGTH)


def test_new_ids_are_unique_and_sort_by_time() -> None:
    first = {new_id() for _ in range(2000)}
    time.sleep(0.002)
    assert len(first) == 2000
    assert max(first) < new_id()


def test_ids_of_one_process_sort_in_the_order_in_which_they_were_made() -> None:
    made = [new_id() for _ in range(2000)]
    assert made == sorted(made)


def test_a_forked_process_makes_other_ids_than_its_parent() -> None:
    read, write = os.pipe()
    if (child := os.fork()) == 0:  # pragma: no cover  the child only reports
        os.write(write, "".join(new_id()[10:] for _ in range(50)).encode())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(read, 4096).decode()
    os.close(read)
    os.close(write)
    assert not {theirs[at : at + 16] for at in range(0, len(theirs), 16)} & {new_id()[10:] for _ in range(50)}
