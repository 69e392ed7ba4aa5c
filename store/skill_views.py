"""Skills as people and programs see them: pages and single skills across the scopes that someone may see.

owners: (scope, owner) pairs, narrowest first. A skill is shadowed by one of the same id and scope that precedes it, or
by the one that counts in a narrower scope; `id@scope` reaches it in the second case.
"""

# ruff: noqa: S608  only constant column lists and parameter marks are put into SQL text; values are always bound

from __future__ import annotations

import difflib
import heapq
from collections.abc import Sequence
from typing import Any

from wellworn.models.errors import InvalidInput, NotFound
from wellworn.models.ids import check_skill_id
from wellworn.models.skill import Scope, SkillList, SkillView
from wellworn.store.database import Database
from wellworn.store.skill_rows import VIEW_COLUMNS, view_of
from wellworn.store.text_hash import storable

Owners = Sequence[tuple[Scope, str]]
_NEAR = 3
_COMPARED = 50
_FROM_VISIBLE = """FROM owners AS o JOIN skills AS s ON s.scope = o.scope AND s.owner = o.owner
    JOIN sources ON sources.id = s.source_id"""
# `+` keeps the planner on the index that begins with the id: the one on effective fits whole partitions.
# The narrowest scope before this skill's own in which a skill with its id counts.
_SHADOWING = """(SELECT w.scope FROM owners AS n JOIN skills AS w
        ON w.skill_id = s.skill_id AND w.scope = n.scope AND w.owner = n.owner AND +w.effective = 1
    WHERE n.position < o.position ORDER BY n.position LIMIT 1)"""
_VIEW = f"SELECT {_SHADOWING}, {VIEW_COLUMNS}"
_DETAILS = """JOIN contents AS c ON c.skill_key = s.key
    LEFT JOIN skill_stats AS t ON t.scope = s.scope AND t.owner = s.owner AND t.skill_id = s.skill_id"""
_ORDER = "ORDER BY s.skill_id, o.position, sources.rank, s.path, s.key"


def page(db: Database, owners: Owners, offset: int, limit: int, search: str | None = None) -> SkillList:
    """Return one page by id, then precedence; `search`: of those with this text in id, name or description.

    Raises InvalidInput for a negative offset or a limit below 1.
    """
    if offset < 0 or limit < 1:
        raise InvalidInput("A page needs an offset of 0 or more and a limit of 1 or more.", field="offset")
    if not owners:
        return SkillList(skills=[], total=0)
    visible, parameters = _visible(owners)
    having, sought = _having(search)
    parameters = [*parameters, *sought]
    with db.snapshot():
        total: int = db.rows(f"{visible} SELECT count(*) {_FROM_VISIBLE} {having}", parameters)[0][0]
        # The page is chosen from narrow rows first; only its own skills' texts are read.
        rows = db.rows(
            f"""{visible}, page AS (SELECT o.position, s.key {_FROM_VISIBLE} {having} {_ORDER} LIMIT ? OFFSET ?)
                {_VIEW} FROM page AS o JOIN skills AS s ON s.key = o.key
                JOIN sources ON sources.id = s.source_id {_DETAILS} {_ORDER}""",
            (*parameters, limit, offset),
        )
    shown = offset + len(rows)
    skills = [view_of(row[1:], row[0]) for row in rows]
    return SkillList(skills=skills, total=total, next_offset=shown if rows and shown < total else None)


def _having(search: str | None) -> tuple[str, list[str]]:
    if not search:
        return "", []
    escaped = search.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    clauses = " OR ".join(f"{column} LIKE ? ESCAPE '\\'" for column in ("s.skill_id", "s.name", "s.description"))
    return f"WHERE ({clauses})", [storable(f"%{escaped}%")] * 3


def find(db: Database, ref: str, owners: Owners) -> SkillView:
    """Return the effective skill that `ref` means, with body and utterances."""
    skill_id, scope = parse_ref(ref)
    wanted = [one for one in owners if scope is None or one[0] == scope]
    with db.snapshot():
        row = _first(db, skill_id, owners, wanted)
        if row is None:
            raise _not_found(db, ref, owners)
        key = row[1]
        body = db.rows("SELECT body FROM contents WHERE skill_key = ?", (key,))[0][0]
        utterances = _utterances(db, key, row[3], row[4], skill_id)
    return view_of(row[1:], row[0]).model_copy(update={"body": body, "utterances": utterances})


def parse_ref(ref: str) -> tuple[str, Scope | None]:
    """Split `id` or `id@scope`; raises InvalidId, or InvalidInput for an unknown scope."""
    skill_id, at, scope = ref.partition("@")
    check_skill_id(skill_id)
    if not at:
        return skill_id, None
    if scope not in {known.value for known in Scope}:
        raise InvalidInput(
            f"{scope[:80]!r} is not a scope.", hint=f"Write {skill_id}@session, @repo or @user.", field="scope"
        )
    return skill_id, Scope(scope)


def _visible(owners: Owners) -> tuple[str, list[Any]]:
    values = ",".join(["(?,?,?)"] * len(owners))
    parameters = [value for position, (scope, owner) in enumerate(owners) for value in (position, scope.value, owner)]
    return f"WITH owners(position, scope, owner) AS (VALUES {values})", parameters


def _first(db: Database, skill_id: str, owners: Owners, wanted: Owners) -> Any | None:
    if not wanted:
        return None
    visible, parameters = _visible(owners)
    rows = db.rows(
        f"{visible} {_VIEW} {_FROM_VISIBLE} {_DETAILS} WHERE s.skill_id = ? AND +s.effective = 1 ORDER BY o.position",
        (*parameters, skill_id),
    )
    return next((row for row in rows if (row[3], row[4]) in {(scope.value, owner) for scope, owner in wanted}), None)


def _utterances(db: Database, key: int, scope: str, owner: str, skill_id: str) -> list[dict[str, Any]]:
    derived = db.rows("SELECT field, text FROM utterances WHERE skill_key = ? ORDER BY position", (key,))
    taught = db.rows(
        """SELECT id, field, text FROM taught
           WHERE scope = ? AND owner = ? AND skill_id = ? AND removed_at IS NULL ORDER BY id""",
        (scope, owner, skill_id),
    )
    return [{"field": field, "text": text} for field, text in derived] + [
        {"id": number, "field": field, "text": text} for number, field, text in taught
    ]


def nearest(wanted: str, ids: Sequence[str]) -> list[str]:
    """Return at most three ids that `wanted` may be a misspelling of, the nearest first.

    Letter pairs in common choose whom difflib compares: with 25,000 ids it alone takes a quarter of a second.
    """
    pairs = {wanted[at : at + 2] for at in range(len(wanted) - 1)}
    likely = heapq.nlargest(_COMPARED, ids, key=lambda one: sum(pair in one for pair in pairs) - len(one) / 100)
    return difflib.get_close_matches(wanted, likely, n=_NEAR)


def _not_found(db: Database, ref: str, owners: Owners) -> NotFound:
    """Name the nearest ids that are visible; others must not be hinted at."""
    ids: list[str] = []
    if owners:
        visible, parameters = _visible(owners)
        ids = [row[0] for row in db.rows(f"{visible} SELECT DISTINCT s.skill_id {_FROM_VISIBLE}", parameters)]
    near = nearest(ref.partition("@")[0], ids)
    hint = f"Did you mean {' or '.join(near)}?" if near else "`wellworn skills list` shows those that are."
    return NotFound(f"There is no skill {ref!r} here.", hint=hint)
