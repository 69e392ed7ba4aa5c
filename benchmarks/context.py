"""Measure what context gains where it is needed, and what it costs where it is not.

    python -m benchmarks.context --data FOLDER [--seeds 0 1 2] [--json context.json]
    python -m benchmarks.report results.json --context context.json

Gain: ambiguous messages about libraries of 20, 100 and 1,000 real skills (see `context_cases.py`), each asked without
context, with the right one, with that of another skill, with facts about nothing, and with the right one among noise.
Cost: messages that need no context (clear requests in those libraries, `skill_messages`, CLINC150), with the facts of
another skill and with facts about nothing; and by the kind of fact. Without --data it is what WELLWORN_DATA names, or
`../shared/data` beside the checkout. Everything is asked through the pipeline that serves.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.accuracy_sets import Row, clinc150, skill_messages
from benchmarks.context_cases import Case, ContextLibrary, Stated, make_library, neutral_facts, read_wild
from benchmarks.context_phrases import HALVES
from benchmarks.fit import CHECKOUT, default_data, say
from benchmarks.fit_library import CachedEncoder, Vectors, make_skill
from wellworn import __version__
from wellworn.index.catalogue_sync import entry_of
from wellworn.index.encoders import open_encoder
from wellworn.index.live import LiveIndex
from wellworn.models.resolution import Context, Decision, Invocation, ResolveRequest
from wellworn.models.skill import Scope, Skill
from wellworn.resolver.decide import CONFIRM_AT
from wellworn.resolver.evaluation.metrics import auroc, expected_calibration_error
from wellworn.resolver.pipeline import Question, Resolver
from wellworn.store.database import Database
from wellworn.store.discovery import Source
from wellworn.store.skills import SkillTable
from wellworn.store.sources import SourceTable

LIBRARIES = ((20, 5, 0), (20, 5, 5), (100, 20, 0), (1000, 40, 0))
"""(skills, families, first kind) of each library that is made for a seed."""
SIZES = tuple(dict.fromkeys(size for size, _, _ in LIBRARIES))
COST_MESSAGES = {"skill messages": 700, "clinc150": 500}
OWNER = "benchmark"
_FIELDS = ("description", "examples", "aliases", "triggers", "negatives")
_NOW = datetime(2030, 1, 1, tzinfo=UTC)
Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ask:
    """A message in its context."""

    message: str
    stated: Stated
    invocation: Invocation = Invocation.ambient


@dataclass(frozen=True, slots=True)
class Answered:
    """ranked: ids with confidences, best first; `offered`: ids that the decision names."""

    ranked: Sequence[tuple[str, float]]
    decision: Decision
    offered: frozenset[str]

    def confidence_of(self, skill_id: str) -> float:
        return next((confidence for name, confidence in self.ranked if name == skill_id), 0.0)


class Library:
    """Skills as the service holds them: in a database, an index and a resolver of their own."""

    def __init__(self, resolver: Resolver, index: LiveIndex) -> None:
        self._resolver, self._index, self._sessions = resolver, index, 0

    @classmethod
    @contextmanager
    def opened(
        cls, skills: Sequence[Skill], encoder: CachedEncoder, parameters: Path | None = None
    ) -> Iterator[Library]:
        """Hold the skills for as long as the context is open."""
        with ExitStack() as opened:
            folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="wellworn-context-")))
            database = opened.enter_context(Database(folder / "wellworn.db"))
            source = Source(OWNER, folder, Scope.user, OWNER, 0, vouched=True, capped=False)
            SourceTable(database).put(source, kind="evaluation", now=_NOW)
            placed = [replace(skill, owner=OWNER, directory=folder / skill.id) for skill in skills]
            SkillTable(database).put_many(source.id, (entry_of(skill, "") for skill in placed), now=_NOW)
            index = opened.enter_context(LiveIndex(database, folder / "vectors", encoder))
            index.fill()
            index.tidy()
            resolver = opened.enter_context(Resolver.open(encoder, folder / "heads", parameters=parameters))
            resolver.fit_head(index.snapshot, [(Scope.user, OWNER)])
            yield cls(resolver, index)

    def answers(self, asked: Iterable[Ask]) -> list[Answered]:
        """Answer all, each in a session of its own. Their texts are encoded together first, which is quicker."""
        everything = list(asked)
        texts = dict.fromkeys(text for ask in everything for text in self._question(ask, "").texts)
        self._index.snapshot.encoder.encode([*texts])
        return [self._answer(ask) for ask in everything]

    def _question(self, ask: Ask, session: str) -> Question:
        context = Context.model_validate(ask.stated.facts)
        request = ResolveRequest(message=ask.message, context=context, invocation=ask.invocation)
        return self._resolver.prepare(request, self._index.snapshot, [(Scope.session, session), (Scope.user, OWNER)])

    def _answer(self, ask: Ask) -> Answered:
        self._sessions += 1
        question = self._question(ask, f"s{self._sessions}")
        if ask.stated.used is not None:
            view = question.snapshot.view(question.owners)
            self._resolver.sessions.note(question.owners, view.card(next(iter(view.by_id(ask.stated.used)))).key)
        judged = self._resolver.rank(question, question.encode(), now=_NOW)
        verdict = judged.verdict
        named = [verdict.chosen, *verdict.among] if verdict.chosen else [*verdict.among]
        return Answered(
            ranked=[(one.card.id, one.confidence) for one in judged.ranked],
            decision=verdict.decision,
            offered=frozenset(one.card.id for one in named if one is not None),
        )


@dataclass(frozen=True, slots=True)
class Scored:
    """One answer under one condition. meant: ids that are right; empty when none is."""

    condition: str
    kind: str
    style: str
    size: int
    meant: frozenset[str]
    answered: Answered


def figures_of(scored: Sequence[Scored]) -> Figures:
    """Return the figures of answers to messages of which some may mean no skill; shares from 0 to 1."""
    inside = [one for one in scored if one.meant]
    best = [one.answered.ranked[0] if one.answered.ranked else ("", 0.0) for one in scored]
    sure = np.array([confidence for _, confidence in best])
    right = np.array([name in one.meant for (name, _), one in zip(best, scored, strict=True)], dtype=float)
    mine = np.array([bool(one.meant) for one in scored])
    decisions = [one.answered.decision for one in scored]
    found: dict[str, float | None] = {
        "top1": float(right[mine].mean()) if inside else None,
        "top5": _mean([bool(one.meant & {n for n, _ in one.answered.ranked[:5]}) for one in inside]),
        "right": _mean([max(map(one.answered.confidence_of, one.meant)) for one in inside]),
        "offered": _mean([bool(one.meant & one.answered.offered) for one in inside]),
        "wrong": float(((sure >= CONFIRM_AT) & (right == 0)).mean()),
        "ece": expected_calibration_error(sure, right),
        "auroc": auroc(sure[mine], sure[~mine]),
    }
    shares = {decision.value: decisions.count(decision) / len(decisions) for decision in Decision}
    rounded = {name: None if value is None else round(value, 4) for name, value in found.items()}
    return {"n": len(scored), **rounded, "decisions": {name: round(share, 4) for name, share in shares.items()}}


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def ask_cases(library: Library, cases: Sequence[Case], size: int) -> list[Scored]:
    """Ask every case under every condition."""
    asked = [(case, condition, stated) for case in cases for condition, stated in case.contexts.items()]
    answers = library.answers(Ask(case.message, stated) for case, _, stated in asked)
    return [
        Scored(condition, case.kind, case.style, size, frozenset({case.skill}), answer)
        for (case, condition, _), answer in zip(asked, answers, strict=True)
    ]


def ask_whens(library: Library, made: ContextLibrary) -> list[tuple[str, str, Answered]]:
    """Call every skill with a `when` by its name; returns (holds, fails or unknown; id; answer)."""
    asked = [(case, name, stated) for case in made.whens for name, stated in case.contexts.items()]
    answers = library.answers(Ask(case.message, stated, Invocation.explicit) for case, _, stated in asked)
    return [(name, case.skill, answer) for (case, name, _), answer in zip(asked, answers, strict=True)]


def when_figures(answers: Sequence[tuple[str, str, Answered]]) -> Figures:
    """Return for each state of the predicates: how often the skill was offered, and acted on unasked."""
    found: Figures = {}
    for state in ("holds", "fails", "unknown"):
        these = [(skill, answer) for name, skill, answer in answers if name == state]
        if these:
            found[state] = {
                "n": len(these),
                "offered": round(float(np.mean([skill in answer.offered for skill, answer in these])), 4),
                "sure": round(float(np.mean([a.confidence_of(s) >= CONFIRM_AT for s, a in these])), 4),
                "proceeded": round(
                    float(np.mean([a.decision is Decision.proceed and s in a.offered for s, a in these])), 4
                ),
            }
    return found


def measure_gain(
    data: Path, encoder: CachedEncoder, seeds: Sequence[int], parameters: Path | None, paraphrases: str
) -> Figures:
    """Return the figures of the ambiguous and clear messages, and those of `when`."""
    pool = read_wild(data)
    scored: list[Scored] = []
    whens: list[tuple[str, str, Answered]] = []
    by_seed: dict[int, list[Scored]] = defaultdict(list)
    for seed in seeds:
        for size, families, first_kind in LIBRARIES:
            made = make_library(pool, size, families, seed, paraphrases=paraphrases, first_kind=first_kind)
            with Library.opened(made.skills, encoder, parameters) as library:
                by_seed[seed] += ask_cases(library, made.cases, size)
                whens += ask_whens(library, made)
            say(f"seed {seed}: {made.size} skills, {len(made.cases)} messages")
        scored += by_seed[seed]
    return {**gain_figures(scored, by_seed), "when": when_figures(whens)}


def gain_figures(
    scored: Sequence[Scored], by_seed: Mapping[int, Sequence[Scored]], sizes: Iterable[int] = SIZES
) -> Figures:
    """Return condition -> figures, overall and by style, size, and kind (of the ambiguous messages).

    clear: without the skills that have a `when`; a fact that contradicts it silences them, as it shall.
    """
    ambiguous = [one for one in scored if one.style != "clear"]
    clear = [one for one in scored if one.style == "clear" and one.kind != "when"]
    return {
        "ambiguous": _by_condition(ambiguous),
        "clear": _by_condition(clear),
        "byStyle": {style: _by_condition([o for o in ambiguous if o.style == style]) for style in ("vague", "topical")},
        "bySize": {str(size): _by_condition([o for o in ambiguous if o.size == size]) for size in sizes},
        "byKind": {kind: _by_condition([o for o in ambiguous if o.kind == kind]) for kind in _kinds(ambiguous)},
        "clearByKind": {kind: _by_condition([o for o in clear if o.kind == kind]) for kind in _kinds(clear)},
        "topicalBySeed": {
            str(seed): _by_condition([one for one in many if one.style == "topical"]) for seed, many in by_seed.items()
        },
    }


def _kinds(scored: Iterable[Scored]) -> list[str]:
    return list(dict.fromkeys(one.kind for one in scored))


def _by_condition(scored: Sequence[Scored]) -> Figures:
    by: dict[str, list[Scored]] = defaultdict(list)
    for one in scored:
        by[one.condition].append(one)
    return {condition: figures_of(many) for condition, many in by.items()}


def measure_cost(
    data: Path, encoder: CachedEncoder, seeds: Sequence[int], parameters: Path | None, paraphrases: str
) -> Figures:
    """Return task -> condition -> figures, and what the worst context costs of top-1 and AUROC."""
    found: Figures = {}
    for name, make in (("skill messages", skill_messages), ("clinc150", clinc150)):
        scored: list[Scored] = []
        for seed in seeds:
            task = make(data, seed)
            messages = _sampled(task.messages, COST_MESSAGES[name], random.Random(f"cost {seed}"))
            groups: dict[Any, list[Row]] = defaultdict(list)
            for row in messages:
                groups[row.get("group")].append(row)
            for group, rows in groups.items():
                own = [row for row in task.library if row.get("group") == group]
                scored += _ask_rows(own, rows, encoder, parameters, seed, single=seed == seeds[0])
            say(f"seed {seed}: {name}, {len(messages)} messages")
        found[name] = _by_condition(scored)
    return found


def _sampled(messages: Sequence[Row], most: int, chance: random.Random) -> list[Row]:
    return chance.sample(list(messages), min(most, len(messages)))


def _ask_rows(
    library: Sequence[Row],
    messages: Sequence[Row],
    encoder: CachedEncoder,
    parameters: Path | None,
    seed: int,
    *,
    single: bool,
) -> list[Scored]:
    """Ask labelled messages in their library; single: also with one kind of wrong fact at a time."""
    chance = random.Random(f"facts {seed}")
    skills = [make_skill(row["id"], {k: row[k] for k in _FIELDS if k in row}, row.get("body") or "") for row in library]
    requests = _requests(library, messages)
    asked: list[tuple[str, Row, Stated]] = []
    for row in messages:
        meant = _meant(row)
        others = [skill.id for skill in skills if skill.id not in meant and skill.id != row.get("notSkill")]
        if not others:
            continue
        facts = facts_of(chance.choice(others), requests, chance)
        asked.append(("none", row, Stated()))
        asked.append(("wrong", row, _joined(facts.values())))
        asked.append(("irrelevant", row, neutral_facts(chance, used=chance.choice(others))))
        asked += [(f"wrong {name}", row, fact) for name, fact in facts.items() if single]
    with Library.opened(skills, encoder, parameters) as opened:
        answers = opened.answers(Ask(row["message"], stated) for _, row, stated in asked)
    return [
        Scored(condition, "", "", len(skills), _meant(row), answer)
        for (condition, row, _), answer in zip(asked, answers, strict=True)
    ]


def _meant(row: Row) -> frozenset[str]:
    expected = row.get("expected")
    return frozenset([expected] if isinstance(expected, str) else expected or ())


def _requests(library: Sequence[Row], messages: Sequence[Row]) -> Mapping[str, Sequence[str]]:
    """Return skill id -> what a user who wanted it would say: its examples and messages, else its description."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in messages:
        for skill_id in _meant(row):
            found[skill_id].append(row["message"][:300])
    for row in library:
        found[row["id"]] += row.get("examples") or ()
        if not found[row["id"]]:
            found[row["id"]].append((row.get("description") or row["id"])[:300])
    return found


