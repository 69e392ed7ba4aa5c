"""What the rules read out of a message: one test for each sentence of the table, and what holds for every text."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.resolver.message import read_message, split_words
from wellworn.resolver.rules import Reading, read_intent

TABLE = Path(__file__).with_name("rules.tsv")
MOODS = {"request", "question_about", "mention", "prohibition", "greeting", "pasted", "empty"}
KINDS = {"request", "excluded", "prohibition", "question", "mention", "conditional", "greeting", "filler"}
ACTIONS = ("publish", "deploy", "push", "merge", "release")

WORDS = (
    "don't never without instead of and then but not run the tests publish it , . ; ? ! \" ' ` ``` - /release $x @y "
    "skill why did we were in phase please if fails no need to except ( ) … 发布"
)
PIECES = st.sampled_from([*WORDS.split(), "\n", "\u0301", "\u200b", "\ud800", "\x00"])
TEXTS = st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=60).map(" ".join))


def rows() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def read(text: str) -> Reading:
    return read_intent(read_message(text))


@pytest.mark.parametrize("row", [pytest.param(row, id=row["sentence"] or "(nothing)") for row in rows()])
def test_sentence_is_read_as_the_table_says(row: dict[str, str]) -> None:
    reading = read(row["sentence"].replace("\\n", "\n").replace("\\t", "\t"))

    found = (reading.mood, "|".join(reading.excluded), "|".join(reading.named), str(len(reading.several)))
    assert found == (row["mood"], row["excluded"], row["named"], row["several"])


def test_table_has_enough_sentences_of_every_mood() -> None:
    moods = [row["mood"] for row in rows()]

    assert len(moods) >= 300
    assert set(moods) == MOODS


def test_exclusion_is_taken_out_of_the_text_that_is_matched_and_named_in_a_note() -> None:
    reading = read("run the smoke tests but don't publish")

    assert reading.request_text == "run the smoke tests"
    assert reading.notes == ("not included: publish",)
    assert [clause.kind for clause in reading.clauses] == ["request", "excluded"]


def test_politeness_is_taken_out_of_the_text_that_is_matched() -> None:
    assert read("Hi there! Could you please run the tests, thanks").request_text == "run the tests"


def test_both_of_two_requests_are_given_in_their_own_words() -> None:
    reading = read("fix the lint and then open a PR")

    assert reading.several == ("fix the lint", "open a PR")
    assert reading.request_text == "fix the lint and then open a PR"


def test_lone_prohibition_keeps_its_words_and_is_no_request() -> None:
    reading = read("never push without asking")

    assert not reading.is_request
    assert reading.penalty == 1.0
    assert reading.request_text == "never push without asking"


@pytest.mark.parametrize(
    ("certain", "less_certain"),
    [
        ("why did the release skill run yesterday?", "what did you deploy?"),
        ("we deployed yesterday", "the release is out"),
        ("don't publish the package", "don't use that thing"),
        ("don't publish the package", "we were in the red phase"),
    ],
)
def test_penalty_is_graded_by_certainty(certain: str, less_certain: str) -> None:
    assert read(certain).penalty >= read(less_certain).penalty > 0.2


@pytest.mark.parametrize("text", ["run the tests", "hello", "what's my balance?", "I lost my card", "yes"])
def test_requests_and_greetings_are_hardly_held_back(text: str) -> None:
    assert read(text).penalty <= 0.2


def test_condition_stays_with_the_request() -> None:
    reading = read("if the tests pass, deploy to staging")

    assert [clause.kind for clause in reading.clauses] == ["conditional", "request"]
    assert reading.request_text == "if the tests pass, deploy to staging"


@given(TEXTS)
def test_any_text_is_read_without_raising_and_within_bounds(text: str) -> None:
    message = read_message(text)
    reading = read_intent(message)

    assert reading.mood in MOODS
    assert 0.0 <= reading.penalty <= 1.0
    assert {clause.kind for clause in reading.clauses} <= KINDS
    assert len(reading.request_text) <= max(len(message.request), 0)
    assert len(reading.several) != 1
    assert (reading.mood == "empty") == message.empty


@given(TEXTS)
def test_text_to_match_holds_only_words_of_the_message(text: str) -> None:
    message = read_message(text)

    assert set(split_words(read_intent(message).request_text)) <= set(message.words)


@given(TEXTS)
def test_what_is_excluded_stands_in_the_message(text: str) -> None:
    message = read_message(text)

    assert all(piece and piece in message.request for piece in read_intent(message).excluded)


@given(
    st.sampled_from(ACTIONS),
    st.sampled_from(["{} it", "don't {} it", "never {} to main", "can you {} this?", "who approved the {}?"]),
)
def test_mood_does_not_depend_on_the_case_of_letters(action: str, template: str) -> None:
    text = template.format(action)

    assert read(text.upper()).mood == read(text.lower()).mood == read(text.capitalize()).mood


@given(
    st.sampled_from(ACTIONS),
    st.sampled_from(["run the tests", "fix the lint", "open a PR"]),
    st.sampled_from([" but ", ", but ", ". ", "; ", ", and "]),
)
def test_ruling_something_out_never_turns_a_request_into_a_prohibition(action: str, order: str, joint: str) -> None:
    reading = read(f"{order}{joint}don't {action} it")

    assert reading.mood == "request"
    assert reading.excluded == (f"{action} it",)
    assert action not in reading.request_text


@given(st.sampled_from(ACTIONS))
def test_curly_and_straight_apostrophes_are_read_alike(action: str) -> None:
    assert read(f"don’t {action} it").excluded == read(f"don't {action} it").excluded == (f"{action} it",)


def test_pasted_code_alone_asks_for_nothing_in_particular() -> None:
    reading = read("```python\nimport os\nprint(os.getcwd())\n```")
    assert (reading.mood, reading.is_request) == ("pasted", False)
    assert reading.penalty > 0.5
