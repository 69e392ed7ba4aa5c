"""Reading YAML that strangers wrote: bounded, with line numbers, and without guessing types.

libyaml's events (through PyYAML) are turned into plain values here instead of by its constructors: that is 15 times
faster than a pure Python parser, cannot build objects, keeps `1.10`, `on` and `no` as they stand until someone asks for
their type, and lets nesting and alias expansion be limited.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

MAX_DEPTH = 30
MAX_NODES = 20_000
MAX_ALIASES = 50
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CORE = "tag:yaml.org,2002:"
_TEXT_TAGS = frozenset({"!", _CORE + "str"})
_PLAIN_TAGS = frozenset(_CORE + kind for kind in ("int", "float", "bool", "null", "seq", "map"))
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_MAX_DIGITS = 30


class YamlProblem(Exception):
    """Text that is not usable YAML; `line` counts from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class Plain(str):
    """An unquoted scalar as written: text where text is wanted, otherwise what `typed` makes of it."""

    __slots__ = ()


class YamlMap(dict[str, Any]):
    """A mapping that knows the line of each key, and which keys were repeated (the last one counts)."""

    __slots__ = ("lines", "repeated")

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[str, int] = {}
        self.repeated: dict[str, tuple[int, Any]] = {}

    def put(self, key: str, value: Any, line: int) -> None:
        """Set `key`; a second time, remember the line and value of the first."""
        if key in self:
            self.repeated.setdefault(key, (self.lines[key], self[key]))
        self[key] = value
        self.lines[key] = line


def read_yaml(text: str, first_line: int = 1) -> Any:
    """Return the one document of `text` as YamlMap, list, str (quoted), Plain (unquoted) or None (nothing there).

    Raises YamlProblem for anything malformed, nested deeper than 30, larger than 20,000 values (aliases counted in
    full) or with more than 50 aliases.
    """
    try:
        return _Builder(first_line).build(yaml.parse(text, Loader=_LOADER))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = first_line + (mark.line if mark else 0)
        raise YamlProblem(error.problem or error.context or "not valid YAML", line) from error
    except yaml.YAMLError as error:
        raise YamlProblem(str(error).splitlines()[0] if str(error) else "not valid YAML", first_line) from error


def typed(value: Any) -> Any:
    """Give unquoted scalars the type that YAML 1.2 (core schema) says: null, true/false, numbers, else text."""
    if isinstance(value, Plain):
        return _typed_scalar(str(value))
    if isinstance(value, list):
        return [typed(item) for item in value]
    if isinstance(value, dict):
        return {key: typed(item) for key, item in value.items()}
    return value


def is_text(value: Any) -> bool:
    """Say whether `value` is a scalar that YAML 1.2 reads as text."""
    return isinstance(value, str) and isinstance(typed(value), str)


def _typed_scalar(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if len(text) <= _MAX_DIGITS and text[0] in "+-.0123456789":
        if _INTEGER.fullmatch(text):
            return int(text, 0) if text[:2] in {"0o", "0x"} else int(text)
        if _FLOAT.fullmatch(text):
            return float(text)
    return text


class _Builder:
    """Builds values from events; `nodes` counts every value, those inside an expanded alias again."""

    def __init__(self, first_line: int) -> None:
        self.first_line = first_line
        self.nodes = 0
        self.aliases = 0
        self.anchors: dict[str, tuple[Any, int]] = {}

    def build(self, events: Iterator[Any]) -> Any:
        result = None
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                if self.nodes:
                    raise YamlProblem("there is a second document", self._line(event))
                result = self._node(next(events), events, 0)
        return result

    def _line(self, event: Any) -> int:
        return self.first_line + int(event.start_mark.line)

    def _node(self, event: Any, events: Iterator[Any], depth: int) -> Any:
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if depth > MAX_DEPTH:
            raise YamlProblem(f"it is nested deeper than {MAX_DEPTH} levels", self._line(event))
        before = self.nodes
        self._count(1, event)
        if isinstance(event, yaml.ScalarEvent):
            value: Any = self._scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            value = self._sequence(event, events, depth)
        else:
            value = self._mapping(event, events, depth)
        if event.anchor:
            self.anchors[event.anchor] = (value, self.nodes - before)
        return value

    def _count(self, nodes: int, event: Any) -> None:
        self.nodes += nodes
        if self.nodes > MAX_NODES:
            raise YamlProblem(f"it holds more than {MAX_NODES} values, aliases expanded", self._line(event))

    def _alias(self, event: Any) -> Any:
        self.aliases += 1
        if event.anchor not in self.anchors:
            raise YamlProblem(f"the alias *{event.anchor} stands before its anchor", self._line(event))
        if self.aliases > MAX_ALIASES:
            raise YamlProblem(f"it uses more than {MAX_ALIASES} aliases", self._line(event))
        value, nodes = self.anchors[event.anchor]
        self._count(nodes, event)
        return value

    def _scalar(self, event: Any) -> str:
        if event.tag is None:
            return Plain(event.value) if event.implicit[0] else str(event.value)
        if event.tag in _TEXT_TAGS:
            return str(event.value)
        return Plain(self._known(event).value)

    def _known(self, event: Any) -> Any:
        if event.tag not in {None, "!"} and event.tag not in _PLAIN_TAGS:
            raise YamlProblem(f"the tag {event.tag} is not supported", self._line(event))
        return event

    def _sequence(self, event: Any, events: Iterator[Any], depth: int) -> list[Any]:
        self._known(event)
        items: list[Any] = []
        for item in events:
            if isinstance(item, yaml.SequenceEndEvent):
                break
            items.append(self._node(item, events, depth + 1))
        return items

    def _mapping(self, event: Any, events: Iterator[Any], depth: int) -> YamlMap:
        self._known(event)
        result = YamlMap()
        merged: list[Any] = []
        for key_event in events:
            if isinstance(key_event, yaml.MappingEndEvent):
                break
            line = self._line(key_event)
            key = self._node(key_event, events, depth + 1)
            if not isinstance(key, str):
                raise YamlProblem("a key must be a single word or text", line)
            value = self._node(next(events), events, depth + 1)
            if key == "<<" and isinstance(key, Plain):
                merged += value if isinstance(value, list) else [value]
            else:
                result.put(str(key), value, line)
        _merge(result, merged)
        return result


def _merge(result: YamlMap, sources: list[Any]) -> None:
    for source in sources:
        if isinstance(source, YamlMap):
            for key, value in source.items():
                if key not in result:
                    result.put(key, value, source.lines[key])
