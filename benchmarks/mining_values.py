"""What varies from one occurrence of a ritual to the next: versions, branches, names, ways to write a line."""

from __future__ import annotations

import random
import re
from datetime import date, timedelta

from benchmarks.mining_background import PACKAGES, WORDS, Speaker

_SLOT = re.compile(r"\{(\w+)\}")
_STEADY = frozenset({"release", "smoke"})
"""Kinds that are about one package, which has one name."""
_ENVS = ("staging", "prod", "qa", "eu-prod", "preview")
_SERVICES = ("api", "web", "worker", "auth", "billing", "search")
_TITLES = (
    "fix edge case",
    "handle empty input",
    "rename field",
    "second pass",
    "cover the error path",
    "use the new type",
)
_PREFIXES = ("CI=1 ", "NODE_ENV=test ", "LOG_LEVEL=debug ", "PYTHONUNBUFFERED=1 ", "time ")
_TAILS = (" 2>&1 | tail -20", " 2>&1", " | tee /tmp/out.log")
_POLITE = ("please ", "can you ", "ok, ", "hey, ", "now ", "next: ")


class Values:
    """The values of one ritual's occurrences, in the order in which they happen."""

    def __init__(self, chance: random.Random, kind: str, speaker: Speaker) -> None:
        self.chance, self._kind, self._speaker = chance, kind, speaker
        self._version = [chance.randint(0, 4), chance.randint(0, 12), chance.randint(0, 9)]
        self._pr, self._n = chance.randint(40, 900), chance.randint(3, 60)
        self._day = date(2029, 10, 1)
        self._fixed = {"dir": chance.choice(("site", "dist", "out", "build/public"))}
        if kind in _STEADY:
            name = chance.choice(("acmecli", "ledgerly", "mapkit", "quillpad", "tidewater"))
            self._fixed |= {"pkg": name, "name": name, "service": chance.choice(_SERVICES)}

    def next(self) -> dict[str, str]:
        """Return the values of the next occurrence."""
        pick, word = self.chance.choice, self._speaker.value
        self._bump()
        self._pr += self.chance.randint(1, 9)
        self._n += self.chance.randint(1, 6)
        self._day += timedelta(days=self.chance.randint(1, 6))
        return {
            "version": ".".join(map(str, self._version)), "pr": str(self._pr),
            "n": str(self._n), "n4": f"{self._n:04d}", "date": self._day.isoformat(),
            "branch": self._speaker.fill("{branch}"), "path": f"packages/{pick(WORDS)}",
            "file": self._speaker.fill("{path}"), "name": pick(WORDS), "slug": f"{pick(WORDS)}_{pick(WORDS)}",
            "msg": pick(_TITLES), "env": pick(_ENVS), "service": pick(_SERVICES), "sha": word("sha"),
            "pkg": pick(PACKAGES), "port": pick(("3000", "4000", "5173", "8000", "8081")),
            "pid": str(self.chance.randint(900, 60000)),
            "high": str(self.chance.randint(1, 4)), "medium": str(self.chance.randint(1, 5)),
        } | self._fixed  # fmt: skip

    def _bump(self) -> None:
        part = self.chance.choices((0, 1, 2), (1, 4, 12))[0]
        self._version[part] += 1
        self._version[part + 1 :] = [0] * (2 - part)


def fill(text: str, values: dict[str, str]) -> str:
    """Return `text` with its slots filled."""
    return _SLOT.sub(lambda found: values[found[1]], text)


def dressed(command: str, chance: random.Random, *, plain: float = 0.7) -> str:
    """Return a command as it may stand in a line: behind `cd x &&`, with variables before it, into a pipe."""
    if chance.random() < plain or not command[0].isalpha() or " | " in command:
        return command
    luck = chance.random()
    if luck < 0.4:
        return f"cd {chance.choice(('.', 'packages/core', '/work/repo', 'services/main'))} && {command}"
    if luck < 0.7:
        return chance.choice(_PREFIXES) + command
    return command if ">" in command else command + chance.choice(_TAILS)


def worded(wish: str, speaker: Speaker) -> str:
    """Return a wish as somebody types it."""
    return speaker.typed(speaker.chance.choice(_POLITE) + wish if speaker.chance.random() < 0.25 else wish)