def facts_of(skill_id: str, requests: Mapping[str, Sequence[str]], chance: random.Random) -> dict[str, Stated]:
    """Return facts that all speak for one skill, by their kind: the worst that a wrong context could say."""

    def said() -> str:
        return chance.choice(requests[skill_id])

    return {
        "goal": Stated({"activeGoal": said()}),
        "traces": Stated({"recentTraces": [
            {"kind": "user_intent", "summary": said()},
            {"kind": "test_result", "summary": said(), "success": False},
            {"kind": "command_run", "summary": said(), "success": True},
        ]}),
        "branch": Stated({"branch": f"feature/{skill_id}"}),
        "session": Stated(used=skill_id),
        "PR title": Stated({"openPr": {"title": said()}}),
        "PR state": Stated({"openPr": {"reviewState": "changes_requested", "ciState": "failing"}}),
        "paths": Stated({"changedPaths": [f"skills/{skill_id}/SKILL.md", f"src/{skill_id.replace('-', '_')}.py"]}),
    }  # fmt: skip


def _joined(facts: Iterable[Stated]) -> Stated:
    """Return all facts at once."""
    everything: dict[str, Any] = {}
    used = None
    for one in facts:
        for name, value in one.facts.items():
            known = everything.get(name)
            everything[name] = {**known, **value} if isinstance(known, dict) else value
        used = one.used or used
    return Stated(everything, used)


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.context", description="Measure what context gains and costs.")
    parser.add_argument("--data", type=Path, default=default_data(), help="folder of the data sets")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--encoder", default="bundled")
    parser.add_argument("--parameters", type=Path, help="a parameter file instead of the one that ships")
    parser.add_argument("--json", type=Path, help="file for the figures; without it they are printed")
    parser.add_argument("--cache", type=Path, default=CHECKOUT / ".cache" / "context", help="folder for vectors")
    parser.add_argument("--paraphrases", choices=HALVES, default=HALVES[0], help="see benchmarks/context_phrases.py")
    parser.add_argument("--only", choices=("gain", "cost"), help="one half alone")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    given = _arguments(arguments)
    started = time.monotonic()
    encoder = CachedEncoder(Vectors(open_encoder(given.encoder), given.cache))
    found: Figures = {
        "about": {"wellworn": __version__, "encoder": given.encoder, "seeds": given.seeds,
                  "paraphrases": given.paraphrases, "date": datetime.now(UTC).date().isoformat()},
    }  # fmt: skip
    for name, measure in (("gain", measure_gain), ("cost", measure_cost)):
        if given.only in (None, name):
            found[name] = measure(given.data, encoder, given.seeds, given.parameters, given.paraphrases)
    say(f"{time.monotonic() - started:.0f} s")
    text = json.dumps(found, indent=1)
    if given.json:
        given.json.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
