"""Data folders, vector files and encoders that cannot be used, or are not what they were."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.service.http.serving import wait_until
from tests.service.worlds import ME, SHIP, World, ask, best

from wellworn.index.encoder import FloatArray
from wellworn.index.encoders import open_encoder
from wellworn.index.encoders.hashing import HashingEncoder
from wellworn.models.errors import EncoderUnavailable, InvalidInput, NewerStore, StoreError
from wellworn.service.workspace import Workspace
from wellworn.store.migrations import MIGRATIONS


class HeldEncoder(HashingEncoder):
    """Encodes nothing before `go` is set."""

    def __init__(self, dim: int) -> None:
        super().__init__(dim)
        self.go = threading.Event()

    def encode(self, texts: Sequence[str]) -> FloatArray:
        assert self.go.wait(20)
        return super().encode(texts)


def vector_file(world: World, spec: str = "hashing:64") -> Path:
    return world.data / "vectors" / f"{open_encoder(spec).fingerprint[:32]}.db"


def answers(world: World) -> bool:
    with world.open() as workspace:
        return ask(workspace, SHIP).skill_id == "release-local"


@pytest.mark.parametrize("place", ["file/below", "file"])
def test_a_data_folder_that_cannot_be_written_is_one_sentence(world: World, place: str) -> None:
    (world.root / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(StoreError, match="Choose a folder"), world.open(data_dir=world.root / place):
        pass
    assert (world.root / "file").read_text(encoding="utf-8") == "in the way"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_data_folder_without_permission_is_one_sentence(world: World) -> None:
    world.data.mkdir(mode=0o500)
    with pytest.raises(StoreError, match="Choose a folder"), world.open():
        pass


def test_a_lock_that_cannot_be_opened_is_one_sentence(world: World) -> None:
    (world.data / "serving.lock").mkdir(parents=True)
    with pytest.raises(StoreError, match=r"serving\.lock cannot be used"), world.open():
        pass


def test_a_database_of_a_newer_version_is_refused_and_stays_as_it_is(world: World) -> None:
    world.usual()
    assert answers(world)
    with sqlite3.connect(world.data / "wellworn.db") as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    before = (world.data / "wellworn.db").read_bytes()
    with pytest.raises(NewerStore, match="newer version"), world.open():
        pass
    assert (world.data / "wellworn.db").read_bytes() == before


def test_a_damaged_vector_file_is_rebuilt_and_told(world: World) -> None:
    world.usual()
    assert answers(world)
    vector_file(world).write_bytes(b"not a database at all" * 1000)
    with world.open() as workspace:
        assert ask(workspace, SHIP).skill_id == "release-local"
        health = workspace.health()
    assert health.status == "degraded"
    assert any("set aside" in problem for problem in health.problems)
    assert answers(world)


def test_a_vector_file_of_another_model_is_never_served(world: World) -> None:
    world.usual()
    with world.open(encoder="hashing:128") as workspace:
        ask(workspace, SHIP)
    vector_file(world).write_bytes(vector_file(world, "hashing:128").read_bytes())
    with world.open() as workspace:
        assert ask(workspace, SHIP).skill_id == "release-local"
        assert any("another encoder" in problem for problem in workspace.health().problems)


@pytest.mark.parametrize("spec", ["nonsense", "hashing:x", "sentence-transformers:no/such-model-anywhere"])
def test_an_encoder_that_does_not_exist_is_one_sentence(world: World, spec: str) -> None:
    world.usual()
    with pytest.raises((InvalidInput, EncoderUnavailable)) as error, world.open(encoder=spec, background=True):
        pass
    assert str(error.value).count("\n") == 0
    assert error.value.hint


def test_listing_skills_needs_no_encoder(world: World) -> None:
    world.usual()
    with world.open(encoder="nonsense") as workspace:
        assert workspace.skills(ME).total == 3
        with pytest.raises(InvalidInput, match="no encoder called 'nonsense'"):
            ask(workspace, SHIP)


class TestAnotherEncoder:
    """The setting changes between two starts."""

    def test_it_keeps_answering_and_changes_over_behind_the_answers(self, world: World) -> None:
        world.usual()
        assert answers(world)
        held = HeldEncoder(128)
        with Workspace.open(world.settings(), encoder=held, background=True) as workspace:
            for _ in range(3):
                answer = ask(workspace, SHIP, explain=True)
                assert answer.skill_id == "release-local"
                assert answer.contributions is not None
                assert answer.contributions.encoder == "hashing:64"
            assert _recorded(world) == "hashing:64"
            held.go.set()
            wait_until(lambda: workspace.encoder.name == "hashing:128", 10)
            assert ask(workspace, SHIP).skill_id == "release-local"
            wait_until(lambda: _recorded(world) == "hashing:128", 5)

    def test_closing_while_it_changes_over_is_quiet_and_it_goes_on_the_next_time(self, world: World) -> None:
        world.usual()
        assert answers(world)
        held = HeldEncoder(128)
        threading.Timer(0.3, held.go.set).start()
        with Workspace.open(world.settings(), encoder=held, background=True) as workspace:
            assert ask(workspace, SHIP).skill_id == "release-local"
        with world.open(background=True, encoder="hashing:128") as workspace:
            wait_until(lambda: workspace.encoder.name == "hashing:128", 10)

    def test_a_former_encoder_that_is_gone_is_told_until_all_is_embedded_anew(self, world: World) -> None:
        world.usual()
        assert answers(world)
        (world.data / "encoder.json").write_text('{"spec": "gone:model", "fingerprint": "ab"}', encoding="utf-8")
        with world.open(background=True, encoder="hashing:128") as workspace:
            assert best(ask(workspace, SHIP)) == "release-local"
            assert any("gone:model" in one for one in workspace.health().problems)
            wait_until(lambda: not any("gone:model" in one for one in workspace.health().problems), 5)
            assert _recorded(world) == "hashing:128"

    def test_a_command_embeds_everything_before_it_answers(self, world: World) -> None:
        world.usual()
        assert answers(world)
        with world.open(encoder="hashing:128") as workspace:
            assert ask(workspace, SHIP, explain=True).skill_id == "release-local"
            assert workspace.index_status().pending == 0
        assert _recorded(world) == "hashing:128"

    @pytest.mark.parametrize("content", [b"", b"[]", b'{"spec": 3}', b"\xff\xfe"])
    def test_a_broken_record_is_as_good_as_none(self, world: World, content: bytes) -> None:
        world.usual()
        assert answers(world)
        (world.data / "encoder.json").write_bytes(content)
        with world.open(background=True) as workspace:
            assert ask(workspace, SHIP).skill_id == "release-local"


def _recorded(world: World) -> str:
    found: str = json.loads((world.data / "encoder.json").read_text(encoding="utf-8"))["spec"]
    return found


def test_a_broken_calibration_costs_a_note_and_no_answer(world: World) -> None:
    world.usual()
    world.data.mkdir()
    (world.data / "calibration.json").write_text("{", encoding="utf-8")
    with world.open() as workspace:
        answer = ask(workspace, SHIP)
        assert answer.skill_id == "release-local"
        assert any("calibrate --reset" in note for note in answer.notes)
        workspace.calibrate(reset=True)
        assert not any("calibrat" in note and "cannot" in note for note in ask(workspace, SHIP).notes)


def test_a_parameter_file_that_cannot_be_used_is_one_sentence(world: World) -> None:
    world.usual()
    (world.root / "bad.json").write_text("{}", encoding="utf-8")
    for name in ("bad.json", "missing.json"):
        with world.open(parameters=world.root / name) as workspace, pytest.raises(InvalidInput, match=name):
            ask(workspace, SHIP)


def test_opening_and_closing_leaves_no_thread_or_file_open(world: World) -> None:
    world.usual()

    def descriptors() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    with world.open(background=True) as workspace:
        ask(workspace, SHIP)
    threads, files, rounds = threading.active_count(), descriptors(), 10
    for _ in range(rounds):
        with world.open(background=True) as workspace:
            ask(workspace, SHIP)
    assert threading.active_count() == threads
    assert descriptors() < files + rounds  # the file watcher's own thread closes its last two a moment later


def test_a_failure_while_opening_lets_go_of_everything(world: World) -> None:
    world.usual()
    with pytest.raises(InvalidInput):
        Workspace.open(world.settings(encoder="nonsense"), background=True)
    assert answers(world)
