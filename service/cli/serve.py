"""`wellworn serve`: the HTTP service."""

from __future__ import annotations

import click

from wellworn.service.cli.door import settings_of


@click.command()
@click.option("--host", help="Address to serve on [default: 127.0.0.1]; beyond loopback API keys must exist.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to serve on [default: 7421]; 0 takes a free one.")
@click.pass_context
def serve(ctx: click.Context, host: str | None, port: int | None) -> None:
    """Run the service that agents post their messages to. Ctrl-C stops it.

    \b
    Examples:
      wellworn serve
      wellworn --library ./skills serve --port 8080
    """
    from wellworn.service.http.server import serve as run_server  # noqa: PLC0415  loads the web framework

    run_server(settings_of(ctx, host=host, port=port))
