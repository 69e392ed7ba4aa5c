"""Misspelt words are put right, and nothing else is touched."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.index.makers import make_skill
from tests.resolver.inquiries import make_view

from wellworn.resolver.spelling import CORRECTIONS_MAX, corrected, words_known_to


def none_known(words: Sequence[str]) -> list[bool]:
    return [False] * len(words)


def knows(*known: str) -> object:
    return lambda words: [word in known for word in words]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("trasnfer money to my account", "transfer money to my account"),  # two letters swapped
        ("transfer money to my acount", "transfer money to my account"),  # one left out
        ("transfer monney to my account", "transfer money to my account"),  # one doubled
        ("please reveiw the chnages", "please review the changes"),
        ("chekc my orderr, please", "check my order, please"),
    ],
)
def test_a_misspelt_word_is_put_right(typed: str, meant: str) -> None:
    assert corrected(typed, none_known) == meant


@pytest.mark.parametrize(
    "text",
    [
        "transfer money to my account",
        "dont cancel it, I cant pay",
        "ask Elon about Redis and Priya",
        "edit the cron job on srv-nginx and ./scirpts/biuld.sh",
        "run build_taget and --verbsoe for user@exmaple.com",
        "RESTART THE SREVER NOW",
        "decode the unloaded, prepaid and redeployed files",
        "bitte überweise das Geld auf mein Konto",
        "por favor cancela mi tarjeta",
        "",
        "ok",
    ],
)
def test_what_is_not_a_misspelt_common_word_stays(text: str) -> None:
    assert corrected(text, none_known) == text


def test_a_word_of_the_library_is_never_corrected() -> None:
    view = make_view(make_skill("use-monney", description="About the monney format."))
    assert corrected("convert the monney file for me", words_known_to(view)) == "convert the monney file for me"


def test_of_two_likely_words_that_of_the_library_is_taken() -> None:
    text = "please pay my bil now"
    assert corrected("show the formm to them", none_known) == "show the form to them"
    assert corrected(text, none_known) == text  # three letters say too little
    assert corrected("please chekc the staus", knows("status")) == "please check the status"  # type: ignore[arg-type]


def test_no_more_than_a_few_words_of_a_message_are_changed() -> None:
    text = " ".join(["please send the monney"] * 20)
    assert corrected(text, none_known).count("money") == CORRECTIONS_MAX


@given(st.text(max_size=300))
def test_any_text_is_survived_and_keeps_its_shape(text: str) -> None:
    result = corrected(text, none_known)
    assert abs(len(result) - len(text)) <= CORRECTIONS_MAX
    assert len(result.split()) == len(text.split())


@given(st.lists(st.sampled_from(["please", "send", "the", "monney", "to", "them", "trasnfer"]), max_size=12))
def test_correcting_twice_changes_nothing_more(words: list[str]) -> None:
    once = corrected(" ".join(words), none_known)
    assert corrected(once, none_known) == once or len(words) > CORRECTIONS_MAX
