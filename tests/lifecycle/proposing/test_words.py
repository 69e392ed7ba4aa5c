"""The users' own words: which of their messages are wordings of a pattern."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wellworn.lifecycle.proposing.words import Said, bare, clean, id_words, talk_of, wording_of

ELSEWHERE = talk_of(
    ["fix the login page", "why is this slow?", "rename the class", "add a test for carts", "what is it"] * 4
)


def said(*texts: str, at_once: bool = True) -> list[Said]:
    return [Said((text,), at_once) for text in texts]


def test_messages_with_words_that_come_again_are_examples_and_short_ones_aliases() -> None:
    wording = wording_of(said("ship the release", "release it please", "cut a release for shop"), ELSEWHERE)
    assert set(wording.examples) == {"ship the release", "release it please", "cut a release for shop"}
    assert "ship the release" in wording.aliases
    assert "release it" in wording.aliases


def test_a_message_that_is_said_elsewhere_as_often_is_no_wording() -> None:
    wording = wording_of(said("ship the release", "release it", "fix the login page"), ELSEWHERE)
    assert "fix the login page" not in wording.examples


def test_acknowledgements_are_no_wordings() -> None:
    assert wording_of(said("ok", "yes, go ahead", "continue"), ELSEWHERE).examples == ()


def test_where_the_steps_began_later_only_telling_messages_count() -> None:
    wording = wording_of(said("ship the release", "release it", "tidy the sofa", at_once=False), ELSEWHERE)
    assert set(wording.examples) == {"ship the release", "release it"}


def test_the_message_before_the_nearest_counts_when_it_is_the_telling_one() -> None:
    far = [
        Said(("is that a typo?", "ship the release"), False),
        Said(("release it",), True),
        Said(("release now",), True),
    ]
    assert "ship the release" in wording_of(far, ELSEWHERE).examples


def test_the_same_wording_is_told_once() -> None:
    assert len(wording_of(said("ship it now", "Ship it now", "ship it now!"), ELSEWHERE).examples) == 1


def test_versions_and_paths_are_no_part_of_an_alias() -> None:
    wording = wording_of(said("release 1.2.0", "release 1.3.0", "release 2.0.0"), ELSEWHERE)
    assert wording.aliases == ()
    assert len(wording.examples) >= 1


def test_politeness_is_no_part_of_an_alias() -> None:
    assert bare("ok, please ship the release for me, thanks!") == "ship the release"


def test_a_pasted_page_is_no_wording() -> None:
    assert wording_of(said(*["release " + "word " * 60] * 3), ELSEWHERE).examples == ()


@given(st.text(max_size=400))
def test_a_cleaned_message_is_one_line_without_hidden_characters_or_code_marks(text: str) -> None:
    plain = clean(text)
    assert plain == " ".join(plain.split())
    assert "`" not in plain
    assert len(plain) <= 200
    assert not any(ord(one) < 32 or one in "\u202e\u200b\U000e0041" for one in plain)


@given(st.text(max_size=200))
def test_words_of_an_id_are_plain(text: str) -> None:
    assert all(word.isascii() and word.isalnum() and word == word.lower() for word in id_words(text))
