"""What the miner keeps of trace events that it has read: packed chunks of one user, in the order of arrival."""

from __future__ import annotations

from wellworn.store.database import Database


class DigestTable:
    """Chunks of digested events. They can always be made anew from the events themselves."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def last_seq(self, user: str, version: int) -> int:
        """Return the number of the last event that was digested by this version of the packing; 0 for none."""
        found = self._db.rows(
            "SELECT coalesce(max(last_seq), 0) FROM trace_digests WHERE user = ? AND version = ?", (user, version)
        )
        return int(found[0][0])

    def chunks(self, user: str, version: int) -> list[bytes]:
        """Return the packed chunks, oldest first."""
        rows = self._db.rows(
            "SELECT data FROM trace_digests WHERE user = ? AND version = ? ORDER BY last_seq", (user, version)
        )
        return [data for (data,) in rows]

    def append(self, user: str, version: int, *, after: int, last_seq: int, data: bytes) -> bool:
        """Add a chunk of the events after `after`; False when another process has digested them meanwhile.

        Chunks of other versions are dropped.
        """
        with self._db.write() as connection:
            connection.execute("DELETE FROM trace_digests WHERE user = ? AND version <> ?", (user, version))
            if self.last_seq(user, version) != after:
                return False
            connection.execute(
                "INSERT INTO trace_digests (user, last_seq, version, data) VALUES (?, ?, ?, ?)",
                (user, last_seq, version, data),
            )
        return True

    def replace(self, user: str, version: int, *, last_seq: int, data: bytes) -> None:
        """Put one chunk in the place of all up to `last_seq`, which it holds together."""
        with self._db.write() as connection:
            connection.execute("DELETE FROM trace_digests WHERE user = ? AND last_seq <= ?", (user, last_seq))
            connection.execute(
                "INSERT INTO trace_digests (user, last_seq, version, data) VALUES (?, ?, ?, ?)",
                (user, last_seq, version, data),
            )
