"""Identifiers: the shape of a skill id, `id@scope` references, and new ULIDs."""

from __future__ import annotations

import os
import random
import re
import threading
import time
from typing import Annotated

from pydantic import AfterValidator
from ulid import ULID

from wellworn.models.errors import InvalidId

ID_PATTERN = r"^[a-z0-9]+(-[a-z0-9]+)*$"
ID_MAX_LENGTH = 64
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)
_SHOWN = 80
_RANDOM_BITS = 80
_STEP_BITS = 32


def is_skill_id(text: str) -> bool:
    """Say whether `text` is a valid skill or recipe id."""
    return len(text) <= ID_MAX_LENGTH and _ID.fullmatch(text) is not None


def check_skill_id(text: str, *, field: str = "id") -> str:
    """Return `text` unchanged or raise InvalidId; called with every id before a path is built."""
    if not is_skill_id(text):
        shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
        raise InvalidId(
            f"{shown!r} is not a skill id.",
            hint=f"Use lower-case letters, digits and single hyphens, at most {ID_MAX_LENGTH} characters.",
            field=field,
        )
    return text


def _pydantic_check(text: str) -> str:
    if not is_skill_id(text):
        raise ValueError("must be lower-case letters, digits and single hyphens, at most 64 characters")
    return text


SkillId = Annotated[str, AfterValidator(_pydantic_check)]


class IdMaker:
    """Makes ULIDs from one generator that was seeded by the system, rather than asking the kernel for each.

    Within a millisecond the random part counts up, so that ids of one process sort in the order in which they were
    made. Ids are unique, not secret: whoever knows one still needs the right to see what it names.
    """

    def __init__(self) -> None:
        self._random = random.Random()  # noqa: S311  see above
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._last = 0

    def __call__(self) -> str:
        """Return a new ULID: 26 characters that sort by time."""
        with self._lock:
            if self._process != os.getpid():
                self._random.seed()  # a forked child must not repeat its parent's numbers
                self._process = os.getpid()
            first_of_now = (time.time_ns() // 1_000_000) << _RANDOM_BITS
            if self._last >> _RANDOM_BITS << _RANDOM_BITS >= first_of_now:
                self._last += 1 + self._random.getrandbits(_STEP_BITS)
            else:
                self._last = first_of_now | self._random.getrandbits(_RANDOM_BITS)
            return str(ULID(self._last.to_bytes(16, "big")))


new_id = IdMaker()
"""Return a new ULID: 26 characters that sort by time."""
