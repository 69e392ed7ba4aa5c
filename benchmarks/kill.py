"""kill -9 during import, reindex and feedback, at random moments: what was acknowledged stays, nothing half is seen.

    python -m benchmarks.kill [--rounds 50] [--seed 1] [--json FILE]

Real processes, each killed with its whole process group: at a random moment of its usual time, once a random skill's
files have changed, or once its databases have grown by a random share. Then the service is started again with nothing
mended by hand, and asked. Ends with 1 when anything did not hold.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import re
import shutil
import sys
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import kill_world as kw
from benchmarks.kill_world import Broken, Client, Running, World
from wellworn.models.skill import Scope
from wellworn.store.transfer import import_library, read_library

ROUNDS = 50
BUNDLED_EVERY = 10  # one world in ten encodes with the real model
FIRST_IMPORT_EVERY = 3
CHANGED_SHARE = 0.5
FEEDBACK_MOST, FEEDBACK_CLIENTS = 100, 2
SOON = 0.05  # a kill that is aimed at growth comes up to this many seconds later
Moment = Callable[[], bool]


@dataclass
class Tally:
    """What happened in the rounds of one kind."""

    what: str
    rounds: int = 0
    killed: int = 0
    acknowledged: int = 0
    violations: list[str] = field(default_factory=list)
    seconds: float = 0.0
    moments: dict[str, int] = field(default_factory=dict)

    def note(self, moment: str) -> None:
        """Count one round whose kill was aimed like that."""
        self.moments[moment] = self.moments.get(moment, 0) + 1


class Kind(ABC):
    """One kind of work that is killed, in a world of its own for each encoder."""

    name = ""

    def __init__(self, world: World, random_: random.Random) -> None:
        self.world, self.random = world, random_
        self.version = 0
        self.growth = 1_000_000

    def prepare(self) -> None:
        """Bring the library in, undisturbed."""
        if not self.world.seconds:
            self.bring_in(kw.library_lines(self.world, 0))

    def bring_in(self, lines: Sequence[dict[str, Any]]) -> None:
        library = kw.write_library(self.world.root / "library.jsonl", lines)
        before = self.size()
        self.world.run("import", str(library), "--replace")
        self.growth = max(self.size() - before, 100_000)

    def size(self) -> int:
        """Bytes of the databases and their logs: grows while anything is stored."""
        return sum(_size(path) for path in self.world.data.rglob("*.db*"))

    @abstractmethod
    def round(self, tally: Tally) -> list[str]:
        """Kill once, start again, and return what does not hold."""

    def moment(self, running: Running, usual: float, watched: Sequence[Path] = ()) -> tuple[str, Moment]:
        """A random moment: of the usual time, of the growth of the databases, or of the changes of files."""
        way = self.random.choice(["time", "growth", *(["files"] if watched else [])])
        if way == "files":
            path = self.random.choice(watched)
            before, late = _stamp(path), time.monotonic() + usual * 2
            return way, lambda: _stamp(path) != before or time.monotonic() > late
        if way == "growth":
            aim, late = self.size() + self.random.random() * self.growth, time.monotonic() + usual * 2
            return way, _soon_after(lambda: self.size() > aim or time.monotonic() > late, self.random.random() * SOON)
        until = self.random.uniform(0.15, 1.05) * usual
        return way, lambda: running.age > until

    def checked_again(self) -> list[str]:
        """Start the service and look at everything that must hold whatever was killed."""
        with kw.serving(self.world) as (_, address), Client(address) as client:
            found = kw.service_problems(self.world, client, self.random)
        return found + kw.damaged_databases(self.world) + kw.wrong_vectors(self.world, self.random)


class ImportKind(Kind):
    """The first import of everything, or the replacement of half of it."""

    name = "import"

    def round(self, tally: Tally) -> list[str]:
        first = tally.rounds % FIRST_IMPORT_EVERY == 0
        if first:
            shutil.rmtree(self.world.folder, ignore_errors=True)
            shutil.rmtree(self.world.data, ignore_errors=True)
        self.version += 1
        changed = [one for one in self.world.ids if first or self.random.random() < CHANGED_SHARE]
        lines = kw.library_lines(self.world, self.version, changed)
        library = kw.write_library(self.world.root / "library.jsonl", lines)
        before, after = kw.contents(self.world.folder), self.outcome(library)
        running = self.world.start("import", str(library), "--replace")
        watched = [self.world.folder / one / "manifest.yaml" for one in changed]
        way, moment = self.moment(running, self.world.seconds["import"], watched)
        tally.killed += running.kill_when(moment)
        tally.note(way)
        now = kw.contents(self.world.folder)
        found = kw.half_written(now, before, after)
        if re.search(r"\d+ added, \d+ replaced", running.printed()):
            tally.acknowledged += 1
            found += [] if now == after else ["an acknowledged import is not there"]
        found += self.checked_again()
        self.world.run("import", str(library), "--replace")
        found += [] if kw.contents(self.world.folder) == after else ["running the import again did not complete it"]
        return found + _unsaid(after, lines) + kw.leftovers(self.world)

    def outcome(self, library: Path) -> dict[str, kw.Bytes]:
        """What an import that nobody kills makes of the folder as it is now."""
        copy = self.world.root / "outcome"
        shutil.rmtree(copy, ignore_errors=True)
        if self.world.folder.is_dir():
            shutil.copytree(self.world.folder, copy, ignore=shutil.ignore_patterns(".*"))
        import_library(read_library(library), copy, scope=Scope.user, replace=True)
        return kw.contents(copy)


class ReindexKind(Kind):
    """A reindex after hand edits, deleted skills, or with all vectors gone."""

    name = "reindex"

    def round(self, tally: Tally) -> list[str]:
        self.edit()
        if self.random.random() < 0.5:
            shutil.rmtree(self.world.data / "vectors", ignore_errors=True)
        before = kw.contents(self.world.folder)
        running = self.world.start("reindex")
        way, moment = self.moment(running, self.world.seconds.get("reindex", self.world.seconds["import"]))
        tally.killed += running.kill_when(moment)
        tally.note(way)
        tally.acknowledged += "utterances:" in running.printed()
        found = [] if kw.contents(self.world.folder) == before else ["a reindex changed skill files"]
        found += self.checked_again()
        if tally.rounds % 5 == 0:
            self.world.run("reindex")
        return found + kw.leftovers(self.world)

    def edit(self) -> None:
        """Rewrite some skills by hand, take some away, bring some back."""
        self.version += 1
        for line in kw.library_lines(self.world, self.version):
            folder = self.world.folder / line["id"]
            chance = self.random.random()
            if chance < 0.05:
                shutil.rmtree(folder, ignore_errors=True)
            elif chance < 0.3:
                folder.mkdir(exist_ok=True)
                text = f"---\nname: {line['id']}\ndescription: {line['description']}\n---\n\n{line['body']}"
                (folder / "SKILL.md").write_text(text, encoding="utf-8")
                if not (folder / "manifest.yaml").exists():
                    manifest = f"id: {line['id']}\ntriggers: {json.dumps(line['triggers'])}\n"
                    (folder / "manifest.yaml").write_text(manifest, encoding="utf-8")


@dataclass
class Lesson:
    """An acknowledged feedback: its id and what it taught."""

    feedback_id: str
    skill_id: str
    message: str
    taught: list[str]


class FeedbackKind(Kind):
    """What people taught, over HTTP or on the command line, is kept and counts."""

    def __init__(self, world: World, random_: random.Random) -> None:
        super().__init__(world, random_)
        self.lessons: list[Lesson] = []
        self.turn = 0

    def next_skill(self) -> str:
        self.turn += 1
        return self.world.ids[self.turn % len(self.world.ids)]

    def kept(self, recent: int) -> list[str]:
        """Every acknowledged lesson is stored; nothing half is; the newest count in answers."""
        ids = {row[0] for row in kw.rows_of(self.world, "SELECT id FROM feedback")}
        taught = {row[0] for row in kw.rows_of(self.world, "SELECT id FROM taught WHERE removed_at IS NULL")}
        found = [f"feedback {one.feedback_id} is lost" for one in self.lessons if one.feedback_id not in ids]
        found += [f"what {one.feedback_id} taught is lost" for one in self.lessons if not taught.issuperset(one.taught)]
        half = "SELECT id FROM feedback WHERE id NOT IN (SELECT feedback_id FROM taught)"
        found += [f"feedback {row[0]} is half-written" for row in kw.rows_of(self.world, half)]
        orphans = "SELECT id FROM taught WHERE feedback_id NOT IN (SELECT id FROM feedback)"
        found += [f"taught {row[0]} is half-written" for row in kw.rows_of(self.world, orphans)]
        with kw.serving(self.world) as (_, address), Client(address) as client:
            found += kw.service_problems(self.world, client, self.random)
            newest = self.lessons[-recent:] if recent else []
            for lesson in self.random.sample(newest, min(5, len(newest))):
                found += self.without_effect(client, lesson)
        return found + kw.damaged_databases(self.world) + kw.wrong_vectors(self.world, self.random)

    def without_effect(self, client: Client, lesson: Lesson) -> list[str]:
        listed = {one["id"] for one in client.get(f"/skills/{lesson.skill_id}/taught")}
        found = [] if listed.issuperset(lesson.taught) else [f"{lesson.skill_id} does not list what it was taught"]
        if lesson.taught and (answered := kw.best(client.resolve(lesson.message))) != lesson.skill_id:
            found.append(f"{lesson.message!r} was taught to {lesson.skill_id} but finds {answered}")
        return found


class HttpFeedbackKind(FeedbackKind):
    """`POST /feedback` from two clients while the service is killed."""

    name = "feedback over HTTP"

    def round(self, tally: Tally) -> list[str]:
        known = len(self.lessons)
        with kw.serving(self.world) as (running, address):
            threads = [
                threading.Thread(target=self.teach, args=(address, random.Random(self.random.random())))
                for _ in range(FEEDBACK_CLIENTS)
            ]
            until = time.monotonic() + self.random.uniform(0.0, 1.5)
            for thread in threads:
                thread.start()
            tally.killed += running.kill_when(lambda: time.monotonic() > until)
            for thread in threads:
                thread.join()
        tally.note("time")
        new = len(self.lessons) - known
        tally.acknowledged += new
        return self.kept(new) + kw.leftovers(self.world)

    def teach(self, address: str, random_: random.Random) -> None:
        """Resolve and give feedback until the service is gone."""
        try:
            with Client(address) as client:
                for _ in range(FEEDBACK_MOST // FEEDBACK_CLIENTS):
                    message, skill_id = kw.strange_message(random_), self.next_skill()
                    verdict = {
                        "resolutionId": client.resolve(message)["resolutionId"],
                        "verdict": "should_be",
                        "skillId": skill_id,
                    }
                    status, answer = client.ask("POST", "/feedback", verdict)
                    if status != 200:
                        raise Broken(f"POST /feedback answered {status}: {answer}")
                    ids = [one["id"] for one in answer["taught"]]
                    self.lessons.append(Lesson(answer["feedbackId"], skill_id, message, ids))
        except (OSError, http.client.HTTPException, ValueError):
            return  # killed


class CliFeedbackKind(FeedbackKind):
    """`wellworn feedback` is killed."""

    name = "feedback on the command line"

    def round(self, tally: Tally) -> list[str]:
        message, skill_id = kw.strange_message(self.random), self.next_skill()
        resolution = json.loads(self.world.run("resolve", message, "--json"))["resolutionId"]
        running = self.world.start("feedback", resolution, "should-be", skill_id)
        self.growth = 10_000
        way, moment = self.moment(running, self.world.seconds["resolve"])
        tally.killed += running.kill_when(moment)
        tally.note(way)
        said = re.search(r"Recorded as (\w+)\.", running.printed())
        if said:
            tally.acknowledged += 1
            query = "SELECT feedback_id, id FROM taught"
            ids = [row[1] for row in kw.rows_of(self.world, query) if row[0] == said[1]]
            self.lessons.append(Lesson(said[1], skill_id, message, ids))
        lost = [] if not said or self.lessons[-1].taught else [f"feedback {said[1]} taught nothing"]
        return lost + self.kept(1 if said else 0) + kw.leftovers(self.world)


KINDS: tuple[type[Kind], ...] = (ImportKind, ReindexKind, HttpFeedbackKind, CliFeedbackKind)


def _soon_after(moment: Moment, delay: float) -> Moment:
    """True `delay` seconds after `moment` first was."""
    until: list[float] = []

    def now() -> bool:
        if not until and moment():
            until.append(time.monotonic() + delay)
        return bool(until) and time.monotonic() >= until[0]

    return now


def _size(path: Path) -> int:
    """Bytes of a file; 0 of a journal that went away between the listing and the look."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _stamp(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _unsaid(after: dict[str, kw.Bytes], lines: Sequence[dict[str, Any]]) -> list[str]:
    """Lines of a library whose text does not stand in the files word for word."""
    missing = [
        line["id"]
        for line in lines
        if line["body"].strip().encode() not in after[line["id"]][0]
        or line["description"].encode() not in after[line["id"]][0]
    ]
    return [f"{skill_id} is not as its library says" for skill_id in missing[:3]]


