"""How much of what was planted in seeded traces is proposed, and how much is proposed that was not planted.

    python -m benchmarks.mining [--pool development|held-out] [--seeds N ...] [--users N]
                                [--no-patterns] [--no-decoys] [--explain] [--json FILE]

Every seed makes a world (`mining_world`): 200 sessions with 20,000 events, in them twelve rituals of all seven kinds,
drawn from a pool of 33, with decoys of every bad signal. The events come in through `Workspace.traces.ingest`, an
installed skill is there that one of the decoys repeats, and `Workspace.suggest` answers. `--no-patterns`: the same with
only the everyday work and the decoys, where nothing must be proposed. `--explain` tells what was missed and what was
wrong, but not of the held-out pool: nothing may be tuned to it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.mining_held_out import HELD_OUT
from benchmarks.mining_patterns import DEVELOPMENT, Pattern
from benchmarks.mining_score import Score, nearest, overlap, score
from benchmarks.mining_world import NOW, Plan, World, make_world
from wellworn.models.access import LOCAL_USER, Caller, Role
from wellworn.models.proposal import PatternCandidate, SuggestAnswer, SuggestRequest
from wellworn.models.trace import TRACE_BATCH_MAX, TraceEvent
from wellworn.service.settings import Settings
from wellworn.service.workspace import Workspace

POOLS: Mapping[str, tuple[tuple[Pattern, ...], tuple[int, ...]]] = {
    "development": (DEVELOPMENT, (0, 1, 2, 3, 4)),
    "held-out": (HELD_OUT, (100, 101, 102, 103, 104)),
}
PERSON = Caller(role=Role.admin, user=LOCAL_USER)
_NEAR = 0.25


@contextmanager
def opened(folder: Path, skills: Sequence[str], encoder: str = "bundled") -> Iterator[Workspace]:
    """Open a workspace whose clock stands at the end of the world's traces, with `skills` installed."""
    home = folder / "home"
    home.mkdir(parents=True)
    library = folder / "skills"
    for text in skills:
        place = library / text.partition("name: ")[2].partition("\n")[0]
        place.mkdir(parents=True)
        (place / "SKILL.md").write_text(text, encoding="utf-8")
    settings = Settings(data_dir=folder / "data", home=home, watch=False, encoder=encoder)
    with Workspace.open(settings, discover=False, clock=lambda: NOW) as workspace:
        if skills:
            workspace.add_source(library, repo=False)
        yield workspace


def keep(workspace: Workspace, events: Sequence[TraceEvent], caller: Caller = PERSON) -> int:
    """Send events in batches; return how many were kept."""
    batches = (events[at : at + TRACE_BATCH_MAX] for at in range(0, len(events), TRACE_BATCH_MAX))
    return sum(workspace.traces.ingest(batch, caller).accepted for batch in batches)


def examine(world: World, encoder: str = "bundled") -> tuple[SuggestAnswer, float]:
    """Send a world's events; return what is suggested for all of its users, and in how many seconds."""
    with (
        tempfile.TemporaryDirectory(prefix="wellworn-mining-") as folder,
        opened(Path(folder), world.skills, encoder) as workspace,
    ):
        kept = keep(workspace, world.events)
        assert kept == len(world.events), f"only {kept} of {len(world.events)} events were kept"
        started, answers = time.perf_counter(), []
        for user in sorted({event.user or LOCAL_USER for event in world.events}):
            answers.append(workspace.suggest(SuggestRequest(user=user), PERSON))
        return _together(answers), time.perf_counter() - started


def _together(answers: Sequence[SuggestAnswer]) -> SuggestAnswer:
    return SuggestAnswer(
        proposals=[one for answer in answers for one in answer.proposals],
        docs=[one for answer in answers for one in answer.docs],
        ignored=[one for answer in answers for one in answer.ignored],
        refused=[one for answer in answers for one in answer.refused],
        events=sum(answer.events for answer in answers),
    )


# -- the report ------------------------------------------------------------------------------------------------------


def run(pool: str, seeds: Sequence[int], plan: Plan, *, explain: bool, encoder: str = "bundled") -> dict[str, Any]:
    """Examine all seeds and print as they come; return the figures."""
    patterns, _ = POOLS[pool]
    scores: list[Score] = []
    results: list[dict[str, Any]] = []
    for seed in seeds:
        world = make_world(seed, patterns, plan)
        answer, seconds = examine(world, encoder)
        judged = score(world, answer)
        scores.append(judged)
        results.append(_result(seed, judged, answer, seconds))
        print(_line(seed, judged, answer, seconds), flush=True)
        if explain and pool != "held-out":
            print("\n".join(explained(world, answer, judged)), flush=True)
    summary = summarise(scores)
    print(json.dumps(summary, indent=1))
    return {"pool": pool, "patterns": plan.patterns, "seeds": results, "summary": summary}


def _result(seed: int, judged: Score, answer: SuggestAnswer, seconds: float) -> dict[str, Any]:
    return {
        "seed": seed, "recall": judged.recall, "precision": judged.precision, "seconds": seconds,
        "proposals": len(answer.proposals), "missedKinds": Counter(judged.kinds[name] for name in judged.missed),
        "false": len(judged.wrong), "updates": len(judged.allowed), "docs": len(answer.docs),
        "ignored": len(answer.ignored), "refused": len(answer.refused),
        "quality": {name: asdict(one) for name, one in judged.quality.items()},
    }  # fmt: skip


