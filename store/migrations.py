"""The database's schema, as numbered steps. `PRAGMA user_version` says how many have been applied.

A step that has been released is never changed; a new one is appended. All missing steps run in one transaction, so a
process that dies in the middle leaves the old schema, and a second process that waited finds nothing left to do.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from wellworn.models.errors import NewerStore, StoreError

if TYPE_CHECKING:
    import sqlite_utils

APPLICATION_ID = 0x77656C6C  # "well": tells our file from another program's


def check_version(connection: sqlite3.Connection, path: Path) -> int:
    """Return the schema version of the file; reads only.

    Raises NewerStore for a version that this program does not know, StoreError for another program's database.
    """
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    application: int = connection.execute("PRAGMA application_id").fetchone()[0]
    used = connection.execute("SELECT EXISTS (SELECT 1 FROM sqlite_master)").fetchone()[0]
    if application != APPLICATION_ID and (application or version or used):
        raise StoreError(
            f"{path} is a database of another program.", hint="Move it away, or choose another data folder."
        )
    if version > len(MIGRATIONS):
        raise NewerStore(
            f"{path} was written by a newer version of wellworn (schema {version}; this one knows {len(MIGRATIONS)}).",
            hint="Update wellworn, or choose another data folder.",
        )
    return version


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Apply the missing steps; several processes may do so at once."""
    if check_version(connection, path) == len(MIGRATIONS):
        return
    import sqlite_utils  # noqa: PLC0415  loads numpy and more; only the first start after an update pays for it

    connection.execute("BEGIN IMMEDIATE")
    try:
        version = check_version(connection, path)  # again: another process may have migrated meanwhile
        tables = sqlite_utils.Database(connection, execute_plugins=False)
        for step in MIGRATIONS[version:]:
            step(tables)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _catalogue(db: sqlite_utils.Database) -> None:
    """Sources, skills, what is derived from them, and the log that tells other processes of changes."""
    db.table("sources").create(
        {
            "id": str,
            "path": str,
            "scope": str,
            "owner": str,
            "rank": int,
            "vouched": int,
            "kind": str,
            "added_at": str,
        },
        pk="id",
        not_null={"id", "path", "scope", "owner", "rank", "vouched", "kind", "added_at"},
    )
    # AUTOINCREMENT: a key is never given to a second skill, so a stale reader cannot take one for the other.
    # What every start reads (skills) is kept apart from what only some requests read (contents).
    db.execute("""
        CREATE TABLE skills (
            key INTEGER PRIMARY KEY AUTOINCREMENT,
            source_id TEXT NOT NULL REFERENCES sources(id) ON DELETE CASCADE,
            path TEXT NOT NULL, stamp TEXT NOT NULL,
            scope TEXT NOT NULL, owner TEXT NOT NULL, skill_id TEXT NOT NULL,
            name TEXT NOT NULL, description TEXT NOT NULL,
            kind TEXT NOT NULL, risk TEXT NOT NULL, trust TEXT NOT NULL, invocable INTEGER NOT NULL,
            requires_approval TEXT, recipe_id TEXT, when_facts TEXT, steps TEXT, allowed_tools TEXT,
            effective INTEGER NOT NULL DEFAULT 0, shadowed_by TEXT, updated_at TEXT NOT NULL,
            UNIQUE (source_id, path))""")
    db.table("skills").create_index(["skill_id", "scope", "owner"])
    db.table("skills").create_index(["scope", "owner", "effective"])
    db.execute("""
        CREATE TABLE contents (
            skill_key INTEGER PRIMARY KEY REFERENCES skills(key) ON DELETE CASCADE,
            manifest TEXT NOT NULL, body TEXT NOT NULL, diagnostics TEXT)""")
    db.execute("""
        CREATE TABLE lexicals (
            skill_key INTEGER PRIMARY KEY REFERENCES skills(key) ON DELETE CASCADE, data BLOB NOT NULL)""")
    db.execute("""
        CREATE TABLE utterances (
            skill_key INTEGER NOT NULL REFERENCES skills(key) ON DELETE CASCADE,
            position INTEGER NOT NULL, field TEXT NOT NULL, text TEXT NOT NULL, hash BLOB NOT NULL,
            PRIMARY KEY (skill_key, position)) WITHOUT ROWID""")
    db.execute("""
        CREATE TABLE changes (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            scope TEXT NOT NULL, owner TEXT NOT NULL, skill_key INTEGER NOT NULL,
            kind TEXT NOT NULL, ts TEXT NOT NULL)""")


