"""Settings that are changed while wellworn runs, and read anew each time that they matter."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field, field_validator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from wellworn.models.wire import Wire

MODEL_PROVIDERS = ("openai", "anthropic")


class ReviewSettings(Wire):
    """Of post-turn reviews; what makes a turn eligible at all is fixed, these are its numbers."""

    min_tool_calls: int = Field(
        default=5, ge=1, le=1000, description="Proven successful calls that one turn needs to be eligible."
    )
    every_tool_calls: int = Field(
        default=20, ge=1, le=100_000, description="A review each time so many were counted across eligible turns."
    )
    max_ops: int = Field(default=2, ge=0, le=100, description="The most writes of one review; 0 turns reviews off.")
    deadline_s: float = Field(default=20.0, gt=0, le=600, description="Seconds after which a review is given up.")


class RuntimeSettings(Wire):
    """All of them, by their names: a nested one is named `review.max_ops`."""

    auto_repair: bool = Field(
        default=False, description="Repair a flagged, agent-written skill where there is no person to ask."
    )
    model: str | None = Field(
        default=None,
        max_length=200,
        description="The model to ask: openai:NAME or anthropic:NAME; needs wellworn[llm].",
    )
    model_url: str | None = Field(
        default=None, max_length=500, description="The base URL of an OpenAI-compatible or Anthropic server."
    )
    model_seconds: float = Field(default=15.0, gt=0, le=600, description="Seconds after which a model is given up.")
    review: ReviewSettings = Field(default_factory=ReviewSettings)

    @field_validator("model")
    @classmethod
    def _check_model(cls, value: str | None) -> str | None:
        provider, _, name = (value or "").partition(":")
        if value is not None and (provider not in MODEL_PROVIDERS or not name.strip() or not value.isprintable()):
            raise PydanticCustomError("model", "It must be openai:NAME or anthropic:NAME")
        return value

    @field_validator("model_url")
    @classmethod
    def _check_url(cls, value: str | None) -> str | None:
        if value is None:
            return None
        try:
            url = urlsplit(value)
            known = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
        except ValueError:
            known = False
        if not known or not value.isprintable() or " " in value:
            raise PydanticCustomError("url", "It must be an address such as https://models.example/v1")
        if "@" in url.netloc or url.query or url.fragment:
            raise PydanticCustomError("url", "It must have no key in it; the key goes into WELLWORN_MODEL_API_KEY")
        return value


SETTINGS: dict[str, FieldInfo] = {
    **{name: field for name, field in RuntimeSettings.model_fields.items() if name != "review"},
    **{f"review.{name}": field for name, field in ReviewSettings.model_fields.items()},
}
"""Every setting by its dotted name, with its description, default and bounds."""


class SettingView(Wire):
    """A setting as it stands. changedAt, changedBy: only when it was set."""

    name: str
    value: Any
    default: Any
    description: str
    changed_at: datetime | None = None
    changed_by: str | None = None


class SettingList(Wire):
    """`GET /settings`."""

    settings: list[SettingView]
