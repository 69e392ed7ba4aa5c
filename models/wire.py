"""The two pydantic bases: strict for what comes over the wire, lenient and lossless for files that people write.

Validators are built when a type is first used: building them all takes longer than the rest of a light command.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Wire(BaseModel):
    """An API type: camelCase outside, snake_case inside, both accepted; an unknown field is an error."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        frozen=True,
        use_enum_values=False,
        defer_build=True,
    )


class FileModel(BaseModel):
    """A manifest or recipe: camelCase in the file; unknown fields are kept and written back."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="allow", frozen=True, defer_build=True
    )


def build_types() -> None:
    """Build the validators of every type that is loaded by now, before several threads use them."""
    waiting: list[type[BaseModel]] = [Wire, FileModel]
    while waiting:
        kind = waiting.pop()
        kind.model_rebuild()
        waiting += kind.__subclasses__()