def run_kind(kind: type[Kind], folder: Path, rounds: int, seed: int, *, skills: int, bundled: bool) -> Tally:
    """Kill `rounds` times; with `bundled` some of the rounds encode with the real model."""
    tally = Tally(kind.name)
    begun = time.monotonic()
    worlds = {
        encoder: kind(World(folder / encoder, encoder, skills), random.Random(f"{seed}{kind.name}{encoder}"))
        for encoder in ("hashing", "bundled")
    }
    for number in range(rounds):
        encoder = "bundled" if bundled and number % BUNDLED_EVERY == BUNDLED_EVERY - 1 else "hashing"
        one = worlds[encoder]
        one.world.root.mkdir(parents=True, exist_ok=True)
        try:
            one.prepare()
            found = one.round(tally)
        except Broken as error:
            found = [str(error)]
        tally.rounds += 1
        tally.violations += [f"round {number} ({encoder}): {problem}" for problem in found]
        for problem in found:
            sys.stderr.write(f"{kind.name}, round {number} ({encoder}): {problem}\n")
    tally.seconds = time.monotonic() - begun
    return tally


def table(tallies: Sequence[Tally]) -> str:
    """A Markdown table, one row a kind."""
    lines = [
        "| killed during | rounds | killed before it ended | acknowledged | moments | violations | seconds |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in tallies:
        moments = ", ".join(f"{count} {way}" for way, count in sorted(one.moments.items()))
        lines.append(
            f"| {one.what} | {one.rounds} | {one.killed} | {one.acknowledged} | {moments} "
            f"| {len(one.violations)} | {one.seconds:.0f} |"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of import, of reindex and of feedback, each")
    parser.add_argument("--skills", type=int, default=300, help="at most 300")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=["import", "reindex", "feedback"], help="one of them")
    parser.add_argument("--no-bundled", action="store_true", help="never load the real model")
    parser.add_argument("--keep", type=Path, help="leave the folders here")
    parser.add_argument("--json", type=Path, help="write the results here as well")
    options = parser.parse_args(arguments)
    tallies = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        for number, kind in enumerate(KINDS):
            if options.only is None or kind.name.startswith(options.only):
                half = (options.rounds + 1) // 2 if kind is HttpFeedbackKind else options.rounds // 2
                rounds = half if issubclass(kind, FeedbackKind) else options.rounds
                place = folder / str(number)
                tallies.append(
                    run_kind(kind, place, rounds, options.seed, skills=options.skills, bundled=not options.no_bundled)
                )
                print(table(tallies), flush=True)
    if options.json:
        text = json.dumps([asdict(tally) for tally in tallies], indent=1)
        options.json.write_text(text + "\n", encoding="utf-8")
    return 1 if any(tally.violations for tally in tallies) else 0


if __name__ == "__main__":
    sys.exit(main())
