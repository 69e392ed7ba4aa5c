"""The command line's client: finds the service of its data folder, and gets back our own errors."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.service.http.fakes import FakeWorkspace, ask
from tests.service.http.serving import TOKEN, Served, served

from wellworn.models.errors import Conflict, NotAuthenticated, NotFound, StoreError, Unavailable
from wellworn.models.reports import ReindexReport, ShowProgress
from wellworn.service.http.client import ServiceClient, find_service
from wellworn.service.http.place import Place, read_place, remove_place, write_place
from wellworn.service.settings import Settings
from wellworn.store.database import Database
from wellworn.store.keys import KeyTable


@pytest.fixture
def workspace() -> FakeWorkspace:
    return FakeWorkspace()


@pytest.fixture
def service(tmp_path: Path, workspace: FakeWorkspace) -> Iterator[Served]:
    with served(tmp_path, lambda _: workspace) as running:
        yield running


def settings_of(folder: Path) -> Settings:
    return Settings(data_dir=folder, home=folder)


def announced(service: Served, folder: Path, **changed: object) -> None:
    """Announce `service` in `folder`, with some facts wrong."""
    facts = {"address": service.address, "pid": os.getpid(), "instance": service.app.state.running.instance}
    write_place(folder, Place(**{**facts, "token": TOKEN, **changed}))


def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_an_announced_service_is_found_and_used(service: Served, tmp_path: Path) -> None:
    announced(service, tmp_path)
    client = find_service(settings_of(tmp_path))
    assert client is not None
    with client:
        assert client.resolve(ask("ship it")).reason == "ship it"


def test_without_an_announcement_there_is_no_service(tmp_path: Path) -> None:
    assert find_service(settings_of(tmp_path)) is None


def test_a_service_whose_process_has_ended_is_not_found(service: Served, tmp_path: Path) -> None:
    announced(service, tmp_path, pid=dead_pid())
    assert find_service(settings_of(tmp_path)) is None


def test_another_service_at_the_address_is_not_taken_for_ours(service: Served, tmp_path: Path) -> None:
    announced(service, tmp_path, instance="another")
    assert find_service(settings_of(tmp_path)) is None


def test_an_address_where_nobody_answers_is_no_service(tmp_path: Path) -> None:
    write_place(tmp_path, Place("http://127.0.0.1:9", os.getpid(), "x", "y"))
    assert find_service(settings_of(tmp_path)) is None


NO_PROCESS = '{"address": "x", "pid": -1, "instance": "x", "token": ""}'


@pytest.mark.parametrize("text", ["", "{", "[]", '{"address": 1}', NO_PROCESS])
def test_a_damaged_announcement_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "service.json").write_text(text, encoding="utf-8")
    assert read_place(tmp_path) is None


def test_an_announcement_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    write_place(tmp_path, Place("http://127.0.0.1:1", os.getpid(), "x", "secret"))
    assert stat.S_IMODE((tmp_path / "service.json").stat().st_mode) == 0o600


def test_a_service_withdraws_only_its_own_announcement(tmp_path: Path) -> None:
    write_place(tmp_path, Place("http://127.0.0.1:1", os.getpid(), "first", ""))
    write_place(tmp_path, Place("http://127.0.0.1:2", os.getpid(), "second", ""))
    remove_place(tmp_path, "first")
    assert read_place(tmp_path) is not None
    remove_place(tmp_path, "second")
    assert list(tmp_path.iterdir()) == []


def test_a_data_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StoreError, match="cannot be written"):
        write_place(tmp_path / "file", Place("http://127.0.0.1:1", os.getpid(), "x", ""))


def test_a_problem_comes_back_as_the_error_it_was(service: Served) -> None:
    with ServiceClient(service.address) as client, pytest.raises(NotFound) as raised:
        client.resolve(ask("x", repo="unknown"))
    assert (raised.value.field, raised.value.code) == ("context.repo", "not-found")


def test_a_wrong_key_comes_back_as_not_authenticated(tmp_path: Path) -> None:
    database = Database(tmp_path / "wellworn.db")
    with (
        served(tmp_path, lambda _: FakeWorkspace(KeyTable(database))) as service,
        ServiceClient(service.address, "ww_awrong") as client,
        pytest.raises(NotAuthenticated),
    ):
        client.resolve(ask("x"))
    database.close()


def test_a_service_that_went_away_is_unavailable(tmp_path: Path) -> None:
    with served(tmp_path, lambda _: FakeWorkspace()) as service:
        client = ServiceClient(service.address)
        client.resolve(ask("x"))
    with pytest.raises(Unavailable, match="does not answer"):
        client.resolve(ask("x"))
    client.close()


def test_a_reindex_is_followed_to_its_report(service: Served) -> None:
    with ServiceClient(service.address) as client:
        jobs = list(client.reindex())
    assert (jobs[-1]["state"], jobs[-1]["report"]["embedded"]) == ("done", 2)


def test_a_failed_reindex_raises_what_went_wrong(service: Served, workspace: FakeWorkspace) -> None:
    def reindex(progress: ShowProgress) -> ReindexReport:
        raise StoreError("The disk is full.", hint="Make room.")

    workspace.reindexing = reindex
    with ServiceClient(service.address) as client, pytest.raises(StoreError, match="disk is full"):
        list(client.reindex())


def test_a_second_reindex_raises_conflict(service: Served, workspace: FakeWorkspace) -> None:
    def reindex(progress: ShowProgress) -> ReindexReport:
        raise Conflict("Another process is reindexing.")

    workspace.reindexing = reindex
    with ServiceClient(service.address) as client, pytest.raises(Conflict):
        list(client.reindex())


def test_the_client_loads_without_the_web_framework() -> None:
    code = (
        "import sys, wellworn.service.http.client; print({'litestar', 'uvicorn', 'httpx', 'numpy'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert found.stdout.strip() == "set()"
