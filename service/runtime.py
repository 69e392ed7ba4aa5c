"""Settings that are changed while wellworn runs: shown, checked as a whole, and changed all or none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from wellworn.models.access import Caller, Role
from wellworn.models.errors import InvalidInput, NotAllowed
from wellworn.models.runtime import SETTINGS, RuntimeSettings, SettingList, SettingView
from wellworn.service.decision_log import author_of
from wellworn.store.database import Database
from wellworn.store.redact import redact
from wellworn.store.runtime_settings import RuntimeSettingsTable

_SHOWN = 80
_KINDS = {"bool": "true or false", "int": "a whole number", "float": "a number", "str": "a text"}
_BOUNDS = {
    "ge": "at least {:g}",
    "gt": "more than {:g}",
    "le": "at most {:g}",
    "lt": "less than {:g}",
    "max_length": "at most {:g} characters",
}


class Runtime:
    """Read anew each time, so that a change counts at once in every process."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database, self._clock = database, clock
        self._table = RuntimeSettingsTable(database)

    def read(self) -> RuntimeSettings:
        """Return the settings as they are now."""
        return self._table.read()

    def list(self) -> SettingList:
        """Return every setting with its value, default and who set it."""
        current, changes = _flat(self.read()), self._table.changes()
        defaults = _flat(RuntimeSettings())
        return SettingList(
            settings=[
                SettingView(
                    name=name,
                    value=current[name],
                    default=defaults[name],
                    description=field.description or "",
                    changed_at=changes[name][0] if name in changes else None,
                    changed_by=changes[name][1] if name in changes else None,
                )
                for name, field in SETTINGS.items()
            ]
        )

    def change(self, wanted: Mapping[str, Any], caller: Caller) -> SettingList:
        """Set what is given, by dotted names; None lets a setting have its default again.

        Raises NotAllowed for whoever is no admin, InvalidInput naming the setting and what it may be; then nothing is
        changed.
        """
        if not caller.covers(Role.admin):
            raise NotAllowed("Only an admin changes settings.", hint="Use an admin's key.")
        for name in wanted:
            check_name(name)
        with self._database.write():
            set_before = {name: value for name, value in _flat(self.read()).items() if name in self._table.changes()}
            merged = {name: value for name, value in {**set_before, **wanted}.items() if value is not None}
            _no_truths_for_numbers(wanted)
            checked = _flat(_validated(merged))
            now, by = self._clock(), author_of(caller)
            for name, value in wanted.items():
                if value is None:
                    self._table.reset(name)
                else:
                    self._table.put(name, checked[name], by=by, now=now)
        return self.list()


def check_name(name: str) -> str:
    """Return the name of a setting, or raise InvalidInput that names one like it."""
    if name in SETTINGS:
        return name
    near = get_close_matches(name, SETTINGS, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(SETTINGS)}."
    raise InvalidInput(f"There is no setting {name[:_SHOWN]!r}.", hint=hint, field=name[:_SHOWN])


def _no_truths_for_numbers(wanted: Mapping[str, Any]) -> None:
    """Python takes true for 1; who sends it means something else."""
    for name, value in wanted.items():
        if isinstance(value, bool) and "bool" not in str(SETTINGS[name].annotation):
            raise _not_allowed(name, value, "It is no number or text")


def parse_value(name: str, text: str) -> Any:
    """Return a setting's value as a person types it: a text as it is, all else as pydantic reads it."""
    field = SETTINGS[check_name(name)]
    return text if "str" in str(field.annotation) else text.strip()


def _flat(settings: RuntimeSettings) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in SETTINGS:
        group, _, last = name.rpartition(".")
        found[name] = getattr(getattr(settings, group) if group else settings, last)
    return found


def _validated(flat: Mapping[str, Any]) -> RuntimeSettings:
    nested: dict[str, Any] = {}
    for name, value in flat.items():
        group, _, last = name.rpartition(".")
        (nested.setdefault(group, {}) if group else nested)[last] = value
    try:
        return RuntimeSettings.model_validate(nested)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise _not_allowed(name, first["input"], first["msg"]) from None


def _not_allowed(name: str, value: object, why: str) -> InvalidInput:
    field = SETTINGS[name]
    return InvalidInput(
        f"{name} cannot be {redact(str(value))[:_SHOWN]!r}: {why}.",
        hint=f"{_allowed(field)} {field.description}".strip(),
        field=name,
    )


def _allowed(field: FieldInfo) -> str:
    """Say in words what values a setting may have."""
    kind = next((words for name, words in _KINDS.items() if name in str(field.annotation)), "a value")
    bounds = {name: getattr(one, name) for one in field.metadata for name in _BOUNDS if hasattr(one, name)}
    told = [words.format(bounds[name]) for name, words in _BOUNDS.items() if name in bounds]
    return f"It is {kind}{': ' if told else ''}{', '.join(told)}."
