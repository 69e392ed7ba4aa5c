"""The OpenAPI document with the schemas that the types themselves state: what is required, what is refused, defaults.

The framework's own translation leaves out `additionalProperties: false`, defaults and descriptions of fields.
"""

from __future__ import annotations

from typing import Any

from litestar import Request
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.serialization import encode_json
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from wellworn.models.reports import IndexView
from wellworn.models.resolution import (
    BatchAnswer,
    FeedbackAnswer,
    FeedbackRequest,
    IntentResolution,
    RecordedResolution,
    ResolveBatch,
    ResolveRequest,
    TaughtUtterance,
)
from wellworn.models.skill import SkillList, SkillView
from wellworn.service.http.jobs import JobView
from wellworn.service.http.problems import Problem

INPUTS: tuple[type[BaseModel], ...] = (ResolveRequest, ResolveBatch, FeedbackRequest)
OUTPUTS: tuple[type[BaseModel], ...] = (
    IntentResolution,
    BatchAnswer,
    RecordedResolution,
    FeedbackAnswer,
    TaughtUtterance,
    SkillList,
    SkillView,
    IndexView,
    JobView,
    Problem,
)


class DocumentPlugin(JsonRenderPlugin):
    """Serves /schema/openapi.json; made once."""

    def __init__(self) -> None:
        super().__init__()
        self._rendered: bytes | None = None

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        if self._rendered is None:
            self._rendered = encode_json(document(openapi_schema))
        return self._rendered


def document(made: dict[str, Any]) -> dict[str, Any]:
    """Return the framework's document with our types' own schemas in place of its translations."""
    components = made.get("components", {})
    return {**made, "components": {**components, "schemas": {**components.get("schemas", {}), **_schemas()}}}


def _schemas() -> dict[str, Any]:
    inputs: list[tuple[type[BaseModel], JsonSchemaMode]] = [(model, "validation") for model in INPUTS]
    outputs: list[tuple[type[BaseModel], JsonSchemaMode]] = [(model, "serialization") for model in OUTPUTS]
    _, found = models_json_schema([*inputs, *outputs], by_alias=True, ref_template="#/components/schemas/{model}")
    schemas: dict[str, Any] = found["$defs"]
    return schemas
