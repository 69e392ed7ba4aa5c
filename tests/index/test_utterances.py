"""What stands for a skill in the index."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.index.makers import make_skill

from wellworn.index.utterances import CHUNK_MAX_CHARS, CHUNKS_MAX, HEADING_MAX_CHARS, body_chunks, utterances_of
from wellworn.models.skill import Skill, UtteranceField


def texts_of(skill: Skill, field: UtteranceField) -> list[str]:
    return [one.text for one in utterances_of(skill) if one.field is field]


def test_a_name_is_indexed_as_words() -> None:
    assert texts_of(make_skill("pr-review-loop", name="prReviewLoop"), UtteranceField.name) == ["pr review loop"]


def test_a_name_in_another_script_stands_beside_the_id() -> None:
    assert texts_of(make_skill("tijiao", name="提交代码"), UtteranceField.name) == ["提交代码", "tijiao"]


def test_every_field_of_the_manifest_is_represented_in_order() -> None:
    skill = make_skill(
        "ship", aliases=["ship it"], triggers=["tests pass"], examples=["please ship"], negatives=["shipping costs"],
        body="Do it.",
    )  # fmt: skip
    assert [one.field.value for one in utterances_of(skill)] == [
        "name", "alias", "trigger", "example", "description", "body", "negative",
    ]  # fmt: skip


def test_repeats_and_blanks_within_a_field_are_dropped() -> None:
    assert texts_of(make_skill("ship", aliases=["Ship it", "ship  it", " ", ""]), UtteranceField.alias) == ["Ship it"]


def test_a_description_of_2000_characters_is_not_cut() -> None:
    assert texts_of(make_skill("ship", description="a" * 2_000), UtteranceField.description) == ["a" * 2_000]


def test_short_sections_share_a_chunk() -> None:
    assert body_chunks("# One\nfirst\n## Two\nsecond") == ["One: first\nTwo: second"]


def test_parts_of_a_long_section_repeat_its_heading() -> None:
    chunks = body_chunks("# Release\n" + "Build the wheel and check it. " * 60)
    assert len(chunks) > 1
    assert all(chunk.startswith("Release: ") for chunk in chunks)


def test_a_hash_in_a_code_block_is_not_a_heading() -> None:
    assert body_chunks("# Run\n```sh\n# comment\nmake\n```") == ["Run: # comment make"]


def test_the_topics_of_a_body_that_is_too_long_can_still_be_found() -> None:
    body = "\n".join(f"# Topic {number}\n" + "words and more words. " * 30 for number in range(40))
    chunks = body_chunks(body)
    assert len(chunks) == CHUNKS_MAX
    assert "Topic 39" in chunks[-1]


def test_an_empty_body_has_no_chunks() -> None:
    assert body_chunks(" \n\n") == []


@given(st.text(max_size=4_000), st.integers(1, 40))
def test_any_body_gives_at_most_eight_bounded_chunks(text: str, times: int) -> None:
    chunks = body_chunks(text * times)
    assert len(chunks) <= CHUNKS_MAX
    assert all(chunk.strip() and len(chunk) <= CHUNK_MAX_CHARS + HEADING_MAX_CHARS + 2 for chunk in chunks)


@given(st.text(alphabet="ab \n", max_size=3_000))
def test_no_word_of_a_body_that_fits_is_lost(text: str) -> None:
    assert "".join("".join(body_chunks(text)).split()) == "".join(text.split())
