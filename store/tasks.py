"""Tasks that agents report, with their steps; and what people chose about flagged skills that were matched."""

# ruff: noqa: S608  only constant column lists and conditions are put into SQL text; values are always bound

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from wellworn.models.errors import Conflict, InvalidInput, NotFound
from wellworn.models.resolution import Decision
from wellworn.models.skill import Scope
from wellworn.models.task import FlagChoice, Outcome, Reflection, SkillRef, Task, TaskStatus, TaskStep
from wellworn.store.database import Database
from wellworn.store.text_hash import storable
from wellworn.store.timestamps import from_text, optional_from_text, to_text

STEPS_MAX = 500
_TASK = """id, user, repo, session_id, status, attempt, resolution_id, outcome, data, created_at, ended_at,
    (SELECT count(*) FROM task_steps WHERE task_id = tasks.id)"""
_SHOWN = 80


def objective_key(objective: str) -> str:
    """Return the text by which the same objective is known again: its case and spaces do not matter."""
    return " ".join(objective.casefold().split())


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """What a person decided about the flagged skill (scope, owner, skill id) that a resolution had named."""

    id: str
    ts: datetime
    user: str
    resolution_id: str
    scope: Scope
    owner: str
    skill_id: str
    choice: FlagChoice
    by: str
    note: str | None = None


