"""Signs of life of a session: whether anything of it was seen since some moment."""

from __future__ import annotations

from datetime import datetime

from wellworn.models.skill import Scope
from wellworn.store.database import Database
from wellworn.store.text_hash import storable
from wellworn.store.timestamps import to_text


def seen_since(db: Database, user: str, session_id: str, owner: str, since: datetime) -> bool:
    """Say whether an event, a resolution or a decision of the session is younger than `since`.

    owner: of the session's skills. Cheap: each look is answered by an index.
    """
    moment, session = to_text(since), storable(session_id)
    looks = (
        ("SELECT 1 FROM traces WHERE user = ? AND session_id = ? AND ts >= ? LIMIT 1", (user, session, moment)),
        ("SELECT 1 FROM resolutions WHERE ts >= ? AND session_id = ? AND user = ? LIMIT 1", (moment, session, user)),
        (
            "SELECT 1 FROM skill_changes WHERE scope = ? AND owner = ? AND ts >= ? LIMIT 1",
            (Scope.session.value, storable(owner), moment),
        ),
    )
    return any(db.row(sql, values) is not None for sql, values in looks)
