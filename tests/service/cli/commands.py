"""Runs commands in this process through their real edge, or as processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from click.testing import CliRunner
from tests.service.http.serving import wait_until
from tests.service.worlds import World

from wellworn.service.cli.app import run


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def environment(world: World, **more: str) -> dict[str, str]:
    given = {"DATA_DIR": str(world.data), "HOME": str(world.home), "ENCODER": "hashing:64", **more}
    return {f"WELLWORN_{name}": value for name, value in given.items()}


@dataclass(frozen=True)
class Commands:
    """The command line of one world."""

    world: World

    def __call__(self, *argv: str, stdin: str | bytes | None = None, **env: str) -> Ran:
        with CliRunner().isolation(input=stdin, env=environment(self.world, **env)) as (out, err, _):
            code = run(argv)
            return Ran(code, out.getvalue().decode(), err.getvalue().decode())

    def ok(self, *argv: str, **more: Any) -> Ran:
        ran = self(*argv, **more)
        assert (ran.code, ran.err) == (0, ""), ran
        return ran

    def start(self, *argv: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        """Start a process; its pipes are text."""
        return subprocess.Popen(
            [sys.executable, "-m", "wellworn", *argv],
            env={**os.environ, **environment(self.world), **(env or {})},
            cwd=self.world.root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def process(self, *argv: str, **more: Any) -> Ran:
        with self.start(*argv, **more) as process:
            out, err = process.communicate(timeout=60)
            return Ran(process.returncode, out, err)

    @contextmanager
    def service(self) -> Iterator[str]:
        """`wellworn serve --port 0` as a process; yields its address once it is ready."""
        with self.start("serve", "--port", "0") as process:
            try:
                assert process.stdout is not None
                address = next(word for word in process.stdout.readline().split() if word.startswith("http://"))
                wait_until(lambda: httpx.get(address + "/readyz").status_code == 200, 30)
                yield address
            finally:
                process.terminate()
                process.communicate(timeout=20)


def sentence(ran: Ran, *, code: int) -> str:
    """Check that a command refused in one line without a traceback, and return what it said."""
    assert (ran.code, ran.out) == (code, ""), ran
    lines = ran.err.strip().splitlines()
    assert len(lines) == 1, ran.err
    assert lines[0].startswith("wellworn: ")
    assert lines[0].endswith((".", "?")), lines[0]
    return lines[0].removeprefix("wellworn: ")
