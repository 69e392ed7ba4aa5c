"""Every setting in one typed place; each can be given as `WELLWORN_<NAME>` in the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from platformdirs import user_data_path
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from wellworn.models.access import LOCAL_USER
from wellworn.models.errors import InvalidInput

ENV_PREFIX = "WELLWORN_"


class Settings(BaseModel):
    """Defaults suit one person on one machine.

    Not pydantic-settings: importing it costs more than a light command may spend on all its imports.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    data_dir: Path = Field(
        default_factory=lambda: user_data_path("wellworn"), description="Where the database and the vectors are kept."
    )
    home: Path = Field(
        default_factory=Path.home, description="The home folder whose skill folders are read (user scope)."
    )
    library: list[Path] = Field(
        default_factory=list,
        description="More folders of skills, read as user scope; several are separated as in PATH.",
    )
    user: str = Field(default=LOCAL_USER, min_length=1, description="Who the local person is.")
    encoder: str = Field(
        default="bundled",
        description="bundled, sentence-transformers:<name or path>, or openai:<base url>#<model>.",
    )
    encoder_api_key: SecretStr | None = Field(default=None, description="Sent to an openai: encoder as a bearer token.")
    model_api_key: SecretStr | None = Field(
        default=None, description="Sent to the server of the setting `model`; never stored."
    )
    encoder_threads: int = Field(default=1, ge=1, le=64, description="Threads that one encoding may use.")
    workers: int = Field(default=2, ge=1, le=64, description="Messages that are encoded at the same time.")
    parameters: Path | None = Field(default=None, description="A parameter file to use instead of the fitted one.")
    host: str = Field(default="127.0.0.1", description="The address to serve on; beyond loopback API keys must exist.")
    port: int = Field(default=7421, ge=0, le=65535, description="The port to serve on; 0 takes a free one.")
    body_limit: int = Field(default=8 * 2**20, ge=1024, description="The largest request body, in bytes.")
    request_seconds: float = Field(default=10.0, gt=0, description="After this a request is answered with 503.")
    watch: bool = Field(default=True, description="Pick up edited skill files while serving.")
    record: bool = Field(default=True, description="Keep a redacted record of every resolution.")
    session_hours: float = Field(
        default=24.0, gt=0, description="Hours without any sign of life after which a session's own skills end."
    )
    record_days: int = Field(default=90, ge=1, description="Days that records of resolutions are kept.")
    trace_days: int = Field(default=180, ge=1, le=36500, description="Days that trace events are kept.")
    trace_limit: int = Field(default=2_000_000, ge=1, description="How many trace events of a user are kept at most.")

    @field_validator("library", mode="before")
    @classmethod
    def _split_library(cls, value: object) -> object:
        return [part for part in value.split(os.pathsep) if part] if isinstance(value, str) else value

    @property
    def database_path(self) -> Path:
        return self.data_dir / "wellworn.db"

    @property
    def vectors_dir(self) -> Path:
        return self.data_dir / "vectors"

    @property
    def heads_dir(self) -> Path:
        return self.data_dir / "heads"

    @property
    def calibration_path(self) -> Path:
        return self.data_dir / "calibration.json"


def load_settings(*, environ: Mapping[str, str] | None = None, **overrides: object) -> Settings:
    """Read the environment, then apply what was given on the command line (None means not given).

    A variable that is set but empty counts as not set. Raises InvalidInput naming the setting.
    """
    env = os.environ if environ is None else environ
    given: dict[str, object] = {
        name: value for name in Settings.model_fields if (value := env.get(ENV_PREFIX + name.upper(), ""))
    }
    given.update((name, value) for name, value in overrides.items() if value is not None)
    try:
        return Settings.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else "settings"
        raise InvalidInput(
            f"The setting {name} ({ENV_PREFIX}{name.upper()}) cannot be used: {first['msg']}.", field=name
        ) from None
