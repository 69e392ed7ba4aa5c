"""What the importers and the miner make of real records: agents' transcripts, trajectories and a table of commands.

    python -m benchmarks.real_traces [--data FOLDER] [--show N] [--events]

FOLDER holds `traces/raw/*` (imported) and `traces/commands.jsonl` (a table of commands from more records of the same
kinds, read here); by default it is what WELLWORN_DATA names, or `../shared/data` beside the checkout. Prints, per
format, files, events by kind and success, and skipped lines with why; how far the outcomes that the importers derive
agree with the table's; then what is proposed from all of it, and that every proposal's evidence can be opened.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.fit import default_data
from wellworn.lifecycle.importers import SkippedLine, detect_format, import_file
from wellworn.lifecycle.importers.events import Place, Ran, Stamp, command_run, file_diff, read_time, user_intent
from wellworn.lifecycle.recognise import correction_rule, is_correction
from wellworn.models.access import LOCAL_USER, Caller, Role
from wellworn.models.proposal import Proposal, SuggestAnswer, SuggestRequest
from wellworn.models.trace import TRACE_BATCH_MAX, TraceEvent, TraceKind
from wellworn.service.settings import Settings
from wellworn.service.workspace import Workspace

PERSON = Caller(role=Role.admin, user=LOCAL_USER)
_TABLE_ONLY = ("pi_mono", "specstory")
"""Sources of the table whose raw records are not there; the others would be counted twice."""
_SHELLS = ("bash", "Bash")
_EDITORS = ("edit", "write", "Edit", "Write", "MultiEdit")
_DATED = "%Y-%m-%d_%H-%M-%SZ"
_EXIT = re.compile(r"^Exit code (\d{1,3})$", re.M)
"""Said in some outputs of commands that the table calls successful."""
_CUT = 110


@dataclass(slots=True)
class Tally:
    """What one format gave."""

    files: int = 0
    events: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)

    def add(self, item: TraceEvent | SkippedLine) -> None:
        if isinstance(item, SkippedLine):
            self.skipped[item.why] += 1
        else:
            self.events[f"{item.kind.value} {'?' if item.success is None else 'ok' if item.success else 'failed'}"] += 1


def table_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of the table: source, session, step, tool, command, ok, output_tail, ts, user_request."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def table_events(rows: Iterable[dict[str, Any]], now: datetime) -> Iterator[TraceEvent]:
    """Yield the events of those rows whose raw records are not there."""
    asked: dict[str, str] = {}
    for row in rows:
        if row["source"] not in _TABLE_ONLY:
            continue
        session, request = f"{row['source']}/{row['session']}", row["user_request"]
        stamp = Stamp(Place(row["source"], session), (session, row["step"]), _when(row, now))
        if request and asked.get(session) != request:
            asked[session] = request
            yield user_intent(Stamp(stamp.place, (*stamp.key, "asked"), stamp.ts), request)
        output = row["output_tail"] or ""
        code = _EXIT.search(output)
        ran = Ran(int(code[1]) == 0, int(code[1]), output) if code else Ran(row["ok"], None, output)
        if row["tool"] in _SHELLS:
            yield command_run(stamp, row["command"], ran)
        elif row["tool"] in _EDITORS:
            yield file_diff(stamp, row["tool"], row["command"].partition(" ")[2], ran)


def _when(row: dict[str, Any], now: datetime) -> datetime:
    ts, _ = read_time(row["ts"], now)
    if ts is None:
        begun = datetime.strptime(row["session"][:20], _DATED).replace(tzinfo=UTC)
        ts = begun + timedelta(seconds=row["step"])
    return ts


def read_all(folder: Path, now: datetime) -> tuple[dict[str, Tally], list[TraceEvent]]:
    """Import everything below `folder`; return a tally for each format, and the events in order of time."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    events: list[TraceEvent] = []
    for path in sorted((folder / "raw").rglob("*")):
        if path.is_file() and not path.name.startswith("LICENSE"):
            tally = tallies[detect_format(path) or "unknown"]
            tally.files += 1
            for item in import_file(path, now=now):
                tally.add(item)
                events += [item] if isinstance(item, TraceEvent) else []
    table = tallies["table of commands"]
    table.files = 1
    for event in table_events(table_rows(folder / "commands.jsonl"), now):
        table.add(event)
        events.append(event)
    return tallies, sorted(events, key=lambda event: (event.ts or now, str(event.session_id)))


