"""Fit the ranking's parameters to public data and write them as a versioned file.

    python -m benchmarks.fit --data FOLDER [--encoder bundled] [--out resolver/fits/bundled.json]

FOLDER holds the public data sets (see `accuracy_sets.py`); without --data it is what WELLWORN_DATA names, or
`../shared/data` beside the checkout. Only train splits and SKILL.md files are fitted on (see `fit_data.py`), never what
is reported on; the figures of the evaluation tasks are measured afterwards and written into the file.
--leave-out SOURCE fits without a source, to see how the fit does on a kind of data that it has never seen.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from benchmarks.accuracy_sets import TASKS
from benchmarks.fit_data import FitData, read_fit_data
from benchmarks.fit_episodes import Episode, kinds_seen, make_episodes
from benchmarks.fit_library import Vectors
from benchmarks.fit_measure import figures, measure_task
from benchmarks.fit_model import fit, samples_of
from wellworn.index.encoders import open_encoder
from wellworn.resolver.features import Kind
from wellworn.resolver.parameters import SHIPPED, Parameters, Provenance

CHECKOUT = Path(__file__).resolve().parents[1]
SHARES = {"clinc150": 1.0, "banking77": 1.0, "tldr": 0.5, "skills-md": 4.0}
"""How much each source counts. Most libraries are real skills; intent sets show what many examples are worth."""
SEEDS = (0, 1, 2)
MEASURED = ("clinc150", "banking77", "banking77, 19 held out", "skill messages", "metatool")
"""Tasks of `accuracy_sets` whose figures go into the file; `accuracy.py` reports all of them."""
Figures = dict[str, dict[str, float]]


def default_data() -> Path:
    """Return where the data sets are when nobody says."""
    named = os.environ.get("WELLWORN_DATA")
    return Path(named) if named else CHECKOUT.parent / "shared" / "data"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def build(data: FitData, vectors: Vectors, seed: int, left_out: Sequence[str]) -> list[Episode]:
    """Make the episodes, telling what they are."""
    started, episodes = time.monotonic(), []
    for episode in make_episodes(data, vectors, seed):
        if episode.source not in left_out:
            episodes.append(episode)
        say(f"{time.monotonic() - started:6.0f} s  {episode.source} {episode.style}, {episode.skills} skills")
    seen = kinds_seen(episodes)
    counts = ", ".join(f"{kind.name} {count}" for kind, count in zip(Kind, seen, strict=False))
    say(f"messages that mean a skill, by its kind: {counts}")
    return episodes


def measure(parameters: Parameters, data: Path, vectors: Vectors, seeds: Sequence[int]) -> Figures:
    """Return task -> figure -> mean over the seeds."""
    found: Figures = {}
    for name in MEASURED:
        task = TASKS[name]
        runs = [
            figures(measure_task(name, seed, data, vectors), parameters)
            for seed in (seeds if task.seeded else seeds[:1])
        ]
        found[name] = {figure: round(float(np.mean([run[figure] for run in runs])), 4) for figure in runs[0]}
        say(f"{name}: {_line(found[name])}")
    return found


def _line(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.3f}" for name, value in values.items())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="benchmarks.fit", description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, default=default_data())
    parser.add_argument("--encoder", default="bundled")
    parser.add_argument("--out", type=Path, default=SHIPPED / "bundled.json")
    parser.add_argument("--cache", type=Path, default=CHECKOUT / ".cache" / "fit", help="folder for vectors")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--leave-out", action="append", default=[], choices=[*SHARES])
    parser.add_argument("--no-measure", action="store_true", help="do not measure the evaluation tasks")
    given = parser.parse_args(arguments)
    data = read_fit_data(given.data)
    vectors = Vectors(open_encoder(given.encoder), given.cache)
    say(f"fitting on {'; '.join(data.sources)}; seed {given.seed}; encoder {given.encoder}")
    episodes = build(data, vectors, given.seed, given.leave_out)
    samples = samples_of(episodes, SHARES)
    command = " ".join(("python -m benchmarks.fit", f"--encoder {given.encoder}", f"--seed {given.seed}"))
    provenance = Provenance(
        date=datetime.now(UTC).date().isoformat(), seed=given.seed,
        data=[source for source in data.sources if source.split()[0] not in given.leave_out],
        messages=len(samples), command=command,
    )  # fmt: skip
    parameters = fit(samples, given.out.stem, vectors.encoder.fingerprint, provenance)
    if not given.no_measure:
        measured = measure(parameters, given.data, vectors, SEEDS)
        parameters = parameters.model_copy(update={"provenance": provenance.model_copy(update={"measured": measured})})
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(parameters.model_dump_json(by_alias=True, indent=1) + "\n", encoding="utf-8")
    say(f"wrote {given.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
