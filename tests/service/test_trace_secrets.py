"""No planted secret is found anywhere afterwards: database, log of writes, logs, vectors, answers."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.secrets import KINDS, harmless, planted
from tests.service.http.serving import Served, served
from tests.service.worlds import World

from wellworn.lifecycle.importers import import_file
from wellworn.service.importing import import_paths
from wellworn.service.lifetime import utc_now
from wellworn.service.workspace import Workspace

PLANTED = list(planted(225, seed=11))
TIME = "2026-03-01T09:30:00Z"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(Path(tmp_path_factory.mktemp("secrets")))


@pytest.fixture(scope="module")
def service(world: World) -> Iterator[Served]:
    world.usual()

    def open_workspace(_: Any) -> Workspace:
        return Workspace.open(world.settings(), background=True)

    with served(world.data, open_workspace, home=world.home) as running:
        yield running


def event(number: str, **fields: Any) -> dict[str, Any]:
    given = {"id": number, "ts": TIME, "sessionId": "s", "kind": "command_run", "summary": "x"}
    return {**given, **fields}


def placed(at: int, text: str) -> dict[str, Any]:
    """The text at one of the places that an event has."""
    line = " ".join(text.split("\n"))[:180]
    places: tuple[dict[str, Any], ...] = (
        {"summary": text},
        {"summary": f"ran\n{text}\nagain", "kind": "user_intent"},
        {"data": {"command": text}},
        {"data": {"command": f"cd x && {text} && y", "exitCode": 1}},
        {"data": {"nested": {"deep": [{"note": text}, 1]}}},
        {"data": {"stdout": f"line\n{text}", "toolResponse": {"content": [{"text": text}]}}},
        {"data": {text[:200]: "as a name"}},
        {"tags": [text]},
        {"sessionId": line},
        {"id": f"{at} {line}"},
        {"summary": "y" * 470 + " " + text},
    )
    return {**event(f"e{at}"), **places[at % len(places)]}


def stored(world: World) -> bytes:
    """Every byte of the data folder."""
    return b"".join(path.read_bytes() for path in sorted(world.data.rglob("*")) if path.is_file())


def left(text: bytes) -> list[str]:
    """The planted secrets that stand in `text`, also as JSON or SQLite would write them."""
    return [kind for kind, _, secret in PLANTED if secret.encode() in text or json.dumps(secret)[1:-1].encode() in text]


def pages(service: Served, **query: Any) -> Iterator[bytes]:
    cursor: str | None = None
    while True:
        response = service.client.get(
            "/traces", params={**query, "limit": "100", **({"cursor": cursor} if cursor else {})}
        )
        assert response.status_code == 200
        yield response.content
        cursor = response.json()["next"]
        if cursor is None:
            return


def test_at_least_25_kinds_and_200_secrets_are_planted() -> None:
    assert len({kind for kind, _, _ in PLANTED}) == len(KINDS) >= 25
    assert len({secret for _, _, secret in PLANTED}) >= 200
    assert len(left("\n".join(text for _, text, _ in PLANTED).encode())) == len(PLANTED)  # the search would find them


def test_no_secret_that_was_sent_is_found_anywhere(
    service: Served, world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    events = [placed(at, text) for at, (_, text, _) in enumerate(PLANTED)]
    answer = service.post("/traces", {"events": events})
    assert answer.json() == {"accepted": len(events), "duplicates": 0, "redacted": len(events)}
    answers = [answer.content, *pages(service)]
    shown = json.loads(answers[1])["events"][:50]
    answers += [service.client.get("/traces", params={"id": one["id"]}).content for one in shown]
    answers.append(service.post("/suggest", {}).content)
    answers.append(service.client.get("/proposals").content)
    assert left(b"\n".join(answers)) == []
    assert left(caplog.text.encode()) == []
    assert left(stored(world)) == []


def test_no_secret_of_what_was_imported_is_found_anywhere(service: Served, world: World, tmp_path: Path) -> None:
    lines = [text for _, text, _ in PLANTED]
    own = tmp_path / "own.jsonl"
    own.write_text("\n".join(json.dumps(event(f"own{at}", summary=text)) for at, text in enumerate(lines)))
    history = tmp_path / ".bash_history"
    flat = [" ".join(text.split("\n")) for text in lines]
    history.write_text("\n".join(f"#{1_767_225_600 + at}\n{line}" for at, line in enumerate(flat)), encoding="utf-8")
    transcript = tmp_path / "chat.jsonl"
    transcript.write_text("\n".join(json.dumps(line) for line in chat(lines)), encoding="utf-8")
    workspace: Workspace = service.app.state.running.workspace
    person = service.app.state.running.doorkeeper._person
    for path in (own, history, transcript):
        assert any(True for _ in import_file(path, now=utc_now()))
    report = import_paths([tmp_path], lambda events: workspace.traces.ingest(events, person))
    assert report.imported > 2 * len(lines)
    assert left(b"".join(pages(service))) == []
    assert left(stored(world)) == []


def chat(texts: list[str]) -> Iterator[dict[str, Any]]:
    """A Claude Code transcript in which a person says each text, and a tool runs it and prints it."""
    place = {"sessionId": "chat", "cwd": "/home/alice/shop", "version": "1", "userType": "external"}
    for at, text in enumerate(texts):
        stamp = {"timestamp": TIME, **place}
        yield {**stamp, "type": "user", "uuid": f"u{at}", "message": {"role": "user", "content": text}}
        use = {"type": "tool_use", "id": f"t{at}", "name": "Bash", "input": {"command": text}}
        yield {**stamp, "type": "assistant", "uuid": f"a{at}", "message": {"role": "assistant", "content": [use]}}
        result = {"type": "tool_result", "tool_use_id": f"t{at}", "content": f"out\n{text}", "is_error": at % 2 == 0}
        yield {**stamp, "type": "user", "uuid": f"r{at}", "message": {"role": "user", "content": [result]}}


@pytest.mark.parametrize("filled", [*range(440, 501, 6), 1900, 1950, 1990])
def test_a_secret_that_lies_across_the_cut_leaves_no_half_of_it(service: Served, filled: int) -> None:
    secret = "ghp_" + "Zq81Lw27" * 4 + "abcd"
    sent = event(
        f"cut{filled}", summary=("y" * (filled - 1) + " " + secret)[:2000], data={"command": "y " * 245 + secret}
    )
    assert service.post("/traces", {"events": [sent]}).status_code == 200
    kept = service.client.get(f"/traces/cut{filled}").text
    assert "Zq81" not in kept
    assert "ghp_" not in kept


def test_what_only_looks_like_a_secret_is_kept_as_it_is(service: Served) -> None:
    texts = list(harmless(200, seed=5))
    events = [event(f"h{at}", summary=text, sessionId="harmless") for at, text in enumerate(texts)]
    assert service.post("/traces", {"events": events}).status_code == 200
    kept: dict[str, str] = {}
    for page in pages(service, sessionId="harmless"):
        kept |= {one["id"]: one["summary"] for one in json.loads(page)["events"]}
    same = sum(kept[f"h{at}"] == text for at, text in enumerate(texts))
    assert same >= 0.95 * len(texts)
