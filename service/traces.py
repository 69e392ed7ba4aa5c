"""What was observed, as agents send it and people look at it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from wellworn.lifecycle.observing import kept_name, observe
from wellworn.models.access import Caller, Role
from wellworn.models.errors import InvalidInput, NotAllowed, TooLarge, WellwornError
from wellworn.models.trace import TRACE_BATCH_MAX, TRACE_PAGE_MAX, TraceAnswer, TraceEvent, TraceKind, TraceList
from wellworn.service.places import Places, may_see_repo, normalise_repo
from wellworn.service.settings import Settings
from wellworn.store.database import Database
from wellworn.store.traces import Age, TraceCount, TraceFilter, TraceRow, TraceTable, no_trace

AHEAD = timedelta(minutes=5)
"""Clocks differ by this much; what is later has not happened."""
_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
_NAME_MAX = 200
_NAME = re.compile(r"[^\x00-\x1f\x7f]+")
_SHOWN = 80


class Traces:
    """Events of users, redacted before they are kept. Every method may be called from any thread."""

    def __init__(self, database: Database, places: Places, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._database, self._places, self._settings, self._clock = database, places, settings, clock
        self.table = TraceTable(database)

    # -- keeping -----------------------------------------------------------------------------------------------------

    def ingest(self, events: Sequence[TraceEvent], caller: Caller) -> TraceAnswer:
        """Keep up to 1000 events, all or none; ids that are kept already add nothing.

        Raises TooLarge, InvalidInput and NotAllowed, the last two naming a field such as `events[3].ts`.
        """
        if not events:
            raise InvalidInput("There is no event to keep.", hint="Send between 1 and 1000.", field="events")
        if len(events) > TRACE_BATCH_MAX:
            raise TooLarge(
                f"{len(events)} events are more than the {TRACE_BATCH_MAX} of one batch.",
                hint="Send them in several batches.",
                field="events",
            )
        now = self._clock()
        check = _Check(self._places, caller, now)
        by_user: defaultdict[str, list[TraceEvent]] = defaultdict(list)
        redacted = 0
        for at, event in enumerate(events):
            try:
                known = check(event)
            except WellwornError as error:
                error.field = f"events[{at}].{error.field}"
                raise
            kept, found = observe(known)
            redacted += found
            by_user[known.user or caller.user].append(kept)
        accepted = 0
        with self._database.write():
            for user, theirs in by_user.items():
                accepted += self.table.add_many(user, theirs, now=now, key_id=caller.key_id)[0]
        return TraceAnswer(accepted=accepted, duplicates=len(events) - accepted, redacted=redacted)

    # -- looking -----------------------------------------------------------------------------------------------------

    def page(
        self,
        caller: Caller,
        wanted: TraceFilter | None = None,
        *,
        user: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> TraceList:
        """Return one page of the caller's events, the latest first; an admin may name another user.

        Raises NotAllowed, InvalidInput (limit, cursor).
        """
        if not 1 <= limit <= TRACE_PAGE_MAX:
            raise InvalidInput(f"A page has 1 to {TRACE_PAGE_MAX} events.", field="limit")
        asked = wanted or TraceFilter()
        rows, following = self.table.page(whose(user, caller), self._visible(asked, caller), limit=limit, cursor=cursor)
        return TraceList(events=[row.event for row in rows], next=following)

    def get(self, trace_id: str, caller: Caller, *, user: str | None = None) -> TraceEvent:
        """Return one of the caller's events; raises NotFound, also for one that the caller may not see."""
        row: TraceRow = self.table.get(whose(user, caller), kept_name(trace_id))
        if row.repo is not None and not may_see_repo(caller, row.repo):
            raise no_trace(trace_id)
        return row.event

    def counts(self) -> list[TraceCount]:
        """Return for every user how many events are kept, and when the latest happened."""
        return self.table.counts()

    def _visible(self, wanted: TraceFilter, caller: Caller) -> TraceFilter:
        return TraceFilter(
            session_id=None if wanted.session_id is None else kept_name(wanted.session_id),
            repo=None if wanted.repo is None else self._places.name_of(wanted.repo, None),
            kind=wanted.kind,
            tag=wanted.tag,
            since=wanted.since,
            until=wanted.until,
            success=wanted.success,
            id=None if wanted.id is None else kept_name(wanted.id),
            repos=[normalise_repo(name) for name in caller.repos] if caller.repos else None,
        )

    # -- forgetting --------------------------------------------------------------------------------------------------

    def prune(self, *, older_than: timedelta | None, keep: int | None, user: str, dry_run: bool = False) -> int:
        """Remove a user's events that happened longer ago, and all but the last `keep`; return how many (would) go.

        What a waiting or accepted proposal rests on stays.
        """
        before = None if older_than is None else self._clock() - older_than
        return self.table.prune(before=before, age=Age.happened, keep=keep, user=user, dry_run=dry_run)

    def retain(self) -> int:
        """Remove what has been kept for longer, or is more, than the settings allow; return how many."""
        before = self._clock() - timedelta(days=self._settings.trace_days)
        return self.table.prune(before=before, keep=self._settings.trace_limit)


