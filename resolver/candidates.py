"""Which skills are looked at closely: the union of what each way of searching finds, bounded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, zip_longest

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
    searches = view.nearest(inquiry.query, NEAREST), lexical.top(LEXICAL).tolist(), head_refs
    for ref in chain.from_iterable(zip_longest(*searches)):
        if len(found) >= limit:
            break
        if ref is not None:  # a search that has no more
            found[ref] = None
    return np.array([*found][:limit], dtype=np.int64)


def _named(view: View, inquiry: Inquiry) -> Iterator[int]:
    for name in inquiry.reading.named:
        yield from (ref for ref in view.by_id(name) if view.card(ref).matchable)
