"""Which skills a session used lately: a small memory, lost with the process and harmless to lose."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Iterable

from wellworn.index.snapshot import PartitionKey
from wellworn.models.skill import Scope

_SESSIONS = 10_000
_SKILLS = 5


class Sessions:
    """The last few skills of the last few thousand sessions, by the session's owner name."""

    def __init__(self) -> None:
        self._used: OrderedDict[str, deque[int]] = OrderedDict()
        self._lock = threading.Lock()

    def note(self, owners: Iterable[PartitionKey], key: int) -> None:
        """Remember that the skill was used in the session that these owners name, if they name one."""
        session = _session(owners)
        if session is None:
            return
        with self._lock:
            self._used.setdefault(session, deque(maxlen=_SKILLS)).append(key)
            self._used.move_to_end(session)
            if len(self._used) > _SESSIONS:
                self._used.popitem(last=False)

    def keys(self, owners: Iterable[PartitionKey]) -> frozenset[int]:
        """Return the keys of the skills that were used in this session."""
        session = _session(owners)
        if session is None:
            return frozenset()
        with self._lock:
            return frozenset(self._used.get(session, ()))


def _session(owners: Iterable[PartitionKey]) -> str | None:
    return next((owner for scope, owner in owners if scope is Scope.session), None)
