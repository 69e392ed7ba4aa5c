"""A line cut at `&&`, `||`, `;` and newlines: each part is a pipeline or compound that makes sense only as a whole."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from wellworn.lifecycle.shell.parse import BEYOND_ASCII, LONGEST, bash_parser, is_plain

if TYPE_CHECKING:
    from tree_sitter import Node

_BETWEEN = frozenset({"&&", "||", ";", "&", "\n", ";;", "comment"})
_MOST_PARTS = 500


@lru_cache(maxsize=4096)
def parts_of(line: str) -> tuple[str, ...]:
    """Return the source text of each part, in order. A text that cannot be read is one part."""
    if is_plain(line) or len(line) > LONGEST:
        return (line.strip(),)
    source = line.encode("utf-8", "replace")
    root = bash_parser().parse(BEYOND_ASCII.sub(b"x", source)).root_node
    if root.has_error:
        return (line.strip(),)
    found: list[str] = []
    _collect(root, source, found)
    return tuple(part for part in found if part) or (line.strip(),)


def _collect(root: Node, source: bytes, found: list[str]) -> None:
    waiting: list[tuple[Node, str]] = [(root, "")]
    while waiting and len(found) < _MOST_PARTS:
        node, tail = waiting.pop()
        if node.type in {"program", "list"}:
            children = [child for child in node.children if child.type not in _BETWEEN]
            waiting += [(child, tail if child is children[-1] else "") for child in reversed(children)]
        elif node.type == "redirected_statement" and node.children[0].type == "list":
            # The grammar hangs `> file` on the whole list; the shell gives it to the last command.
            rest = source[node.children[0].end_byte : node.end_byte].decode("utf-8", "replace")
            waiting.append((node.children[0], rest + tail))
        else:
            found.append((source[node.start_byte : node.end_byte].decode("utf-8", "replace") + tail).strip())
