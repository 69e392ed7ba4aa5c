"""Tasks in the store: found by their objective and in pages without looking at all the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wellworn.models.errors import InvalidInput
from wellworn.models.task import Task, TaskStatus
from wellworn.store.database import Database
from wellworn.store.tasks import TaskTable, objective_key

START = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)


class Watched:
    """A database that keeps how each of its queries is carried out."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.plans: list[str] = []

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        self.plans += [str(line[3]) for line in self._db.rows(f"EXPLAIN QUERY PLAN {sql}", parameters)]
        return self._db.rows(sql, parameters)

    def row(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        return next(iter(self.rows(sql, parameters)), None)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "wellworn.db") as opened:
        yield opened


def task(number: int, **fields: Any) -> Task:
    given: dict[str, Any] = {
        "id": f"task-{number:03}",
        "objective": f"objective {number % 3}",
        "status": TaskStatus.active,
        "attempt": 1,
        "created_at": START + timedelta(minutes=number),
        "user": "local",
    }
    return Task.model_validate(given | fields)


def test_no_question_about_tasks_looks_at_all_of_them(db: Database) -> None:
    for number in range(9):
        TaskTable(db).add(task(number), key_id=None)
    watched = Watched(db)
    table = TaskTable(watched)  # type: ignore[arg-type]
    table.active("local", None, "objective 1")
    table.earlier("local", None, "objective 1")
    table.get("local", "task-001")
    table.page("local")
    table.page("local", status=TaskStatus.active)
    table.page(None)
    assert watched.plans
    assert not [plan for plan in watched.plans if "TEMP B-TREE" in plan or plan == "SCAN tasks"]


def test_a_page_holds_those_of_no_repository_and_of_the_ones_that_may_be_seen(db: Database) -> None:
    table = TaskTable(db)
    for number, repo in enumerate((None, "here", "there", "here")):
        table.add(task(number, repo=repo), key_id=None)
    tasks, total = table.page("local", repos=["here"], limit=2)
    assert ([one.id for one in tasks], total) == (["task-003", "task-001"], 3)
    assert table.page("local", repos=[])[1] == 1
    assert table.page("local")[1] == 4


@pytest.mark.parametrize(("offset", "limit"), [(-1, 1), (0, 0)])
def test_a_page_of_nothing_is_refused(db: Database, offset: int, limit: int) -> None:
    with pytest.raises(InvalidInput):
        TaskTable(db).page("local", offset=offset, limit=limit)


@given(st.text(), st.sampled_from([" ", "\t", "\n", "  "]))
def test_spaces_and_a_second_reading_make_no_other_objective(text: str, space: str) -> None:
    assert objective_key(f"{space}{text}{space}") == objective_key(text)
    assert objective_key(objective_key(text)) == objective_key(text)


@given(objective=st.text(min_size=1, max_size=4000), repo=st.none() | st.text(min_size=1, max_size=50))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_any_objective_is_found_again_until_it_has_ended(db: Database, objective: str, repo: str | None) -> None:
    table = TaskTable(db)
    user = f"user {uuid4()}"
    begun = task(1, id=str(uuid4()), objective=objective, repo=repo, user=user)
    table.add(begun, key_id=None)
    found = table.active(user, repo, f" {objective} ")
    assert found is not None
    assert found.id == begun.id
    assert table.active(user, "elsewhere" * 9, objective) is None
    table.end(found.model_copy(update={"ended_at": START}))
    assert table.active(user, repo, objective) is None
    assert [one.id for one in table.earlier(user, repo, objective)] == [begun.id]
