"""The text that a person edits says what it said before, unless they changed it."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.models.errors import InvalidInput
from wellworn.service.cli.editing import SkillText, compose, parse

line = st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=40)
phrase = line.map(lambda text: " ".join(text.split())).filter(bool)
phrases = st.lists(phrase, max_size=4).map(tuple)
bodies = st.lists(line | st.sampled_from(["", "---", "# Steps", "id: x"]), max_size=6).map(
    lambda lines: "\n".join(lines).strip("\n")
)


@given(
    st.builds(SkillText, st.just("ship-it"), phrase, phrases, phrases, phrases, bodies, st.none() | st.just("a: b\n"))
)
def test_what_nobody_changed_is_read_as_it_was(skill: SkillText) -> None:
    assert parse(compose(skill)) == skill


@given(st.text(max_size=200))
def test_no_text_whatsoever_is_our_mistake(text: str) -> None:
    for whole in (text, f"---\n{text}\n---\n{text}"):
        with suppress(InvalidInput):
            parse(whole)


@pytest.mark.parametrize("value", ["true", "1.10", "no", "2026-01-01", "~"])
def test_a_phrase_is_text_however_it_looks(value: str) -> None:
    assert parse(f"---\nid: a\ndescription: {value}\naliases: [{value}]\n---\n").aliases == (value,)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("just text", "between two lines of ---"),
        ("---\nid: a\n", "between two lines of ---"),
        ("---\n- a\n---\n", "key: value"),
        ("---\nid: a\ntrust: automatic\n---\n", "Line 3"),
        ("---\nid: [a]\n---\n", "`id` must be one text"),
        ("---\nid: a\naliases: {a: b}\n---\n", "`aliases` must be a list"),
        ("---\nid: a\naliases: [[a]]\n---\n", "`aliases` must be a list"),
        ("---\nid: a\ndescription: 'x\n---\n", "not valid YAML"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        parse(text)
