from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from wellworn.service.http.intake import BULK_SLICE, MAX_TOGETHER, Intake


@dataclass
class Ticket:
    number: int
    abandoned: bool = False


def tickets(count: int) -> list[Ticket]:
    return [Ticket(number) for number in range(count)]


def test_a_lone_question_is_taken_alone() -> None:
    intake: Intake[Ticket] = Intake(workers=2)
    intake.put(Ticket(1))
    assert [t.number for t in intake.take()] == [1]


def test_a_worker_takes_its_fair_share_of_what_waits() -> None:
    intake: Intake[Ticket] = Intake(workers=2)
    for ticket in tickets(10):
        intake.put(ticket)
    assert [t.number for t in intake.take()] == [0, 1, 2, 3, 4]


def test_never_more_are_taken_together_than_the_most() -> None:
    intake: Intake[Ticket] = Intake(workers=1)
    for ticket in tickets(100):
        intake.put(ticket)
    assert len(intake.take()) == MAX_TOGETHER


def test_single_questions_go_before_a_batch() -> None:
    intake: Intake[Ticket] = Intake(workers=1)
    intake.put_bulk(tickets(100))
    intake.put(Ticket(1000))
    assert [t.number for t in intake.take()] == [1000]
    assert len(intake.take()) == BULK_SLICE


def test_a_full_queue_refuses_and_changes_nothing() -> None:
    intake: Intake[Ticket] = Intake(workers=1, limit=2, bulk_limit=3)
    assert [intake.put(ticket) for ticket in tickets(3)] == [True, True, False]
    assert not intake.put_bulk(tickets(4))
    assert len(intake) == 2


def test_closing_ends_the_workers_and_returns_what_waited() -> None:
    intake: Intake[Ticket] = Intake(workers=1)
    intake.put(Ticket(1))
    intake.put_bulk([Ticket(2)])
    assert [t.number for t in intake.close()] == [1, 2]
    assert intake.take() == []
    assert not intake.put(Ticket(3))


@given(singles=st.integers(0, 60), bulk=st.integers(0, 60), workers=st.integers(1, 8))
def test_everything_put_is_taken_once_and_in_its_order(singles: int, bulk: int, workers: int) -> None:
    intake: Intake[Ticket] = Intake(workers=workers)
    for ticket in tickets(singles):
        intake.put(ticket)
    if bulk:
        intake.put_bulk([Ticket(1000 + n) for n in range(bulk)])
    taken: list[int] = []
    while len(intake):
        taken += [t.number for t in intake.take()]
    assert [n for n in taken if n < 1000] == list(range(singles))
    assert [n for n in taken if n >= 1000] == [1000 + n for n in range(bulk)]
