"""A workspace on a real disk for the replay of feedback: the store, index and code that serve; a clock of its own."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.accuracy_sets import Row
from benchmarks.fit_library import CachedEncoder, make_skill
from wellworn.index.catalogue_sync import entry_of
from wellworn.lifecycle.feedback import BOUNDS, Bounds
from wellworn.models.access import LOCAL_USER, Caller, Role
from wellworn.models.resolution import Decision, FeedbackAnswer, FeedbackRequest, IntentResolution, ResolveRequest
from wellworn.models.skill import Scope, Skill
from wellworn.resolver.evaluation.messages import Message
from wellworn.resolver.evaluation.outcome import EvaluatedMessage, Outcome
from wellworn.service.lessons import Lessons
from wellworn.service.settings import Settings
from wellworn.service.workspace import Workspace
from wellworn.store.database import Database
from wellworn.store.discovery import Source
from wellworn.store.keys import KeyTable
from wellworn.store.skills import SkillTable
from wellworn.store.sources import SourceTable

NOW = datetime(2030, 1, 1, tzinfo=UTC)
OWNERS = ((Scope.user, LOCAL_USER),)
PERSON = Caller(role=Role.admin, user=LOCAL_USER)
"""The local person, who needs no key."""
ROUND = 100
"""So many messages are answered, then judged; the trained head is fitted anew before each round, so a run is exactly
repeatable (serving, the head follows in the background)."""
_FIELDS = ("description", "examples", "aliases", "triggers", "negatives")


class World:
    """A data folder with a library in it; `copy` gives another to spoil."""

    def __init__(
        self, folder: Path, encoder: CachedEncoder, parameters: Path | None = None, bounds: Bounds = BOUNDS
    ) -> None:
        self.folder, self.encoder, self.parameters, self.bounds = folder, encoder, parameters, bounds

    def fill(self, library: Sequence[Row]) -> None:
        """Store the library as skills of the local person."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with Database(self.settings().database_path) as database:
            source = Source("replay", self.folder, Scope.user, LOCAL_USER, 0, vouched=True, capped=False)
            SourceTable(database).put(source, kind="evaluation", now=NOW)
            entries = [entry_of(_placed(row, self.folder), "") for row in library]
            SkillTable(database).put_many(source.id, entries, now=NOW)

    def copy(self, name: str, bounds: Bounds = BOUNDS) -> World:
        """Return a world beside this one with everything that happened in it; it must be closed."""
        folder = self.folder.with_name(name)
        shutil.copytree(self.folder, folder)
        return World(folder, self.encoder, self.parameters, bounds)

    def settings(self) -> Settings:
        return Settings(
            data_dir=self.folder, home=self.folder / "home", watch=False, record_days=3650, parameters=self.parameters
        )

    def key(self, role: Role, label: str) -> Caller:
        """Make an API key as `wellworn keys create` does; return whom it speaks for."""
        with Database(self.settings().database_path) as database:
            table = KeyTable(database)
            _, secret = table.create(role, LOCAL_USER, label=label, now=NOW)
            caller = table.verify(secret)
        assert caller is not None
        return caller

    @contextmanager
    def open(self) -> Iterator[Workspace]:
        """Open the workspace with a clock that goes on by a second a look."""
        ticks = iter(range(10**9))
        with Workspace.open(
            self.settings(),
            encoder=self.encoder,
            read=False,
            discover=False,
            clock=lambda: NOW + timedelta(seconds=next(ticks)),
        ) as workspace:
            workspace._lessons = Lessons(workspace._database, workspace._clock, self.bounds)
            train(workspace)
            yield workspace


@contextmanager
def temporary_world(library: Sequence[Row], encoder: CachedEncoder, parameters: Path | None = None) -> Iterator[World]:
    """A world that is gone afterwards, together with its copies beside it."""
    with ExitStack() as opened:
        folder = opened.enter_context(tempfile.TemporaryDirectory(prefix="wellworn-feedback-"))
        world = World(Path(folder) / "base", encoder, parameters)
        world.fill(library)
        yield world


