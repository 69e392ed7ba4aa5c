"""Post-turn review: counting turns, arming reviews, running them behind everything else, and what they may write."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Protocol

from wellworn.lifecycle.adviser import Adviser
from wellworn.lifecycle.observing import kept_name
from wellworn.lifecycle.proposing.drafting import Draft
from wellworn.lifecycle.proposing.similar import InstalledSkill, Meant
from wellworn.lifecycle.review.eligibility import (
    Exchange,
    Rule,
    Standing,
    against_account,
    against_turn,
    count,
    proven_calls,
)
from wellworn.lifecycle.review.redacting import redacted
from wellworn.lifecycle.review.reviewer import Reviewer, ReviewStopped, ReviewTask
from wellworn.models.access import Caller, Role
from wellworn.models.errors import NotAllowed, NotFound, WellwornError
from wellworn.models.turn import AccountChange, AccountLearning, Turn, TurnAnswer, TurnReview, TurnView
from wellworn.service.decision_log import author_of, refuse_agents
from wellworn.service.review_threads import ReviewThreads, Watch
from wellworn.store.accounts import AccountTable
from wellworn.store.alive import Alive
from wellworn.store.database import Database
from wellworn.store.redact import redact
from wellworn.store.runtime_settings import RuntimeSettingsTable
from wellworn.store.turns import RUNNING, TurnTable

log = logging.getLogger(__name__)
_NO_PLACE = "Too many reviews were waiting, so this one did not take place."
_STOPPED = "The service was stopped."
ME = "me"
"""Stands for the caller's own account."""
_SHOWN = 80


class Kept(NamedTuple):
    """id: of the proposal. new: written now, and not there already. install: what the account lets be done with it."""

    id: str
    new: bool
    install: Callable[[], None] | None = None


class Write(Protocol):
    """Keeps a draft as a proposal.

    authorise: asked within each transaction that writes; whatever it raises undoes it. noted: told of the proposal's
    id in the transaction that keeps it.
    """

    def __call__(
        self,
        account: str,
        turn: Turn,
        draft: Draft,
        authorise: Callable[[], None],
        noted: Callable[[str], None],
        /,
    ) -> Kept: ...


Installed = Callable[[str, str | None], Sequence[InstalledSkill]]
Meanings = Callable[[Sequence[str], str | None, str], list[Meant | None]]
AdviserOf = Callable[[str], Adviser | None]


@dataclass(slots=True, eq=False)
class _Review:
    """One review that is waiting or running; `ended` is set once, by whoever ends it first.

    stopped: why it may not go on, once it was told so. failed: what happened to its reviewer. note: what a person
    should know although it went well.
    account_changed: when the person had last chosen, as the review was armed.
    """

    user: str
    turn: Turn
    budget: int
    reviewer: Reviewer
    view: TurnReview
    account_changed: str | None
    stopped: str | None = None
    failed: str | None = None
    note: str | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)
    seconds: float = 0.0
    ends_at: float = 0.0
    ended: bool = False

    @property
    def is_set(self) -> bool:
        return self.ended or (self.ends_at > 0 and time.monotonic() >= self.ends_at)

    def remaining(self) -> float:
        return 0.0 if self.ended else max(0.0, self.ends_at - time.monotonic())


