"""From the grammar's tree to simple commands, in order of execution."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from wellworn.lifecycle.shell.command import Place, Simple, Sink
from wellworn.lifecycle.shell.unwrap import reads_script
from wellworn.lifecycle.shell.words import unquote

if TYPE_CHECKING:
    from tree_sitter import Node

_DEEPEST_TREE = 100


class Walk:
    """Goes over the tree of one text."""

    def __init__(self, sink: Sink, source: bytes) -> None:
        self.sink = sink
        self.source = source

    def text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def children(self, node: Node, place: Place, depth: int) -> None:
        for child in node.children:
            if child.child_count:
                self.visit(child, place, depth)

    def visit(self, node: Node, place: Place, depth: int) -> None:
        if depth > _DEEPEST_TREE:
            self.sink.fail("too deep")
            return
        kind = node.type
        if kind == "command":
            self.command(node, place, depth, (), None)
        elif kind == "pipeline":
            self.pipeline(node, place, depth)
        elif kind == "redirected_statement":
            self.redirected(node, place, depth)
        elif kind in {"declaration_command", "unset_command", "test_command"}:
            self.children(node, place, depth + 1)
            words = self.text(node).split()
            self.sink.simple(Simple(words), place)
        else:
            self.children(node, place, depth + 1)

    def pipeline(self, node: Node, place: Place, depth: int) -> None:
        now = place
        for child in node.children:
            if child.type in {"|", "|&"}:
                now = place.behind_pipe()
            elif child.child_count:
                self.visit(child, now, depth + 1)

    def command(self, node: Node, place: Place, depth: int, redirects: tuple[str, ...], fed: str | None) -> None:
        words: list[str] = []
        assignments: list[str] = []
        own: list[str] = []
        for child in node.children:
            kind = child.type
            if child.child_count and kind not in {"command_name", "word", "number"}:
                self.visit(child, place, depth + 1)
            elif kind == "command_name":
                self.children(child, place, depth + 1)
            if kind == "variable_assignment" and not words:
                assignments.append(self.text(child))
            elif kind in {"file_redirect", "herestring_redirect"}:
                own.append(self.text(child))
                fed = self.herestring(child) if kind == "herestring_redirect" else fed
            elif kind not in {"comment", ";"}:
                words.append(self.text(child))
        self.sink.simple(Simple(words, tuple(assignments), (*own, *redirects), fed), place)

    def herestring(self, node: Node) -> str:
        return unquote(self.text(node).removeprefix("<<<").strip())[0]

    def redirected(self, node: Node, place: Place, depth: int) -> None:
        """A statement with redirections; those of a group are its last command's."""
        body = [child for child in node.children if not child.type.endswith("_redirect")]
        around = [child for child in node.children if child.type.endswith("_redirect")]
        redirects, fed = [], None
        for child in around:
            if child.type == "heredoc_redirect":
                fed = self.heredoc_body(child)
                redirects.append(self.heredoc_start(child))
            else:
                redirects.append(self.text(child))
                fed = self.herestring(child) if child.type == "herestring_redirect" else fed
        for child in around:
            for part in child.children if child.type == "heredoc_redirect" else [child]:
                if part.child_count and (part is child or part.type == "heredoc_body"):
                    self.children(part, place, depth + 1)
        if len(body) == 1 and body[0].type == "command":
            self.command(body[0], place, depth + 1, tuple(redirects), fed)
        elif body:
            self.group(body, place, depth, tuple(redirects))
        else:
            self.sink.simple(Simple([":"], (), tuple(redirects)), place)
        for child in around:
            if child.type == "heredoc_redirect":
                self.heredoc_rest(child, place, depth, fed)

    def group(self, body: list[Node], place: Place, depth: int, redirects: tuple[str, ...]) -> None:
        before = len(self.sink.commands)
        for child in body:
            if child.child_count:
                self.visit(child, place, depth + 1)
        if len(self.sink.commands) > before:
            last = self.sink.commands[-1]
            self.sink.commands[-1] = replace(last, redirects=(*last.redirects, *redirects))
        else:
            self.sink.simple(Simple([":"], (), redirects), place)

    def heredoc_start(self, node: Node) -> str:
        return "".join(self.text(child) for child in node.children if child.type in {"<<", "<<-", "heredoc_start"})

    def heredoc_body(self, node: Node) -> str:
        return "".join(self.text(child) for child in node.children if child.type == "heredoc_body")

    def heredoc_rest(self, node: Node, place: Place, depth: int, fed: str | None) -> None:
        """What stands behind `<<EOF` on its line."""
        for child in node.children:
            if child.type == "pipeline":
                first = len(self.sink.commands)
                self.pipeline(child, place.behind_pipe(), depth)
                run = self.sink.commands[first:]
                if fed is not None and any(reads_script(one.program, one.values) for one in run):
                    self.sink.read(fed, place.inside("heredoc"))
            elif child.child_count and child.type not in {"heredoc_start", "heredoc_body", "heredoc_end"}:
                self.visit(child, place, depth + 1)