def train(workspace: Workspace) -> None:
    """Fit the head to what the skills have been taught by now."""
    engine = workspace._ready()
    engine.resolver.fit_head(engine.index.snapshot, OWNERS)


def ask(workspace: Workspace, message: str, caller: Caller = PERSON) -> IntentResolution:
    """Resolve a message as a service would, with a record."""
    return workspace.resolve(ResolveRequest(message=message), caller)


def say(workspace: Workspace, answer: IntentResolution, words: dict[str, Any], caller: Caller) -> FeedbackAnswer:
    """Give a verdict as POST /feedback would. words: `verdict` and, with should_be, `skillId`."""
    request = FeedbackRequest.model_validate({"resolutionId": answer.resolution_id, **words})
    return workspace.feedback(request, caller)


def report_outcomes(workspace: Workspace, rows: Sequence[Row]) -> list[Outcome]:
    """Ask messages without leaving a trace: nothing is recorded, counted or learned."""
    train(workspace)
    engine, outcomes = workspace._ready(), []
    for row in rows:
        question = engine.resolver.prepare(ResolveRequest(message=row["message"]), engine.index.snapshot, OWNERS)
        judged = engine.resolver.rank(question, question.encode(), now=NOW)
        choosing = judged.verdict.decision is Decision.choose
        answer = EvaluatedMessage(
            ranked=[(one.card.id, one.confidence) for one in judged.ranked],
            decision=judged.verdict.decision,
            latency_ms=0.0,
            offered=max(1, len(judged.verdict.among)) if choosing else 1,
        )
        outcomes.append(Outcome(Message(row["message"], expected_of(row), row.get("notSkill")), answer))
    return outcomes


def expected_of(row: Row) -> tuple[str, ...]:
    """Return the skills any of which a row means."""
    expected = row.get("expected")
    if expected is None:
        return ()
    return (expected,) if isinstance(expected, str) else tuple(expected)


Words = dict[str, Any]


def honest_words(answer: IntentResolution, row: Row, chance: random.Random) -> Words | None:
    """Return what a person who knows what was meant says of an answer; None when there is nothing to say.

    Two of three wrong answers are put right (should have been X, or none of them); of the third only "wrong" is said.
    """
    meant = expected_of(row)
    if answer.skill_id in meant:
        return {"verdict": "right"}
    if not meant and "notSkill" in row:
        return {"verdict": "wrong"} if answer.skill_id == row["notSkill"] else None
    if not meant and answer.skill_id is None:
        return {"verdict": "right"} if answer.decision is Decision.none else {"verdict": "should_be", "skillId": None}
    if answer.skill_id is not None and chance.random() < 1 / 3:
        return {"verdict": "wrong"}
    return {"verdict": "should_be", "skillId": meant[0] if meant else None}


def mistaken_words(answer: IntentResolution, row: Row, chance: random.Random) -> Words | None:
    """Return what a person says who mixes things up: wrong of a right answer, right of a wrong one, a skill beside."""
    others = [one.skill_id for one in answer.alternatives if one.skill_id not in expected_of(row)]
    if answer.skill_id is not None and answer.skill_id not in expected_of(row):
        return {"verdict": "right"}
    if others and (answer.skill_id is None or chance.random() < 2 / 3):
        return {"verdict": "should_be", "skillId": chance.choice(others)}
    return None if answer.skill_id is None else {"verdict": "wrong"}


def _placed(row: Row, folder: Path) -> Skill:
    made = make_skill(row["id"], {key: row[key] for key in _FIELDS if key in row}, row.get("body") or "")
    return Skill(
        manifest=made.manifest.model_copy(update={"scope": Scope.user}),
        name=made.name,
        body=made.body,
        owner=LOCAL_USER,
        directory=folder / "skills" / made.id,
    )
