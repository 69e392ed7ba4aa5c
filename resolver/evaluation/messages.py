"""Labelled messages, one JSON object a line: what a person said, and which skill was meant.

    {"message": str, "expected": "skill-id" | null | ["any", "of"], "notSkill"?: str, "context"?: {...}, "group"?: str}

`expected: null` alone says that no skill is meant. With `notSkill` the line is a near miss: it says which skill is
*not* meant, and a null `expected` then leaves open what is. Other fields are ignored, with one warning a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Protocol

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from wellworn.models.errors import InvalidInput
from wellworn.models.ids import SkillId
from wellworn.models.resolution import MESSAGE_MAX_CHARS, Context
from wellworn.models.skill import SkillManifest

_SHOWN_KEYS = 5


@dataclass(frozen=True, slots=True)
class Message:
    """One labelled message.

    expected: any of these is right; empty when no skill is meant or, on a near miss, when that is left open.
    not_skill: the skill that must not be answered, on a near miss.
    group: only the skills of this group are asked; None asks the whole library.
    line: where it stands in its file, from 1.
    """

    text: str
    expected: tuple[str, ...] = ()
    not_skill: str | None = None
    context: Context = field(default_factory=Context)
    group: str | None = None
    line: int = 0

    @property
    def in_scope(self) -> bool:
        """True when it is known which skill is meant."""
        return bool(self.expected)

    @property
    def out_of_scope(self) -> bool:
        """True when it is known that none is meant."""
        return not self.expected and self.not_skill is None


@dataclass(frozen=True, slots=True)
class MessageFile:
    """The messages in the file's order, and what a person should be told about the file."""

    messages: tuple[Message, ...]
    warnings: tuple[str, ...] = ()


class LibraryEntry(Protocol):
    """What is needed of a line of a library (`store.transfer.LibraryLine` has it)."""

    @property
    def manifest(self) -> SkillManifest: ...
    @property
    def group(self) -> str | None: ...


Groups = Mapping[str | None, frozenset[str]]


def groups_of(library: Iterable[LibraryEntry]) -> Groups:
    """Return the skill ids of each group; the key None holds those of the whole library."""
    groups: dict[str | None, set[str]] = {None: set()}
    for entry in library:
        groups[None].add(entry.manifest.id)
        if entry.group is not None:
            groups.setdefault(entry.group, set()).add(entry.manifest.id)
    return {group: frozenset(ids) for group, ids in groups.items()}


def read_messages(path: Path, groups: Groups) -> MessageFile:
    """Read labelled messages whose ids and groups must exist in the library.

    Raises InvalidInput naming file, line and field when the file cannot be read, a line is not of the shape above,
    a group or id is not in the library, or there is no message at all.
    """
    messages: list[Message] = []
    unknown: dict[str, int] = {}
    for number, line in enumerate(_lines_of(path), start=1):
        if not line.strip():
            continue
        parsed = _parse(line, f"{path}:{number}")
        for key in parsed.model_extra or {}:
            unknown.setdefault(key, number)
        message = parsed.to_message(number)
        _check_known(message, groups, f"{path}:{number}")
        messages.append(message)
    if not messages:
        raise InvalidInput(f"{path} holds no messages.", hint='Write one {"message": ..., "expected": ...} a line.')
    return MessageFile(tuple(messages), _unknown_warning(path, unknown))


def _one_or_many(value: Any) -> Any:
    if value is None or isinstance(value, list):
        return value
    if isinstance(value, str):
        return [value]
    raise ValueError("must be a skill id, a list of skill ids, or null")


class _Line(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="allow", frozen=True)

    message: str = Field(max_length=MESSAGE_MAX_CHARS)
    expected: Annotated[list[SkillId] | None, BeforeValidator(_one_or_many)]
    not_skill: SkillId | None = None
    context: Context | None = None
    group: str | None = None

    def to_message(self, line: int) -> Message:
        return Message(
            text=self.message,
            expected=tuple(self.expected or ()),
            not_skill=self.not_skill,
            context=self.context or Context(),
            group=self.group,
            line=line,
        )


def _lines_of(path: Path) -> list[str]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be read: {error.strerror or error}.", hint="Name a file of labelled messages (JSON lines)."
        ) from error
    try:
        # Not splitlines(): JSON may hold U+2028 and the like unescaped inside a string.
        return data.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput(f"{path}:{line} is not UTF-8.", hint="Save the file as UTF-8.") from error


def _parse(line: str, place: str) -> _Line:
    try:
        parsed = _Line.model_validate_json(line)
    except ValidationError as error:
        raise _explained(error, place) from error
    if parsed.expected == []:
        raise InvalidInput(
            f"{place}: expected is an empty list.",
            hint="Name a skill, or write null when none is meant.",
            field="expected",
        )
    return parsed


def _explained(error: ValidationError, place: str) -> InvalidInput:
    first: Mapping[str, Any] = error.errors(include_url=False, include_context=False)[0]
    field_name = ".".join(str(part) for part in first["loc"] if not _names_a_type(part))
    reason = first["msg"].removeprefix("Value error, ")
    if not field_name:
        return InvalidInput(f"{place} is not a JSON object: {reason}.", hint="Write one object a line.")
    return InvalidInput(f"{place}: {field_name}: {reason}.", field=field_name)


def _names_a_type(part: int | str) -> bool:
    """Of `context.openPr.OpenPr.number`, the third part: pydantic adds which type of a union it tried."""
    return isinstance(part, str) and (part[:1].isupper() or "[" in part)


def _check_known(message: Message, groups: Groups, place: str) -> None:
    ids = groups.get(message.group)
    if ids is None:
        raise InvalidInput(
            f"{place}: the library has no group {message.group!r}.",
            hint="Correct it, or give the group to lines of the library.",
            field="group",
        )
    where = "the library" if message.group is None else f"group {message.group!r} of the library"
    for name, skill_ids in (("expected", message.expected), ("notSkill", (message.not_skill,))):
        for skill_id in skill_ids:
            if skill_id is not None and skill_id not in ids:
                raise InvalidInput(
                    f"{place}: {name} names {skill_id!r}, which is not in {where}.",
                    hint="Correct the id, or add the skill to the library.",
                    field=name,
                )


def _unknown_warning(path: Path, unknown: Mapping[str, int]) -> tuple[str, ...]:
    if not unknown:
        return ()
    shown = ", ".join(f"{key} (first on line {line})" for key, line in list(unknown.items())[:_SHOWN_KEYS])
    more = f" and {len(unknown) - _SHOWN_KEYS} more" if len(unknown) > _SHOWN_KEYS else ""
    return (f"{path}: ignored fields: {shown}{more}.",)
