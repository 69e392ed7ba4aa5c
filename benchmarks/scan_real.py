"""What the security scan says of real skills, and how many written-up attacks it finds.

    python -m benchmarks.scan_real [--data FILE] [--show 60] [--rule NAME]

Prints the share of real SKILL.md files with a high finding, by rule, a seeded sample of them to be judged by eye, the
time per file, and the recall on `scan_samples` (see there when each part was written).
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections import Counter
from pathlib import Path

from benchmarks import scan_samples
from wellworn.lifecycle.scan import scan_text
from wellworn.models.proposal import ScanFinding
from wellworn.models.skill import Risk


def recall(name: str, samples: tuple[str, ...]) -> None:
    """Print how many samples have a high finding, and those that have none."""
    missed = [sample for sample in samples if not _high(scan_text(sample, "sample"))]
    print(f"{name}: {len(samples) - len(missed)} of {len(samples)} malicious samples have a high finding")
    for sample in missed:
        print(f"    missed: {sample[:140]!r}")


def _high(findings: list[ScanFinding]) -> list[ScanFinding]:
    return [one for one in findings if one.severity == Risk.high]


def real(path: Path, show: int, rule: str | None) -> None:
    """Print the share of real skills with findings, and a sample of the high ones."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    before = time.process_time()
    found = {
        row["path"] + "@" + row["repo"]: scan_text(row["description"] + "\n" + row["body"], "SKILL.md") for row in rows
    }
    seconds = time.process_time() - before
    for severity in (Risk.high, Risk.medium, Risk.low):
        with_it = [one for one in found.values() if any(finding.severity == severity for finding in one)]
        names = Counter(name for one in with_it for name in {x.name for x in one if x.severity == severity})
        print(f"{severity}: {len(with_it)} of {len(found)} skills, {len(with_it) / len(found):.1%}")
        print("    " + ", ".join(f"{name} {count}" for name, count in names.most_common()))
    print(f"{seconds / len(found) * 1000:.2f} ms per skill")
    high = [(name, one) for name, findings in found.items() for one in _high(findings) if rule in {None, one.name}]
    for name, one in random.Random(1).sample(high, min(show, len(high))):
        print(f"  {one.name} {name[:60]}:{one.line}\n      {one.excerpt}")


def main() -> None:
    """Run over the samples, and over the real skills when they are there."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--data", type=Path, default=Path("../shared/data/skills/skills-md.jsonl.gz"))
    options.add_argument("--show", type=int, default=60)
    options.add_argument("--rule")
    chosen = options.parse_args()
    recall("first part", scan_samples.FIRST)
    recall("second part", scan_samples.SECOND)
    recall("third part", scan_samples.THIRD)
    if chosen.data.exists():
        real(chosen.data, chosen.show, chosen.rule)
    else:
        print(f"{chosen.data} is not there, left out")


if __name__ == "__main__":
    main()
