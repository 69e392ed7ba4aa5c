"""Makers of views and inquiries for the tests of the ranking, embedded with the tiny hashing encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from tests.index.makers import ENCODER, USER, make_columns

from wellworn.index.lexical import grams_of, query_terms
from wellworn.index.partition import Partition
from wellworn.index.view import View
from wellworn.models.skill import Skill
from wellworn.resolver.context_facts import Facts
from wellworn.resolver.inquiry import Inquiry
from wellworn.resolver.message import read_message
from wellworn.resolver.rules import read_intent

NOW = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)


def make_view(*skills: Skill) -> View:
    """A view of one partition; keys count from 1."""
    return View([Partition(*USER).upserted(make_columns([*enumerate(skills, start=1)]))])


def make_inquiry(
    text: str,
    *,
    statements: Sequence[str] = (),
    goal: str = "",
    traces: Sequence[str] = (),
    branch: str = "",
    excluded: Sequence[str] = (),
    **fields: Any,
) -> Inquiry:
    """What is asked with this message and context."""
    message = read_message(text)
    inquiry = Inquiry(
        message=message,
        reading=read_intent(message),
        text=message.request,
        query=ENCODER.encode([message.request])[0],
        terms=query_terms(message.request),
        grams=grams_of(message.request),
        excluded=_encoded(excluded),
        facts=Facts(statements=tuple(statements), goal=goal, traces=tuple(traces), branch=branch),
        statements=_encoded(statements),
        goal=_encoded([goal] if goal else []),
        traces=_encoded(traces),
    )
    return replace(inquiry, **fields)


def _encoded(texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
    return ENCODER.encode(texts) if texts else np.empty((0, ENCODER.dim), dtype=np.float32)
