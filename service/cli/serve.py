"""`wellworn serve`: the HTTP service."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click

from wellworn.service.cli.door import settings_of

if TYPE_CHECKING:
    from wellworn.service.http.client import ServiceClient


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
    run_server(settings, print_line, when_ready=None if message is None else partial(_try, message, print_line))


def _try(message: str, say: Callable[[str], None], client: ServiceClient) -> None:
    """Ask the service that has just started one question, and print the answer as `resolve` does."""
    from wellworn.service.cli.resolve import answer_lines, context_here, make_request  # noqa: PLC0415

    say(f"\n$ wellworn resolve {message!r}")
    answer = client.resolve(make_request(message=message, context=context_here(None)))
    # the command for feedback would miss the data folder that this process was given, by an environment variable say
    for line in answer_lines(answer, feedback=False):
        say(line)
    say(f"\nServing at {client.address}; Ctrl-C stops it.")
