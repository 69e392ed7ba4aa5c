"""How much everyday shell is understood, what its steps are called, and how long that takes.

    python -m benchmarks.shell_steps [--data DIR] [--show 300]

Reads the tldr commands (placeholders replaced by their text) and the commands of real traces from `--data`; what is not
there is left out and said. Prints the shares that were parsed and understood, samples to be read by eye, and CPU
microseconds per distinct command without and with the caches.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from wellworn.lifecycle.shell.parse import parse_line
from wellworn.lifecycle.shell.steps import fill, steps_of

_PLACEHOLDER = re.compile(r"\{\{(.*?)\}\}")
_MEASURED = 15_000
"""Fewer than the caches hold, so that the second round is one of the caches."""
_ALTERNATIVE = re.compile(r"\[([^\]|]*)\|[^\]]*\]")


def tldr_commands(path: Path) -> Iterator[str]:
    """Yield the commands of tldr pages, each placeholder as its text and of alternatives the first."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row["platform"] != "windows":
                yield _PLACEHOLDER.sub(lambda found: _ALTERNATIVE.sub(r"\1", found.group(1)), row["command"])


def trace_commands(path: Path) -> Iterator[str]:
    """Yield the shell commands of real agent sessions."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if str(row["tool"]).lower() in {"bash", "shell", "mini", "swe", "execute_bash"}:
                yield row["command"]


def report(name: str, commands: list[str], show: int) -> None:
    """Print what was understood of `commands`, and a sample of the steps."""
    distinct = list(dict.fromkeys(commands))[:_MEASURED]
    first, again = _micros(distinct), _micros(distinct)
    why = Counter(parse_line(one).why or "understood" for one in distinct)
    restored = sum(_restores(one) for one in distinct)
    print(f"\n{name}: {len(commands)} commands, {len(distinct)} distinct")
    print("  " + ", ".join(f"{reason} {count / len(distinct):.1%}" for reason, count in why.most_common()))
    print(f"  every template gives its command back: {restored / len(distinct):.2%}")
    print(f"  {first:.1f} us per distinct command, {again:.2f} us from the cache")
    for command in random.Random(1).sample(distinct, min(show, len(distinct))):
        print(f"    {command[:90]!r:92} {' + '.join(_described(command))}")


def _described(command: str) -> Iterable[str]:
    for step in steps_of(command):
        yield f"({step.key})" if step.noise else f"{step.key} [{step.template[:90]}]"


def _restores(command: str) -> bool:
    """Whether each filled template is read as the same words, in their order."""
    for step in steps_of(command):
        again = [one.template for one in steps_of(fill(step.template, step.values))]
        if step.template not in again:
            return False
    return True


def _micros(commands: list[str]) -> float:
    before = time.process_time()
    for command in commands:
        steps_of(command)
    return (time.process_time() - before) / max(1, len(commands)) * 1e6


def most_frequent(commands: list[str], count: int) -> None:
    """Print the most frequent keys."""
    keys: Counter[str] = Counter()
    for command in commands:
        keys.update(f"({step.key})" if step.noise else step.key for step in steps_of(command))
    for key, times in keys.most_common(count):
        print(f"    {times:5} {key}")


def main() -> None:
    """Run over what data there is."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--data", type=Path, default=Path("../shared/data"))
    options.add_argument("--show", type=int, default=40)
    chosen = options.parse_args()
    steps_of("warm && up")
    for name, path, read in (
        ("tldr", chosen.data / "tldr" / "tldr-en.jsonl.gz", tldr_commands),
        ("traces", chosen.data / "traces" / "commands.jsonl", trace_commands),
    ):
        if not path.exists():
            print(f"{name}: {path} is not there, left out")
            continue
        commands = list(read(path))
        report(name, commands, chosen.show)
        if name == "traces":
            most_frequent(commands, 150)


if __name__ == "__main__":
    main()
