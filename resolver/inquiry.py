"""One message and its context as numbers: all that features are made from, beside the view."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wellworn.index.encoder import FloatArray
from wellworn.index.lexical import QueryTerms
from wellworn.resolver.context_facts import Facts
from wellworn.resolver.message import Message
from wellworn.resolver.rules import Reading


@dataclass(frozen=True, slots=True, eq=False)
class Inquiry:
    """What is asked of a view.

    text: what is matched (the request, or one clause of it). query: its vector, float32[dim], unit length.
    terms, grams: its words and character 3-grams. excluded: float32[m, dim], vectors of `reading.excluded`.
    statements, goal, traces: vectors of `facts`, float32[n, dim] each (goal: 0 or 1 rows), in the order of the facts.
    session_keys: keys of skills that were used in this session.
    """

    message: Message
    reading: Reading
    text: str
    query: FloatArray
    terms: QueryTerms
    grams: NDArray[np.uint16]
    excluded: FloatArray
    facts: Facts
    statements: FloatArray
    goal: FloatArray
    traces: FloatArray
    session_keys: frozenset[int] = frozenset()
