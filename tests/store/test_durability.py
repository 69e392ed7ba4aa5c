"""kill -9 at any moment: what was acknowledged is there, nothing half-written is, and no repair is needed."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wellworn.models.skill import Scope
from wellworn.store.database import Database
from wellworn.store.skills import SkillTable
from wellworn.store.vectors import VectorStore

FINGERPRINT, DIM = "ab" * 16, 16
ROUNDS = 25
WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from wellworn.models.resolution import Verdict
from wellworn.models.skill import Scope, Skill, SkillManifest, Utterance, UtteranceField
from wellworn.store.database import Database
from wellworn.store.feedback import FeedbackRow, FeedbackTable, TaughtRow
from wellworn.store.skills import SkillEntry, SkillTable
from wellworn.store.sources import SourceTable, StoredSource
from wellworn.store.vectors import VectorStore, text_hash

folder, round_number = Path(sys.argv[1]), sys.argv[2]
now = datetime.now(UTC)
db = Database(folder / "wellworn.db")
vectors = VectorStore(folder / "vectors", sys.argv[3], int(sys.argv[4]))
source = StoredSource("home", folder, Scope.user, "local", 1, True, "home", now)
SourceTable(db).put(source, kind="home", now=now)
skills, feedback = SkillTable(db), FeedbackTable(db)
print("ready", flush=True)


def entry(skill_id):
    texts = [Utterance(UtteranceField.alias, f"{skill_id} {number}") for number in range(3)]
    skill = Skill(SkillManifest(id=skill_id), skill_id, "body " * 200, "local", folder / skill_id)
    return SkillEntry(skill, "1", texts, b"words")


number = 0
while True:
    number += 1
    batch = [f"s-{round_number}-{number}-{part}" for part in range(5)]
    skills.put_many("home", [entry(one) for one in batch], now=now)
    print("skills", *batch, flush=True)
    row = FeedbackRow(f"f-{round_number}-{number}", batch[0], Verdict.right, batch[0], batch[0], "message", now)
    taught = TaughtRow(f"t-{row.id}", Scope.user, "local", batch[0], UtteranceField.learned, "message", now, row.id)
    feedback.add(row, [taught])
    print("feedback", row.id, flush=True)
    rows = np.random.default_rng(number).normal(size=(4, int(sys.argv[4]))).astype(np.float32)
    texts = [f"{round_number} {number} {part}" for part in range(4)]
    vectors.put_many([text_hash(text) for text in texts], rows / np.linalg.norm(rows, axis=1, keepdims=True))
"""


def write_until_killed(folder: Path, number: int, seconds: float) -> tuple[set[str], set[str]]:
    """Return the skills and the feedback that a child process said were stored before it was killed."""
    command = [sys.executable, "-c", WRITER, str(folder), str(number), FINGERPRINT, str(DIM)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        lines = process.stdout.read().splitlines(keepends=True)
    skills: set[str] = set()
    feedback: set[str] = set()
    for line in lines:
        if line.endswith("\n"):
            kind, *names = line.split()
            (skills if kind == "skills" else feedback).update(names)
    return skills, feedback


def check_whole(db: Database) -> None:
    """No batch, skill or feedback is there in part only."""
    assert db.row("PRAGMA integrity_check") == ("ok",)
    assert db.rows("PRAGMA foreign_key_check") == []
    incomplete = """SELECT s.skill_id FROM skills AS s
        WHERE (SELECT count(*) FROM utterances AS u WHERE u.skill_key = s.key) <> 3 OR s.effective <> 1
            OR NOT EXISTS (SELECT 1 FROM contents AS c WHERE c.skill_key = s.key)
            OR NOT EXISTS (SELECT 1 FROM changes AS c WHERE c.skill_key = s.key)"""
    assert db.rows(incomplete) == []
    assert db.rows("SELECT id FROM feedback WHERE id NOT IN (SELECT feedback_id FROM taught)") == []
    batches = db.rows("SELECT count(*) FROM skills GROUP BY substr(skill_id, 1, length(skill_id) - 2)")
    assert {size for (size,) in batches} <= {5}


@pytest.mark.slow
def test_no_acknowledged_write_is_lost_by_kill_at_random_moments(tmp_path: Path) -> None:
    moments = random.Random(7)
    skills: set[str] = set()
    feedback: set[str] = set()
    for number in range(ROUNDS):
        more_skills, more_feedback = write_until_killed(tmp_path, number, moments.uniform(0, 0.25))
        skills |= more_skills
        feedback |= more_feedback
        with Database(tmp_path / "wellworn.db") as db:
            check_whole(db)
            assert skills <= {card.id for card in SkillTable(db).cards(Scope.user, "local")}
            assert feedback <= {row[0] for row in db.rows("SELECT id FROM feedback")}
        with VectorStore(tmp_path / "vectors", FINGERPRINT, DIM) as vectors:
            assert len(vectors.load_all()[0]) % 4 == 0
            assert vectors.problems == []
    assert len(skills) > ROUNDS