class TaskTable:
    """Tasks by id; each belongs to one user."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def active(self, user: str, repo: str | None, objective: str) -> Task | None:
        """Return the active task of the same objective, user and repo; within `write`, what nobody else can change."""
        row = self._db.row(
            f"""SELECT {_TASK} FROM tasks WHERE user = ? AND objective_key = ? AND repo IS ? AND status = 'active'
                ORDER BY created_at DESC, id DESC LIMIT 1""",
            (storable(user), storable(objective_key(objective)), _optional(repo)),
        )
        return None if row is None else self._task(row)

    def earlier(self, user: str, repo: str | None, objective: str, *, limit: int = 10) -> list[Task]:
        """Return the ended tasks of the same objective, the latest first, without their steps."""
        rows = self._db.rows(
            f"""SELECT {_TASK} FROM tasks WHERE user = ? AND objective_key = ? AND repo IS ? AND status = 'ended'
                ORDER BY created_at DESC, id DESC LIMIT ?""",
            (storable(user), storable(objective_key(objective)), _optional(repo), limit),
        )
        return [self._task(row) for row in rows]

    def add(self, task: Task, *, key_id: str | None) -> None:
        """Store a new task, in the caller's transaction if there is one."""
        with self._db.write() as connection:
            connection.execute(
                """INSERT INTO tasks (id, user, repo, session_id, status, objective_key, attempt, resolution_id,
                       outcome, data, created_at, ended_at, key_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                (
                    task.id,
                    storable(task.user),
                    _optional(task.repo),
                    _optional(task.session_id),
                    task.status.value,
                    storable(objective_key(task.objective)),
                    task.attempt,
                    task.resolution_id,
                    None,
                    _data(task),
                    to_text(task.created_at),
                    None,
                    key_id,
                ),
            )

    def resume(self, task: Task) -> None:
        """Store the attempt, resolution and matched skill of an active task, in the caller's transaction."""
        with self._db.write() as connection:
            connection.execute(
                "UPDATE tasks SET attempt = ?, resolution_id = ?, data = ? WHERE id = ? AND status = 'active'",
                (task.attempt, task.resolution_id, _data(task), task.id),
            )

    def end(self, task: Task) -> None:
        """Store how an active task ended, in the caller's transaction. Raises Conflict when it has ended already."""
        with self._db.write() as connection:
            done = connection.execute(
                "UPDATE tasks SET status = 'ended', outcome = ?, data = ?, ended_at = ? "
                "WHERE id = ? AND status = 'active'",
                (
                    None if task.outcome is None else task.outcome.value,
                    _data(task),
                    None if task.ended_at is None else to_text(task.ended_at),
                    task.id,
                ),
            )
            if done.rowcount != 1:
                raise ended_already(task.id)

    def add_step(self, task_id: str, step: TaskStep) -> TaskStep:
        """Append a step; its number is given here. Raises Conflict (it has ended), InvalidInput (it is full)."""
        with self._db.write() as connection:
            status = connection.execute("SELECT status FROM tasks WHERE id = ?", (task_id,)).fetchone()
            if status is None or status[0] != TaskStatus.active:
                raise ended_already(task_id)
            last = connection.execute("SELECT max(number) FROM task_steps WHERE task_id = ?", (task_id,)).fetchone()[0]
            number = (last or 0) + 1
            if number > STEPS_MAX:
                raise InvalidInput(
                    f"A task has at most {STEPS_MAX} steps.", hint="End it, and begin another one.", field="command"
                )
            connection.execute(
                "INSERT INTO task_steps (task_id, number, ts, command, exit_code, summary, success) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    task_id,
                    number,
                    to_text(step.ts),
                    storable(step.command),
                    step.exit_code,
                    _optional(step.summary),
                    None if step.success is None else int(step.success),
                ),
            )
        return step.model_copy(update={"number": number})

    def get(self, user: str | None, task_id: str, *, steps: bool = True) -> Task:
        """Return one task of `user` (None: of anyone), with its steps; raises NotFound."""
        row = self._db.row(f"SELECT {_TASK} FROM tasks WHERE id = ?", (storable(task_id),))
        if row is None or (user is not None and row[1] != storable(user)):
            raise no_task(task_id)
        return self._task(row, steps=self._steps(row[0]) if steps else ())

    def page(
        self,
        user: str | None,
        *,
        repos: Sequence[str] | None = None,
        status: TaskStatus | None = None,
        offset: int = 0,
        limit: int = 100,
    ) -> tuple[list[Task], int]:
        """Return a page of a user's tasks (None: everybody's), newest first, without steps, and how many there are.

        repos: only those of these repositories, and those of none.
        """
        if offset < 0 or limit < 1:
            raise InvalidInput("A page needs an offset of 0 or more and a limit of 1 or more.", field="offset")
        seen = ", ".join("?" * len(repos or ()))
        wanted: Sequence[tuple[str, Sequence[str] | None]] = (
            ("user = ?", None if user is None else [storable(user)]),
            ("status = ?", None if status is None else [status.value]),
            (f"(repo IS NULL OR repo IN ({seen}))", None if repos is None else [storable(name) for name in repos]),
        )
        given = [value for _, values in wanted for value in values or ()]
        where = " AND ".join(condition for condition, values in wanted if values is not None) or "1"
        total = self._db.rows(f"SELECT count(*) FROM tasks WHERE {where}", tuple(given))[0][0]
        rows = self._db.rows(
            f"SELECT {_TASK} FROM tasks WHERE {where} ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?",
            (*given, limit, offset),
        )
        return [self._task(row) for row in rows], total

    def ended_with(self, scope: Scope, owner: str, skill_id: str, *, limit: int = 50) -> list[Task]:
        """Return the ended tasks whose outcome counted for a skill, the latest first, with their steps."""
        rows = self._db.rows(
            f"""SELECT {_TASK} FROM tasks WHERE id IN (
                    SELECT task_id FROM outcomes WHERE scope = ? AND owner = ? AND skill_id = ?)
                ORDER BY ended_at DESC, id DESC LIMIT ?""",
            (scope.value, owner, skill_id, limit),
        )
        return [self._task(row, steps=self._steps(row[0])) for row in rows]

    def prune(self, before: datetime) -> int:
        """Forget tasks that ended before a time; return how many. Outcomes and lessons stay."""
        with self._db.write() as connection:
            return connection.execute("DELETE FROM tasks WHERE ended_at < ?", (to_text(before),)).rowcount

    def _steps(self, task_id: str) -> list[TaskStep]:
        rows = self._db.rows(
            "SELECT number, ts, command, exit_code, summary, success FROM task_steps WHERE task_id = ? ORDER BY number",
            (task_id,),
        )
        return [
            TaskStep(
                number=number,
                ts=from_text(ts),
                command=command,
                exit_code=exit_code,
                summary=summary,
                success=None if success is None else success == 1,
            )
            for number, ts, command, exit_code, summary, success in rows
        ]

    def _task(self, row: Sequence[Any], *, steps: Sequence[TaskStep] = ()) -> Task:
        number, user, repo, session_id, status, attempt, resolution_id, outcome, data, created, ended, count = row
        more = json.loads(data)
        return Task(
            id=number,
            user=user,
            repo=repo,
            session_id=session_id,
            status=TaskStatus(status),
            attempt=attempt,
            resolution_id=resolution_id,
            outcome=None if outcome is None else Outcome(outcome),
            created_at=from_text(created),
            ended_at=optional_from_text(ended),
            steps=list(steps),
            step_count=count,
            objective=more["objective"],
            skill=_ref(more.get("skill")),
            decision=None if more.get("decision") is None else Decision(more["decision"]),
            used_skill=_ref(more.get("usedSkill")),
            reason=more.get("reason"),
            evidence=more.get("evidence"),
            cause=more.get("cause"),
            reflection=None if more.get("reflection") is None else Reflection.model_validate(more["reflection"]),
        )


