"""`wellworn settings list|get|set|reset`: settings that every process reads anew each time that they matter."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from wellworn.service.cli.door import open_door
from wellworn.service.cli.options import as_json_option
from wellworn.service.cli.output import print_json, print_table, printable

if TYPE_CHECKING:
    from wellworn.models.runtime import SettingList, SettingView

_name = click.argument("name")


@click.group()
def settings() -> None:
    """Settings that are changed while wellworn runs. A change counts at once, also in a running service.

    Those of a process (`WELLWORN_PORT`, ...) stand in its environment. So does the key of a model,
    `WELLWORN_MODEL_API_KEY`: it is never stored.

    \b
    Examples:
      wellworn settings list
      wellworn settings set review.max_ops 1
      wellworn settings set model openai:gpt-5-mini
    """


@settings.command("list")
@as_json_option
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """Show every setting with its value, default, and who set it when.

    \b
    Example:
      wellworn settings list
    """
    with open_door(ctx, quiet=as_json) as door:
        found = door.runtime_settings()
    if as_json:
        print_json(found)
        return
    rows = [(one.name, _shown(one.value), _shown(one.default), _set_by(one), one.description) for one in found.settings]
    print_table(("name", "value", "default", "set", "what it is"), rows)


@settings.command()
@_name
@as_json_option
@click.pass_context
def get(ctx: click.Context, name: str, as_json: bool) -> None:
    """Print the value of a setting.

    \b
    Example:
      wellworn settings get review.max_ops
    """
    _check(name)
    with open_door(ctx, quiet=as_json) as door:
        found = _of(door.runtime_settings(), name)
    if as_json:
        print_json(found)
    else:
        click.echo(_shown(found.value))


@settings.command("set", context_settings={"ignore_unknown_options": True})
@_name
@click.argument("value")
@as_json_option
@click.pass_context
def set_(ctx: click.Context, name: str, value: str, as_json: bool) -> None:
    """Give a setting a value.

    \b
    Examples:
      wellworn settings set auto_repair true
      wellworn settings set model_url http://127.0.0.1:8080/v1
    """
    from wellworn.service.runtime import parse_value  # noqa: PLC0415

    _change(ctx, name, parse_value(name, value), as_json=as_json)


@settings.command()
@_name
@as_json_option
@click.pass_context
def reset(ctx: click.Context, name: str, as_json: bool) -> None:
    """Let a setting have its default again.

    \b
    Example:
      wellworn settings reset review.max_ops
    """
    _check(name)
    _change(ctx, name, None, as_json=as_json)


def _change(ctx: click.Context, name: str, value: Any, *, as_json: bool) -> None:
    with open_door(ctx, quiet=as_json) as door:
        found = _of(door.change_settings({name: value}), name)
    if as_json:
        print_json(found)
    else:
        default = " (its default)" if found.changed_at is None else ""
        click.echo(f"{name} is {_shown(found.value)}{default}.")


def _check(name: str) -> None:
    from wellworn.service.runtime import check_name  # noqa: PLC0415

    check_name(name)


def _of(found: SettingList, name: str) -> SettingView:
    return next(one for one in found.settings if one.name == name)


def _shown(value: Any) -> str:
    """A text as it is, for scripts; all else as JSON writes it, and `-` for what is not set."""
    if value is None:
        return "-"
    return printable(value) if isinstance(value, str) else json.dumps(value)


def _set_by(one: SettingView) -> str:
    if one.changed_at is None:
        return "-"
    return f"{one.changed_at:%Y-%m-%d %H:%M} by {printable(one.changed_by or '')}"
