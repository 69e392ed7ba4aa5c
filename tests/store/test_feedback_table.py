"""Feedback and what it teaches: whole or not at all, once, and removable."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.store.makers import NOW, make_entry, make_table

from wellworn.models.access import Role
from wellworn.models.errors import NotFound
from wellworn.models.resolution import Verdict
from wellworn.models.skill import Scope, Utterance, UtteranceField
from wellworn.store.changes import ChangeKind
from wellworn.store.database import Database
from wellworn.store.feedback import FeedbackRow, FeedbackTable, TaughtRow
from wellworn.store.keys import KeyTable

HOME = (Scope.user, "local")
FEEDBACK = FeedbackRow(
    "f1", "r1", Verdict.right, "ship-it", "ship-it", "off it goes", NOW, {"branch": "main"}, "thanks"
)
TAUGHT = TaughtRow("t1", *HOME, "ship-it", UtteranceField.learned, "off it goes", NOW, "f1")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "wellworn.db") as opened:
        yield opened


def test_a_verdict_and_what_it_teaches_are_stored_and_announced_together(db: Database) -> None:
    skills, table = make_table(db), FeedbackTable(db)
    key = skills.put("home", make_entry(), now=NOW)
    seq = skills.last_seq()
    assert table.add(FEEDBACK, [TAUGHT]) == (FEEDBACK, [TAUGHT])
    assert table.get("f1") == FEEDBACK
    assert table.list_taught(*HOME, "ship-it") == [TAUGHT]
    assert skills.utterances(*HOME)[-1].text == "off it goes"
    assert [(one.skill_key, one.kind) for one in skills.changes_since(seq) or ()] == [(key, ChangeKind.upsert)]


def test_a_failure_in_the_middle_stores_neither(db: Database) -> None:
    table = FeedbackTable(db)
    with pytest.raises(sqlite3.IntegrityError):
        table.add(FEEDBACK, [TAUGHT, TAUGHT])
    with pytest.raises(NotFound):
        table.get("f1")
    assert table.list_taught(*HOME, "ship-it") == []


def test_the_same_verdict_submitted_twice_teaches_once(db: Database) -> None:
    table = FeedbackTable(db)
    table.add(FEEDBACK, [TAUGHT])
    again = table.add(replace(FEEDBACK, id="f2"), [replace(TAUGHT, id="t2", feedback_id="f2")])
    assert again == (FEEDBACK, [TAUGHT])
    assert len(table.list_taught(*HOME, "ship-it")) == 1


@pytest.mark.parametrize(
    "other",
    [
        replace(FEEDBACK, id="f2", verdict=Verdict.wrong),
        replace(FEEDBACK, id="f2", resolution_id="r2"),
        replace(FEEDBACK, id="f2", key_id="k1"),
        replace(FEEDBACK, id="f2", expected="deploy"),
    ],
)
def test_another_verdict_resolution_key_or_skill_is_another_feedback(db: Database, other: FeedbackRow) -> None:
    table = FeedbackTable(db)
    table.add(FEEDBACK, [TAUGHT])
    assert table.add(other) == (other, [])
    assert table.get("f2") == other


def test_a_taught_utterance_is_removed_by_its_id_and_announced(db: Database) -> None:
    skills, table = make_table(db), FeedbackTable(db)
    key = skills.put("home", make_entry(texts=()), now=NOW)
    table.add(FEEDBACK, [TAUGHT])
    seq = skills.last_seq()
    later = NOW + timedelta(hours=1)
    assert table.remove_taught("t1", now=later).removed_at == later
    assert table.remove_taught("t1", now=later + timedelta(hours=1)).removed_at == later
    assert skills.utterances(*HOME) == []
    assert table.list_taught(*HOME, "ship-it") == []
    assert [(one.skill_key, one.kind) for one in skills.changes_since(seq) or ()] == [(key, ChangeKind.upsert)]
    with pytest.raises(NotFound, match="t9"):
        table.remove_taught("t9", now=NOW)


def test_what_was_taught_is_counted_in_all_and_by_key(db: Database) -> None:
    table = FeedbackTable(db)
    rows = [replace(TAUGHT, id=f"t{number}", key_id=key) for number, key in enumerate(["k1", "k1", "k2", None])]
    table.teach([*rows, replace(TAUGHT, id="t9", skill_id="deploy", key_id="k1")], now=NOW)
    table.remove_taught("t0", now=NOW)
    counts = [table.count_taught(*HOME, "ship-it", key) for key in ("k1", "k2", None, "k3")]
    assert counts == [(3, 1, 2), (3, 1, 2), (3, 1, 2), (3, 0, 2)]
    assert table.count_taught(*HOME, "unknown", "k1") == (0, 0, 0)
    assert [len(table.taught_by_key(key)) for key in ("k1", "k2", None, "k3")] == [2, 1, 1, 0]


def test_a_reviewers_key_and_the_local_person_teach_as_persons_and_an_unknown_key_as_an_agent(db: Database) -> None:
    keys, table = KeyTable(db), FeedbackTable(db)
    made = {role: keys.create(role, "local", now=NOW)[0].id for role in Role}
    rows = [replace(TAUGHT, id=f"t{number}", key_id=key) for number, key in enumerate([*made.values(), None, "gone"])]
    table.teach([*rows, replace(TAUGHT, id="t9", text="else")], now=NOW)
    found = {row.key_id: by_person for row, by_person in table.with_text(*HOME, " off  it goes")}
    assert found == {
        made[Role.agent]: False,
        made[Role.reviewer]: True,
        made[Role.admin]: True,
        None: True,
        "gone": False,
    }
    assert table.count_taught(*HOME, "ship-it", None) == (6, 2, 2)
    table.remove_taught("t0", now=NOW)
    assert made[Role.agent] not in {row.key_id for row, _ in table.with_text(*HOME, "off it goes")}


def test_the_authors_of_a_text_are_those_who_gave_it_as_an_alias_trigger_or_example(db: Database) -> None:
    skills, table = make_table(db), FeedbackTable(db)
    fields = [UtteranceField.alias, UtteranceField.trigger, UtteranceField.example, UtteranceField.description]
    said = [Utterance(field, f"by {field}") for field in fields]
    skills.put("home", replace(make_entry(), utterances=said), now=NOW)
    found = [table.authors_of(*HOME, one.text) for one in said]
    assert found == [frozenset({"ship-it"})] * 3 + [frozenset()]
    assert table.authors_of(Scope.user, "another", said[0].text) == frozenset()


def test_a_lesson_for_a_skill_that_is_gone_waits_for_its_return(db: Database) -> None:
    skills, table = make_table(db), FeedbackTable(db)
    table.add(FEEDBACK, [TAUGHT])
    assert skills.last_seq() == 0
    skills.put("home", make_entry(), now=NOW)
    assert "off it goes" in [row.text for row in skills.utterances(*HOME)]


def test_labelled_messages_are_those_whose_meaning_is_known(db: Database) -> None:
    table = FeedbackTable(db)
    meant = replace(FEEDBACK, id="f3", resolution_id="r3", verdict=Verdict.should_be, expected=None)
    meant = replace(meant, created_at=NOW - timedelta(days=1))
    wrong = replace(FEEDBACK, id="f2", resolution_id="r2", verdict=Verdict.wrong, expected=None)
    for one in (FEEDBACK, wrong, meant):
        table.add(one)
    assert list(table.labelled()) == [meant, FEEDBACK]
