"""What the rules read out of a message: one test for each sentence of the table, and what holds for every text."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wellworn.resolver.message import REQUEST_LIMIT, read_message, split_words
from wellworn.resolver.rules import Reading, read_intent
from wellworn.resolver.rules_several import SEVERAL_LIMIT

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


@pytest.mark.parametrize(
    ("text", "several"),
    [
        ("Fix the tests. Then address the comments.", ("Fix the tests", "address the comments")),
        ("Ship it. After that, tidy the branches.", ("Ship it", "tidy the branches")),
        ("1) fix the lint 2) open a PR", ("fix the lint", "open a PR")),
        ("The build is red. Fix it. Then open a PR.", ("The build is red. Fix it", "open a PR")),
        ("Can you fix the lint? Could you also open a PR?", ("fix the lint", "open a PR")),
    ],
)
def test_requests_of_sentences_and_items_are_told_apart(text: str, several: tuple[str, ...]) -> None:
    assert read(text).several == several


def test_of_a_long_message_each_sentence_that_begins_with_an_order_counts_once() -> None:
    background = "The suite has been failing on CI for two days now, always in the same place and never on my machine. "
    reading = read(f"{background}Find the cause, fix it and rerun the suite. The docs are fine. Then write the notes.")

    assert reading.several == ("Find the cause, fix it and rerun the suite", "write the notes")


def test_an_item_that_is_ticked_off_is_not_asked_for() -> None:
    assert "tag" not in read("- [ ] run the tests\n- [x] tag the release").request_text


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
def test_each_of_several_requests_is_a_piece_of_the_message(text: str) -> None:
    message = read_message(text)

    assert all(piece and piece in message.request for piece in read_intent(message).several)


@settings(deadline=None)
@given(st.text(alphabet=" ,abcdefghijklmnopqrstuvwxyz", max_size=120))
def test_a_sentence_of_more_words_than_the_limit_is_one_task(text: str) -> None:
    reading = read(f"fix the build {text} {'and then push it ' * SEVERAL_LIMIT}")

    assert reading.several == ()


@given(st.lists(PIECES, min_size=1, max_size=6))
@settings(max_examples=25, deadline=None)
def test_fifty_kilobytes_of_anything_are_read_within_bounds(pieces: list[str]) -> None:
    unit = " ".join(pieces) + " "
    message = read_message(unit * (50_000 // len(unit) + 1))
    reading = read_intent(message)

    assert len(message.request) <= REQUEST_LIMIT
    assert len(reading.request_text) <= REQUEST_LIMIT


NEGATED = ("nicht {}en", "niet {}en", "ne pas {}er", "ne {}e pas", "no {}es", "não {}e", "non {}are")


@given(st.sampled_from(NEGATED), st.sampled_from(["deploy", "push"]), st.sampled_from(["", "bitte ", "por favor "]))
def test_negation_of_other_languages_rules_out(template: str, stem: str, before: str) -> None:
    reading = read(before + template.format(stem))

    assert reading.mood == "prohibition"
    assert stem in reading.excluded[0]


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
