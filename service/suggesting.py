"""From a user's traces to proposals: read what is new, mine, judge, draft, and keep what waits for a person."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from wellworn.index.loading import collector_paused
from wellworn.lifecycle.miner.digest import DIGEST_VERSION, Digest, RowKind, digest_events, join, pack, unpack
from wellworn.lifecycle.miner.mine import mine
from wellworn.lifecycle.miner.patterns import Pattern
from wellworn.lifecycle.miner.timeline import Filter, Timeline, count_events, timeline
from wellworn.lifecycle.observing import kept_name
from wellworn.lifecycle.proposing.drafting import Draft, Surroundings, draft, draft_fact
from wellworn.lifecycle.proposing.evidence import read_evidence
from wellworn.lifecycle.proposing.memory import OVERLAPS, fingerprint, recall
from wellworn.lifecycle.proposing.similar import InstalledSkill, Resolve, commands_in
from wellworn.lifecycle.proposing.words import talk_of
from wellworn.models.access import Caller
from wellworn.models.errors import InvalidInput, NotFound, StoreError
from wellworn.models.ids import new_id
from wellworn.models.proposal import (
    CandidateKind,
    PatternCandidate,
    Proposal,
    ProposalStatus,
    RefusedCandidate,
    SuggestAnswer,
    SuggestRequest,
)
from wellworn.models.recipe import ShellStep
from wellworn.models.reports import Progress, ShowProgress
from wellworn.models.skill import MATCHABLE_TRUST, Scope
from wellworn.models.trace import TraceEvent
from wellworn.service.places import Owner, Places, normalise_repo
from wellworn.service.traces import whose
from wellworn.store.database import Database
from wellworn.store.digests import DigestTable
from wellworn.store.proposals import KnownPattern, ProposalRow, ProposalTable
from wellworn.store.recipe_file import forge_folder, read_recipe
from wellworn.store.skills import SkillTable, SkillText
from wellworn.store.traces import TraceTable

_READ_AT_ONCE = 20_000
_CHUNK_EVENTS = 200_000
_MOST_CHUNKS = 32
_MESSAGES_COMPARED = 3_000


@dataclass(frozen=True, slots=True)
class Asked:
    """Whose traces are looked at, and which of them. session: only what was also done in that session is told."""

    user: str
    wanted: Filter
    session: str | None = None

    def tells(self, pattern: Pattern) -> bool:
        """Say whether a pattern is asked for."""
        return self.session is None or any(one.session == self.session for one in pattern.occurrences)


class StoredTrace(NamedTuple):
    """An event with its number."""

    seq: int
    event: TraceEvent


@dataclass(frozen=True, slots=True)
class _Look:
    """What every pattern of one request is judged with."""

    user: str
    seen: Timeline
    around: Surroundings
    known: Sequence[KnownPattern]
    rests_on: Mapping[str, set[str]]


@dataclass(slots=True)
class _Found:
    answer: SuggestAnswer
    rows: list[ProposalRow] = field(default_factory=list)


class Suggestions:
    """Over the store alone; `resolve` says what messages mean at present."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database, self._clock = database, clock
        self._traces, self._digests = TraceTable(database), DigestTable(database)
        self._proposals, self._skills = ProposalTable(database), SkillTable(database)

    def suggest(self, asked: Asked, resolve: Resolve, progress: ShowProgress) -> SuggestAnswer:
        """Look for repeated friction; new proposals are stored, those that wait are brought up to date.

        The same traces give the same answer. Raises StoreError.
        """
        before = self._digests.last_seq(asked.user, DIGEST_VERSION)
        with collector_paused():  # a tenth of the time over a million events
            digest = self._digest(asked.user, progress)
            events, new = count_events(digest, asked.wanted, before)
            seen = timeline(digest, asked.wanted)
            progress(Progress("Looking for patterns", 0, 1))
            mined = mine(seen)
        patterns, facts = (list(filter(asked.tells, found)) for found in (mined.patterns, mined.facts))
        around = self._around(asked, seen, resolve)
        known = self._proposals.known(asked.user)
        answer = SuggestAnswer(events=events, new_events=new, sessions=seen.sessions)
        found = _Found(answer)
        total = len(patterns) + len(facts)
        look = _Look(asked.user, seen, around, known, self._proposals.evidence(asked.user))
        for done, pattern in enumerate(patterns):
            progress(Progress("Drafting", done, total))
            self._one(look, pattern, found)
        for pattern in facts:
            evidence = read_evidence(seen, pattern, self._fetch(asked.user))
            if evidence.occurrences:
                answer.docs.append(draft_fact(evidence, around, new_id()).candidate)
        progress(Progress("Drafting", total, total))
        self._keep(look, found)
        return _sorted(answer)

    # -- reading what is new -----------------------------------------------------------------------------------------

    def _digest(self, user: str, progress: ShowProgress) -> Digest:
        """Return the digest of all of a user's events; only those that came since the last time are read."""
        after = self._digests.last_seq(user, DIGEST_VERSION)
        last = self._traces.last_seq(user)
        read = 0
        while after < last:
            parts: list[Digest] = []
            upto, count = after, 0
            while upto < last and count < _CHUNK_EVENTS:
                events = self._traces.events_after(user, upto, _READ_AT_ONCE)
                if not events:
                    break
                parts.append(digest_events(events))
                upto, count = events[-1].seq, count + len(events)
                progress(Progress("Reading traces", read + count))
            if upto == after:
                break
            chunk = pack(join(parts))
            if not self._digests.append(user, DIGEST_VERSION, after=after, last_seq=upto, data=chunk):
                return self._digest(user, progress)  # another process reads too; what it has read need not be read
            after, read = upto, read + count
        chunks = [unpack(data) for data in self._digests.chunks(user, DIGEST_VERSION)]
        whole = join(chunks)
        if len(chunks) > _MOST_CHUNKS:
            self._digests.replace(user, DIGEST_VERSION, last_seq=after, data=pack(whole))
        return whole

    def _fetch(self, user: str) -> Callable[[Sequence[int]], Iterable[StoredTrace]]:
        def fetch(seqs: Sequence[int]) -> Iterable[StoredTrace]:
            return [StoredTrace(row.seq, row.event) for row in self._traces.by_seqs(user, seqs)]

        return fetch

    # -- what it is compared with ------------------------------------------------------------------------------------

    def _around(self, asked: Asked, seen: Timeline, resolve: Resolve) -> Surroundings:
        rows = seen.rows_of(RowKind.intent, RowKind.hint)
        step = max(1, len(rows) // _MESSAGES_COMPARED)
        seqs = seen.digest.seq[rows[::step]].tolist()
        messages = [row.summary for row in self._traces.by_seqs(asked.user, seqs)]
        installed = installed_skills(self._skills, self._owners(asked, seen))
        return Surroundings(talk_of(messages), installed, resolve, self._clock())

    def _owners(self, asked: Asked, seen: Timeline) -> Iterator[Owner]:
        """Yield the partitions of skills that the user has: their own, and those of the repos in their traces."""
        names = set(seen.digest.names)
        for scope, owner in self._skills.partitions():
            mine = scope is Scope.user and owner == asked.user
            if mine or (scope is Scope.repo and owner in names and _may_see(asked, owner)):
                yield scope, owner

    # -- one pattern -------------------------------------------------------------------------------------------------

    def _one(self, look: _Look, pattern: Pattern, found: _Found) -> None:
        evidence = read_evidence(look.seen, pattern, self._fetch(look.user))
        if not evidence.occurrences:
            return
        made = draft(evidence, look.around, new_id())
        if made.candidate.kind is CandidateKind.ignore:
            found.answer.ignored.append(made.candidate)
            return
        recollection = recall(pattern, evidence.event_ids, look.known, look.rests_on)
        if recollection.quiet is not None:
            found.answer.ignored.append(_ignored(made.candidate, recollection.quiet))
            return
        unanswered = [] if made.gate is None else made.gate.unanswered()
        if made.manifest is None or made.gate is None or unanswered:
            found.answer.refused.append(RefusedCandidate(candidate=made.candidate, unanswered=unanswered))
            return
        told = {row.id for row in found.rows}  # one waiting proposal is brought up to date by one pattern only
        refreshes = None if recollection.refreshes in told else recollection.refreshes
        proposal = self._proposal(made, refreshes, look.user)
        found.answer.proposals.append(proposal)
        found.rows.append(ProposalRow(look.user, proposal, fingerprint(pattern), pattern.support))

    def _proposal(self, made: Draft, refreshes: str | None, user: str) -> Proposal:
        if made.manifest is None or made.gate is None:
            raise ValueError("only what has a manifest and a gate is proposed")
        before = None if refreshes is None else self._proposals.get(user, refreshes).proposal
        return Proposal(
            id=before.id if before else new_id(),
            candidate_id=made.candidate.id,
            candidate=made.candidate,
            status=ProposalStatus.suggested,
            manifest=made.manifest,
            body=made.body,
            recipe=made.recipe,
            gate=made.gate,
            similar_to=[one.view for one in made.similar],
            updates=made.updates,
            additions=made.additions,
            repo=made.repo,
            created_at=before.created_at if before else self._clock(),
        )

    def _keep(self, look: _Look, found: _Found) -> None:
        """Store what was found; a waiting proposal that rests on the same events as a new one makes way for it."""
        kept = {row.id for row in found.rows}
        with self._database.write():
            for row in found.rows:
                self._proposals.put(row)
            for old in look.known:
                if old.status is ProposalStatus.suggested and old.proposal_id not in kept:
                    newer = _replacement(look.rests_on.get(old.proposal_id, set()), found.rows)
                    if newer is not None:
                        self._proposals.supersede(old.proposal_id, by_proposal=newer.id, now=self._clock())


def _replacement(rests_on: set[str], rows: Sequence[ProposalRow]) -> ProposalRow | None:
    for row in rows:
        shared = rests_on.intersection(row.proposal.candidate.evidence_event_ids)
        if rests_on and len(shared) >= OVERLAPS * len(rests_on):
            return row
    return None


def asked_of(request: SuggestRequest, caller: Caller, places: Places) -> Asked:
    """Return what a request asks for. Raises NotAllowed for another user's traces, InvalidInput."""
    repos = frozenset(map(normalise_repo, caller.repos)) if caller.repos else None
    session = None if request.session_id is None else kept_name(request.session_id)
    repo = None if request.repo is None else places.name_of(request.repo, None)
    since = request.since
    if since is not None and since.tzinfo is None:
        since = since.replace(tzinfo=UTC)
    return Asked(whose(request.user, caller), Filter(since, repo, repos), session)


def _may_see(asked: Asked, repo: str) -> bool:
    return asked.wanted.repos is None or repo in asked.wanted.repos


def installed_skills(skills: SkillTable, owners: Iterable[Owner]) -> list[InstalledSkill]:
    """Return what is installed in these partitions, for comparing drafts with it."""
    return [_installed(text) for scope, owner in owners for text in skills.texts(scope, owner)]


def _installed(text: SkillText) -> InstalledSkill:
    if text.trust not in MATCHABLE_TRUST:
        return InstalledSkill(text.id, text.scope, (), active=False)
    lines = commands_in(text.body)
    if text.recipe_id is not None:
        lines += _recipe_commands(text.directory, text.recipe_id)
    return InstalledSkill(text.id, text.scope, lines)


def _recipe_commands(directory: Path, recipe_id: str) -> tuple[str, ...]:
    try:
        recipe = read_recipe(forge_folder(directory.parent), recipe_id)
    except (NotFound, InvalidInput, StoreError):  # a recipe that cannot be read says nothing; the audit tells of it
        return ()
    return tuple(step.command for phase in recipe.phases for step in phase.steps if isinstance(step, ShellStep))


def _ignored(candidate: PatternCandidate, reason: str) -> PatternCandidate:
    return candidate.model_copy(update={"kind": CandidateKind.ignore, "reason": reason})


def _sorted(answer: SuggestAnswer) -> SuggestAnswer:
    return answer.model_copy(
        update={
            "proposals": sorted(answer.proposals, key=lambda one: (-one.candidate.confidence, one.id)),
            "docs": sorted(answer.docs, key=lambda one: (-one.confidence, one.title)),
            "ignored": sorted(answer.ignored, key=lambda one: (-one.confidence, one.title)),
        }
    )