def _history(db: sqlite_utils.Database) -> None:
    """What happened to skills: kept by (scope, owner, skill id), so that it survives moved and rewritten files."""
    db.table("skill_stats").create(
        {
            "scope": str,
            "owner": str,
            "skill_id": str,
            "usage_count": int,
            "last_used_at": str,
            "last_audited_at": str,
            "reliability": float,
            "success_count": int,
            "failure_count": int,
            "repair_count": int,
        },
        pk=("scope", "owner", "skill_id"),
        not_null={"usage_count", "reliability", "success_count", "failure_count", "repair_count"},
        defaults={"usage_count": 0, "reliability": 1.0, "success_count": 0, "failure_count": 0, "repair_count": 0},
    )
    db.table("resolutions").create(
        {
            "id": str,
            "ts": str,
            "message": str,
            "context": str,
            "answer": str,
            "decision": str,
            "user": str,
            "repo": str,
            "session_id": str,
            "key_id": str,
        },
        pk="id",
        not_null={"ts", "message", "context", "answer", "decision"},
    )
    db.table("resolutions").create_index(["ts"])
    db.table("resolutions").create_index(["decision", "ts"])
    db.table("feedback").create(
        {
            "id": str,
            "resolution_id": str,
            "verdict": str,
            "answered": str,
            "expected": str,
            "note": str,
            "message": str,
            "context": str,
            "user": str,
            "repo": str,
            "session_id": str,
            "key_id": str,
            "created_at": str,
        },
        pk="id",
        not_null={"resolution_id", "verdict", "message", "context", "created_at"},
    )
    db.table("feedback").create_index(["resolution_id"])
    db.table("taught").create(
        {
            "id": str,
            "scope": str,
            "owner": str,
            "skill_id": str,
            "field": str,
            "text": str,
            "hash": bytes,
            "feedback_id": str,
            "key_id": str,
            "created_at": str,
            "removed_at": str,
        },
        pk="id",
        not_null={"scope", "owner", "skill_id", "field", "text", "hash", "created_at"},
    )
    db.table("taught").create_index(["scope", "owner", "skill_id"])
    db.table("taught").create_index(["feedback_id"])


def _access(db: sqlite_utils.Database) -> None:
    """API keys; of a secret only its SHA-256 is kept."""
    db.table("keys").create(
        {
            "id": str,
            "secret_hash": bytes,
            "role": str,
            "user": str,
            "repos": str,
            "label": str,
            "created_at": str,
            "last_used_at": str,
            "revoked_at": str,
        },
        pk="id",
        not_null={"secret_hash", "role", "user", "repos", "label", "created_at"},
    )
    db.table("keys").create_index(["secret_hash"], unique=True)