def _line(seed: int, judged: Score, answer: SuggestAnswer, seconds: float) -> str:
    return (
        f"seed {seed}: recall {judged.recall:.3f} ({len(judged.found)}/{len(judged.kinds)}), "
        f"precision {judged.precision:.3f} ({len(judged.wrong)} false), {len(judged.allowed)} updates, "
        f"{len(answer.docs)} docs, {len(answer.ignored)} ignored, {len(answer.refused)} refused, {seconds:.2f} s"
    )


def summarise(scores: Sequence[Score]) -> dict[str, Any]:
    """Return recall and precision over all seeds together and as means, per kind, and what proposals are like."""
    found, planted = sum(len(one.found) for one in scores), sum(len(one.kinds) for one in scores)
    wrong = sum(len(one.wrong) for one in scores)
    kinds: Counter[str] = sum((one.by_kind() for one in scores), Counter())
    qualities = [quality for one in scores for quality in one.quality.values()]
    return {
        "recall": found / planted if planted else None,
        "precision": found / (found + wrong) if found + wrong else None,
        "meanRecall": statistics.fmean(one.recall for one in scores),
        "meanPrecision": statistics.fmean(one.precision for one in scores),
        "false": wrong,
        "kinds": {name.removesuffix(" planted"): f"{kinds[name.replace('planted', 'found')]}/{kinds[name]}"
                  for name in kinds if name.endswith("planted")},
        "signalRight": _share([one.signal for one in qualities]),
        "usersWords": _share([one.words for one in qualities]),
        "inputsRight": _share([one.inputs for one in qualities]),
        "gatesRight": _share([one.gates for one in qualities]),
        "proposedAs": Counter(one.kind for one in qualities),
        "scopes": Counter(one.scope for one in qualities),
    }  # fmt: skip


def _share(answers: Sequence[bool | None]) -> str:
    asked = [answer for answer in answers if answer is not None]
    return f"{sum(asked)}/{len(asked)}"


def explained(world: World, answer: SuggestAnswer, judged: Score) -> Iterator[str]:
    """Tell what was missed, with what came near; what was wrong, with its steps; and what became of the decoys."""
    candidates = {
        "proposed": [one.candidate for one in answer.proposals], "doc": answer.docs, "ignored": answer.ignored,
        "refused": [one.candidate for one in answer.refused],
    }  # fmt: skip
    for name in judged.missed:
        one = world.patterns[name]
        yield f"  missed {name} ({one.one.kind}): {len(one.occurrences)} times in {len(one.sessions)} sessions"
        yield from _near(name, world, candidates)
    by_id = {one.id: one for one in answer.proposals}
    for made, why in judged.wrong.items():
        proposal = by_id[made]
        yield f"  false: {proposal.manifest.id} {_shown(proposal.candidate)} -- {why}"
    for name, quality in judged.quality.items():
        poor = [what for what in ("signal", "words", "inputs", "gates") if getattr(quality, what) is False]
        if poor:
            found = by_id[judged.found[name]]
            yield f"  found, but {', '.join(poor)}: {name} as {_shown(found.candidate)}"
    for name in world.decoys:
        for where, some in candidates.items():
            for candidate in some:
                if nearest(candidate, {name: world.decoys[name]}):
                    yield f"  decoy {name}: {where}: {candidate.reason[:160]}"


def _near(name: str, world: World, candidates: Mapping[str, Sequence[PatternCandidate]]) -> Iterator[str]:
    for where, some in candidates.items():
        for candidate in some:
            part = overlap(candidate.evidence_event_ids, world.patterns[name])
            if part.seen >= _NEAR and part.pure >= _NEAR:
                yield (
                    f"    near, {where}: seen {part.seen:.2f} pure {part.pure:.2f} {_shown(candidate)} "
                    f"-- {candidate.reason[:120]}"
                )


def _shown(candidate: PatternCandidate) -> str:
    return f"[{candidate.signal.value}] {' ; '.join(candidate.steps)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print; see the module's text."""
    parser = argparse.ArgumentParser(prog="benchmarks.mining", description="Recall and precision of what is proposed.")
    parser.add_argument("--pool", choices=list(POOLS), default="development")
    parser.add_argument("--seeds", type=int, nargs="+", help="by default 0 to 4, held-out 100 to 104")
    parser.add_argument("--no-patterns", action="store_true", help="plant nothing but decoys")
    parser.add_argument("--no-decoys", action="store_true", help="plant no decoys")
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--encoder", default="bundled")
    parser.add_argument("--users", type=int, default=1, help="how many users the sessions belong to")
    parser.add_argument("--explain", action="store_true", help="tell what was missed or wrong (development pool only)")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args(arguments)
    users = (LOCAL_USER, *(f"person-{at}" for at in range(1, options.users)))
    plan = Plan(options.sessions, options.events, users, patterns=not options.no_patterns, decoys=not options.no_decoys)
    seeds = options.seeds or POOLS[options.pool][1]
    figures = run(options.pool, seeds, plan, explain=options.explain, encoder=options.encoder)
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