class Reviewing:
    """Every method may be called from any thread.

    write, installed, meanings, adviser_of: what the rest of the workspace does for a review. alive: tells which
    processes live. name_of: what a repository is known by. builtin: reviews where no other reviewer is registered.
    """

    def __init__(
        self,
        database: Database,
        clock: Callable[[], datetime],
        *,
        write: Write,
        installed: Installed,
        meanings: Meanings,
        adviser_of: AdviserOf,
        alive: Alive,
        name_of: Callable[[str], str],
        builtin: Reviewer | None = None,
    ) -> None:
        self._database, self._clock = database, clock
        self._write, self._installed, self._meanings, self._adviser_of = write, installed, meanings, adviser_of
        self._turns, self._accounts = TurnTable(database), AccountTable(database)
        self._settings = RuntimeSettingsTable(database)
        self._alive, self._name_of, self._builtin = alive, name_of, builtin
        self._registered: Reviewer | None = None
        self._registering = threading.Lock()
        self._threads: ReviewThreads[_Review] = ReviewThreads(
            self._run, self._give_up, lambda review: self._end(review, "refused", _NO_PLACE)
        )
        self._open: set[_Review] = set()
        self._ending = threading.Condition()
        self._closed = False

    # -- the reviewer ------------------------------------------------------------------------------------------------

    def register_reviewer(self, reviewer: Reviewer) -> bool:
        """Make `reviewer` the one of this process.

        A second one is refused (False), with a warning, and the first stays.
        """
        with self._registering:
            if self._registered is not None:
                log.warning(
                    "The reviewer %s is registered already; %s is not taken.", self._registered.name, reviewer.name
                )
                return False
            self._registered = reviewer
            return True

    def withdraw_reviewer(self, reviewer: Reviewer) -> None:
        """Take the registered reviewer away; its running reviews write nothing more, and the built-in one is back."""
        with self._registering:
            if self._registered is reviewer:
                self._registered = None

    @property
    def _reviewer(self) -> Reviewer | None:
        return self._registered or self._builtin

    # -- turns -------------------------------------------------------------------------------------------------------

    def post_turn(self, turn: Turn, caller: Caller) -> TurnAnswer:
        """Count a completed turn, and arm its review when one is due; the review itself runs behind this.

        Sent again, a turn counts nothing and is answered as before. Raises NotAllowed for another user's turn.
        """
        user = _own(turn.user, caller)
        known = turn.model_copy(update={"id": kept_name(turn.id)})
        armed: list[_Review] = []

        def decide() -> tuple[TurnAnswer, TurnReview | None]:
            answer = self._judge(known, user, armed)
            return answer, self._begun(armed[0]) if armed else None

        answer = self._turns.settle(user, known.id, decide, now=self._clock(), runner=self._alive.token)
        for review in armed:
            if not review.ended:
                self._begin(review)
        return answer

    def _begun(self, review: _Review) -> TurnReview:
        """Return how a review stands at its beginning: over at once where it would find no place to wait."""
        if not self._threads.has_place:
            review.ended = True
            refused = {"status": "refused", "problem": _NO_PLACE, "ended_at": review.view.started_at}
            review.view = review.view.model_copy(update=refused)
        return review.view

    def _judge(self, turn: Turn, user: str, armed: list[_Review]) -> TurnAnswer:
        """Decide about a turn, within the transaction that keeps what is decided."""
        settings, reviewer = self._settings.read().review, self._reviewer
        account = self._accounts.get(user)
        standing = self._standing(user, reviewer, turn.budget)
        proven = proven_calls(turn)
        rule = against_turn(standing, Exchange(turn.origin, turn.ending, proven, settings.min_tool_calls))
        if rule is not None or reviewer is None:
            name = None if rule is None else rule.name
            return TurnAnswer(
                id=turn.id, eligible=False, armed=False, rule=name, proven_calls=proven, counted=account.counted
            )
        counted = count(account.counted, proven, settings.every_tool_calls)
        self._accounts.count(user, counted.counted)
        if counted.armed:
            view = TurnReview(turn_id=turn.id, status=RUNNING, reviewer=reviewer.name, started_at=self._clock())
            armed.append(_Review(user, turn, standing.budget, reviewer, view, account.changed_at))
        return TurnAnswer(id=turn.id, eligible=True, armed=counted.armed, proven_calls=proven, counted=counted.counted)

    def _standing(self, user: str, reviewer: Reviewer | None, allowed: int | None = None) -> Standing:
        """What is known of an account at this moment."""
        budget = self._settings.read().review.max_ops
        needs = reviewer is not None and reviewer.needs_model
        return Standing(
            opted_in=self._accounts.get(user).opted_in,
            reviewer=None if reviewer is None else reviewer.name,
            needs_model=needs,
            has_model=needs and self._adviser_of(user) is not None,
            budget=budget if allowed is None else min(budget, allowed),
        )

    def turn(self, turn_id: str, caller: Caller) -> TurnView:
        """Return what was answered to a turn of the caller (an admin: of anyone), and its review. Raises NotFound."""
        name = kept_name(turn_id)
        found = self._turns.get(caller.user, name)
        if found is None and caller.role is Role.admin:
            found = self._turns.get(None, name)
        if found is None:
            raise NotFound(f"There is no turn {turn_id[:_SHOWN]!r}.", hint="Turns are kept for `record_days`.")
        return TurnView(answer=found[0], review=found[1])

    # -- running reviews ---------------------------------------------------------------------------------------------

    def _begin(self, review: _Review) -> None:
        with self._ending:
            self._open.add(review)
        if not self._threads.add(review):
            self._end(review, "refused", _NO_PLACE)

    def _run(self, review: _Review, watch: Watch) -> None:
        """Run one review to its end."""
        if self._closed:
            self._end(review, "failed", _STOPPED)
            return
        try:
            review.seconds = self._settings.read().review.deadline_s
            review.ends_at = time.monotonic() + review.seconds
            watch(review.seconds)
            self._authorise(review)
            review.reviewer.review(self._task(review))
            self._finish(review)
        except ReviewStopped:
            self._finish(review)
        except BaseException as error:  # noqa: BLE001  whatever a reviewer does, the process goes on
            log.warning("The review of turn %s failed: %s", review.turn.id, type(error).__name__)
            review.failed = f"The reviewer failed ({type(error).__name__})."
            self._finish(review)

    def _finish(self, review: _Review) -> None:
        if review.is_set:
            self._give_up(review, review.seconds)
        elif review.stopped is not None:
            self._end(review, "refused", review.stopped)
        elif review.failed is not None:
            self._end(review, "failed", review.failed)
        else:
            self._end(review, "done", review.note)

    def _give_up(self, review: _Review, seconds: float) -> None:
        """At the deadline: nothing of the review counts any more."""
        self._end(review, "late", f"It took longer than {seconds:g} seconds.")

    def _task(self, review: _Review) -> ReviewTask:
        user, given = review.user, review.turn.repo
        repo = None if given is None else redact(self._name_of(given))
        return ReviewTask(
            account=user,
            turn=redacted(review.turn).model_copy(update={"repo": repo}),
            budget=review.budget,
            installed=self._installed(user, repo),
            resolve=lambda texts, within: self._meanings(texts, within or repo, user),
            adviser=self._adviser_of(user),
            cancel=review,
            authorise=lambda: self._authorise(review),
            write=lambda draft: self._written(review, draft),
        )

    def _authorise(self, review: _Review) -> None:
        """Raise ReviewStopped unless, as things are now, the review may go on."""
        why = self._against(review)
        if why is not None:
            review.stopped = review.stopped or why
            raise ReviewStopped(why)

    def _against(self, review: _Review) -> str | None:
        if review.is_set:
            return "Its deadline has passed."
        if self._reviewer is not review.reviewer:
            return "Its reviewer is not the registered one any more."
        rule = against_account(self._standing(review.user, review.reviewer, review.turn.budget))
        if rule is not None:
            return rule.why
        if self._accounts.get(review.user).changed_at != review.account_changed:
            return "The person has chosen anew since it was begun."
        return None

    def _written(self, review: _Review, draft: Draft) -> str:
        with review.lock:
            self._authorise(review)
            allowed = min(review.budget, self._settings.read().review.max_ops)
            if review.view.operations >= allowed:
                review.note = f"It has made the {allowed} writes that it may, and wanted more."
                raise ReviewStopped(review.note)
            views: list[TurnReview] = []

            def noted(proposal_id: str) -> None:
                more = {
                    "operations": review.view.operations + 1,
                    "proposals": [*review.view.proposals, proposal_id],
                }
                views.append(review.view.model_copy(update=more))
                self._turns.put_review(review.user, views[-1])

            kept = self._write(review.user, redacted(review.turn), draft, lambda: self._authorise(review), noted)
            if kept.new:
                review.view = views[-1]
            if kept.install is not None:
                kept.install()
            return kept.id

    def _end(self, review: _Review, status: str, problem: str | None) -> None:
        """Record how a review ended; the first end counts, and nothing is written after it."""
        review.ended = True  # before the lock: a write that waits for it is refused
        with review.lock:
            if review.view.ended_at is not None:
                return
            ended = {"status": status, "problem": problem, "ended_at": self._clock()}
            review.view = review.view.model_copy(update=ended)
            try:
                self._turns.put_review(review.user, review.view)
            except WellwornError as error:  # the next start finds that its process has ended
                log.warning("The end of the review of turn %s cannot be recorded: %s", review.turn.id, error)
        with self._ending:
            self._open.discard(review)
            self._ending.notify_all()

    def wait(self) -> None:
        """Return when every review that was begun here has ended; one that does not come back ends at its deadline."""
        with self._ending:
            self._ending.wait_for(lambda: not self._open)

    def end_interrupted(self) -> None:
        """Record that the reviews of processes that have ended came to nothing."""
        now = self._clock()
        for user, runner, view in self._turns.running():
            if not self._alive.is_alive(runner):
                ended = {"status": "failed", "problem": "It was interrupted: its process ended.", "ended_at": now}
                self._turns.put_review(user, view.model_copy(update=ended))

    def close(self) -> None:
        """Cancel what is running, record it, and wait a moment for the threads."""
        self._closed = True
        for review in self._threads.close():
            self._end(review, "failed", _STOPPED)
        self._threads.join()
        self._alive.close()

    # -- accounts ----------------------------------------------------------------------------------------------------

    def learning(self, account: str, caller: Caller) -> AccountLearning:
        """Say whether an account's turns can be reviewed, and if not, which rule is against it. Raises NotFound."""
        account = _checked_account(account, caller)
        settings, row = self._settings.read().review, self._accounts.get(account)
        rule: Rule | None = against_account(self._standing(account, self._reviewer))
        return AccountLearning(
            account=account,
            available=rule is None,
            rule=None if rule is None else rule.name,
            why="Completed turns are reviewed." if rule is None else rule.why,
            opted_in=row.opted_in,
            direct=row.direct,
            counted=row.counted,
            every_tool_calls=settings.every_tool_calls,
            min_tool_calls=settings.min_tool_calls,
            max_ops=settings.max_ops,
            reviewer=None if self._reviewer is None else self._reviewer.name,
            last_review=self._turns.last_review(account),
        )

    def change_account(self, account: str, change: AccountChange, caller: Caller) -> AccountLearning:
        """Let a person say what may be learned from their turns. Raises NotAllowed for an agent, NotFound."""
        refuse_agents(caller)
        account = _checked_account(account, caller)
        self._accounts.change(
            account, opted_in=change.opted_in, direct=change.direct, by=author_of(caller), now=self._clock()
        )
        return self.learning(account, caller)


def _own(user: str | None, caller: Caller) -> str:
    if user is None or user == caller.user or caller.role is Role.admin:
        return user or caller.user
    raise NotAllowed(f"The key speaks for {caller.user}, not for another user.", field="user")


def _checked_account(account: str, caller: Caller) -> str:
    """Return whose account is meant; `me` is the caller's own."""
    if account in (ME, caller.user):
        return caller.user
    if caller.role is not Role.admin:
        raise NotFound(f"There is no account {account[:_SHOWN]!r}.", hint="A key sees its own user's account only.")
    return account