def _observed(db: sqlite_utils.Database) -> None:
    """What was observed, what the miner made of it, what was proposed, and what people decided about skills."""
    # Ids are given by whoever sends an event, so they are unique to a user only. seq: the order of arrival.
    db.execute("""
        CREATE TABLE traces (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            user TEXT NOT NULL, id TEXT NOT NULL, ts TEXT NOT NULL, session_id TEXT NOT NULL, repo TEXT,
            kind TEXT NOT NULL, summary TEXT NOT NULL, tags TEXT, success INTEGER, risk TEXT, data TEXT, key_id TEXT,
            received_at TEXT NOT NULL,
            UNIQUE (user, id))""")
    db.table("traces").create_index(["user", "session_id", "ts"])
    db.table("traces").create_index(["user", "ts"])
    # What the miner keeps of the events that it has read, so that it reads none twice. version: of its packing.
    db.execute("""
        CREATE TABLE trace_digests (
            user TEXT NOT NULL, last_seq INTEGER NOT NULL, version INTEGER NOT NULL, data BLOB NOT NULL,
            PRIMARY KEY (user, last_seq))""")
    # data: the proposal in wire names. pattern: by what the same friction is known again. weight: its evidence then.
    db.execute("""
        CREATE TABLE proposals (
            id TEXT PRIMARY KEY, user TEXT NOT NULL, repo TEXT, session_id TEXT,
            status TEXT NOT NULL, signal TEXT NOT NULL, pattern TEXT NOT NULL, weight INTEGER NOT NULL,
            data TEXT NOT NULL, created_at TEXT NOT NULL, decided_at TEXT, decided_by TEXT)""")
    db.table("proposals").create_index(["user", "status"])
    # Events that a proposal rests on are kept while it is.
    db.execute("""
        CREATE TABLE evidence (
            user TEXT NOT NULL, trace_id TEXT NOT NULL,
            proposal_id TEXT NOT NULL REFERENCES proposals(id) ON DELETE CASCADE,
            PRIMARY KEY (user, trace_id, proposal_id)) WITHOUT ROWID""")
    db.execute("""
        CREATE TABLE skill_changes (
            id TEXT PRIMARY KEY, ts TEXT NOT NULL,
            scope TEXT NOT NULL, owner TEXT NOT NULL, skill_id TEXT NOT NULL,
            action TEXT NOT NULL, from_trust TEXT, to_trust TEXT, by TEXT NOT NULL, reason TEXT, evidence TEXT,
            proposal_id TEXT, before_hash TEXT, after_hash TEXT)""")
    db.table("skill_changes").create_index(["scope", "owner", "skill_id"])