def _check_name(value: str | None, field: str) -> None:
    if value and len(value) <= _NAME_MAX and (value.isprintable() or _NAME.fullmatch(value)):
        return
    raise InvalidInput(
        f"The {field} of a trace event has 1 to {_NAME_MAX} characters, none of them a control character.",
        hint="Give one.",
        field=field,
    )


class _Check:
    """Whether the events of one batch may be kept, and for whom and of which repo."""

    def __init__(self, places: Places, caller: Caller, now: datetime) -> None:
        self._places, self._caller, self._latest = places, caller, now + AHEAD
        self._repos: dict[tuple[str | None, str | None], str | None] = {}

    def __call__(self, event: TraceEvent) -> TraceEvent:
        """Return the event with its repo's id. Raises InvalidInput, NotAllowed; `field` is relative to the event."""
        self._required(event)
        if event.user is not None:
            whose(event.user, self._caller)
        folder = event.data.get("cwd")
        repo = self._repo(event.repo, folder if isinstance(folder, str) else None)
        return event if repo == event.repo else event.model_copy(update={"repo": repo})

    def _required(self, event: TraceEvent) -> None:
        _check_name(event.id, "id")
        _check_name(event.session_id, "sessionId")
        moment = event.ts
        if moment is None:
            raise InvalidInput("A trace event needs a time.", hint="Send when it happened.", field="ts")
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        if moment > self._latest:
            raise InvalidInput(
                "The time lies in the future.", hint="Check the sender's clock and its time zone.", field="ts"
            )
        if moment < _EARLIEST:
            raise InvalidInput("The time lies before 1970.", hint="Send when it happened.", field="ts")

    def _repo(self, stated: str | None, folder: str | None) -> str | None:
        asked = (stated, None if stated else folder)
        if asked not in self._repos:
            name = self._places.name_of(*asked)
            if name is not None and not may_see_repo(self._caller, name):
                if stated:
                    raise NotAllowed("The key is for other repositories.", hint="Use a key for this one.", field="repo")
                name = None
            self._repos[asked] = name
        return self._repos[asked]


def whose(stated: str | None, caller: Caller, *, field: str = "user") -> str:
    """Return whose traces are meant: the caller's, or those of the user whom an admin names. Raises NotAllowed."""
    if stated is None or stated == caller.user:
        return caller.user
    if caller.role is not Role.admin:
        raise NotAllowed(
            f"This key speaks for {caller.user[:_SHOWN]!r} and for nobody else.",
            hint="Leave the user out.",
            field=field,
        )
    return stated


def read_moment(text: str | None, field: str) -> datetime | None:
    """Return the date or time that a person wrote in ISO 8601; UTC when it has no zone. Raises InvalidInput."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(
            f"{field} is not a date or time.", hint="Write it like 2026-03-01 or 2026-03-01T09:30:00Z.", field=field
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def read_filter(
    *,
    sessionId: str | None = None,  # noqa: N803  wire names
    repo: str | None = None,
    kind: str | None = None,
    tag: str | None = None,
    since: str | None = None,
    until: str | None = None,
    success: str | None = None,
) -> TraceFilter:
    """Return a filter from its texts in wire names. Raises InvalidInput naming the one that cannot be used."""
    return TraceFilter(
        session_id=sessionId,
        repo=repo,
        kind=None if kind is None else TraceKind(kind),
        tag=tag,
        since=read_moment(since, "since"),
        until=read_moment(until, "until"),
        success=None if success is None else success == "true",
    )
