"""`wellworn eval`: a throw-away index per group, asked through the very pipeline that serves."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from wellworn.index.catalogue_sync import entry_of
from wellworn.index.encoder import Encoder
from wellworn.index.encoders import open_encoder
from wellworn.index.live import LiveIndex
from wellworn.models.errors import InvalidInput
from wellworn.models.resolution import Context, Decision, Invocation, ResolveRequest
from wellworn.models.skill import Scope, Skill, SkillManifest
from wellworn.resolver.answer import any_confidence
from wellworn.resolver.evaluation.answer import EvaluationAnswer
from wellworn.resolver.evaluation.messages import Message, groups_of, read_messages
from wellworn.resolver.evaluation.outcome import EvaluatedMessage
from wellworn.resolver.evaluation.runner import EvaluationRun, GroupIndex, Progress, ResolveFunction, run_evaluation
from wellworn.resolver.pipeline import Resolver
from wellworn.store.database import Database
from wellworn.store.discovery import Source, walk_skills
from wellworn.store.skill_file import read_skill_directory
from wellworn.store.skills import SkillTable
from wellworn.store.sources import SourceTable
from wellworn.store.transfer import read_library

OWNER = "evaluation"
_OWNERS = ((Scope.user, OWNER),)


@dataclass(frozen=True, slots=True)
class Entry:
    """A skill to evaluate with, and the group in which it may be answered."""

    skill: Skill
    group: str | None

    @property
    def manifest(self) -> SkillManifest:
        """What the evaluation looks at."""
        return self.skill.manifest


@dataclass(frozen=True, slots=True)
class Labelled:
    """A library and labelled messages about it. warnings: what a person should be told of the files."""

    library: tuple[Entry, ...]
    messages: tuple[Message, ...]
    warnings: tuple[str, ...]


def read_labelled(library: Path, messages: Path) -> Labelled:
    """Read a library (a JSONL file, or a folder of skills) and the messages about it.

    Raises InvalidInput naming file, line and field.
    """
    entries, warnings = _entries(library)
    read = read_messages(messages, groups_of(entries))
    return Labelled(tuple(entries), read.messages, (*warnings, *read.warnings))


def _entries(path: Path) -> tuple[list[Entry], list[str]]:
    if not path.is_dir():
        library = read_library(path)
        skills = [Entry(line.to_skill(scope=Scope.user, owner=OWNER, directory=path), line.group) for line in library]
        return skills, list(library.warnings)
    source = Source(f"path:{path}", path.resolve(), Scope.user, OWNER, 0, vouched=True, capped=False)
    found = [read_skill_directory(folder, scope=Scope.user, owner=OWNER) for folder in walk_skills(source)]
    if not found:
        raise InvalidInput(
            f"{path} holds no skills.", hint="Give a JSONL library or a folder of skills.", field="library"
        )
    first = {skill.id: skill for skill in reversed(found)}
    return [Entry(skill, None) for skill in first.values()], [str(d) for skill in found for d in skill.diagnostics]


def run(
    labelled: Labelled,
    encoder: Encoder,
    *,
    parameters: Path | None = None,
    explicit: bool = False,
    progress: Progress | None = None,
) -> EvaluationRun:
    """Evaluate with an open encoder. Raises as `run_evaluation` does, EncoderUnavailable, InvalidInput (parameters)."""

    @contextmanager
    def open_group(group: str | None) -> Iterator[GroupIndex]:
        skills = [entry.skill for entry in labelled.library if group is None or entry.group == group]
        with _throw_away(skills, encoder, parameters) as index:
            yield index

    return run_evaluation(labelled.messages, labelled.library, open_group, explicit=explicit, progress=progress)


def evaluate(
    library: Path,
    messages: Path,
    *,
    encoder: str = "bundled",
    parameters: Path | None = None,
    progress: Progress | None = None,
) -> EvaluationAnswer:
    """Read, evaluate, and return the figures."""
    labelled = read_labelled(library, messages)
    return run(labelled, open_encoder(encoder), parameters=parameters, progress=progress).answer


@contextmanager
def _throw_away(skills: Sequence[Skill], encoder: Encoder, parameters: Path | None) -> Iterator[GroupIndex]:
    now = datetime.now(UTC)
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="wellworn-eval-")))
        started = time.monotonic()
        database = opened.enter_context(Database(folder / "wellworn.db"))
        source = Source("evaluation", folder, Scope.user, OWNER, 0, vouched=True, capped=False)
        SourceTable(database).put(source, kind="evaluation", now=now)
        placed = [_placed(skill, folder) for skill in skills]
        SkillTable(database).put_many(source.id, (entry_of(skill, "") for skill in placed), now=now)
        index = opened.enter_context(LiveIndex(database, folder / "vectors", encoder))
        index.fill()
        index.tidy()
        seconds = time.monotonic() - started
        resolver = opened.enter_context(Resolver.open(encoder, folder / "heads", parameters=parameters))
        resolver.fit_head(index.snapshot, _OWNERS)
        utterances = index.status().vectors
        yield GroupIndex(resolve=_asker(resolver, index, now), utterances=utterances, seconds=seconds)


def _placed(skill: Skill, folder: Path) -> Skill:
    """The store wants one path a skill; lines of one file share theirs."""
    return Skill(
        manifest=skill.manifest.model_copy(update={"scope": Scope.user}),
        name=skill.name,
        body=skill.body,
        owner=OWNER,
        directory=folder / skill.id,
        invocable=skill.invocable,
        allowed_tools=skill.allowed_tools,
        steps=skill.steps,
    )


def _asker(resolver: Resolver, index: LiveIndex, now: datetime) -> ResolveFunction:
    def ask(message: str, context: Context, explicit: bool) -> EvaluatedMessage:
        started = time.perf_counter()
        invocation = Invocation.explicit if explicit else Invocation.ambient
        request = ResolveRequest(message=message, context=context, invocation=invocation)
        question = resolver.prepare(request, index.snapshot, _OWNERS)
        judged = resolver.rank(question, question.encode(), now=now)
        elapsed = time.perf_counter() - started
        ranked = [(one.card.id, one.confidence) for one in judged.ranked]
        choosing = judged.verdict.decision is Decision.choose
        return EvaluatedMessage(
            ranked=ranked,
            decision=judged.verdict.decision,
            latency_ms=1000 * elapsed,
            offered=max(1, len(judged.verdict.among)) if choosing else 1,
            any_confidence=any_confidence(judged.ranked),
        )

    return ask
