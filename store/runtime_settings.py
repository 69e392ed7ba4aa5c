"""Settings that are changed while wellworn runs: one row for each that differs from its default."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from wellworn.models.runtime import SETTINGS, RuntimeSettings
from wellworn.store.database import Database
from wellworn.store.timestamps import from_text, to_text


class RuntimeSettingsTable:
    """Every process reads them anew, so that a change counts in all at once."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def read(self) -> RuntimeSettings:
        """Return the settings as they are now; what is stored but not known or allowed (any more) is passed over."""
        rows = self._db.rows("SELECT name, value FROM runtime_settings ORDER BY name")
        values = {name: json.loads(text) for name, text in rows if name in SETTINGS}
        return (
            _settings(values) or _settings({k: v for k, v in values.items() if _settings({k: v})}) or RuntimeSettings()
        )

    def changes(self) -> dict[str, tuple[datetime, str]]:
        """Return when and by whom each setting that is set was set."""
        rows = self._db.rows("SELECT name, changed_at, changed_by FROM runtime_settings")
        return {name: (from_text(at), by) for name, at, by in rows}

    def put(self, name: str, value: Any, *, by: str, now: datetime) -> None:
        """Store a checked value under its dotted name."""
        with self._db.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO runtime_settings (name, value, changed_at, changed_by) VALUES (?, ?, ?, ?)",
                (name, json.dumps(value), to_text(now), by),
            )

    def reset(self, name: str) -> None:
        """Let a setting have its default again."""
        with self._db.write() as connection:
            connection.execute("DELETE FROM runtime_settings WHERE name = ?", (name,))


def _settings(values: Mapping[str, Any]) -> RuntimeSettings | None:
    """Return the settings of these dotted names; None when a value is not allowed."""
    nested: dict[str, Any] = {}
    for name, value in values.items():
        group, _, last = name.rpartition(".")
        (nested.setdefault(group, {}) if group else nested)[last] = value
    try:
        return RuntimeSettings.model_validate(nested)
    except ValidationError:
        return None
