"""Which of the processes that share a data folder are alive: each holds a lock that ends with it, however it ends."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from wellworn.models.errors import StoreError
from wellworn.models.ids import new_id


class Alive:
    """This process's lock, in a folder of such files. close() gives it back."""

    def __init__(self, folder: Path) -> None:
        self.token = new_id()
        self._folder = folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._descriptor = os.open(folder / self.token, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StoreError(f"{folder} cannot be used: {error.strerror}.", hint="Check its permissions.") from error

    def is_alive(self, token: str | None) -> bool:
        """Say whether the process that holds a token still lives; what a dead one left is removed."""
        if token is None or not token.isalnum():
            return False
        if token == self.token:
            return True
        path = self._folder / token
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(descriptor)
        with suppress(OSError):
            path.unlink()
        return False

    def close(self) -> None:
        """Give the lock back; closing twice is fine."""
        if self._descriptor < 0:
            return
        with suppress(OSError):
            (self._folder / self.token).unlink()
        os.close(self._descriptor)
        self._descriptor = -1