class ChoiceTable:
    """One choice for each resolution that named a flagged skill."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, resolution_id: str) -> ChoiceRow | None:
        """Return what was chosen, or None while nobody has."""
        row = self._db.row(
            "SELECT id, ts, user, resolution_id, scope, owner, skill_id, choice, by, note FROM choices "
            "WHERE resolution_id = ?",
            (storable(resolution_id),),
        )
        if row is None:
            return None
        number, ts, user, resolution, scope, owner, skill_id, choice, by, note = row
        return ChoiceRow(
            number, from_text(ts), user, resolution, Scope(scope), owner, skill_id, FlagChoice(choice), by, note
        )

    def prune(self, before: datetime) -> int:
        """Forget choices from before a time, unless a task still shows them; return how many."""
        with self._db.write() as connection:
            return connection.execute(
                "DELETE FROM choices WHERE ts < ? AND resolution_id NOT IN "
                "(SELECT resolution_id FROM tasks WHERE resolution_id IS NOT NULL)",
                (to_text(before),),
            ).rowcount

    def decide(self, row: ChoiceRow) -> ChoiceRow:
        """Keep a choice, and return it; the same again changes nothing. Raises Conflict for another one."""
        with self._db.write() as connection:
            known = self.get(row.resolution_id)
            if known is not None:
                if known.choice is row.choice:
                    return known
                raise Conflict(
                    f"It was decided already: {known.choice} (by {known.by}).",
                    hint="Ask again to decide anew.",
                    field="choice",
                )
            _insert(connection, row)
        return row


def no_task(task_id: str) -> NotFound:
    """The error for a task that is not there, or not the caller's."""
    return NotFound(f"There is no task {task_id[:_SHOWN]!r}.", hint="`wellworn task list` shows them.")


def ended_already(task_id: str) -> Conflict:
    """The error for whatever comes after the end of a task."""
    return Conflict(f"The task {task_id} has ended already.", hint="Begin it again with `wellworn task begin`.")


def _insert(connection: sqlite3.Connection, row: ChoiceRow) -> None:
    connection.execute(
        "INSERT INTO choices (id, ts, user, resolution_id, scope, owner, skill_id, choice, by, note) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            row.id, to_text(row.ts), storable(row.user), row.resolution_id, row.scope.value, row.owner, row.skill_id,
            row.choice.value, row.by, _optional(row.note),
        ),
    )  # fmt: skip


def _data(task: Task) -> str:
    kept = {"objective", "skill", "decision", "used_skill", "reason", "evidence", "cause", "reflection"}
    return storable(task.model_dump_json(by_alias=True, include=kept, exclude_none=True))


def _ref(data: Any) -> SkillRef | None:
    return None if data is None else SkillRef.model_validate(data)


def _optional(text: str | None) -> str | None:
    return None if text is None else storable(text)
