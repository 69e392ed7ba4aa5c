"""The seeded world of the benchmark of the miner: sessions of everyday work with rituals and decoys planted in them.

`make_world(seed, pool)` gives events in the shapes that clients post, and says which of them belong to what.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from benchmarks.mining_background import ECOSYSTEMS, Background, Draft, Speaker
from benchmarks.mining_decoys import DECOYS, PER_KIND, TIMES, Decoy
from benchmarks.mining_patterns import DRAWN, Pattern
from benchmarks.mining_plant import Planter
from benchmarks.mining_shapes import CLIENTS, shape
from benchmarks.mining_values import Values
from wellworn.models.access import LOCAL_USER
from wellworn.models.trace import TraceEvent, TraceKind

NOW = datetime(2030, 1, 1, tzinfo=UTC)
DAYS = 90
REPOS = ("github.com/acme/shop", "github.com/acme/pipeline", "github.com/acme/gateway", "github.com/acme/engine")
MIN_TIMES, MAX_TIMES, MIN_SESSIONS = 4, 12, 3


@dataclass(slots=True)
class Session:
    """One sitting. chunks: pieces of work in their order; what was planted keeps together."""

    id: str
    user: str
    repo: int
    start: datetime
    client: str
    chunks: list[list[Draft]] = field(default_factory=list)

    @property
    def size(self) -> int:
        return sum(map(len, self.chunks))


@dataclass(slots=True)
class Planted:
    """Where a pattern or decoy went. occurrences: the ids of the events that show it, once for each whole occurrence.

    belonging: ids of all events that are part of it, also of broken-off and failed attempts and the wishes before.
    values: what was filled in, once for each occurrence. said: what the user said of it, as it was typed.
    """

    one: Pattern | Decoy
    user: str
    occurrences: list[list[str]] = field(default_factory=list)
    belonging: set[str] = field(default_factory=set)
    values: list[dict[str, str]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    sessions: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class World:
    """events: in the order in which they happened. patterns and decoys by id."""

    seed: int
    events: list[TraceEvent]
    patterns: dict[str, Planted]
    decoys: dict[str, Planted]

    @property
    def skills(self) -> list[str]:
        """The SKILL.md texts of what is installed."""
        return [one.one.skill for one in self.decoys.values() if isinstance(one.one, Decoy) and one.one.skill]


@dataclass(frozen=True, slots=True)
class Plan:
    """How large a world is and what is in it."""

    sessions: int = 200
    events: int = 20_000
    users: tuple[str, ...] = (LOCAL_USER,)
    end: datetime = NOW
    patterns: bool = True
    decoys: bool = True


def draw(pool: Sequence[Pattern], chance: random.Random) -> list[Pattern]:
    """Draw twelve patterns of all kinds."""
    return [one for kind, count in DRAWN.items() for one in chance.sample([p for p in pool if p.kind == kind], count)]


def draw_decoys(chance: random.Random) -> list[Decoy]:
    """Draw decoys of every kind."""
    return [
        one for kind in TIMES for one in chance.sample([d for d in DECOYS if d.kind == kind], PER_KIND.get(kind, 1))
    ]


def make_world(seed: int, pool: Sequence[Pattern], plan: Plan = Plan()) -> World:
    """Make a world; the same seed, pool and plan always give the same one."""
    chance = random.Random(f"mining {seed}")
    sessions = list(_sessions(chance, plan, seed))
    speakers = [Speaker(chance, ecosystem) for ecosystem in ECOSYSTEMS]
    planted: dict[str, Planted] = {}
    chosen: list[Pattern | Decoy] = [
        *(draw(pool, chance) if plan.patterns else ()),
        *(draw_decoys(chance) if plan.decoys else ()),
    ]
    for one in chosen:
        planted[one.id] = Planted(one, chance.choice(plan.users))
        _plant(planted[one.id], sessions, speakers, chance)
    _fill(sessions, speakers, plan.events, chance)
    events = _written(sessions, planted, seed)
    return World(
        seed, events,
        {name: one for name, one in planted.items() if isinstance(one.one, Pattern)},
        {name: one for name, one in planted.items() if isinstance(one.one, Decoy)},
    )  # fmt: skip


def _sessions(chance: random.Random, plan: Plan, seed: int) -> Iterator[Session]:
    starts = []
    for _ in range(plan.sessions):
        day = chance.randrange(DAYS)
        hour = chance.choices(range(24), [1] * 7 + [3] + [9] * 11 + [4] * 5)[0]
        starts.append(
            NOW - timedelta(days=DAYS - day, hours=12) + timedelta(hours=hour * 0.9, seconds=chance.randrange(3000))
        )
    for at, start in enumerate(sorted(starts)):
        repo = chance.choices(range(len(REPOS)), (5, 3, 2, 1.5))[0]
        client = chance.choices(list(CLIENTS), list(CLIENTS.values()))[0]
        yield Session(
            f"s{seed}-{at:05d}-{chance.getrandbits(24):06x}", plan.users[at % len(plan.users)], repo, start, client
        )


# -- planting --------------------------------------------------------------------------------------------------------


def _plant(planted: Planted, sessions: Sequence[Session], speakers: Sequence[Speaker], chance: random.Random) -> None:
    one = planted.one
    times = chance.randint(*((MIN_TIMES, MAX_TIMES) if isinstance(one, Pattern) else TIMES[one.kind]))
    places = _places(one, planted.user, sessions, times, chance)
    broken = _broken(places, one, chance)
    speaker = speakers[places[0].repo]
    values, planter = Values(chance, one.kind, speaker), Planter(one, speaker)
    for place, whole in sorted(
        [(p, True) for p in places] + [(p, False) for p in broken], key=lambda found: found[0].start
    ):
        filled = values.next()
        chunk = planter.occurrence(filled, whole=whole)
        place.chunks.insert(chance.randint(0, len(place.chunks)), chunk)
        if whole:
            planted.values.append(filled)


def _places(
    one: Pattern | Decoy, user: str, sessions: Sequence[Session], times: int, chance: random.Random
) -> list[Session]:
    """Choose a session for each occurrence: at least three, on three days; or one, for what happens only there."""
    theirs = [session for session in sessions if session.user == user]
    if one.kind in {"one_off", "single"}:
        return [chance.choice(theirs)] * times
    home = chance.choices(range(len(REPOS)), (5, 3, 2, 1.5))[0]
    anywhere = one.kind == "correction" and chance.random() < 0.5
    fitting = [session for session in theirs if anywhere or session.repo == home]
    if len({session.start.date() for session in fitting}) < MIN_SESSIONS:
        fitting = theirs
    while True:
        apart = min(len(fitting), max(MIN_SESSIONS, round(times * chance.uniform(0.7, 1))))
        places = chance.sample(fitting, min(apart, times))
        places += [chance.choice(places) for _ in range(times - len(places))]
        if len({place.start.date() for place in places}) >= MIN_SESSIONS:
            return places


def _broken(places: Sequence[Session], one: Pattern | Decoy, chance: random.Random) -> list[Session]:
    """Choose sessions in which the ritual is begun and given up."""
    if not isinstance(one, Pattern) or one.kind in {"correction"}:
        return []
    return [chance.choice(places) for _ in range(chance.choice((0, 0, 1, 1, 2)))]


# -- everything around it --------------------------------------------------------------------------------------------


def _fill(sessions: Sequence[Session], speakers: Sequence[Speaker], total: int, chance: random.Random) -> None:
    """Put everyday work around what was planted until there are `total` events."""
    left = total - sum(session.size for session in sessions)
    weights = [chance.lognormvariate(0, 0.7) for _ in sessions]
    whole, given, summed = sum(weights), 0, 0.0
    for session, weight in zip(sessions, weights, strict=True):
        summed += weight
        wanted = round(left * summed / whole) - given
        given += wanted
        _surround(session, Background(speakers[session.repo]), wanted)


def _surround(session: Session, background: Background, wanted: int) -> None:
    planted, chance = session.chunks, background.chance
    work: list[list[Draft]] = []
    while wanted > 0:
        episode = background.episode()[:wanted]
        wanted -= len(episode)
        if planted and len(episode) > 1 and chance.random() < 0.1:  # a ritual may stand in the middle of other work
            cut = chance.randint(1, len(episode) - 1)
            work += [episode[:cut], episode[cut:]]
        else:
            work.append(episode)
    places = sorted(chance.choices(range(len(work) + 1), k=len(planted)), reverse=True)
    for at, chunk in zip(places, reversed(planted), strict=True):
        work.insert(at, chunk)
    session.chunks = work


def _written(sessions: Sequence[Session], planted: dict[str, Planted], seed: int) -> list[TraceEvent]:
    chance = random.Random(f"mining shapes {seed}")
    events: list[TraceEvent] = []
    for session in sessions:
        moment = session.start
        for chunk in session.chunks:
            shown: list[str] = []
            for draft in chunk:
                moment += timedelta(seconds=min(chance.lognormvariate(2.6, 1.0), 900))
                event = shape(
                    draft, session.client, chance,
                    id=f"ev-{seed}-{len(events):06d}", ts=moment, session_id=session.id,
                    repo=REPOS[session.repo], user=session.user,
                )  # fmt: skip
                events.append(event)
                _label(planted, draft, str(event.id), session.id, shown)
            if shown:
                planted[next(draft.label for draft in chunk if draft.label)].occurrences.append(shown)
            moment += timedelta(seconds=chance.expovariate(1 / 180))
    return events


def _label(planted: dict[str, Planted], draft: Draft, event: str, session: str, shown: list[str]) -> None:
    if draft.label is None:
        return
    one = planted[draft.label]
    one.belonging.add(event)
    if draft.core:
        shown.append(event)
        one.sessions.add(session)
    if draft.kind is TraceKind.user_intent:
        one.said.append(draft.text)
