"""What trajectories of benchmarks share: steps without times, and outputs without exit statuses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from wellworn.lifecycle.importers.events import Place, Stamp
from wellworn.lifecycle.importers.source import Source

GUESSED = "time-guessed"
_TAIL = 4000
_FAILED = re.compile(
    r"^Traceback \(most recent call last\)"
    r"|command not found\s*$|: No such file or directory\s*$|^\w+: (?:cannot|can't) |^(?:bash|sh|/bin/(?:ba)?sh): "
    r"|^(?:\w+: )?EXECUTION TIMED OUT|^COMMAND (?:FAILED|TIMED OUT)"
    r"|^(?:make|npm)(?:\[\d+\])?:? (?:\*\*\*|ERR!)|^(?:SyntaxError|IndentationError): |^fatal: |^ERROR: ",
    re.M,
)


@dataclass(frozen=True, slots=True)
class Steps:
    """Gives the steps of a run their places and times: `count` steps, a second apart, up to the file's own time."""

    source: Source
    format: str
    run: str
    count: int

    def stamp(self, number: int, content: str, *, cwd: str = "", ts: datetime | None = None) -> Stamp:
        """Return where and when step `number` was; ts: if the record knows it."""
        tags = () if ts else (GUESSED,)
        place = Place(self.format, self.source.session or self.run, self.source.repo, cwd or None, tags)
        when = ts or self.source.modified - timedelta(seconds=self.count - number)
        return Stamp(place, (self.run, number, content), when)


def run_name(name: str, said_first: str) -> str:
    """Return a name for a run that others of the same problem do not have: with a hash of what the model said first."""
    return f"{name}-{sha256(said_first.encode('utf-8', 'replace')).hexdigest()[:8]}"


def failed_in_words(output: str) -> bool:
    """Say whether the end of a command's output tells that it failed."""
    return _FAILED.search(output[-_TAIL:].replace("\r\n", "\n")) is not None
