"""Which skills are looked at closely: the union of what each way of searching finds, bounded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from wellworn.index.view import Lexical, View
from wellworn.resolver.inquiry import Inquiry

LIMIT = 40
NEAREST = 128
"""Utterances; several may belong to one skill."""
LEXICAL = 32
HEAD = 24


def gather(
    view: View,
    inquiry: Inquiry,
    lexical: Lexical,
    head_refs: Iterable[int],
    *,
    exact: Iterable[int],
    limit: int = LIMIT,
) -> NDArray[np.int64]:
    """Return refs of at most `limit` matchable skills: exact names first, then the best of each search in turn.

    head_refs: the trained head's skills, most probable first.
    """
    found = dict.fromkeys([*exact, *_named(view, inquiry)])
    near = view.nearest(inquiry.query, NEAREST)
    for ref in _in_turn(near, lexical.top(LEXICAL).tolist(), head_refs):
        if len(found) >= limit:
            break
        found[ref] = None
    return np.array([*found][:limit], dtype=np.int64)


def _named(view: View, inquiry: Inquiry) -> Iterator[int]:
    for name in inquiry.reading.named:
        yield from (ref for ref in view.by_id(name) if view.card(ref).matchable)


def _in_turn(*lists: Iterable[int]) -> Iterator[int]:
    waiting = [iter(one) for one in lists]
    while waiting:
        rest = []
        for one in waiting:
            ref = next(one, None)
            if ref is not None:
                yield ref
                rest.append(one)
        waiting = rest