def agreement(rows: Iterable[dict[str, Any]], events: Iterable[TraceEvent]) -> Counter[str]:
    """Compare the outcomes of shell commands with the table's, by session and command."""
    known = {(str(event.session_id), event.data.get("command")): event.success for event in events}
    counts: Counter[str] = Counter()
    for row in rows:
        key = (row["session"], row["command"])
        if row["source"].startswith("claude_code") and row["tool"] in _SHELLS and key in known:
            counts["same" if known[key] == row["ok"] else f"table {row['ok']}, importer {known[key]}"] += 1
    return counts


def keep(workspace: Workspace, events: Sequence[TraceEvent]) -> tuple[int, int]:
    """Keep the events as `wellworn trace import` does; return how many were new, and how many a second time."""
    first = second = 0
    for start in range(0, len(events), TRACE_BATCH_MAX):
        batch = events[start : start + TRACE_BATCH_MAX]
        first += workspace.traces.ingest(batch, PERSON).accepted
        second += workspace.traces.ingest(batch, PERSON).accepted
    return first, second


def unopened(workspace: Workspace, proposal: Proposal) -> list[str]:
    """Return the evidence of a proposal that cannot be opened."""
    found = proposal.candidate.evidence_event_ids
    return [trace_id for trace_id in found if workspace.traces.get(trace_id, PERSON).id != trace_id]


def show_tallies(tallies: dict[str, Tally]) -> None:
    for name, tally in sorted(tallies.items()):
        print(f"{name}: {tally.files} files, {sum(tally.events.values())} events")
        for kind, count in sorted(tally.events.items()):
            print(f"    {count:5} {kind}")
        for why, count in tally.skipped.most_common():
            print(f"    {count:5} skipped: {why}")


def show_said(events: Sequence[TraceEvent]) -> None:
    intents = [event for event in events if event.kind is TraceKind.user_intent]
    corrections = [event for event in intents if is_correction(event.summary)]
    print(f"{len(intents)} intents, {len(corrections)} of them corrections:")
    for event in corrections:
        print(f"    {event.summary[:_CUT]!r}  ->  {correction_rule(event.summary)}")


def show_proposal(proposal: Proposal, missing: list[str]) -> None:
    found = proposal.candidate
    print(
        f"  {proposal.manifest.id}: {found.signal.value}, confidence {found.confidence:.2f},"
        f" {found.occurrences} times in {found.sessions} sessions on {found.days} days;"
        f" evidence {len(found.evidence_event_ids)}, {len(missing)} lost"
    )
    for step in found.steps:
        print(f"      {step[:_CUT]}")
    if found.sessions < 2 or missing:
        raise SystemExit("a proposal from one session alone, or with evidence that cannot be opened")


def show_answer(workspace: Workspace, answer: SuggestAnswer, show: int) -> None:
    print(
        f"{answer.events} events of {answer.sessions} sessions: {len(answer.proposals)} proposals,"
        f" {len(answer.docs)} to write down, {len(answer.ignored)} ignored, {len(answer.refused)} refused"
    )
    for proposal in answer.proposals:
        show_proposal(proposal, unopened(workspace, proposal))
    for kind, candidates in (("doc", answer.docs), ("ignored", answer.ignored)):
        for candidate in candidates[:show]:
            print(f"  {kind}: {candidate.title[:_CUT]} ({candidate.reason[:_CUT]})")


def main(arguments: Sequence[str] | None = None) -> int:
    """Import, compare, suggest and print."""
    parser = argparse.ArgumentParser(prog="benchmarks.real_traces", description="Import real records and mine them.")
    parser.add_argument("--data", type=Path, default=default_data(), help="where the data sets are")
    parser.add_argument("--show", type=int, default=10, help="candidates to show that became no proposal")
    parser.add_argument("--events", action="store_true", help="print every event")
    options = parser.parse_args(arguments)
    folder, now = options.data / "traces", datetime.now(UTC)
    tallies, events = read_all(folder, now)
    show_tallies(tallies)
    if options.events:
        for event in events:
            print(event.kind.value, event.success, event.tags, repr(event.summary[:_CUT]))
    print(
        "outcomes of Claude Code commands against the table:",
        dict(agreement(table_rows(folder / "commands.jsonl"), events)),
    )
    show_said(events)
    with tempfile.TemporaryDirectory(prefix="wellworn-traces-") as temporary:
        settings = Settings(data_dir=Path(temporary) / "data", home=Path(temporary), encoder="hashing", watch=False)
        with Workspace.open(settings, read=False, discover=False) as workspace:
            kept, again = keep(workspace, events)
            print(f"kept {kept} of {len(events)} events; {again} more at the second import")
            started = time.perf_counter()
            answer = workspace.suggest(SuggestRequest(), PERSON)
            print(f"suggest took {time.perf_counter() - started:.2f} s")
            show_answer(workspace, answer, options.show)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