def _judged(db: sqlite_utils.Database) -> None:
    """Tasks and how they ended, lessons, repairs, versions of skills, reviewed turns, accounts, settings and spend."""
    # objective_key: of the normalised objective, by which the same work is known again.
    db.execute("""
        CREATE TABLE tasks (
            id TEXT PRIMARY KEY, user TEXT NOT NULL, repo TEXT, session_id TEXT, status TEXT NOT NULL,
            objective_key TEXT NOT NULL, attempt INTEGER NOT NULL, resolution_id TEXT,
            outcome TEXT, data TEXT NOT NULL, created_at TEXT NOT NULL, ended_at TEXT, key_id TEXT)""")
    db.table("tasks").create_index(["user", "objective_key", "status", "created_at", "id"])
    db.table("tasks").create_index(["user", "status", "created_at", "id"])
    db.table("tasks").create_index(["user", "created_at", "id"])
    db.table("tasks").create_index(["created_at", "id"])
    db.execute("CREATE INDEX idx_tasks_resolution ON tasks (resolution_id) WHERE resolution_id IS NOT NULL")
    db.execute("""
        CREATE TABLE task_steps (
            task_id TEXT NOT NULL REFERENCES tasks(id) ON DELETE CASCADE, number INTEGER NOT NULL,
            ts TEXT NOT NULL, command TEXT NOT NULL, exit_code INTEGER, summary TEXT, success INTEGER,
            PRIMARY KEY (task_id, number)) WITHOUT ROWID""")
    # outcome rows: what a skill's reliability was made of; kept when the task is not.
    db.execute("""
        CREATE TABLE outcomes (
            id TEXT PRIMARY KEY, ts TEXT NOT NULL, scope TEXT NOT NULL, owner TEXT NOT NULL, skill_id TEXT NOT NULL,
            task_id TEXT, outcome TEXT NOT NULL, cause TEXT, reliability REAL NOT NULL, key_id TEXT)""")
    db.table("outcomes").create_index(["scope", "owner", "skill_id"])
    db.execute("""
        CREATE TABLE lessons (
            id TEXT PRIMARY KEY, ts TEXT NOT NULL, scope TEXT NOT NULL, owner TEXT NOT NULL, skill_id TEXT NOT NULL,
            lesson TEXT NOT NULL, analysis TEXT NOT NULL, outcome TEXT NOT NULL, by TEXT NOT NULL,
            task_id TEXT, repair_id TEXT)""")
    db.table("lessons").create_index(["scope", "owner", "skill_id"])
    # choices about flagged matches, by what was answered with them.
    db.execute("""
        CREATE TABLE choices (
            id TEXT PRIMARY KEY, ts TEXT NOT NULL, user TEXT NOT NULL, resolution_id TEXT NOT NULL UNIQUE,
            scope TEXT NOT NULL, owner TEXT NOT NULL, skill_id TEXT NOT NULL,
            choice TEXT NOT NULL, by TEXT NOT NULL, note TEXT)""")
    db.execute("""
        CREATE TABLE repairs (
            id TEXT PRIMARY KEY, scope TEXT NOT NULL, owner TEXT NOT NULL, skill_id TEXT NOT NULL,
            status TEXT NOT NULL, data TEXT NOT NULL, created_at TEXT NOT NULL, decided_at TEXT, decided_by TEXT)""")
    db.table("repairs").create_index(["scope", "owner", "skill_id"])
    # Versions share the content of files that did not change. Both contents are packed (zlib).
    db.execute("CREATE TABLE file_contents (hash BLOB PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID")
    db.execute("""
        CREATE TABLE skill_versions (
            scope TEXT NOT NULL, owner TEXT NOT NULL, skill_id TEXT NOT NULL, number INTEGER NOT NULL,
            ts TEXT NOT NULL, hash TEXT NOT NULL, skill_md BLOB, manifest BLOB,
            action TEXT NOT NULL, by TEXT NOT NULL, reason TEXT, change_id TEXT,
            PRIMARY KEY (scope, owner, skill_id, number)) WITHOUT ROWID""")
    # counted: proven calls of eligible turns since the last review. runner: the process that reviews a turn.
    db.execute("""
        CREATE TABLE accounts (
            user TEXT PRIMARY KEY, opted_in INTEGER NOT NULL DEFAULT 0, direct INTEGER NOT NULL DEFAULT 0,
            counted INTEGER NOT NULL DEFAULT 0, changed_at TEXT, changed_by TEXT)""")
    db.execute("""
        CREATE TABLE turns (
            user TEXT NOT NULL, id TEXT NOT NULL, ts TEXT NOT NULL, answer TEXT NOT NULL, review TEXT, runner TEXT,
            PRIMARY KEY (user, id)) WITHOUT ROWID""")
    db.table("turns").create_index(["user", "ts"])
    # What post-turn review wrote as it stands: a skill whose files are others by now was edited by a person.
    db.execute("""
        CREATE TABLE learned_skills (
            scope TEXT NOT NULL, owner TEXT NOT NULL, skill_id TEXT NOT NULL, hash TEXT NOT NULL, turn_id TEXT,
            written_at TEXT NOT NULL, PRIMARY KEY (scope, owner, skill_id)) WITHOUT ROWID""")
    db.execute("""
        CREATE TABLE runtime_settings (
            name TEXT PRIMARY KEY, value TEXT NOT NULL, changed_at TEXT NOT NULL, changed_by TEXT NOT NULL)""")
    db.execute("""
        CREATE TABLE spend (
            id TEXT PRIMARY KEY, ts TEXT NOT NULL, account TEXT NOT NULL, origin TEXT NOT NULL, model TEXT NOT NULL,
            ok INTEGER NOT NULL, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL)""")
    db.table("spend").create_index(["account", "ts"])


MIGRATIONS: tuple[Callable[[sqlite_utils.Database], None], ...] = (_catalogue, _history, _access, _observed, _judged)
