"""The index of a running process: follows the store, heals itself, is never out."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.index.makers import DISABLED, ENCODER, NOW, USER, found, make_skill, make_source, open_data, open_live, put

from wellworn.index.encoder import Encoder, FloatArray
from wellworn.index.encoders.hashing import HashingEncoder
from wellworn.index.lexical import query_terms
from wellworn.index.live import INLINE_TEXTS, LiveIndex
from wellworn.index.status import ReindexProgress
from wellworn.index.writes import remove_skills, upsert_skills
from wellworn.models.errors import EncoderUnavailable, Unavailable
from wellworn.models.skill import Scope, Skill
from wellworn.store.database import Database
from wellworn.store.skills import SkillTable


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with open_data(tmp_path, make_source(Path("/skills"))) as database:
        yield database


class CountingEncoder:
    """The hashing encoder, which counts the texts that it embeds; `ready` False makes it fail, `hook` runs first."""

    def __init__(self, encoder: Encoder = ENCODER) -> None:
        self.encoder = encoder
        self.texts = 0
        self.ready = True
        self.hook: Callable[[], object] = lambda: None

    @property
    def name(self) -> str:
        return self.encoder.name

    @property
    def dim(self) -> int:
        return self.encoder.dim

    @property
    def fingerprint(self) -> str:
        return self.encoder.fingerprint

    def encode(self, texts: Sequence[str]) -> FloatArray:
        if not self.ready:
            raise EncoderUnavailable("The encoder is away.")
        self.hook()
        self.texts += len(texts)
        return self.encoder.encode(texts)


def wait_until(holds: Callable[[], bool], seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)
    return holds()


def library(count: int) -> list[Skill]:
    return [make_skill(f"skill-{n}", aliases=[f"alias number {n}", f"other word {n}"]) for n in range(count)]


def test_a_stored_skill_is_found_after_a_refresh(db: Database) -> None:
    with open_live(db) as live:
        assert found(live, "ship it") == []
        put(db, make_skill("ship-it", aliases=["ship it"]))
        assert live.refresh()
        assert found(live, "ship it") == ["ship-it"]
        assert not live.refresh()


def test_an_old_snapshot_does_not_change(db: Database) -> None:
    with open_live(db) as live:
        before = live.snapshot
        put(db, make_skill("ship-it"))
        live.refresh()
        assert before.view([USER]).size == 0
        assert live.snapshot.generation > before.generation


def test_an_edited_skill_answers_to_its_new_words_only(db: Database) -> None:
    put(db, make_skill("ship-it", aliases=["send the parcel"]))
    with open_live(db) as live:
        live.fill()
        put(db, make_skill("ship-it", aliases=["publish the wheel"]), stamp="2")
        live.refresh()
        view = live.snapshot.view([USER])
        assert view.exact("publish the wheel")
        assert view.exact("send the parcel") == []
        assert view.size == 1


def test_a_removed_skill_is_gone_at_once(db: Database) -> None:
    keys = put(db, make_skill("ship-it"), make_skill("other"))
    with open_live(db) as live:
        live.fill()
        assert remove_skills(db, live, keys[:1], now=NOW) == 1
        assert found(live, "ship it") == ["other"]


def test_when_all_skills_are_disabled_nothing_is_found(db: Database) -> None:
    with open_live(db) as live:
        upsert_skills(db, live, "home", [make_skill("ship-it")], now=NOW)
        assert found(live, "ship it") == ["ship-it"]
        upsert_skills(db, live, "home", [make_skill("ship-it", trust=DISABLED)], now=NOW)
        view = live.snapshot.view([USER])
        assert found(live, "ship it") == []
        assert view.exact("ship it") == []
        assert view.lexical(query_terms("ship")).top(5).tolist() == []
        assert live.status().healthy


def test_an_upsert_returns_when_many_new_texts_are_searchable(db: Database) -> None:
    skills = [make_skill(f"s{n}", aliases=[f"thing {n} {m}" for m in range(20)]) for n in range(10)]
    with open_live(db) as live:
        upsert_skills(db, live, "home", skills, now=NOW)
        assert found(live, "thing 7 13", k=1) == ["s7"]
        assert live.status().pending == 0


def test_a_restart_embeds_nothing(db: Database) -> None:
    put(db, *library(40))
    first, second = CountingEncoder(), CountingEncoder()
    with open_live(db, first) as live:
        live.fill()
        assert first.texts > 0
    with open_live(db, second) as live:
        assert live.fill() == 0
        assert second.texts == 0
        assert found(live, "alias number 7", k=1) == ["skill-7"]


def test_usage_reaches_the_card_without_embedding_or_a_new_segment(db: Database) -> None:
    keys = put(db, make_skill("ship-it"))
    encoder = CountingEncoder()
    with open_live(db, encoder) as live:
        live.fill()
        texts, before = encoder.texts, live.snapshot.partitions[USER]
        SkillTable(db).record_usage(keys, NOW)
        live.refresh()
        after = live.snapshot.partitions[USER]
        assert after.parts[0].cards[0].stats.usage_count == 1
        assert after.parts[0].segment is before.parts[0].segment
        assert encoder.texts == texts


def test_many_new_skills_are_found_by_words_first_and_by_meaning_when_filled(db: Database) -> None:
    put(db, *library(INLINE_TEXTS))
    with open_live(db) as live:
        view = live.snapshot.view([USER])
        assert [view.card(ref).id for ref in view.lexical(query_terms("skill")).top(100).tolist()]
        status = live.status()
        assert status.pending == INLINE_TEXTS
        assert not status.healthy
        assert any("not embedded yet" in problem for problem in status.problems)
        live.fill()
        assert live.status().pending == 0
        assert live.status().problems == ()
        assert found(live, "alias number 7", k=1) == ["skill-7"]


def test_deleted_vectors_are_embedded_again(db: Database, tmp_path: Path) -> None:
    put(db, *library(5))
    with open_live(db) as live:
        live.fill()
    for file in (tmp_path / "vectors").iterdir():
        file.unlink()
    with open_live(db) as live:
        assert live.status().pending == 5
        live.fill()
        assert found(live, "alias number 3", k=1) == ["skill-3"]


def test_a_damaged_vector_file_is_reported_and_never_served(db: Database, tmp_path: Path) -> None:
    put(db, *library(30))
    with open_live(db) as live:
        live.fill()
    (file,) = (tmp_path / "vectors").glob("*.db")
    file.write_bytes(b"not a database at all" * 500)
    with open_live(db) as live:
        assert any("set aside" in problem for problem in live.status().problems)
        assert live.snapshot.view([USER]).vectors == 0
        live.fill()
        assert found(live, "alias number 3", k=1) == ["skill-3"]


def test_a_flipped_bit_in_a_vector_costs_that_vector_only(db: Database, tmp_path: Path) -> None:
    put(db, *library(10))
    with open_live(db) as live:
        live.fill()
        total = live.status().vectors
    (file,) = (tmp_path / "vectors").glob("*.db")
    with sqlite3.connect(file) as connection:
        digest, vector = connection.execute("SELECT hash, vector FROM vectors LIMIT 1").fetchone()
        flipped = bytes([vector[0] ^ 1]) + vector[1:]
        connection.execute("UPDATE vectors SET vector = ? WHERE hash = ?", (flipped, digest))
    connection.close()
    with open_live(db) as live:
        assert total - 11 < live.status().vectors < total
        live.fill()
        assert live.status().vectors == total


def test_a_failing_encoder_delays_embedding_and_is_reported(db: Database) -> None:
    encoder = CountingEncoder()
    encoder.ready = False
    with open_live(db, encoder) as live:
        put(db, make_skill("ship-it", aliases=["ship it"]))
        live.refresh()
        view = live.snapshot.view([USER])
        assert view.exact("ship it")
        assert "The encoder is away." in live.status().problems
        encoder.ready = True
        live.fill()
        assert found(live, "ship it") == ["ship-it"]
        assert live.status().problems == ()


def test_a_reindex_reports_what_it_did_and_skipped(db: Database) -> None:
    put(db, make_skill("ship-it"), make_skill("off", trust=DISABLED))
    seen: list[ReindexProgress] = []
    with open_live(db) as live:
        first = live.reindex(seen.append, sync=False)
        again = live.reindex(sync=False)
    assert (first.skills, first.embedded, first.reused) == (1, 2, 0)
    assert (again.embedded, again.reused) == (0, 2)
    assert first.skipped == (("off", "its trust is disabled"),)
    assert [one.stage for one in seen] == ["embed", "embed", "build", "build"]
    assert seen[1].done == seen[1].total == 2


def test_questions_are_answered_during_a_reindex(db: Database) -> None:
    put(db, *library(30))
    encoder = CountingEncoder()
    with open_live(db, encoder) as live:
        live.fill()
        put(db, *[make_skill(f"new-{n}", aliases=[f"fresh {n} {m}" for m in range(9)]) for n in range(30)], stamp="2")
        answers: list[list[str]] = []
        encoder.hook = lambda: answers.append(found_with(live, "alias number 7"))
        live.reindex(sync=False)
        assert answers
        assert all(answer == ["skill-7"] for answer in answers)
        encoder.hook = lambda: None
        assert found(live, "fresh 3 3", k=1) == ["new-3"]


def found_with(live: LiveIndex, message: str) -> list[str]:
    view = live.snapshot.view([USER])
    return [view.card(hit.ref).id for hit in view.search(ENCODER.encode([message])[0], 1)]


def test_a_second_reindex_at_the_same_time_is_refused(db: Database) -> None:
    put(db, *library(3))
    encoder = CountingEncoder()
    with open_live(db, encoder) as live:
        refused: list[type[Exception]] = []

        def again() -> None:
            with pytest.raises(Unavailable):
                live.reindex(sync=False)
            refused.append(Unavailable)

        encoder.hook = again
        live.reindex(sync=False)
        assert refused


def test_a_reindex_that_failed_goes_on_where_it_stopped(db: Database) -> None:
    put(db, *[make_skill(f"s{n}", aliases=[f"thing {n} {m}" for m in range(30)]) for n in range(20)])
    encoder = CountingEncoder()
    with open_live(db, encoder) as live:
        calls = iter(range(100))

        def fail_at_second() -> None:
            if next(calls) == 1:
                raise EncoderUnavailable("The encoder is away.")

        encoder.hook = fail_at_second
        with pytest.raises(EncoderUnavailable):
            live.reindex(sync=False)
        assert encoder.texts == 256
        report = live.reindex(sync=False)
        assert report.reused == 256
        assert live.status().pending == 0


def test_another_encoder_serves_only_when_everything_is_embedded_with_it(db: Database) -> None:
    put(db, *library(20))
    with open_live(db) as live:
        live.fill()
        old = live.snapshot
        other = CountingEncoder(HashingEncoder(128))
        seen: list[str] = []
        other.hook = lambda: seen.append(live.snapshot.fingerprint)
        live.switch_encoder(other)
        assert set(seen) == {old.fingerprint}
        assert live.snapshot.fingerprint == other.fingerprint
        assert found(live, "alias number 7", k=1) == ["skill-7"]
        put(db, make_skill("later", aliases=["something later"]))
        live.refresh()
        assert found(live, "something later", k=1) == ["later"]
        assert len(old.view([USER]).search(ENCODER.encode(["alias number 7"])[0], 3)) == 3


def test_an_encoder_that_fails_leaves_the_old_generation_serving(db: Database) -> None:
    put(db, *library(3))
    with open_live(db) as live:
        live.fill()
        other = CountingEncoder(HashingEncoder(128))
        other.ready = False
        with pytest.raises(EncoderUnavailable):
            live.switch_encoder(other)
        assert live.snapshot.fingerprint == ENCODER.fingerprint
        assert found(live, "alias number 2", k=1) == ["skill-2"]


def test_partitions_are_kept_apart(tmp_path: Path) -> None:
    repo = make_source(Path("/repo"), "repo", scope=Scope.repo, owner="host/a")
    with open_data(tmp_path, make_source(Path("/skills")), repo) as db, open_live(db) as live:
        put(db, make_skill("mine", aliases=["do the thing"]))
        theirs = make_skill("theirs", aliases=["do the thing"], scope=Scope.repo, owner="host/a", root=Path("/repo"))
        put(db, theirs, source_id="repo")
        live.refresh()
        assert found(live, "do the thing") == ["mine"]
        assert set(found(live, "do the thing", owners=[USER, (Scope.repo, "host/a")])) == {"mine", "theirs"}


def test_the_threads_embed_and_merge_in_the_background(db: Database) -> None:
    with open_live(db) as live:
        live.start()
        put(db, *library(200))
        assert wait_until(lambda: live.snapshot.view([USER]).size == 200 and live.status().pending == 0)
        assert found(live, "alias number 150", k=1) == ["skill-150"]
        assert wait_until(lambda: live.status().segments <= 5)


def test_a_failing_background_does_not_end_the_thread(db: Database) -> None:
    encoder = CountingEncoder()
    encoder.ready = False
    with open_live(db, encoder) as live:
        live.start()
        put(db, make_skill("one", aliases=["first thing"]))
        assert wait_until(lambda: "The encoder is away." in live.status().problems)
        encoder.ready = True
        put(db, make_skill("two", aliases=["second thing"]))
        assert wait_until(lambda: found(live, "second thing", k=1) == ["two"])


def test_closing_leaves_no_thread(db: Database) -> None:
    before = threading.active_count()
    for _ in range(5):
        live = open_live(db)
        live.start()
        live.close()
        live.close()
    assert threading.active_count() == before


def test_a_large_change_loads_the_partition_anew(db: Database) -> None:
    with open_live(db) as live:
        put(db, *[make_skill(f"s-{n}", description="") for n in range(4_100)])
        live.refresh()
        assert live.snapshot.view([USER]).size == 4_100
        assert live.status().segments == 1


def test_a_cold_start_equals_the_index_that_grew(db: Database) -> None:
    with open_live(db) as live:
        for n in range(30):
            put(db, make_skill(f"skill-{n % 12}", aliases=[f"alias {n}"]), stamp=str(n))
            live.refresh()
        grown = live.snapshot.view([USER])
        with open_live(db) as fresh:
            cold = fresh.snapshot.view([USER])
            for query in ENCODER.encode([f"alias {n}" for n in range(30)]):
                one, other = grown.search(query, 10), cold.search(query, 10)
                assert np.allclose([hit.cosine for hit in one], [hit.cosine for hit in other], atol=1e-5)
            terms = query_terms("alias skill about")
            assert np.isclose(grown.lexical(terms).whole.sum(), cold.lexical(terms).whole.sum(), rtol=1e-4)
