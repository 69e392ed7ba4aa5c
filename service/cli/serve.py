"""`wellworn serve`: the HTTP service."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wellworn.models.errors import WellwornError
from wellworn.service.cli.door import settings_of

if TYPE_CHECKING:
    from wellworn.service.settings import Settings


@click.command()
@click.option("--host", help="Address to serve on [default: 127.0.0.1]; beyond loopback API keys must exist.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to serve on [default: 7421]; 0 takes a free one.")
@click.option("--try", "message", metavar="MESSAGE", help="Once ready, resolve MESSAGE over HTTP and print the answer.")
@click.pass_context
def serve(ctx: click.Context, host: str | None, port: int | None, message: str | None) -> None:
    """Run the service that agents post their messages to. Ctrl-C stops it.

    \b
    Examples:
      wellworn serve
      wellworn --library ./skills serve --port 8080
      wellworn serve --try "ship this and install it locally"
    """
    from wellworn.service.http.server import print_line  # noqa: PLC0415  loads the web framework
    from wellworn.service.http.server import serve as run_server  # noqa: PLC0415

    settings = settings_of(ctx, host=host, port=port)
    run_server(settings, print_line if message is None else _then_try(settings, message, print_line))


def _then_try(settings: Settings, message: str, say: Callable[[str], None]) -> Callable[[str], None]:
    """Announce as usual, and after the line that says `Ready` ask the service one question."""

    def announce(line: str) -> None:
        say(line)
        if line.startswith("Ready"):
            threading.Thread(target=_try, args=(settings, message, say), name="wellworn-try", daemon=True).start()

    return announce


def _try(settings: Settings, message: str, say: Callable[[str], None]) -> None:
    from wellworn.models.resolution import Context, ResolveRequest  # noqa: PLC0415
    from wellworn.service.cli.resolve import answer_lines  # noqa: PLC0415
    from wellworn.service.http.client import find_service  # noqa: PLC0415

    client = find_service(settings)
    if client is None:
        say("The service did not answer on its own address.")
        return
    say(f"\n$ wellworn resolve {message!r}")
    try:
        with client:
            answer = client.resolve(ResolveRequest(message=message, context=Context(cwd=str(Path.cwd()))))
    except WellwornError as error:
        say(f"wellworn: {error}")
        return
    for line in answer_lines(answer):
        say(line)
    say(f"\nServing at {client.address}; Ctrl-C stops it.")
