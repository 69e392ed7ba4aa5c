"""`wellworn keys`: API keys for a service that others may reach."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from wellworn.models.errors import InvalidInput
from wellworn.service.cli.door import settings_of
from wellworn.service.cli.output import print_json, print_table

if TYPE_CHECKING:
    from wellworn.store.keys import KeyTable

_ROLES = ("agent", "reviewer", "admin")  # as models.access.Role, which is not built for `--help`
_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@contextmanager
def _key_table(ctx: click.Context) -> Iterator[KeyTable]:
    """Keys need the database only: no index, no encoder."""
    from wellworn.store.database import Database  # noqa: PLC0415
    from wellworn.store.keys import KeyTable  # noqa: PLC0415

    database = Database(settings_of(ctx).database_path)
    try:
        yield KeyTable(database)
    finally:
        database.close()


@click.group()
def keys() -> None:
    """API keys: create, list, revoke.

    \b
    Example:
      wellworn keys create --role agent
    """


@keys.command()
@click.option("--role", type=click.Choice(_ROLES), required=True, help="What the key may do.")
@click.option("--user", help="Whom the key speaks for; it sees their skills only. Default: you.")
@click.option("--repo", "repos", multiple=True, help="Limit the key to these repositories (may be repeated).")
@click.option("--label", default="", help="What it is for.")
@_as_json
@click.pass_context
def create(ctx: click.Context, role: str, user: str | None, repos: tuple[str, ...], label: str, as_json: bool) -> None:
    """Create a key. Its secret is shown once and stored only as a hash.

    agent: resolve, feedback, read. reviewer: also decide and remove what was taught. admin: also reindex and settings.

    \b
    Example:
      wellworn keys create --role agent --user alice --label "alice's laptop"
    """
    from datetime import UTC, datetime  # noqa: PLC0415

    from wellworn.models.access import Role  # noqa: PLC0415

    if user is not None and not user.strip():
        raise InvalidInput("--user is empty; name whom the key speaks for, or leave it out for yourself.", field="user")
    user = settings_of(ctx).user if user is None else user
    with _key_table(ctx) as table:
        key, secret = table.create(role=Role(role), user=user, repos=list(repos), label=label, now=datetime.now(UTC))
    if as_json:
        print_json({"key": key, "secret": secret})
        return
    click.echo(f"{secret}\n")
    click.echo(f"Key {key.id}: {role} for {user}. Keep the secret now; it cannot be shown again.", err=True)
    click.echo("Send it as `Authorization: Bearer <secret>`. From now on the service answers only to keys.", err=True)


@keys.command("list")
@_as_json
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """List the keys, never their secrets.

    \b
    Example:
      wellworn keys list --json
    """
    with _key_table(ctx) as table:
        found = table.list()
    if as_json:
        print_json(found)
    elif not found:
        click.echo("There are no keys: the service answers on loopback only.")
    else:
        rows = [
            [k.id, k.role, k.user, ", ".join(k.repos) or "(any)", k.label, "revoked" if k.revoked_at else "active"]
            for k in found
        ]
        print_table(["id", "role", "user", "repos", "label", "state"], rows)


@keys.command()
@click.argument("key_id", metavar="ID")
@click.pass_context
def revoke(ctx: click.Context, key_id: str) -> None:
    """Revoke a key by its ID; it stops working within two seconds.

    \b
    Example:
      wellworn keys revoke 01JABC...
    """
    from datetime import UTC, datetime  # noqa: PLC0415

    with _key_table(ctx) as table:
        table.revoke(key_id, now=datetime.now(UTC))
    click.echo(f"Key {key_id} is revoked.")
